#include "models/blocks_report.h"
#include "base/try.h"

#include <math.h>

#include "base/columns.h"
#include "base/memory.h"
#include "base/object.h"
#include "models/blocks_pull.h"

/* The interface from the trailing end of the slider, the one from which slip spreads. Slip may begin a
 * little inside of that end: the front is where the longest part begins that still holds. */
typedef struct interface {
    const am_blocks_rig *rig;
    size_t m;
    double direction; /* of the push along x */
    double length;    /* of the slider */
    double most;      /* largest coefficient of friction */
    double last;      /* the one of sliding */
    size_t *order;    /* contact nodes from the trailing end on */
    double *from;     /* m: distance of each (in that order) from the trailing end */
    double *share;    /* m: the part of the length that belongs to it */
} interface;

/* What a row of `fronts` says. */
typedef struct front {
    double t, Q, P, l, open, slipping;
    double rounding; /* of forces */
} front;

static am_status interface_init(interface *at, const am_blocks_rig *rig, am_error *err) {
    size_t m = am_solid_contacts(rig->solid);
    *at = (interface){.rig = rig,
                      .m = m,
                      .direction = am_blocks_direction(&rig->blocks),
                      .length = rig->blocks.slider.length,
                      .most = am_friction_most(&rig->blocks.friction),
                      .last = am_friction_last(&rig->blocks.friction)};
    at->order = am_memory_new(m, sizeof *at->order, err);
    at->from = am_memory_new(2 * m, sizeof *at->from, err);
    if (!at->order || !at->from)
        return AM_ERR_MEMORY;
    at->share = at->from + m;
    double area = 0.0;
    for (size_t c = 0; c < m; c++)
        area += am_solid_node_at(rig->solid, c)->area;
    bool rising = am_solid_node_at(rig->solid, 0)->place[0] < 0.0; /* nodes go along x */
    for (size_t i = 0; i < m; i++) {
        size_t c = rising == (at->direction > 0.0) ? i : m - 1 - i;
        const am_solid_node *node = am_solid_node_at(rig->solid, c);
        at->order[i] = c;
        at->from[i] = at->direction * node->place[0] - rig->left;
        at->share[i] = node->area / area * at->length;
    }
    return AM_OK;
}

static void interface_clear(interface *at) {
    am_memory_free(at->order);
    am_memory_free(at->from);
}

/* Open, or slipping the way it is pushed. */
static bool follows(const interface *at, am_contact_state state) {
    return state == AM_OPEN || state == (at->direction > 0.0 ? AM_FORWARD : AM_BACKWARD);
}

/* What friction still has in reserve at node i, as a part of its limit. */
static double reserve(const interface *at, const am_sample *s, size_t i) {
    size_t c = at->order[i];
    double limit = at->most * s->normal[c];
    return limit > 0.0 ? fmax(0.0, 1.0 - fabs(s->tangential[c]) / limit) : 0.0;
}

/* Where slip ends between node k - 1, which slips, and node k, which sticks. The reserve rises from there like the root
 * of the distance (half-planes, eq. 1.45), so that its square at two nodes that stick tells the place. */
static double front_between(const interface *at, const am_sample *s, size_t k) {
    double before = at->from[k - 1], behind = at->from[k], found = 0.5 * (before + behind);
    if (k + 1 < at->m && s->state[at->order[k + 1]] == AM_STICK) {
        double first = reserve(at, s, k), second = reserve(at, s, k + 1), ratio = first * first / (second * second);
        if (ratio < 1.0)
            found = (behind - ratio * at->from[k + 1]) / (1.0 - ratio);
    }
    return fmin(behind, fmax(before, found));
}

/* The longest part of the interface that has not begun to follow the push: from node *first on, so many of them. */
static size_t intact(const interface *at, const am_sample *s, size_t *first) {
    double longest = 0.0, length = 0.0;
    size_t count = 0;
    for (size_t i = 0, begin = 0; i < at->m; i++) {
        if (follows(at, s->state[at->order[i]])) {
            begin = i + 1;
            length = 0.0;
            continue;
        }
        length += at->share[i];
        if (length > longest) {
            longest = length;
            *first = begin;
            count = i + 1 - begin;
        }
    }
    return count;
}

/* Condensed stiffnesses, of the order of E times thickness, are right to 1e-12 of themselves. */
static double rounding_of_forces(const interface *at, const am_sample *s) {
    const am_blocks *b = &at->rig->blocks;
    double stiffest = fmax(b->slider.rigid ? 0.0 : b->slider.modulus * b->slider.thickness,
                           b->base.rigid ? 0.0 : b->base.modulus * b->base.thickness);
    double largest = 0.0;
    for (size_t c = 0; c < at->m; c++)
        largest = fmax(largest, fmax(fabs(s->displacement[c]), fabs(am_solid_gaps(s)[c])));
    return 1e-12 * stiffest * largest;
}

/* NaN while nothing is pressed: a sweep of P may begin at zero. */
static double load_ratio(const front *f) {
    return f->P > f->rounding ? f->Q / f->P : NAN;
}

static front front_at(const interface *at, const am_sample *s) {
    front f = {.t = s->t, .rounding = rounding_of_forces(at, s)};
    size_t k = 0;
    f.l = intact(at, s, &k) == 0 ? at->length : k == 0 ? 0.0 : front_between(at, s, k);
    for (size_t i = 0; i < at->m; i++) {
        am_contact_state state = s->state[at->order[i]];
        f.P += s->normal[i];
        f.Q -= at->direction * s->tangential[i];
        f.open += state == AM_OPEN ? at->share[i] : 0.0;
        f.slipping += state != AM_OPEN && follows(at, state) ? at->share[i] : 0.0;
    }
    return f;
}

/* ---- the table ---- */

/* The last load before nodes slip behind a front (an end that only lifts is none); NaN: it never starts. */
typedef struct onset {
    double last, found;
} onset;

static void note_onset(onset *o, const front *f) {
    if (f->l > 0.0 && f->slipping > 0.0 && isnan(o->found))
        o->found = fmax(0.0, o->last);
    o->last = load_ratio(f);
}

static am_status fill_fronts(const interface *at, size_t count, const front *seen, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "fronts",
                                               "Q_over_P l_over_L Q l t P Q_over_fP l_over_a open_length slip_length");
    for (size_t i = 0; i < count; i++) {
        const front *f = &seen[i];
        const double values[] = {load_ratio(f),
                                 f->l / at->length,
                                 f->Q,
                                 f->l,
                                 f->t,
                                 f->P,
                                 at->last > 0.0 ? load_ratio(f) / at->last : NAN,
                                 2.0 * f->l / at->length,
                                 f->open,
                                 f->slipping};
        am_table_add_numbers(table, values, sizeof values / sizeof *values);
    }
    return am_result_status(result, err);
}

/* ---- evidence ---- */

/* What acts on the slider at t, against what the contacts bear, over the larger; what is below rounding is below 1e-8.
 */
static am_status residual(am_blocks_rig *rig, const am_sample *s, const front *f, double *value, am_error *err) {
    const am_blocks *b = &rig->blocks;
    double mass = b->slider.density * b->slider.length * b->slider.height * b->slider.thickness;
    double P = -mass * rig->gravity.acceleration[1] * am_function_at(&rig->gravity.function, s->t), Q = 0.0;
    for (size_t i = 0; i < rig->def.load_count; i++) {
        double share = am_function_at(&rig->load[i].function, s->t);
        P -= share * rig->load[i].force[1];
        Q += share * rig->load[i].force[0] * am_blocks_direction(b);
    }
    am_status status = AM_OK;
    if (b->control != AM_BLOCKS_FORCE) {
        double *displacement = am_memory_new(2 * rig->mesh.nodes, sizeof *displacement, err), force = 0.0;
        status = displacement
                     ? am_solid_displacements(rig->solid, s->displacement, s->t, displacement, NULL, &force, err)
                     : AM_ERR_MEMORY;
        am_memory_free(displacement);
        Q = am_blocks_direction(b) * force;
    }
    double size = fmax(fmax(fabs(P), fabs(Q)), 1e8 * f->rounding);
    *value = size > 0.0 ? fmax(fabs(f->P - P), fabs(f->Q - Q)) / size : 0.0;
    return status;
}

/* Of a curved contact: half of the closed length, and of the part that sticks. */
static am_status report_widths(const interface *at, const am_sample *s, am_result *result, am_error *err) {
    double closed = 0.0, stuck = 0.0;
    for (size_t i = 0; i < at->m; i++) {
        am_contact_state state = s->state[at->order[i]];
        closed += state == AM_OPEN ? 0.0 : at->share[i];
        stuck += state == AM_STICK ? at->share[i] : 0.0;
    }
    am_result_set_number(result, "contact_half_width", 0.5 * closed, err);
    return am_result_set_number(result, "stick_half_width", 0.5 * stuck, err);
}

static am_status summarise(am_blocks_rig *rig, const interface *at, const am_sample *last, const onset *began,
                           am_result *result, am_error *err) {
    bool moving = last->velocity != NULL;
    front f = front_at(at, last);
    double off = moving ? NAN : 0.0; /* inertia takes its part */
    if (!moving)
        AM_TRY(residual(rig, last, &f, &off, err));
    const am_scalar *known = am_result_find(result, "equilibrium_residual"); /* the path's own, of its contacts */
    if (known && known->kind == AM_SCALAR_NUMBER && !(known->number <= off))
        off = known->number;
    const am_named numbers[] = {{"Q", f.Q},
                                {"P", f.P},
                                {"Q_over_P", load_ratio(&f)},
                                {"l", f.l},
                                {"l_over_L", f.l / at->length},
                                {"onset_Q_over_P", began->found},
                                {"equilibrium_residual", off}};
    am_result_set_numbers(result, numbers, sizeof numbers / sizeof *numbers);
    if (rig->hertz > 0.0)
        report_widths(at, last, result, err);
    if (!moving && !(off <= 1e-8))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the forces of the contacts and the loads of the slider differ by %.3g of the larger", off);
    return am_result_status(result, err);
}

/* ---- watching ---- */

typedef struct blocks_watch {
    am_blocks_rig *rig, *own; /* own: to be freed with it; NULL: the rig is borrowed */
    bool fields;
    interface at;
    onset began;
    front *seen;              /* at every sample from t = 0 on */
    am_blocks_pull_row *pull; /* the same of a motion under a spring */
    size_t count, capacity;
    am_solid_last last;
} blocks_watch;

static void release(void *watch) {
    blocks_watch *w = watch;
    interface_clear(&w->at);
    am_memory_free(w->seen);
    am_memory_free(w->pull);
    am_solid_last_clear(&w->last);
    am_blocks_rig_free(w->own);
    am_memory_free(w);
}

static bool is_pulled(const blocks_watch *w, const am_sample *sample) {
    return sample->velocity && w->rig->def.drive_count > 0;
}

static am_status grow(blocks_watch *w, am_error *err) {
    size_t capacity = w->capacity ? 2 * w->capacity : 256;
    if (w->count < w->capacity)
        return AM_OK;
    AM_TRY(am_memory_resize(&w->seen, capacity, err));
    AM_TRY(am_memory_resize(&w->pull, capacity, err));
    w->capacity = capacity;
    return AM_OK;
}

static am_status see_sample(void *watch, const am_sample *sample, am_error *err) {
    blocks_watch *w = watch;
    AM_TRY(am_solid_last_keep(&w->last, sample, err));
    if (!(sample->t >= 0.0))
        return AM_OK;
    AM_TRY(grow(w, err));
    w->seen[w->count] = front_at(&w->at, sample);
    note_onset(&w->began, &w->seen[w->count]);
    if (is_pulled(w, sample))
        w->pull[w->count] = am_blocks_pull_at(w->rig, sample);
    w->count++;
    return AM_OK;
}

static am_status report_fronts(blocks_watch *w, am_result *result, am_error *err) {
    const am_sample *last = &w->last.sample;
    AM_TRY(fill_fronts(&w->at, w->count, w->seen, result, err));
    AM_TRY(summarise(w->rig, &w->at, last, &w->began, result, err));
    return is_pulled(w, last) ? am_blocks_report_pull(w->rig, w->count, w->pull, result, err) : AM_OK;
}

static am_status report(void *watch, am_result *result, am_error *err) {
    blocks_watch *w = watch;
    const am_solid_subject subject = {w->rig->solid, &w->rig->def, &w->rig->dynamics};
    if (w->last.sample.displacement)
        AM_TRY(report_fronts(w, result, err));
    AM_TRY(am_solid_report(&subject, w->fields, &w->last, result, err));
    if (!w->rig->blocks.halfplane || !w->last.sample.displacement)
        return AM_OK;
    return am_blocks_compare(w->rig, &w->last.sample, front_at(&w->at, &w->last.sample).Q, result, err);
}

am_status am_blocks_watch_open(am_blocks_rig *rig, bool fields, am_model_watch *watch, am_error *err) {
    blocks_watch *w = am_memory_new(1, sizeof *w, err);
    if (!w)
        return AM_ERR_MEMORY;
    *w = (blocks_watch){.rig = rig, .fields = fields, .began = {.last = 0.0, .found = NAN}};
    *watch = (am_model_watch){{.sample = see_sample, .context = w}, report, release};
    if (interface_init(&w->at, rig, err) == AM_OK)
        return AM_OK;
    release(w);
    return AM_ERR_MEMORY;
}

am_system *am_blocks_create_watched(const am_blocks *blocks, bool fields, am_model_watch *watch, am_error *err) {
    if (!blocks || !watch)
        return am_misused_for_nothing(err, __func__);
    am_blocks_rig *rig = am_blocks_rig_create(blocks, err);
    am_system *system = rig ? am_blocks_rig_system(rig, err) : NULL;
    if (system && am_blocks_watch_open(rig, fields, watch, err) == AM_OK) {
        ((blocks_watch *)watch->observer.context)->own = rig;
        return system;
    }
    am_system_free(system);
    am_blocks_rig_free(rig);
    return NULL;
}
