#include "system/prescribed.h"
#include "base/try.h"

#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "math/entries.h"
#include "math/pi.h"
#include "system/generator.h"

typedef struct reduction {
    am_arena memory;
    const am_system_def *def;
    size_t count;
    const am_prescribed *prescribed;
    size_t n, *kept;      /* remaining coordinates, by their old numbers */
    size_t *place;        /* of all coordinates, by their new ones; SIZE_MAX: none */
    am_matrix *matrix[4]; /* mass, damping, stiffness, circulatory */
    double *rows;         /* of contacts, loads and polynomial springs, n each */
    am_contact_def *contacts;
    am_polynomial_def *polynomials;
    am_varying_def *varying;
    am_load_def *loads;
    size_t load_count, rows_used;
    const char **names;
    char *text;
} reduction;

static void clear(reduction *r) {
    for (size_t i = 0; i < 4; i++)
        am_matrix_free(r->matrix[i]);
    am_arena_clear(&r->memory);
}

enum { name_size = 32 };

static am_status fail_at(size_t index, const char *member, const char *text, am_error *err) {
    char field[64];
    snprintf(field, sizeof field, "prescribed[%zu].%s", index, member);
    return am_fail_field(err, AM_ERR_INPUT, field, "%s", text);
}

/* ---- The given motions ---- */

/* One term, so many times differentiated and times a factor; its table stays the caller's where the factor is 1. */
static am_function derivative_of(reduction *r, const am_function *x, unsigned order, double factor, am_error *err) {
    am_function f = *x;
    f.plus = NULL;
    for (; order > 0; order--)
        if (f.kind == AM_FUNCTION_CONSTANT)
            f = am_function_constant(0.0);
        else if (f.kind == AM_FUNCTION_RAMP)
            f = am_function_constant(f.rate);
        else if (f.kind == AM_FUNCTION_SINE)
            f = am_function_sine(f.amplitude * f.frequency, f.frequency, f.phase + half_pi);
        else
            f.derivative++;
    if (factor == 1.0)
        return f;
    f.value *= factor;
    f.amplitude *= factor;
    f.rate *= f.kind == AM_FUNCTION_RAMP ? factor : 1.0; /* that of a chirp is one of its frequency */
    const double *tables[2] = {f.values, f.moments};
    for (int k = 0; k < 2 && f.kind == AM_FUNCTION_TABLE; k++) {
        double *scaled = tables[k] ? am_arena_doubles(&r->memory, tables[k], f.count, err) : NULL;
        for (size_t i = 0; scaled && i < f.count; i++)
            scaled[i] *= factor;
        *(k ? &f.moments : &f.values) = scaled;
    }
    return f;
}

/* The same of a sum, followed by `plus`; NULL without memory. */
static const am_function *differentiate(reduction *r, const am_function *x, unsigned order, double factor,
                                        const am_function *plus, am_error *err) {
    const am_function *sum = plus;
    for (; x; x = x->plus) {
        am_function *term = am_arena_new(&r->memory, 1, sizeof *term, err);
        if (!term)
            return NULL;
        *term = derivative_of(r, x, order, factor, err);
        term->plus = sum;
        sum = term;
    }
    return sum;
}

static bool is_blow(const am_function *x) {
    for (; x; x = x->plus)
        if (x->kind == AM_FUNCTION_IMPULSE)
            return true;
    return false;
}

static am_status check_motion(const reduction *r, size_t index, am_error *err) {
    const am_prescribed *p = &r->prescribed[index];
    if (p->coordinate >= r->def->n)
        return fail_at(index, "coordinate", "there is no such coordinate", err);
    for (size_t i = 0; i < index; i++)
        if (r->prescribed[i].coordinate == p->coordinate)
            return fail_at(index, "coordinate", "the motion of this coordinate is prescribed twice", err);
    if (is_blow(&p->function))
        return fail_at(index, "function", "a blow is a force; a motion is constant, ramp, sine, table, pulse or chirp",
                       err);
    am_status status = am_function_check(&p->function, err);
    if (status && err) {
        char field[sizeof err->field];
        snprintf(field, sizeof field, "prescribed[%zu].function.%.60s", index, err->field);
        snprintf(err->field, sizeof err->field, "%s", field);
    }
    return status;
}

static bool is_prescribed(const reduction *r, size_t coordinate) {
    for (size_t i = 0; i < r->count; i++)
        if (r->prescribed[i].coordinate == coordinate)
            return true;
    return false;
}

/* ---- Loads ---- */

static double *new_row(reduction *r) {
    return r->rows + r->n * r->rows_used++;
}

static double *kept_row(reduction *r, const double *whole, bool *any) {
    double *row = new_row(r);
    *any = false;
    for (size_t i = 0; i < r->n; i++) {
        row[i] = whole[r->kept[i]];
        *any = *any || row[i] != 0.0;
    }
    return row;
}

/* The columns of p in the remaining rows, times -1, as the direction of a load; nothing when they vanish. */
static bool add_column_load(reduction *r, const am_matrix *matrix, size_t p, const am_function *function) {
    double *row = r->rows + r->n * r->rows_used;
    bool any = false;
    for (size_t i = 0; i < r->n; i++) {
        row[i] = matrix ? -am_matrix_at(matrix, r->kept[i], p) : 0.0;
        any = any || row[i] != 0.0;
    }
    if (!any)
        return false;
    if (function)
        r->loads[r->load_count++] = (am_load_def){new_row(r), *function};
    return true;
}

/* A load may have no direction left: all of it acted on prescribed coordinates. It stays, with the size zero, so that
 * the others keep their numbers. */
static void select_loads(reduction *r) {
    for (size_t l = 0; l < r->def->load_count; l++) {
        bool any = false;
        if (!r->def->loads[l].direction) { /* am_system_create says what is wrong with it */
            r->loads[r->load_count++] = r->def->loads[l];
            continue;
        }
        double *row = kept_row(r, r->def->loads[l].direction, &any);
        am_function function = r->def->loads[l].function;
        if (!any) {
            row[0] = 1.0;
            function = am_function_constant(0.0);
        }
        r->loads[r->load_count++] = (am_load_def){row, function};
    }
}

/* A derivative of the motion as a load; nothing where it vanishes. */
static am_status add_rate_load(reduction *r, const am_matrix *matrix, size_t index, unsigned order, am_error *err) {
    const am_prescribed *p = &r->prescribed[index];
    if (!add_column_load(r, matrix, p->coordinate, NULL))
        return AM_OK;
    if (order == 2 && am_functions_have_jumps(&p->function))
        return fail_at(index, "function",
                       "mass couples this coordinate to others, so its motion must have a velocity: this one jumps",
                       err);
    const am_function *rate = differentiate(r, &p->function, order, 1.0, NULL, err);
    if (!rate)
        return AM_ERR_MEMORY;
    if (rate->kind != AM_FUNCTION_CONSTANT || rate->value != 0.0 || rate->plus)
        add_column_load(r, matrix, p->coordinate, rate);
    return AM_OK;
}

static am_status add_motion_loads(reduction *r, size_t index, am_error *err) {
    const am_prescribed *p = &r->prescribed[index];
    add_column_load(r, r->def->stiffness, p->coordinate, &p->function);
    add_column_load(r, r->def->circulatory, p->coordinate, &p->function);
    AM_TRY(add_rate_load(r, r->def->damping, index, 1, err));
    return add_rate_load(r, r->def->mass, index, 2, err);
}

/* ---- Contacts ---- */

/* sum = factor times a derivative of the motion, and what it was before. */
static am_status add_motion(reduction *r, const am_function *motion, unsigned order, double factor, am_function *sum,
                            am_error *err) {
    am_function *before = am_arena_new(&r->memory, 1, sizeof *before, err);
    if (!before)
        return AM_ERR_MEMORY;
    *before = *sum;
    const am_function *after = differentiate(r, motion, order, factor, before, err);
    if (!after)
        return AM_ERR_MEMORY;
    *sum = *after;
    return AM_OK;
}

/* Its velocity joins that of the surface, its place the gap. */
static am_status shift_contact(reduction *r, size_t index, const am_contact_def *whole, am_contact_def *contact,
                               am_error *err) {
    const am_prescribed *p = &r->prescribed[index];
    double along = whole->tangent ? whole->tangent[p->coordinate] : 0.0;
    double across = whole->normal ? whole->normal[p->coordinate] : 0.0;
    bool held = whole->normal_law == AM_HELD;
    if (whole->second_tangent && whole->second_tangent[p->coordinate] != 0.0)
        return fail_at(index, "function",
                       "a contact rubs on this coordinate along its second tangent: only the first may be prescribed",
                       err);
    if (along != 0.0) {
        if (am_functions_have_jumps(&p->function))
            return fail_at(index, "function",
                           "a contact rubs on this coordinate, so its motion must have a velocity: this one jumps",
                           err);
        AM_TRY(add_motion(r, &p->function, 1, -along, &contact->surface_motion, err));
    }
    if (across == 0.0 || held)
        return AM_OK;
    if (am_functions_have_jumps(&p->function))
        return fail_at(index, "function",
                       "the gap of a contact depends on this coordinate, so its motion must have a velocity: this one "
                       "jumps",
                       err);
    return add_motion(r, &p->function, 0, across, &contact->gap_motion, err);
}

static am_status select_contact(reduction *r, size_t c, am_error *err) {
    const am_contact_def *whole = &r->def->contacts[c];
    am_contact_def *contact = &r->contacts[c];
    bool rubs = false, presses = false;
    char field[64];
    *contact = *whole;
    snprintf(field, sizeof field, "contacts[%zu].%s", c, whole->tangent ? "tangent" : "normal");
    if (!whole->tangent && !whole->normal) /* am_system_create says what is wrong with it */
        return AM_OK;
    if (whole->tangent)
        contact->tangent = kept_row(r, whole->tangent, &rubs);
    if (whole->second_tangent)
        contact->second_tangent = kept_row(r, whole->second_tangent, &presses);
    if (whole->normal)
        contact->normal = kept_row(r, whole->normal, &presses);
    if (whole->tangent ? !rubs : !presses)
        return am_fail_field(err, AM_ERR_INPUT, field,
                             "this contact acts on prescribed coordinates only and has no influence: leave it out");
    for (size_t i = 0; i < r->count; i++)
        AM_TRY(shift_contact(r, i, whole, contact, err));
    return AM_OK;
}

/* ---- Springs that are not linear, or vary ---- */

/* The rest of the direction of such a spring, into *kept. A coordinate that rests at zero stretches nothing; any other
 * motion would leave a polynomial whose coefficients vary with time, or a load that is a product of two functions. */
static am_status select_direction(reduction *r, const double *whole, const char *list, size_t index,
                                  const double **kept, am_error *err) {
    bool any = false;
    char field[64];
    if (!whole) /* am_system_create says what is wrong with it */
        return AM_OK;
    for (size_t i = 0; i < r->count; i++) {
        const am_prescribed *p = &r->prescribed[i];
        bool rests = p->function.kind == AM_FUNCTION_CONSTANT && p->function.value == 0.0 && !p->function.plus;
        if (whole[p->coordinate] != 0.0 && !rests)
            return fail_at(i, "function",
                           "a polynomial spring or one whose stiffness varies acts on this coordinate, which must then "
                           "rest at zero: only constant: 0 is possible",
                           err);
    }
    *kept = kept_row(r, whole, &any);
    if (any)
        return AM_OK;
    snprintf(field, sizeof field, "%s[%zu].direction", list, index);
    return am_fail_field(err, AM_ERR_INPUT, field,
                         "this spring acts on prescribed coordinates only and has no influence: leave it out");
}

static am_status select_springs(reduction *r, am_error *err) {
    const am_system_def *def = r->def;
    for (size_t p = 0; p < def->polynomial_count; p++) {
        r->polynomials[p] = def->polynomials[p];
        AM_TRY(select_direction(r, def->polynomials[p].direction, "polynomials", p, &r->polynomials[p].direction, err));
    }
    for (size_t v = 0; v < def->varying_count; v++) {
        r->varying[v] = def->varying[v];
        AM_TRY(select_direction(r, def->varying[v].direction, "varying", v, &r->varying[v].direction, err));
    }
    return AM_OK;
}

/* ---- Everything ---- */

static am_status allocate(reduction *r, am_error *err) {
    const am_system_def *def = r->def;
    size_t loads = def->load_count + 4 * r->count,
           rows = loads + 3 * def->contact_count + def->polynomial_count + def->varying_count + 1;
    AM_ARENA_ARRAYS(&r->memory, size_t, def->n, err, &r->kept, &r->place);
    r->contacts = am_arena_new(&r->memory, def->contact_count, sizeof *r->contacts, err);
    r->varying = am_arena_new(&r->memory, def->varying_count, sizeof *r->varying, err);
    r->polynomials = am_arena_new(&r->memory, def->polynomial_count, sizeof *r->polynomials, err);
    r->loads = am_arena_new(&r->memory, loads, sizeof *r->loads, err);
    r->names = am_arena_new(&r->memory, def->n, sizeof *r->names, err);
    r->text = am_arena_new(&r->memory, def->n, name_size, err);
    r->rows = am_arena_new(&r->memory, rows, def->n * sizeof *r->rows, err);
    return am_arena_status(&r->memory);
}

/* Without names of their own the remaining coordinates keep their old numbers. */
static void select_coordinates(reduction *r) {
    for (size_t i = 0; i < r->def->n; i++) {
        r->place[i] = SIZE_MAX;
        if (is_prescribed(r, i))
            continue;
        r->place[i] = r->n;
        char *text = r->text + r->n * name_size;
        snprintf(text, name_size, "q%zu", i + 1);
        r->names[r->n] = r->def->names ? r->def->names[i] : text;
        r->kept[r->n++] = i;
    }
}

static am_status select_matrices(reduction *r, am_error *err) {
    static const char *const names[4] = {"mass", "damping", "stiffness", "circulatory"};
    const am_matrix *whole[4] = {r->def->mass, r->def->damping, r->def->stiffness, r->def->circulatory};
    for (size_t i = 0; i < 4; i++) {
        if (!whole[i])
            continue;
        if (am_matrix_rows(whole[i]) != r->def->n || am_matrix_columns(whole[i]) != r->def->n)
            return am_fail_field(err, AM_ERR_INPUT, names[i], "the matrix must be %zu x %zu", r->def->n, r->def->n);
        r->matrix[i] = am_matrix_select(whole[i], r->place, r->n, err);
        if (!r->matrix[i])
            return AM_ERR_MEMORY;
    }
    return AM_OK;
}

static am_status reduce(reduction *r, am_error *err) {
    AM_TRY(allocate(r, err));
    for (size_t i = 0; i < r->count; i++)
        AM_TRY(check_motion(r, i, err));
    select_coordinates(r);
    if (r->n == 0)
        return fail_at(0, "coordinate", "the motion of every coordinate is prescribed: nothing is left to compute",
                       err);
    AM_TRY(select_matrices(r, err));
    for (size_t c = 0; c < r->def->contact_count; c++)
        AM_TRY(select_contact(r, c, err));
    AM_TRY(select_springs(r, err));
    select_loads(r);
    for (size_t i = 0; i < r->count; i++)
        AM_TRY(add_motion_loads(r, i, err));
    return AM_OK;
}

am_system *am_prescribed_create(const am_system_def *def, size_t count, const am_prescribed *prescribed,
                                am_error *err) {
    reduction r = {.def = def, .count = count, .prescribed = prescribed};
    am_system *system = NULL;
    if (count == 0)
        return am_system_create(def, err);
    if (reduce(&r, err) == AM_OK) {
        am_system_def reduced = *def;
        reduced.n = r.n;
        reduced.mass = r.matrix[0];
        reduced.damping = r.matrix[1];
        reduced.stiffness = r.matrix[2];
        reduced.circulatory = r.matrix[3];
        reduced.contacts = r.contacts;
        reduced.polynomials = r.polynomials;
        reduced.varying = r.varying;
        reduced.loads = r.loads;
        reduced.load_count = r.load_count;
        reduced.names = r.names;
        system = am_system_create(&reduced, err);
    }
    clear(&r);
    return system;
}
