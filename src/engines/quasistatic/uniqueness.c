/* Condition 3.1 of Andersson, Barber and Ahn for any number of contacts: docs/uniqueness.md. */
#include "amontons/states.h"

#include <float.h>
#include <math.h>

#include "base/local.h"
#include "base/object.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/p_matrix.h"
#include "system/capability.h"
#include "system/reduced.h"

const char *am_uniqueness_name(am_uniqueness_verdict verdict) {
    static const char *const names[] = {"unique", "not unique", "undecided"};
    return (size_t)verdict < sizeof names / sizeof *names ? names[verdict] : "unknown";
}

/* The family A + E (factor mu B) of a structure. */
typedef struct family {
    am_arena memory;
    size_t m;                         /* closed contacts */
    size_t *contact;                  /* m: which of the system's they are */
    double *middle, *half, *coupling; /* m x m: A, factor mu B, mu B */
    am_reduced reduced;
} family;

static void family_clear(family *f) {
    am_reduced_clear(&f->reduced);
    am_arena_clear(&f->memory);
    *f = (family){0};
}

static void family_scale(family *f, double factor) {
    for (size_t e = 0; e < f->m * f->m; e++)
        f->half[e] = factor * f->coupling[e];
}

static bool is_open(const bool *open, size_t contact) {
    return open && open[contact];
}

/* Rows of the reduced stiffness that belong to open contacts: no force acts there. Returns how many. */
static size_t list_open_rows(const am_reduced *r, const bool *open, size_t *rows) {
    size_t count = 0;
    for (size_t c = 0; c < r->m; c++) {
        if (!is_open(open, c))
            continue;
        rows[count++] = c;
        if (!r->held[c])
            rows[count++] = r->normal_row[c];
    }
    return count;
}

/* K_ij - K_ig K_gg^-1 K_gj for the rows g of open contacts, whose forces vanish. */
static double condensed(const am_reduced *r, size_t i, size_t j, const double *inverse, const size_t *gone,
                        size_t count) {
    double sum = r->stiffness[i * r->p + j];
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++)
            sum -= r->stiffness[i * r->p + gone[a]] * inverse[a * count + b] * r->stiffness[gone[b] * r->p + j];
    return sum;
}

static am_status fill_family(family *f, const bool *open, am_error *err) {
    const am_reduced *r = &f->reduced;
    AM_LOCAL_ARENA memory = {0};
    size_t *gone = am_arena_new(&memory, r->p, sizeof *gone, err), count = 0;
    double rcond = 1.0, *inverse = NULL;
    AM_TRY(am_arena_status(&memory));
    count = list_open_rows(r, open, gone);
    inverse = am_arena_new(&memory, count * count, sizeof *inverse, err);
    AM_TRY(am_arena_status(&memory));
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++)
            inverse[a * count + b] = r->stiffness[gone[a] * r->p + gone[b]];
    AM_TRY(am_dense_invert(inverse, count, &rcond, err));
    for (size_t i = 0; i < f->m; i++)
        for (size_t j = 0; j < f->m; j++) {
            size_t c = f->contact[i], d = f->contact[j], e = i * f->m + j;
            f->middle[e] = condensed(r, c, d, inverse, gone, count);
            f->coupling[e] = r->held[c] ? 0.0 : r->mu[c] * condensed(r, r->normal_row[c], d, inverse, gone, count);
        }
    return AM_OK;
}

static am_status family_init(family *f, const am_system *system, const bool *open, am_error *err) {
    *f = (family){0};
    AM_TRY(am_system_check(system, "states with question: uniqueness", err));
    AM_TRY(am_reduced_init(&f->reduced, system, err));
    f->contact = am_arena_new(&f->memory, f->reduced.m, sizeof *f->contact, err);
    for (size_t c = 0; c < f->reduced.m && f->contact; c++)
        if (!is_open(open, c))
            f->contact[f->m++] = c;
    AM_ARENA_DOUBLES(&f->memory, f->m * f->m, err, &f->middle, &f->half, &f->coupling);
    am_status status = am_arena_status(&f->memory) ? AM_ERR_MEMORY : fill_family(f, open, err);
    if (status)
        family_clear(f);
    else
        family_scale(f, 1.0);
    return status;
}

/* ---- evidence ---- */

static double row_times(const family *f, size_t i, int sign, const double *v) {
    return am_dense_dot(f->middle + i * f->m, v, f->m) + sign * am_dense_dot(f->half + i * f->m, v, f->m);
}

/* How far slip rates v violate the rate problem of the witness' contacts: e_i v_i >= 0, e_i (n_i.v + c_i) >= 0, one of
 * them zero. Relative to the largest force rate. */
static double violation(const family *f, const am_uniqueness *u, const double *v) {
    double worst = 0.0, scale = DBL_MIN, motion = DBL_MIN;
    for (size_t i = 0; i < f->m; i++) {
        scale = fmax(scale, fmax(fabs(u->rates[i]), f->middle[i * f->m + i] * fabs(v[i])));
        motion = fmax(motion, fabs(v[i]));
    }
    for (size_t i = 0; i < f->m; i++) {
        double e = u->witness[i], slip = e * v[i] / motion;
        double slack = e * (row_times(f, i, u->witness[i], v) + u->rates[i]) / scale;
        if (u->witness[i] != 0)
            worst = fmax(worst, fmax(fabs(fmin(slip, slack)), fmax(-slip, -slack)));
    }
    return worst;
}

/* With y = E v' the rate problem of the witness' contacts is the complementarity problem of M = E N E and q = E c. A
 * column x of M^-1 whose own entry k is negative (minor without k positive, minor negative) has Mx = e_k and therefore
 * x_i (Mx)_i <= 0 for all i: then q = (Mx)+ - M x+ has the two solutions x+ and x-. */
static am_status build_evidence(const family *f, am_uniqueness *u, am_error *err) {
    size_t m = f->m, s = 0, best = 0;
    AM_LOCAL_ARENA memory = {0};
    double rcond, *inverse = am_arena_new(&memory, m * m, sizeof *inverse, err);
    size_t *member = am_arena_new(&memory, m, sizeof *member, err);
    AM_TRY(am_arena_status(&memory));
    for (size_t i = 0; i < m; i++)
        if (u->witness[i] != 0)
            member[s++] = i;
    AM_TRY(am_p_inverse(f->middle, f->half, m, u->witness, inverse, &rcond, err));
    for (size_t a = 0; a < s; a++)
        if (inverse[a * s + a] * f->middle[member[a] * m + member[a]] <
            inverse[best * s + best] * f->middle[member[best] * m + member[best]])
            best = a;
    for (size_t a = 0; a < s; a++) {
        size_t i = member[a], k = member[best];
        double x = u->witness[i] * inverse[a * s + best] * u->witness[k];
        if (x > 0.0)
            u->first[i] = u->witness[i] * x;
        else
            u->second[i] = u->witness[i] * -x;
    }
    for (size_t a = 0; a < s; a++)
        u->rates[member[a]] =
            (a == best ? u->witness[member[a]] : 0.0) - row_times(f, member[a], u->witness[member[a]], u->first);
    u->evidence_residual = fmax(violation(f, u, u->first), violation(f, u, u->second));
    /* Rounding leaves eps times the condition of the witness' matrix, whose sign was certain: below 1e-13/eps of it. */
    if (!(u->evidence_residual <= 1e-8))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the two answers that should show the loss of uniqueness do not satisfy the rate problem: "
                       "relative residual %g",
                       u->evidence_residual);
    return AM_OK;
}

/* ---- the test ---- */

static am_status test_family(const family *f, size_t budget, am_uniqueness *u, am_error *err) {
    am_p_report report;
    AM_TRY(am_p_family(f->middle, f->half, f->m, budget, u->witness, &report, err));
    u->verdict = report.verdict == AM_P_YES  ? AM_UNIQUE
                 : report.verdict == AM_P_NO ? AM_NOT_UNIQUE
                                             : AM_UNIQUENESS_UNDECIDED;
    u->at_rounding = report.verdict == AM_P_ROUNDING;
    u->margin = report.margin;
    u->examined = report.examined;
    u->minor = report.minor;
    return AM_OK;
}

static am_status uniqueness_init(am_uniqueness *u, size_t m, am_error *err) {
    *u = (am_uniqueness){.contacts = m, .margin = INFINITY, .minor = NAN};
    u->witness = am_memory_new(m, sizeof *u->witness, err);
    u->rates = am_memory_new(m, sizeof *u->rates, err);
    u->first = am_memory_new(m, sizeof *u->first, err);
    u->second = am_memory_new(m, sizeof *u->second, err);
    return u->witness && u->rates && u->first && u->second ? AM_OK : AM_ERR_MEMORY;
}

/* From the closed contacts to all of them; open ones are in nothing. */
static void spread(const family *f, am_uniqueness *u, size_t m) {
    for (size_t k = f->m; k-- > 0;) {
        size_t c = f->contact[k]; /* c >= k: nothing is overwritten before it is moved */
        u->witness[c] = u->witness[k];
        u->rates[c] = u->rates[k];
        u->first[c] = u->first[k];
        u->second[c] = u->second[k];
        if (c != k) {
            u->witness[k] = 0;
            u->rates[k] = u->first[k] = u->second[k] = 0.0;
        }
    }
    u->contacts = m;
}

am_status am_uniqueness_test_open(const am_system *system, const bool *open, size_t budget, am_uniqueness *uniqueness,
                                  am_error *err) {
    if (!am_is(system, AM_TAG_SYSTEM) || !uniqueness)
        return am_misused(err, __func__);
    family f;
    *uniqueness = (am_uniqueness){.verdict = AM_UNIQUENESS_UNDECIDED};
    AM_TRY(family_init(&f, system, open, err));
    size_t m = f.reduced.m;
    am_status status = uniqueness_init(uniqueness, m, err);
    if (!status)
        status = test_family(&f, budget, uniqueness, err);
    if (!status && uniqueness->verdict == AM_NOT_UNIQUE)
        status = build_evidence(&f, uniqueness, err);
    if (!status)
        spread(&f, uniqueness, m);
    family_clear(&f);
    if (status)
        am_uniqueness_clear(uniqueness);
    return status;
}

am_status am_uniqueness_test(const am_system *system, size_t budget, am_uniqueness *uniqueness, am_error *err) {
    if (!am_is(system, AM_TAG_SYSTEM) || !uniqueness)
        return am_misused(err, __func__);
    return am_uniqueness_test_open(system, NULL, budget, uniqueness, err);
}

void am_uniqueness_clear(am_uniqueness *uniqueness) {
    if (!uniqueness)
        return;
    am_memory_free(uniqueness->witness);
    am_memory_free(uniqueness->rates);
    am_memory_free(uniqueness->first);
    am_memory_free(uniqueness->second);
    *uniqueness = (am_uniqueness){.verdict = AM_UNIQUENESS_UNDECIDED};
}

/* ---- the critical factor ---- */

/* The smallest factor at which the witness' minor vanishes: det(A_SS + f E mu B_SS) = 0 where -1/f is an eigenvalue of
 * A_SS^-1 E mu B_SS. *factor is left alone when rounding hides it. */
static am_status vanishing_factor(const family *f, const int *witness, double *factor, am_error *err) {
    size_t m = f->m, s = 0;
    AM_LOCAL_ARENA memory = {0};
    double rcond, *inverse = am_arena_new(&memory, m * m, sizeof *inverse, err);
    double *product = am_arena_new(&memory, m * m, sizeof *product, err);
    size_t *member = am_arena_new(&memory, m, sizeof *member, err);
    double *none = am_arena_new(&memory, m * m, sizeof *none, err);
    AM_LOCAL(am_eigen_clear) am_eigen eigen = {0};
    AM_TRY(am_arena_status(&memory));
    for (size_t i = 0; i < m; i++)
        if (witness[i] != 0)
            member[s++] = i;
    AM_TRY(am_p_inverse(f->middle, none, m, witness, inverse, &rcond, err));
    for (size_t a = 0; a < s; a++)
        for (size_t b = 0; b < s; b++) {
            double sum = 0.0;
            for (size_t c = 0; c < s; c++)
                sum += inverse[a * s + c] * witness[member[c]] * f->coupling[member[c] * m + member[b]];
            product[a * s + b] = sum;
        }
    AM_TRY(am_eigen_init(&eigen, product, s, 0.0, err));
    double lowest = 0.0;
    for (size_t j = 0; j < s; j++)
        if (fabs(eigen.imaginary[j]) <= eigen.uncertainty[j])
            lowest = fmin(lowest, eigen.real[j]);
    if (lowest < 0.0 && -1.0 / lowest < *factor)
        *factor = -1.0 / lowest;
    return AM_OK;
}

/* One test at a factor; factor[0] rises when unique, factor[1] falls when not. */
static am_status try_factor(family *f, double at, size_t budget, double factor[2], am_uniqueness *u, am_error *err) {
    family_scale(f, at);
    AM_TRY(test_family(f, budget, u, err));
    if (u->verdict == AM_UNIQUE)
        factor[0] = fmax(factor[0], at);
    if (u->verdict != AM_NOT_UNIQUE)
        return AM_OK;
    factor[1] = fmin(factor[1], at);
    return vanishing_factor(f, u->witness, &factor[1], err);
}

/* Every witness gives the factor at which its own minor vanishes, and just below that only another witness can speak
 * against uniqueness: a few tests end at the smallest of them. Minors that rounding hides make the step below wider. */
static am_status close_in(family *f, size_t budget, double factor[2], am_uniqueness *u, am_error *err) {
    double below = 1e-12;
    am_status status = AM_OK;
    for (int round = 0; round < 200 && below < 1e-3 && !status; round++) {
        double last = factor[1];
        status = try_factor(f, factor[1] * (1.0 - below), budget, factor, u, err);
        if (u->verdict == AM_UNIQUE || (u->verdict == AM_UNIQUENESS_UNDECIDED && !u->at_rounding))
            break;
        if (u->verdict == AM_UNIQUENESS_UNDECIDED || !(factor[1] < last * (1.0 - below)))
            below *= 4.0;
    }
    return status;
}

/* Too many contacts for a decision near the critical factor: how far up are there certificates, how far down
 * witnesses? */
static am_status bracket(family *f, size_t budget, double factor[2], am_uniqueness *u, am_error *err) {
    double certain = factor[0], open = factor[1];
    am_status status = AM_OK;
    for (int round = 0; round < 12 && open - certain > 1e-3 * factor[1] && !status; round++) {
        double middle = certain > 0.0 ? 0.5 * (certain + open) : 0.25 * open;
        status = try_factor(f, middle, budget / 8 + 1, factor, u, err);
        if (u->verdict == AM_UNIQUE)
            certain = middle;
        else
            open = fmin(middle, factor[1]);
    }
    return status;
}

static am_status narrow_factor(family *f, double most, size_t budget, double factor[2], am_uniqueness *u,
                               am_error *err) {
    AM_TRY(try_factor(f, most, budget, factor, u, err));
    if (u->verdict == AM_UNIQUE) {
        factor[0] = INFINITY;
        return AM_OK;
    }
    if (isinf(factor[1]))
        factor[1] = most; /* undecided even there; closing in will tell */
    AM_TRY(close_in(f, budget, factor, u, err));
    return factor[0] < factor[1] * (1.0 - 1e-2) ? bracket(f, budget, factor, u, err) : AM_OK;
}

am_status am_uniqueness_critical(const am_system *system, double most, size_t budget, double factor[2], am_error *err) {
    if (!am_is(system, AM_TAG_SYSTEM) || !factor)
        return am_misused(err, __func__);
    AM_LOCAL(family_clear) family f = {0};
    AM_LOCAL(am_uniqueness_clear) am_uniqueness u = {0};
    factor[0] = 0.0;
    factor[1] = INFINITY;
    if (!(most > 0.0) || !isfinite(most))
        return am_fail_field(err, AM_ERR_INPUT, "most", "the largest factor on friction must be a positive number");
    if (budget == 0)
        budget = AM_P_DEFAULT_BUDGET;
    AM_TRY(family_init(&f, system, NULL, err));
    AM_TRY(uniqueness_init(&u, f.m, err));
    return narrow_factor(&f, most, budget, factor, &u, err);
}
