/* Matrix Market files: a matrix has the entries it says, finite ones, in the symmetry its banner names. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/matrix.h"
#include "harness.h"

static const size_t small = 64; /* looked at entry by entry */

static void require_sound(const am_matrix *matrix) {
    size_t rows = am_matrix_rows(matrix), columns = am_matrix_columns(matrix);
    fuzz_require(rows > 0 && columns > 0, "a matrix has rows and columns");
    double largest = am_matrix_largest(matrix), found = 0.0, asymmetry = 0.0;
    fuzz_require(isfinite(largest), "entries are finite");
    if (rows > small || columns > small)
        return;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            found = fmax(found, fabs(am_matrix_at(matrix, i, j)));
            if (rows == columns)
                asymmetry = fmax(asymmetry, fabs(am_matrix_at(matrix, i, j) - am_matrix_at(matrix, j, i)));
        }
    fuzz_require(found == largest, "the largest entry is one of the entries");
    fuzz_require(rows != columns || asymmetry == am_matrix_asymmetry(matrix), "asymmetry is that of the entries");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    am_error err = {0};
    am_matrix *matrix = am_matrix_read(fuzz_file(data, size), &err);
    if (matrix)
        require_sound(matrix);
    else
        fuzz_require_failure(err.status, &err);
    am_matrix_free(matrix);
    return 0;
}
