/* Friction of large structures about steady sliding, rub by rub: the slopes of system/steady.h at the normal forces that a
 * coefficient of friction gives, which one solution of the structure per contact tells for all of them. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "analyses/squeal/full_problem.h"
#include "base/local.h"
#include "system/capability.h"
#include "system/combination.h"
#include "system/steady.h"
#include "system/system.h"

enum { BLOCK = 32 };

/* Memory that slip and pressure feed with less than this part of what it forgets is none. */
static const double feeds_nothing = 1e-12;

double am_squeal_friction_of(const am_squeal_full *f, size_t contact, double mu) {
    double own = f->system->contact[contact].friction;
    if (mu == f->reference) /* not rounded at the model's own */
        return own;
    return f->reference > 0.0 ? own / f->reference * mu : mu;
}

/* ---- which there are ---- */

static bool slides(am_contact_state state) {
    return state == AM_FORWARD || state == AM_BACKWARD;
}

/* A contact rubs along its tangent; in a plane, friction turns across it as well. */
static void add_rub(am_squeal_full *f, size_t c, size_t row, bool across) {
    const am_contact_def *contact = &f->system->contact[c];
    bool springs = across && contact->tangential_stiffness > 0.0;
    f->rub[f->rubs] = (am_squeal_rub){.contact = c,
                                      .row = row,
                                      .share = f->reference > 0.0 ? contact->friction / f->reference : 1.0,
                                      .law = across || contact->speed_friction.law,
                                      .across = across,
                                      .first = f->w,
                                      .memories = across ? springs : am_law_memories(&contact->speed_friction)};
    f->laws = f->laws || f->rub[f->rubs].law;
    f->w += f->rub[f->rubs++].memories;
}

/* Those of the rows first, in their order (none along a row that holds a stuck contact), then the others. */
static void list_rubs(am_squeal_full *f) {
    for (size_t r = 0; r < f->m; r++) {
        if (slides(f->state[f->contact[r]])) {
            add_rub(f, f->contact[r], r, false);
            continue;
        }
        f->rub[f->rubs++] = (am_squeal_rub){.contact = f->contact[r], .row = r};
    }
    for (size_t c = 0; c < f->system->m; c++) {
        const am_contact_def *contact = &f->system->contact[c];
        if (slides(f->state[c]) && contact->normal_law == AM_HELD && contact->speed_friction.law)
            add_rub(f, c, AM_NO_ROW, false);
        if (slides(f->state[c]) && contact->second_tangent && contact->friction > 0.0)
            add_rub(f, c, AM_NO_ROW, true);
    }
}

am_status am_squeal_friction_list(am_squeal_full *f, am_error *err) {
    size_t most = f->m + 2 * f->system->m, entries = 0;
    f->set_mu = NAN;
    f->rub = am_arena_new(&f->memory, most, sizeof *f->rub, err);
    AM_TRY(am_arena_status(&f->memory));
    list_rubs(f);
    for (size_t r = 0; r < f->rubs; r++)
        entries += am_squeal_count(f->system->contact[f->rub[r].contact].tangent, f->n) +
                   am_squeal_count(f->system->contact[f->rub[r].contact].second_tangent, f->n);
    AM_TRY(am_squeal_list_new(&f->tangent, f->rubs, entries, &f->memory, err));
    for (size_t r = 0; r < f->rubs; r++) {
        const am_squeal_rub *rub = &f->rub[r];
        const am_contact_def *contact = &f->system->contact[rub->contact];
        double sign = am_slip_sign(f->state[rub->contact]);
        am_squeal_list_set(&f->tangent, r, rub->across ? contact->second_tangent : contact->tangent,
                           rub->law ? sign : rub->share * sign, f->n);
    }
    return AM_OK;
}

/* ---- normal forces of steady sliding ---- */

static bool is_steady(const am_squeal_full *f) {
    for (size_t c = 0; c < f->system->m; c++)
        if (am_slip_sign(f->state[c]) * f->system->contact[c].surface_velocity < 0.0)
            return false;
    return true;
}

/* The rows of lambda that loads, and unit friction along each rub of a row, cause without any other friction. */
static am_status solve_statics(am_squeal_full *f, am_squeal_statics *s, bool *known, am_error *err) {
    AM_LOCAL_MEMORY double complex *block = am_memory_new(f->size * BLOCK, sizeof *block, err);
    bool singular = false;
    AM_TRY(block ? am_squeal_full_factor(f, 0.0, 0.0, &singular, err) : AM_ERR_MEMORY);
    *known = !singular && am_squeal_full_loads(f, 0.0, block) && am_squeal_full_loads(f, 1.0, block + f->size);
    if (!*known)
        return AM_OK;
    AM_TRY(am_squeal_full_solve(f, block, 2, err));
    for (size_t r = 0; r < f->m; r++) {
        s->free[r] = creal(block[f->n + r]);
        s->given[r] = creal(block[f->size + f->n + r]) - s->free[r];
    }
    for (size_t first = 0; first < f->m; first += BLOCK) {
        size_t count = f->m - first < BLOCK ? f->m - first : BLOCK;
        memset(block, 0, count * f->size * sizeof *block);
        for (size_t c = 0; c < count; c++)
            for (size_t e = f->tangent.start[first + c]; e < f->tangent.start[first + c + 1]; e++)
                block[c * f->size + f->tangent.index[e]] +=
                    (f->rub[first + c].law ? f->rub[first + c].share : 1.0) * f->tangent.value[e];
        AM_TRY(am_squeal_full_solve(f, block, count, err));
        for (size_t c = 0; c < count; c++)
            for (size_t r = 0; r < f->m; r++)
                s->R[r * f->m + first + c] = creal(block[c * f->size + f->n + r]);
    }
    return AM_OK;
}

/* NULL: there is no finite one. */
static const double *normal_forces(am_squeal_full *f, double mu) {
    am_squeal_statics *s = &f->statics;
    lapack_int m = (lapack_int)f->m;
    for (size_t r = 0; r < f->m; r++) { /* column-major */
        s->lambda[r] = s->free[r] + mu * s->given[r];
        for (size_t c = 0; c < f->m; c++)
            s->small[c * f->m + r] = (r == c) - mu * s->R[r * f->m + c];
    }
    bool solved = m == 0 || LAPACKE_dgesv_work(LAPACK_COL_MAJOR, m, 1, s->small, m, s->order, s->lambda, m) == 0;
    return solved ? s->lambda : NULL;
}

bool am_squeal_friction_holds(am_squeal_full *f, double mu) {
    if (!f->laws)
        return true;
    const double *lambda = normal_forces(f, mu);
    bool loaded = false, closed = lambda != NULL;
    for (size_t r = 0; r < f->m; r++)
        loaded = loaded || f->statics.free[r] != 0.0 || f->statics.given[r] != 0.0;
    for (size_t r = 0; r < f->m && loaded && closed; r++)
        closed = lambda[r] > 0.0;
    return closed;
}

/* ---- slopes ---- */

static double normal_of(const am_squeal_full *f, const am_squeal_rub *rub, const double *lambda) {
    const am_contact_def *contact = &f->system->contact[rub->contact];
    if (contact->normal_law == AM_HELD)
        return am_function_at(&contact->hold, 0.0);
    for (size_t r = 0; lambda && r < f->m; r++) /* across the slip: that of the other rub */
        if (f->contact[r] == rub->contact)
            return lambda[r];
    return NAN;
}

static void set_law(am_squeal_full *f, am_squeal_rub *rub, double mu, const double *lambda) {
    am_contact_def contact = f->system->contact[rub->contact];
    double normal = normal_of(f, rub, lambda);
    contact.friction = am_squeal_friction_of(f, rub->contact, mu);
    if (!rub->across) {
        rub->slope = am_steady_slope(&contact, normal);
        rub->remembers = am_steady_memories(&contact) > 0;
        return;
    }
    am_across turns = am_steady_across(&contact, normal);
    rub->slope = (am_drag){.force = {.by_v = turns.damping, .by_w = {turns.stiffness}},
                           .rate[0] = {.by_v = 1.0, .by_w = {-turns.decay}}};
    rub->remembers = turns.stiffness > 0.0;
}

void am_squeal_friction_set(am_squeal_full *f, double mu) {
    if (f->set_mu == mu)
        return;
    bool known = f->laws && f->statics.R;
    const double *lambda = known ? normal_forces(f, mu) : NULL;
    for (size_t r = 0; r < f->rubs; r++) {
        am_squeal_rub *rub = &f->rub[r];
        rub->remembers = false;
        rub->slope = (am_drag){.force.by_N = rub->law ? rub->share * mu : mu};
        if (rub->law && known)
            set_law(f, rub, mu, lambda);
        rub->remembers = rub->remembers && rub->memories > 0 && !rub->idle;
        if (!rub->remembers)
            for (size_t w = 0; w < AM_LAW_MEMORIES; w++) {
                rub->slope.force.by_w[w] = 0.0;
                rub->slope.rate[w] = (am_sloped){0};
            }
    }
    f->set_mu = mu;
}

bool am_squeal_friction_is_finite(const am_squeal_full *f) {
    double sum = 0.0;
    for (size_t r = 0; r < f->rubs && f->laws; r++) {
        const am_drag *slope = &f->rub[r].slope;
        sum += slope->force.by_v + slope->force.by_N + slope->rate[0].by_N + slope->rate[1].by_N;
    }
    return isfinite(sum);
}

/* Slip and pressure do not change what it remembers: it dies away by itself, and nothing else follows. */
static bool is_idle(const am_squeal_full *f, const am_squeal_rub *rub) {
    const am_drag *slope = &rub->slope;
    double speed = fabs(f->system->contact[rub->contact].surface_velocity), size = fabs(slope->force.value);
    double normal = rub->row == AM_NO_ROW ? 0.0 : fabs(f->statics.lambda[rub->row]);
    if (rub->memories != 1 || rub->across)
        return false;
    double fed = fabs(slope->rate[0].by_v) * speed + fabs(slope->rate[0].by_N) * normal;
    return fed * fabs(slope->force.by_w[0]) <= feeds_nothing * fabs(slope->rate[0].by_w[0]) * size;
}

am_status am_squeal_friction_settle(am_squeal_full *f, am_error *err) {
    am_squeal_statics s = {0};
    bool known = false;
    if (!f->laws)
        return AM_OK;
    AM_ARENA_DOUBLES(&f->memory, f->m * f->m, err, &s.R, &s.small);
    AM_ARENA_DOUBLES(&f->memory, f->m, err, &s.free, &s.given, &s.lambda);
    s.order = am_arena_new(&f->memory, f->m, sizeof *s.order, err);
    AM_TRY(am_arena_status(&f->memory));
    AM_TRY(is_steady(f) ? solve_statics(f, &s, &known, err) : AM_OK);
    f->statics = s;
    f->factored = false;
    f->factors = 0;
    f->set_mu = NAN;
    am_squeal_friction_set(f, f->reference);
    for (size_t r = 0; r < f->rubs; r++) {
        am_squeal_rub *rub = &f->rub[r];
        if (!rub->law)
            continue;
        AM_TRY(am_steady_check(f->system, rub->contact, known, &rub->slope, err));
        rub->idle = is_idle(f, rub);
    }
    f->set_mu = NAN;
    return AM_OK;
}
