#include "node_systems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

const double paper_A[4] = {1, 0.5, 0.5, 1}, paper_B[4] = {0.5, 0.25, 0.95, 0.95};

static am_matrix *square(size_t n, const double *values) {
    am_matrix *matrix = am_matrix_dense(n, n, values, NULL);
    assert_non_null(matrix);
    return matrix;
}

void node_example_init(node_example *e, size_t n, const double *A, const double *B, const double *C, double mu) {
    assert_true(n <= MOST_NODES);
    *e = (node_example){.def = am_nodes_default(), .A = square(n, A), .B = square(n, B), .C = C ? square(n, C) : NULL};
    for (size_t i = 0; i < n; i++)
        e->mu[i] = mu;
    e->def.count = n;
    e->def.A = e->A;
    e->def.B = e->B;
    e->def.C = e->C;
    e->def.mu = e->mu;
}

void node_example_clear(node_example *e) {
    am_matrix_free(e->A);
    am_matrix_free(e->B);
    am_matrix_free(e->C);
}

void node_example_rest(node_example *e, const double *minus, const double *plus) {
    memcpy(e->minus, minus, e->def.count * sizeof *minus);
    memcpy(e->plus, plus, e->def.count * sizeof *plus);
    e->def.rest_minus = e->minus;
    e->def.rest_plus = e->plus;
}

void node_example_advance(node_example *e, const char *name, double extreme) {
    assert_true(e->def.advance_count < MOST_ADVANCES);
    e->sequence[e->def.advance_count++] = (am_nodes_advance){(size_t)(name[0] - '1'), name[1] == '+' ? 1 : -1, extreme};
    e->def.sequence = e->sequence;
}

void node_example_one(node_example *e) {
    node_example_init(e, 2, paper_A, paper_B, NULL, 1);
    node_example_rest(e, (double[]){1.6, 0.8}, (double[]){-3, -6});
    node_example_advance(e, "1+", 0.75);
    node_example_advance(e, "2+", 3.4);
    node_example_advance(e, "1-", -0.25);
    node_example_advance(e, "2-", 0.4);
}

am_system *node_system(const am_nodes *def) {
    am_error err = {0};
    am_system *system = am_nodes_create(def, &err);
    if (!system)
        fail_msg("%s: %s", err.field, err.message);
    return system;
}
