/* How contacts whose directions depend on each other may share their forces lambda + Z s (am_combination_share): a split
 * is admissible when it keeps all limits N >= 0, mu N - T >= 0, mu N + T >= 0. Facets, sums of limits with weights >= 0
 * in which s cancels, stand in the place of these limits. Of the admissible splits the one with the least sum of
 * weight_r lambda_r^2 is reported. docs/redundant.md. */
#ifndef AMONTONS_SYSTEM_SPLIT_H
#define AMONTONS_SYSTEM_SPLIT_H
#include <math.h>

#include "base/arena.h"
#include "system/combination.h"

typedef enum am_limit_kind {
    AM_LIMIT_NORMAL, /* N */
    AM_LIMIT_UPPER,  /* mu N - T: spent, the contact slips backward */
    AM_LIMIT_LOWER   /* mu N + T: forward */
} am_limit_kind;

typedef struct am_limit {
    size_t contact;
    am_limit_kind kind;
    double mu;
} am_limit;

typedef struct am_facet {
    size_t members;
    const am_limit *member; /* the limits that are spent together, those of one contact joined: both mean NORMAL */
    const double *weight;   /* one for each limit of the split */
} am_facet;

typedef struct am_split {
    am_arena memory;
    size_t limits, facets;
    am_limit *limit; /* those that depend on s */
    am_facet *facet;
    bool *shifts; /* m: some limit of this contact is among them */
    bool clamps;  /* forces of any size are admissible that no load asks for: contacts on two sides, or wedged in */
    struct am_split_workspace *work;
} am_split;

typedef enum am_split_friction { AM_SPLIT_STATIC, AM_SPLIT_KINETIC } am_split_friction;

/* Which limits count: one flag for each am_limit_kind. */
typedef struct am_binding {
    bool limit[3];
} am_binding;

/* NULL in *made where the combination has no redundant rows. `binding` (m): which limits of each contact are at stake,
 * those of the others being far from spent; NULL: all. */
am_status am_split_create(const am_system *system, const am_combination *combination, am_split_friction friction,
                          const am_binding *binding, am_split **made, am_error *err);
void am_split_free(am_split *split);

/* Is the motion unique in these states (m), and the forces not those of contacts that clamp each other? *clamps (may be
 * NULL): it is unique, but they do. */
am_status am_split_possible(const am_system *system, const double *S, const am_contact_state *state, bool *possible,
                            bool *clamps, am_error *err);

/* The value of a limit from the forces of its contact. */
static inline double am_limit_value(const am_limit *limit, double normal, double tangential) {
    return limit->kind == AM_LIMIT_NORMAL  ? normal
           : limit->kind == AM_LIMIT_UPPER ? limit->mu * normal - tangential
                                           : limit->mu * normal + tangential;
}

/* The sizes of its terms. */
static inline double am_limit_size(const am_limit *limit, double normal, double tangential) {
    return limit->kind == AM_LIMIT_NORMAL ? fabs(normal) : limit->mu * fabs(normal) + fabs(tangential);
}

/* Does this limit depend on the split? Facets stand for it then. */
bool am_split_shares(const am_split *split, const am_combination *combination, size_t contact, am_limit_kind kind);

/* The forces N and T (m each) of some split, changed to those of the admissible one that is reported; of least squares
 * where none is admissible. */
void am_split_choose(am_split *split, const am_combination *combination, const am_system *system, double *normal,
                     double *tangential);

#endif
