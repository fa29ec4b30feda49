/* An independent computation of motions with contact, in 128-bit arithmetic, against which the motion engine is tested.
 *
 * It shares nothing with the engine but the statement of the problem, and works differently wherever it can: short
 * fixed steps whose length is no matter of accuracy, every switching quantity scanned at hundreds of points per step
 * with its minima refined, roots bisected to 1e-31, and the next state of contact found by trying: each combination is
 * moved on for a tiny time in 128 bits, and those whose inequalities then hold are the consistent ones. It is slow, and
 * it is meant to be simple. */
#ifndef AMONTONS_TESTS_REFERENCE_H
#define AMONTONS_TESTS_REFERENCE_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/system.h"

#define PLAIN_SIZE 8
#define PLAIN_CONTACTS 8
#define PLAIN_LOADS 6
#define PLAIN_TABLE 12

/* A structure as plain data: what both the reference and the library are given. Matrices are row-major n x n. */
typedef struct plain_contact {
    double normal[PLAIN_SIZE], tangent[PLAIN_SIZE];
    double gap, surface_velocity;
    am_normal_law normal_law;
    double restitution;
    am_function hold;                 /* not a table */
    double friction, static_friction; /* 0: equal to friction */
    double tangential_stiffness;      /* of a spring behind a held contact's slider: the reference does not know it */
} plain_contact;

typedef struct plain_load {
    double direction[PLAIN_SIZE];
    am_function function; /* of a table, `times` and `values` are ignored: those below count */
    double times[PLAIN_TABLE], values[PLAIN_TABLE];
} plain_load;

typedef struct plain_system {
    size_t n, m, loads;
    bool massless; /* the library is given neither mass nor damping: for quasi-static analyses, not for the reference */
    double mass[PLAIN_SIZE * PLAIN_SIZE], damping[PLAIN_SIZE * PLAIN_SIZE], stiffness[PLAIN_SIZE * PLAIN_SIZE];
    plain_contact contact[PLAIN_CONTACTS];
    plain_load load[PLAIN_LOADS];
} plain_system;

/* n degrees of freedom and m contacts, everything zero, unit mass; contact laws at their defaults. */
plain_system plain_system_new(size_t n, size_t m);

/* Klarbring's mass, K = [1 1; 1 2], friction f, under ramps of the rates c1 along the obstacle and c2 away from it. */
plain_system plain_klarbring(double f, double c1, double c2);

/* The same structure for the library; NULL on failure. */
am_system *plain_system_create(const plain_system *plain, am_error *err);

typedef enum reference_status {
    REFERENCE_OK,
    REFERENCE_NO_STATE,       /* no combination is consistent */
    REFERENCE_SEVERAL_STATES, /* several are */
    REFERENCE_NO_IMPACT,      /* no set of impulses is consistent */
    REFERENCE_SEVERAL_IMPACTS,
    REFERENCE_DENSE,   /* events closer than `closest`: accumulation, beyond what this method is for */
    REFERENCE_LIMIT,   /* more events than there is room for */
    REFERENCE_CONFUSED /* a switching quantity was negative where it had been proved positive: the reference itself
                          failed */
} reference_status;

/* One contact's part in an event. */
typedef struct reference_event {
    double t, t_low; /* the time is t + t_low */
    size_t contact;
    am_contact_state from, during, to;
    bool impact;
    double q[PLAIN_SIZE], v[PLAIN_SIZE]; /* just after */
} reference_event;

typedef struct reference_options {
    double from, until;
    double q[PLAIN_SIZE], v[PLAIN_SIZE];
    /* Relative size of random changes to all data at the start (not to what would lift a contact that starts closed)
     * and to the state after every event. Two runs that differ only in this measure how much a trajectory amplifies
     * errors. */
    double perturbation;
    double closest; /* give up when two events are closer than this; 0: never */
    double moment;  /* when > 0: trial time for the next state, relative to the step; default 1e-5 */
} reference_options;

typedef struct reference_result {
    reference_status status;
    double failed_at; /* time of failure */
    size_t candidates;
    am_contact_state initial[PLAIN_CONTACTS], final[PLAIN_CONTACTS];
    size_t grazes;
    size_t count, room;
    reference_event *events;             /* the caller's array of `room` */
    double q[PLAIN_SIZE], v[PLAIN_SIZE]; /* at the end */
} reference_result;

void reference_run(const plain_system *plain, const reference_options *options, reference_result *result);
const char *reference_status_text(reference_status status);

/* Consistent states of contact at (t, q, v) with the impact, if any, done; for checks of Painleve reports. Returns how
 * many, or 0 when the impact has no solution. */
size_t reference_states_at(const plain_system *plain, double t, const double *q, const double *v);

/* sin and cos of frequency (t + beyond) + phase, computed in 128 bits and rounded. */
void reference_oscillation(double frequency, double t, double beyond, double phase, double *sine, double *cosine);

/* sin and cos to 128 bits, rounded; exposed for the self-test. */
void reference_sine_cosine(double x, double *sine, double *sine_low, double *cosine, double *cosine_low);

#endif
