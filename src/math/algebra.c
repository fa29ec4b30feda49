#include "math/algebra.h"

#include <cblas.h>

#include "base/local.h"

void am_algebra_settle(void) {
    if (openblas_get_num_threads() != 1)
        openblas_set_num_threads(1);
}

void am_algebra_reserve(void) {
    enum { N = 128 }; /* smaller ones it may compute without a buffer */
    AM_LOCAL_MEMORY double *zeros = am_memory_new((size_t)3 * N * N, sizeof *zeros, NULL);
    am_algebra_settle();
    if (zeros)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1.0, zeros, N, zeros + N * N, N, 0.0,
                    zeros + 2 * N * N, N);
}
