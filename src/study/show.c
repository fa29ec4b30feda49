/* A study with its model written out as matrices, contacts and loads. */
#include <string.h>

#include "base/object.h"
#include "laws/law.h"
#include "study/emit.h"
#include "study/functions.h"
#include "study/models.h"
#include "study/models/friction_law.h"
#include "study/study.h"
#include "system/system.h"

/* More than this makes a text nobody reads and the reader would refuse. */
enum { most_coordinates = 500 };

static void write_vector(am_text *out, const double *values, size_t count) {
    am_text_add(out, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            am_text_add(out, ", ");
        am_text_number(out, values[i]);
    }
    am_text_add(out, "]");
}

static void write_matrix(am_text *out, const char *name, const am_matrix *matrix) {
    size_t rows = am_matrix_rows(matrix), columns = am_matrix_columns(matrix);
    if (am_matrix_largest(matrix) == 0 && strcmp(name, "stiffness") != 0)
        return; /* none */
    am_text_printf(out, "  %s:\n", name);
    for (size_t i = 0; i < rows; i++) {
        am_text_add(out, "    - [");
        for (size_t j = 0; j < columns; j++) {
            if (j > 0)
                am_text_add(out, ", ");
            am_text_number(out, am_matrix_at(matrix, i, j));
        }
        am_text_add(out, "]\n");
    }
}

static void write_number(am_text *out, const char *before, double value) {
    am_text_add(out, before);
    am_text_number(out, value);
}

/* A member of a function that is written by its row; others follow from them. */
static bool is_written(const am_function *f, const am_field *field) {
    bool plain = field->type == AM_FIELD_NUMBER || field->type == AM_FIELD_COUNT || field->type == AM_FIELD_LIST;
    if (field->factor || (f->kind == AM_FUNCTION_CHIRP && strcmp(field->name, "rate") == 0))
        return false; /* another unit of the one before; duration and end say it */
    return plain || (field->type == AM_FIELD_DEGREE && f->derivative > 0);
}

/* "{amplitude: 1, ...}", by the rows that read it. */
static void write_term(am_text *out, const am_schema *schema, const am_function *f) {
    const char *before = "{";
    for (size_t i = 0; i < schema->field_count; i++) {
        const am_field *field = &schema->fields[i];
        const void *place = (const char *)f + field->offset;
        if (!is_written(f, field))
            continue;
        am_text_printf(out, "%s%s: ", before, field->name);
        before = ", ";
        if (field->type == AM_FIELD_COUNT)
            am_text_printf(out, "%zu", *(const size_t *)place);
        else if (field->type == AM_FIELD_DEGREE)
            am_text_printf(out, "%u", *(const unsigned *)place);
        else if (field->type == AM_FIELD_LIST)
            write_vector(out, *(const double *const *)place, f->count);
        else
            am_text_number(out, *(const double *)place);
    }
    if (f->kind == AM_FUNCTION_CHIRP)
        write_number(out, ", to: ", f->frequency + f->rate * f->duration);
    am_text_add(out, f->moments ? ", interpolation: cubic}" : "}");
}

/* "sine: {amplitude: 1, ...}", of several terms "constant: {...}, sine: [{...}, {...}]". */
static void write_function(am_text *out, const am_function *function) {
    const char *between = "";
    for (size_t i = 0; i < AM_FUNCTION_KINDS; i++) {
        size_t terms = 0, written = 0;
        for (const am_function *f = function; f; f = f->plus)
            terms += strcmp(am_function_schemas[i]->name, am_function_kind_name(f->kind)) == 0;
        if (terms == 0)
            continue;
        am_text_printf(out, "%s%s: %s", between, am_function_schemas[i]->name, terms > 1 ? "[" : "");
        between = ", ";
        for (const am_function *f = function; f; f = f->plus) {
            if (strcmp(am_function_schemas[i]->name, am_function_kind_name(f->kind)) != 0)
                continue;
            am_text_add(out, written++ > 0 ? ", " : "");
            write_term(out, am_function_schemas[i], f);
        }
        am_text_add(out, terms > 1 ? "]" : "");
    }
}

/* The velocity of its surface, or its gap, is no number. */
static bool moves(const am_function *motion) {
    return motion->kind != AM_FUNCTION_CONSTANT || motion->plus || motion->value != 0.0;
}

static void write_motion(am_text *out, const char *key, double number, const am_function *motion) {
    if (!moves(motion))
        return;
    am_function constant = am_function_constant(number);
    constant.plus = motion;
    am_text_printf(out, "      %s: {", key);
    write_function(out, number != 0.0 ? &constant : motion);
    am_text_add(out, "}\n");
}

static bool is_zero(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (values[i] != 0)
            return false;
    return true;
}

static void write_weakening(am_text *out, const am_friction *law) {
    if (!am_friction_weakens(law))
        return;
    am_text_printf(out, "      weakening: {law: %s", am_friction_law_name(law->law));
    if (law->law != AM_FRICTION_TABLE)
        write_number(out, ", length: ", law->distance);
    for (size_t i = 0; law->law == AM_FRICTION_TABLE && i < law->count; i++) {
        write_number(out, i == 0 ? ", points: [[" : ", [", law->slip[i]);
        write_number(out, ", ", law->coefficient[i]);
        am_text_add(out, "]");
    }
    am_text_add(out, law->law == AM_FRICTION_TABLE ? "]}\n" : "}\n");
}

/* Those that are not what they are when left out. */
static void write_numbers(am_text *out, const am_contact_def *contact) {
    const am_contact_def usual = am_contact_def_default();
    am_text_add(out, contact->restitution_law == AM_POISSON ? "      restitution_law: poisson\n" : "");
    for (size_t i = 0; i < am_contact_schema.field_count; i++) {
        const am_field *field = &am_contact_schema.fields[i];
        const double *own = (const void *)((const char *)contact + field->offset);
        const double *left_out = (const void *)((const char *)&usual + field->offset);
        bool said = (own == &contact->static_friction && contact->speed_friction.law) || /* by the law */
                    (own == &contact->surface_velocity && moves(&contact->surface_motion)) ||
                    (own == &contact->gap && moves(&contact->gap_motion));
        if (field->type != AM_FIELD_NUMBER || *own == *left_out || said)
            continue;
        am_text_printf(out, "      %s: ", field->name);
        am_text_number(out, *own);
        am_text_add(out, "\n");
    }
}

static void write_list(am_text *out, const char *key, const double *values, size_t count) {
    am_text_printf(out, ", %s: ", key);
    write_vector(out, values, count);
}

static void write_speed_friction(am_text *out, const am_speed_friction *friction) {
    am_text_printf(out, "      friction: {law: %s", friction->law);
    for (size_t i = 0; am_speed_law_parameter(friction->law, i); i++) {
        const char *const *choices = am_law_named(friction->law)->parameter[i].choices;
        am_text_printf(out, ", %s", am_speed_law_parameter(friction->law, i));
        if (choices)
            am_text_printf(out, ": %s", choices[(size_t)friction->parameter[i]]);
        else
            write_number(out, ": ", friction->parameter[i]);
    }
    if (friction->points > 0) {
        write_list(out, "velocity", friction->speed, friction->points);
        write_list(out, "values", friction->coefficient, friction->points);
    }
    am_text_add(out, "}\n");
}

/* By the rows that read it. */
static void write_iwan(am_text *out, const am_iwan *iwan) {
    am_text_add(out, "      friction: {law: iwan");
    for (size_t i = 0; i < am_iwan_schema.field_count; i++) {
        const am_field *field = &am_iwan_schema.fields[i];
        const void *place = (const char *)iwan + field->offset;
        if (!am_iwan_has(iwan->density, field->name))
            continue;
        if (iwan->density == AM_IWAN_TABLE && field->type != AM_FIELD_WORD)
            write_list(out, field->name, *(const double *const *)place, iwan->points);
        else
            am_text_printf(out, ", %s: ", field->name);
        if (field->type == AM_FIELD_WORD)
            am_text_add(out, field->words[iwan->density - 1].name);
        else if (field->type == AM_FIELD_COUNT)
            am_text_printf(out, "%zu", iwan->sliders);
        else if (field->type == AM_FIELD_NUMBER)
            am_text_number(out, *(const double *)place);
    }
    am_text_add(out, "}\n");
}

static void write_friction(am_text *out, double coefficient) {
    am_text_add(out, "      friction: ");
    am_text_number(out, coefficient);
    am_text_add(out, "\n");
}

static void write_contact(am_text *out, const am_contact_def *contact, size_t n) {
    bool stop = is_zero(contact->tangent, n);
    am_text_add(out, "    - name: ");
    am_emit_text(out, contact->name);
    am_text_add(out, "\n");
    if (!stop) {
        am_text_add(out, contact->second_tangent ? "      tangents: [" : "      tangent: ");
        write_vector(out, contact->tangent, n);
        if (contact->second_tangent) {
            am_text_add(out, ", ");
            write_vector(out, contact->second_tangent, n);
        }
        am_text_add(out, contact->second_tangent ? "]\n" : "\n");
    }
    if (contact->normal && !is_zero(contact->normal, n)) { /* a held force may act on no coordinate */
        am_text_add(out, "      normal: ");
        write_vector(out, contact->normal, n);
        am_text_add(out, "\n");
    }
    if (contact->iwan.density != AM_IWAN_NONE)
        write_iwan(out, &contact->iwan);
    else if (contact->speed_friction.law)
        write_speed_friction(out, &contact->speed_friction);
    else if (!stop)
        write_friction(out, contact->friction);
    write_numbers(out, contact);
    write_motion(out, "surface_velocity", contact->surface_velocity, &contact->surface_motion);
    write_motion(out, "gap", contact->gap, &contact->gap_motion);
    write_weakening(out, &contact->weakening);
    am_text_printf(out, "      law: %s\n", am_normal_law_word(contact->normal_law));
    if (contact->normal_law == AM_HELD) {
        am_text_add(out, "      hold: {");
        write_function(out, &contact->hold);
        am_text_add(out, "}\n");
    }
}

static void write_polynomial(am_text *out, const am_polynomial_def *polynomial, size_t n) {
    am_text_add(out, "    - direction: ");
    write_vector(out, polynomial->direction, n);
    am_text_add(out, "\n      name: ");
    am_emit_text(out, polynomial->name);
    am_text_add(out, "\n      terms:\n");
    for (size_t i = 0; i < polynomial->term_count; i++) {
        const am_polynomial_term *term = &polynomial->terms[i];
        write_number(out, "        - {coefficient: ", term->coefficient);
        am_text_printf(out, ", displacement: %u, velocity: %u}\n", term->displacement, term->velocity);
    }
}

static void write_names(am_text *out, const am_system *system) {
    am_text_add(out, "  names: [");
    for (size_t i = 0; i < am_system_size(system); i++) {
        if (i > 0)
            am_text_add(out, ", ");
        am_emit_text(out, am_system_name(system, i));
    }
    am_text_add(out, "]\n");
}

static void write_model(am_text *out, const am_system *system) {
    size_t n = system->n, contacts = system->given ? system->joints : system->m, loads = system->loads;
    am_text_add(out, "model:\n  kind: structure\n");
    write_names(out, system);
    write_matrix(out, "mass", am_system_mass(system));
    write_matrix(out, "damping", am_system_damping(system));
    write_matrix(out, "stiffness", am_system_stiffness(system));
    if (am_system_circulatory(system))
        write_matrix(out, "circulatory", am_system_circulatory(system));
    am_text_add(out, contacts > 0 ? "  contacts:\n" : "");
    for (size_t c = 0; c < contacts; c++) {
        am_contact_def contact = system->given ? system->given[c] : system->contact[c];
        am_law_take_out(&contact.speed_friction, &contact.tangential_stiffness);
        write_contact(out, &contact, n);
    }
    for (size_t p = 0; p < am_system_polynomials(system); p++) {
        am_text_add(out, p == 0 ? "  polynomials:\n" : "");
        write_polynomial(out, am_system_polynomial(system, p), n);
    }
    for (size_t v = 0; v < am_system_varyings(system); v++) {
        const am_varying_def *varying = am_system_varying(system, v);
        am_text_add(out, v == 0 ? "  varying_stiffness:\n" : "");
        am_text_add(out, "    - {name: ");
        am_emit_text(out, varying->name);
        am_text_add(out, ", direction: ");
        write_vector(out, varying->direction, n);
        am_text_add(out, ", ");
        write_function(out, &varying->stiffness);
        am_text_add(out, "}\n");
    }
    am_text_add(out, loads > 0 ? "  loads:\n" : "");
    for (size_t l = 0; l < loads; l++) {
        const am_load_def *load = am_system_load(system, l);
        am_text_add(out, "    - direction: ");
        write_vector(out, load->direction, n);
        am_text_add(out, "\n      ");
        write_function(out, &load->function);
        am_text_add(out, "\n");
    }
}

/* Does a mapping name fields of the model, which has become another one? */
static bool names_model(const am_node *map) {
    for (size_t i = 0; map && map->kind == AM_NODE_MAP && i < map->count; i++)
        if (strncmp(map->entries[i].key->text, "model.", 6) == 0)
            return true;
    return false;
}

static void write_key(am_text *out, const am_node *root, const char *key) {
    const am_node *value = am_node_get(root, key);
    if (value)
        am_emit_entry(out, key, value);
}

char *am_study_show(const am_study *study, am_error *err) {
    if (!am_is(study, AM_TAG_STUDY))
        return am_misused_for_nothing(err, __func__);
    static const char *const before[] = {"title", "source", "about", "claims", "topic", "verdict", "correction"};
    const am_node *root = study->root;
    bool written_out = am_node_is_text(am_node_get(am_node_get(root, "model"), "kind"), "structure");
    bool threshold = !written_out && am_node_get(am_node_get(root, "analysis"), "threshold");
    bool keep_sweep = written_out || !(threshold || names_model(am_node_get(am_node_get(root, "sweep"), "axes")));
    bool keep_full = written_out || !names_model(am_node_get(root, "full"));
    am_text out = {0};
    if (am_system_size(study->made.system) > most_coordinates) {
        am_fail(err, AM_ERR_UNSUPPORTED, "the model has %zu coordinates; only models of up to %d are written out",
                am_system_size(study->made.system), most_coordinates);
        return NULL;
    }
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        write_key(&out, root, before[i]);
    write_model(&out, study->made.system);
    if (am_case_is_preloaded(&study->made))
        am_text_add(&out, "  preload: [] # the constant loads above are put on first\n");
    if (threshold) {
        am_text_add(&out, "# The threshold names a number of the model it came from and is left out.\n");
        am_text_add(&out, "analysis:\n  kind: stability\n");
    } else
        write_key(&out, root, "analysis");
    write_key(&out, root, "also");
    if (!keep_sweep && am_node_get(root, "sweep"))
        am_text_add(&out,
                    "# The sweep names fields of the model it came from and is left out, with figure and expect.\n");
    write_key(&out, root, keep_sweep ? "figure" : "");
    write_key(&out, root, keep_sweep ? "expect" : "");
    write_key(&out, root, keep_sweep ? "sweep" : "");
    write_key(&out, root, keep_full && keep_sweep ? "full" : "");
    return am_text_take(&out, err);
}
