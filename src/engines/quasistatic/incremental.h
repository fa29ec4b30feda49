/* The incremental path: quasi-static evolution with one complementarity problem per load step, for structures with many
 * contacts. docs/path.md, docs/lcp.md.
 *
 *   init      condense the stiffness onto the contacts, once (eq. 2.1 of Andersson, Barber and Ahn)
 *   place     equilibrium at the first instant
 *   step      equilibrium at the next one: contacts stick where they were, or slip and open from there
 *
 * A step is solved by Newton's method on the contact laws, a change of contact states at each of its iterations: only
 * contacts that move are unknowns, and the factors of their block are kept from iteration to iteration and from step to
 * step. Where it does not settle, Lemke's method decides on a part of the contacts large enough.
 *
 * Coefficients of friction may fall with the distance slid, or drop when slip begins; a structure that floats (its
 * contacts alone hold it) is one whose stiffness is singular. */
#ifndef AMONTONS_ENGINES_QUASISTATIC_INCREMENTAL_H
#define AMONTONS_ENGINES_QUASISTATIC_INCREMENTAL_H
#include <stdbool.h>

#include "base/arena.h"
#include "math/lcp.h"
#include "math/lcp_block.h"
#include "system/reduced.h"

/* What a step cost, and how good it is. */
typedef struct am_path_increment {
    size_t iterations;  /* of Newton's method */
    size_t pivots;      /* of Lemke's; 0: it was not needed */
    size_t factored;    /* blocks factored anew */
    size_t moving;      /* contacts that do not stick */
    double dissipation; /* sum of -T times slip, with T at the end of the step */
    double moved;       /* largest displacement of a contact in the step */
    double residual;    /* largest violation of a contact law, relative to the largest force */
    size_t jumps;       /* where no continuous way on exists: how many, when the last, how far a contact went */
    double jump_time, jump_size;
    size_t divisions; /* how often the step was halved */
} am_path_increment;

/* Stays where it was made: parts of it point to each other. */
typedef struct am_path_incremental {
    am_arena memory, part_memory; /* of all arrays; of those of Lemke's method */
    const am_system *system;
    am_reduced reduced;
    am_lcp_method method; /* automatic: Newton's, then Lemke's; Lemke: that alone; set after init */
    bool let_jump;        /* go on after a jump, from the equilibrium found; otherwise it is an error; set after init */
    /* A step in which contacts take over more than so many times what the load changed is divided. Default 50; 0 looks
     * closely at every change of state, for friction beyond uniqueness. */
    double proportionate;
    /* Uniqueness is not known in general: every step must show it of the contacts that move in it, or is looked at
     * closely. Set after init. */
    bool prove;
    size_t m, p; /* contacts; rows of the reduced stiffness: m tangents, then normals of contacts that are not held */

    /* At t; borrowed by who asks. m each. */
    double t;
    am_contact_state *state;
    double *position;            /* t_c.q */
    double *gap;                 /* n_c.q + gap0; of held contacts 0 */
    double *normal, *tangential; /* forces on the structure */
    double *slip, *loss;         /* of the last step: distance slid (signed), and what friction took */
    double *slid;                /* distance slid in contact so far, of laws that weaken with it; never heals */
    am_path_increment last;
    double drift; /* largest correction when forces were computed afresh, relative to the largest force */
    double scale; /* largest force so far */

    /* Loads: the entries of the system's input that are not zero, by rows. */
    size_t *load_start, *load_column;
    double *load_value;
    double *z, *load, *work;

    /* Rows of the reduced stiffness: p each. */
    double *elastic;            /* stiffness times displacements */
    double *weld, *weld_before; /* at the end and at the beginning of the step */
    double *base;               /* forces if no contact moved in this step */
    double *force;              /* forces of the present iterate */
    double *held;               /* m */
    size_t since;               /* steps since the forces were computed afresh */

    /* Friction. m each. */
    bool weakens, drops; /* some contact's coefficient falls with slip; drops when slip begins */
    bool tangent;        /* the slope of falling coefficients is part of the equations; else they stay as they are */
    bool lost;           /* the last solve found no equilibrium nearby */
    double *mu, *hold;   /* of the present iterate: of contacts that slide, and up to which contacts stick */
    double *slope, *at;  /* f' N, and the slip at which it was taken */
    double *old_mu, *old_slope; /* those of the factors */
    double *growth;             /* of the slips, over a jump */
    unsigned char *released;    /* has overcome its static friction */
    bool adrift;                /* in equilibrium without anything that fixes it there: it floats, and nothing pushes */
    double weak, old_weak;      /* of a structure that floats: springs that hold it, as a part of its own stiffnesses */

    /* Newton's method. Unknown 4c + k: k = 0 forward, 1 backward slip; 2, 3 tangential and normal motion when open. */
    am_lcp block_problem;
    am_lcp_block block;
    am_contact_state *trial, *next; /* m */
    size_t *item, *column;          /* 2m, 3m */
    size_t count;                   /* of items: unknowns of the present iterate */
    double *x, *motion;             /* 2m, 3m */
    size_t *wrong;                  /* m */
    double *reserve;                /* m: mu N - |T| of the last iterate */

    /* Lemke's method on a part of the contacts. */
    am_lcp_workspace *pivoting;
    unsigned char *in_part; /* m */
    size_t *part;           /* m */
    size_t most_parts;      /* contacts that the next ones have space for */
    double *part_F, *part_M, *part_q, *part_z;

    /* Contacts that slip in a plane. NULL where there are none. */
    bool planes;
    double *place_across, *second;  /* m: position and force along second tangents */
    double *across;                 /* m: slip along them, of the present iterate */
    double *moved, *defect, *shift; /* p: motions in the step, what their equations are off by, Newton's correction */
    double *slopes;                 /* p x p: derivatives of the equations, then their factors */
    int *order;                     /* p */

    struct am_path_curved
        *curved; /* of structures whose springs are not linear (incremental_curved.c); NULL: they are */
} am_path_incremental;

/* AM_ERR_UNSUPPORTED, with a sentence, for structures that cannot be condensed (am_reduced_init) or whose laws and
 * loads a quasi-static path cannot follow (am_path_check_steps). */
am_status am_path_incremental_init(am_path_incremental *path, const am_system *system, am_error *err);
void am_path_incremental_clear(am_path_incremental *path);

/* Equilibrium at t of a structure whose contacts stand at q (n; NULL: zero). last.moved tells how far they went. */
am_status am_path_incremental_place(am_path_incremental *path, double t, const double *q, am_error *err);

/* The same with all contacts closed at these tangential positions (m). */
am_status am_path_incremental_stand(am_path_incremental *path, double t, const double *position, am_error *err);

/* Equilibrium at t, after the present one. A step in which forces change out of proportion to the load is divided until
 * they do not, or until it is clear that they never will: a jump. AM_ERR_SEVERAL_STATES when the step surely has
 * several solutions; AM_ERR_NO_STATE when there is no way on but a jump (the present point is then just before it). */
am_status am_path_incremental_step(am_path_incremental *path, double t, am_error *err);

/* Contacts that slip in a plane: is one solution of every step certain? */
am_status am_path_plane_is_tame(const am_path_incremental *path, bool *tame, am_error *err);

/* The structure's coordinates (n). */
am_status am_path_incremental_coordinates(am_path_incremental *path, double *q, am_error *err);

/* Contact laws and equilibrium of the contacts at the present point, from the definitions alone: the largest violation
 * relative to the largest force. Costs p^2. `work`: p numbers. */
double am_path_incremental_residual(const am_path_incremental *path, double *work);

#endif
