#include "dense_system.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static am_matrix *square(size_t n, const double *values) {
    am_matrix *matrix = am_matrix_dense(n, n, values, NULL);
    assert_non_null(matrix);
    return matrix;
}

am_system *dense_system(am_system_def def, const double *mass, const double *damping, const double *stiffness) {
    am_error err = {0};
    am_matrix *M = mass ? square(def.n, mass) : NULL, *C = damping ? square(def.n, damping) : NULL,
              *K = square(def.n, stiffness);
    def.mass = M;
    def.damping = C;
    def.stiffness = K;
    am_system *system = am_system_create(&def, &err);
    if (!system)
        fail_msg("%s: %s", err.field, err.message);
    am_matrix_free(M);
    am_matrix_free(C);
    am_matrix_free(K);
    return system;
}
