#include "system/sliders.h"
#include "base/try.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "math/dense.h"
#include "system/system.h"

enum { name_size = 32 };

static bool has_pad(const am_contact_def *contact) {
    return contact->normal_law == AM_KELVIN_VOIGT;
}

size_t am_sliders_pads(const am_system *system) {
    size_t count = 0;
    for (size_t c = 0; c < system->m; c++)
        count += has_pad(&system->contact[c]) + system->stop[c];
    return count;
}

void am_sliders_relaxed(const am_system *system, double t, const double *q, double *expanded) {
    size_t slider = system->n;
    for (size_t i = 0; i < system->n; i++)
        expanded[i] = q ? q[i] : 0.0;
    for (size_t c = 0; c < system->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        if (!(contact->tangential_stiffness > 0.0))
            continue;
        expanded[slider++] = am_dense_dot(contact->tangent, expanded, system->n);
        if (contact->second_tangent)
            expanded[slider++] = am_dense_dot(contact->second_tangent, expanded, system->n);
    }
    for (size_t c = 0; c < system->m; c++)
        if (has_pad(&system->contact[c]))
            expanded[slider++] = fmax(0.0, -am_system_gap_at(system, c, t) -
                                               am_dense_dot(system->contact[c].normal, expanded, system->n));
    for (size_t c = 0; c < system->m; c++)
        if (system->stop[c])
            expanded[slider++] = 0.0;
}

/* What the definition of the larger system points to. */
typedef struct expansion {
    am_arena memory;
    size_t n, size;
    double *matrix, *rows; /* size x size; rows of `size` of contacts (normal, tangents) and loads */
    am_contact_def *contacts;
    am_load_def *loads;
    const char **names;
    char *slider_names;
    am_matrix *mass, *damping, *stiffness;
    am_system_def def;
} expansion;

static void expansion_clear(expansion *x) {
    am_arena_clear(&x->memory);
    am_matrix_free(x->mass);
    am_matrix_free(x->damping);
    am_matrix_free(x->stiffness);
}

static void pad(const am_system *system, const am_matrix *matrix, size_t size, double *padded) {
    size_t n = system->n;
    memset(padded, 0, size * size * sizeof *padded);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            padded[i * size + j] = am_matrix_at(matrix, i, j);
}

/* A spring k from the structure along a tangent to a coordinate of its own. */
static void add_slider(const double *tangent, double k, size_t n, size_t size, size_t slider, double *K) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            K[i * size + j] += k * tangent[i] * tangent[j];
        K[i * size + slider] = K[slider * size + i] = -k * tangent[i];
    }
    K[slider * size + slider] = k;
}

void am_sliders_stiffness(const am_system *system, double *K) {
    size_t n = system->n, size = n + am_system_springs(system), slider = n;
    if (size == n)
        am_matrix_to_dense(system->K, K);
    else
        pad(system, system->K, size, K);
    for (size_t c = 0; c < system->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        double k = contact->tangential_stiffness;
        if (!(k > 0.0))
            continue;
        add_slider(contact->tangent, k, n, size, slider++, K);
        if (contact->second_tangent)
            add_slider(contact->second_tangent, k, n, size, slider++, K);
    }
}

/* The stiffness with sliders, and after it that of the pads. */
static void fill_stiffness(expansion *x, const am_system *system) {
    size_t pads = am_sliders_pads(system), less = x->size - pads, own = less;
    memset(x->matrix, 0, x->size * x->size * sizeof *x->matrix);
    am_sliders_stiffness(system, x->matrix);
    for (size_t i = less; pads > 0 && i-- > 0;) { /* rows of `less` become rows of `size`, the last ones first */
        memmove(x->matrix + i * x->size, x->matrix + i * less, less * sizeof *x->matrix);
        memset(x->matrix + i * x->size + less, 0, pads * sizeof *x->matrix);
    }
    memset(x->matrix + less * x->size, 0, pads * x->size * sizeof *x->matrix);
    for (size_t c = 0; c < system->m; c++)
        if (has_pad(&system->contact[c])) {
            x->matrix[own * x->size + own] = system->contact[c].contact_stiffness;
            own++;
        }
    for (; own < x->size; own++) /* where stops have their tangents: nothing happens there */
        x->matrix[own * x->size + own] = 1.0;
}

static am_status pad_matrices(expansion *x, const am_system *system, am_error *err) {
    pad(system, system->M, x->size, x->matrix);
    x->mass = am_matrix_dense(x->size, x->size, x->matrix, err);
    pad(system, system->C, x->size, x->matrix);
    x->damping = x->mass ? am_matrix_dense(x->size, x->size, x->matrix, err) : NULL;
    fill_stiffness(x, system);
    x->stiffness = x->damping ? am_matrix_dense(x->size, x->size, x->matrix, err) : NULL;
    return x->stiffness ? AM_OK : AM_ERR_MEMORY;
}

static const double *pad_row(const expansion *x, double **next, const double *row) {
    double *padded = *next;
    *next += x->size;
    memcpy(padded, row, x->n * sizeof *padded);
    return padded;
}

static const double *unit_row(const expansion *x, double **next, size_t entry) {
    double *row = *next;
    *next += x->size;
    row[entry] = 1.0;
    return row;
}

static void pad_parts(expansion *x, const am_system *system) {
    double *next = x->rows;
    size_t slider = x->n, depth = x->size - am_sliders_pads(system), rest = x->size;
    for (size_t c = 0; c < system->m; c++) {
        am_contact_def *contact = &x->contacts[c];
        double *normal = next;
        contact->normal = contact->normal ? pad_row(x, &next, contact->normal) : NULL;
        if (has_pad(&system->contact[c])) {
            normal[depth++] = 1.0;
            contact->normal_law = AM_UNILATERAL;
            contact->contact_stiffness = contact->contact_damping = 0.0;
        }
        bool springs = contact->tangential_stiffness > 0.0;
        if (springs || system->stop[c])
            contact->tangent = unit_row(x, &next, springs ? slider++ : --rest);
        else
            contact->tangent = pad_row(x, &next, contact->tangent);
        if (contact->second_tangent)
            contact->second_tangent =
                springs ? unit_row(x, &next, slider++) : pad_row(x, &next, contact->second_tangent);
        contact->tangential_stiffness = 0.0;
    }
    for (size_t l = 0; l < system->loads; l++) {
        x->loads[l] = system->load[l];
        x->loads[l].direction = pad_row(x, &next, system->load[l].direction);
    }
    for (size_t i = 0; i < x->n; i++)
        x->names[i] = system->name[i];
    for (size_t i = x->n; i < x->size; i++) {
        char *name = x->slider_names + (i - x->n) * name_size;
        bool slides = i < x->n + am_system_springs(system);
        snprintf(name, name_size, "%s %zu", slides ? "slider" : "depth",
                 i + 1 - x->n - (slides ? 0 : am_system_springs(system)));
        x->names[i] = name;
    }
}

static am_status expansion_init(expansion *x, const am_system *system, am_error *err) {
    size_t added = am_system_springs(system) + am_sliders_pads(system), size = system->n + added;
    *x = (expansion){.n = system->n, .size = size};
    x->matrix = am_arena_doubles(&x->memory, NULL, size * size, err);
    x->rows = am_arena_doubles(&x->memory, NULL, (3 * system->m + system->loads) * size, err);
    x->contacts = am_arena_new(&x->memory, system->m, sizeof *x->contacts, err);
    x->loads = am_arena_new(&x->memory, system->loads, sizeof *x->loads, err);
    x->names = am_arena_new(&x->memory, size, sizeof *x->names, err);
    x->slider_names = am_arena_new(&x->memory, added, name_size, err);
    if (am_arena_status(&x->memory))
        return AM_ERR_MEMORY;
    x->def = am_system_definition(system, x->contacts);
    AM_TRY(pad_matrices(x, system, err));
    pad_parts(x, system);
    return AM_OK;
}

am_system *am_sliders_expand(const am_system *system, am_error *err) {
    expansion x;
    am_system *expanded = NULL;
    if (expansion_init(&x, system, err) == AM_OK) {
        x.def.n = x.size;
        x.def.mass = x.mass;
        x.def.damping = x.damping;
        x.def.stiffness = x.stiffness;
        x.def.loads = x.loads;
        x.def.names = x.names;
        x.def.circulatory = NULL;
        x.def.polynomial_count = 0;
        expanded = am_system_create(&x.def, err);
        if (expanded)
            expanded->unseen = system->joints < system->m ? x.size - x.n : am_sliders_pads(system);
    }
    expansion_clear(&x);
    return expanded;
}
