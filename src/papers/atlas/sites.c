#include "papers/atlas/sites.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/real_roots.h"
#include "system/dependence.h"

/* ---- Reading a system ---- */

/* First harmonic of cos^(2j+1): C(2j+1, j)/4^j. */
static const double first_harmonic[AM_SITES_POWERS] = {1.0, 0.75, 0.625, 0.546875, 0.4921875};

/* K (n x n) | n dampers of AM_SITES_POWERS coefficients, for every value of the parameter. */
typedef struct reader {
    size_t n;
    double mass; /* of every oscillator; 0: none read yet */
} reader;

static am_status add_damper(const am_polynomial_def *spring, size_t n, double *damping, am_error *err) {
    size_t site = n;
    for (size_t i = 0; i < n; i++) {
        if (spring->direction[i] == 0.0)
            continue;
        if (site < n)
            return am_fail(err, AM_ERR_UNSUPPORTED,
                           "an atlas starts from oscillators that are coupled by linear springs only, and '%s' acts "
                           "between coordinates",
                           spring->name);
        site = i;
    }
    double scale = site < n ? spring->direction[site] : 0.0;
    for (size_t k = 0; k < spring->term_count && site < n; k++) {
        const am_polynomial_term *term = &spring->terms[k];
        if (term->coefficient == 0.0)
            continue;
        if (term->displacement > 0 || term->velocity % 2 == 0)
            return am_fail(err, AM_ERR_UNSUPPORTED,
                           "an atlas needs dampers that are odd polynomials of the velocity: the cycles of the "
                           "uncoupled oscillators must have one frequency in one harmonic, and '%s' has a term "
                           "x^%u v^%u",
                           spring->name, term->displacement, term->velocity);
        damping[site * AM_SITES_POWERS + term->velocity / 2] +=
            term->coefficient * pow(scale, term->velocity + 1.0) * first_harmonic[term->velocity / 2];
    }
    return AM_OK;
}

static bool near(double a, double b, double scale) {
    return fabs(a - b) <= 1e-12 * scale; /* sums of a few terms */
}

static am_status check_kind(const am_system *system, am_error *err) {
    const am_matrix *M = am_system_mass(system), *C = am_system_damping(system);
    size_t n = am_system_size(system);
    if (am_system_contacts(system) > 0 || am_system_loads(system) > 0)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "an atlas is made of self-excited motions without contacts and loads; use `response` for a "
                       "forced structure");
    if (am_system_circulatory(system))
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "an atlas needs symmetric couplings, and this structure has "
                       "circulatory forces");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j && (am_matrix_at(M, i, j) != 0.0 || am_matrix_at(C, i, j) != 0.0))
                return am_fail(err, AM_ERR_UNSUPPORTED,
                               "an atlas starts from oscillators that are coupled by springs only: mass or damping "
                               "couples %s and %s",
                               am_system_name(system, i), am_system_name(system, j));
    return AM_OK;
}

static am_status check_equal(const am_system *system, reader *r, am_error *err) {
    const am_matrix *M = am_system_mass(system), *K = am_system_stiffness(system);
    double mass = am_matrix_at(M, 0, 0);
    for (size_t i = 0; i < r->n; i++) {
        if (!(am_matrix_at(M, i, i) > 0.0) || !(am_matrix_at(K, i, i) > 0.0))
            return am_fail(err, AM_ERR_UNSUPPORTED, "an atlas needs a mass and a spring at every coordinate");
        if (!near(am_matrix_at(M, i, i), mass, mass))
            return am_fail(err, AM_ERR_UNSUPPORTED, "an atlas needs equal masses, and masses 1 and %zu differ", i + 1);
    }
    if (r->mass != 0.0 && !near(r->mass, mass, mass))
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "over", "an atlas cannot follow a mass");
    r->mass = r->mass != 0.0 ? r->mass : mass;
    return AM_OK;
}

static am_status read_system(void *context, const am_system *system, double *numbers, am_error *err) {
    reader *r = context;
    size_t n = r->n;
    double *damping = numbers + n * n;
    if (am_system_size(system) != n)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "over", "this parameter changes the number of coordinates");
    am_status status = check_kind(system, err);
    am_matrix_to_dense(am_system_stiffness(system), numbers);
    memset(damping, 0, n * AM_SITES_POWERS * sizeof *damping);
    for (size_t i = 0; i < n; i++)
        damping[i * AM_SITES_POWERS] = am_matrix_at(am_system_damping(system), i, i);
    for (size_t k = 0; k < am_system_polynomials(system) && !status; k++)
        status = add_damper(am_system_polynomial(system, k), n, damping, err);
    return status ? status : check_equal(system, r, err);
}

static void share_scales(void *context, double *scale) {
    const reader *r = context;
    am_dependence_share(scale, r->n * r->n);
    am_dependence_share(scale + r->n * r->n, r->n * AM_SITES_POWERS);
}

/* ---- Affine in p ---- */

static am_status read_line(const am_model_line *line, double from, double to, am_sites *sites, am_dependence *found,
                           am_error *err) {
    const am_system *first;
    AM_TRY(am_model_line_at(line, from, &first, err));
    reader r = {.n = am_system_size(first)};
    if (r.n > AM_SITES_MOST)
        return am_fail(err, AM_ERR_UNSUPPORTED, "an atlas is made of at most %d oscillators, not %zu", AM_SITES_MOST,
                       r.n);
    const am_dependence_reader numbers = {.count = r.n * (r.n + AM_SITES_POWERS),
                                          .read = read_system,
                                          .share = share_scales,
                                          .context = &r,
                                          .straightness = 1e-12,
                                          .shared = true};
    am_status status = am_dependence_find(found, line, from, to, &numbers, err);
    if (!status && !found->straight)
        status = am_fail_field(err, AM_ERR_UNSUPPORTED, "over",
                               "the structure does not depend on this parameter in a linear way: an atlas follows "
                               "damping coefficients and stiffnesses");
    sites->n = r.n;
    sites->mass = r.mass;
    return status;
}

/* Values at p = 0 and slopes. */
static void take_lines(const am_dependence *found, am_sites *s) {
    size_t springs = s->n * s->n, dampers = s->n * AM_SITES_POWERS;
    memcpy(s->stiffness, found->base, springs * sizeof *s->stiffness);
    memcpy(s->damping, found->base + springs, dampers * sizeof *s->damping);
    for (size_t k = 0; k < found->moving_count; k++) {
        size_t i = found->moving[k];
        double *value = i < springs ? s->stiffness + i : s->damping + (i - springs);
        value[i < springs ? springs : dampers] = found->slope[k];
        *value -= found->from * found->slope[k];
    }
}

/* The mean of K_nn: the spring of the tuned companion. */
static void find_own(am_sites *s) {
    size_t n = s->n;
    s->tuned = true;
    for (size_t h = 0; h < 2; h++)
        for (size_t i = 0; i < n; i++) {
            double k = s->stiffness[(h * n + i) * n + i];
            s->own[h] += k / (double)n;
            s->tuned = s->tuned && near(k, s->stiffness[h * n * n], s->stiffness[0]);
        }
    if (s->tuned) {
        s->own[0] = s->stiffness[0];
        s->own[1] = s->stiffness[n * n];
    }
}

/* ---- Equal dampers: what follows from one of them is found once ---- */

static bool same_damper(const am_sites *s, size_t i, size_t j) {
    const double *a = s->damping + i * AM_SITES_POWERS, *b = s->damping + j * AM_SITES_POWERS;
    size_t slopes = s->n * AM_SITES_POWERS;
    for (size_t k = 0; k < AM_SITES_POWERS; k++)
        if (a[k] != b[k] || a[slopes + k] != b[slopes + k])
            return false;
    return true;
}

static void find_powers(am_sites *s) {
    for (size_t i = 0; i < 2 * s->n * AM_SITES_POWERS; i++)
        if (s->damping[i] != 0.0 && i % AM_SITES_POWERS >= s->powers)
            s->powers = i % AM_SITES_POWERS + 1;
}

static void find_alike(am_sites *s) {
    for (size_t i = 0; i < s->n; i++) {
        size_t first = 0;
        while (first < i && !same_damper(s, i, first))
            first++;
        s->alike[i] = (unsigned char)first;
    }
}

/* ---- Couplings ---- */

static bool coupled(const am_sites *s, size_t i, size_t j) {
    size_t n = s->n;
    return i != j && (s->stiffness[i * n + j] != 0.0 || s->stiffness[(n + i) * n + j] != 0.0);
}

static void find_neighbours(am_sites *s) {
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < s->n; j++)
            if (coupled(s, i, j))
                s->neighbour[i][s->neighbours[i]++] = (unsigned char)j;
}

/* Neighbours must differ in colour; every connected part begins with colour 0. */
static am_status find_colours(am_sites *s, am_error *err) {
    unsigned char queue[AM_SITES_MOST];
    bool seen[AM_SITES_MOST] = {false};
    for (size_t first = 0; first < s->n; first++) {
        size_t head = 0, tail = 0;
        if (!seen[first]) {
            seen[first] = true;
            queue[tail++] = (unsigned char)first;
        }
        while (head < tail) {
            size_t i = queue[head++];
            for (size_t k = 0; k < s->neighbours[i]; k++) {
                size_t j = s->neighbour[i][k];
                if (seen[j] && s->colour[j] == s->colour[i])
                    return am_fail(err, AM_ERR_UNSUPPORTED,
                                   "neighbours cannot be 90 degrees apart all the way around a closed loop of an odd "
                                   "number of oscillators: the class of an atlas needs an even ring (or an open tree)");
                if (!seen[j]) {
                    seen[j] = true;
                    s->colour[j] = (unsigned char)(1 - s->colour[i]);
                    queue[tail++] = (unsigned char)j;
                }
            }
        }
    }
    return AM_OK;
}

/* ---- Symmetries: which rotations and reflections n -> k + n, k - n leave everything as it is? ---- */

static bool leaves_all(const am_sites *s, const unsigned char *from) {
    size_t n = s->n;
    double size = 0.0;
    for (size_t i = 0; i < n * n; i++)
        size = fmax(size, fabs(s->stiffness[i]));
    for (size_t h = 0; h < 2; h++)
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++)
                if (!near(s->stiffness[(h * n + i) * n + j], s->stiffness[(h * n + from[i]) * n + from[j]], size))
                    return false;
            for (size_t j = 0; j < AM_SITES_POWERS; j++) {
                double a = s->damping[(h * n + i) * AM_SITES_POWERS + j];
                if (!near(a, s->damping[(h * n + from[i]) * AM_SITES_POWERS + j], fabs(a)))
                    return false;
            }
        }
    return true;
}

/* A symmetry of the class keeps both colours or exchanges them everywhere. */
static bool keeps_class(const am_sites *s, am_site_symmetry *g) {
    g->swap = s->colour[g->from[0]] != s->colour[0];
    for (size_t i = 0; i < s->n; i++)
        if ((s->colour[g->from[i]] != s->colour[i]) != g->swap)
            return false;
    return true;
}

static am_status find_symmetries(am_sites *s, am_error *err) {
    size_t n = s->n, rotations = 0, reflections = 0;
    s->symmetry = am_memory_new(2 * n, sizeof *s->symmetry, err);
    if (!s->symmetry)
        return AM_ERR_MEMORY;
    for (size_t mirrored = 0; mirrored < (n > 2 ? 2u : 1u); mirrored++)
        for (size_t k = 0; k < n; k++) {
            am_site_symmetry *g = &s->symmetry[s->symmetry_count];
            for (size_t i = 0; i < n; i++)
                g->from[i] = (unsigned char)(mirrored ? (n + k - i) % n : (k + i) % n);
            if (!leaves_all(s, g->from) || !keeps_class(s, g))
                continue;
            s->symmetry_count++;
            rotations += !mirrored;
            reflections += mirrored;
        }
    s->cyclic = rotations == n;
    s->reflected = reflections > 0;
    return AM_OK;
}

am_status am_sites_create(const am_model_line *line, double from, double to, am_sites *sites, am_error *err) {
    am_dependence found = {0};
    *sites = (am_sites){0};
    am_status status = read_line(line, from, to, sites, &found, err);
    size_t n = sites->n;
    if (!status) {
        sites->stiffness = am_memory_new(2 * n * n, sizeof *sites->stiffness, err);
        sites->damping = am_memory_new(2 * n * AM_SITES_POWERS, sizeof *sites->damping, err);
        status = sites->stiffness && sites->damping ? AM_OK : AM_ERR_MEMORY;
    }
    if (!status) {
        take_lines(&found, sites);
        find_own(sites);
        find_powers(sites);
        find_alike(sites);
        find_neighbours(sites);
        status = find_colours(sites, err);
    }
    am_dependence_clear(&found);
    if (!status)
        status = find_symmetries(sites, err);
    if (status)
        am_sites_clear(sites);
    return status;
}

void am_sites_clear(am_sites *sites) {
    am_memory_free(sites->stiffness);
    am_memory_free(sites->damping);
    am_memory_free(sites->symmetry);
    *sites = (am_sites){0};
}

/* ---- One oscillator ---- */

double am_sites_omega(const am_sites *sites, double p) {
    return sqrt((sites->own[0] + p * sites->own[1]) / sites->mass);
}

void am_sites_damping(const am_sites *sites, size_t site, double p, double *coefficients) {
    const double *value = sites->damping + site * AM_SITES_POWERS;
    const double *slope = value + sites->n * AM_SITES_POWERS;
    for (size_t j = 0; j < AM_SITES_POWERS; j++)
        coefficients[j] = value[j] + p * slope[j];
}

static size_t positive_roots(const double *c, size_t degree, double *roots) {
    return am_real_roots_between(c, degree, 0.0, 2.0 * am_real_roots_bound(c, degree), roots);
}

size_t am_sites_cycles(const am_sites *sites, size_t site, double p, double *amplitudes, bool *fold) {
    double c[AM_SITES_POWERS], omega = am_sites_omega(sites, p);
    am_sites_damping(sites, site, p, c);
    size_t count = positive_roots(c, AM_SITES_POWERS - 1, amplitudes);
    *fold = false;
    for (size_t k = 0; k < count; k++) {
        double s = amplitudes[k], slope = 0.0, size = 0.0, power = 1.0;
        for (size_t j = 0; j < AM_SITES_POWERS; j++, power *= s) {
            slope += (double)j * c[j] * power;
            size += (double)j * fabs(c[j]) * power;
        }
        *fold = *fold || fabs(slope) <= 1e-6 * size;
        amplitudes[k] = sqrt(s) / omega;
    }
    return count;
}

size_t am_sites_borders(const am_sites *sites, size_t site, double p, double *borders) {
    double c[AM_SITES_POWERS], omega = am_sites_omega(sites, p);
    am_sites_damping(sites, site, p, c);
    for (size_t j = 0; j < AM_SITES_POWERS; j++)
        c[j] *= (double)(2 * j + 1); /* d(D V)/dV */
    size_t count = positive_roots(c, AM_SITES_POWERS - 1, borders);
    for (size_t k = 0; k < count; k++)
        borders[k] = sqrt(borders[k]) / omega;
    return count;
}

/* ---- Completeness ---- */

/* The force f(u) = omega D(omega u) u of one site, as an odd polynomial of u: f = sum of c_j u^(2j+1). */
static void force_of(const am_sites *s, size_t site, double p, double *c) {
    double omega = am_sites_omega(s, p), power = omega;
    am_sites_damping(s, site, p, c);
    for (size_t j = 0; j < AM_SITES_POWERS; j++, power *= omega * omega)
        c[j] *= power;
}

static double force(const double *c, double u) {
    return u * am_real_roots_value(c, AM_SITES_POWERS - 1, u * u);
}

static double slope(const double *c, double u) {
    double sum = 0.0, power = 1.0;
    for (size_t j = 0; j < AM_SITES_POWERS; j++, power *= u * u)
        sum += (double)(2 * j + 1) * c[j] * power;
    return sum;
}

static double couplings(const am_sites *s, size_t site, double p) {
    double sum = 0.0;
    for (size_t k = 0; k < s->neighbours[site]; k++)
        sum += fabs(am_sites_stiffness(s, site, s->neighbour[site][k], p));
    return sum;
}

/* No solution is larger: at the largest amplitude |f(u)| <= (sum of couplings) u. Infinite when damping does not win in
 * the end. */
static double largest_amplitude(const am_sites *s, double p) {
    double largest = 0.0, c[AM_SITES_POWERS], roots[AM_SITES_POWERS];
    for (size_t i = 0; i < s->n; i++) {
        force_of(s, i, p, c);
        size_t degree = AM_SITES_POWERS - 1;
        while (degree > 0 && c[degree] == 0.0)
            degree--;
        c[0] -= couplings(s, i, p);
        if (!(c[degree] > 0.0))
            return INFINITY;
        size_t count = positive_roots(c, AM_SITES_POWERS - 1, roots);
        if (count > 0)
            largest = fmax(largest, sqrt(roots[count - 1]));
    }
    return largest;
}

/* Where the monotone piece [low, high] of f takes the value h (h lies between its ends, or the end is returned). */
static double inverse(const double *c, double low, double high, double h) {
    bool rises = force(c, high) > force(c, low);
    for (int k = 0; k < 200; k++) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        if ((force(c, middle) > h) == rises)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

/* |f'| at its least between a and b. */
static double least_slope(const double *c, double a, double b) {
    double second[AM_SITES_POWERS - 1], turns[AM_SITES_POWERS];
    double least = fmin(fabs(slope(c, a)), fabs(slope(c, b)));
    for (size_t j = 1; j < AM_SITES_POWERS; j++)
        second[j - 1] = (double)(2 * j + 1) * (double)j * c[j]; /* d f'/d(u^2) */
    size_t count = positive_roots(second, AM_SITES_POWERS - 2, turns);
    for (size_t k = 0; k < count; k++) {
        double u = sqrt(turns[k]);
        if (u > a && u < b)
            least = fmin(least, fabs(slope(c, u)));
    }
    return least;
}

static bool site_complete(const am_sites *s, size_t site, double p, double largest) {
    double c[AM_SITES_POWERS], borders[AM_SITES_POWERS + 1];
    double sum = couplings(s, site, p), reach = sum * largest;
    size_t count = am_sites_borders(s, site, p, borders);
    force_of(s, site, p, c);
    for (size_t k = 0; k < count; k++)
        if (!(fabs(force(c, borders[k])) > reach))
            return false;
    borders[count] = 2.0 * largest + 1.0 / am_sites_omega(s, p);
    double low = 0.0;
    for (size_t k = 0; k <= count; low = borders[k++]) {
        double first = force(c, low), last = force(c, borders[k]);
        if (k > 0 && first * last > 0.0)
            continue; /* beyond reach from end to end: no cycle, no solution */
        double a = k ? inverse(c, low, borders[k], first > 0.0 ? reach : -reach) : 0.0;
        double b = inverse(c, low, borders[k], last > 0.0 ? reach : -reach);
        if (!(least_slope(c, a, b) > sum))
            return false;
    }
    return true;
}

bool am_sites_complete(const am_sites *sites, double p) {
    if (!sites->tuned)
        return false;
    double largest = largest_amplitude(sites, p);
    if (!isfinite(largest))
        return false;
    for (size_t i = 0; i < sites->n; i++)
        if (!site_complete(sites, i, p, largest))
            return false;
    return true;
}
