#include "system/sliders.h"
#include "base/try.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "math/dense.h"
#include "system/system.h"

enum { name_size = 32 };

size_t am_sliders_count(const am_system *system) {
    size_t count = 0;
    for (size_t c = 0; c < system->m; c++)
        count += system->contact[c].tangential_stiffness > 0.0;
    return count;
}

void am_sliders_relaxed(const am_system *system, const double *q, double *expanded) {
    size_t slider = system->n;
    for (size_t i = 0; i < system->n; i++)
        expanded[i] = q ? q[i] : 0.0;
    for (size_t c = 0; c < system->m; c++)
        if (system->contact[c].tangential_stiffness > 0.0)
            expanded[slider++] = am_dense_dot(system->contact[c].tangent, expanded, system->n);
}

/* What the definition of the larger system points to. */
typedef struct expansion {
    am_arena memory;
    size_t n, size;
    double *matrix, *rows; /* size x size; one row of `size` per contact (tangent, normal) and load */
    am_contact_def *contacts;
    am_load_def *loads;
    const char **names;
    char *slider_names;
    am_matrix *mass, *damping, *stiffness;
} expansion;

static void expansion_clear(expansion *x) {
    am_arena_clear(&x->memory);
    am_matrix_free(x->mass);
    am_matrix_free(x->damping);
    am_matrix_free(x->stiffness);
}

static void pad(const expansion *x, const am_matrix *matrix) {
    memset(x->matrix, 0, x->size * x->size * sizeof *x->matrix);
    for (size_t i = 0; i < x->n; i++)
        for (size_t j = 0; j < x->n; j++)
            x->matrix[i * x->size + j] = am_matrix_at(matrix, i, j);
}

static void add_springs(const expansion *x, const am_system *system) {
    size_t slider = x->n, size = x->size;
    for (size_t c = 0; c < system->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        double k = contact->tangential_stiffness;
        if (!(k > 0.0))
            continue;
        for (size_t i = 0; i < x->n; i++) {
            for (size_t j = 0; j < x->n; j++)
                x->matrix[i * size + j] += k * contact->tangent[i] * contact->tangent[j];
            x->matrix[i * size + slider] = x->matrix[slider * size + i] = -k * contact->tangent[i];
        }
        x->matrix[slider * size + slider] = k;
        slider++;
    }
}

static am_status pad_matrices(expansion *x, const am_system *system, am_error *err) {
    pad(x, system->M);
    x->mass = am_matrix_dense(x->size, x->size, x->matrix, err);
    pad(x, system->C);
    x->damping = x->mass ? am_matrix_dense(x->size, x->size, x->matrix, err) : NULL;
    pad(x, system->K);
    add_springs(x, system);
    x->stiffness = x->damping ? am_matrix_dense(x->size, x->size, x->matrix, err) : NULL;
    return x->stiffness ? AM_OK : AM_ERR_MEMORY;
}

static const double *pad_row(const expansion *x, double **next, const double *row) {
    double *padded = *next;
    *next += x->size;
    if (row)
        memcpy(padded, row, x->n * sizeof *padded);
    return padded;
}

static void pad_parts(expansion *x, const am_system *system) {
    double *next = x->rows;
    size_t slider = x->n;
    for (size_t c = 0; c < system->m; c++) {
        am_contact_def *contact = &x->contacts[c];
        *contact = am_system_contact_again(system, c);
        contact->normal = contact->normal ? pad_row(x, &next, contact->normal) : NULL;
        if (contact->tangential_stiffness > 0.0) {
            double *tangent = next;
            pad_row(x, &next, NULL);
            tangent[slider++] = 1.0;
            contact->tangent = tangent;
            contact->tangential_stiffness = 0.0;
        } else {
            contact->tangent = pad_row(x, &next, contact->tangent);
        }
    }
    for (size_t l = 0; l < system->loads; l++) {
        x->loads[l] = system->load[l];
        x->loads[l].direction = pad_row(x, &next, system->load[l].direction);
    }
    for (size_t i = 0; i < x->n; i++)
        x->names[i] = system->name[i];
    for (size_t i = x->n; i < x->size; i++) {
        char *name = x->slider_names + (i - x->n) * name_size;
        snprintf(name, name_size, "slider %zu", i - x->n + 1);
        x->names[i] = name;
    }
}

static am_status expansion_init(expansion *x, const am_system *system, am_error *err) {
    size_t sliders = am_sliders_count(system), size = system->n + sliders;
    *x = (expansion){.n = system->n, .size = size};
    x->matrix = am_arena_doubles(&x->memory, NULL, size * size, err);
    x->rows = am_arena_doubles(&x->memory, NULL, (2 * system->m + system->loads) * size, err);
    x->contacts = am_arena_new(&x->memory, system->m, sizeof *x->contacts, err);
    x->loads = am_arena_new(&x->memory, system->loads, sizeof *x->loads, err);
    x->names = am_arena_new(&x->memory, size, sizeof *x->names, err);
    x->slider_names = am_arena_new(&x->memory, sliders, name_size, err);
    if (am_arena_status(&x->memory))
        return AM_ERR_MEMORY;
    AM_TRY(pad_matrices(x, system, err));
    pad_parts(x, system);
    return AM_OK;
}

am_system *am_sliders_expand(const am_system *system, am_error *err) {
    expansion x;
    am_system *expanded = NULL;
    if (expansion_init(&x, system, err) == AM_OK) {
        am_system_def def = am_system_def_default();
        def.n = x.size;
        def.mass = x.mass;
        def.damping = x.damping;
        def.stiffness = x.stiffness;
        def.contact_count = system->m;
        def.contacts = x.contacts;
        def.load_count = system->loads;
        def.loads = x.loads;
        def.names = x.names;
        def.named_by_model = system->named_by_model;
        expanded = am_system_create(&def, err);
    }
    expansion_clear(&x);
    return expanded;
}
