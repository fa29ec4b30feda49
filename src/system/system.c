#include "system/system.h"
#include "base/object.h"
#include "base/try.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "laws/law.h"
#include "math/algebra.h"
#include "math/dense.h"
#include "system/generator.h"
#include "system/polynomial.h"

enum { SYSTEM_COOKIE = 0x414d5359 };

const char *am_contact_state_name(am_contact_state state) {
    static const char *const names[] = {"open", "stick", "forward", "backward"};
    return (size_t)state < sizeof names / sizeof *names ? names[state] : "unknown";
}

am_contact_def am_contact_def_default(void) {
    return (am_contact_def){.normal_law = AM_UNILATERAL,
                            .hold = am_function_constant(0.0),
                            .surface_motion = am_function_constant(0.0),
                            .gap_motion = am_function_constant(0.0),
                            .contact_exponent = 1.0,
                            .place = {NAN, NAN, NAN},
                            .iwan = am_iwan_default()};
}

am_system_def am_system_def_default(void) {
    return (am_system_def){.cookie = SYSTEM_COOKIE};
}

bool am_contact_drops(const am_contact_def *contact) {
    return contact->static_friction > contact->friction && !am_friction_weakens(&contact->weakening);
}

double am_speed_friction_at_rest(const am_speed_friction *friction) {
    return am_law_sticks(friction) ? am_speed_friction_at(friction, 0.0, NULL) : 0.0;
}

bool am_contact_is_compliant(const am_contact_def *contact) {
    return contact->normal_law == AM_KELVIN_VOIGT || contact->normal_law == AM_HUNT_CROSSLEY;
}

/* ---- copying ---- */

static am_matrix *copy_or_zero(const am_matrix *a, size_t n, am_error *err) {
    return a ? am_matrix_copy(a, err) : am_matrix_sparse(n, n, 0, NULL, NULL, NULL, err);
}

/* One term. */
static void copy_term(am_function *to, const am_function *from, am_arena *memory, am_error *err) {
    *to = *from;
    bool table = from->kind == AM_FUNCTION_TABLE;
    to->times = table ? am_arena_doubles(memory, from->times, from->count, err) : NULL;
    to->values = table ? am_arena_doubles(memory, from->values, from->count, err) : NULL;
    to->moments = table && from->moments ? am_arena_doubles(memory, from->moments, from->count, err) : NULL;
    to->plus = NULL;
}

static void copy_function(am_function *to, const am_function *from, am_arena *memory, am_error *err) {
    copy_term(to, from, memory, err);
    for (from = from->plus; from; from = from->plus) {
        am_function *next = am_arena_new(memory, 1, sizeof *next, err);
        if (!next)
            return;
        copy_term(next, from, memory, err);
        to->plus = next;
        to = next;
    }
}

/* The constant terms of a function join the number beside it; what is left moves in time, or is zero. */
static void copy_motion(am_function *to, double *number, const am_function *from, am_arena *memory, am_error *err) {
    am_function *last = NULL;
    *to = am_function_constant(0.0);
    for (const am_function *f = from; f; f = f->plus) {
        am_function alone = *f;
        alone.plus = NULL;
        if (am_functions_rest(&alone)) {
            *number += am_function_at(&alone, 0.0);
            continue;
        }
        am_function *next = last ? am_arena_new(memory, 1, sizeof *next, err) : to;
        if (!next)
            return;
        copy_term(next, f, memory, err);
        if (last)
            last->plus = next;
        last = next;
    }
}

/* The name, or where there is none a word and its number. */
static const char *copy_name(const char *name, const char *word, size_t index, am_arena *memory, am_error *err) {
    char made[48];
    name = name ? name : am_text_numbered(made, sizeof made, word, index + 1);
    return am_arena_text(memory, name, strlen(name), err);
}

static void copy_speed_friction(am_contact_def *to, const am_speed_friction *from, am_arena *memory, am_error *err) {
    to->speed_friction.law = am_law_named(from->law)->name;
    to->speed_friction.speed = am_arena_doubles(memory, from->speed, from->points, err);
    to->speed_friction.coefficient = am_arena_doubles(memory, from->coefficient, from->points, err);
    to->friction = to->static_friction = am_speed_friction_at_rest(from);
    am_law_put_behind(&to->speed_friction, &to->tangential_stiffness);
}

static void copy_contact(am_system *s, am_contact_def *to, size_t index, const am_contact_def *from, am_error *err) {
    const am_function none = am_function_constant(0.0);
    *to = *from;
    to->joint = from->joint ? am_arena_text(&s->memory, from->joint, strlen(from->joint), err) : NULL;
    to->iwan.strength = am_arena_doubles(&s->memory, from->iwan.strength, from->iwan.points, err);
    to->iwan.stiffness = am_arena_doubles(&s->memory, from->iwan.stiffness, from->iwan.points, err);
    copy_function(&to->hold, from->normal_law == AM_HELD ? &from->hold : &none, &s->memory, err);
    copy_motion(&to->surface_motion, &to->surface_velocity, &from->surface_motion, &s->memory, err);
    copy_motion(&to->gap_motion, &to->gap, from->normal_law == AM_HELD ? &none : &from->gap_motion, &s->memory, err);
    to->name = copy_name(from->name, "contact ", index, &s->memory, err);
    to->tangent = am_arena_doubles(&s->memory, from->tangent, s->n, err); /* zeros for a stop */
    if (from->second_tangent)
        to->second_tangent = am_arena_doubles(&s->memory, from->second_tangent, s->n, err);
    to->normal = am_arena_doubles(&s->memory, from->normal, s->n, err); /* zeros for a held contact without one */
    if (from->speed_friction.law)
        copy_speed_friction(to, &from->speed_friction, &s->memory, err);
    am_contact_copy_weakening(to, from, &s->memory, err);
    if (to->static_friction == 0.0)
        to->static_friction = to->friction;
}

static void copy_polynomial(am_system *s, size_t index, const am_polynomial_def *from, am_error *err) {
    am_polynomial_term *terms = am_arena_new(&s->memory, from->term_count, sizeof *terms, err);
    if (terms)
        memcpy(terms, from->terms, from->term_count * sizeof *terms);
    s->polynomial[index] = (am_polynomial_def){.name = copy_name(from->name, "spring ", index, &s->memory, err),
                                               .direction = am_arena_doubles(&s->memory, from->direction, s->n, err),
                                               .term_count = from->term_count,
                                               .terms = terms};
}

/* The digits of a letter and a number, as in "q12"; NULL: it is another name. "q12" is what a coordinate is called that
 * has no name of its own. */
static const char *number_after(char letter, const char *name) {
    bool digits = name[0] == letter && name[1] >= '1' && name[1] <= '9';
    return digits && name[1 + strspn(name + 1, "0123456789")] == '\0' ? name + 1 : NULL;
}

static void put_name(char *text, const char *before, const char *after) {
    size_t length = strlen(before);
    memcpy(text, before, length);
    memcpy(text + length, after, strlen(after) + 1);
}

/* Does a coordinate bear the name that a velocity would have? */
static bool is_velocity_taken(const am_system *system) {
    bool taken = false;
    for (size_t i = 0; i < system->n && !taken; i++) {
        const char *number = number_after('v', system->name[i]);
        taken = number && strtoul(number, NULL, 10) <= system->n;
    }
    return taken;
}

static am_status name_velocities(am_system *system, am_error *err) {
    bool taken = system->named_by_model && is_velocity_taken(system);
    system->velocity = am_arena_new(&system->memory, system->n, sizeof *system->velocity, err);
    for (size_t i = 0; i < system->n && system->velocity; i++) {
        const char *name = system->name[i], *number = number_after('q', name);
        size_t size = strlen(name) + 24; /* any number, too */
        char *text = am_arena_new(&system->memory, size, 1, err);
        if (!text)
            return AM_ERR_MEMORY;
        if (system->named_by_model && !taken)
            am_text_numbered(text, size, "v", i + 1);
        else
            put_name(text, taken ? "d" : number ? "v" : "v_", !taken && number ? number : name);
        system->velocity[i] = text;
    }
    return am_arena_status(&system->memory);
}

/* A sum of functions becomes so many loads: each of them is one function. */
static size_t count_loads(const am_system_def *def) {
    size_t count = 0;
    for (size_t l = 0; l < def->load_count; l++)
        for (const am_function *f = &def->loads[l].function; f; f = f->plus)
            count++;
    return count;
}

static void copy_loads(am_system *s, const am_system_def *def, am_error *err) {
    am_load_def *to = s->load;
    for (size_t l = 0; l < def->load_count; l++)
        for (const am_function *f = &def->loads[l].function; f; f = f->plus, to++) {
            copy_term(&to->function, f, &s->memory, err);
            to->direction = am_arena_doubles(&s->memory, def->loads[l].direction, s->n, err);
        }
}

static am_status copy_parts(am_system *s, const am_system_def *def, am_error *err) {
    s->n = def->n;
    s->m = def->contact_count;
    s->loads = count_loads(def);
    s->polynomials = def->polynomial_count;
    s->varyings = def->varying_count;
    s->M = copy_or_zero(def->mass, def->n, err);
    s->C = copy_or_zero(def->damping, def->n, err);
    s->K = am_matrix_copy(def->stiffness, err);
    s->circulatory = def->circulatory ? am_matrix_copy(def->circulatory, err) : NULL;
    s->contact = am_arena_new(&s->memory, s->m, sizeof *s->contact, err);
    s->stop = am_arena_new(&s->memory, s->m, sizeof *s->stop, err);
    s->load = am_arena_new(&s->memory, s->loads, sizeof *s->load, err);
    s->polynomial = am_arena_new(&s->memory, s->polynomials, sizeof *s->polynomial, err);
    s->varying = am_arena_new(&s->memory, s->varyings, sizeof *s->varying, err);
    s->name = am_arena_new(&s->memory, s->n, sizeof *s->name, err);
    if (!s->M || !s->C || !s->K || (def->circulatory && !s->circulatory) || am_arena_status(&s->memory))
        return AM_ERR_MEMORY;
    for (size_t p = 0; p < s->polynomials; p++)
        copy_polynomial(s, p, &def->polynomials[p], err);
    for (size_t v = 0; v < s->varyings; v++) {
        s->varying[v].name = copy_name(def->varying[v].name, "stiffness ", v, &s->memory, err);
        s->varying[v].direction = am_arena_doubles(&s->memory, def->varying[v].direction, s->n, err);
        copy_function(&s->varying[v].stiffness, &def->varying[v].stiffness, &s->memory, err);
    }
    for (size_t c = 0; c < s->m; c++) {
        copy_contact(s, &s->contact[c], c, &def->contacts[c], err);
        s->stop[c] = def->contacts[c].tangent == NULL;
    }
    AM_TRY(am_joints_group(s, err));
    copy_loads(s, def, err);
    for (size_t i = 0; i < s->n; i++)
        s->name[i] = copy_name(def->names ? def->names[i] : NULL, "q", i, &s->memory, err);
    s->named_by_model = def->named_by_model;
    am_status status = am_arena_status(&s->memory);
    return status ? status : name_velocities(s, err);
}

/* Its Iwan joints divided into sliders; the contacts as they were given are kept for whoever writes them. */
static am_system *create_divided(const am_system_def *def, am_error *err) {
    am_arena memory = {0};
    am_system_def divided = am_joints_divide(def, &memory, err);
    am_system *s = am_arena_status(&memory) ? NULL : am_system_create(&divided, err);
    am_arena_clear(&memory);
    if (!s)
        return NULL;
    s->given = am_arena_new(&s->memory, def->contact_count, sizeof *s->given, err);
    for (size_t c = 0; s->given && c < def->contact_count; c++)
        copy_contact(s, &s->given[c], c, &def->contacts[c], err);
    if (am_arena_status(&s->memory)) {
        am_system_free(s);
        return NULL;
    }
    return s;
}

am_system *am_system_create(const am_system_def *def, am_error *err) {
    if (!def)
        return am_misused_for_nothing(err, __func__);
    bool driving = false, yielding = false;
    am_algebra_settle();
    if (def->cookie != SYSTEM_COOKIE) {
        am_fail(err, AM_ERR_INPUT, "a system definition must come from am_system_def_default()");
        return NULL;
    }
    if (am_system_check_definition(def, &driving, &yielding, err))
        return NULL;
    if (am_joints_any(def))
        return create_divided(def, err);
    am_system *s = am_memory_new(1, sizeof *s, err);
    if (!s)
        return NULL;
    s->tag = AM_TAG_SYSTEM;
    s->driving = driving;
    s->yielding = yielding;
    if (copy_parts(s, def, err) || am_system_build_inputs(s, err)) {
        am_system_free(s);
        return NULL;
    }
    return s;
}

void am_system_free(am_system *system) {
    if (!am_is(system, AM_TAG_SYSTEM))
        return;
    am_matrix_free(system->M);
    am_matrix_free(system->C);
    am_matrix_free(system->K);
    am_matrix_free(system->circulatory);
    am_arena_clear(&system->memory);
    am_object_bury(system, sizeof *system);
}

/* ---- reading ---- */

size_t am_system_size(const am_system *system) {
    return am_is(system, AM_TAG_SYSTEM) ? system->n : 0;
}

size_t am_system_contacts(const am_system *system) {
    return am_is(system, AM_TAG_SYSTEM) ? system->m : 0;
}

size_t am_system_polynomials(const am_system *system) {
    return am_is(system, AM_TAG_SYSTEM) ? system->polynomials : 0;
}

const am_polynomial_def *am_system_polynomial(const am_system *system, size_t polynomial) {
    return am_is(system, AM_TAG_SYSTEM) && polynomial < system->polynomials ? &system->polynomial[polynomial] : NULL;
}

size_t am_system_varyings(const am_system *system) {
    return am_is(system, AM_TAG_SYSTEM) ? system->varyings : 0;
}

const am_varying_def *am_system_varying(const am_system *system, size_t varying) {
    return am_is(system, AM_TAG_SYSTEM) && varying < system->varyings ? &system->varying[varying] : NULL;
}

size_t am_system_loads(const am_system *system) {
    return am_is(system, AM_TAG_SYSTEM) ? system->loads : 0;
}

const char *am_system_name(const am_system *system, size_t coordinate) {
    return am_is(system, AM_TAG_SYSTEM) && coordinate < system->n ? system->name[coordinate] : "";
}

const am_matrix *am_system_mass(const am_system *system) {
    return am_is(system, AM_TAG_SYSTEM) ? system->M : NULL;
}

const am_matrix *am_system_damping(const am_system *system) {
    return am_is(system, AM_TAG_SYSTEM) ? system->C : NULL;
}

const am_matrix *am_system_stiffness(const am_system *system) {
    return am_is(system, AM_TAG_SYSTEM) ? system->K : NULL;
}

const am_contact_def *am_system_contact(const am_system *system, size_t contact) {
    return am_is(system, AM_TAG_SYSTEM) && contact < system->m ? &system->contact[contact] : NULL;
}

const am_load_def *am_system_load(const am_system *system, size_t load) {
    return am_is(system, AM_TAG_SYSTEM) && load < system->loads ? &system->load[load] : NULL;
}

size_t am_system_springs(const am_system *system) {
    size_t count = 0;
    for (size_t c = 0; c < system->m; c++)
        if (system->contact[c].tangential_stiffness > 0.0)
            count += system->contact[c].second_tangent ? 2 : 1;
    return count;
}

bool am_system_names_coordinate(const am_system *system, size_t coordinate) {
    return !system->named_by_model && !number_after('q', system->name[coordinate]);
}

am_contact_def am_system_contact_again(const am_system *system, size_t contact) {
    am_contact_def def = system->contact[contact];
    bool any = def.normal_law != AM_HELD;
    for (size_t i = 0; i < system->n && !any; i++)
        any = def.normal[i] != 0.0;
    if (!any)
        def.normal = NULL;
    if (system->stop[contact])
        def.tangent = NULL;
    return def;
}

am_system_def am_system_definition(const am_system *system, am_contact_def *contacts) {
    am_system_def def = am_system_def_default();
    for (size_t c = 0; c < system->m; c++)
        contacts[c] = am_system_contact_again(system, c);
    def.n = system->n;
    def.mass = system->M;
    def.damping = system->C;
    def.stiffness = system->K;
    def.circulatory = system->circulatory;
    def.contact_count = system->m;
    def.contacts = contacts;
    def.load_count = system->loads;
    def.loads = system->load;
    def.polynomial_count = system->polynomials;
    def.polynomials = system->polynomial;
    def.varying_count = system->varyings;
    def.varying = system->varying;
    def.names = system->name;
    def.named_by_model = system->named_by_model;
    return def;
}

am_system *am_system_copy(const am_system *system, am_error *err) {
    am_contact_def *contacts = am_memory_new(system->m, sizeof *contacts, err);
    if (!contacts)
        return NULL;
    am_system_def def = am_system_definition(system, contacts);
    am_system *copy = am_system_create(&def, err);
    am_memory_free(contacts);
    return copy;
}

const am_matrix *am_system_circulatory(const am_system *system) {
    return am_is(system, AM_TAG_SYSTEM) ? system->circulatory : NULL;
}

/* The derivatives of one spring's force, ke and kv, spread over its direction. */
static void add_outer(double *a, size_t n, double factor, const double *direction) {
    for (size_t i = 0; i < n; i++)
        if (direction[i] != 0.0)
            for (size_t j = 0; j < n; j++)
                a[i * n + j] += factor * direction[i] * direction[j];
}

void am_system_polynomial_force(const am_system *system, const double *q, const double *v, double *g, double *dq,
                                double *dv) {
    size_t n = system->n;
    memset(g, 0, n * sizeof *g);
    for (size_t p = 0; p < system->polynomials; p++) {
        const am_polynomial_def *spring = &system->polynomial[p];
        double e = am_dense_dot(spring->direction, q, n), rate = am_dense_dot(spring->direction, v, n);
        double ke = 0.0, kv = 0.0;
        double force = am_polynomial_force(spring, e, rate, dq ? &ke : NULL, dv ? &kv : NULL);
        for (size_t i = 0; i < n; i++)
            g[i] += force * spring->direction[i];
        if (dq)
            add_outer(dq, n, ke, spring->direction);
        if (dv)
            add_outer(dv, n, kv, spring->direction);
    }
}

void am_system_varying_force(const am_system *system, const double *z, const double *q, double *g, double *dq) {
    size_t n = system->n;
    for (size_t v = 0; v < system->varyings; v++) {
        const double *direction = system->varying[v].direction;
        double stiffness = am_dense_dot(system->varying_row + v * system->nz, z, system->nz);
        double force = stiffness * am_dense_dot(direction, q, n);
        for (size_t i = 0; i < n; i++)
            g[i] += force * direction[i];
        if (dq)
            add_outer(dq, n, stiffness, direction);
    }
}
