/* Inside of closing an orbit: one shot around it, and Newton's method for where it begins. */
#ifndef AMONTONS_ANALYSES_ORBIT_NEWTON_H
#define AMONTONS_ANALYSES_ORBIT_NEWTON_H
#include "amontons/orbit.h"
#include "base/arena.h"
#include "math/eigen.h"
#include "math/shooting.h"

typedef struct am_shot {
    am_arena memory;
    am_motion *engine;
    am_orbit_return *how;
    size_t d, n, m;    /* state, degrees, contacts */
    bool free_period;  /* self-excited */
    bool smooth;       /* no switch tells where a period begins, or there are no contacts at all: steps with care */
    bool unheld;       /* no contacts: all displacements and velocities are free */
    bool sparing;      /* forces are not linear: the derivative costs much more than the motion */
    double begin, tau; /* of the shot */
    double offset;     /* from the section to its beginning */
    size_t before;     /* returns between the section and there */
    const double
        *w; /* d: weights, of displacements and velocities on the orbit's own time scale where nothing holds them */
    double *own;           /* d: the same */
    double *x;             /* d: at the beginning */
    double *end;           /* d: after tau */
    double *trial, *moved; /* d */
    double *f0, *f1;       /* d: time derivatives at both ends */
    double *phi;           /* d x d: derivative of the end, in weighted coordinates restricted to the basis: k x k */
    double *basis;         /* d x d, k rows used: admissible directions, orthonormal in weighted coordinates */
    double *matrix;        /* (d + 1)^2 */
    double *kept;          /* (d + 1)^2: the matrix of the last Newton step, which solving destroys in `matrix` */
    double *right;         /* d + 1 */
    double *values;        /* d + 1: singular values */
    double *step;          /* d + 1: of Newton's method */
    double *member;        /* 3 d d + d: workspace of find_member */
    am_multiplier *multiplier;    /* d */
    double *work;                 /* d x d */
    size_t k;                     /* admissible directions */
    am_contact_state *state;      /* m: at the beginning */
    double size;                  /* largest state met */
    double extent;                /* how far from its beginning the motion goes */
    double residual;              /* |end - x|/size */
    size_t family;                /* neutral directions */
    double weakest;               /* the smallest singular value that is not */
    double carried;               /* as in am_orbit */
    double speed, speed_of_guess; /* |x'| at the beginning, in weighted coordinates */
    double neutral;               /* singular values below this are */
    double stretch;               /* of the next step */
    double step_length;           /* of the last Newton step, the period included */
    bool strayed;                 /* one was longer than the one before */
    bool left;                    /* the last shot began in another state of contact */
    size_t beyond;                /* steps in a row that pointed beyond that state */
    bool stays;                   /* the state beyond was tried: go on in this one, whatever the steps point to */
    double *left_x;               /* d: the beginning that was left for it, */
    am_contact_state *left_state; /* m: and its state */
    double speed_of_step;         /* |x'| there */
} am_shot;

am_status am_shot_reserve(am_shot *s, am_error *err);

/* Largest |weight (a - b)|; b NULL: of a. */
double am_shot_size(const am_shot *s, const double *a, const double *b);

/* How far two states are apart, as a part of the size of the orbit; an age, of its own. */
double am_shot_apart(const am_shot *s, const double *a, const double *b, double size);

/* From x at `begin` and tau to the orbit nearby: those, residual, derivative and family. AM_ERR_LIMIT: there is none. */
am_status am_shot_close(am_shot *s, am_error *err);

/* Floquet multipliers: eigenvalues of the sensitivity over one period. Directions that are not admissible have
 * multiplier 0: the contacts suppress them. */
am_status am_shot_multipliers(am_shot *s, am_orbit *orbit, am_error *err);

#endif
