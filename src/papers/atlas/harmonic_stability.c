/* Stability in one harmonic: exponents lambda of r exp((lambda + i omega) t) beside a motion w exp(i omega t),
 *
 *     T(lambda) r = 0,  T = lambda^2 + lambda A1 + A0,  A1 = 2 omega J + B/m,  A0 = K/m - omega^2 + omega B J/m,
 *
 * J = [0 -1; 1 0] for i (docs/atlas.md, eq. 5). A1 and A0 are 2 x 2 blocks at the sites; only K_nm/m couples them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "math/eigen.h"
#include "math/lu.h"
#include "papers/atlas/class.h"

/* The damper's force on the first harmonic is D(|V|) V with V = i omega w; B = D + D' |V| v v^T, v = V/|V|. */
static void damper_matrix(const am_sites *s, size_t site, double p, double omega, const double *w, double *B) {
    double c[AM_SITES_POWERS], re = -omega * w[1], im = omega * w[0];
    double v2 = re * re + im * im, D = 0.0, twice_slope = 0.0, power = 1.0, before = 0.0;
    am_sites_damping(s, site, p, c);
    for (size_t j = 0; j < s->powers; j++) {
        D += c[j] * power;
        twice_slope += 2.0 * (double)j * c[j] * before; /* D'(|V|)/|V| */
        before = power;
        power *= v2;
    }
    B[0] = D + twice_slope * re * re;
    B[1] = B[2] = twice_slope * re * im;
    B[3] = D + twice_slope * im * im;
}

static void fill_blocks(am_class *made, const double *w, double omega, double p) {
    const am_sites *s = made->sites;
    for (size_t i = 0; i < s->n; i++) {
        double B[4], *a1 = made->blocks + 8 * i, *a0 = a1 + 4;
        double own = am_sites_stiffness(s, i, i, p) / s->mass - omega * omega;
        damper_matrix(s, i, p, omega, w + 2 * i, B);
        for (size_t k = 0; k < 4; k++)
            B[k] /= s->mass;
        memcpy(a1, (double[4]){B[0], B[1] - 2.0 * omega, B[2] + 2.0 * omega, B[3]}, sizeof B);
        memcpy(a0, (double[4]){own + omega * B[1], -omega * B[0], omega * B[3], own - omega * B[2]}, sizeof B);
    }
}

/* ---- All exponents ---- */

/* As those of the matrix [0 1; -A0  -A1]. */
static void fill_pencil(am_class *made, const double *w, double omega, double p) {
    const am_sites *s = made->sites;
    size_t n = s->n, half = 2 * n, size = 4 * n;
    double *a = made->pencil;
    fill_blocks(made, w, omega, p);
    memset(a, 0, size * size * sizeof *a);
    for (size_t i = 0; i < half; i++) {
        const double *a1 = made->blocks + 8 * (i / 2) + 2 * (i % 2), *a0 = a1 + 4;
        double *row = a + (half + i) * size;
        a[i * size + half + i] = 1.0;
        for (size_t j = 0; j < n; j++)
            row[2 * j + i % 2] = j == i / 2 ? 0.0 : -am_sites_stiffness(s, i / 2, j, p) / s->mass;
        for (size_t c = 0; c < 2; c++) {
            row[i - i % 2 + c] -= a0[c];
            row[half + i - i % 2 + c] -= a1[c];
        }
    }
}

/* The one with the largest real part; `size` when there is none. The trivial one is left out, and so are exponents of
 * half the frequency and more: they belong to the harmonics that were left out. */
static size_t decisive(const double *real, const double *imaginary, size_t size, double omega) {
    size_t trivial = 0, largest = size;
    for (size_t k = 1; k < size; k++)
        if (hypot(real[k], imaginary[k]) < hypot(real[trivial], imaginary[trivial]))
            trivial = k;
    for (size_t k = 0; k < size; k++)
        if (k != trivial && fabs(imaginary[k]) < omega && (largest == size || real[k] > real[largest]))
            largest = k;
    return largest;
}

static am_verdict verdict_on(double exponent, double doubt) {
    return exponent > doubt ? AM_VERDICT_UNSTABLE : exponent < -doubt ? AM_VERDICT_STABLE : AM_VERDICT_MARGINAL;
}

/* With vectors, which tell how far rounding can have moved an exponent. */
static am_status decide_near_zero(am_class *made, double omega, double *exponent, am_verdict *verdict, am_error *err) {
    am_eigen eigen;
    size_t size = 4 * made->sites->n;
    AM_TRY(am_eigen_init(&eigen, made->pencil, size, 0.0, err));
    size_t largest = decisive(eigen.real, eigen.imaginary, size, omega);
    *exponent = largest < size ? eigen.real[largest] : -INFINITY;
    *verdict = verdict_on(*exponent, largest < size ? eigen.uncertainty[largest] : 0.0);
    am_eigen_clear(&eigen);
    return AM_OK;
}

/* Without vectors; false where the decisive exponent is so near to zero that they are needed. */
static bool decide_far_from_zero(am_class *made, double omega, double *exponent, bool *is_real, am_verdict *verdict) {
    size_t size = 4 * made->sites->n;
    double *real = made->exponents, *imaginary = real + size, doubt;
    if (!am_eigenvalues(made->pencil, size, real, imaginary, imaginary + size, &doubt))
        return false;
    size_t largest = decisive(real, imaginary, size, omega);
    *exponent = largest < size ? real[largest] : -INFINITY;
    *is_real = largest < size && imaginary[largest] == 0.0;
    *verdict = verdict_on(*exponent, doubt);
    return *verdict != AM_VERDICT_MARGINAL;
}

am_status am_class_stability(am_class *made, const double *w, double omega, double p, double *exponent,
                             am_verdict *verdict, am_error *err) {
    bool is_real;
    fill_pencil(made, w, omega, p);
    if (decide_far_from_zero(made, omega, exponent, &is_real, verdict))
        return AM_OK;
    fill_pencil(made, w, omega, p);
    return decide_near_zero(made, omega, exponent, verdict, err);
}

/* ---- One exponent ---- */

/* T(lambda) y = f. Sites of one colour are not coupled with each other: those of `colour` are eliminated block by block
 * (but for blocks that are nearly singular), and half the unknowns are left. */
typedef struct elimination {
    am_class *made;
    double p;
    unsigned char colour;
    size_t kept;
    size_t place[AM_SITES_MOST]; /* of a kept site; AM_SITES_MOST: eliminated */
    double inverse[AM_SITES_MOST][4];
} elimination;

static double link(const elimination *e, size_t i, size_t j) {
    return am_sites_stiffness(e->made->sites, i, j, e->p) / e->made->sites->mass;
}

static void multiply(const double *a, const double *x, double *y) {
    double first = a[0] * x[0] + a[1] * x[1];
    y[1] = a[2] * x[0] + a[3] * x[1];
    y[0] = first;
}

static void block_at(const am_class *made, size_t site, double lambda, double *T) {
    const double *a1 = made->blocks + 8 * site, *a0 = a1 + 4;
    for (size_t k = 0; k < 4; k++)
        T[k] = a0[k] + lambda * a1[k];
    T[0] += lambda * lambda;
    T[3] += lambda * lambda;
}

static void choose(elimination *e, double lambda, double (*T)[4]) {
    const am_sites *s = e->made->sites;
    e->kept = 0;
    for (size_t i = 0; i < s->n; i++) {
        block_at(e->made, i, lambda, T[i]);
        double det = T[i][0] * T[i][3] - T[i][1] * T[i][2], size = 0.0;
        for (size_t k = 0; k < 4; k++)
            size = fmax(size, fabs(T[i][k]));
        e->place[i] = AM_SITES_MOST;
        if (s->colour[i] != e->colour || !(fabs(det) > 1e-3 * size * size)) {
            e->place[i] = e->kept++;
            continue;
        }
        memcpy(e->inverse[i], (double[4]){T[i][3] / det, -T[i][1] / det, -T[i][2] / det, T[i][0] / det}, sizeof T[i]);
    }
}

static void add_block(double *matrix, size_t order, size_t i, size_t j, double factor, const double *block) {
    double *to = matrix + 2 * i * order + 2 * j;
    to[0] += factor * block[0];
    to[1] += factor * block[1];
    to[order] += factor * block[2];
    to[order + 1] += factor * block[3];
}

/* The sites that are left: their own blocks, links between them, and links by way of eliminated sites. */
static void assemble(const elimination *e, double (*T)[4]) {
    static const double unit[4] = {1.0, 0.0, 0.0, 1.0};
    const am_sites *s = e->made->sites;
    double *matrix = e->made->matrix;
    size_t order = 2 * e->kept;
    memset(matrix, 0, order * order * sizeof *matrix);
    for (size_t i = 0; i < s->n; i++) {
        const unsigned char *neighbour = s->neighbour[i];
        size_t place = e->place[i];
        if (place < AM_SITES_MOST)
            add_block(matrix, order, place, place, 1.0, T[i]);
        for (size_t a = 0; a < s->neighbours[i]; a++) {
            size_t from = e->place[neighbour[a]];
            if (place < AM_SITES_MOST && from < AM_SITES_MOST)
                add_block(matrix, order, place, from, link(e, i, neighbour[a]), unit);
            for (size_t b = 0; b < s->neighbours[i] && place == AM_SITES_MOST; b++)
                add_block(matrix, order, from, e->place[neighbour[b]],
                          -link(e, neighbour[a], i) * link(e, i, neighbour[b]), e->inverse[i]);
        }
    }
}

/* f becomes y. */
static void substitute(const elimination *e, double *f) {
    const am_sites *s = e->made->sites;
    double x[2 * AM_SITES_MOST] = {0.0}, g[2];
    for (size_t i = 0; i < s->n; i++)
        if (e->place[i] < AM_SITES_MOST) {
            x[2 * e->place[i]] += f[2 * i];
            x[2 * e->place[i] + 1] += f[2 * i + 1];
        } else {
            multiply(e->inverse[i], f + 2 * i, g);
            for (size_t a = 0; a < s->neighbours[i]; a++) {
                size_t j = s->neighbour[i][a], to = 2 * e->place[j];
                x[to] -= link(e, j, i) * g[0];
                x[to + 1] -= link(e, j, i) * g[1];
            }
        }
    am_lu_solve(e->made->matrix, 2 * e->kept, e->made->order, 1, x);
    for (size_t i = 0; i < s->n; i++)
        if (e->place[i] < AM_SITES_MOST) {
            f[2 * i] = x[2 * e->place[i]];
            f[2 * i + 1] = x[2 * e->place[i] + 1];
        } else {
            for (size_t a = 0; a < s->neighbours[i]; a++) {
                size_t j = s->neighbour[i][a], from = 2 * e->place[j];
                f[2 * i] -= link(e, i, j) * x[from];
                f[2 * i + 1] -= link(e, i, j) * x[from + 1];
            }
            multiply(e->inverse[i], f + 2 * i, f + 2 * i);
        }
}

/* Newton's method on T(lambda) r = 0, c.r = 1, c along the first r: T y = T' r, lambda -= 1/(c.y), r = y/(c.y). It
 * converges by squares: when lambda has settled to 1e-8 it is an eigenvalue to rounding, whatever the start was. */
static bool settle(am_class *made, double p, unsigned char colour, am_class_mode *mode) {
    double first[2 * AM_SITES_MOST], y[2 * AM_SITES_MOST], T[AM_SITES_MOST][4], size = 0.0;
    size_t n = made->sites->n;
    elimination e = {.made = made, .p = p, .colour = colour};
    memcpy(first, mode->r, 2 * n * sizeof *first);
    for (size_t i = 0; i < 2 * n; i++)
        size += first[i] * first[i];
    mode->known = false;
    for (int k = 0; k < 12 && !mode->known; k++) {
        double along = 0.0;
        choose(&e, mode->exponent, T);
        assemble(&e, T);
        if (!am_lu_factor(made->matrix, 2 * e.kept, made->order))
            return true; /* T is singular to rounding: there it is */
        for (size_t i = 0; i < n; i++) {
            const double *r = mode->r + 2 * i;
            multiply(made->blocks + 8 * i, r, y + 2 * i);
            y[2 * i] += 2.0 * mode->exponent * r[0];
            y[2 * i + 1] += 2.0 * mode->exponent * r[1];
        }
        substitute(&e, y);
        for (size_t i = 0; i < 2 * n; i++)
            along += first[i] * y[i];
        double change = size / along;
        if (!isfinite(change))
            return false;
        mode->exponent -= change;
        for (size_t i = 0; i < 2 * n; i++)
            mode->r[i] = y[i] * change;
        mode->known = fabs(change) <= 1e-8 * fabs(mode->exponent);
    }
    return mode->known;
}

/* An exponent above this is no rounding: as the doubt of am_eigenvalues, from the blocks. */
static double doubt_of(const am_class *made, double p) {
    const am_sites *s = made->sites;
    double largest = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        double sum = 1.0;
        for (size_t k = 0; k < 8; k++)
            sum += fabs(made->blocks[8 * i + k]);
        for (size_t a = 0; a < s->neighbours[i]; a++)
            sum += fabs(am_sites_stiffness(s, i, s->neighbour[i][a], p)) / s->mass;
        largest = fmax(largest, sum);
    }
    return largest * sqrt(40.0 * (double)s->n * DBL_EPSILON);
}

static size_t steepest_site(const am_class *made, const double *w, double omega, double p, double *slope) {
    const am_sites *s = made->sites;
    size_t site = s->n;
    *slope = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        double amplitude = hypot(w[2 * i], w[2 * i + 1]);
        double own = am_class_slope(made, i, p, omega, amplitude);
        if (amplitude > 0.0 && own < *slope) {
            *slope = own;
            site = i;
        }
    }
    return site;
}

/* From the mode of one site alone; blocks are filled. */
static bool finds_unstable_site(am_class *made, const double *w, double omega, double p, am_class_mode *found) {
    const am_sites *s = made->sites;
    double slope;
    size_t site = steepest_site(made, w, omega, p, &slope);
    found->known = false;
    if (site == s->n)
        return false;
    found->exponent = -slope / (2.0 * s->mass * omega);
    memset(found->r, 0, 2 * s->n * sizeof *found->r);
    found->r[2 * site] = w[2 * site];
    found->r[2 * site + 1] = w[2 * site + 1];
    return settle(made, p, (unsigned char)(1 - s->colour[site]), found) && found->exponent > doubt_of(made, p);
}

bool am_class_surely_unstable(am_class *made, const double *w, double omega, double p) {
    am_class_mode found;
    fill_blocks(made, w, omega, p);
    return finds_unstable_site(made, w, omega, p, &found);
}

/* ---- Along a branch ---- */

/* The vector of a real exponent, from one without a pattern. */
static void find_mode(am_class *made, double p, double exponent, am_class_mode *mode) {
    mode->exponent = exponent * (1.0 + 1e-4);
    for (size_t i = 0; i < 2 * made->sites->n; i++)
        mode->r[i] = sin(1.0 + 2.3 * (double)i);
    mode->known = settle(made, p, 0, mode) && mode->known && fabs(mode->exponent - exponent) <= 1e-6 * exponent;
}

am_status am_class_judge(am_class *made, const double *w, double omega, double p, am_class_mode *mode,
                         am_verdict *verdict, am_error *err) {
    double exponent;
    bool is_real;
    *verdict = AM_VERDICT_UNSTABLE;
    fill_blocks(made, w, omega, p);
    if (mode->known && settle(made, p, 0, mode) && mode->known && mode->exponent > doubt_of(made, p))
        return AM_OK;
    if (finds_unstable_site(made, w, omega, p, mode))
        return AM_OK;
    mode->known = false;
    fill_pencil(made, w, omega, p);
    if (!mode->near_zero && decide_far_from_zero(made, omega, &exponent, &is_real, verdict)) {
        if (*verdict == AM_VERDICT_UNSTABLE && is_real)
            find_mode(made, p, exponent, mode);
        return AM_OK;
    }
    if (!mode->near_zero) /* the matrix is gone */
        fill_pencil(made, w, omega, p);
    am_status status = decide_near_zero(made, omega, &exponent, verdict, err);
    mode->near_zero = !status && fabs(exponent) <= doubt_of(made, p);
    return status;
}
