/* Names of coordinates as programs of finite elements give them: a node and a direction, "51.3". */
#ifndef AMONTONS_IMPORTS_LABELS_H
#define AMONTONS_IMPORTS_LABELS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amontons/error.h"

typedef struct am_label {
    long node;     /* negative: one that is not in the mesh (Abaqus) */
    int direction; /* 1 2 3: displacements, 4 5 6: rotations; 0: the node is a single coordinate */
} am_label;

enum { AM_LABEL_SIZE = 40 };
const char *am_label_words(am_label label, char words[AM_LABEL_SIZE]); /* "51.3", "7" */

/* "51.3", "51.z", "51 3", "51 UZ", "node 51 z", "7"; blanks around it do not matter. False: the text says none. */
bool am_label_parse(const char *text, am_label *label);

/* The direction that a word means: "3", "z", "uz", "UZ", "rotx"; -1: none. */
int am_direction_parse(const char *word, size_t length);

/* Labels of rows, each once; begins as {0}. */
typedef struct am_labels {
    size_t count, capacity;
    am_label *label; /* of each row */
    uint32_t *slots; /* open addressing; row + 1, 0: free */
    size_t slot_count;
    size_t lines; /* of the file that they were read from */
} am_labels;

/* The row of a label, which is added if it is new (*added, which may be NULL). */
am_status am_labels_row(am_labels *labels, am_label label, size_t *row, bool *added, am_error *err);
size_t am_labels_find(const am_labels *labels, am_label label); /* SIZE_MAX: none */

/* Put the rows in the order of nodes and directions; place[old row] = new row. */
am_status am_labels_sort(am_labels *labels, uint32_t *place, am_error *err);

am_status am_labels_copy(am_labels *copy, const am_labels *labels, am_error *err);
bool am_labels_equal(const am_labels *one, const am_labels *other);
void am_labels_clear(am_labels *labels);

/* A file with a label per row: "51.3" (CalculiX .dof), "51, 3", "51 UZ", or with the number of the row before it
 * ("3 51 UZ", Ansys' mapping). Lines without digits are passed over. */
am_status am_labels_read(am_labels *labels, const char *path, am_error *err);

#endif
