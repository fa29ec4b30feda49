/* The rod of Vielsack and Kirillowa (1997) in the relative coordinates of eq. (32):
 *
 *     (1/6) M xi'' + C xi = beta w + T,     sliding velocity of node j = xi_j' + 1,
 *
 * with M = tridiag(1, 4, 1) and C = tridiag(-1, 2, -1), 2 and 1 in the last corner. Sliding has T = -beta w, so xi = 0
 * is steady sliding; sticking holds while |T_j| <= (beta + alpha) w_j. The derivation is in docs/rod.md. */
#include "amontons/models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"

am_rod am_rod_default(void) {
    return (am_rod){.elements = 2, .beta = 5.0};
}

am_rod_physical am_rod_physical_default(void) {
    return (am_rod_physical){.elements = 2, .gravity = 9.81};
}

static am_status positive(double value, const char *field, const char *what, am_error *err) {
    if (value > 0.0 && isfinite(value))
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, field, "%s must be positive, but is %g", what, value);
}

static am_status check_elements(size_t elements, am_error *err) {
    if (elements >= 1 && elements <= AM_ROD_MOST_ELEMENTS)
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, "elements", "a rod has 1 to %d elements, not %zu", AM_ROD_MOST_ELEMENTS,
                         elements);
}

static am_status check_physical(const am_rod_physical *p, am_error *err) {
    const struct {
        double value;
        const char *field, *what;
    } all[] = {
        {p->density, "density", "the density"},
        {p->modulus, "modulus", "the modulus of elasticity"},
        {p->length, "length", "the length"},
        {p->friction, "friction", "the coefficient of friction"},
        {p->epsilon, "epsilon", "the relative excess of static friction, epsilon,"},
        {p->velocity, "velocity", "the velocity"},
        {p->gravity, "gravity", "the acceleration of gravity"},
    };
    AM_TRY(check_elements(p->elements, err));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        AM_TRY(positive(all[i].value, all[i].field, all[i].what, err));
    return AM_OK;
}

am_status am_rod_from_physical(const am_rod_physical *physical, am_rod *rod, double *time_unit, double *length_unit,
                               am_error *err) {
    if (!physical || !rod)
        return am_misused(err, __func__);
    AM_TRY(check_physical(physical, err));
    double element = physical->length / (double)physical->elements;
    double time = element * sqrt(physical->density / physical->modulus);
    double beta = physical->friction * physical->gravity * time / physical->velocity;
    if (!(beta > 0.0) || !isfinite(beta) || !isfinite(physical->epsilon * beta))
        return am_fail_field(err, AM_ERR_INPUT, "velocity",
                             "these values make beta = sqrt(density/modulus) friction gravity L/velocity = %g, which "
                             "cannot be computed with",
                             beta);
    *rod = (am_rod){.elements = physical->elements, .alpha = physical->epsilon * beta, .beta = beta};
    if (time_unit)
        *time_unit = time;
    if (length_unit)
        *length_unit = time * physical->velocity;
    return AM_OK;
}

static am_status check(const am_rod *rod, am_error *err) {
    am_status status = check_elements(rod->elements, err);
    if (status == AM_OK)
        status = positive(rod->alpha, "alpha", "alpha, the excess of static over kinetic friction,", err);
    return status == AM_OK ? positive(rod->beta, "beta", "beta, the kinetic friction,", err) : status;
}

/* scale * tridiag(side, middle, side) with `end` in the last corner. */
static am_matrix *chain(size_t n, double side, double middle, double end, double scale, am_error *err) {
    am_matrix *matrix = NULL;
    size_t *place = am_memory_new(6 * n, sizeof *place, err);
    double *value = am_memory_new(3 * n, sizeof *value, err);
    if (place && value) {
        size_t *row = place, *column = place + 3 * n, count = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = i > 0 ? i - 1 : 0; j < n && j <= i + 1; j++) {
                row[count] = i;
                column[count] = j;
                value[count++] = scale * (i != j ? side : i + 1 < n ? middle : end);
            }
        matrix = am_matrix_sparse(n, n, count, row, column, value, err);
    }
    am_memory_free(place);
    am_memory_free(value);
    return matrix;
}

enum { name_size = 32 };

/* What am_system_create copies: rows, weights and names. */
typedef struct parts {
    am_arena memory;
    am_matrix *M, *K;
    double *rows;   /* n x n, the identity */
    double *weight; /* n: share of a node in the rod's weight, times beta */
    char *text;     /* 2n names */
    const char **names;
    am_contact_def *contacts;
} parts;

static void clear(parts *p) {
    am_matrix_free(p->M);
    am_matrix_free(p->K);
    am_arena_clear(&p->memory);
}

static bool allocate(parts *p, size_t n, am_error *err) {
    p->M = chain(n, 1.0, 4.0, 2.0, 1.0 / 6.0, err);
    p->K = p->M ? chain(n, -1.0, 2.0, 1.0, 1.0, err) : NULL;
    p->rows = am_arena_new(&p->memory, n, n * sizeof *p->rows, err);
    p->weight = am_arena_new(&p->memory, n, sizeof *p->weight, err);
    p->text = am_arena_new(&p->memory, 2 * n, name_size, err);
    p->names = am_arena_new(&p->memory, n, sizeof *p->names, err);
    p->contacts = am_arena_new(&p->memory, n, sizeof *p->contacts, err);
    return p->K && !am_arena_status(&p->memory);
}

static void describe(const am_rod *rod, parts *p) {
    size_t n = rod->elements;
    for (size_t j = 0; j < n; j++) {
        double share = j + 1 < n ? 1.0 : 0.5;
        char *coordinate = p->text + 2 * j * name_size, *contact = coordinate + name_size;
        snprintf(coordinate, name_size, "xi%zu", j + 1);
        snprintf(contact, name_size, "node %zu", j + 1);
        p->names[j] = coordinate;
        p->rows[j * n + j] = 1.0;
        p->weight[j] = rod->beta * share;
        p->contacts[j] = am_contact_def_default();
        p->contacts[j].name = contact;
        p->contacts[j].tangent = p->rows + j * n;
        p->contacts[j].surface_velocity = -1.0;
        p->contacts[j].normal_law = AM_HELD;
        p->contacts[j].hold = am_function_constant(share);
        p->contacts[j].friction = rod->beta;
        p->contacts[j].static_friction = rod->beta + rod->alpha;
    }
}

am_system *am_rod_create(const am_rod *rod, am_error *err) {
    if (!rod)
        return am_misused_for_nothing(err, __func__);
    parts p = {0};
    am_system *system = NULL;
    if (check(rod, err) != AM_OK)
        return NULL;
    if (allocate(&p, rod->elements, err)) {
        describe(rod, &p);
        am_load_def drag = {.direction = p.weight, .function = am_function_constant(1.0)};
        am_system_def def = am_system_def_default();
        def.n = rod->elements;
        def.mass = p.M;
        def.stiffness = p.K;
        def.contact_count = rod->elements;
        def.contacts = p.contacts;
        def.load_count = 1;
        def.loads = &drag;
        def.names = p.names;
        def.named_by_model = true;
        system = am_system_create(&def, err);
    }
    clear(&p);
    return system;
}

void am_rod_undeformed(const am_rod *rod, double *displacement, double *velocity) {
    if (!rod)
        return;
    size_t n = rod->elements;
    /* Steady sliding stretches the rod by s, C s = beta w: the force behind node j is beta times the weight from j on.
     */
    double s = 0.0;
    for (size_t j = 0; j < n; j++) {
        s += rod->beta * ((double)(n - j) - 0.5);
        displacement[j] = s;
        velocity[j] = -1.0;
    }
}
