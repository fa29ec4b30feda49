/* Which contact states are possible? Klarbring's mass with more friction than the critical value (Cho and Barber 1998,
 * Fig. 2b).
 *
 * The two load rates span a plane; for each direction in it the analysis `states` tells which contact states are
 * admissible in quasi-static equilibrium. Above the critical friction there is a sector with three answers. */
#include <amontons/amontons.h>
#include <stdio.h>
#include <stdlib.h>

static int give_up(const am_error *err) {
    fprintf(stderr, "%s: %s\n", am_status_text(err->status), err->message);
    return EXIT_FAILURE;
}

static void print_sectors(const am_table *sectors) {
    size_t from = am_table_find_column(sectors, "from_deg");
    size_t to = am_table_find_column(sectors, "to_deg");
    size_t states = am_table_find_column(sectors, "states");
    printf("%10s %10s  %s\n", "from", "to", "admissible");
    for (size_t row = 0; row < am_table_rows(sectors); row++)
        printf("%10.4f %10.4f  %s\n", am_table_number(sectors, row, from), am_table_number(sectors, row, to),
               am_table_text(sectors, row, states));
}

int main(void) {
    am_error err = {AM_OK, "", ""};
    am_klarbring model = am_klarbring_default();
    model.stiffness[0][0] = 1, model.stiffness[0][1] = 1;
    model.stiffness[1][0] = 1, model.stiffness[1][1] = 2;
    model.friction = 1.25;
    printf("friction %g, critical friction %g\n", model.friction, am_klarbring_critical_friction(&model));
    am_system *system = am_klarbring_create(&model, &err);
    if (!system)
        return give_up(&err);

    am_states_options options = am_states_options_default();
    am_result *result = am_result_create(&err);
    am_status status = result ? am_states_run(system, &options, result, NULL, &err) : err.status;
    if (status == AM_OK) {
        print_sectors(am_result_find_table(result, "sectors"));
        const am_scalar *most = am_result_find(result, "most_states");
        if (most)
            printf("at most %g states at once\n", most->number);
    }
    am_result_free(result);
    am_system_free(system);
    return status == AM_OK ? EXIT_SUCCESS : give_up(&err);
}
