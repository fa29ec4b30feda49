/* The half-planes as a structure: what the nodes see of them is a compliance,
 *
 *     [ s ]   [  g ]         [  A  -B ] [ T ]
 *     [ w ] = [ -d ] + (1/h) [  B   A ] [ N ],     w_i = gap_i - gap0_i,  N = h p,  T = -h q,
 *
 * symmetric, since B is not. Its inverse is a stiffness that knows no rigid motion: approach d and shift g are given,
 * and enter as loads. */
#include <math.h>

#include "base/arena.h"
#include "engines/boundary/bem_internal.h"
#include "math/dense.h"

enum { MOST_NODES = 2000 };

static void fill_compliance(const am_bem *b, double reference, double *C) {
    size_t n = b->n, size = 2 * n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            size_t k = i > j ? i - j : j - i;
            double a = 2.0 / b->modulus *
                       (b->period > 0.0 ? am_bem_hat_periodic((double)k, b->h, b->period)
                                        : am_bem_hat_isolated((double)k, b->h, reference));
            double c = (i > j ? 1.0 : -1.0) * b->beta / b->modulus * am_bem_hat_sign(k, b->h, b->period);
            C[i * size + j] = C[(n + i) * size + n + j] = a / b->h;
            C[i * size + n + j] = -c / b->h;
            C[(n + i) * size + j] = c / b->h;
        }
}

/* Loads per unit of shift and of minus the approach: K times ones in the tangents or the normals. */
static void fill_directions(const double *K, size_t n, double *directions) {
    size_t size = 2 * n;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < n; j++) {
            directions[i] += K[i * size + j];
            directions[size + i] -= K[i * size + n + j];
        }
}

static void set_friction(am_contact_def *contact, const am_friction *friction) {
    bool weakens = am_friction_weakens(friction);
    if (weakens)
        contact->weakening = *friction;
    contact->friction = am_friction_last(friction);
    if (weakens || friction->law == AM_FRICTION_STATIC_KINETIC)
        contact->static_friction = am_friction_most(friction);
}

static am_system *create(const am_bem *b, const double *K, const double *directions, double *rows,
                         am_contact_def *contacts, const am_function *approach, const am_function *shift,
                         am_error *err) {
    size_t n = b->n, size = 2 * n, count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(b->gap0[i]))
            continue;
        double *tangent = rows + 2 * count * size, *normal = tangent + size;
        tangent[i] = normal[n + i] = 1.0;
        contacts[count] = am_contact_def_default();
        contacts[count].tangent = tangent;
        contacts[count].normal = normal;
        contacts[count].gap = b->gap0[i];
        set_friction(&contacts[count], &b->friction);
        count++;
    }
    am_load_def loads[] = {{directions, *shift}, {directions + size, *approach}};
    am_matrix *stiffness = am_matrix_dense(size, size, K, err);
    if (!stiffness)
        return NULL;
    am_system_def def = am_system_def_default();
    def.n = size;
    def.stiffness = stiffness;
    def.contact_count = count;
    def.contacts = contacts;
    def.load_count = 2;
    def.loads = loads;
    am_system *system = am_system_create(&def, err);
    am_matrix_free(stiffness);
    return system;
}

static am_system *build(const am_bem *b, double reference, const am_function *approach, const am_function *shift,
                        am_error *err) {
    size_t size = 2 * b->n;
    am_arena memory = {0};
    double rcond = 0.0, *K = am_arena_doubles(&memory, NULL, size * size, err);
    double *rows = am_arena_doubles(&memory, NULL, size * size, err);
    double *directions = am_arena_doubles(&memory, NULL, 2 * size, err);
    am_contact_def *contacts = am_arena_new(&memory, b->n, sizeof *contacts, err);
    am_system *system = NULL;
    if (!am_arena_status(&memory)) {
        fill_compliance(b, reference, K);
        if (!am_dense_invert(K, size, &rcond, err)) {
            am_dense_symmetrise(K, size);
            fill_directions(K, b->n, directions);
            system = create(b, K, directions, rows, contacts, approach, shift, err);
        }
    }
    am_arena_clear(&memory);
    return system;
}

am_system *am_bem_system(const am_bem_def *def, const am_function *approach, const am_function *shift, am_error *err) {
    if (def->nodes > MOST_NODES) {
        am_fail_field(err, AM_ERR_UNSUPPORTED, "nodes",
                      "%zu nodes as a structure would need a full matrix of twice that order; at most %d", def->nodes,
                      MOST_NODES);
        return NULL;
    }
    am_bem *bem = am_bem_create(def, err);
    if (!bem)
        return NULL;
    double reference = def->reference > 0.0 ? def->reference : bem->width;
    am_system *system = build(bem, reference, approach, shift, err);
    am_bem_free(bem);
    return system;
}
