#include "kept_bem.h"

#include <stdlib.h>

am_bem_fields *keep_bem(const am_bem *bem) {
    am_bem_fields *kept = calloc(1, sizeof *kept);
    double **const arrays[] = {&kept->p, &kept->q, &kept->gap, &kept->place, &kept->slip, &kept->slid};
    double *next = calloc(6 * bem->n, sizeof *next);
    kept->state = calloc(bem->n, sizeof *kept->state);
    if (!next || !kept->state)
        abort();
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = next + i * bem->n;
    am_bem_copy(kept, &bem->now, bem->n);
    return kept;
}

void return_bem(am_bem *bem, am_bem_fields *kept) {
    am_bem_copy(&bem->now, kept, bem->n);
    free(kept->p);
    free(kept->state);
    free(kept);
}
