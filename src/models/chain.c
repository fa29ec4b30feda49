#include "amontons/models.h"

#include <math.h>

#include "base/object.h"
#include "base/try.h"
#include "math/pi.h"
#include "models/kind.h"
#include "models/parts.h"

static const am_word ends_words[] = {{"cyclic", AM_CHAIN_CYCLIC, "the last mass is the first one's neighbour"},
                                     {"open", AM_CHAIN_OPEN, "the masses at the ends have one neighbour"},
                                     {NULL, 0, NULL}};

static const am_field fields[] = {
    AM_FIELD("count", COUNT, am_chain, count, .least = 1, .most = AM_CHAIN_MOST, .initial = "12",
             .about = "number of masses N", .example = "12"),
    AM_FIELD("coupling", NUMBER, am_chain, coupling, AM_NOT_NEGATIVE, .initial = "0.01",
             .about = "eta_Delta = k_Delta/k: stiffness of the springs between neighbours", .example = "0.01"),
    AM_FIELD("xi1", NUMBER, am_chain, xi1, .initial = "0.15",
             .about = "linear damping c1/(2 sqrt(k m)), may be negative", .example = "0.15"),
    AM_FIELD("xi3", NUMBER, am_chain, xi3, .initial = "0.3", .about = "cubic damping, destabilising where positive"),
    AM_FIELD("xi5", NUMBER, am_chain, xi5, .initial = "0.1",
             .about = "damping of the fifth degree, stabilising where positive"),
    AM_FIELD("omega0", NUMBER, am_chain, omega0, AM_POSITIVE, .initial = "6.283185307179586",
             .about = "sqrt(k/m): cubic damping is 2 xi3 (omega0 x0)^2, eq. (9.4); default 2 pi"),
    AM_FIELD("x0", NUMBER, am_chain, x0, AM_POSITIVE, .initial = "1", .about = "reference displacement"),
    AM_FIELD("ends", WORD, am_chain, ends, .words = ends_words, .initial = "cyclic", .about = "how the chain ends"),
    AM_FIELD("mistuning", LIST, am_chain, mistuning, .counted = offsetof(am_chain, mistuning_count), .initial = "none",
             .about = "relative change of the stiffness to the ground, one number per mass, above -1"),
};

static const am_schema schema = {
    .name = "chain",
    .title = "model chain",
    .about = "A ring or chain of oscillators with a velocity force of the fifth degree, coupled by weak springs "
             "(Papangelo 2017, chapter 9): each is at rest or vibrates by itself. Coordinates x1..xN in x0, time in "
             "1/omega0.",
    .size = sizeof(am_chain),
    .has_kind = true,
    AM_FIELDS(fields)};

am_chain am_chain_default(void) {
    am_chain chain = {0};
    am_schema_defaults(&schema, &chain);
    return chain;
}

static am_status check(const am_chain *c, am_error *err) {
    AM_TRY(am_schema_check(&schema, c, err));
    return am_mistuning_check(c->mistuning, c->mistuning_count, c->count, "mass", err);
}

/* ---- Building ---- */

typedef struct entries {
    size_t count, *row, *column;
    double *value;
} entries;

static void add(entries *e, size_t row, size_t column, double value) {
    e->row[e->count] = row;
    e->column[e->count] = column;
    e->value[e->count++] = value;
}

static am_matrix *take(entries *e, am_arena *memory, size_t n, am_error *err) {
    am_matrix *matrix = am_matrix_sparse(n, n, e->count, e->row, e->column, e->value, err);
    e->count = 0;
    return am_parts_own(memory, matrix, err);
}

/* Springs to the ground, and one of stiffness eta between each mass and the next. */
static void add_springs(const am_chain *c, entries *e) {
    size_t n = c->count, bonds = c->ends == AM_CHAIN_CYCLIC ? n : n - 1;
    for (size_t i = 0; i < n; i++)
        add(e, i, i, 1.0 + (c->mistuning_count ? c->mistuning[i] : 0.0));
    for (size_t i = 0; i < bonds && n > 1 && c->coupling > 0.0; i++) {
        const size_t ends[2] = {i, (i + 1) % n};
        for (size_t k = 0; k < 4; k++)
            add(e, ends[k / 2], ends[k % 2], k / 2 == k % 2 ? c->coupling : -c->coupling);
    }
}

static am_system *make(const am_chain *c, am_arena *memory, am_error *err) {
    size_t n = c->count, most = 5 * n; /* ground, and four of each of N springs */
    double square = c->omega0 * c->x0 * c->omega0 * c->x0;
    const am_polynomial_term terms[3] = {/* 2 xi1 v - 2 xi3 (omega0 x0)^2 v^3 + 2 xi5 (omega0 x0)^4 v^5, eq. (9.4) */
                                         {.coefficient = 2.0 * c->xi1, .velocity = 1},
                                         {.coefficient = -2.0 * c->xi3 * square, .velocity = 3},
                                         {.coefficient = 2.0 * c->xi5 * square * square, .velocity = 5}};
    entries e = {.row = am_arena_new(memory, most, sizeof *e.row, err),
                 .column = am_arena_new(memory, most, sizeof *e.column, err),
                 .value = am_arena_new(memory, most, sizeof *e.value, err)};
    double *directions = am_parts_identity(memory, n, err);
    const char **names = am_arena_new(memory, 2 * n, sizeof *names, err);
    am_polynomial_def *dampers = am_arena_new(memory, n, sizeof *dampers, err);
    am_parts_names(memory, "x", n, names, err);
    am_parts_names(memory, "damper ", n, names ? names + n : NULL, err);
    if (am_arena_status(memory))
        return NULL;
    for (size_t i = 0; i < n; i++) {
        add(&e, i, i, 1.0);
        dampers[i] = (am_polynomial_def){names[n + i], directions + i * n, 3, terms};
    }
    am_system_def def = am_parts_def(n, names, 0, NULL, 0, NULL);
    def.mass = take(&e, memory, n, err);
    add_springs(c, &e);
    def.stiffness = take(&e, memory, n, err);
    def.polynomial_count = n;
    def.polynomials = dampers;
    return def.mass && def.stiffness ? am_system_create(&def, err) : NULL;
}

am_system *am_chain_create(const am_chain *chain, am_error *err) {
    if (!chain)
        return am_misused_for_nothing(err, __func__);
    am_arena memory = {0};
    am_system *system = check(chain, err) == AM_OK ? make(chain, &memory, err) : NULL;
    am_arena_clear(&memory);
    return system;
}

AM_MODEL_CREATE(am_chain_create)

const am_model_kind am_model_chain = {.schema = &schema, .create = create, .analysis = "stability"};

/* ---- Closed forms ---- */

double am_chain_frequency(const am_chain *chain, size_t p) {
    if (!chain)
        return NAN;
    double waves = chain->ends == AM_CHAIN_CYCLIC ? 2.0 * pi : pi;
    double half = sin(0.5 * waves * (double)p / (double)chain->count);
    return sqrt(1.0 + 4.0 * chain->coupling * half * half);
}

static double amplitude(double square, double rho) {
    return square > 0.0 && isfinite(square) ? sqrt(square) / rho : NAN;
}

/* With s = rho^2 A^2 the damping of a cycle is D(s) = 2 xi1 - b s + c s^2; it is stable where D grows with s. Of the
 * two roots of D the one that would lose digits follows from their product, 2 xi1/c. */
am_chain_cycles am_chain_amplitudes(const am_chain *chain, double rho) {
    if (!chain)
        return (am_chain_cycles){0};
    double square = chain->omega0 * chain->x0 * chain->omega0 * chain->x0;
    double b = 0.75 * 2.0 * chain->xi3 * square, c = 0.625 * 2.0 * chain->xi5 * square * square;
    double root = sqrt(b * b - 8.0 * c * chain->xi1); /* NAN: no cycles */
    double sum = b >= 0.0 ? b + root : b - root;
    double far = sum / (2.0 * c), near = 4.0 * chain->xi1 / sum;
    return (am_chain_cycles){.unstable = amplitude(b >= 0.0 ? near : far, rho),
                             .stable = amplitude(b >= 0.0 ? far : near, rho)};
}

double am_chain_fold(const am_chain *chain) {
    if (!chain)
        return NAN;
    bool bistable = chain->xi3 > 0.0 && chain->xi5 > 0.0;
    return bistable ? 9.0 * chain->xi3 * chain->xi3 / (40.0 * chain->xi5) : NAN;
}
