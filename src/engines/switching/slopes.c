#include "engines/switching/slopes.h"

#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/object.h"
#include "math/dense.h"

enum { MOST_NEIGHBOURS = 5 };

/* The structure at a neighbouring value of a number, with the weight its matrices have in the derivative. */
typedef struct neighbour {
    am_system *system;
    am_motion *engine;
    double weight;
    const am_flow *flow; /* of the state of contact that is looked at */
} neighbour;

typedef struct slope {
    size_t count;
    neighbour at[MOST_NEIGHBOURS];
    double *column; /* nx */
    double share;   /* by which the time of the event came earlier */
    double *hop;    /* m: the same of each contact's last impact */
} slope;

struct am_slopes {
    am_arena memory;
    const am_model *model;
    size_t count;
    slope *slope;
    double *x;                   /* nx: where the columns were brought to */
    double *A;                   /* rows x nx: a derivative */
    double *row, *order, *image; /* nx, 4 nx, n */
    const char *lost;            /* why there are no derivatives any more; NULL: there are */
};

/* ---- neighbours ---- */

static void release(const am_model *model, neighbour *at) {
    am_motion_free(at->engine);
    if (at->system && model->def.release)
        model->def.release(model->def.context, at->system);
    else
        am_system_free(at->system);
    *at = (neighbour){0};
}

void am_slopes_free(am_slopes *slopes) {
    if (!slopes)
        return;
    for (size_t i = 0; i < slopes->count; i++)
        for (size_t k = 0; k < MOST_NEIGHBOURS; k++)
            release(slopes->model, &slopes->slope[i].at[k]);
    am_arena_clear(&slopes->memory);
    am_memory_free(slopes);
}

/* Formulas of fourth order: where the number may be larger and smaller, and where it may not be smaller or larger. */
typedef struct formula {
    size_t count;
    double place[MOST_NEIGHBOURS], weight[MOST_NEIGHBOURS];
} formula;
static const formula formulas[] = {
    {4, {-2.0, -1.0, 1.0, 2.0}, {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0}},
    {5, {0.0, 1.0, 2.0, 3.0, 4.0}, {-25.0 / 12.0, 4.0, -3.0, 4.0 / 3.0, -0.25}},
    {5, {0.0, -1.0, -2.0, -3.0, -4.0}, {25.0 / 12.0, -4.0, 3.0, -4.0 / 3.0, 0.25}},
};

/* Of the value of a number; of one that is zero, of 1. */
static const double step = 0x1p-10;

static bool is_alike(const am_plan *a, const am_plan *b) {
    return a->n == b->n && a->m == b->m && a->nd == b->nd && a->nx == b->nx && a->forces == b->forces &&
           a->system->entries == b->system->entries;
}

static am_status make_neighbours(const am_motion *e, const am_model *model, size_t number, const formula *use,
                                 double *values, slope *made, am_error *err) {
    double own = values[number], h = step * (own != 0.0 ? fabs(own) : 1.0);
    am_status status = AM_OK;
    made->count = use->count;
    for (size_t k = 0; !status && k < use->count; k++) {
        neighbour *at = &made->at[k];
        values[number] = own + use->place[k] * h;
        at->weight = use->weight[k] / h;
        at->system = model->def.make(model->def.context, values, err);
        at->engine = at->system ? am_motion_create(at->system, false, err) : NULL;
        if (!at->engine)
            status = am_error_status(err);
        else if (!is_alike(&e->plan, &at->engine->plan))
            status =
                am_fail(err, AM_ERR_UNSUPPORTED,
                        "'%s' changes more of the structure than numbers: there is no derivative with respect to it",
                        am_model_name(model, number));
    }
    values[number] = own;
    for (size_t k = 0; status && k < MOST_NEIGHBOURS; k++)
        release(model, &made->at[k]);
    return status;
}

static am_status find_neighbours(const am_motion *e, const am_model *model, size_t number, slope *made, am_error *err) {
    AM_LOCAL_ARENA memory = {0};
    double *values = am_arena_doubles(&memory, model->values, model->count, err);
    if (!values)
        return AM_ERR_MEMORY;
    am_error first = {0}, *reason = &first, other = {0};
    am_status status = AM_ERR_INPUT;
    for (size_t f = 0; status == AM_ERR_INPUT && f < sizeof formulas / sizeof *formulas; f++, reason = &other)
        status = make_neighbours(e, model, number, &formulas[f], values, made, reason);
    if (status && err)
        *err = am_status_is_fatal(status) ? *(other.status ? &other : &first) : first;
    return status ? first.status : AM_OK;
}

/* ---- following ---- */

static am_status check(const am_motion *e, am_error *err) {
    if (e->imitation.step > 0.0)
        return am_fail(err, AM_ERR_UNSUPPORTED, "fixed-step switching has no derivatives to follow");
    if (e->plan.forces > 0 || e->plan.followers > 0 || e->plan.lights > 0 || e->plan.plane)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "derivatives with respect to numbers are known of structures with mass whose forces are linear "
                       "between switches: friction that depends on speed, curved springs and contacts, two tangents "
                       "and coordinates without mass have none");
    return AM_OK;
}

static am_status fill(am_slopes *s, am_motion *e, const am_model *model, const size_t *number, size_t count,
                      am_error *err) {
    size_t nx = e->plan.nx;
    s->model = model;
    s->slope = am_arena_new(&s->memory, count, sizeof *s->slope, err);
    AM_ARENA_DOUBLES(&s->memory, nx, err, &s->x, &s->row);
    s->A = am_arena_doubles(&s->memory, NULL, e->plan.rows * nx, err);
    s->order = am_arena_doubles(&s->memory, NULL, 4 * nx, err);
    s->image = am_arena_doubles(&s->memory, NULL, e->plan.n, err);
    AM_TRY(am_arena_status(&s->memory));
    for (s->count = 0; s->count < count; s->count++) {
        slope *made = &s->slope[s->count];
        AM_TRY(am_model_check(model, number[s->count], "numbers", err));
        made->column = am_arena_doubles(&s->memory, NULL, nx, err);
        made->hop = am_arena_doubles(&s->memory, NULL, e->plan.m, err);
        AM_TRY(am_arena_status(&s->memory));
        AM_TRY(find_neighbours(e, model, number[s->count], made, err));
    }
    return AM_OK;
}

am_status am_slopes_follow(am_motion *e, am_model *model, const size_t *number, size_t count, am_error *err) {
    am_slopes_free(e->slopes);
    e->slopes = NULL;
    if (count == 0)
        return AM_OK;
    AM_TRY(check(e, err));
    AM_TRY(am_engine_follow(e, true, err));
    am_slopes *made = am_memory_new(1, sizeof *made, err);
    if (!made)
        return AM_ERR_MEMORY;
    am_status status = fill(made, e, model, number, count, err);
    if (status)
        am_slopes_free(made);
    else
        e->slopes = made;
    return status;
}

static void lose(am_motion *e, const char *why) {
    if (!e->slopes->lost)
        e->slopes->lost = why;
}

am_status am_slopes_status(const am_motion *e, am_error *err) {
    if (!e->slopes)
        return am_fail(err, AM_ERR_UNSUPPORTED, "the motion does not follow derivatives with respect to numbers");
    if (e->slopes->lost)
        return am_fail(err, AM_ERR_UNSUPPORTED, "the motion has no derivative with respect to a number: %s",
                       e->slopes->lost);
    return AM_OK;
}

double *am_slopes_column(am_motion *e, size_t i) {
    am_engine_sensitivity_settle(e);
    return e->slopes->slope[i].column;
}

double am_slopes_event(const am_motion *e, size_t i) {
    return -e->slopes->slope[i].share;
}

double am_slopes_of(const am_motion *e, size_t i, double (*value)(const am_system *system)) {
    const slope *s = &e->slopes->slope[i];
    double sum = 0.0;
    for (size_t k = 0; k < s->count; k++)
        sum += s->at[k].weight * value(s->at[k].system);
    return sum;
}

/* ---- derivatives of matrices and rows ---- */

/* All neighbours look at the state of contact of a flow. */
static bool select_flow(am_motion *e, const am_flow *flow) {
    for (size_t i = 0; i < e->slopes->count; i++)
        for (size_t k = 0; k < e->slopes->slope[i].count; k++) {
            neighbour *at = &e->slopes->slope[i].at[k];
            am_flow *found = NULL;
            am_flow_cache_trim(at->engine->cache, e->most_flows, NULL);
            at->flow = NULL;
            if (am_flow_get(at->engine->cache, flow->k.state, &found, NULL) != AM_OK || !found->possible ||
                found->quantities != flow->quantities || found->k.p != flow->k.p || found->split || flow->split) {
                lose(e, "contacts depend on each other");
                return false;
            }
            at->flow = found;
        }
    return true;
}

/* out (count) = sum of the neighbours' weights times what `get` points to. */
static void differ(const slope *s, const double *(*get)(const am_flow *flow), size_t from, size_t count, double *out) {
    memset(out, 0, count * sizeof *out);
    for (size_t k = 0; k < s->count; k++) {
        const double *values = get(s->at[k].flow) + from;
        for (size_t j = 0; j < count; j++)
            out[j] += s->at[k].weight * values[j];
    }
}

static const double *matrix_of(const am_flow *flow) {
    return flow->A;
}
static const double *rows_of(const am_flow *flow) {
    return flow->row;
}
static const double *friction_of(const am_flow *flow) {
    return flow->tangential;
}

/* ds_z of z' = G z. */
static void add_generator(const am_plan *plan, const slope *s, double factor, const double *z, double *out) {
    for (size_t k = 0; k < s->count; k++) {
        const am_generator_entry *G = s->at[k].system->G;
        for (size_t g = 0; g < plan->system->entries; g++)
            out[G[g].row] += factor * s->at[k].weight * G[g].value * z[G[g].column];
    }
}

/* One piece of at most 2/rate, by the series of both; dA is in s->A. */
static void carry_piece(const am_motion *e, const am_flow *flow, const slope *of, double length, double *x,
                        double *column) {
    const am_slopes *s = e->slopes;
    size_t n = e->plan.n, nd = e->plan.nd, nx = e->plan.nx;
    double *a = s->order, *next_a = a + nx, *b = a + 2 * nx, *next_b = a + 3 * nx, power = 1.0, *swap;
    memcpy(a, x, nx * sizeof *a);
    memcpy(b, column, nx * sizeof *b);
    for (size_t k = 0; k < AM_COEFFICIENTS; k++) {
        double factor = e->plan.inverse_order[k];
        am_flow_next_order(&e->plan, flow, a, nx, k, next_a);
        am_flow_next_order(&e->plan, flow, b, nx, k, next_b);
        for (size_t i = 0; i < e->plan.rows; i++)
            next_b[n + i] += factor * am_dense_dot(s->A + i * nx, a, nx);
        add_generator(&e->plan, of, factor, a + nd, next_b + nd);
        power *= length;
        for (size_t j = 0; j < nx; j++) {
            x[j] += power * next_a[j];
            column[j] += power * next_b[j];
        }
        swap = a, a = next_a, next_a = swap;
        swap = b, b = next_b, next_b = swap;
    }
}

void am_slopes_carry(am_motion *e, const am_flow *flow, size_t i, double length, double *x, double *column) {
    const slope *of = &e->slopes->slope[i];
    bool past = flow != e->flow; /* it has ended */
    if (e->slopes->lost || !(length > 0.0) || (past && !select_flow(e, flow)))
        return;
    differ(of, matrix_of, 0, e->plan.rows * e->plan.nx, e->slopes->A);
    double pieces = fmax(ceil(0.5 * length * flow->rate), 1.0);
    for (double p = 0.0; p < pieces; p++)
        carry_piece(e, flow, of, length / pieces, x, column);
    if (past)
        select_flow(e, e->flow);
}

/* ---- what happens ---- */

/* The columns are where the motion is; the inputs' part is known at every time. */
static void arrive(am_motion *e) {
    size_t nd = e->plan.nd;
    memcpy(e->slopes->x, e->x, e->plan.nx * sizeof *e->x);
    for (size_t i = 0; i < e->slopes->count; i++) {
        slope *of = &e->slopes->slope[i];
        memset(of->column + nd, 0, e->plan.nz * sizeof *of->column);
        for (size_t k = 0; k < of->count; k++) {
            double *z = of->at[k].engine->x + nd;
            am_system_inputs_at(of->at[k].system, e->now, z);
            for (size_t j = 0; j < e->plan.nz; j++)
                of->column[nd + j] += of->at[k].weight * z[j];
            double end = am_system_next_break(of->at[k].system, e->now.t);
            if (end != e->next_break.t && !(fabs(end - e->next_break.t) <= 1e-12 * fabs(end)))
                lose(e, "it moves a time at which a load jumps or bends");
        }
    }
    if (!e->slopes->lost)
        select_flow(e, e->flow);
}

void am_slopes_start(am_motion *e) {
    e->slopes->lost = NULL;
    for (size_t i = 0; i < e->slopes->count; i++) {
        memset(e->slopes->slope[i].column, 0, e->plan.nx * sizeof *e->slopes->slope[i].column);
        memset(e->slopes->slope[i].hop, 0, e->plan.m * sizeof *e->slopes->slope[i].hop);
        e->slopes->slope[i].share = 0.0;
    }
    arrive(e);
}

void am_slopes_span(am_motion *e, double length) {
    for (size_t i = 0; !e->slopes->lost && i < e->slopes->count; i++) {
        memcpy(e->slopes->row, e->slopes->x, e->plan.nx * sizeof *e->slopes->row);
        am_slopes_carry(e, e->flow, i, length, e->slopes->row, e->slopes->slope[i].column);
    }
    if (!e->slopes->lost)
        arrive(e);
}

/* A blow, M^-1 times an impulse. */
static void add_blow(am_motion *e, slope *of) {
    size_t n = e->plan.n;
    for (size_t k = 0; k < of->count; k++) {
        if (!am_system_blow(of->at[k].system, e->now.t, e->slopes->row))
            continue;
        am_dense_apply(of->at[k].engine->plan.inverse_mass, n, n, e->slopes->row, e->slopes->image);
        for (size_t i = 0; i < n; i++)
            of->column[n + i] += of->at[k].weight * e->slopes->image[i];
    }
}

void am_slopes_before(am_motion *e, const double *row, double rate) {
    size_t nx = e->plan.nx;
    for (size_t i = 0; !e->slopes->lost && i < e->slopes->count; i++) {
        slope *of = &e->slopes->slope[i];
        of->share = 0.0;
        if (row) {
            differ(of, rows_of, (size_t)(row - e->flow->row), nx, e->slopes->row);
            of->share = (am_dense_dot(row, of->column, nx) + am_dense_dot(e->slopes->row, e->x, nx)) / rate;
        } else {
            add_blow(e, of);
        }
    }
}

void am_slopes_hop(am_motion *e, size_t contact, bool is_short) {
    for (size_t i = 0; i < e->slopes->count; i++) {
        slope *of = &e->slopes->slope[i];
        if (is_short)
            of->share = of->hop[contact];
        else
            of->hop[contact] = of->share;
    }
}

void am_slopes_impact(am_motion *e, const am_flow *flow, bool elastic) {
    size_t n = e->plan.n, m = e->plan.m;
    double *image = e->slopes->image;
    if (e->slopes->lost || !select_flow(e, flow))
        return;
    if (e->expands) {
        lose(e, "it meets an impact with Poisson's restitution");
        return;
    }
    for (size_t i = 0; i < e->slopes->count; i++) {
        slope *of = &e->slopes->slope[i];
        am_engine_impact_map(e, flow, elastic, of->column + n, AM_BELT_RESTS, image);
        memcpy(of->column + n, image, n * sizeof *image);
        for (size_t k = 0; k < of->count; k++) {
            am_motion *other = of->at[k].engine;
            memcpy(other->x, e->x, e->plan.nd * sizeof *other->x);
            memcpy(other->mark, e->mark, m * sizeof *other->mark);
            other->expands = false;
            am_engine_impact_map(other, of->at[k].flow, elastic, e->x + n, AM_BELT_MOVES, image);
            for (size_t j = 0; j < n; j++)
                of->column[n + j] += of->at[k].weight * image[j];
        }
    }
}

void am_slopes_after(am_motion *e, const double *rate_after) {
    for (size_t c = 0; c < e->plan.m; c++)
        if (e->mark[c].relaxed && e->state[c] == AM_STICK)
            lose(e, "a slider breaks loose and sticks again at once");
    for (size_t i = 0; i < e->slopes->count; i++) {
        slope *of = &e->slopes->slope[i];
        for (size_t j = 0; j < e->plan.nd; j++)
            of->column[j] += (rate_after[j] - e->rate_before[j]) * of->share;
    }
    if (!e->slopes->lost)
        arrive(e);
}

void am_slopes_limit(am_motion *e, size_t contact) {
    size_t nx = e->plan.nx, spring = 2 * e->plan.n + e->plan.spring[contact];
    const double *T = e->flow->tangential + contact * nx, k = e->plan.system->contact[contact].tangential_stiffness;
    for (size_t i = 0; !e->slopes->lost && i < e->slopes->count; i++) {
        slope *of = &e->slopes->slope[i];
        double softer = 0.0; /* d(1/k) */
        for (size_t j = 0; j < of->count; j++)
            softer += of->at[j].weight / of->at[j].system->contact[contact].tangential_stiffness;
        of->column[spring] = 0.0;
        if (!am_is_closed(e->state[contact]))
            continue;
        differ(of, friction_of, contact * nx, nx, e->slopes->row);
        double force = am_dense_dot(T, of->column, nx) + am_dense_dot(e->slopes->row, e->x, nx);
        of->column[spring] = -force / k - softer * am_dense_dot(T, e->x, nx);
    }
}

/* ---- the public face ---- */

am_status am_motion_follow_numbers(am_motion *motion, am_model *model, const size_t *numbers, size_t count,
                                   am_error *err) {
    if (!am_is(motion, AM_TAG_MOTION) || (count > 0 && (!am_is(model, AM_TAG_MODEL) || !numbers)))
        return am_misused(err, __func__);
    am_error own = {0};
    return am_slopes_follow(motion, model, numbers, count, err ? err : &own);
}

am_status am_motion_number_slopes(am_motion *motion, double *state, double *event, am_error *err) {
    if (!am_is(motion, AM_TAG_MOTION) || !motion->slopes)
        return am_misused(err, __func__);
    AM_TRY(am_engine_need_start(motion, err));
    size_t nd = motion->plan.nd, count = motion->slopes->count;
    am_engine_sensitivity_settle(motion);
    AM_TRY(am_slopes_status(motion, err));
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; state && j < nd; j++)
            state[j * count + i] = motion->slopes->slope[i].column[j];
        if (event)
            event[i] = am_slopes_event(motion, i);
    }
    return AM_OK;
}
