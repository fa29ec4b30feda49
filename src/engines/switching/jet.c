#include "engines/switching/jet.h"

#include <string.h>

#include "math/wide.h"

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
enum { PAIRS = AM_COEFFICIENTS / 2, FOURS = AM_COEFFICIENTS / 4 };

AM_WIDE void am_jet_at(const am_jet *jet, const double *x, double out[AM_COEFFICIENTS]) {
    am_four sum[FOURS] = {{0.0}};
    const am_four *c = (const am_four *)(const void *)jet->coefficient;
    for (size_t j = 0; j < jet->count; j++, c += FOURS) {
        const double even = x[jet->column[2 * j]], odd = x[jet->column[2 * j + 1]];
        const am_four value = {even, odd, even, odd};
        for (size_t k = 0; k < FOURS; k++)
            sum[k] += value * c[k];
    }
    memcpy(out, sum, sizeof sum);
}

void am_jet_sum(const am_jet *jet, size_t j, const double weight[AM_COEFFICIENTS], double sum[2]) {
    const pair *c = (const pair *)(const void *)(jet->coefficient + j * AM_COEFFICIENTS);
    const pair *w = (const pair *)(const void *)weight;
    pair a = {0.0, 0.0}, b = a;
    for (size_t k = 0; k < PAIRS; k += 2) {
        a += c[k] * w[k];
        b += c[k + 1] * w[k + 1];
    }
    a += b;
    sum[0] = a[0];
    sum[1] = a[1];
}
