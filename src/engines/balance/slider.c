/* A slider behind springs along a periodic motion: which stretches of its springs come back after the period, and the
 * harmonics of its forces then, with derivatives. docs/balance_cell.md, section 6. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "engines/balance/slider_internal.h"
#include "math/trigonometric.h"

enum { MOST_ROUNDS = 60 };

typedef am_slider_walk walk;

am_slider *am_slider_create(size_t degree, am_error *err) {
    am_slider *s = am_memory_new(1, sizeof *s, err);
    if (!s)
        return NULL;
    size_t S = am_trig_size(degree);
    s->S = S;
    s->most = 3 * S + 3;
    s->element = am_element_create(degree, err);
    AM_ARENA_DOUBLES(&s->memory, S, err, &s->place, &s->f[0], &s->f[1], &s->f_omega[0], &s->f_omega[1]);
    AM_ARENA_DOUBLES(&s->memory, S * s->most, err, &s->f_all[0], &s->f_all[1]);
    AM_ARENA_DOUBLES(&s->memory, AM_QUADRATURE_POINTS * s->most, err, &s->gradient, &s->known, &s->angles);
    AM_ARENA_DOUBLES(&s->memory, s->most, err, &s->constant[0], &s->constant[1], &s->angle, &s->end[0], &s->end[1],
                     &s->change[0], &s->change[1]);
    AM_ARENA_DOUBLES(&s->memory, S * S, err, &s->f_x[0], &s->f_x[1], &s->f_x[2], &s->f_x[3], &s->f_y[0], &s->f_y[1]);
    if (s->element && !am_arena_status(&s->memory))
        return s;
    am_slider_free(s);
    return NULL;
}

void am_slider_free(am_slider *slider) {
    if (!slider)
        return;
    am_element_free(slider->element);
    am_arena_clear(&slider->memory);
    am_memory_free(slider);
}

static double size_of(const walk *k) {
    return k->largest_e + 1e-300;
}

/* (1 - growth) step = miss; false: some direction forgets nothing. */
static bool newton_step(const walk *k, const double *growth, const double *miss, double *step) {
    double a = 1.0 - growth[0], b = -growth[1], c = -growth[2], d = 1.0 - growth[3];
    if (k->tangents == 1)
        b = c = 0.0, d = 1.0;
    double determinant = a * d - b * c;
    if (!(fabs(determinant) > 1e-9))
        return false;
    step[0] = (d * miss[0] - b * miss[1]) / determinant;
    step[1] = (a * miss[1] - c * miss[0]) / determinant;
    return true;
}

/* Where nothing is forgotten the past decides: the cycle is taken that comes of springs relaxed where they were before
 * the motion, or in the mean. */
static void relax(const walk *k, double *start) {
    const am_element_contact *c = k->c;
    for (size_t i = 0; i < 2; i++) {
        const double *x = i == 0 ? c->x : c->second;
        start[i] = c->relaxed && i < k->tangents ? x[0] - c->relaxed[i] : 0.0;
        for (size_t h = 1; i < k->tangents && h <= k->e->H; h++)
            start[i] += x[2 * h - 1] - (i == 0 ? k->s->place[2 * h - 1] : 0.0);
    }
}

/* `slips`: it is known to slip, so that what it forgets in a period may be little, but is not nothing. */
static am_status make_periodic(walk *k, bool slips, double *start, bool *neutral, am_error *err) {
    double end[2], growth[4], step[2] = {0.0, 0.0};
    bool relaxed = false;
    *neutral = false;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        AM_TRY(am_slider_go_round(k, start, end, growth, err));
        double miss[2] = {end[0] - start[0], end[1] - start[1]}, most = fmax(fabs(miss[0]), fabs(miss[1]));
        bool forgets = newton_step(k, growth, miss, step);
        if (!forgets && !relaxed && !slips) {
            relaxed = true;
            relax(k, start);
            continue;
        }
        if (most <= 4e-14 * size_of(k)) {
            *neutral = !forgets && !slips;
            return AM_OK;
        }
        bool plain = relaxed || !forgets || round % 8 == 7 || !(hypot(step[0], step[1]) <= 4.0 * size_of(k));
        for (size_t i = 0; i < 2; i++)
            start[i] = plain ? end[i] : start[i] + step[i];
    }
    return am_fail(err, AM_ERR_LIMIT, "the stretch of a slider's springs does not become periodic along this motion");
}

/* A guess on the circle itself, which a stuck motion may have left there, can slip and stick without end at once. */
static am_status find_cycle(walk *k, bool slips, double *start, bool *neutral, am_error *err) {
    const double inside[2] = {0.9 * start[0], 0.9 * start[1]};
    const bool derive = k->derive;
    am_error own = {0};
    k->derive = false;
    am_status status = make_periodic(k, slips, start, neutral, &own);
    if (slips && status == AM_ERR_LIMIT) {
        memcpy(start, inside, sizeof inside);
        status = make_periodic(k, slips, start, neutral, &own);
    }
    k->derive = derive;
    return status ? am_fail(err, status, "%s", own.message) : AM_OK;
}

/* How the relaxed stretches at theta = 0 move. */
static void relax_derivatives(const walk *k, double *change[2]) {
    size_t S = k->e->S;
    for (size_t i = 0; i < 2; i++) {
        memset(change[i], 0, k->columns * sizeof *change[i]);
        if (k->c->relaxed && i < k->tangents)
            change[i][i == 0 ? 0 : k->at_second] = 1.0;
        for (size_t h = 1; i < k->tangents && h <= k->e->H; h++) {
            change[i][(i == 0 ? 0 : k->at_second) + 2 * h - 1] = 1.0;
            change[i][S] += i == 0 ? k->s->place[2 * h - 1] / k->c->omega : 0.0;
        }
    }
}

/* The stretches at theta = 0 that come back move by `change`; the forces move along. */
static void add_start(walk *k, double *change[2]) {
    am_slider *s = k->s;
    for (size_t i = 0; i < k->tangents; i++)
        for (size_t r = 0; r < k->e->S; r++) {
            double *row = s->f_all[i] + r * k->columns;
            for (size_t l = 0; l < k->columns - 2; l++)
                row[l] += row[k->columns - 2] * change[0][l] + row[k->columns - 1] * change[1][l];
        }
}

/* The last round, with derivatives. Where nothing is forgotten it is one of several from relaxed springs, and each adds
 * what it does to the stretches. */
static am_status follow_cycle(walk *k, double *start, bool neutral, am_error *err) {
    am_slider *s = k->s;
    double end[2], growth[4];
    if (!neutral) {
        AM_TRY(am_slider_go_round(k, start, end, growth, err));
        for (size_t l = 0; l < k->columns - 2; l++) {
            double miss[2] = {s->end[0][l], s->end[1][l]}, step[2] = {0.0, 0.0};
            newton_step(k, growth, miss, step);
            s->change[0][l] = step[0];
            s->change[1][l] = step[1];
        }
        add_start(k, s->change);
        return AM_OK;
    }
    relax(k, start);
    relax_derivatives(k, s->change);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        AM_TRY(am_slider_go_round(k, start, end, growth, err));
        if (fmax(fabs(end[0] - start[0]), fabs(end[1] - start[1])) <= 1e-12 * size_of(k))
            break;
        memcpy(start, end, sizeof end);
        for (size_t l = 0; l < k->columns - 2; l++) {
            double before[2] = {s->change[0][l], s->change[1][l]};
            for (size_t i = 0; i < 2; i++)
                s->change[i][l] = s->end[i][l] + growth[2 * i] * before[0] + growth[2 * i + 1] * before[1];
        }
    }
    add_start(k, s->change);
    return AM_OK;
}

/* It never slips: forces are those of its springs. The turn is for the normal force, with friction that does not end it. */
static am_status follow_stuck(walk *k, const double *c, double *change[2], am_error *err) {
    am_slider *s = k->s;
    size_t S = k->e->S;
    am_element_contact held = *k->c;
    double end[2], growth[4], start[2];
    for (size_t i = 0; i < 2; i++) {
        const double *x = i == 0 ? held.x : held.second;
        start[i] = c[i] + x[0];
        for (size_t h = 1; h <= k->e->H; h++)
            start[i] += x[2 * h - 1];
    }
    held.friction *= 1.0 + 1e-6;
    held.static_friction *= 1.0 + 1e-6;
    k->c = &held;
    AM_TRY(am_slider_go_round(k, start, end, growth, err));
    memcpy(held.memory, start, sizeof start);
    for (size_t i = 0; i < 2; i++) {
        const double *x = i == 0 ? held.x : held.second;
        for (size_t r = 0; r < S; r++) {
            double *row = s->f_all[i] + r * k->columns;
            s->f[i][r] = held.spring * (x[r] + (r == 0 ? c[i] : 0.0));
            memset(row, 0, k->columns * sizeof *row);
            row[(i == 0 ? 0 : k->at_second) + r] = held.spring;
        }
        for (size_t l = 0; k->derive && l < k->columns - 2; l++)
            s->f_all[i][l] += held.spring * change[i][l];
    }
    return AM_OK;
}

static void unpack_forces(walk *k, am_slider_forces *forces) {
    am_slider *s = k->s;
    am_element *e = k->e;
    size_t S = e->S;
    bool pressed = k->c->normal != AM_NORMAL_HELD;
    *forces = (am_slider_forces){.N = e->N, .N_y = e->N_y, .N_omega = e->N_omega};
    for (size_t r = 0; r < S && pressed; r++) {
        memcpy(e->N_y + r * S, e->N_all + r * (S + 1), S * sizeof *e->N_y);
        e->N_omega[r] = e->N_all[r * (S + 1) + S];
    }
    for (size_t i = 0; i < k->tangents; i++) {
        forces->f[i] = s->f[i];
        forces->f_omega[i] = s->f_omega[i];
        forces->f_y[i] = s->f_y[i];
        for (size_t j = 0; j < k->tangents; j++)
            forces->f_x[i][j] = s->f_x[2 * i + j];
        for (size_t r = 0; r < S; r++) {
            const double *row = s->f_all[i] + r * k->columns;
            memcpy(s->f_x[2 * i] + r * S, row, S * sizeof *row);
            s->f_omega[i][r] = row[S];
            if (pressed)
                memcpy(s->f_y[i] + r * S, row + k->at_y, S * sizeof *row);
            if (k->tangents > 1)
                memcpy(s->f_x[2 * i + 1] + r * S, row + k->at_second, S * sizeof *row);
        }
    }
}

am_status am_slider_follow(am_slider *s, am_cell *cell, const am_element_contact *c, bool derive,
                           am_slider_forces *forces, am_error *err) {
    am_element *e = s->element;
    size_t S = e->S;
    walk k = {.s = s, .e = e, .c = c, .derive = derive, .tangents = c->second ? 2 : 1};
    bool pressed = c->normal != AM_NORMAL_HELD, neutral;
    k.at_y = S + 1;
    k.at_second = S + 1 + (pressed ? S : 0);
    k.columns = k.at_second + (c->second ? S : 0) + 2;
    s->place[0] = 0.0;
    for (size_t h = 1; h <= e->H; h++) {
        s->place[2 * h - 1] = -c->surface[2 * h] / ((double)h * c->omega);
        s->place[2 * h] = c->surface[2 * h - 1] / ((double)h * c->omega);
    }
    AM_TRY(am_element_find_switches(e, cell, c, err));
    double held[2];
    bool rests = am_slider_may_stick(&k);
    k.closed = rests;
    if (rests && am_slider_sticks(&k, held, s->change)) {
        AM_TRY(follow_stuck(&k, held, s->change, err));
        k.c = c;
    } else {
        AM_TRY(find_cycle(&k, rests, c->memory, &neutral, err));
        AM_TRY(derive ? follow_cycle(&k, c->memory, neutral, err) : AM_OK);
    }
    unpack_forces(&k, forces);
    return AM_OK;
}
