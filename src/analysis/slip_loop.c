/* Q to and fro at constant P: Mindlin and Deresiewicz' loop, by superposition. */
#include <math.h>

#include "analysis/slip_form.h"
#include "base/columns.h"
#include "halfplane/superposition.h"

am_table *am_slip_loop_table(am_result *result, am_error *err) {
    static const am_column columns[] = {{"turn", AM_COLUMN_NUMBER},
                                        {"Q_over_fP", AM_COLUMN_NUMBER},
                                        {"displacement", AM_COLUMN_NUMBER},
                                        {"c_over_a", AM_COLUMN_NUMBER},
                                        {"lost", AM_COLUMN_NUMBER}};
    am_table *table = am_result_add_table(result, "loop", err);
    return table && am_table_add_columns(table, columns, sizeof columns / sizeof *columns, err) == AM_OK ? table : NULL;
}

am_status am_slip_loop_add(am_table *table, const am_slip_loop_row *row, am_error *err) {
    am_status status = am_table_add_row(table, err);
    const double values[] = {(double)row->turn, row->share, row->displacement, row->stick, row->lost};
    for (size_t i = 0; status == AM_OK && i < sizeof values / sizeof *values; i++)
        am_table_set_number(table, i, values[i]);
    return status;
}

/* Work done by Q less what is stored is lost; at the end of a cycle all of it. */
static am_status add_row(am_table *table, const am_superposition *s, size_t turn, double limit, am_error *err) {
    am_slip_loop_row row = {.turn = turn,
                            .share = s->Q / limit,
                            .displacement = am_superposition_displacement(s),
                            .stick = am_superposition_stick(s) / am_superposition_half_width(s),
                            .lost = NAN};
    return am_slip_loop_add(table, &row, err);
}

static am_status walk(am_superposition *s, const am_slip_options *options, double limit, am_table *table,
                      double *last_cycle, am_error *err) {
    am_status status = am_superposition_step(s, s->P, 0.0, err);
    double from = 0.0, begin = 0.0;
    for (size_t turn = 0; status == AM_OK && turn < options->turn_count; turn++) {
        if (turn + 2 == options->turn_count)
            begin = s->work;
        for (int i = turn == 0 ? 0 : 1; status == AM_OK && i <= AM_SLIP_LOOP_POINTS; i++) {
            double share = from + (options->turns[turn] - from) * (double)i / AM_SLIP_LOOP_POINTS;
            status = am_superposition_step(s, s->P, share * limit, err);
            if (status == AM_OK)
                status = add_row(table, s, turn, limit, err);
        }
        from = options->turns[turn];
    }
    *last_cycle = s->work - begin;
    return status;
}

am_status am_slip_loop(const am_slip_state *state, const am_slip_options *options, am_result *result, am_error *err) {
    const am_slip_contact *contact = state->contact;
    double limit = contact->f * contact->P, area = 0.0, loss = 0.0;
    am_superposition s;
    am_table *table = am_slip_loop_table(result, err);
    am_status status = table ? am_superposition_start(&s, state->griffith.profile, contact->f, err) : AM_ERR_MEMORY;
    if (status != AM_OK)
        return status;
    status = am_superposition_step(&s, contact->P, 0.0, err);
    if (status == AM_OK)
        status = walk(&s, options, limit, table, &area, err);
    am_superposition_end(&s);
    size_t n = options->turn_count;
    if (status != AM_OK || n < 3 || options->turns[n - 1] != options->turns[n - 3])
        return status;
    double range = fabs(options->turns[n - 1] - options->turns[n - 2]) * limit;
    status = am_superposition_dissipation(&state->griffith.profile, contact->f, contact->P, range, &loss, err);
    if (status == AM_OK)
        status = am_result_set_number(result, "loss_per_cycle", loss, err);
    return status == AM_OK ? am_result_set_number(result, "loop_area", area, err) : status;
}
