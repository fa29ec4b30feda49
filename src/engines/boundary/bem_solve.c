/* Linear systems with the influence matrix of a set of nodes, by conjugate gradients. Its inverse is nearly that of the
 * full line, which the Fourier transform knows: some twenty products, whatever the number of nodes. The pairs hold two
 * right-hand sides. */
#include <math.h>
#include <string.h>

#include "base/watch.h"
#include "engines/boundary/bem_internal.h"

enum { MOST_PRODUCTS = 500 };

void am_bem_displace(am_bem *bem, const double *p, const double *q, double *motion) {
    for (size_t i = 0; i < bem->n; i++) {
        motion[2 * i] = p[i];
        motion[2 * i + 1] = q[i];
    }
    am_convolution_apply(bem->beta != 0.0 ? &bem->influence : &bem->even, motion, motion);
    bem->products++;
}

void am_bem_add_up(am_bem *bem) {
    am_bem_fields *now = &bem->now;
    now->P = now->M = now->Q = 0.0;
    for (size_t i = 0; i < bem->n; i++) {
        now->P += bem->h * now->p[i];
        now->M += bem->h * bem->x[i] * now->p[i];
        now->Q += bem->h * now->q[i];
    }
}

static void project_on_limits(const am_bem *bem, double *pairs) {
    for (size_t i = 0; i < bem->n; i++)
        if (!bem->in[i])
            pairs[2 * i] = pairs[2 * i + 1] = 0.0;
}

static void apply(am_bem *bem, am_convolution *matrix, const double *x, double *y) {
    am_convolution_apply(matrix, x, y);
    project_on_limits(bem, y);
    bem->products++;
}

static void dots(const double *a, const double *b, size_t n, double *sum) {
    double re = 0.0, im = 0.0;
    for (size_t i = 0; i < n; i++) {
        re += a[2 * i] * b[2 * i];
        im += a[2 * i + 1] * b[2 * i + 1];
    }
    sum[0] = re;
    sum[1] = im;
}

/* a = a + factor b; a = b + factor a */
static void add(double *a, const double *factor, const double *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        a[2 * i] += factor[0] * b[2 * i];
        a[2 * i + 1] += factor[1] * b[2 * i + 1];
    }
}

static void renew(double *a, const double *factor, const double *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        a[2 * i] = b[2 * i] + factor[0] * a[2 * i];
        a[2 * i + 1] = b[2 * i + 1] + factor[1] * a[2 * i + 1];
    }
}

/* Two numbers divided by two others; a part that is done stays where it is: what is left of it is rounding. */
static void ratios(const double *above, const double *below, const bool *done, double *ratio) {
    for (int c = 0; c < 2; c++)
        ratio[c] = !done[c] && below[c] > 0.0 ? above[c] / below[c] : 0.0;
}

static void scale_second(double *pairs, double factor, size_t n) {
    for (size_t i = 0; i < n; i++)
        pairs[2 * i + 1] *= factor;
}

/* The transform lets a trace of one part into the other, so both are brought to the same size: by the factor of the
 * second one that is returned. A part without a right-hand side is zero. */
static double level(const double *size, double *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        x[2 * i] = size[0] > 0.0 ? x[2 * i] : 0.0;
        x[2 * i + 1] = size[1] > 0.0 ? x[2 * i + 1] : 0.0;
    }
    int power = 0;
    if (size[0] > 0.0 && size[1] > 0.0)
        frexp(sqrt(size[0] / size[1]), &power);
    return ldexp(1.0, power);
}

/* Conjugate gradients on residual r and guess x, until the residual is below `wanted` (squares). */
static bool iterate(am_bem *bem, double *r, double *x, const double *wanted) {
    size_t n = bem->n;
    double *d = bem->direction, *image = bem->image, *z = bem->better;
    double energy[2] = {0.0, 0.0}, curvature[2], factor[2], size[2];
    memset(d, 0, 2 * n * sizeof *d);
    for (int product = 0; product < MOST_PRODUCTS; product++) {
        dots(r, r, n, size);
        bool done[2] = {size[0] <= wanted[0], size[1] <= wanted[1]};
        if (done[0] && done[1])
            return true;
        if (am_watch_stopped(1e2 * (double)n))
            return false;
        double before[2] = {energy[0], energy[1]};
        apply(bem, &bem->inverse, r, z);
        dots(r, z, n, energy);
        ratios(energy, before, done, factor);
        renew(d, factor, z, n);
        apply(bem, &bem->even, d, image);
        dots(d, image, n, curvature);
        ratios(energy, curvature, done, factor);
        add(x, factor, d, n);
        factor[0] = -factor[0], factor[1] = -factor[1];
        add(r, factor, image, n);
    }
    return false;
}

am_status am_bem_solve(am_bem *bem, const double *rhs, double *x, double tolerance, am_error *err) {
    size_t n = bem->n;
    double *r = bem->residual, *image = bem->image, size[2], start[2], wanted[2];
    memcpy(r, rhs, 2 * n * sizeof *r);
    project_on_limits(bem, r);
    project_on_limits(bem, x);
    dots(r, r, n, size);
    double factor = level(size, x, n);
    scale_second(r, factor, n);
    scale_second(x, factor, n);
    apply(bem, &bem->even, x, image);
    dots(r, r, n, size);
    dots(image, image, n, start); /* a bad guess costs digits */
    double least = fmax(size[0] + start[0], size[1] + start[1]) * 1e-4;
    for (int c = 0; c < 2; c++)
        wanted[c] = tolerance * tolerance * fmax(size[c] + start[c], least);
    add(r, (double[]){-1.0, -1.0}, image, n);
    bool solved = iterate(bem, r, x, wanted);
    scale_second(x, 1.0 / factor, n);
    return solved
               ? AM_OK
               : am_fail(err, AM_ERR_EVIDENCE, "the tractions of %zu nodes could not be computed to %g", n, tolerance);
}
