/* What a number of a model does to its systems: seen in each system as one array of everything its behaviour depends on,
 * laws and kinds of functions included. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "laws/law.h"
#include "math/entries.h"
#include "system/dependence.h"
#include "system/system.h"

/* How the array is made up; those of two systems can be compared where it is the same. */
typedef struct shape {
    size_t count;     /* of numbers */
    size_t matrix[4]; /* of these: entries of M, C, K and the circulatory matrix, which come first */
    bool differs;     /* a system that was read has another shape */
} shape;

/* Where numbers are written; `to` NULL: they are only counted. */
typedef struct writer {
    double *to;
    size_t count, most;
} writer;

static void put(writer *w, double value) {
    if (w->to && w->count < w->most)
        w->to[w->count] = value;
    w->count++;
}

static void put_all(writer *w, const double *values, size_t count) {
    for (size_t i = 0; values && i < count; i++)
        put(w, values[i]);
}

static void put_term(writer *w, const am_function *f) {
    const double numbers[] = {f->kind,  f->value,    f->rate,   f->amplitude,      f->frequency,     f->phase,
                              f->start, f->duration, f->period, (double)f->repeat, (double)f->count, f->derivative};
    put_all(w, numbers, sizeof numbers / sizeof *numbers);
    put_all(w, f->times, f->count);
    put_all(w, f->values, f->count);
    put_all(w, f->moments, f->count);
}

static void put_function(writer *w, const am_function *function) {
    for (const am_function *f = function; f; f = f->plus)
        put_term(w, f);
}

static void put_contact(writer *w, const am_contact_def *c, size_t n) {
    const am_friction *f = &c->weakening;
    const double numbers[] = {c->gap,
                              c->surface_velocity,
                              c->normal_law,
                              c->restitution,
                              c->restitution_law,
                              c->tangential_restitution,
                              c->friction,
                              c->static_friction,
                              c->tangential_stiffness,
                              c->contact_stiffness,
                              c->contact_damping,
                              c->contact_exponent,
                              c->contact_dissipation,
                              c->regularisation,
                              f->law,
                              f->kinetic,
                              f->fixed,
                              f->distance,
                              (double)f->count};
    const am_speed_friction *speed = &c->speed_friction;
    put_all(w, numbers, sizeof numbers / sizeof *numbers);
    put(w, speed->law ? (double)am_law_index(speed->law) : -1.0);
    put_all(w, speed->parameter, AM_LAW_PARAMETERS);
    put_all(w, speed->speed, speed->points);
    put_all(w, speed->coefficient, speed->points);
    put_all(w, f->slip, f->count);
    put_all(w, f->coefficient, f->count);
    put_all(w, c->normal, n);
    put_all(w, c->tangent, n);
    put_all(w, c->second_tangent, n);
    if (c->normal_law == AM_HELD)
        put_function(w, &c->hold);
    put_function(w, &c->surface_motion);
    put_function(w, &c->gap_motion);
}

static void put_polynomial(writer *w, const am_polynomial_def *p, size_t n) {
    put_all(w, p->direction, n);
    for (size_t i = 0; i < p->term_count; i++) {
        put(w, p->terms[i].coefficient);
        put(w, p->terms[i].displacement);
        put(w, p->terms[i].velocity);
    }
}

static void put_system(writer *w, const am_system *s, size_t matrix[4]) {
    const am_matrix *const matrices[4] = {s->M, s->C, s->K, s->circulatory};
    for (int k = 0; k < 4; k++) {
        size_t before = w->count, rows = matrices[k] ? s->n : 0;
        for (size_t i = 0; i < rows; i++) {
            const size_t *columns;
            const double *values;
            size_t count = am_matrix_row_entries(matrices[k], i, &columns, &values);
            put_all(w, values, count);
        }
        matrix[k] = w->count - before;
    }
    put(w, (double)s->n);
    for (int k = 0; k < 4; k++) /* where the entries of sparse ones stand */
        for (size_t i = 0; matrices[k] && i < s->n; i++) {
            const size_t *columns;
            const double *values;
            size_t count = am_matrix_row_entries(matrices[k], i, &columns, &values);
            for (size_t j = 0; columns && j < count; j++)
                put(w, (double)columns[j]);
        }
    for (size_t i = 0; i < s->loads; i++) {
        put_all(w, s->load[i].direction, s->n);
        put_function(w, &s->load[i].function);
    }
    for (size_t i = 0; i < s->m; i++)
        put_contact(w, &s->contact[i], s->n);
    for (size_t i = 0; i < s->polynomials; i++)
        put_polynomial(w, &s->polynomial[i], s->n);
    for (size_t i = 0; i < s->varyings; i++) {
        put_all(w, s->varying[i].direction, s->n);
        put_function(w, &s->varying[i].stiffness);
    }
}

static shape shape_of(const am_system *system) {
    shape made = {0};
    writer w = {0};
    put_system(&w, system, made.matrix);
    made.count = w.count;
    return made;
}

static am_status read_numbers(void *context, const am_system *system, double *numbers, am_error *err) {
    shape *s = context;
    size_t matrix[4];
    writer w = {.to = numbers, .most = s->count};
    (void)err;
    memset(numbers, 0, s->count * sizeof *numbers);
    put_system(&w, system, matrix);
    s->differs = s->differs || w.count != s->count || memcmp(matrix, s->matrix, sizeof matrix) != 0;
    return AM_OK;
}

/* Entries of a matrix are rounded relative to the largest of them. */
static void share_scales(void *context, double *scale) {
    const shape *s = context;
    for (int k = 0; k < 4; scale += s->matrix[k++])
        am_dependence_share(scale, s->matrix[k]);
}

static am_status find_effect(am_model *m, size_t number, double from, double to, am_effect *effect, am_error *err) {
    const am_model_line line = {.model = m, .number = number, .held = SIZE_MAX};
    const am_system *system;
    AM_LOCAL(am_dependence_clear) am_dependence found = {0};
    AM_TRY(am_model_line_at(&line, from, &system, err));
    shape s = shape_of(system);
    const am_dependence_reader reader = {.count = s.count,
                                         .read = read_numbers,
                                         .share = share_scales,
                                         .context = &s,
                                         .straightness = 1e-12, /* which sums of a few products reach */
                                         .shared = true};
    AM_TRY(am_dependence_find(&found, &line, from, to, &reader, err));
    bool affine = found.straight && !s.differs;
    *effect = !affine ? AM_EFFECT_ANY : found.moving_count > 0 ? AM_EFFECT_AFFINE : AM_EFFECT_NOTHING;
    return AM_OK;
}

am_status am_model_effect(am_model *model, size_t number, double from, double to, am_effect *effect, am_error *err) {
    if (number >= am_model_count(model) || !effect || !isfinite(from) || !isfinite(to))
        return am_misused(err, __func__);
    am_model_number *own = &model->numbers[number];
    if (own->known_at != model->changes || own->from != from || own->to != to) {
        double before = model->values[number];
        am_effect found;
        am_status status = find_effect(model, number, from, to, &found, err);
        am_model_set(model, number, before, NULL);
        if (status)
            return status;
        *own =
            (am_model_number){.name = own->name, .known_at = model->changes, .from = from, .to = to, .effect = found};
    }
    *effect = own->effect;
    return AM_OK;
}
