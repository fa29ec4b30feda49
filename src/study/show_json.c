#include "study/show_json.h"

#include <math.h>

#include "base/text.h"
#include "study/describe.h"
#include "study/models.h"
#include "study/study.h"

/* Rows of more numbers would be megabytes that nobody draws. */
enum { MOST_COORDINATES = 200 };

static void json_name(am_text *out, const char *before, const char *text) {
    am_text_add(out, before);
    am_describe_string(out, text ? text : "");
}

static void json_number(am_text *out, const char *before, double value) {
    am_text_printf(out, "%s%s", before, isfinite(value) ? AM_NUMBER(value) : "null");
}

static void json_row(am_text *out, const char *before, const double *values, size_t count) {
    am_text_add(out, before);
    if (!values || count > MOST_COORDINATES) {
        am_text_add(out, "null");
        return;
    }
    for (size_t i = 0; i < count; i++)
        json_number(out, i > 0 ? ", " : "[", values[i]);
    am_text_add(out, count > 0 ? "]" : "[]");
}

static void json_matrix(am_text *out, const char *before, const am_matrix *matrix) {
    size_t n = matrix ? am_matrix_rows(matrix) : 0;
    am_text_add(out, before);
    if (!matrix || n > MOST_COORDINATES) {
        am_text_add(out, "null");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        am_text_add(out, i > 0 ? ",\n  " : "[");
        for (size_t j = 0; j < n; j++)
            json_number(out, j > 0 ? ", " : "[", am_matrix_at(matrix, i, j));
        am_text_add(out, "]");
    }
    am_text_add(out, n > 0 ? "]" : "[]");
}

static const char *friction_word(const am_contact_def *contact) {
    return contact->iwan.density != AM_IWAN_NONE ? "iwan"
           : contact->speed_friction.law         ? contact->speed_friction.law
                                                 : am_friction_law_name(contact->weakening.law);
}

static void json_contact(am_text *out, const am_system *system, size_t index) {
    const am_contact_def *contact = am_system_contact(system, index);
    size_t n = am_system_size(system);
    bool placed = isfinite(contact->place[0]) && isfinite(contact->place[1]);
    json_name(out, index > 0 ? ",\n{\"name\": " : "\n{\"name\": ", am_system_contact_name(system, index));
    json_name(out, ", \"law\": ", am_normal_law_word(contact->normal_law));
    json_name(out, ", \"friction_law\": ", friction_word(contact));
    json_number(out, ", \"friction\": ", contact->friction);
    json_number(out, ", \"static_friction\": ", contact->static_friction);
    json_number(out, ", \"gap\": ", contact->gap);
    json_number(out, ", \"surface_velocity\": ", contact->surface_velocity);
    json_row(out, ",\n \"place\": ", placed ? contact->place : NULL, 3);
    json_row(out, ", \"normal\": ", contact->normal, n);
    json_row(out, ", \"tangent\": ", contact->tangent, n);
    json_row(out, ", \"second_tangent\": ", contact->second_tangent, n);
    am_text_add(out, "}");
}

static void json_lists(am_text *out, const am_system *system) {
    size_t n = am_system_size(system);
    for (size_t i = 0; i < n; i++) {
        json_name(out, i > 0 ? ", {\"name\": " : ",\n\"coordinates\": [{\"name\": ", am_system_name(system, i));
        json_name(out, ", \"velocity\": ", am_system_velocity_name(system, i));
        am_text_add(out, "}");
    }
    am_text_add(out, "],\n\"contacts\": [");
    for (size_t c = 0; c < am_system_contacts(system); c++)
        json_contact(out, system, c);
    am_text_add(out, "],\n\"loads\": [");
    for (size_t l = 0; l < am_system_loads(system); l++) {
        const am_load_def *load = am_system_load(system, l);
        json_name(out, l > 0 ? ",\n{\"function\": " : "\n{\"function\": ", am_function_kind_name(load->function.kind));
        json_row(out, ", \"direction\": ", load->direction, n);
        am_text_add(out, "}");
    }
    am_text_add(out, "]");
}

char *am_study_show_json(const am_study *study, am_error *err) {
    const am_system *system = study->made.system;
    am_text out = {0};
    json_name(&out, "{\"title\": ", study->setting.title);
    json_name(&out, ",\n\"model\": ", study->made.model.kind->schema->name);
    json_name(&out, ",\n\"analysis\": ", am_study_analysis(study));
    json_lists(&out, system);
    json_matrix(&out, ",\n\"mass\": ", am_system_mass(system));
    json_matrix(&out, ",\n\"damping\": ", am_system_damping(system));
    json_matrix(&out, ",\n\"stiffness\": ", am_system_stiffness(system));
    json_matrix(&out, ",\n\"circulatory\": ", am_system_circulatory(system));
    am_text_add(&out, "}");
    return am_text_take(&out, err);
}
