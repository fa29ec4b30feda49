/* The bordered matrix of the structure and its contacts at s = i omega:
 *
 *     [ s^2 M + s C + K + G    -B    ]
 *     [ J                      1/H   ]      H = slope + rate s of a compliant contact, 1/H = 0 of a rigid one
 *
 * It is singular where s is an eigenvalue. Stiffness and damping of contacts, which may be larger than the structure's
 * by any factor, are not added to anything, so that nothing cancels but what cancels at the threshold itself. */
#include "analyses/stability/axis.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "analyses/stability/sliding.h"
#include "base/arena.h"
#include "base/try.h"
#include "laws/law.h"
#include "math/complex_lu.h"
#include "system/combination.h"
#include "system/steady.h"
#include "system/system.h"

typedef struct bordered {
    const am_system *system;
    const am_sliding *sliding;
    size_t n, size;
    double complex s, *a, *b; /* size x size, column-major */
    int *order;               /* size */
} bordered;

static bool has_row(const bordered *b, size_t c) {
    am_normal_law law = b->system->contact[c].normal_law;
    bool pushes = law == AM_UNILATERAL || b->sliding->slope[c] != 0.0 || b->sliding->rate[c] != 0.0;
    return b->sliding->state[c] != AM_OPEN && law != AM_HELD && pushes;
}

/* Along how many tangents a contact that sticks holds. */
static size_t held_tangents(const bordered *b, size_t c) {
    if (!am_contact_holds(b->system, c, b->sliding->state[c]))
        return 0;
    return b->system->contact[c].second_tangent ? 2 : 1;
}

static size_t count_rows(const bordered *b) {
    size_t rows = 0;
    for (size_t c = 0; c < b->system->m; c++)
        rows += (has_row(b, c) ? 1 : 0) + held_tangents(b, c);
    return rows;
}

static void fill_structure(bordered *b) {
    const am_system *system = b->system;
    for (size_t i = 0; i < b->n; i++)
        for (size_t j = 0; j < b->n; j++) {
            double complex sum = b->s * b->s * am_matrix_at(system->M, i, j) + b->s * am_matrix_at(system->C, i, j) +
                                 am_matrix_at(system->K, i, j);
            if (system->circulatory)
                sum += am_matrix_at(system->circulatory, i, j);
            b->a[j * b->size + i] = sum;
        }
}

/* One row of J and column of B: normal + push tangent. */
static void put_row(bordered *b, size_t at, const double *row, const double *tangent, double push) {
    for (size_t i = 0; i < b->n; i++) {
        b->a[i * b->size + at] = row[i];
        b->a[at * b->size + i] = -(row[i] + push * tangent[i]);
    }
}

/* The slope of friction that depends on speed, friction that turns, or the spring of a slider that sticks. */
static void add_along(bordered *b, const double *tangent, double complex factor) {
    for (size_t i = 0; i < b->n && factor != 0.0; i++)
        for (size_t j = 0; j < b->n; j++)
            b->a[j * b->size + i] += factor * tangent[i] * tangent[j];
}

/* In a plane: (damping s + stiffness s/(s + decay)) across the slip. */
static void add_across(bordered *b, size_t c) {
    const am_contact_def *contact = &b->system->contact[c];
    bool sticks = b->sliding->state[c] == AM_STICK;
    if (!contact->second_tangent || b->sliding->state[c] == AM_OPEN || !(sticks || b->sliding->normal))
        return;
    am_across f = sticks ? (am_across){.stiffness = contact->tangential_stiffness}
                         : am_steady_across(contact, b->sliding->normal[c]);
    double complex follows = f.decay > 0.0 ? b->s / (b->s + f.decay) : 1.0;
    add_along(b, contact->second_tangent, f.damping * b->s + f.stiffness * follows);
}

static void fill_contacts(bordered *b) {
    size_t at = b->n;
    for (size_t c = 0; c < b->system->m; c++) {
        const am_contact_def *contact = &b->system->contact[c];
        double mu = am_slip_sign(b->sliding->state[c]) * contact->friction;
        if (mu != 0.0 && contact->speed_friction.law && b->sliding->normal)
            add_along(b, contact->tangent, b->s * am_steady_slope(contact, b->sliding->normal[c]).force.by_v);
        if (b->sliding->state[c] == AM_STICK)
            add_along(b, contact->tangent, contact->tangential_stiffness);
        add_across(b, c);
        double complex H = b->sliding->slope[c] + b->sliding->rate[c] * b->s;
        if (has_row(b, c)) {
            put_row(b, at, contact->normal, contact->tangent, mu);
            b->a[at * b->size + at] = H != 0.0 ? 1.0 / H : 0.0;
            at++;
        }
        const double *const tangents[] = {contact->tangent, contact->second_tangent};
        for (size_t k = 0; k < held_tangents(b, c); k++)
            put_row(b, at++, tangents[k], tangents[k], 0.0);
    }
}

/* Rows and columns in units of their own: the largest entry of each about 1. */
static void equilibrate(bordered *b) {
    size_t size = b->size;
    for (int pass = 0; pass < 6; pass++)
        for (size_t i = 0; i < size; i++) {
            double most = 0.0;
            size_t along = pass % 2 == 0 ? size : 1, start = pass % 2 == 0 ? i : i * size;
            for (size_t j = 0; j < size; j++)
                most = fmax(most, cabs(b->a[start + j * along]));
            for (size_t j = 0; j < size && most > 0.0; j++)
                b->a[start + j * along] /= pass < 4 ? sqrt(most) : most;
        }
}

/* Largest sum of a column. */
static double norm_of(const double complex *a, size_t size) {
    double largest = 0.0;
    for (size_t j = 0; j < size; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < size; i++)
            sum += cabs(a[j * size + i]);
        largest = !(sum <= largest) ? sum : largest;
    }
    return largest;
}

/* The distance to the nearest singular matrix is 1/|A^-1| (Gastinel and Kahan). */
static double distance_of(bordered *b) {
    size_t size = b->size;
    equilibrate(b);
    double norm = norm_of(b->a, size);
    if (!am_complex_lu_factor(b->a, size, b->order))
        return isfinite(norm) ? 0.0 : INFINITY;
    memset(b->b, 0, size * size * sizeof *b->b);
    for (size_t i = 0; i < size; i++)
        b->b[i * size + i] = 1.0;
    am_complex_lu_solve(b->a, size, b->order, false, size, b->b);
    return 1.0 / (norm * norm_of(b->b, size));
}

static am_status measure(bordered *b, am_arena *memory, double *distance, am_error *err) {
    size_t size = b->size = b->n + count_rows(b);
    AM_ARENA_ARRAYS(memory, double complex, size *size, err, &b->a, &b->b);
    b->order = am_arena_new(memory, size, sizeof *b->order, err);
    AM_TRY(am_arena_status(memory));
    fill_structure(b);
    fill_contacts(b);
    *distance = distance_of(b);
    return AM_OK;
}

/* Laws with one stiffness need no equilibrium to have it. Their rate is unknown then: it does not count at s = 0. */
static bool slopes_at_rest(const am_system *system, am_sliding *s) {
    for (size_t c = 0; c < s->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        bool compliant = am_contact_is_compliant(contact);
        if (compliant && contact->normal_law == AM_HUNT_CROSSLEY && contact->contact_exponent != 1.0)
            return false;
        s->slope[c] = compliant ? contact->contact_stiffness : 0.0;
        s->rate[c] = 0.0;
        s->state[c] = contact->surface_velocity > 0.0 ? AM_BACKWARD : AM_FORWARD;
    }
    return true;
}

/* The equilibrium, or what can be said without one, of s = 0 alone. *known: `sliding` is filled. */
static am_status find_slopes(const am_system *system, const am_contact_state *state, am_sliding *sliding, double *omega,
                             bool *known, am_error *err) {
    am_error own = {0};
    am_status status = am_sliding_init_sharp(sliding, system, state, &own);
    *known = status == AM_OK;
    if (status != AM_ERR_NO_STATE) {
        if (err && status != AM_OK)
            *err = own;
        return status;
    }
    if (state)
        return AM_OK;
    size_t m = system->m;
    *sliding = (am_sliding){.n = system->n, .m = m};
    AM_ARENA_DOUBLES(&sliding->memory, m, err, &sliding->slope, &sliding->rate);
    sliding->state = am_arena_new(&sliding->memory, m, sizeof *sliding->state, err);
    *known = !am_arena_status(&sliding->memory) && slopes_at_rest(system, sliding);
    *omega = 0.0;
    status = am_arena_status(&sliding->memory);
    if (!*known)
        am_sliding_clear(sliding);
    return status;
}

am_status am_axis_distance(const am_system *system, const am_contact_state *state, double omega, double *distance,
                           am_error *err) {
    am_sliding sliding;
    bool known = false;
    *distance = INFINITY;
    bool remembers = false;
    for (size_t c = 0; c < system->m; c++)
        remembers = remembers || !am_law_sticks(&system->contact[c].speed_friction);
    if (system->polynomials > 0 || remembers || !isfinite(omega))
        return AM_OK;
    am_status status = find_slopes(system, state, &sliding, &omega, &known, err);
    if (status != AM_OK || !known)
        return status;
    bordered b = {.system = system, .sliding = &sliding, .n = system->n, .s = I * omega};
    status = measure(&b, &sliding.memory, distance, err);
    am_sliding_clear(&sliding);
    return status;
}
