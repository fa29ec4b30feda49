#include "models/brick.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"

enum { STRAINS = 6, INNER = 9, ALL = AM_BRICK_SIZE + INNER };

/* Signs of the local coordinates at the nodes. */
static const double corner[AM_BRICK_NODES][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                                 {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

static void shapes(const double xi[3], double value[AM_BRICK_NODES], double slope[AM_BRICK_NODES][3]) {
    for (int a = 0; a < AM_BRICK_NODES; a++) {
        double f[3];
        for (int d = 0; d < 3; d++)
            f[d] = 1.0 + corner[a][d] * xi[d];
        value[a] = f[0] * f[1] * f[2] / 8.0;
        for (int d = 0; d < 3; d++)
            slope[a][d] = corner[a][d] * f[(d + 1) % 3] * f[(d + 2) % 3] / 8.0;
    }
}

/* Inverse of the Jacobian dx_j/dxi_d; returns its determinant. */
static double jacobian(const double place[AM_BRICK_NODES][3], const double slope[AM_BRICK_NODES][3],
                       double inverse[3][3]) {
    double j[3][3] = {{0}};
    for (int a = 0; a < AM_BRICK_NODES; a++)
        for (int r = 0; r < 3; r++)
            for (int d = 0; d < 3; d++)
                j[r][d] += place[a][r] * slope[a][d];
    double det = 0.0;
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, f = (d + 2) % 3;
        det += j[0][d] * (j[1][e] * j[2][f] - j[1][f] * j[2][e]);
    }
    for (int r = 0; r < 3; r++)
        for (int d = 0; d < 3; d++) {
            int r1 = (r + 1) % 3, r2 = (r + 2) % 3, d1 = (d + 1) % 3, d2 = (d + 2) % 3;
            inverse[d][r] = (j[r1][d1] * j[r2][d2] - j[r1][d2] * j[r2][d1]) / det;
        }
    return det;
}

/* Three columns of the strain matrix from the gradient g of a displacement shape. */
static void strain_columns(const double g[3], double *b) {
    const double columns[STRAINS][3] = {{g[0], 0, 0},    {0, g[1], 0},    {0, 0, g[2]},
                                        {g[1], g[0], 0}, {0, g[2], g[1]}, {g[2], 0, g[0]}};
    for (int s = 0; s < STRAINS; s++)
        for (int d = 0; d < 3; d++)
            b[s * ALL + d] = columns[s][d];
}

static void strains(const double slope[AM_BRICK_NODES][3], const double inverse[3][3], const double centre[3][3],
                    double ratio, const double xi[3], double b[STRAINS * ALL]) {
    double g[3];
    for (int a = 0; a < AM_BRICK_NODES; a++) {
        for (int r = 0; r < 3; r++)
            g[r] = slope[a][0] * inverse[0][r] + slope[a][1] * inverse[1][r] + slope[a][2] * inverse[2][r];
        strain_columns(g, b + 3 * a);
    }
    for (int d = 0; d < 3; d++) { /* 1 - xi_d^2, with the Jacobian of the centre: the patch test is passed */
        for (int r = 0; r < 3; r++)
            g[r] = -2.0 * xi[d] * centre[d][r] * ratio;
        strain_columns(g, b + AM_BRICK_SIZE + 3 * d);
    }
}

/* k += weight B^T E B for isotropic elasticity. */
static void add_stiffness(const double *b, double modulus, double poisson, double weight, double *k) {
    double shear = modulus / (2.0 * (1.0 + poisson));
    double lame = modulus * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    double stress[STRAINS * ALL];
    for (int c = 0; c < ALL; c++) {
        double trace = lame * (b[c] + b[ALL + c] + b[2 * ALL + c]);
        for (int s = 0; s < STRAINS; s++)
            stress[s * ALL + c] = (s < 3 ? trace + 2.0 * shear * b[s * ALL + c] : shear * b[s * ALL + c]) * weight;
    }
    for (int s = 0; s < STRAINS; s++)
        for (int r = 0; r < ALL; r++)
            for (int c = 0; c < ALL; c++)
                k[r * ALL + c] += b[s * ALL + r] * stress[s * ALL + c];
}

/* What remains when no force acts on the inner displacements. */
static am_status condense(const double *k, double *stiffness, am_error *err) {
    double inner[INNER * INNER], rcond;
    for (int i = 0; i < INNER; i++)
        memcpy(inner + i * INNER, k + (AM_BRICK_SIZE + i) * ALL + AM_BRICK_SIZE, INNER * sizeof *inner);
    am_status status = am_dense_invert(inner, INNER, &rcond, err);
    for (int r = 0; r < AM_BRICK_SIZE && !status; r++) {
        double part[INNER] = {0};
        for (int i = 0; i < INNER; i++)
            for (int j = 0; j < INNER; j++)
                part[j] += k[r * ALL + AM_BRICK_SIZE + i] * inner[i * INNER + j];
        for (int c = 0; c < AM_BRICK_SIZE; c++) {
            double sum = k[r * ALL + c];
            for (int j = 0; j < INNER; j++)
                sum -= part[j] * k[(AM_BRICK_SIZE + j) * ALL + c];
            stiffness[r * AM_BRICK_SIZE + c] = sum;
        }
    }
    for (int r = 0; r < AM_BRICK_SIZE && !status; r++) /* symmetric to the last digit */
        for (int c = 0; c < r; c++) {
            double mean = 0.5 * (stiffness[r * AM_BRICK_SIZE + c] + stiffness[c * AM_BRICK_SIZE + r]);
            stiffness[r * AM_BRICK_SIZE + c] = stiffness[c * AM_BRICK_SIZE + r] = mean;
        }
    return status;
}

am_status am_brick(const double place[AM_BRICK_NODES][3], double modulus, double poisson, double density,
                   double *stiffness, double mass[AM_BRICK_NODES], am_error *err) {
    static const double middle[3] = {0.0, 0.0, 0.0};
    double value[AM_BRICK_NODES], slope[AM_BRICK_NODES][3], inverse[3][3], centre[3][3];
    double b[STRAINS * ALL], k[ALL * ALL] = {0.0};
    shapes(middle, value, slope);
    double centre_volume = jacobian(place, (const double(*)[3])slope, centre);
    memset(mass, 0, AM_BRICK_NODES * sizeof *mass);
    for (int point = 0; point < 8; point++) { /* 2 x 2 x 2 points of Gauss, weights 1 */
        double xi[3];
        for (int d = 0; d < 3; d++)
            xi[d] = corner[point][d] / sqrt(3.0);
        shapes(xi, value, slope);
        double volume = jacobian(place, (const double(*)[3])slope, inverse);
        if (!(volume > 0.0))
            return am_fail(err, AM_ERR_INPUT, "an element of the mesh has no volume");
        strains((const double(*)[3])slope, (const double(*)[3])inverse, (const double(*)[3])centre,
                centre_volume / volume, xi, b);
        add_stiffness(b, modulus, poisson, volume, k);
        for (int a = 0; a < AM_BRICK_NODES; a++)
            mass[a] += density * value[a] * volume;
    }
    return condense(k, stiffness, err);
}
