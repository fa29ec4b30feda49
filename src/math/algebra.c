#include "math/algebra.h"

#include <cblas.h>

void am_algebra_settle(void) {
    if (openblas_get_num_threads() != 1)
        openblas_set_num_threads(1);
}
