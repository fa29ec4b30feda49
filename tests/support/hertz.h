/* Hertz' contact of a cylinder and a half-plane (or of two cylinders, 1/R = 1/R1 + 1/R2), and Cattaneo and Mindlin's
 * partial slip of it. docs/halfplane.md, section 3; the thesis' equations 1.41-1.45, 4.9, 4.12-4.14. */
#ifndef AMONTONS_TESTS_HERTZ_H
#define AMONTONS_TESTS_HERTZ_H
#include "halfplane/traction.h"

typedef struct am_hertz {
    double modulus;    /* E* */
    double radius;     /* R */
    double load;       /* P */
    double half_width; /* a */
    double peak;       /* p0 */
} am_hertz;

am_status am_hertz_from_load(double modulus, double radius, double load, am_hertz *hertz, am_error *err);
am_status am_hertz_from_half_width(double modulus, double radius, double half_width, am_hertz *hertz, am_error *err);

double am_hertz_pressure(const am_hertz *hertz, double x);
double am_hertz_gap(const am_hertz *hertz, double x); /* between the deformed surfaces */
am_traction am_hertz_traction(const am_hertz *hertz);

/* The same contact under the load Q, applied after P and kept below f P. */
typedef struct am_cattaneo {
    am_hertz hertz;
    double friction;   /* f */
    double tangential; /* Q, of either sign */
    double stick;      /* c */
    double slip_width; /* a - c, with its own digits for small Q */
} am_cattaneo;

am_status am_cattaneo_from_load(const am_hertz *hertz, double friction, double tangential, am_cattaneo *cattaneo,
                                am_error *err);

double am_cattaneo_shear(const am_cattaneo *cattaneo, double x);
double am_cattaneo_slip(const am_cattaneo *cattaneo, double x); /* zero in the stick zone */
am_traction am_cattaneo_traction(const am_cattaneo *cattaneo);

/* Displacement of the centre beyond that of the fully stuck contact under the same Q (that one depends on the bodies as
 * a whole). At Q = f P it is f a^2/(4R). */
double am_cattaneo_yield(const am_cattaneo *cattaneo);

/* Energy lost per cycle of Q between two extremes `range` apart, P constant (Mindlin and Deresiewicz). */
am_status am_cattaneo_dissipation(const am_hertz *hertz, double friction, double range, double *energy, am_error *err);

#endif
