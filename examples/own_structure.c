/* A structure of one's own: two blocks on a floor, the second pushed to and fro, followed event by event.
 *
 *      wall --k-- [block 1] --k-- [block 2] <- F(t) = a sin(w t)
 *                 =========       =========   floor with friction
 *
 * Each block has a horizontal coordinate (x1, x2) and a vertical one (y1, y2). Its weight presses it on the floor.
 * `am_motion_step` goes from switch to switch: the loop below sees each as it happens and may stop whenever it likes.
 */
#include <amontons/amontons.h>
#include <stdio.h>
#include <stdlib.h>

enum { X1, Y1, X2, Y2, SIZE };

static int give_up(const am_error *err) {
    fprintf(stderr, "%s: %s%s%s\n", am_status_text(err->status), err->field, err->field[0] ? ": " : "", err->message);
    return EXIT_FAILURE;
}

/* The definition is copied by am_system_create: everything here may live on the stack. */
static am_system *two_blocks(am_error *err) {
    const double mass_values[SIZE * SIZE] = {
        1, 0, 0, 0, /* x1 */
        0, 1, 0, 0, /* y1 */
        0, 0, 1, 0, /* x2 */
        0, 0, 0, 1, /* y2 */
    };
    const double stiffness_values[SIZE * SIZE] = {
        2,  0,  -1, 0,  /* the wall's spring and the one between the blocks */
        0,  10, 0,  0,  /* a soft vertical guide */
        -1, 0,  1,  0,  /* */
        0,  0,  0,  10, /* */
    };
    const double normal[2][SIZE] = {{0, 1, 0, 0}, {0, 0, 0, 1}}; /* gap = y */
    const double tangent[2][SIZE] = {{1, 0, 0, 0}, {0, 0, 1, 0}};
    const double weight[SIZE] = {0, -1, 0, -1};
    const double pull[SIZE] = {0, 0, 1, 0};

    am_matrix *mass = am_matrix_dense(SIZE, SIZE, mass_values, err);
    am_matrix *stiffness = am_matrix_dense(SIZE, SIZE, stiffness_values, err);
    am_contact_def contacts[2] = {am_contact_def_default(), am_contact_def_default()};
    for (int c = 0; c < 2; c++) {
        contacts[c].name = c == 0 ? "block 1" : "block 2";
        contacts[c].normal = normal[c];
        contacts[c].tangent = tangent[c];
        contacts[c].friction = 0.3;
        contacts[c].static_friction = 0.4;
    }
    const am_load_def loads[2] = {{weight, am_function_constant(1)}, {pull, am_function_sine(0.9, 0.7, 0)}};

    am_system_def def = am_system_def_default();
    def.n = SIZE;
    def.mass = mass;
    def.stiffness = stiffness;
    def.contact_count = 2;
    def.contacts = contacts;
    def.load_count = 2;
    def.loads = loads;
    am_system *system = mass && stiffness ? am_system_create(&def, err) : NULL;
    am_matrix_free(mass);
    am_matrix_free(stiffness);
    return system;
}

static void print_event(const am_system *system, const am_motion *motion) {
    const double *q = am_motion_displacement(motion);
    for (size_t i = 0; i < am_motion_switches(motion); i++) {
        const am_switch *change = am_motion_switch(motion, i);
        printf("%12.8f  %-8s %-9s -> %-9s (%s)  x1 = %9.6f  x2 = %9.6f\n", am_motion_time(motion),
               am_system_contact(system, change->contact)->name, am_contact_state_name(change->from),
               am_contact_state_name(change->to), am_cause_name(change->cause), q[X1], q[X2]);
    }
}

/* Two periods of the load, from rest. */
static am_status follow(const am_system *system, am_motion *motion, am_error *err) {
    const double until = 18;
    const double at_rest[SIZE] = {0};
    am_status status = am_motion_start(motion, 0, at_rest, at_rest, err);
    am_step_kind kind = AM_STEP_SPAN;
    while (status == AM_OK && kind != AM_STEP_END) {
        status = am_motion_step(motion, until, &kind, err);
        if (status == AM_OK && kind == AM_STEP_EVENT)
            print_event(system, motion);
    }
    return status;
}

int main(void) {
    am_error err = {AM_OK, "", ""};
    am_system *system = two_blocks(&err);
    if (!system)
        return give_up(&err);
    am_motion *motion = am_motion_create(system, true, &err);
    am_status status = motion ? follow(system, motion, &err) : err.status;
    if (status == AM_OK) {
        am_motion_statistics found = am_motion_statistics_get(motion);
        printf("%zu events; friction took %.9f of energy; the balance closes to %.1e\n", found.events,
               found.loss_friction, found.energy_residual);
    }
    am_motion_free(motion);
    am_system_free(system);
    return status == AM_OK ? EXIT_SUCCESS : give_up(&err);
}
