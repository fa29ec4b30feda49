#include "halfplane/field.h"
#include "base/whole.h"
#include "math/pi.h"

#include <math.h>
#include <stdbool.h>

/* ---- Stresses ---- */

double am_stress_shear(am_stress stress) {
    return hypot(0.5 * (stress.xx - stress.zz), stress.xz);
}

am_transform am_transform_add(am_transform a, double factor, am_transform b) {
    return (am_transform){a.value + factor * b.value, a.slope + factor * b.slope};
}

/* The kernels of (1.19), z (x-xi)^2/r^4 and so on, are the real and imaginary parts of 1/(zeta - xi) and of its square.
 */
am_stress am_field_stress(double z, am_transform p, am_transform q) {
    double complex zp = 0.0, zq = 0.0;
    if (z > 0.0) {
        zp = z * p.slope;
        zq = z * q.slope;
    }
    return (am_stress){
        .xx = cimag(p.value) + creal(zp) - 2.0 * creal(q.value) + cimag(zq),
        .zz = cimag(p.value) - creal(zp) - cimag(zq),
        .xz = -cimag(zp) + cimag(q.value) + creal(zq),
    };
}

/* ---- Materials ---- */

am_status am_medium_plane_strain(double young, double nu, am_medium *medium, am_error *err) {
    if (!(young > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "E", "Young's modulus must be positive");
    if (!(nu > -1.0 && nu <= 0.5))
        return am_fail_field(err, AM_ERR_INPUT, "nu", "Poisson's ratio must lie above -1 and not above 0.5; it is %g",
                             nu);
    *medium = (am_medium){.shear_modulus = 0.5 * young / (1.0 + nu), .kolosov = 3.0 - 4.0 * nu};
    return AM_OK;
}

am_status am_medium_pair(const am_medium *first, const am_medium *second, double *modulus, double *beta,
                         am_error *err) {
    double normal_1 = (first->kolosov + 1.0) / first->shear_modulus,
           normal_2 = (second->kolosov + 1.0) / second->shear_modulus;
    double cross_1 = (first->kolosov - 1.0) / first->shear_modulus,
           cross_2 = (second->kolosov - 1.0) / second->shear_modulus;
    if (!(normal_1 + normal_2 > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "E", "two rigid bodies: at least one of them must be elastic");
    *modulus = 8.0 / (normal_1 + normal_2);
    *beta = (cross_1 - cross_2) / (normal_1 + normal_2);
    return AM_OK;
}

/* One strip: its ends, middle and half-width; of a traction, its mean and the rate at which it grows along x. */
typedef struct strip {
    double low, high, middle, half;
    size_t first, second; /* the points at its ends */
} strip;

typedef struct ramp {
    double mean, rate;
} ramp;

static strip strip_of(const am_strips *strips, size_t i) {
    bool closing = i + 1 == strips->count;
    double low = strips->x[i], high = closing ? strips->x[0] + strips->period : strips->x[i + 1];
    double half = 0.5 * (high - low);
    return (strip){low, high, low + half, half, i, closing ? 0 : i + 1};
}

/* A period has one strip more, from its last point to the next period's first, unless they are the same. */
static size_t strip_count(const am_strips *strips) {
    double rest = strips->x[0] + strips->period - strips->x[strips->count - 1];
    return strips->count - (strips->period > 0.0 && rest > 0.0 ? 0 : 1);
}

static ramp ramp_of(const double *t, const strip *s) {
    if (!t)
        return (ramp){0.0, 0.0};
    double a = t[s->first], b = t[s->second];
    return (ramp){0.5 * (a + b), 0.5 * (b - a) / s->half};
}

/* Of 1/(w - s) over -h < s < h: the integral L, the first moment w L - 2 h, and the derivatives of both by w. */
typedef struct moments {
    double complex zeroth, first, zeroth_slope, first_slope;
} moments;

static double complex logarithm_of(double complex w) {
    return w == 0.0 ? 0.0 : clog(w); /* the jump of a traction there: left out */
}

/* `low` and `high`: zeta less the ends of the strip, exactly zero on them. */
static moments moments_of(double complex low, double complex high, double h) {
    moments m;
    double complex w = 0.5 * (low + high);
    double complex ratio = h / w;
    m.zeroth_slope = low == 0.0 || high == 0.0 ? 0.0 : -2.0 * h / (low * high);
    if (cabs(ratio) < 0.1) {
        /* L = 2 (r + r^3/3 + ...), w L - 2h = 2h (r^2/3 + r^4/5 + ...): no difference of large numbers */
        double complex square = ratio * ratio, power = 1.0, zeroth = 0.0, first = 0.0;
        for (int n = 0; n < 9; n++) {
            zeroth += power / (2.0 * n + 1.0);
            power *= square;
            first += power / (2.0 * n + 3.0);
        }
        m.zeroth = 2.0 * ratio * zeroth;
        m.first = 2.0 * h * first;
    } else {
        m.zeroth = logarithm_of(low) - logarithm_of(high);
        m.first = w * m.zeroth - 2.0 * h;
    }
    m.first_slope = m.zeroth + w * m.zeroth_slope;
    return m;
}

static void add_ramp(am_transform *t, ramp r, const moments *m) {
    t->value += (r.mean * m->zeroth + r.rate * m->first) / pi;
    t->slope += (r.mean * m->zeroth_slope + r.rate * m->first_slope) / pi;
}

/* ---- Strips that repeat ----
 *
 * (pi/L) cot(pi w/L) is 1/w, integrated as above, and a rest that is smooth for |Re w| < L, integrated by Gauss' rule
 * on pieces so short that four points give twelve digits. */

/* cot(z) - 1/z and its derivative, Im z >= 0. */
static void rest_of_cotangent(double complex z, double complex *value, double complex *slope) {
    static const double series[] = {1.0 / 3.0,
                                    1.0 / 45.0,
                                    2.0 / 945.0,
                                    1.0 / 4725.0,
                                    2.0 / 93555.0,
                                    1382.0 / 638512875.0,
                                    4.0 / 18243225.0,
                                    3617.0 / 162820783125.0,
                                    87734.0 / 38979295480125.0,
                                    349222.0 / 1531329465290625.0};
    enum { TERMS = sizeof series / sizeof *series };
    *value = *slope = 0.0;
    if (cabs(z) < 0.5) {
        double complex square = z * z, power = 1.0;
        for (int n = 0; n < TERMS; n++, power *= square) {
            *value -= series[n] * power * z;
            *slope -= (2.0 * n + 1.0) * series[n] * power;
        }
        return;
    }
    double complex turn = cexp(2.0 * I * z), cotangent = -I * (1.0 + turn) / (1.0 - turn); /* decays downwards */
    *value = cotangent - 1.0 / z;
    *slope = -1.0 - cotangent * cotangent + 1.0 / (z * z);
}

/* A piece of a strip: where it is, and what acts on it. */
typedef struct piece {
    double low, high, middle, half;
    ramp p, q;
} piece;

static piece piece_of(const am_strips *strips, const strip *s, size_t i, size_t pieces) {
    piece one = {.half = s->half / (double)pieces, .p = ramp_of(strips->p, s), .q = ramp_of(strips->q, s)};
    double shift = s->half * ((2.0 * (double)i + 1.0) / (double)pieces - 1.0);
    one.low = i == 0 ? s->low : s->low + 2.0 * one.half * (double)i;
    one.high = i + 1 == pieces ? s->high : s->low + 2.0 * one.half * (double)(i + 1);
    one.middle = s->middle + shift;
    one.p.mean += one.p.rate * shift;
    one.q.mean += one.q.rate * shift;
    return one;
}

/* What the rest adds to the transforms at `zeta`, whose real part lies within half a period of the piece. */
static void add_rest(const piece *one, double period, double complex zeta, am_transform *p, am_transform *q) {
    static const double place[] = {-0.861136311594052575, -0.339981043584856265, 0.339981043584856265,
                                   0.861136311594052575};
    static const double weight[] = {0.347854845137453857, 0.652145154862546143, 0.652145154862546143,
                                    0.347854845137453857};
    double unit = pi / period;
    for (int i = 0; i < 4; i++) {
        double s = one->half * place[i], size = one->half * weight[i] / period;
        double complex value, slope;
        rest_of_cotangent(unit * (zeta - one->middle - s), &value, &slope);
        am_transform unit_load = {size * value, size * unit * slope};
        *p = am_transform_add(*p, one->p.mean + one->p.rate * s, unit_load);
        *q = am_transform_add(*q, one->q.mean + one->q.rate * s, unit_load);
    }
}

static void add_piece(const piece *one, double period, double x, double z, am_transform *p, am_transform *q) {
    double turns = period > 0.0 ? period * round((x - one->middle) / period) : 0.0;
    moments m =
        moments_of(am_field_point(x - turns - one->low, z), am_field_point(x - turns - one->high, z), one->half);
    add_ramp(p, one->p, &m);
    add_ramp(q, one->q, &m);
    if (period > 0.0)
        add_rest(one, period, am_field_point(x - turns, z), p, q);
}

void am_strips_transform(const am_strips *strips, double x, double z, am_transform *p, am_transform *q) {
    *p = *q = (am_transform){0.0, 0.0};
    for (size_t i = 0; i < strip_count(strips); i++) {
        strip s = strip_of(strips, i);
        size_t pieces = strips->period > 0.0 ? 1 + am_whole(s.half * 32.0 / strips->period) : 1;
        for (size_t k = 0; k < pieces; k++) {
            piece one = piece_of(strips, &s, k, pieces);
            add_piece(&one, strips->period, x, z, p, q);
        }
    }
}

am_stress am_strips_stress(const am_strips *strips, double x, double z) {
    am_transform p, q;
    am_strips_transform(strips, x, z, &p, &q);
    return am_field_stress(z, p, q);
}
