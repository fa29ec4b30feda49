/* The inputs of a system: the generator states of all its functions of time in one vector z (system.h). */
#include <math.h>

#include "math/dense.h"
#include "system/generator.h"
#include "system/system.h"

const am_function *am_contact_function(const am_contact_def *contact, size_t index) {
    const am_function *const all[] = {&contact->hold, &contact->surface_motion, &contact->gap_motion};
    return index < sizeof all / sizeof *all ? all[index] : NULL;
}

/* Give a function its place in z and note the entries of its generator. */
static size_t place_function(am_system *s, const am_function *function) {
    double h[AM_GENERATOR_MAX], G[AM_GENERATOR_MAX * AM_GENERATOR_MAX];
    size_t start = s->nz;
    for (const am_function *f = function; f; f = f->plus) {
        size_t size = am_generator_size(f);
        am_generator_matrices(f, h, G);
        for (size_t i = 0; i < size; i++)
            for (size_t j = 0; j < size; j++)
                if (G[i * size + j] != 0.0)
                    s->G[s->entries++] = (am_generator_entry){s->nz + i, s->nz + j, G[i * size + j]};
        s->nz += size;
    }
    return start;
}

/* row += factor * (offset, h) at the function's place. */
static void add_output(double *row, double factor, const am_function *function, size_t start) {
    double h[AM_GENERATOR_MAX], G[AM_GENERATOR_MAX * AM_GENERATOR_MAX];
    for (const am_function *f = function; f; start += am_generator_size(f), f = f->plus) {
        am_generator_matrices(f, h, G);
        row[0] += factor * am_generator_offset(f);
        for (size_t i = 0; i < am_generator_size(f); i++)
            row[start + i] += factor * h[i];
    }
}

/* No state has more than one entry of G in its row. */
static size_t count_states(const am_system *s) {
    size_t count = 0;
    for (size_t l = 0; l < s->loads; l++)
        count += am_functions_size(&s->load[l].function);
    for (size_t c = 0; c < s->m; c++)
        count += am_functions_size(&s->contact[c].hold) + am_functions_size(&s->contact[c].surface_motion) +
                 am_functions_size(&s->contact[c].gap_motion);
    for (size_t v = 0; v < s->varyings; v++)
        count += am_functions_size(&s->varying[v].stiffness);
    return count;
}

/* rate += row G. */
static void add_derivative(const am_system *s, const double *row, double *rate) {
    for (size_t e = 0; e < s->entries; e++)
        rate[s->G[e].column] += row[s->G[e].row] * s->G[e].value;
}

/* The velocity of a surface and its rate, h z and h G z. */
static void fill_surface(am_system *s, size_t c) {
    const am_contact_def *contact = &s->contact[c];
    double *row = s->surface + c * s->nz, *rate = s->surface_rate + c * s->nz;
    row[0] = contact->surface_velocity;
    add_output(row, 1.0, &contact->surface_motion, s->surface_start[c]);
    add_derivative(s, row, rate);
    s->drawn[c] = !am_functions_rest(&contact->surface_motion);
}

static void fill_gap(am_system *s, size_t c) {
    const am_contact_def *contact = &s->contact[c];
    double *row = s->gap + c * s->nz, *rate = s->gap_rate + c * s->nz;
    row[0] = contact->gap;
    add_output(row, 1.0, &contact->gap_motion, s->gap_start[c]);
    add_derivative(s, row, rate);
    add_derivative(s, rate, s->gap_bend + c * s->nz);
    s->lifted[c] = !am_functions_rest(&contact->gap_motion);
}

am_status am_system_build_inputs(am_system *s, am_error *err) {
    s->load_start = am_arena_new(&s->memory, s->loads, sizeof *s->load_start, err);
    AM_ARENA_ARRAYS(&s->memory, size_t, s->m, err, &s->hold_start, &s->surface_start, &s->gap_start);
    s->varying_start = am_arena_new(&s->memory, s->varyings, sizeof *s->varying_start, err);
    s->drawn = am_arena_new(&s->memory, s->m, sizeof *s->drawn, err);
    s->lifted = am_arena_new(&s->memory, s->m, sizeof *s->lifted, err);
    s->G = am_arena_new(&s->memory, count_states(s), sizeof *s->G, err);
    if (am_arena_status(&s->memory))
        return AM_ERR_MEMORY;
    s->nz = 1;
    for (size_t l = 0; l < s->loads; l++)
        s->load_start[l] = place_function(s, &s->load[l].function);
    for (size_t c = 0; c < s->m; c++)
        s->hold_start[c] = place_function(s, &s->contact[c].hold);
    for (size_t c = 0; c < s->m; c++)
        s->surface_start[c] = place_function(s, &s->contact[c].surface_motion);
    for (size_t c = 0; c < s->m; c++)
        s->gap_start[c] = place_function(s, &s->contact[c].gap_motion);
    for (size_t v = 0; v < s->varyings; v++)
        s->varying_start[v] = place_function(s, &s->varying[v].stiffness);
    s->input = am_arena_doubles(&s->memory, NULL, s->n * s->nz, err);
    s->varying_row = am_arena_doubles(&s->memory, NULL, s->varyings * s->nz, err);
    AM_ARENA_DOUBLES(&s->memory, s->m * s->nz, err, &s->hold, &s->surface, &s->surface_rate, &s->gap, &s->gap_rate,
                     &s->gap_bend);
    if (am_arena_status(&s->memory))
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < s->n; i++) {
        double *row = s->input + i * s->nz;
        for (size_t l = 0; l < s->loads; l++)
            add_output(row, s->load[l].direction[i], &s->load[l].function, s->load_start[l]);
        for (size_t c = 0; c < s->m; c++)
            if (s->contact[c].normal_law == AM_HELD)
                add_output(row, s->contact[c].normal[i], &s->contact[c].hold, s->hold_start[c]);
    }
    for (size_t c = 0; c < s->m; c++) {
        if (s->contact[c].normal_law == AM_HELD)
            add_output(s->hold + c * s->nz, 1.0, &s->contact[c].hold, s->hold_start[c]);
        fill_surface(s, c);
        fill_gap(s, c);
    }
    for (size_t v = 0; v < s->varyings; v++)
        add_output(s->varying_row + v * s->nz, 1.0, &s->varying[v].stiffness, s->varying_start[v]);
    return AM_OK;
}

/* A constant has no states and no breaks. */
static inline bool is_constant(const am_function *function) {
    return function->kind == AM_FUNCTION_CONSTANT && !function->plus;
}

void am_system_inputs_at(const am_system *system, am_exact_time now, double *z) {
    z[0] = 1.0;
    for (size_t l = 0; l < system->loads; l++)
        am_generator_state_at(&system->load[l].function, now, z + system->load_start[l]);
    for (size_t c = 0; c < system->m; c++) {
        if (system->contact[c].normal_law == AM_HELD && !is_constant(&system->contact[c].hold))
            am_functions_state_at(&system->contact[c].hold, now, z + system->hold_start[c]);
        if (system->drawn[c])
            am_functions_state_at(&system->contact[c].surface_motion, now, z + system->surface_start[c]);
        if (system->lifted[c])
            am_functions_state_at(&system->contact[c].gap_motion, now, z + system->gap_start[c]);
    }
    for (size_t v = 0; v < system->varyings; v++)
        am_functions_state_at(&system->varying[v].stiffness, now, z + system->varying_start[v]);
}

void am_system_inputs(const am_system *system, double t, double *z) {
    am_system_inputs_at(system, am_exact_time_at(t), z);
}

am_exact_time am_system_break_after(const am_system *system, double t) {
    am_exact_time next = am_exact_time_at(INFINITY);
    for (size_t l = 0; l < system->loads; l++)
        next = am_exact_time_earlier(next, am_generator_break_after(&system->load[l].function, t));
    for (size_t c = 0; c < system->m; c++) {
        if (!is_constant(&system->contact[c].hold))
            next = am_exact_time_earlier(next, am_functions_break_after(&system->contact[c].hold, t));
        if (system->drawn[c])
            next = am_exact_time_earlier(next, am_functions_break_after(&system->contact[c].surface_motion, t));
        if (system->lifted[c])
            next = am_exact_time_earlier(next, am_functions_break_after(&system->contact[c].gap_motion, t));
    }
    for (size_t v = 0; v < system->varyings; v++)
        next = am_exact_time_earlier(next, am_functions_break_after(&system->varying[v].stiffness, t));
    return next;
}

double am_system_next_break(const am_system *system, double t) {
    return am_system_break_after(system, t).t;
}

double am_system_gap_at(const am_system *system, size_t contact, double t) {
    const am_contact_def *c = &system->contact[contact];
    return c->gap + (system->lifted[contact] ? am_function_at(&c->gap_motion, t) : 0.0);
}

double am_system_gap_rate_at(const am_system *system, size_t contact, double t) {
    return system->lifted[contact] ? am_function_rate(&system->contact[contact].gap_motion, t) : 0.0;
}

double am_system_surface_at(const am_system *system, size_t contact, double t) {
    const am_contact_def *c = &system->contact[contact];
    return c->surface_velocity + (system->drawn[contact] ? am_function_at(&c->surface_motion, t) : 0.0);
}

double am_system_carried(const am_system *system, size_t contact, double from, double to) {
    const am_contact_def *c = &system->contact[contact];
    double sum = c->surface_velocity * (to - from);
    return system->drawn[contact] ? sum + am_functions_integral(&c->surface_motion, from, to) : sum;
}

bool am_system_blow(const am_system *system, double t, double *impulse) {
    bool any = false;
    for (size_t i = 0; i < system->n; i++)
        impulse[i] = 0.0;
    for (size_t l = 0; l < system->loads; l++) {
        double size = am_generator_blow(&system->load[l].function, t);
        if (size == 0.0)
            continue;
        any = true;
        for (size_t i = 0; i < system->n; i++)
            impulse[i] += size * system->load[l].direction[i];
    }
    return any;
}
