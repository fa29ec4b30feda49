#include "analyses/attractors/starts.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/random.h"
#include "math/dense.h"
#include "math/pi.h"
#include "system/system.h"

static const size_t most_starts = (size_t)1 << 28;

/* ---- the default box ---- */

/* Modes of the structure: K^-1 and the lowest frequency. */
typedef struct modes {
    size_t n;
    double *shape;  /* n x n: row j is mode j, normalised with M */
    double *square; /* n: squares of the frequencies */
    double *work;   /* n */
    double *answer; /* n */
} modes;

/* Coordinates without mass have no frequency of their own: for the size of the box they get a mass so small that it does
 * not matter. mass, stiffness: n x n. */
static void add_little_mass(const double *stiffness, size_t n, double *mass) {
    static const double little = 1e-6;
    double square = 0.0;
    for (size_t i = 0; i < n * n; i += n + 1)
        square = fmax(square, mass[i] > 0.0 ? fabs(stiffness[i]) / mass[i] : 0.0);
    for (size_t i = 0; i < n * n; i += n + 1)
        if (mass[i] == 0.0 && square > 0.0)
            mass[i] = little * fabs(stiffness[i]) / square;
}

static am_status find_modes(modes *k, const am_system *system, am_error *err) {
    size_t n = k->n;
    double *mass = am_memory_new(n * n, sizeof *mass, err);
    if (!mass)
        return AM_ERR_MEMORY;
    am_matrix_to_dense(am_system_mass(system), mass);
    am_matrix_to_dense(am_system_stiffness(system), k->shape);
    add_little_mass(k->shape, n, mass);
    lapack_int info = LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'L', (lapack_int)n, k->shape, (lapack_int)n, mass,
                                    (lapack_int)n, k->square);
    am_memory_free(mass);
    if (info == LAPACK_WORK_MEMORY_ERROR)
        return am_fail(err, AM_ERR_MEMORY, "out of memory while computing %zu modes", n);
    if (info != 0 || !(k->square[0] > 1e-12 * k->square[n - 1]))
        return am_fail_field(err, AM_ERR_INPUT, "starts",
                             "the structure can move without stretching a spring, so its size does not suggest a box "
                             "for the starts: give one (starts.box)");
    return AM_OK;
}

/* answer = K^-1 force */
static void deflect(modes *k, const double *force) {
    memset(k->answer, 0, k->n * sizeof *k->answer);
    for (size_t j = 0; j < k->n; j++) {
        const double *shape = k->shape + j * k->n;
        double part = am_dense_dot(shape, force, k->n) / k->square[j];
        for (size_t i = 0; i < k->n; i++)
            k->answer[i] += part * shape[i];
    }
}

/* Mean and half range of one term of a function in the long run, and the rate at which it varies. */
static void measure_term(const am_function *f, double *mean, double *range, double *rate) {
    *mean = f->kind == AM_FUNCTION_PULSE || f->kind == AM_FUNCTION_IMPULSE ? 0.0 : f->value;
    *range = *rate = 0.0;
    if (f->kind == AM_FUNCTION_SINE || f->kind == AM_FUNCTION_CHIRP) {
        *range = fabs(f->amplitude);
        *rate = fabs(f->frequency);
    } else if (f->kind == AM_FUNCTION_TABLE && f->count > 0) {
        double low = f->values[0], high = f->values[0];
        for (size_t i = 1; i < f->count; i++) {
            low = fmin(low, f->values[i]);
            high = fmax(high, f->values[i]);
        }
        bool repeats = f->period > 0.0;
        *mean = repeats ? 0.5 * (low + high) : f->values[f->count - 1];
        *range = repeats ? 0.5 * (high - low) : 0.0;
        *rate = repeats ? two_pi / f->period : 0.0;
    }
}

static void measure(const am_function *function, double *mean, double *range, double *rate) {
    *mean = *range = *rate = 0.0;
    for (const am_function *f = function; f; f = f->plus) {
        double own_mean, own_range, own_rate;
        measure_term(f, &own_mean, &own_range, &own_rate);
        *mean += own_mean;
        *range += own_range;
        *rate = fmax(*rate, own_rate);
    }
}

typedef struct box {
    double *centre, *extent; /* n: of the displacements */
    double belt, load_rate;  /* fastest surface, fastest load */
} box;

static void add_reach(modes *k, box *b, const double *force, double size) {
    deflect(k, force);
    for (size_t i = 0; i < k->n; i++)
        b->extent[i] += fabs(size * k->answer[i]);
}

static void add_centre(modes *k, box *b, const double *force, double size) {
    deflect(k, force);
    for (size_t i = 0; i < k->n; i++)
        b->centre[i] += size * k->answer[i];
}

static void add_load(modes *k, box *b, const am_load_def *load) {
    double mean, range, rate;
    measure(&load->function, &mean, &range, &rate);
    add_centre(k, b, load->direction, mean);
    add_reach(k, b, load->direction, range);
    b->load_rate = fmax(b->load_rate, rate);
}

/* A support that moves along the normal by so much carries along, or throws, what rests on it. */
static void add_support(const modes *k, box *b, const am_contact_def *contact) {
    double mean, range, rate, square = am_dense_dot(contact->normal, contact->normal, k->n);
    measure(&contact->gap_motion, &mean, &range, &rate);
    b->load_rate = fmax(b->load_rate, rate);
    for (size_t i = 0; i < k->n && square > 0.0; i++)
        b->extent[i] += range * fabs(contact->normal[i]) / square;
}

/* A moving surface drags with kinetic friction, and what static friction holds beyond that sets the amplitude; a
 * surface at rest holds up to its static friction. */
static void add_contact(modes *k, box *b, const am_contact_def *contact) {
    double mean = 0.0, range = 0.0, rate = 0.0;
    if (contact->normal_law == AM_HELD)
        measure(&contact->hold, &mean, &range, &rate);
    double drift, swing, drawn;
    measure(&contact->surface_motion, &drift, &swing, &drawn);
    b->load_rate = fmax(b->load_rate, fmax(rate, drawn));
    double v = contact->surface_velocity + drift, largest = fabs(mean) + range, length = 0.0;
    for (size_t i = 0; i < k->n; i++)
        length = fmax(length, fabs(contact->tangent[i]));
    if (v != 0.0) {
        add_centre(k, b, contact->tangent, copysign(contact->friction * fabs(mean), v));
        add_reach(k, b, contact->tangent, contact->static_friction * largest - contact->friction * fabs(mean));
    } else {
        add_reach(k, b, contact->tangent, contact->static_friction * largest);
    }
    if (length > 0.0)
        b->belt = fmax(b->belt, (fabs(v) + swing) / length);
    add_support(k, b, contact);
}

static void fill_box(const modes *k, const box *b, double *low, double *high) {
    double lowest = sqrt(k->square[0]), largest = 0.0;
    for (size_t i = 0; i < k->n; i++)
        largest = fmax(largest, b->extent[i] + b->belt / lowest);
    for (size_t i = 0; i < k->n; i++) {
        double extent = b->extent[i] + b->belt / lowest;
        if (!(extent > 0.0))
            extent = largest > 0.0 ? largest : 1.0;
        double speed = b->belt + (b->load_rate > 0.0 ? b->load_rate : b->belt > 0.0 ? 0.0 : lowest) * extent;
        low[i] = b->centre[i] - 2.0 * extent;
        high[i] = b->centre[i] + 2.0 * extent;
        low[k->n + i] = -2.0 * speed;
        high[k->n + i] = 2.0 * speed;
    }
}

am_status am_starts_default_box(const am_system *system, double *low, double *high, am_error *err) {
    size_t n = am_system_size(system);
    modes k = {.n = n};
    AM_LOCAL_MEMORY double *memory = am_memory_new(n * n + 5 * n, sizeof *memory, err);
    if (!memory)
        return AM_ERR_MEMORY;
    k.shape = memory;
    k.square = memory + n * n;
    k.work = k.square + n;
    k.answer = k.work + n;
    box b = {.centre = k.answer + n, .extent = k.answer + 2 * n};
    AM_TRY(find_modes(&k, system, err));
    for (size_t l = 0; l < am_system_loads(system); l++)
        add_load(&k, &b, am_system_load(system, l));
    for (size_t c = 0; c < am_system_contacts(system); c++)
        add_contact(&k, &b, am_system_contact(system, c));
    fill_box(&k, &b, low, high);
    return AM_OK;
}

/* ---- the free side of the contacts ---- */

/* Starts are mirrored at the surfaces so many times, and then moved no further than to them. Between two stops that are
 * close together a point far outside takes many mirror images to get in. */
enum { MOST_MIRRORS = 100, MOST_MOVES = 1000 };

/* Move q along the normal of every rigid contact that it penetrates at time 0, when starts start, by `part` of the
 * depth; false: there is none. */
static bool move_out(const am_system *system, double part, double *q) {
    bool moved = false;
    size_t n = am_system_size(system);
    for (size_t c = 0; c < am_system_contacts(system); c++) {
        const am_contact_def *contact = am_system_contact(system, c);
        if (contact->normal_law != AM_UNILATERAL)
            continue;
        double gap = am_dense_dot(contact->normal, q, n) + am_system_gap_at(system, c, 0.0);
        double square = am_dense_dot(contact->normal, contact->normal, n);
        if (!(gap < 0.0) || !(square > 0.0))
            continue;
        moved = true;
        for (size_t i = 0; i < n; i++)
            q[i] -= part * gap / square * contact->normal[i];
    }
    return moved;
}

/* A start inside an obstacle is mirrored at its surface, for each contact in turn, until it is in none. */
static void put_on_free_side(const am_system *system, double *q) {
    static const double mirrored = 2.0, just_out = 1.0 + 1e-9;
    for (size_t i = 0; i < MOST_MIRRORS; i++)
        if (!move_out(system, mirrored, q))
            return;
    for (size_t i = 0; i < MOST_MOVES && move_out(system, just_out, q); i++)
        continue;
}

/* ---- the set ---- */

static am_status too_many(am_error *err) {
    return am_fail_field(err, AM_ERR_INPUT, "starts", "more than %zu starts are too many for one map", most_starts);
}

/* Component i (of 2n) of the direction of an axis. */
static double component(const am_starts *s, size_t axis, size_t i) {
    return s->side[axis] == AM_ALONG ? s->options->axes[axis].direction[i] : i == s->side[axis] ? 1.0 : 0.0;
}

static double dot_axes(const am_starts *s, size_t a, size_t b) {
    double sum = 0.0;
    for (size_t i = 0; i < 2 * s->n; i++)
        sum += component(s, a, i) * component(s, b, i);
    return sum;
}

static am_status check_axis(const am_starts *s, size_t a, am_error *err) {
    const am_start_axis *axis = &s->options->axes[a];
    if (!axis->direction && axis->coordinate >= s->n)
        return am_fail_field(err, AM_ERR_INPUT, "starts", "there is no coordinate %zu", axis->coordinate + 1);
    if (!isfinite(axis->from) || !isfinite(axis->to) || axis->count < 1)
        return am_fail_field(err, AM_ERR_INPUT, "starts", "an axis needs finite ends and at least one point");
    if (axis->count > most_starts / s->count)
        return too_many(err);
    return AM_OK;
}

/* A direction must lead somewhere, and no two axes the same way: starts would lie on top of each other. Parallel to
 * rounding, with a margin for directions given by a few digits less. */
static am_status check_direction(const am_starts *s, size_t a, am_error *err) {
    double length = dot_axes(s, a, a);
    if (!isfinite(length) || !(length > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "starts",
                             "the direction of axis %zu of the starts must be finite and not zero", a + 1);
    for (size_t b = 0; b < a; b++) {
        double mixed = dot_axes(s, a, b), both = length * dot_axes(s, b, b);
        if (!(mixed * mixed < (1.0 - 1e-12) * both))
            return am_fail_field(err, AM_ERR_INPUT, "starts", "axes %zu and %zu of the starts have the same direction",
                                 b + 1, a + 1);
    }
    return AM_OK;
}

static am_status take_axes(am_starts *s, am_error *err) {
    const am_attractors_options *o = s->options;
    s->grid = true;
    s->count = 1;
    for (size_t a = 0; a < o->axis_count; a++) {
        const am_start_axis *axis = &o->axes[a];
        AM_TRY(check_axis(s, a, err));
        s->count *= axis->count;
        s->side[a] = axis->direction ? AM_ALONG : axis->coordinate + (axis->velocity ? s->n : 0);
        s->low[a] = axis->from;
        s->high[a] = axis->to;
        s->points[a] = axis->count;
        AM_TRY(check_direction(s, a, err));
    }
    s->sides = o->axis_count;
    return AM_OK;
}

static am_status take_ranges(am_starts *s, am_error *err) {
    const am_attractors_options *o = s->options;
    for (size_t a = 0; a < o->range_count; a++) {
        const am_start_range *range = &o->ranges[a];
        if (range->coordinate >= s->n)
            return am_fail_field(err, AM_ERR_INPUT, "starts", "there is no coordinate %zu", range->coordinate + 1);
        if (!isfinite(range->low) || !isfinite(range->high) || !(range->low <= range->high))
            return am_fail_field(err, AM_ERR_INPUT, "starts", "a side of the box needs two finite, ascending ends");
        s->side[a] = range->coordinate + (range->velocity ? s->n : 0);
        s->low[a] = range->low;
        s->high[a] = range->high;
    }
    s->sides = o->range_count;
    return AM_OK;
}

/* The largest whole number whose power `sides` is at most `count`. */
static size_t whole_root(size_t count, size_t sides) {
    size_t root = 1;
    for (;; root++) {
        double power = 1.0;
        for (size_t i = 0; i < sides; i++)
            power *= (double)(root + 1);
        if (power > (double)count)
            return root;
    }
}

static am_status take_box(am_starts *s, const am_system *system, am_error *err) {
    const am_attractors_options *o = s->options;
    if (o->count > most_starts)
        return too_many(err);
    if (o->range_count > 0) {
        AM_TRY(take_ranges(s, err));
    } else {
        AM_TRY(am_starts_default_box(system, s->low, s->high, err));
        s->free_side = system;
        s->sides = 2 * s->n;
        for (size_t i = 0; i < s->sides; i++)
            s->side[i] = i;
    }
    s->count = o->count;
    s->grid = o->method == AM_STARTS_GRID;
    if (s->grid) {
        size_t root = whole_root(o->count, s->sides);
        s->count = 1;
        for (size_t a = 0; a < s->sides; a++) {
            s->points[a] = root;
            s->count *= root;
        }
    }
    return AM_OK;
}

am_status am_starts_init(am_starts *starts, const am_system *system, const am_attractors_options *options,
                         am_error *err) {
    size_t n = am_system_size(system), most = 2 * n;
    *starts = (am_starts){.options = options, .n = n};
    if (options->count > 0 && options->axis_count > 0)
        return am_fail_field(err, AM_ERR_INPUT, "starts", "starts are either axes or points in a box, not both");
    if (options->axis_count > most || options->range_count > most)
        return am_fail_field(err, AM_ERR_INPUT, "starts", "starts must vary along at most %zu axes", most);
    if (options->count == 0 && options->axis_count == 0)
        return am_fail_field(err, AM_ERR_INPUT, "starts", "starts need axes, or a number of points");
    AM_ARENA_ARRAYS(&starts->memory, size_t, most, err, &starts->side, &starts->points);
    AM_ARENA_DOUBLES(&starts->memory, most, err, &starts->low, &starts->high, &starts->fixed, &starts->work);
    am_status status = am_arena_status(&starts->memory);
    for (size_t i = 0; !status && i < n; i++) {
        starts->fixed[i] = options->displacement ? options->displacement[i] : 0.0;
        starts->fixed[n + i] = options->velocity ? options->velocity[i] : 0.0;
    }
    if (!status)
        status = options->count > 0 ? take_box(starts, system, err) : take_axes(starts, err);
    if (status)
        am_starts_clear(starts);
    return status;
}

void am_starts_clear(am_starts *starts) {
    am_arena_clear(&starts->memory);
    *starts = (am_starts){0};
}

static double on_grid(const am_starts *s, size_t side, size_t index) {
    if (s->points[side] < 2)
        return s->low[side];
    if (index + 1 == s->points[side])
        return s->high[side];
    return s->low[side] + (s->high[side] - s->low[side]) * (double)index / (double)(s->points[side] - 1);
}

/* In the box or on the grid. */
static double given_value(const am_starts *starts, size_t index, size_t side) {
    double low = starts->low[side], span = starts->high[side] - low;
    if (!starts->grid && starts->options->method == AM_STARTS_RANDOM)
        return low + span * am_random_unit(starts->options->seed, index, side);
    if (!starts->grid)
        return low + span * am_random_sobol(starts->options->seed, index, side);
    size_t rest = index;
    for (size_t a = 0; a < side; a++)
        rest /= starts->points[a];
    return on_grid(starts, side, rest % starts->points[side]);
}

void am_starts_place(const am_starts *starts, size_t index, double *start) {
    size_t size = 2 * starts->n;
    memcpy(start, starts->fixed, size * sizeof *start);
    for (size_t a = 0; a < starts->sides; a++)
        if (starts->side[a] != AM_ALONG)
            start[starts->side[a]] = given_value(starts, index, a);
    for (size_t a = 0; a < starts->sides; a++) {
        if (starts->side[a] != AM_ALONG)
            continue;
        double value = given_value(starts, index, a);
        for (size_t i = 0; i < size; i++)
            start[i] += value * starts->options->axes[a].direction[i];
    }
    if (starts->free_side)
        put_on_free_side(starts->free_side, start);
}

double am_starts_value(const am_starts *starts, size_t index, size_t side) {
    if (!starts->free_side)
        return given_value(starts, index, side);
    am_starts_place(starts, index, starts->work);
    return starts->work[starts->side[side]];
}
