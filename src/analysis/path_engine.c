#include "analysis/path_engine.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/dense.h"

/* A value below this fraction of its scale is zero but for rounding. */
static const double same_value = 1e-12;

/* The same for rates, of which candidates are judged: one digit more for the cancellation in near-singular
 * combinations. */
static const double same_rate = 1e-11;

/* Two candidates whose rates differ by less than this go on in the same way. */
static const double same_motion = 1e-9;

/* Combinations kept: at least a few, at most what fits into this many bytes. */
enum { CACHE_LEAST = 64, CACHE_BYTES = 1 << 26 };

static double largest(const double *x, size_t n) {
    double most = 0.0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* ---- combinations met before ---- */

static size_t hash_state(const am_contact_state *state, size_t m) {
    size_t h = 1469598103u;
    for (size_t c = 0; c < m; c++)
        h = (h ^ (size_t)state[c]) * 16777619u;
    return h ^ (h >> 15);
}

static am_status cache_init(am_path_cache *cache, size_t n, size_t m, am_error *err) {
    size_t size = n + 2 * m, bytes = sizeof(am_combination) + 2 * size * size * sizeof(double);
    cache->limit = CACHE_BYTES / bytes;
    cache->limit = cache->limit < CACHE_LEAST            ? CACHE_LEAST
                   : cache->limit > AM_CANDIDATES_BUDGET ? AM_CANDIDATES_BUDGET
                                                         : cache->limit;
    cache->slot_count = 256;
    cache->slots = am_memory_new(cache->slot_count, sizeof *cache->slots, err);
    return cache->slots ? AM_OK : AM_ERR_MEMORY;
}

static void cache_clear(am_path_cache *cache) {
    for (size_t i = 0; cache->slots && i < cache->slot_count; i++)
        if (cache->slots[i]) {
            am_combination_clear(cache->slots[i]);
            am_memory_free(cache->slots[i]);
        }
    am_memory_free(cache->slots);
    am_combination_clear(&cache->passing);
}

/* The slot of a combination: its own, or the free one where it belongs. */
static am_combination **slot_of(am_combination **slots, size_t count, const am_contact_state *state, size_t m) {
    size_t i = hash_state(state, m) & (count - 1);
    while (slots[i] && memcmp(slots[i]->state, state, m * sizeof *state) != 0)
        i = (i + 1) & (count - 1);
    return &slots[i];
}

static am_status cache_grow(am_path_cache *cache, size_t m, am_error *err) {
    if (2 * cache->count < cache->slot_count)
        return AM_OK;
    size_t wanted = 2 * cache->slot_count;
    am_combination **slots = am_memory_new(wanted, sizeof *slots, err);
    if (!slots)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < cache->slot_count; i++)
        if (cache->slots[i])
            *slot_of(slots, wanted, cache->slots[i]->state, m) = cache->slots[i];
    am_memory_free(cache->slots);
    cache->slots = slots;
    cache->slot_count = wanted;
    return AM_OK;
}

/* The algebra of a combination. Borrowed until the next call. */
static am_status combination_of(am_path_engine *e, const am_contact_state *state, const am_combination **found,
                                am_error *err) {
    am_path_cache *cache = &e->cache;
    am_combination **slot = slot_of(cache->slots, cache->slot_count, state, e->m);
    *found = *slot;
    if (*slot)
        return AM_OK;
    if (cache->count >= cache->limit) {
        am_combination_clear(&cache->passing);
        *found = &cache->passing;
        return am_combination_init(&cache->passing, e->system, e->K, state, err);
    }
    am_status status = cache_grow(cache, e->m, err);
    if (status)
        return status;
    am_combination *fresh = am_memory_new(1, sizeof *fresh, err);
    if (!fresh)
        return AM_ERR_MEMORY;
    status = am_combination_init(fresh, e->system, e->K, state, err);
    if (status) {
        am_memory_free(fresh);
        return status;
    }
    *slot_of(cache->slots, cache->slot_count, state, e->m) = fresh;
    cache->count++;
    *found = fresh;
    return AM_OK;
}

/* ---- creation ---- */

static double *carve(double **next, size_t count) {
    double *piece = *next;
    *next += count;
    return piece;
}

static am_path_point carve_point(double **next, size_t n, size_t m) {
    am_path_point point;
    point.q = carve(next, n);
    point.normal = carve(next, m);
    point.tangential = carve(next, m);
    return point;
}

am_status am_path_engine_init(am_path_engine *engine, const am_system *system, am_error *err) {
    am_path_engine *e = engine;
    size_t n = system->n, m = system->m;
    *e = (am_path_engine){.system = system, .n = n, .m = m};
    double *next = e->memory = am_memory_new(n * n + 10 * n + 18 * m + 2 * system->nz, sizeof *next, err);
    e->state = am_memory_new(m, sizeof *e->state, err);
    e->trial = am_memory_new(m, sizeof *e->trial, err);
    e->hit = am_memory_new(m, sizeof *e->hit, err);
    e->standing = am_memory_new(m, sizeof *e->standing, err);
    e->choices = am_memory_new(m, sizeof *e->choices, err);
    am_status status = cache_init(&e->cache, n, m, err);
    if (status || !next || !e->state || !e->trial || !e->hit || !e->standing || !e->choices) {
        am_path_engine_clear(e);
        return AM_ERR_MEMORY;
    }
    e->K = carve(&next, n * n);
    e->now = carve_point(&next, n, m);
    e->rate = carve_point(&next, n, m);
    e->point = carve_point(&next, n, m);
    e->chosen = carve_point(&next, n, m);
    e->force = carve(&next, n);
    e->force_rate = carve(&next, n);
    e->right = carve(&next, n);
    e->q_scale = carve(&next, n);
    e->q_size = carve(&next, n);
    e->reference = carve(&next, n);
    e->held = carve(&next, m);
    e->held_rate = carve(&next, m);
    e->stuck = carve(&next, m);
    e->since = carve(&next, m);
    e->given = carve(&next, 2 * m);
    e->lambda = carve(&next, 2 * m);
    e->z = carve(&next, system->nz);
    e->z_rate = carve(&next, system->nz);
    am_matrix_to_dense(system->K, e->K);
    return AM_OK;
}

void am_path_engine_clear(am_path_engine *engine) {
    cache_clear(&engine->cache);
    am_memory_free(engine->memory);
    am_memory_free(engine->state);
    am_memory_free(engine->trial);
    am_memory_free(engine->hit);
    am_memory_free(engine->standing);
    am_memory_free(engine->choices);
    *engine = (am_path_engine){0};
}

static void copy_point(const am_path_engine *e, am_path_point *to, const am_path_point *from) {
    memcpy(to->q, from->q, e->n * sizeof *to->q);
    memcpy(to->normal, from->normal, e->m * sizeof *to->normal);
    memcpy(to->tangential, from->tangential, e->m * sizeof *to->tangential);
}

/* ---- loads ---- */

/* Loads and held forces at t, and their rates just after. */
static void load_inputs(am_path_engine *e, double t) {
    const am_system *s = e->system;
    am_system_inputs(s, t, e->z);
    memset(e->z_rate, 0, s->nz * sizeof *e->z_rate);
    for (size_t i = 0; i < s->entries; i++)
        e->z_rate[s->G[i].row] += s->G[i].value * e->z[s->G[i].column];
    am_dense_apply(s->input, e->n, s->nz, e->z, e->force);
    am_dense_apply(s->input, e->n, s->nz, e->z_rate, e->force_rate);
    am_dense_apply(s->hold, e->m, s->nz, e->z, e->held);
    am_dense_apply(s->hold, e->m, s->nz, e->z_rate, e->held_rate);
    e->t = t;
    for (size_t i = 0; i < e->n; i++)
        e->force_scale = fmax(e->force_scale, fabs(e->force[i]));
}

static void note_scales(am_path_engine *e, const am_path_point *p) {
    for (size_t i = 0; i < e->n; i++)
        e->q_scale[i] = fmax(e->q_scale[i], fabs(p->q[i]));
    for (size_t c = 0; c < e->m; c++)
        e->force_scale = fmax(e->force_scale, fmax(fabs(p->normal[c]), fabs(p->tangential[c])));
}

/* ---- solving one combination ---- */

/* K q = force + friction of held contacts + B lambda, J q = given. Also notes the size of the terms that were added. */
static void solve(am_path_engine *e, const am_combination *k, const double *force, const double *held,
                  const double *given, am_path_point *p) {
    memcpy(e->right, force, e->n * sizeof *e->right);
    for (size_t c = 0; c < e->m; c++) {
        const am_contact_def *contact = &e->system->contact[c];
        double friction =
            contact->normal_law == AM_HELD ? am_slip_sign(k->state[c]) * contact->friction * held[c] : 0.0;
        for (size_t i = 0; friction != 0.0 && i < e->n; i++)
            e->right[i] += friction * contact->tangent[i];
    }
    am_dense_apply(k->Y, e->n, e->n, e->right, p->q);
    am_dense_add(k->Yc, e->n, k->p, given, p->q);
    am_dense_apply(k->L, k->p, e->n, e->right, e->lambda);
    am_dense_add(k->Lc, k->p, k->p, given, e->lambda);
    am_candidates_forces(k, e->system, e->lambda, held, p->normal, p->tangential);
}

static double size_of(const double *a, const double *x, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(a[i] * x[i]);
    return sum;
}

/* Rates of a candidate, with the sizes that tell zero from rounding. */
static void solve_rate(am_path_engine *e, const am_combination *k) {
    for (size_t c = 0; c < e->m; c++) {
        if (k->normal_row[c] != AM_NO_ROW)
            e->given[k->normal_row[c]] = 0.0;
        if (k->stick_row[c] != AM_NO_ROW)
            e->given[k->stick_row[c]] = e->system->contact[c].surface_velocity;
    }
    solve(e, k, e->force_rate, e->held_rate, e->given, &e->point);
    e->force_size = 0.0;
    for (size_t i = 0; i < e->n; i++) {
        e->q_size[i] = size_of(k->Y + i * e->n, e->right, e->n) + size_of(k->Yc + i * k->p, e->given, k->p);
        e->force_size = fmax(e->force_size, fabs(e->right[i]));
    }
    for (size_t r = 0; r < k->p; r++)
        e->force_size =
            fmax(e->force_size, size_of(k->L + r * e->n, e->right, e->n) + size_of(k->Lc + r * k->p, e->given, k->p));
}

/* Total equations at the present time. Sticking contacts stand where the reference displacements put them, or, without
 * reference, where they stuck (and the surface has carried them). */
static void solve_total(am_path_engine *e, const am_combination *k, const double *reference, am_path_point *p) {
    for (size_t c = 0; c < e->m; c++) {
        const am_contact_def *contact = &e->system->contact[c];
        if (k->normal_row[c] != AM_NO_ROW)
            e->given[k->normal_row[c]] = -contact->gap;
        if (k->stick_row[c] != AM_NO_ROW)
            e->given[k->stick_row[c]] = reference ? am_dense_dot(contact->tangent, reference, e->n)
                                                  : e->stuck[c] + contact->surface_velocity * (e->t - e->since[c]);
    }
    solve(e, k, e->force, e->held, e->given, p);
}

double am_path_engine_continuity(const am_path_engine *engine) {
    /* A structure that hardly moves is measured by what the loads would do to the stiffest of its springs. */
    double stiffest = largest(engine->K, engine->n * engine->n);
    double scale = fmax(largest(engine->q_scale, engine->n), stiffest > 0.0 ? engine->force_scale / stiffest : 0.0);
    return scale > 0.0 ? engine->continuity / scale : 0.0;
}

double am_path_engine_gap(const am_path_engine *engine, size_t contact, const double *q) {
    const am_contact_def *def = &engine->system->contact[contact];
    return am_dense_dot(def->normal, q, engine->n) + def->gap;
}

static double gap_tolerance(const am_path_engine *e, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    return same_value * (fabs(contact->gap) + size_of(contact->normal, e->q_scale, e->n));
}

/* mu N + sign T: distance to the limit of forward (+) or backward (-) slip. */
static double reserve(const am_path_engine *e, const am_path_point *p, size_t c, double sign) {
    return e->system->contact[c].friction * p->normal[c] + sign * p->tangential[c];
}

static bool is_held(const am_path_engine *e, size_t c) {
    return e->system->contact[c].normal_law == AM_HELD;
}

/* ---- the rate problem ---- */

/* Where does each contact stand, and what may it do next? */
static void classify(am_path_engine *e) {
    double zero = same_value * e->force_scale;
    for (size_t c = 0; c < e->m; c++) {
        am_path_standing *s = &e->standing[c];
        am_choice *choice = &e->choices[c];
        bool open = !is_held(e, c) && e->state[c] == AM_OPEN;
        bool closing = open && ((e->hit[c] & AM_HIT_GAP) || am_path_engine_gap(e, c, e->now.q) <= gap_tolerance(e, c));
        *s = (am_path_standing){0};
        *choice = (am_choice){0};
        if (open && !closing) {
            am_choice_add(choice, AM_OPEN);
            continue;
        }
        s->origin = closing || (e->hit[c] & AM_HIT_NORMAL) || e->now.normal[c] <= zero;
        s->forward = s->origin || (e->hit[c] & AM_HIT_FORWARD) || reserve(e, &e->now, c, 1.0) <= zero;
        s->backward = s->origin || (e->hit[c] & AM_HIT_BACKWARD) || reserve(e, &e->now, c, -1.0) <= zero;
        am_choice_add(choice, AM_STICK);
        if (s->forward)
            am_choice_add(choice, AM_FORWARD);
        if (s->backward)
            am_choice_add(choice, AM_BACKWARD);
        if (s->origin && !is_held(e, c))
            am_choice_add(choice, AM_OPEN);
    }
}

/* Does the contact keep its inequalities with the rates in e->point? */
static bool rate_allowed(const am_path_engine *e, const am_combination *k, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    const am_path_standing *s = &e->standing[c];
    double force = -same_rate * e->force_size;
    if (k->state[c] == AM_OPEN)
        return !s->origin || am_dense_dot(contact->normal, e->point.q, e->n) >=
                                 -same_rate * size_of(contact->normal, e->q_size, e->n);
    if (s->origin && !(e->point.normal[c] >= force))
        return false;
    if (k->state[c] == AM_STICK)
        return (!s->forward || reserve(e, &e->point, c, 1.0) >= force) &&
               (!s->backward || reserve(e, &e->point, c, -1.0) >= force);
    double slip = am_dense_dot(contact->tangent, e->point.q, e->n) - contact->surface_velocity;
    double size = size_of(contact->tangent, e->q_size, e->n) + fabs(contact->surface_velocity);
    return -am_slip_sign(k->state[c]) * slip >= -same_rate * size;
}

static double distance(const double *x, const double *y, size_t n, double *scale) {
    double most = 0.0;
    *scale = 0.0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        *scale = fmax(*scale, fmax(fabs(x[i]), fabs(y[i])));
    }
    return most;
}

/* Do the points e->point and e->chosen agree, but for rounding and for differences below the given floors? */
static bool same_point(const am_path_engine *e, double q_floor, double force_floor) {
    double q_scale, normal_scale, tangential_scale;
    double q = distance(e->point.q, e->chosen.q, e->n, &q_scale);
    double normal = distance(e->point.normal, e->chosen.normal, e->m, &normal_scale);
    double tangential = distance(e->point.tangential, e->chosen.tangential, e->m, &tangential_scale);
    double force_scale = fmax(force_floor, fmax(normal_scale, tangential_scale));
    return q <= same_motion * fmax(q_scale, q_floor) && fmax(normal, tangential) <= same_motion * force_scale;
}

static am_status too_many(const am_path_engine *e, am_error *err) {
    return am_fail(
        err, AM_ERR_UNSUPPORTED,
        "at t = %.10g the %zu contacts have more than %zu combinations of states to choose from: too many to "
        "look at each of them",
        e->t, e->m, AM_CANDIDATES_BUDGET);
}

/* Is candidate `index` a solution of the rate problem? Its rates are then in e->point. */
static am_status try_rate(am_path_engine *e, size_t index, bool *admissible, am_error *err) {
    const am_combination *k;
    *admissible = false;
    am_candidates_get(e->choices, e->m, index, e->trial);
    am_status status = combination_of(e, e->trial, &k, err);
    if (status || k->condition <= 0.0)
        return status;
    solve_rate(e, k);
    for (size_t c = 0; c < e->m; c++)
        if (!rate_allowed(e, k, c))
            return AM_OK;
    *admissible = true;
    return AM_OK;
}

typedef am_status (*attempt)(am_path_engine *e, size_t index, bool *admissible, am_error *err);

/* "stick+backward": all candidates that pass. */
static am_status name_admissible(am_path_engine *e, attempt attempt_one, size_t total, am_text *names, am_error *err) {
    bool first = true;
    for (size_t i = 0; i < total; i++) {
        bool admissible;
        am_status status = attempt_one(e, i, &admissible, err);
        if (status)
            return status;
        if (!admissible)
            continue;
        am_text_add(names, first ? "" : "+");
        am_candidates_name(names, e->trial, e->m);
        first = false;
    }
    return am_text_status(names, err);
}

static am_status fail_with_names(am_path_engine *e, attempt attempt_one, size_t total, am_status failure,
                                 const char *what, am_error *err) {
    am_text names = {0};
    am_status status = name_admissible(e, attempt_one, total, &names, err);
    if (!status)
        status = am_fail(err, failure, "at t = %.10g %s: %s", e->t, what, am_text_view(&names));
    am_text_free(&names);
    return status;
}

/* Take the combination in e->trial with the rates in e->chosen. */
static am_status take(am_path_engine *e, am_error *err) {
    const am_combination *k;
    for (size_t c = 0; c < e->m; c++) {
        if (e->trial[c] == AM_STICK && e->state[c] != AM_STICK) {
            e->stuck[c] = am_dense_dot(e->system->contact[c].tangent, e->now.q, e->n);
            e->since[c] = e->t;
        }
        e->state[c] = e->trial[c];
        e->hit[c] = 0;
    }
    copy_point(e, &e->rate, &e->chosen);
    am_status status = combination_of(e, e->state, &k, err);
    if (status)
        return status;
    /* In exact arithmetic the new combination agrees with the old one here. */
    solve_total(e, k, NULL, &e->point);
    double scale;
    e->continuity = fmax(e->continuity, distance(e->point.q, e->now.q, e->n, &scale));
    copy_point(e, &e->now, &e->point);
    return AM_OK;
}

am_status am_path_engine_decide(am_path_engine *engine, const am_contact_state *start, bool *found, am_error *err) {
    am_path_engine *e = engine;
    classify(e);
    size_t total = am_candidates_count(e->choices, e->m), best = 0, best_rank = 0;
    bool differ = false, start_is_admissible = false;
    *found = false;
    if (total == 0)
        return too_many(e, err);
    for (size_t i = 0; i < total; i++) {
        bool admissible;
        am_status status = try_rate(e, i, &admissible, err);
        if (status)
            return status;
        if (!admissible)
            continue;
        bool is_start = start && memcmp(e->trial, start, e->m * sizeof *start) == 0;
        bool unchanged = memcmp(e->trial, e->state, e->m * sizeof *e->trial) == 0;
        if (*found)
            differ = differ || !same_point(e, largest(e->q_size, e->n), e->force_size);
        /* The named start wins, then the unchanged state, then the first in order of preference. */
        size_t rank = is_start ? 3 : unchanged ? 2 : 1;
        start_is_admissible = start_is_admissible || is_start;
        if (rank > best_rank) {
            best = i;
            best_rank = rank;
            copy_point(e, &e->chosen, &e->point);
        }
        *found = true;
    }
    if (!*found)
        return AM_OK;
    if (start && !start_is_admissible)
        return fail_with_names(e, try_rate, total, AM_ERR_INPUT,
                               "the contact states named as start do not go on under these load rates; what does", err);
    if (differ && !start)
        return fail_with_names(e, try_rate, total, AM_ERR_SEVERAL_STATES,
                               "several contact states go on under these load rates", err);
    am_candidates_get(e->choices, e->m, best, e->trial);
    return take(e, err);
}

/* ---- the next corner ---- */

typedef struct corner {
    double after; /* time from now */
    double limit; /* not beyond */
} corner;

/* When does value + rate s turn negative? A value that stays above -tolerance does not turn at all. */
static double turning_time(const corner *next, double value, double rate, double tolerance) {
    if (!(rate < 0.0) || value + rate * next->limit >= -tolerance)
        return INFINITY;
    return value > 0.0 ? value / -rate : 0.0;
}

static void turn_at(am_path_engine *e, corner *next, size_t c, unsigned char what, double when) {
    if (when > next->limit || when > next->after)
        return;
    if (when < next->after)
        memset(e->hit, 0, e->m * sizeof *e->hit);
    next->after = when;
    e->hit[c] |= what;
}

double am_path_engine_reach(am_path_engine *engine, double limit) {
    am_path_engine *e = engine;
    corner next = {.after = INFINITY, .limit = limit - e->t};
    for (size_t i = 0; i < e->n; i++) {
        e->point.q[i] = e->now.q[i] + e->rate.q[i] * next.limit;
        e->force_scale = fmax(e->force_scale, fabs(e->force[i] + e->force_rate[i] * next.limit));
    }
    for (size_t c = 0; c < e->m; c++) {
        e->point.normal[c] = e->now.normal[c] + e->rate.normal[c] * next.limit;
        e->point.tangential[c] = e->now.tangential[c] + e->rate.tangential[c] * next.limit;
    }
    note_scales(e, &e->point);
    memset(e->hit, 0, e->m * sizeof *e->hit);
    double force = same_value * e->force_scale;
    for (size_t c = 0; c < e->m; c++) {
        if (e->state[c] == AM_OPEN) {
            double rate = am_dense_dot(e->system->contact[c].normal, e->rate.q, e->n);
            turn_at(e, &next, c, AM_HIT_GAP,
                    turning_time(&next, am_path_engine_gap(e, c, e->now.q), rate, gap_tolerance(e, c)));
            continue;
        }
        if (!is_held(e, c))
            turn_at(e, &next, c, AM_HIT_NORMAL, turning_time(&next, e->now.normal[c], e->rate.normal[c], force));
        if (e->state[c] != AM_STICK)
            continue;
        turn_at(e, &next, c, AM_HIT_FORWARD,
                turning_time(&next, reserve(e, &e->now, c, 1.0), reserve(e, &e->rate, c, 1.0), force));
        turn_at(e, &next, c, AM_HIT_BACKWARD,
                turning_time(&next, reserve(e, &e->now, c, -1.0), reserve(e, &e->rate, c, -1.0), force));
    }
    /* A corner that rounding alone keeps apart from the end of the interval is at its end. */
    if (next.limit - next.after <= same_value * fmax(next.limit, fabs(limit)))
        next.after = next.limit;
    return next.after < next.limit ? e->t + next.after : limit;
}

am_status am_path_engine_advance(am_path_engine *engine, double t, am_error *err) {
    const am_combination *k;
    am_status status = combination_of(engine, engine->state, &k, err);
    if (status)
        return status;
    load_inputs(engine, t);
    solve_total(engine, k, NULL, &engine->now);
    note_scales(engine, &engine->now);
    for (size_t c = 0; c < engine->m; c++)
        if (is_held(engine, c) && engine->held[c] < -same_value * engine->force_scale)
            return am_fail(err, AM_ERR_INPUT, "the held normal force of %s becomes negative before t = %.10g",
                           engine->system->contact[c].name, t);
    return AM_OK;
}

/* ---- finite steps: the first instant, and jumps ---- */

/* Does the equilibrium in e->point satisfy all inequalities, as one step from the reference displacements? */
static bool step_allowed(const am_path_engine *e, const am_combination *k, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    double force = -same_rate * fmax(e->force_scale, fmax(fabs(e->point.normal[c]), fabs(e->point.tangential[c])));
    double gap_size = fabs(contact->gap) + size_of(contact->normal, e->point.q, e->n);
    if (k->state[c] == AM_OPEN)
        return am_path_engine_gap(e, c, e->point.q) >= -same_rate * gap_size;
    if (!(e->point.normal[c] >= force))
        return false;
    if (k->state[c] == AM_STICK)
        return reserve(e, &e->point, c, 1.0) >= force && reserve(e, &e->point, c, -1.0) >= force;
    double slip = am_dense_dot(contact->tangent, e->point.q, e->n) - am_dense_dot(contact->tangent, e->reference, e->n);
    double size = size_of(contact->tangent, e->point.q, e->n) + size_of(contact->tangent, e->reference, e->n);
    return -am_slip_sign(k->state[c]) * slip >= -same_rate * size;
}

static am_status try_step(am_path_engine *e, size_t index, bool *admissible, am_error *err) {
    const am_combination *k;
    *admissible = false;
    am_candidates_get(e->choices, e->m, index, e->trial);
    am_status status = combination_of(e, e->trial, &k, err);
    if (status || k->condition <= 0.0)
        return status;
    solve_total(e, k, e->reference, &e->point);
    for (size_t c = 0; c < e->m; c++)
        if (!step_allowed(e, k, c))
            return AM_OK;
    *admissible = true;
    return AM_OK;
}

/* Put the structure into combination e->trial with the equilibrium e->chosen. */
static void settle(am_path_engine *e) {
    copy_point(e, &e->now, &e->chosen);
    for (size_t c = 0; c < e->m; c++) {
        e->state[c] = e->trial[c];
        e->stuck[c] = am_dense_dot(e->system->contact[c].tangent, e->now.q, e->n);
        e->since[c] = e->t;
        e->hit[c] = 0;
    }
    note_scales(e, &e->now);
}

/* Find the one equilibrium among e->choices. `wanted` (m) is taken first if it is admissible; else, when `stay`, one
 * that does not move. */
static am_status step(am_path_engine *e, const am_contact_state *wanted, bool stay, bool *found, am_error *err) {
    size_t total = am_candidates_count(e->choices, e->m), best = 0, best_rank = 0;
    bool differ = false;
    *found = false;
    if (total == 0)
        return too_many(e, err);
    for (size_t i = 0; i < total; i++) {
        bool admissible;
        double scale;
        am_status status = try_step(e, i, &admissible, err);
        if (status)
            return status;
        if (!admissible)
            continue;
        if (*found)
            differ = differ || !same_point(e, largest(e->reference, e->n), e->force_scale);
        bool is_wanted = wanted && memcmp(e->trial, wanted, e->m * sizeof *wanted) == 0;
        bool stays = stay && distance(e->point.q, e->reference, e->n, &scale) <= same_rate * scale;
        size_t rank = is_wanted ? 3 : stays ? 2 : 1;
        if (rank > best_rank) {
            best = i;
            best_rank = rank;
            copy_point(e, &e->chosen, &e->point);
        }
        *found = true;
    }
    if (!*found)
        return AM_OK;
    if (differ && best_rank == 1)
        return fail_with_names(e, try_step, total, AM_ERR_SEVERAL_STATES, "several equilibria are possible", err);
    am_candidates_get(e->choices, e->m, best, e->trial);
    settle(e);
    return AM_OK;
}

static void allow_all(const am_path_engine *e, size_t c) {
    am_choice *choice = &e->choices[c];
    *choice = (am_choice){0};
    am_choice_add(choice, AM_STICK);
    am_choice_add(choice, AM_FORWARD);
    am_choice_add(choice, AM_BACKWARD);
    if (!is_held(e, c))
        am_choice_add(choice, AM_OPEN);
}

am_status am_path_engine_place(am_path_engine *engine, double t, const double *q, const am_contact_state *start,
                               am_error *err) {
    am_path_engine *e = engine;
    bool found;
    load_inputs(e, t);
    for (size_t i = 0; i < e->n; i++) {
        e->reference[i] = q ? q[i] : 0.0;
        e->q_scale[i] = fmax(e->q_scale[i], fabs(e->reference[i]));
    }
    for (size_t c = 0; c < e->m; c++) {
        if (is_held(e, c) && e->held[c] < 0.0)
            return am_fail(err, AM_ERR_INPUT, "the held normal force of %s is negative at the start",
                           e->system->contact[c].name);
        allow_all(e, c);
    }
    am_status status = step(e, start, true, &found, err);
    if (status || found)
        return status;
    return am_fail(err, AM_ERR_NO_STATE, "at t = %.10g no equilibrium exists from the displacements given as start", t);
}

am_status am_path_engine_release(am_path_engine *engine, am_error *err) {
    am_path_engine *e = engine;
    bool hit = false, any = false, found;
    for (size_t c = 0; c < e->m; c++)
        hit = hit || (e->hit[c] & (AM_HIT_FORWARD | AM_HIT_BACKWARD));
    /* The contact that came to its limit lets go; where a load has turned instead, those that stand at theirs do. */
    for (size_t c = 0; c < e->m; c++) {
        bool limit = !e->standing[c].origin && (e->standing[c].forward || e->standing[c].backward);
        bool lets_go = !is_held(e, c) && (hit ? (e->hit[c] & (AM_HIT_FORWARD | AM_HIT_BACKWARD)) != 0 : limit);
        e->trial[c] = lets_go ? AM_OPEN : e->state[c];
        any = any || lets_go;
        e->choices[c] = (am_choice){0};
        am_choice_add(&e->choices[c], e->trial[c]);
    }
    if (!any)
        return am_path_engine_no_state(e, err);
    memcpy(e->reference, e->now.q, e->n * sizeof *e->reference);
    /* First with all others as they are, then with whatever they may do. */
    am_status status = step(e, NULL, false, &found, err);
    if (status || found)
        return status;
    for (size_t c = 0; c < e->m; c++)
        if (e->choices[c].state[0] != AM_OPEN || e->state[c] == AM_OPEN)
            allow_all(e, c);
    status = step(e, NULL, false, &found, err);
    if (status || found)
        return status;
    return am_fail(err, AM_ERR_NO_STATE,
                   "at t = %.10g the contact at its limit lets go, but no equilibrium exists without it", e->t);
}

am_status am_path_engine_no_state(const am_path_engine *engine, am_error *err) {
    const am_path_engine *e = engine;
    am_text tried = {0}, contacts = {0};
    size_t total = am_candidates_count(e->choices, e->m);
    for (size_t i = 0; i < total && i < 16; i++) {
        am_candidates_get(e->choices, e->m, i, e->trial);
        am_text_add(&tried, i > 0 ? ", " : "");
        am_candidates_name(&tried, e->trial, e->m);
    }
    if (total > 16)
        am_text_printf(&tried, " and %zu more", total - 16);
    for (size_t c = 0; c < e->m; c++)
        if (e->choices[c].count > 1)
            am_text_printf(&contacts, "%s%s", contacts.length > 0 ? ", " : "", e->system->contact[c].name);
    am_status status = am_text_status(&tried, err);
    if (!status)
        status = am_text_status(&contacts, err);
    if (!status)
        status = am_fail(err, AM_ERR_NO_STATE,
                         "at t = %.10g no contact state goes on continuously from the limit reached at %s; tried: %s",
                         e->t, contacts.length > 0 ? am_text_view(&contacts) : "no contact", am_text_view(&tried));
    am_text_free(&tried);
    am_text_free(&contacts);
    return status;
}
