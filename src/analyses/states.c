/* Which contact states are admissible for which load rates: docs/states.md.
 *
 * Every inequality of a combination is linear in the two load rates, so its region is an intersection of half-planes
 * through the origin, an arc of directions. The arcs of all combinations cut the circle into sectors. */
#include "amontons/states.h"

#include <math.h>
#include <string.h>

#include "analyses/analysis.h"
#include "analyses/states/questions.h"
#include "base/columns.h"
#include "base/local.h"
#include "base/object.h"
#include "base/watch.h"
#include "engines/quasistatic/candidates.h"
#include "math/dense.h"
#include "math/pi.h"
#include "system/capability.h"
#include "system/sliders.h"
#include "system/split.h"
#include "system/system.h"

enum { STATES_COOKIE = 0x414d5354 };

/* Boundaries of different combinations that coincide in theory are computed with different rounding: closer than this
 * (in radians) they are one, and an arc narrower than four times this (its ends might become one) is none. */
static const double same_angle = 1e-10;

/* A coefficient below this fraction of the terms that were added to form it is zero but for rounding. */
static const double same_zero = 1e-12;

am_states_options am_states_options_default(void) {
    return (am_states_options){.problem = AM_STATES_QUASISTATIC, .loads = {0, 1}, .cookie = STATES_COOKIE};
}

/* ---- arcs of directions in the plane of load rates ---- */

typedef struct arc {
    bool full, empty;
    double start, width; /* radians, counter-clockwise; width <= pi unless full */
} arc;

/* x modulo 2 pi, in [0, 2 pi). */
static double principal_angle(double x) {
    double y = fmod(x, 2.0 * pi);
    y = y < 0.0 ? y + 2.0 * pi : y;
    return y >= 2.0 * pi ? 0.0 : y;
}

/* Keep the directions C with a.C >= 0. */
static void cut(arc *region, const double a[2]) {
    double start = atan2(a[1], a[0]) - 0.5 * pi;
    if (region->empty)
        return;
    if (region->full) {
        *region = (arc){.start = principal_angle(start), .width = pi};
        return;
    }
    double shift = principal_angle(start - region->start);
    if (shift > pi)
        shift -= 2.0 * pi;
    double low = fmax(0.0, shift), high = fmin(region->width, shift + pi);
    region->start = principal_angle(region->start + low);
    region->width = high - low;
    region->empty = !(region->width > 4.0 * same_angle);
}

static bool contains(const arc *region, double angle) {
    if (region->full)
        return true;
    double along = principal_angle(angle - region->start + same_angle);
    return along <= region->width + 2.0 * same_angle;
}

/* ---- one combination ---- */

/* A combination with a region of its own. The rates are linear in the load rates C: y = C1 y[0] + C2 y[1], and so on.
 */
typedef struct region {
    am_contact_state *state;
    double *y[2], *normal[2], *tangential[2]; /* n, m, m */
    am_arena memory;                          /* of all these */
    am_combination k;                         /* where contacts share their forces: to tell how */
    am_split *split;
    arc arc;
    size_t from, to; /* boundaries */
} region;

typedef struct workspace {
    am_arena memory;
    const am_system *system;
    const am_states_options *options;
    size_t n, m;
    const am_matrix *matrix; /* K or M */
    double *S;               /* n x n: the same, dense */
    const double *load[2];
    am_choice *choices;
    const am_standing *standing; /* m; held contacts: stick where the options say origin */
    am_standing *own_standing;
    am_contact_state *state;
    double *lambda[2], *lambda_size[2], *y_size[2]; /* 2m, 2m, n */
    double *check;                                  /* 2 n + 2 m */
    am_binding *binding;                            /* m: the limits that each contact stands at */
    region *regions;
    size_t count, capacity;
    double *boundaries;
    size_t boundary_count;
    size_t singular;
} workspace;

/* What a contact's own rate is, with the size of the terms it was added up from. */
typedef struct quantity {
    double a[2], size;
} quantity;

static quantity row_rate(const workspace *w, const region *r, const double *row) {
    quantity q = {{0.0, 0.0}, 0.0};
    for (int l = 0; l < 2; l++) {
        q.a[l] = am_dense_dot(row, r->y[l], w->n);
        for (size_t i = 0; i < w->n; i++)
            q.size += fabs(row[i]) * w->y_size[l][i];
    }
    return q;
}

static quantity normal_rate(const workspace *w, const region *r, const am_combination *k, size_t c) {
    quantity q = {{r->normal[0][c], r->normal[1][c]}, 0.0};
    if (k->normal_row[c] != AM_NO_ROW)
        q.size = w->lambda_size[0][k->normal_row[c]] + w->lambda_size[1][k->normal_row[c]];
    return q;
}

/* Rate of mu N + sign T: the distance to a limit of friction. */
static quantity reserve_rate(const workspace *w, const region *r, const am_combination *k, size_t c, double sign) {
    double mu = w->system->contact[c].static_friction;
    quantity q = normal_rate(w, r, k, c);
    q.size *= mu;
    for (int l = 0; l < 2; l++) {
        q.a[l] = mu * q.a[l] + sign * r->tangential[l][c];
        q.size += w->lambda_size[l][k->stick_row[c]];
    }
    return q;
}

static quantity times(double factor, quantity q) {
    return (quantity){{factor * q.a[0], factor * q.a[1]}, q.size};
}

/* Demand that a rate be positive. One that vanishes for all loads passes as a force (nothing changes) but not as a
 * motion: a gap that does not open and a slip that does not slide are other names for stick. */
static void demand(arc *a, quantity q, bool motion) {
    if (!(hypot(q.a[0], q.a[1]) > same_zero * q.size)) {
        a->empty = a->empty || motion;
        return;
    }
    cut(a, q.a);
}

/* The rate of one of a contact's limits must not be negative; of those that it shares with others their sums, which
 * facets are. */
static quantity limit_rate(const workspace *w, const region *r, const am_combination *k, size_t c, am_limit_kind kind) {
    if (kind == AM_LIMIT_NORMAL)
        return normal_rate(w, r, k, c);
    return reserve_rate(w, r, k, c, kind == AM_LIMIT_LOWER ? 1.0 : -1.0);
}

static void demand_limits(const workspace *w, region *r, const am_combination *k, size_t c) {
    static const am_limit_kind kinds[] = {AM_LIMIT_NORMAL, AM_LIMIT_LOWER, AM_LIMIT_UPPER};
    for (size_t i = 0; i < 3; i++) {
        bool exists = kinds[i] == AM_LIMIT_NORMAL || k->stick_row[c] != AM_NO_ROW;
        if (exists && w->binding[c].limit[kinds[i]] && !am_split_shares(r->split, k, c, kinds[i]))
            demand(&r->arc, limit_rate(w, r, k, c, kinds[i]), false);
    }
}

static void demand_facets(const workspace *w, region *r, const am_combination *k) {
    for (size_t f = 0; r->split && f < r->split->facets; f++) {
        quantity sum = {{0.0, 0.0}, 0.0};
        for (size_t i = 0; i < r->split->limits; i++) {
            const am_limit *limit = &r->split->limit[i];
            double weight = r->split->facet[f].weight[i];
            quantity q = limit_rate(w, r, k, limit->contact, limit->kind);
            for (int l = 0; l < 2; l++)
                sum.a[l] += weight * q.a[l];
            sum.size += weight * q.size;
        }
        demand(&r->arc, sum, false);
    }
}

/* Which limits a contact stands at. */
static am_binding binding_of(am_standing standing) {
    bool origin = standing == AM_STANDING_ORIGIN;
    am_binding b = {0};
    b.limit[AM_LIMIT_NORMAL] = origin;
    b.limit[AM_LIMIT_LOWER] = origin || standing == AM_STANDING_FORWARD;
    b.limit[AM_LIMIT_UPPER] = origin || standing == AM_STANDING_BACKWARD;
    return b;
}

/* A motion that others keep at zero is another name for stick, unless the contact cannot stick with them: they would
 * clamp each other, or the motion would depend on how they share their normal forces. */
static am_status demand_motion(workspace *w, region *r, const am_combination *k, size_t c, quantity q, am_error *err) {
    static const am_contact_state closed[] = {AM_STICK, AM_FORWARD, AM_BACKWARD};
    bool possible[3] = {false, false, false}, idle = !(hypot(q.a[0], q.a[1]) > same_zero * q.size);
    for (size_t i = 0; idle && i < 3; i++) {
        memcpy(w->state, k->state, w->m * sizeof *w->state);
        w->state[c] = closed[i];
        AM_TRY(am_split_possible(w->system, w->S, w->state, &possible[i], NULL, err));
    }
    bool slips = k->state[c] != AM_OPEN || possible[1] || possible[2];
    if (!idle || (possible[0] && slips))
        demand(&r->arc, q, true);
    return AM_OK;
}

static am_status demand_contact(workspace *w, region *r, const am_combination *k, size_t c, am_error *err) {
    const am_contact_def *contact = &w->system->contact[c];
    if (k->state[c] == AM_OPEN && w->standing[c] != AM_STANDING_ORIGIN)
        return AM_OK;
    if (k->state[c] == AM_OPEN)
        return demand_motion(w, r, k, c, row_rate(w, r, contact->normal), err);
    demand_limits(w, r, k, c);
    if (k->state[c] == AM_STICK)
        return AM_OK;
    quantity slide = times(-am_slip_sign(k->state[c]), row_rate(w, r, contact->tangent));
    return demand_motion(w, r, k, c, slide, err);
}

static am_status region_create(workspace *w, region *r, am_error *err) {
    *r = (region){.arc = {.full = true}};
    for (int l = 0; l < 2; l++) {
        r->y[l] = am_arena_doubles(&r->memory, NULL, w->n, err);
        AM_ARENA_DOUBLES(&r->memory, w->m, err, &r->normal[l], &r->tangential[l]);
    }
    r->state = am_arena_new(&r->memory, w->m, sizeof *r->state, err);
    return am_arena_status(&r->memory);
}

/* Solve the rate problem of a combination for unit rates of both loads. */
static void region_solve(workspace *w, region *r, const am_combination *k) {
    for (size_t c = 0; c < w->m; c++)
        r->state[c] = k->state[c];
    for (int l = 0; l < 2; l++) {
        am_dense_apply(k->Y, k->n, k->n, w->load[l], r->y[l]);
        am_dense_apply(k->L, k->p, k->n, w->load[l], w->lambda[l]);
        for (size_t i = 0; i < k->n; i++) {
            w->y_size[l][i] = 0.0;
            for (size_t j = 0; j < k->n; j++)
                w->y_size[l][i] += fabs(k->Y[i * k->n + j] * w->load[l][j]);
        }
        for (size_t i = 0; i < k->p; i++) {
            w->lambda_size[l][i] = 0.0;
            for (size_t j = 0; j < k->n; j++)
                w->lambda_size[l][i] += fabs(k->L[i * k->n + j] * w->load[l][j]);
        }
        /* Held normal forces do not change with these loads: their rates are the zeros in r->normal. */
        am_candidates_forces(k, w->system, w->lambda[l], r->normal[l], r->normal[l], r->tangential[l]);
    }
}

static am_status add_region(workspace *w, am_combination *k, am_error *err) {
    AM_TRY(am_memory_reserve(&w->regions, &w->capacity, w->count + 1, err));
    region *r = &w->regions[w->count];
    am_status status = region_create(w, r, err);
    if (status) {
        am_arena_clear(&r->memory);
        return status;
    }
    region_solve(w, r, k);
    status = am_split_create(w->system, k, AM_SPLIT_STATIC, w->binding, &r->split, err);
    for (size_t c = 0; c < w->m && !status; c++)
        status = demand_contact(w, r, k, c, err);
    if (!status)
        demand_facets(w, r, k);
    if (status || r->arc.empty) {
        am_split_free(r->split);
        am_arena_clear(&r->memory);
        return status;
    }
    w->count++;
    if (r->split) { /* the split needs its combination: both are kept */
        r->k = *k;
        *k = (am_combination){0};
    }
    return AM_OK;
}

static am_status find_regions(workspace *w, size_t total, const am_progress *progress, am_error *err) {
    for (size_t index = 0; index < total; index++) {
        if (index % 64 == 0 && !am_progress_report(progress, (double)index / (double)total))
            return am_fail(err, AM_ERR_INTERRUPTED, "stopped after %zu of %zu combinations of contact states", index,
                           total);
        am_combination k;
        am_candidates_get(w->choices, w->m, index, w->state);
        am_status status = am_combination_init(&k, w->system, w->S, w->state, err);
        if (!status)
            status = am_combination_share(&k, w->S, err);
        bool possible = k.condition > 0.0;
        if (!status && k.redundant > 0)
            status = am_split_possible(w->system, w->S, w->state, &possible, NULL, err);
        if (!status && possible)
            status = add_region(w, &k, err);
        else
            w->singular++;
        am_combination_clear(&k);
        if (status)
            return status;
    }
    return AM_OK;
}

/* ---- the circle ---- */

static size_t boundary_of(const workspace *w, double angle) {
    size_t best = 0;
    double distance = INFINITY;
    for (size_t i = 0; i < w->boundary_count; i++) {
        double d = principal_angle(angle - w->boundaries[i]);
        d = fmin(d, 2.0 * pi - d);
        if (d < distance) {
            distance = d;
            best = i;
        }
    }
    return best;
}

/* Collect the ends of all arcs, make those that coincide one, and number them counter-clockwise from angle 0. */
static am_status find_boundaries(workspace *w, am_error *err) {
    w->boundaries = am_arena_doubles(&w->memory, NULL, 2 * w->count, err);
    if (!w->boundaries)
        return AM_ERR_MEMORY;
    size_t all = 0;
    for (size_t i = 0; i < w->count; i++) {
        const arc *a = &w->regions[i].arc;
        if (a->full)
            continue;
        w->boundaries[all++] = principal_angle(a->start);
        w->boundaries[all++] = principal_angle(a->start + a->width);
    }
    for (size_t i = 0; i < all; i++)
        if (w->boundaries[i] > 2.0 * pi - same_angle)
            w->boundaries[i] = 0.0;
    am_dense_sort(w->boundaries, all);
    for (size_t i = 0; i < all; i++)
        if (w->boundary_count == 0 || w->boundaries[i] - w->boundaries[w->boundary_count - 1] > same_angle)
            w->boundaries[w->boundary_count++] = w->boundaries[i];
    for (size_t i = 0; i < w->count; i++) {
        region *r = &w->regions[i];
        if (r->arc.full)
            continue;
        r->from = boundary_of(w, r->arc.start);
        r->to = boundary_of(w, r->arc.start + r->arc.width);
    }
    return AM_OK;
}

static double degrees(double radians) {
    return radians * (180.0 / pi);
}

static size_t sector_count(const workspace *w) {
    return w->boundary_count > 0 ? w->boundary_count : 1;
}

/* From and to in radians; to > from, so a sector across angle 0 ends beyond 2 pi. */
static void sector_limits(const workspace *w, size_t from, size_t to, double limits[2]) {
    limits[0] = w->boundary_count > 0 ? w->boundaries[from] : 0.0;
    limits[1] = w->boundary_count > 0 ? w->boundaries[to] : 0.0;
    if (to <= from)
        limits[1] += 2.0 * pi;
}

static bool covers(const workspace *w, const region *r, size_t sector) {
    if (r->arc.full)
        return true;
    size_t b = w->boundary_count;
    return (sector + b - r->from) % b < (r->to + b - r->from) % b;
}

/* ---- evidence ---- */

/* How far a value lies below zero, or from zero, relative to its scale. */
static double below(double value, double scale) {
    return value < 0.0 && scale > 0.0 ? -value / scale : 0.0;
}

/* The contact law at one contact, from the definitions alone. */
static double law_violation(const workspace *w, const region *r, size_t c, const double *y, const double force[2],
                            double force_scale) {
    const am_contact_def *contact = &w->system->contact[c];
    double gap = 0.0, slip = 0.0, size = 0.0, normal = force[0], tangential = force[1];
    for (size_t i = 0; i < w->n; i++) {
        gap += contact->normal[i] * y[i];
        slip += contact->tangent[i] * y[i];
        size = fmax(size, fabs(y[i]) * (fabs(contact->normal[i]) + fabs(contact->tangent[i])));
    }
    bool held = contact->normal_law == AM_HELD, origin = w->standing[c] == AM_STANDING_ORIGIN;
    double worst = 0.0, mu = contact->friction;
    if (r->state[c] == AM_OPEN)
        return origin ? below(gap, size) : 0.0;
    if (!held)
        worst = below(-fabs(gap), size);
    if (origin)
        worst = fmax(worst, below(normal, force_scale));
    if (r->state[c] != AM_STICK) {
        double sign = am_slip_sign(r->state[c]);
        return fmax(worst, fmax(below(-sign * slip, size), below(-fabs(tangential - sign * mu * normal), force_scale)));
    }
    worst = fmax(worst, below(-fabs(slip), size));
    if (origin || w->standing[c] == AM_STANDING_FORWARD)
        worst = fmax(worst, below(contact->static_friction * normal + tangential, force_scale));
    if (origin || w->standing[c] == AM_STANDING_BACKWARD)
        worst = fmax(worst, below(contact->static_friction * normal - tangential, force_scale));
    return worst;
}

/* Put the rates of a region back into the equations they came from, in direction (cos, sin). */
static double rate_residual(workspace *w, const region *r, double angle) {
    double C[2] = {cos(angle), sin(angle)}, *y = w->check, *Sy = w->check + w->n;
    double scale = 0.0, worst = 0.0;
    for (size_t i = 0; i < w->n; i++)
        y[i] = C[0] * r->y[0][i] + C[1] * r->y[1][i];
    am_matrix_apply(w->matrix, y, Sy);
    for (size_t i = 0; i < w->n; i++) {
        double load = C[0] * w->load[0][i] + C[1] * w->load[1][i];
        scale = fmax(scale, fmax(fabs(Sy[i]), fabs(load)));
        Sy[i] -= load;
    }
    double *N = Sy + w->n, *T = N + w->m;
    for (size_t c = 0; c < w->m; c++) {
        N[c] = C[0] * r->normal[0][c] + C[1] * r->normal[1][c];
        T[c] = C[0] * r->tangential[0][c] + C[1] * r->tangential[1][c];
    }
    if (r->split)
        am_split_choose(r->split, &r->k, w->system, N, T);
    for (size_t c = 0; c < w->m; c++) {
        scale = fmax(scale, fmax(fabs(N[c]), fabs(T[c])));
        for (size_t i = 0; i < w->n; i++)
            Sy[i] -= w->system->contact[c].normal[i] * N[c] + w->system->contact[c].tangent[i] * T[c];
    }
    for (size_t i = 0; i < w->n; i++)
        worst = fmax(worst, below(-fabs(Sy[i]), scale));
    for (size_t c = 0; c < w->m; c++) {
        double force[2] = {N[c], T[c]};
        worst = fmax(worst, law_violation(w, r, c, y, force, scale));
    }
    return worst;
}

/* ---- critical friction ---- */

/* k_tt/|k_tn| of the matrix condensed onto the only contact; NaN when it cannot be condensed. */
static am_status critical_friction(const am_system *system, const am_matrix *matrix, double *critical, am_error *err) {
    size_t n = system->n;
    double rcond, *a = am_memory_new(n * n, sizeof *a, err);
    *critical = NAN;
    if (!a)
        return AM_ERR_MEMORY;
    am_matrix_to_dense(matrix, a);
    am_status status = am_dense_invert(a, n, &rcond, err);
    const double *normal = system->contact[0].normal, *tangent = system->contact[0].tangent;
    if (!status && rcond > 1e-14) {
        /* Compliance [nn, nt; nt, tt]; the entries of its inverse are tt -> k_nn, nn -> k_tt, -nt -> k_tn over the same
         * determinant, which cancels. */
        double nn = am_dense_quadratic(a, normal, n), nt = 0.0, size = 0.0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                nt += normal[i] * a[i * n + j] * tangent[j];
                size += fabs(normal[i] * a[i * n + j] * tangent[j]);
            }
        *critical = fabs(nt) > same_zero * size ? nn / fabs(nt) : INFINITY;
    }
    am_memory_free(a);
    return status;
}

static am_status report_critical(const workspace *w, am_result *result, am_error *err) {
    if (w->m != 1 || w->system->contact[0].normal_law != AM_UNILATERAL)
        return AM_OK;
    double critical;
    AM_TRY(critical_friction(w->system, w->system->K, &critical, err));
    am_result_set_known(result, "f_critical", critical);
    if (w->options->problem != AM_STATES_DYNAMIC)
        return AM_OK;
    AM_TRY(critical_friction(w->system, w->system->M, &critical, err));
    am_result_set_number(result, "f_critical_dynamic", critical, NULL);
    return AM_OK;
}

/* ---- report ---- */

/* A row of numbers, and the states named in `names` in column `column`. */
static am_status name_row(am_table *table, const double *numbers, size_t count, size_t column, const am_text *names,
                          am_error *err) {
    AM_TRY(am_text_status(names, err));
    am_table_add_numbers(table, numbers, count);
    am_table_set_text(table, column, am_text_view(names), NULL);
    return AM_OK;
}

static am_status report_regions(const workspace *w, am_result *result, am_text *name, am_error *err) {
    am_table *table = am_result_describe_table(result, "regions", "state from_deg to_deg");
    for (size_t i = 0; i < w->count; i++) {
        const region *r = &w->regions[i];
        double limits[2] = {0.0, 2.0 * pi};
        if (!r->arc.full)
            sector_limits(w, r->from, r->to, limits);
        am_text_clear(name);
        am_candidates_name(name, r->state, w->m);
        AM_TRY(name_row(table, AM_NUMBERS(degrees(limits[0]), degrees(limits[1])), 0, name, err));
    }
    return AM_OK;
}

typedef struct census {
    size_t most, fewest;
    double residual;
} census;

/* Add one sector: its limits, the names of all states admissible in it, and their check at its middle. */
static am_status report_sector(workspace *w, size_t sector, am_table *table, am_text *names, census *found,
                               am_error *err) {
    double limits[2];
    size_t here = 0;
    sector_limits(w, sector, (sector + 1) % sector_count(w), limits);
    am_text_clear(names);
    for (size_t i = 0; i < w->count; i++) {
        if (!covers(w, &w->regions[i], sector))
            continue;
        am_text_add(names, here++ > 0 ? "+" : "");
        am_candidates_name(names, w->regions[i].state, w->m);
        found->residual = fmax(found->residual, rate_residual(w, &w->regions[i], 0.5 * (limits[0] + limits[1])));
    }
    found->most = here > found->most ? here : found->most;
    found->fewest = here < found->fewest ? here : found->fewest;
    return name_row(table, AM_NUMBERS(degrees(limits[0]), degrees(limits[1]), (double)here), 2, names, err);
}

static am_status report_sectors(workspace *w, am_result *result, am_text *names, census *found, am_error *err) {
    am_table *table = am_result_describe_table(result, "sectors", "from_deg to_deg states count");
    for (size_t i = 0; i < sector_count(w); i++)
        AM_TRY(report_sector(w, i, table, names, found, err));
    return AM_OK;
}

/* Do contacts share their forces in some region in a way that the rates do not tell? */
static bool any_is_shared(const workspace *w) {
    for (size_t i = 0; i < w->count; i++)
        if (w->regions[i].split)
            return true;
    return false;
}

static am_status report_census(const workspace *w, const census *found, size_t total, am_result *result,
                               am_error *err) {
    am_result_set_flag(result, "unique", found->most <= 1, NULL);
    am_result_set_flag(result, "complete", found->fewest >= 1, NULL);
    am_result_set_counts(result, AM_NAMED({"most_states", found->most}, {"fewest_states", found->fewest}));
    AM_TRY(report_critical(w, result, err));
    am_result_set_counts(result, AM_NAMED({"combinations", total}, {"singular_combinations", w->singular}));
    am_result_set_flag(result, "indeterminate_forces", any_is_shared(w), NULL);
    am_result_set_number(result, "rate_residual", found->residual, NULL);
    /* Rounding leaves 1e-12 and less; a singular-looking combination up to 1e-14 / 1e-14. */
    if (!(found->residual <= 1e-8))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the rates found do not satisfy the equations they came from: relative residual %g",
                       found->residual);
    return AM_OK;
}

static am_status report_admissible(const workspace *w, am_result *result, am_text *names, am_error *err) {
    if (!w->options->rates)
        return AM_OK;
    double angle = atan2(w->options->rates[1], w->options->rates[0]);
    size_t here = 0;
    am_text_clear(names);
    for (size_t i = 0; i < w->count; i++) {
        if (!contains(&w->regions[i].arc, angle))
            continue;
        am_text_add(names, here++ > 0 ? "+" : "");
        am_candidates_name(names, w->regions[i].state, w->m);
    }
    AM_TRY(am_text_status(names, err));
    am_result_set_text(result, "admissible", am_text_view(names), NULL);
    am_result_set_count(result, "admissible_count", here, NULL);
    return AM_OK;
}

static am_status report(workspace *w, size_t total, am_result *result, am_error *err) {
    AM_LOCAL(am_text_free) am_text text = {0};
    census found = {.most = 0, .fewest = (size_t)-1};
    AM_TRY(report_regions(w, result, &text, err));
    AM_TRY(report_sectors(w, result, &text, &found, err));
    AM_TRY(report_census(w, &found, total, result, err));
    return report_admissible(w, result, &text, err);
}

/* ---- checking and planning ---- */

static am_status check_options(const am_system *system, const am_states_options *options, am_error *err) {
    AM_TRY(am_options_check(options->cookie, STATES_COOKIE, "states", err));
    if (system->loads < 2)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "`states` works in the plane of the rates of two loads, but this system has %zu", system->loads);
    for (int l = 0; l < 2; l++)
        if (options->loads[l] >= system->loads)
            return am_fail_field(err, AM_ERR_INPUT, "loads", "there is no load %zu: loads are numbered 0 to %zu",
                                 options->loads[l], system->loads - 1);
    if (options->loads[0] == options->loads[1])
        return am_fail_field(err, AM_ERR_INPUT, "loads", "the plane needs two different loads, not load %zu twice",
                             options->loads[0]);
    if (!options->rates)
        return AM_OK;
    if (!isfinite(options->rates[0]) || !isfinite(options->rates[1]))
        return am_fail_field(err, AM_ERR_INPUT, "rates", "the load rates must be finite numbers");
    if (options->rates[0] == 0.0 && options->rates[1] == 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "rates", "both load rates are zero: nothing happens in any state");
    return AM_OK;
}

static am_status check_contact(const am_system *system, size_t c, am_standing standing, am_error *err) {
    const am_contact_def *contact = &system->contact[c];
    if ((int)standing < 0 || standing > AM_STANDING_OPEN)
        return am_fail_field(err, AM_ERR_INPUT, "standing", "unknown standing of %s", contact->name);
    if (contact->surface_velocity != 0.0)
        return am_fail(
            err, AM_ERR_UNSUPPORTED,
            "the surface under %s moves by itself: its states then depend on the size of the load rates, not only "
            "on their direction, and have no sectors",
            contact->name);
    bool limit = standing == AM_STANDING_FORWARD || standing == AM_STANDING_BACKWARD;
    if (limit && contact->static_friction > contact->friction)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "%s stands at its friction limit, but its friction drops when it slips: the force jumps and "
                       "there is no rate problem; use `motion`",
                       contact->name);
    if (contact->normal_law != AM_HELD)
        return AM_OK;
    if (standing == AM_STANDING_OPEN)
        return am_fail_field(err, AM_ERR_INPUT, "standing", "%s is held and cannot be open", contact->name);
    if (!(am_function_at(&contact->hold, 0.0) > 0.0))
        return am_fail(err, AM_ERR_UNSUPPORTED, "the held normal force of %s is not positive: it has no friction",
                       contact->name);
    return AM_OK;
}

static void allow(am_choice *choice, am_standing standing) {
    if (standing != AM_STANDING_OPEN)
        am_choice_add(choice, AM_STICK);
    if (standing == AM_STANDING_ORIGIN || standing == AM_STANDING_FORWARD)
        am_choice_add(choice, AM_FORWARD);
    if (standing == AM_STANDING_ORIGIN || standing == AM_STANDING_BACKWARD)
        am_choice_add(choice, AM_BACKWARD);
    if (standing == AM_STANDING_ORIGIN || standing == AM_STANDING_OPEN)
        am_choice_add(choice, AM_OPEN);
}

static am_status plan_contacts(workspace *w, size_t *total, am_error *err) {
    for (size_t c = 0; c < w->m; c++) {
        am_standing standing = w->options->standing ? w->options->standing[c] : AM_STANDING_ORIGIN;
        AM_TRY(check_contact(w->system, c, standing, err));
        /* A held contact without tangential force is inside its cone. */
        if (standing == AM_STANDING_ORIGIN && w->system->contact[c].normal_law == AM_HELD)
            standing = AM_STANDING_STICK;
        w->own_standing[c] = standing;
        w->binding[c] = binding_of(standing);
        allow(&w->choices[c], standing);
    }
    *total = am_candidates_count(w->choices, w->m);
    if (*total == 0)
        return am_fail(
            err, AM_ERR_UNSUPPORTED,
            "%zu contacts have more than %zu combinations of states: too many to look at each of them; whether "
            "the states follow from the load rates is answered by question: uniqueness",
            w->m, AM_CANDIDATES_BUDGET);
    return AM_OK;
}

static am_status check_mass(const workspace *w, am_error *err) {
    double rcond, *a = am_memory_doubles(w->S, w->n * w->n, err);
    if (!a)
        return AM_ERR_MEMORY;
    am_status status = am_dense_invert(a, w->n, &rcond, err);
    am_memory_free(a);
    if (!status && !(rcond > 1e-14))
        status =
            am_fail(err, AM_ERR_UNSUPPORTED,
                    "the first instant of a motion needs mass in every direction, but the mass matrix is singular");
    return status;
}

static void workspace_free(workspace *w) {
    for (size_t i = 0; i < w->count; i++) {
        am_combination_clear(&w->regions[i].k);
        am_split_free(w->regions[i].split);
        am_arena_clear(&w->regions[i].memory);
    }
    am_memory_free(w->regions);
    am_arena_clear(&w->memory);
}

static am_status workspace_init(workspace *w, const am_system *system, const am_states_options *options,
                                am_error *err) {
    *w = (workspace){.system = system, .options = options, .n = system->n, .m = system->m};
    w->matrix = options->problem == AM_STATES_DYNAMIC ? system->M : system->K;
    w->S = am_arena_new(&w->memory, w->n * w->n, sizeof(double), err);
    w->choices = am_arena_new(&w->memory, w->m, sizeof *w->choices, err);
    w->standing = w->own_standing = am_arena_new(&w->memory, w->m, sizeof *w->own_standing, err);
    w->state = am_arena_new(&w->memory, w->m, sizeof *w->state, err);
    w->check = am_arena_new(&w->memory, 2 * w->n + 2 * w->m, sizeof(double), err);
    w->binding = am_arena_new(&w->memory, w->m, sizeof *w->binding, err);
    for (int l = 0; l < 2; l++) {
        w->load[l] = system->load[options->loads[l]].direction;
        AM_ARENA_DOUBLES(&w->memory, 2 * w->m, err, &w->lambda[l], &w->lambda_size[l]);
        w->y_size[l] = am_arena_new(&w->memory, w->n, sizeof(double), err);
    }
    if (am_arena_status(&w->memory))
        return AM_ERR_MEMORY;
    am_matrix_to_dense(w->matrix, w->S);
    return AM_OK;
}

/* The plane of two load rates is the whole answer for one contact or two loads, and what options of the plane ask for.
 */
static bool asks_for_sectors(const am_system *system, const am_states_options *o) {
    bool plane = o->rates || o->standing || o->problem != AM_STATES_QUASISTATIC || o->loads[0] != 0 || o->loads[1] != 1;
    return o->question == AM_STATES_AS_FITS ? plane || system->m <= 1 || system->loads == 2
                                            : o->question == AM_STATES_SECTORS;
}

am_status am_states_check(const am_system *system, const am_states_options *o, am_error *err) {
    if (o->question == AM_STATES_SLIDING)
        return am_states_check_sliding(system, err);
    return am_system_check(system, asks_for_sectors(system, o) ? "states" : "states with question: uniqueness", err);
}

static am_status answer(const am_system *system, const am_states_options *options, am_result *result,
                        const am_progress *progress, am_error *err) {
    if (options && options->cookie == STATES_COOKIE && options->question == AM_STATES_SLIDING)
        return am_states_sliding(system, options, result, progress, err);
    if (options && options->cookie == STATES_COOKIE && !asks_for_sectors(system, options))
        return am_states_uniqueness(system, options, result, progress, err);
    AM_TRY(check_options(system, options, err));
    AM_TRY(am_system_check(system, "states", err));
    AM_LOCAL(workspace_free) workspace w = {0};
    size_t total = 0;
    AM_TRY(workspace_init(&w, system, options, err));
    AM_TRY(plan_contacts(&w, &total, err));
    if (options->problem == AM_STATES_DYNAMIC)
        AM_TRY(check_mass(&w, err));
    AM_TRY(find_regions(&w, total, progress, err));
    AM_TRY(find_boundaries(&w, err));
    return report(&w, total, result, err);
}

/* Slow rates of contacts with springs are those of rigid ones, with sliders and depths as coordinates. */
static am_status states_run_watched(const am_system *system, const am_states_options *options, am_result *result,
                                    const am_progress *progress, am_error *err) {
    bool sectors = asks_for_sectors(system, options), pads = am_sliders_pads(system) > 0; /* minors know sliders */
    if (options->question == AM_STATES_SLIDING || !(pads || (sectors && am_system_springs(system) > 0)))
        return answer(system, options, result, progress, err);
    AM_TRY(am_system_check(system, sectors ? "states" : "states with question: uniqueness", err));
    if (options->problem != AM_STATES_QUASISTATIC)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "problem",
                             "problem: dynamic is about rigid contacts with a tangent: the force of a spring does not "
                             "depend on accelerations, and a stop cannot slide");
    AM_LOCAL(am_system_free_at) am_system *rigid = am_sliders_expand(system, err);
    if (!rigid)
        return AM_ERR_MEMORY;
    return answer(rigid, options, result, progress, err);
}

am_status am_states_run(const am_system *system, const am_states_options *options, am_result *result,
                        const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(system, AM_TAG_SYSTEM) && options, result, progress, __func__, err));
    return am_analysis_end(&watch, result, states_run_watched(system, options, result, progress, err), err);
}
