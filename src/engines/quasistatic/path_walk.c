#include "engines/quasistatic/path_walk.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/watch.h"

am_status am_path_walk_init(am_path_walk *walk, const am_system *system, am_on_jump on_jump, am_error *err) {
    *walk = (am_path_walk){.on_jump = on_jump};
    AM_TRY(am_path_engine_init(&walk->engine, system, err));
    walk->before = am_arena_new(&walk->memory, system->m, sizeof *walk->before, err);
    walk->origin = am_arena_new(&walk->memory, system->n, sizeof *walk->origin, err);
    return am_arena_status(&walk->memory);
}

void am_path_walk_clear(am_path_walk *walk) {
    am_path_engine_clear(&walk->engine);
    am_arena_clear(&walk->memory);
}

static const char *cause_of(const am_path_engine *e) {
    unsigned char all = 0;
    for (size_t c = 0; c < e->m; c++)
        all |= e->hit[c];
    return all & AM_HIT_GAP                           ? "touch_down"
           : all & AM_HIT_NORMAL                      ? "lift_off"
           : all & (AM_HIT_FORWARD | AM_HIT_BACKWARD) ? "slip"
           : all & AM_HIT_STOP                        ? "stop"
                                                      : "load";
}

static void note_states(am_path_walk *w) {
    for (size_t c = 0; c < w->engine.m; c++)
        w->sequence = (w->sequence ^ (uint64_t)w->engine.state[c]) * 1099511628211u + 1u;
}

static am_status show_corner(const am_path_walk *w, const char *cause, am_error *err) {
    const am_path_observer *o = w->observer;
    return o && o->corner ? o->corner(o->of, &w->engine, cause, err) : AM_OK;
}

/* The structure stood at w->origin and is now somewhere else, at the same time. */
static am_status note_jump(am_path_walk *w, am_error *err) {
    const am_path_engine *e = &w->engine;
    if (w->balance)
        am_path_balance_jump(w->balance, e, w->origin);
    if (w->derivative)
        w->derivative->valid = false;
    if (w->jumps++ == 0)
        w->first_jump = e->t;
    w->corners++;
    return show_corner(w, "jump", err);
}

/* The point before a jump. */
static am_status leave(am_path_walk *w, am_error *err) {
    const am_path_engine *e = &w->engine;
    memcpy(w->origin, e->series[0].q, e->n * sizeof *w->origin);
    am_status status = show_corner(w, "jump", err);
    const am_path_observer *o = w->observer;
    return !status && o && o->before_jump ? o->before_jump(o->of, e, err) : status;
}

/* Where nothing goes on: stop, or jump. */
static am_status jump(am_path_walk *w, am_error *err) {
    am_path_engine *e = &w->engine;
    if (w->on_jump == AM_JUMP_STOP)
        return am_path_engine_no_state(e, err);
    AM_TRY(leave(w, err));
    AM_TRY(w->on_jump == AM_JUMP_DYNAMICS ? am_path_engine_move(e, err) : am_path_engine_release(e, err));
    return note_jump(w, err);
}

/* Where several go on differently: dynamics choose. */
static am_status choose(am_path_walk *w, bool *found, am_error *err) {
    bool jumped;
    *err = (am_error){0};
    memcpy(w->origin, w->engine.series[0].q, w->engine.n * sizeof *w->origin);
    am_status status = am_path_engine_choose(&w->engine, &jumped, err);
    *found = !status && !jumped;
    w->choices += *found;
    return !status && jumped ? note_jump(w, err) : status;
}

/* The rate problem, and what to do where it has several solutions. */
static am_status decide_once(am_path_walk *w, const am_contact_state *start, bool *found, am_error *err) {
    am_error several = {0};
    memcpy(w->before, w->engine.state, w->engine.m * sizeof *w->before);
    am_status status = am_path_engine_decide(&w->engine, start, found, &several);
    if (status == AM_ERR_SEVERAL_STATES && w->on_jump == AM_JUMP_DYNAMICS)
        status = choose(w, found, &several);
    if (status && err)
        *err = several;
    return status;
}

/* Decide how to go on from the present time; a change of state becomes a corner. */
static am_status decide(am_path_walk *w, const char *cause, const am_contact_state *start, am_error *err) {
    am_path_engine *e = &w->engine;
    bool found = false;
    size_t jumps = w->jumps;
    while (!found) {
        AM_TRY(decide_once(w, start, &found, err));
        if (!found) /* one jump at a time */
            AM_TRY(start || w->jumps > jumps ? am_path_engine_no_state(e, err) : jump(w, err));
        cause = w->jumps > jumps ? "load" : cause;
    }
    if (w->derivative)
        am_path_derivative_decide(w->derivative, e, w->before);
    if (memcmp(w->before, e->state, e->m * sizeof *w->before) == 0) {
        if (w->observer && w->observer->load_break)
            w->observer->load_break(w->observer->of);
        return AM_OK;
    }
    w->corners++;
    note_states(w);
    return show_corner(w, cause, err);
}

am_status am_path_walk_start(am_path_walk *walk, const am_contact_state *start, am_error *err) {
    am_path_engine *e = &walk->engine;
    bool found = false;
    if (walk->balance)
        am_path_balance_start(walk->balance, e);
    AM_TRY(decide_once(walk, start, &found, err));
    if (found)
        return show_corner(walk, "start", err);
    return start ? am_path_engine_no_state(e, err) : decide(walk, "start", NULL, err);
}

/* A path that changes state again and again without getting on has met something this method cannot resolve. */
static am_status check_progress(am_path_walk *w, double to, am_error *err) {
    if (!isfinite(to))
        return am_fail(err, AM_ERR_LIMIT, "at t = %.10g loads or forces grow beyond what numbers can hold",
                       w->engine.t);
    w->stalled = to > w->engine.t ? 0 : w->stalled + 1;
    if (w->stalled > 16 + 4 * w->engine.m)
        return am_fail(err, AM_ERR_LIMIT, "at t = %.10g the contact states keep changing without the path getting on",
                       w->engine.t);
    return AM_OK;
}

/* One stretch: to the next corner, break or end of the series, and the decision there. */
static am_status stretch(am_path_walk *w, double until, am_error *err) {
    am_path_engine *e = &w->engine;
    double next_break = am_path_next_break(e);
    bool corner;
    double to = am_path_engine_next_corner(e, next_break < until ? next_break : until, &corner);
    AM_TRY(check_progress(w, to, err));
    if (w->observer && w->observer->stretch)
        AM_TRY(w->observer->stretch(w->observer->of, e, to, err));
    if (w->derivative && corner)
        AM_TRY(am_path_derivative_leave(w->derivative, e, to, err));
    if (w->balance)
        am_path_balance_stretch(w->balance, e, to);
    AM_TRY(am_path_engine_advance(e, to, err));
    if (w->balance)
        am_path_balance_arrive(w->balance, e);
    if (to >= until)
        return AM_OK;
    return corner ? decide(w, cause_of(e), NULL, err) : am_path_engine_expand(e, err);
}

/* Multiplications of a stretch, about. */
static double stretch_work(const am_path_engine *e) {
    return (double)e->orders * (double)(e->n + e->m) * (double)(e->n + e->m);
}

am_status am_path_check_pace(size_t done, double passed, double t, double until, am_error *err) {
    const double most_stretches = 5e7; /* take minutes */
    double left = (double)AM_PATH_MEASURED * (until - t) / passed;
    if ((double)done + left <= most_stretches)
        return AM_OK;
    return am_fail(err, AM_ERR_LIMIT,
                   "at t = %.6g about %.2g stretches of the path are left until t = %g, more than %g: let the path end "
                   "sooner, or the loads change less fast",
                   t, left, until, most_stretches);
}

am_status am_path_walk_to(am_path_walk *walk, double until, const am_progress *progress, am_error *err) {
    am_path_engine *e = &walk->engine;
    double from = e->t, before = e->t;
    e->evidence = walk->balance != NULL;
    for (size_t done = 1; e->t < until; done++) {
        AM_TRY(stretch(walk, until, err));
        AM_TRY(am_watch_spend(stretch_work(e), err));
        if (done % AM_PATH_MEASURED == 0) {
            AM_TRY(am_path_check_pace(done, e->t - before, e->t, until, err));
            before = e->t;
        }
        if (progress && !am_progress_report(progress, (e->t - from) / (until - from)))
            return am_fail(err, AM_ERR_INTERRUPTED, "stopped at t = %.10g, before the end at t = %.10g", e->t, until);
    }
    return AM_OK;
}

am_status am_path_walk_rewind(am_path_walk *walk, double t, am_error *err) {
    am_path_engine *e = &walk->engine;
    for (size_t c = 0; c < e->m; c++) {
        e->stuck[c] += am_system_carried(e->system, c, e->since[c], e->t);
        e->since[c] = t;
    }
    AM_TRY(am_path_engine_advance(e, t, err));
    return decide(walk, cause_of(e), NULL, err);
}

am_path_count am_path_walk_leave_count(am_path_walk *walk) {
    am_path_count count = {walk->corners, walk->jumps, walk->choices, walk->first_jump, walk->balance};
    walk->balance = NULL;
    return count;
}

void am_path_walk_take_up_count(am_path_walk *walk, am_path_count count) {
    walk->corners = count.corners;
    walk->jumps = count.jumps;
    walk->choices = count.choices;
    walk->first_jump = count.first_jump;
    walk->balance = count.balance;
}
