/* Does a smooth motion without repeating loads come to rest? An equilibrium near the present state, its eigenvalues,
 * and whether the motion has come much nearer to it. */
#ifndef AMONTONS_ENGINES_SMOOTH_REST_H
#define AMONTONS_ENGINES_SMOOTH_REST_H
#include "engines/smooth/smooth.h"

typedef struct am_smooth_rest am_smooth_rest;

am_smooth_rest *am_smooth_rest_create(am_smooth *engine, am_error *err);
void am_smooth_rest_free(am_smooth_rest *rest);

/* A look at the motion at (t, state); scale: unit of time, size: of the motion so far. *rests: it ends at rest (or is
 * at rest already), and `sentence` says how. */
am_status am_smooth_rest_test(am_smooth_rest *rest, double t, const double *state, double scale, double size,
                              bool *rests, char *sentence, size_t length, am_error *err);

/* 1 / a bound of the frequencies at a state: a first unit of time. */
double am_smooth_rest_time_scale(am_smooth_rest *rest, const double *state);

/* The equilibrium nearest to a state by Newton's method: q (n). False: none. */
bool am_smooth_rest_equilibrium(am_smooth_rest *rest, double t, const double *state, double *q);

#endif
