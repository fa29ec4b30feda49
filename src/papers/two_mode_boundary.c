#include "papers/two_mode_boundary.h"

#include <float.h>
#include <math.h>

#include "math/real_roots.h"

/* Polynomials in Delta, of at most degree 6. */
enum { most = 6 };

typedef struct poly {
    int degree;
    double c[most + 1];
} poly;

static double value(const poly *p, double x) {
    return am_real_roots_value(p->c, (size_t)p->degree, x);
}

static poly times(const poly *a, const poly *b) {
    poly p = {.degree = a->degree + b->degree};
    for (int i = 0; i <= a->degree; i++)
        for (int j = 0; j <= b->degree; j++)
            p.c[i + j] += a->c[i] * b->c[j];
    return p;
}

/* a -= b */
static void subtract(poly *a, const poly *b) {
    for (int k = 0; k <= b->degree; k++)
        a->c[k] -= b->c[k];
    if (b->degree > a->degree)
        a->degree = b->degree;
}

/* ---- The characteristic polynomial, linear in Delta ---- */

/* u[k] + v[k] Delta are coefficients of s^k. */
typedef struct linear {
    double u[5], v[5];
} linear;

/* P1 P2 - k12 k21, of the structure alone. */
static void structure(const am_two_mode_boundary *b, double p[5]) {
    double p1[3] = {b->stiffness[0][0], b->damping[0], b->mass[0]};
    double p2[3] = {b->stiffness[1][1], b->damping[1], b->mass[1]};
    for (int k = 0; k < 5; k++)
        p[k] = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            p[i + j] += p1[i] * p2[j];
    p[0] -= b->stiffness[0][1] * b->stiffness[1][0];
}

/* What the contact couples, lambda2 f2 P1 + lambda1 f1 P2 - k12 lambda1 f2 - k21 lambda2 f1, with lambda1 f1 = -Delta
 * lambda2 f2: the characteristic polynomial of rigid contact, with the opposite sign. */
static void coupling(const am_two_mode_boundary *b, double u[3], double v[3]) {
    double chi = b->lambda[1] * b->f2, ratio = b->lambda[1] / b->lambda[0];
    u[0] = chi * b->stiffness[0][0] - b->stiffness[0][1] * b->lambda[0] * b->f2;
    v[0] = -chi * b->stiffness[1][1] + b->stiffness[1][0] * ratio * chi;
    u[1] = chi * b->damping[0];
    v[1] = -chi * b->damping[1];
    u[2] = chi * b->mass[0];
    v[2] = -chi * b->mass[1];
}

/* For damping D of the contact: structure - (K + D s) coupling. */
static linear characteristic(const am_two_mode_boundary *b, double D) {
    linear l = {{0}, {0}};
    double u[3], v[3];
    structure(b, l.u);
    coupling(b, u, v);
    for (int k = 0; k < 3; k++) {
        l.u[k] -= b->K * u[k];
        l.v[k] -= b->K * v[k];
        l.u[k + 1] -= D * u[k];
        l.v[k + 1] -= D * v[k];
    }
    return l;
}

static poly line(double u, double v) {
    return (poly){.degree = 1, .c = {u, v}};
}

/* Hunt-Crossley: the penetration d0 of steady sliding is e/q(Delta), and the contact's damping 3/2 alpha K d0. Here
 * a0 = det(stiffness) q: the penetration becomes infinite where divergence begins. */
static double penetration_times_a0(const am_two_mode_boundary *b) {
    const double(*k)[2] = b->stiffness;
    return b->lambda[0] * (k[1][1] * b->preload[0] - k[0][1] * b->preload[1]) +
           b->lambda[1] * (k[0][0] * b->preload[1] - k[1][0] * b->preload[0]);
}

/* Of the structure's stiffness. */
static double determinant(const am_two_mode_boundary *b) {
    return b->stiffness[0][0] * b->stiffness[1][1] - b->stiffness[0][1] * b->stiffness[1][0];
}

bool am_two_mode_polynomial(const am_two_mode_boundary *b, double Delta, double a[5]) {
    if (!b)
        return false;
    if (b->law == AM_UNILATERAL) {
        double u[3], v[3];
        coupling(b, u, v);
        for (int k = 0; k < 3; k++)
            a[k] = -(u[k] + v[k] * Delta);
        a[3] = a[4] = 0.0;
        return true;
    }
    linear l = characteristic(b, b->law == AM_KELVIN_VOIGT ? b->D : 0.0);
    if (b->law == AM_HUNT_CROSSLEY) {
        double depth = penetration_times_a0(b) / (l.u[0] + l.v[0] * Delta);
        if (!(depth > 0.0))
            return false;
        l = characteristic(b, 1.5 * b->alpha * b->K * depth);
    }
    for (int k = 0; k < 5; k++)
        a[k] = l.u[k] + l.v[k] * Delta;
    return true;
}

static double hurwitz(const double a[5]) {
    return a[1] * (a[2] * a[3] - a[1] * a[4]) - a[3] * a[3] * a[0];
}

static bool stable_at(const am_two_mode_boundary *b, double Delta) {
    double a[5];
    if (!am_two_mode_polynomial(b, Delta, a))
        return false;
    if (b->law == AM_UNILATERAL)
        return a[0] > 0.0 && a[1] > 0.0 && a[2] > 0.0;
    return a[0] > 0.0 && a[1] > 0.0 && a[2] > 0.0 && a[3] > 0.0 && hurwitz(a) > 0.0;
}

/* ---- The boundary ---- */

static am_boundary_point rigid_first(const am_two_mode_boundary *b, double from, double to) {
    am_boundary_point found = {AM_THRESHOLD_NONE, NAN, NAN};
    static const am_threshold_kind kinds[3] = {AM_THRESHOLD_DIVERGENCE, AM_THRESHOLD_FLUTTER, AM_THRESHOLD_PAINLEVE};
    double u[3], v[3];
    coupling(b, u, v);
    for (int k = 0; k < 3; k++) {
        double root = v[k] != 0.0 ? -u[k] / v[k] : INFINITY;
        /* Inertia that vanishes together with damping or stiffness takes the eigenvalues' crossing away. */
        double first = k == 2 ? found.Delta * (1.0 + 1e-12) : found.Delta;
        if (root > from && root <= to && !(root >= first)) /* NAN: the first one */
            found = (am_boundary_point){kinds[k], root, NAN};
    }
    if (found.kind == AM_THRESHOLD_DIVERGENCE)
        found.omega = 0.0;
    if (found.kind == AM_THRESHOLD_FLUTTER)
        found.omega = sqrt((u[0] + v[0] * found.Delta) / (u[2] + v[2] * found.Delta));
    return found;
}

/* The coefficients as polynomials in y = Delta - centre; for Hunt-Crossley a1, a2 and a3 times a0 (a0 > 0 on the way).
 */
static void coefficients(const am_two_mode_boundary *b, double centre, poly a[5]) {
    bool curved = b->law == AM_HUNT_CROSSLEY;
    linear l = characteristic(b, curved ? 0.0 : b->D);
    double u[3], v[3], e = curved ? 1.5 * b->alpha * b->K * penetration_times_a0(b) : 0.0;
    for (int k = 0; k < 5; k++)
        a[k] = line(l.u[k] + l.v[k] * centre, l.v[k]);
    if (curved && l.v[0] != 0.0)
        a[0].c[0] = 0.0; /* centre is the zero of a0; this removes its rounding */
    a[4].degree = 0;
    poly a0 = a[0];
    coupling(b, u, v);
    for (int k = 1; curved && k < 4; k++) {
        /* What D is multiplied by. In a1 that is a part of a0, and at its zero the structure's over the contact's. */
        double at_centre = k == 1 && l.v[0] != 0.0 ? determinant(b) / b->K : u[k - 1] + v[k - 1] * centre;
        a[k] = times(&a[k], &a0);
        a[k].c[0] -= e * at_centre;
        a[k].c[1] -= e * v[k - 1];
    }
}

/* a1 a2 a3 - a1^2 a4 - a3^2 a0, for Hunt-Crossley times a0^3, which cancels badly unless the centre is the zero of a0.
 */
static poly hurwitz_polynomial(const am_two_mode_boundary *b, double centre) {
    bool curved = b->law == AM_HUNT_CROSSLEY;
    poly a[5];
    coefficients(b, centre, a);
    poly a0 = a[0];
    poly sum = times(&a[1], &a[2]), part = times(&a[1], &a[1]), other = times(&a[3], &a[3]);
    sum = times(&sum, &a[3]);
    part = times(&part, &a[4]);
    if (curved) /* a4 a0^3 = (a4 a0) a0^2: two factors a0 are in a1^2 */
        part = times(&part, &a0);
    other = times(&other, &a0);
    if (curved)
        other = times(&other, &a0);
    subtract(&sum, &part);
    subtract(&sum, &other);
    return sum;
}

/* The determinant without the rounding of a polynomial multiplied out; for Hunt-Crossley at the distance y from the
 * centre and times a0^3, so that nothing is lost next to divergence either. */
static double hurwitz_at(const am_two_mode_boundary *b, double centre, double y) {
    poly p[5];
    double a[5];
    coefficients(b, centre, p);
    for (int k = 0; k < 5; k++)
        a[k] = value(&p[k], y);
    if (b->law == AM_HUNT_CROSSLEY) {
        a[4] *= a[0];
        a[0] *= a[0];
    }
    return hurwitz(a);
}

/* A few secant steps next to a root that is already known nearly; the best of them counts. */
static double polish(const am_two_mode_boundary *b, double centre, double root) {
    double x = root, before = root * (1.0 + 1e-9), f = hurwitz_at(b, centre, x),
           f_before = hurwitz_at(b, centre, before);
    double reach = (b->law == AM_HUNT_CROSSLEY ? 0.5 : 1e-4) * fabs(root), best = root, least = fabs(f);
    for (int step = 0; step < 12 && f != 0.0 && f != f_before; step++) {
        double next = x - f * (x - before) / (f - f_before);
        if (!(fabs(next - root) <= reach))
            break;
        before = x;
        f_before = f;
        x = next;
        f = hurwitz_at(b, centre, x);
        if (fabs(f) < least) {
            least = fabs(f);
            best = x;
        }
        if (fabs(x - before) <= DBL_EPSILON * fabs(x))
            break;
    }
    return best;
}

/* The first y = Delta - centre at which the determinant turns negative. What the polynomial says of the sign after a
 * root is checked where it says it: near a double root its rounding may speak. */
static double first_flutter(const am_two_mode_boundary *b, double from, double to, double centre) {
    poly h = hurwitz_polynomial(b, centre);
    double roots[most], bound = am_real_roots_bound(h.c, (size_t)h.degree),
                        end = fmin(to - centre, fmax(bound, from - centre + 1.0));
    size_t count = am_real_roots_between(h.c, (size_t)h.degree, from - centre, end, roots);
    for (size_t k = 0; k < count; k += 2) {
        double next = k + 1 < count ? roots[k + 1] : end;
        if (hurwitz_at(b, centre, 0.5 * (roots[k] + next)) < 0.0)
            return polish(b, centre, roots[k]);
    }
    return INFINITY;
}

/* How many roundings a value is worth: the size of its terms over what is left of them. */
static double loss(const poly *p, double x) {
    double terms = 0.0, power = 1.0;
    for (int k = 0; k <= p->degree; k++, power *= fabs(x))
        terms += fabs(p->c[k]) * power;
    return terms / fabs(value(p, x));
}

/* Of the two roots of a4 w^2 - a2 w + a0 = 0 the one nearer to `w`. */
static double even_root(double a4, double a2, double a0, double w) {
    double root = sqrt(fmax(0.0, a2 * a2 - 4.0 * a4 * a0)), slow = 2.0 * a0 / (a2 + root),
           fast = 0.5 * (a2 + root) / a4;
    return fabs(w - slow) <= fabs(w - fast) ? slow : fast;
}

/* omega^2 = a1/a3, and a4 omega^4 - a2 omega^2 + a0 = 0, at the distance y from the centre: next to divergence, where
 * both are small differences that a Delta of sixteen digits does not hold, that is what knows them. Slow flutter of
 * stiff contact leaves little of a1 but not of a0 and a2. */
static double flutter_frequency(const am_two_mode_boundary *b, double centre, double y) {
    poly a[5];
    coefficients(b, centre, a);
    double odd = value(&a[1], y) / value(&a[3], y), a0 = value(&a[0], y);
    double factor = b->law == AM_HUNT_CROSSLEY ? a0 : 1.0; /* a1, a2 and a3 have it */
    double even = even_root(value(&a[4], y) * factor, value(&a[2], y), a0 * factor, odd);
    bool better = loss(&a[1], y) + loss(&a[3], y) > 100.0 * (loss(&a[0], y) + loss(&a[2], y));
    return sqrt(fmax(0.0, better ? even : odd));
}

static am_boundary_point compliant_first(const am_two_mode_boundary *b, double from, double to) {
    am_boundary_point found = {AM_THRESHOLD_NONE, NAN, NAN};
    linear l = characteristic(b, 0.0);
    double zero = l.v[0] != 0.0 ? -l.u[0] / l.v[0] : INFINITY, divergence = zero > from ? zero : INFINITY;
    double centre = b->law == AM_HUNT_CROSSLEY && isfinite(zero) ? zero : 0.0;
    double y = first_flutter(b, from, fmin(to, divergence), centre), flutter = centre + y;
    if (isfinite(y) && (flutter < divergence || (centre == divergence && y < 0.0)) && flutter <= to)
        found = (am_boundary_point){AM_THRESHOLD_FLUTTER, flutter, flutter_frequency(b, centre, y)};
    else if (divergence <= to)
        found = (am_boundary_point){AM_THRESHOLD_DIVERGENCE, divergence, 0.0};
    return found;
}

bool am_two_mode_boundary_first(const am_two_mode_boundary *b, double from, double to, am_boundary_point *point) {
    if (!b || !point)
        return false;
    *point = (am_boundary_point){AM_THRESHOLD_NONE, NAN, NAN};
    if (!stable_at(b, from))
        return false;
    *point = b->law == AM_UNILATERAL ? rigid_first(b, from, to) : compliant_first(b, from, to);
    return true;
}
