#include "models/arrays.h"

/* True: there is nothing to make, or it is made. */
static bool make(const double *values, size_t n, am_matrix **matrix, am_error *err) {
    *matrix = values ? am_matrix_dense(n, n, values, err) : NULL;
    return *matrix || !values;
}

am_system *am_arrays_create(am_system_def def, am_arrays arrays, am_error *err) {
    am_matrix *M = NULL, *C = NULL, *K = NULL, *circulatory = NULL;
    am_system *system = NULL;
    if (make(arrays.mass, def.n, &M, err) && make(arrays.damping, def.n, &C, err) &&
        make(arrays.stiffness, def.n, &K, err) && make(arrays.circulatory, def.n, &circulatory, err)) {
        def.mass = M;
        def.damping = C;
        def.stiffness = K;
        def.circulatory = circulatory;
        system = am_system_create(&def, err);
    }
    am_matrix_free(M);
    am_matrix_free(C);
    am_matrix_free(K);
    am_matrix_free(circulatory);
    return system;
}
