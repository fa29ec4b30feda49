/* The linear programs behind `shakedown`: docs/shakedown.md.
 *
 * Unknowns are the slips v (m) and the factor on the scaled part of the loads. Every contact has the two constraints of
 * eq. (2.4), for all times t of the period:
 *
 *     O-:  (a - mu b).v <= mu p^w(t) - q^w(t),      O+: -(a + mu b).v <= mu p^w(t) + q^w(t)
 *
 * with right-hand sides r = fixed(t) + factor scaled(t). A constraint at one instant is a cut; the instants that matter
 * are found by exact minimisation over the period, and when they depend on the factor, by turns with the program. */
#ifndef AMONTONS_ANALYSES_SHAKEDOWN_PROBLEM_H
#define AMONTONS_ANALYSES_SHAKEDOWN_PROBLEM_H
#include "amontons/path.h"
#include "base/arena.h"
#include "math/linear_program.h"
#include "system/cycle.h"
#include "system/reduced.h"

/* Factors beyond this are called unbounded. */
#define AM_SHAKEDOWN_LARGEST 1e9

typedef enum am_shakedown_kind {
    AM_SHAKEDOWN_MINUS, /* no slip backward: T <= mu N */
    AM_SHAKEDOWN_PLUS,  /* no slip forward: -T <= mu N */
    AM_SHAKEDOWN_CLOSED /* N >= 0, where friction does not imply it */
} am_shakedown_kind;

typedef struct am_shakedown_constraint {
    size_t contact;
    am_shakedown_kind kind;
} am_shakedown_constraint;

typedef struct am_shakedown_cut {
    size_t constraint;
    am_instant when;
    double fixed, scaled; /* right-hand side: fixed + factor scaled */
} am_shakedown_cut;

/* Where the tightest instant of a constraint leaves a solution. */
typedef struct am_shakedown_tightest {
    am_instant when;
    double extreme; /* right-hand side there */
    double slack;   /* extreme minus left-hand side: negative when violated */
    double size;    /* of the terms of the slack */
    double error;   /* of the extreme */
} am_shakedown_tightest;

typedef struct am_shakedown_problem {
    am_arena memory;
    const am_system *system;
    am_reduced reduced;
    size_t m;
    am_shakedown_about about;
    /* Functions of time that vary or are scaled, and the weld forces (sources x m) of one unit of each. */
    am_cycle cycle;
    size_t sources;
    bool *scaled; /* sources */
    double *unit_q, *unit_p;
    double *base_q, *base_p; /* m: weld forces of all the rest */
    bool rest_varies;        /* some function that is not scaled varies */
    size_t constraints;
    am_shakedown_constraint *constraint;
    am_shakedown_cut *cut;
    size_t cuts, cut_capacity;
    double *weight; /* sources + 2 waves: workspace */
} am_shakedown_problem;

typedef struct am_shakedown_solution {
    am_arena memory;
    double factor;
    double *v;                       /* m */
    double *multiplier;              /* one per constraint: growth of the factor with its right-hand side */
    am_shakedown_tightest *tightest; /* one per constraint */
    am_linear_evidence evidence;     /* primal: over all times, not only over the cuts */
    double extreme_error;            /* relative */
} am_shakedown_solution;

/* `sources`: the functions, loads first, then held normal forces; directions and scaling are taken from the system and
 * the flags (loads, then contacts). */
am_status am_shakedown_problem_init(am_shakedown_problem *problem, const am_system *system, const bool *scale_load,
                                    const bool *scale_held, am_shakedown_about about, double period, am_error *err);
void am_shakedown_problem_clear(am_shakedown_problem *problem);

am_status am_shakedown_solution_init(am_shakedown_solution *solution, const am_shakedown_problem *problem,
                                     am_error *err);
void am_shakedown_solution_clear(am_shakedown_solution *solution);

/* The largest (sense > 0) or least factor between 0 and `most` that leaves a slip. *feasible is false when none does.
 */
am_status am_shakedown_extreme_factor(am_shakedown_problem *problem, int sense, double most,
                                      am_shakedown_solution *solution, bool *feasible, am_error *err);

/* Why is there none? Always fails, with a sentence that names the contacts. */
am_status am_shakedown_why_not(am_shakedown_problem *problem, am_error *err);

/* Normal and tangential forces of all contacts (m each) at an instant. */
void am_shakedown_forces(const am_shakedown_problem *problem, const am_shakedown_solution *solution,
                         const am_instant *when, double *normal, double *tangential);

/* Does this function of time change within a period? */
bool am_shakedown_varies(const am_function *function);

#endif
