/* Random structures with contacts, as plain data that can be written as a study's model: drawn from a seed, in other
 * units, other coordinates, another order of contacts, or with a contact divided into several. */
#ifndef AMONTONS_CROSS_STRUCTURE_H
#define AMONTONS_CROSS_STRUCTURE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CROSS_SIZE = 12, CROSS_CONTACTS = 8, CROSS_LOADS = 5, CROSS_TABLE = 8 };

typedef enum cross_law { CROSS_UNILATERAL, CROSS_HELD, CROSS_KELVIN_VOIGT, CROSS_HUNT_CROSSLEY } cross_law;

typedef enum cross_function_kind { CROSS_CONSTANT, CROSS_RAMP, CROSS_SINE, CROSS_POINTS } cross_function_kind;

/* value, or value + rate t, or value + amplitude sin(frequency t + phase), or straight lines between points. */
typedef struct cross_function {
    cross_function_kind kind;
    double value, rate, amplitude, frequency, phase;
    size_t points;
    double times[CROSS_TABLE], values[CROSS_TABLE];
} cross_function;

typedef struct cross_contact {
    cross_law law;
    double normal[CROSS_SIZE], tangent[CROSS_SIZE];
    double gap, surface_velocity, friction, static_friction, restitution;
    cross_function hold;         /* HELD */
    double stiffness, damping;   /* KELVIN_VOIGT, HUNT_CROSSLEY (`damping` is its dissipation) */
    double tangential_stiffness; /* HELD; 0: rigid */
    size_t origin;               /* number of the contact in the structure as it was drawn */
} cross_contact;

typedef struct cross_load {
    double direction[CROSS_SIZE];
    cross_function function;
} cross_load;

/* Matrices are row-major n x n. */
typedef struct cross_structure {
    size_t n, contacts, loads;
    bool massless;
    double mass[CROSS_SIZE * CROSS_SIZE], damping[CROSS_SIZE * CROSS_SIZE], stiffness[CROSS_SIZE * CROSS_SIZE];
    cross_contact contact[CROSS_CONTACTS];
    cross_load load[CROSS_LOADS];
    double q[CROSS_SIZE], v[CROSS_SIZE]; /* the start */
} cross_structure;

/* A source of random numbers; the same seed gives the same ones on every machine. */
typedef struct cross_source {
    uint64_t seed, drawn;
} cross_source;

double cross_between(cross_source *source, double low, double high);
bool cross_chance(cross_source *source, double probability);
size_t cross_index(cross_source *source, size_t count);   /* 0 .. count - 1 */
double cross_scale(cross_source *source, double decades); /* 10^-decades .. 10^decades, evenly in the logarithm */

/* What may occur. Probabilities are per structure or per contact. */
typedef struct cross_wishes {
    size_t least_size, most_size; /* coordinates */
    size_t most_contacts;
    double held; /* probability that a contact's normal force is given; else `other` */
    cross_law other;
    double slider; /* of a spring in series, for held ones */
    double static_friction, restitution, belt, damped, oblique, singular;
    double crowded; /* of more contacts than the coordinates can move apart: their directions depend on each other */
    double stiff;   /* decades over which stiffnesses spread */
    bool periodic;  /* all loads are sines of one frequency, or constant */
    bool constant;  /* loads are constant */
    bool massless;
} cross_wishes;

void cross_draw(cross_source *source, const cross_wishes *wishes, cross_structure *structure);

/* The same structure with length, time and mass measured in units that are so many times larger. */
void cross_units(cross_structure *structure, double length, double time, double mass);

/* The same structure in coordinates p, q = T p, T random and well conditioned. `back` receives T, so that results can
 * be compared. */
void cross_coordinates(cross_source *source, cross_structure *structure, double *back);

/* Contacts in a random order. */
void cross_order(cross_source *source, cross_structure *structure);

/* Divides contact `c` into `parts` of the same directions that share its force; false when there is no room. */
bool cross_divide(cross_source *source, cross_structure *structure, size_t c, size_t parts);

/* `model: {...}` in one line. */
void cross_write_model(FILE *out, const cross_structure *structure);
/* `initial: {...}` */
void cross_write_start(FILE *out, const cross_structure *structure);

#endif
