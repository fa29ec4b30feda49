/* Nodes on an elastic support, with the examples of Andersson, Barber and Ahn. */
#ifndef AMONTONS_TESTS_NODE_SYSTEMS_H
#define AMONTONS_TESTS_NODE_SYSTEMS_H
#include "amontons/models.h"

enum { MOST_NODES = 8, MOST_ADVANCES = 16 };

/* A definition with what it points to: not to be copied. */
typedef struct node_example {
    am_nodes def;
    am_matrix *A, *B, *C;
    double mu[MOST_NODES], minus[MOST_NODES], plus[MOST_NODES];
    am_nodes_advance sequence[MOST_ADVANCES];
} node_example;

/* Matrices n x n, C NULL for the default; one coefficient for all nodes, no loads yet. */
void node_example_init(node_example *e, size_t n, const double *A, const double *B, const double *C, double mu);
void node_example_clear(node_example *e);

/* Loads by constraints: rest positions of all nodes, then one advance after the other, "2-" for node 2 backward. */
void node_example_rest(node_example *e, const double *minus, const double *plus);
void node_example_advance(node_example *e, const char *name, double extreme);

/* The support of all examples with two nodes. */
extern const double paper_A[4], paper_B[4];

/* Example 1: mu = 1, a cycle of period 2 (Fig. 7). */
void node_example_one(node_example *e);

am_system *node_system(const am_nodes *def);

#endif
