/* Grazing oscillators with Amontons: the first time a gap closes, or nan.
 *
 * usage: amontons_grazing < PROBLEMS      (see bench/README.md) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "amontons/motion.h"

static void give_up(const am_error *err) {
    fprintf(stderr, "amontons_grazing: %s\n", err->message);
    exit(3);
}

static am_system *make_system(const double k[4], const double normal[2], double gap) {
    static const double mass[4] = {1, 0, 0, 1};
    am_error err = {0};
    am_matrix *m = am_matrix_dense(2, 2, mass, &err), *stiffness = am_matrix_dense(2, 2, k, &err);
    if (!m || !stiffness)
        give_up(&err);
    double tangent[2] = {-normal[1], normal[0]};
    am_contact_def contact = am_contact_def_default();
    contact.normal = normal;
    contact.tangent = tangent;
    contact.gap = gap;
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.mass = m;
    def.stiffness = stiffness;
    def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = am_system_create(&def, &err);
    if (!system)
        give_up(&err);
    am_matrix_free(m);
    am_matrix_free(stiffness);
    return system;
}

static double first_impact(const am_system *system, const double q[2], const double v[2], double until) {
    am_error err = {0};
    am_motion *motion = am_motion_create(system, false, &err);
    if (!motion || am_motion_start(motion, 0, q, v, &err) != AM_OK)
        give_up(&err);
    double t = NAN;
    for (am_step_kind kind = AM_STEP_SPAN; kind != AM_STEP_END && isnan(t);) {
        if (am_motion_step(motion, until, &kind, &err) != AM_OK)
            give_up(&err);
        if (kind == AM_STEP_EVENT && am_motion_had_impact(motion))
            t = am_motion_time(motion);
    }
    am_motion_free(motion);
    return t;
}

int main(void) {
    double k[4], n[2], gap, q[2], v[2], until;
    while (scanf("%lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", &k[0], &k[1], &k[3], &n[0], &n[1], &gap, &q[0], &q[1],
                 &v[0], &v[1], &until) == 11) {
        k[2] = k[1];
        am_system *system = make_system(k, n, gap);
        printf("%.17g\n", first_impact(system, q, v, until));
        am_system_free(system);
    }
    return 0;
}
