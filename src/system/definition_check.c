/* Is the definition of a system complete and physical? Every refusal names the field and what it may be. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "laws/law.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "system/generator.h"
#include "system/polynomial.h"
#include "system/system.h"

/* Up to this order definiteness is checked by eigenvalues; beyond it only diagonals are, and factorisations tell the
 * rest. */
enum { DENSE_CHECK_LIMIT = 600, FEW = 8 };

/* Gershgorin's circles: no eigenvalue of a symmetric matrix is negative when no diagonal entry is below the sum of the
 * others in its row. */
static bool is_dominant(const double *a, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(2.0 * a[i * n + i] >= am_dense_size(a + i * n, n)))
            return false;
    return true;
}

/* The smallest eigenvalue of the symmetric part (damping may be gyroscopic) where it is negative, else 0. Most matrices
 * have Cholesky's factors, which cost a tenth of the eigenvalues. dense, work: n x n each. */
static am_status find_negative_eigenvalue(const am_matrix *a, double *dense, double *work, double *negative,
                                          am_error *err) {
    size_t n = am_matrix_rows(a), failing;
    *negative = 0.0;
    am_matrix_to_dense(a, dense);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            dense[i * n + j] = dense[j * n + i] = 0.5 * (dense[i * n + j] + dense[j * n + i]);
    if (is_dominant(dense, n))
        return AM_OK;
    if (n > FEW) {
        memcpy(work, dense, n * n * sizeof *work);
        AM_TRY(am_dense_definite(work, n, &failing, err));
        if (failing == n)
            return AM_OK;
    }
    AM_TRY(am_dense_symmetric_eigenvalues(dense, n, work, err));
    /* Rounding of the eigenvalues is n eps times the largest; anything below that is taken as zero. */
    if (work[0] < -1e-15 * (double)(n + 8) * fmax(fabs(work[n - 1]), fabs(work[0])))
        *negative = work[0];
    return AM_OK;
}

static am_status check_definite(const am_matrix *a, const char *field, am_error *err) {
    size_t n = am_matrix_rows(a);
    double negative = 0.0;
    for (size_t i = 0; i < n; i++)
        if (am_matrix_at(a, i, i) < 0.0)
            return am_fail_field(err, AM_ERR_INPUT, field,
                                 "%s has a negative diagonal entry (%zu, %zu) = %g; it must be positive semidefinite",
                                 field, i + 1, i + 1, am_matrix_at(a, i, i));
    if (n > DENSE_CHECK_LIMIT)
        return AM_OK;
    double few[2 * FEW * FEW]; /* small matrices, of which sweeps make many, need no memory of their own */
    double *dense = n <= FEW ? few : am_memory_new(2 * n * n, sizeof *dense, err);
    am_status status = dense ? find_negative_eigenvalue(a, dense, dense + n * n, &negative, err) : AM_ERR_MEMORY;
    if (!status && negative < 0.0)
        status = am_fail_field(err, AM_ERR_INPUT, field,
                               "%s is not positive semidefinite: its smallest eigenvalue is %g", field, negative);
    if (dense != few)
        am_memory_free(dense);
    return status;
}

static am_status check_size(const am_matrix *a, size_t n, const char *field, am_error *err) {
    if (am_matrix_rows(a) == n && am_matrix_columns(a) == n)
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, field, "%s is %zu x %zu; expected %zu x %zu", field, am_matrix_rows(a),
                         am_matrix_columns(a), n, n);
}

static am_status check_shape(const am_matrix *a, size_t n, const char *field, bool symmetric, am_error *err) {
    AM_TRY(check_size(a, n, field, err));
    if (!isfinite(am_matrix_largest(a)))
        return am_fail_field(err, AM_ERR_INPUT, field, "%s has an entry that is not a finite number", field);
    if (symmetric && am_matrix_asymmetry(a) > 1e-12 * am_matrix_largest(a))
        return am_fail_field(err, AM_ERR_INPUT, field, "%s is not symmetric: entries differ from their mirror by %g",
                             field, am_matrix_asymmetry(a));
    return AM_OK;
}

static am_status check_matrix(const am_matrix *a, size_t n, const char *field, bool symmetric, am_error *err) {
    AM_TRY(check_shape(a, n, field, symmetric, err));
    return check_definite(a, field, err);
}

/* Damping and stiffness may give energy to motions (friction that falls with speed, linearised; a spring past its
 * buckling load): analyses that need a structure at rest refuse that. *negative: some motion gets energy. */
static am_status check_sign(const am_matrix *a, size_t n, const char *field, bool symmetric, bool *negative,
                            am_error *err) {
    am_error own = {0};
    am_status status = check_matrix(a, n, field, symmetric, &own);
    *negative = status == AM_ERR_INPUT && !check_shape(a, n, field, symmetric, NULL);
    if (status && !*negative && err)
        *err = own;
    return *negative ? AM_OK : status;
}

static am_status check_row(const double *row, size_t n, const char *field, am_error *err) {
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(row[i]))
            return am_fail_field(err, AM_ERR_INPUT, field, "entry %zu is not a finite number", i + 1);
        largest = fmax(largest, fabs(row[i]));
    }
    if (!(largest > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, field, "a direction must not be zero");
    return AM_OK;
}

/* Run a check of a part and put the part's place before the field it names. */
static am_status within(am_status status, am_error *err, const char *place) {
    if (status && err) {
        char field[sizeof err->field];
        snprintf(field, sizeof field, "%s%s%.60s", place, err->field[0] ? "." : "", err->field);
        memcpy(err->field, field, sizeof field);
    }
    return status;
}

/* A number of a contact, which must be positive, or zero as well. */
typedef struct checked_number {
    double value;
    bool zero;
    const char *field, *name;
} checked_number;

static am_status check_numbers(const checked_number *numbers, size_t count, am_error *err) {
    for (const checked_number *n = numbers; n < numbers + count; n++)
        if (!isfinite(n->value) || !(n->zero ? n->value >= 0.0 : n->value > 0.0))
            return am_fail_field(err, AM_ERR_INPUT, n->field, "the %s must be %s, but is %g", n->name,
                                 n->zero ? "zero or positive" : "positive", n->value);
    return AM_OK;
}

static am_status check_compliance(const am_contact_def *c, am_error *err) {
    const checked_number numbers[] = {
        {c->contact_stiffness, false, "contact_stiffness", "contact stiffness"},
        {c->contact_damping, true, "contact_damping", "contact damping"},
        {c->contact_dissipation, true, "contact_dissipation", "contact dissipation"},
    };
    if (!am_contact_is_compliant(c))
        return AM_OK;
    AM_TRY(check_numbers(numbers, sizeof numbers / sizeof *numbers, err));
    if (!(c->contact_exponent >= 1.0 && isfinite(c->contact_exponent)))
        return am_fail_field(err, AM_ERR_INPUT, "contact_exponent",
                             "the exponent of the contact's force must be at least 1, but is %g", c->contact_exponent);
    return AM_OK;
}

/* Friction that depends on speed says all about the coefficient; its value at rest may be repeated. */
static am_status check_speed_friction(const am_contact_def *c, am_error *err) {
    if (!c->speed_friction.law)
        return AM_OK;
    AM_TRY(within(am_law_check(&c->speed_friction, err), err, "friction"));
    double rest = am_speed_friction_at_rest(&c->speed_friction);
    if (!(rest >= 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "friction", "friction law %s has no coefficient at rest (%g)",
                             c->speed_friction.law, rest);
    if ((c->friction != 0.0 && c->friction != rest) || (c->static_friction != 0.0 && c->static_friction != rest))
        return am_fail_field(err, AM_ERR_INPUT, "static_friction",
                             "friction law %s says the coefficient at every speed: leave static_friction out",
                             c->speed_friction.law);
    if (am_friction_weakens(&c->weakening))
        return am_fail_field(err, AM_ERR_INPUT, "weakening",
                             "friction cannot depend on the sliding speed (law %s) and on the distance slid at once",
                             c->speed_friction.law);
    if (c->regularisation > 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "regularisation",
                             "friction law %s says what happens at rest: leave regularisation out",
                             c->speed_friction.law);
    if (!(c->tangential_stiffness > 0.0) || am_law_sticks(&c->speed_friction))
        return AM_OK;
    const am_law *law = am_law_named(c->speed_friction.law);
    if (!law->behind)
        return am_fail_field(err, AM_ERR_INPUT, "tangential_stiffness", "behind a spring friction law %s %s", law->name,
                             law->not_behind);
    am_speed_friction behind = c->speed_friction;
    double stiffness = c->tangential_stiffness;
    am_law_put_behind(&behind, &stiffness);
    return within(am_law_check(&behind, err), err, "friction");
}

static am_status check_laws(const am_contact_def *c, am_error *err) {
    if ((int)c->normal_law < 0 || c->normal_law > AM_HUNT_CROSSLEY)
        return am_fail_field(err, AM_ERR_INPUT, "normal_law", "unknown normal law");
    const checked_number numbers[] = {
        {c->regularisation, true, "regularisation", "velocity of regularised friction"},
        {c->friction, true, "friction", "friction coefficient"},
        {c->tangential_stiffness, true, "tangential_stiffness", "tangential stiffness"},
    };
    AM_TRY(check_numbers(numbers, sizeof numbers / sizeof *numbers, err));
    AM_TRY(check_compliance(c, err));
    AM_TRY(check_speed_friction(c, err));
    AM_TRY(am_joint_check(c, err));
    if (!isfinite(c->gap))
        return am_fail_field(err, AM_ERR_INPUT, "gap", "the gap must be a finite number");
    if (!isfinite(c->surface_velocity))
        return am_fail_field(err, AM_ERR_INPUT, "surface_velocity", "the surface velocity must be a finite number");
    if (!isfinite(c->static_friction) || (c->static_friction != 0.0 && !(c->static_friction >= c->friction)))
        return am_fail_field(err, AM_ERR_INPUT, "static_friction",
                             "the static friction coefficient %g must not be below the kinetic one, %g",
                             c->static_friction, c->friction);
    if (c->regularisation > 0.0 &&
        (c->tangential_stiffness > 0.0 || c->static_friction > c->friction || am_friction_weakens(&c->weakening)))
        return am_fail_field(err, AM_ERR_INPUT, "regularisation",
                             "regularised friction rises from zero with the sliding velocity: it has no static "
                             "coefficient, no weakening and no spring behind its slider (leave regularisation out)");
    bool joint = c->iwan.density != AM_IWAN_NONE;
    bool many = joint || (c->second_tangent && c->tangential_stiffness > 0.0);
    if (many && (c->normal_law == AM_UNILATERAL || c->normal_law == AM_HUNT_CROSSLEY))
        return am_fail_field(err, AM_ERR_INPUT, joint ? "friction" : "tangential_stiffness",
                             "%s need the law held (a given normal force) or a linear layer (spring, kelvin-voigt)",
                             joint ? "the sliders of a joint" : "springs along two tangents");
    if (c->tangential_stiffness > 0.0 && c->tangential_restitution > 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "tangential_restitution",
                             "a spring behind the slider gives no impulse, and what it stores it gives back by itself: "
                             "leave tangential_restitution out");
    if (!(c->restitution >= 0.0 && c->restitution <= 1.0))
        return am_fail_field(err, AM_ERR_INPUT, "restitution", "the restitution must lie between 0 and 1, but is %g",
                             c->restitution);
    if (!(c->tangential_restitution >= 0.0 && c->tangential_restitution <= 1.0))
        return am_fail_field(err, AM_ERR_INPUT, "tangential_restitution",
                             "the tangential restitution must lie between 0 and 1, but is %g",
                             c->tangential_restitution);
    if (c->restitution_law != AM_NEWTON && c->restitution_law != AM_POISSON)
        return am_fail_field(err, AM_ERR_INPUT, "restitution_law", "the law of restitution is newton or poisson");
    return am_contact_check_weakening(c, err);
}

/* Without a tangent nothing rubs: a stop. */
static am_status check_stop(const am_contact_def *c, am_error *err) {
    bool rubs = c->friction != 0.0 || c->static_friction != 0.0 || c->speed_friction.law ||
                c->surface_velocity != 0.0 || !am_functions_rest(&c->surface_motion) ||
                c->tangential_stiffness != 0.0 || am_friction_weakens(&c->weakening) || c->iwan.density != AM_IWAN_NONE;
    if (!rubs && c->normal_law != AM_HELD)
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, "tangent",
                         "a contact needs a tangent row, unless it is a stop: not held, without friction, surface "
                         "velocity and tangential spring");
}

static bool has_blows(const am_function *function) {
    for (const am_function *f = function; f; f = f->plus)
        if (f->kind == AM_FUNCTION_IMPULSE)
            return true;
    return false;
}

static am_status check_surface(const am_contact_def *c, am_error *err) {
    if (has_blows(&c->surface_motion))
        return am_fail_field(err, AM_ERR_INPUT, "surface_velocity", "the velocity of a surface cannot be an impulse");
    if (has_blows(&c->gap_motion))
        return am_fail_field(err, AM_ERR_INPUT, "gap", "the motion of a support cannot be an impulse");
    AM_TRY(within(am_function_check(&c->gap_motion, err), err, "gap"));
    if (am_functions_have_jumps(&c->gap_motion))
        return am_fail_field(err, AM_ERR_INPUT, "gap", "a support must have a velocity: this one jumps");
    return within(am_function_check(&c->surface_motion, err), err, "surface_velocity");
}

/* Friction in a plane. */
static am_status check_plane(const am_contact_def *c, size_t n, am_error *err) {
    if (!c->second_tangent)
        return AM_OK;
    if (!c->tangent)
        return am_fail_field(err, AM_ERR_INPUT, "tangent", "a contact with a second tangent needs the first");
    AM_TRY(check_row(c->second_tangent, n, "second_tangent", err));
    bool constant = !c->speed_friction.law && !am_friction_weakens(&c->weakening) && c->iwan.density == AM_IWAN_NONE &&
                    !(c->static_friction > c->friction) && c->regularisation == 0.0;
    if (!constant)
        return am_fail_field(err, AM_ERR_INPUT, "second_tangent",
                             "a contact that slips in a plane (two tangents) has one constant coefficient of friction");
    return AM_OK;
}

static am_status check_contact(const am_contact_def *c, size_t n, am_error *err) {
    AM_TRY(check_laws(c, err));
    AM_TRY(check_plane(c, n, err));
    AM_TRY(check_surface(c, err));
    if (!c->tangent)
        AM_TRY(check_stop(c, err));
    else
        AM_TRY(check_row(c->tangent, n, "tangent", err));
    AM_TRY(c->normal ? check_row(c->normal, n, "normal", err) : AM_OK);
    if (c->normal_law != AM_HELD)
        return c->normal ? AM_OK
                         : am_fail_field(err, AM_ERR_INPUT, "normal", "a contact that is not held needs a normal row");
    if (has_blows(&c->hold))
        return am_fail_field(err, AM_ERR_INPUT, "hold", "a held normal force cannot be an impulse");
    return within(am_function_check(&c->hold, err), err, "hold");
}

/* One law of restitution for an impact of several contacts. */
static am_status check_restitution(const am_system_def *def, am_error *err) {
    const am_contact_def *first = NULL;
    for (size_t c = 0; c < def->contact_count; c++) {
        const am_contact_def *contact = &def->contacts[c];
        if (!(contact->restitution > 0.0))
            continue;
        if (first && contact->restitution_law != first->restitution_law)
            return am_fail_field(err, AM_ERR_INPUT, "contacts",
                                 "contacts that may strike together need one restitution_law, newton or poisson: it "
                                 "says what restitution is the ratio of, velocities or impulses");
        first = contact;
    }
    return AM_OK;
}

static am_status check_polynomial(const am_polynomial_def *p, size_t n, am_error *err) {
    if (!p->direction)
        return am_fail_field(err, AM_ERR_INPUT, "direction", "a polynomial spring needs a direction");
    AM_TRY(check_row(p->direction, n, "direction", err));
    if (p->term_count == 0 || !p->terms)
        return am_fail_field(err, AM_ERR_INPUT, "terms", "a polynomial spring needs at least one term");
    for (size_t i = 0; i < p->term_count; i++) {
        const am_polynomial_term *term = &p->terms[i];
        if (!isfinite(term->coefficient))
            return am_fail_field(err, AM_ERR_INPUT, "terms", "the coefficient of term %zu is not a finite number",
                                 i + 1);
        if (term->displacement > AM_POLYNOMIAL_DEGREE || term->velocity > AM_POLYNOMIAL_DEGREE ||
            term->displacement + term->velocity < 1 || term->displacement + term->velocity > AM_POLYNOMIAL_DEGREE)
            return am_fail_field(err, AM_ERR_INPUT, "terms",
                                 "the powers of displacement and velocity in term %zu must add up to 1 to %d", i + 1,
                                 AM_POLYNOMIAL_DEGREE);
    }
    return AM_OK;
}

static am_status check_varying(const am_varying_def *v, size_t n, am_error *err) {
    if (!v->direction)
        return am_fail_field(err, AM_ERR_INPUT, "direction", "a stiffness that varies needs a direction");
    AM_TRY(check_row(v->direction, n, "direction", err));
    if (has_blows(&v->stiffness))
        return am_fail_field(err, AM_ERR_INPUT, "stiffness", "a stiffness cannot be an impulse");
    return within(am_function_check(&v->stiffness, err), err, "stiffness");
}

/* The same for one part of a list. */
static am_status within_list(am_status status, am_error *err, const char *list, size_t index) {
    char place[64];
    if (status == AM_OK)
        return AM_OK;
    snprintf(place, sizeof place, "%s[%zu]", list, index);
    return within(status, err, place);
}

static am_status check_parts(const am_system_def *def, am_error *err) {
    for (size_t c = 0; c < def->contact_count; c++)
        AM_TRY(within_list(check_contact(&def->contacts[c], def->n, err), err, "contacts", c));
    for (size_t l = 0; l < def->load_count; l++) {
        const am_load_def *load = &def->loads[l];
        am_status status = load->direction ? check_row(load->direction, def->n, "direction", err)
                                           : am_fail_field(err, AM_ERR_INPUT, "direction", "a load needs a direction");
        if (!status)
            status = within(am_function_check(&load->function, err), err, "function");
        if (within_list(status, err, "loads", l))
            return status;
    }
    for (size_t p = 0; p < def->polynomial_count; p++)
        AM_TRY(within_list(check_polynomial(&def->polynomials[p], def->n, err), err, "polynomials", p));
    for (size_t v = 0; v < def->varying_count; v++)
        AM_TRY(within_list(check_varying(&def->varying[v], def->n, err), err, "varying", v));
    return AM_OK;
}

static am_status check_circulatory(const am_matrix *a, size_t n, am_error *err) {
    AM_TRY(check_size(a, n, "circulatory", err));
    if (!isfinite(am_matrix_largest(a)))
        return am_fail_field(err, AM_ERR_INPUT, "circulatory", "circulatory has an entry that is not a finite number");
    return AM_OK;
}

am_status am_system_check_definition(const am_system_def *def, bool *driving, bool *yielding, am_error *err) {
    if (def->n == 0)
        return am_fail_field(err, AM_ERR_INPUT, "stiffness", "a system needs at least one degree of freedom");
    if (!def->stiffness)
        return am_fail_field(err, AM_ERR_INPUT, "stiffness", "a system needs a stiffness matrix");
    AM_TRY(check_sign(def->stiffness, def->n, "stiffness", true, yielding, err));
    AM_TRY(def->mass ? check_matrix(def->mass, def->n, "mass", true, err) : AM_OK);
    AM_TRY(def->damping ? check_sign(def->damping, def->n, "damping", false, driving, err) : AM_OK);
    AM_TRY(def->circulatory ? check_circulatory(def->circulatory, def->n, err) : AM_OK);
    AM_TRY(check_restitution(def, err));
    return check_parts(def, err);
}
