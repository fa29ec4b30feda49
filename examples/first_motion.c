/* A first motion: Klarbring's mass, loaded close to the edge of separation (Cho and Barber 1998, Fig. 4b).
 *
 * A mass on an elastic support touches a frictional plane; the load grows linearly from zero. The analysis `motion`
 * returns every change of contact state with its exact time, and we print them. */
#include <amontons/amontons.h>
#include <stdio.h>
#include <stdlib.h>

static int give_up(const am_error *err) {
    fprintf(stderr, "%s: %s\n", am_status_text(err->status), err->message);
    return EXIT_FAILURE;
}

/* One line per event. Columns are found by name, so that the order of the table does not matter. */
static void print_events(const am_table *events) {
    size_t t = am_table_find_column(events, "t");
    size_t from = am_table_find_column(events, "from");
    size_t to = am_table_find_column(events, "to");
    size_t cause = am_table_find_column(events, "cause");
    printf("%18s  %-9s %-9s %s\n", "t", "from", "to", "cause");
    for (size_t row = 0; row < am_table_rows(events); row++)
        printf("%18.12f  %-9s %-9s %s\n", am_table_number(events, row, t), am_table_text(events, row, from),
               am_table_text(events, row, to), am_table_text(events, row, cause));
}

static void print_number(const am_result *result, const char *name) {
    const am_scalar *scalar = am_result_find(result, name);
    if (scalar)
        printf("%s = %.9g\n", name, scalar->number);
}

int main(void) {
    am_error err = {AM_OK, "", ""};

    /* The model: a definition with its defaults, then what is ours. */
    am_klarbring model = am_klarbring_default();
    model.stiffness[0][0] = 1, model.stiffness[0][1] = 1;
    model.stiffness[1][0] = 1, model.stiffness[1][1] = 2;
    model.friction = 0.25;
    model.load_rate[0] = -1.0;
    model.load_rate[1] = -0.99;
    am_system *system = am_klarbring_create(&model, &err);
    if (!system)
        return give_up(&err);

    /* The question: how does it move from rest until t = 38? */
    am_motion_options options = am_motion_options_default();
    options.until = 38;

    am_result *result = am_result_create(&err);
    am_status status = result ? am_motion_run(system, &options, result, NULL, &err) : err.status;
    if (status == AM_OK) {
        print_events(am_result_find_table(result, "events"));
        print_number(result, "state_changes");
        print_number(result, "first_lift_off");
    }
    am_result_free(result);
    am_system_free(system);
    return status == AM_OK ? EXIT_SUCCESS : give_up(&err);
}
