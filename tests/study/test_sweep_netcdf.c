/* A sweep in NetCDF: a labelled grid over its axes, by CF's conventions; what was drawn is a sample. */
#include <math.h>
#include <netcdf.h>
#include <netcdf_mem.h>
#include <stdio.h>
#include <string.h>

#include "amontons/output.h"
#include "amontons/study.h"
#include "errors.h"
#include "output/netcdf.h"
#include "results.h"
#include "study_text.h"

enum { MOST = 24 };

static const char belt[] = "model:\n"
                           "  kind: structure\n"
                           "  names: [x, y]\n"
                           "  mass: [1, 1]\n"
                           "  stiffness: [1, 4]\n"
                           "  contacts: [{name: belt, normal: [0, 1], tangent: [1, 0], friction: 0.3}]\n"
                           "  loads: [{direction: [0, -1], constant: 1}]\n"
                           "analysis: {kind: motion, until: 4, initial: {displacement: [0, 0], velocity: [0.1, 0]}}\n"
                           "sweep:\n"
                           "  outputs: [t_end, final_state, exact, first_lift_off, loss_friction]\n"
                           "  axes: ";

typedef struct opened {
    am_run *run;
    const am_table *table;
    am_text bytes;
    int file;
} opened;

static opened open_sweep(const char *axes) {
    char text[1000];
    snprintf(text, sizeof text, "%s%s\n", belt, axes);
    opened o = {.run = run_text(text)};
    o.table = table_of(am_run_report(o.run)->result, "sweep");
    GOOD(am_output_netcdf(am_run_report(o.run), &o.bytes, err));
    assert_int_equal(nc_open_mem("sweep", NC_NOWRITE, o.bytes.length, o.bytes.data, &o.file), NC_NOERR);
    return o;
}

static void close_sweep(opened *o) {
    nc_close(o->file);
    am_text_free(&o->bytes);
    am_run_free(o->run);
}

static int find(const opened *o, const char *name, nc_type wanted, int dimensions) {
    int variable, count;
    nc_type type;
    assert_int_equal(nc_inq_varid(o->file, name, &variable), NC_NOERR);
    assert_int_equal(nc_inq_vartype(o->file, variable, &type), NC_NOERR);
    assert_int_equal(nc_inq_varndims(o->file, variable, &count), NC_NOERR);
    assert_int_equal(type, wanted);
    assert_int_equal(count, dimensions);
    return variable;
}

static void assert_attribute(const opened *o, int variable, const char *name, const char *wanted) {
    char text[200] = "";
    assert_int_equal(nc_get_att_text(o->file, variable, name, text), NC_NOERR);
    assert_string_equal(text, wanted);
}

/* Friction in no order, times falling: the one is sorted, the other stays. */
static void a_grid_has_its_axes_as_dimensions(void **state) {
    (void)state;
    opened o = open_sweep("{model.contacts.0.friction: [0.3, 0.1, 0.2], analysis.until: [4, 3]}");
    static const double frictions[] = {0.1, 0.2, 0.3};
    double friction[3], until[2], loss[3][2];
    nc_get_var_double(o.file, find(&o, "contacts_0_friction", NC_DOUBLE, 1), friction);
    nc_get_var_double(o.file, find(&o, "analysis_until", NC_DOUBLE, 1), until);
    assert_memory_equal(friction, frictions, sizeof friction);
    assert_true(until[0] == 4.0 && until[1] == 3.0);
    nc_get_var_double(o.file, find(&o, "loss_friction", NC_DOUBLE, 2), &loss[0][0]);
    for (size_t row = 0; row < am_table_rows(o.table); row++)
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < 2; k++)
                if (cell(o.table, row, "model.contacts.0.friction") == friction[i] &&
                    cell(o.table, row, "analysis.until") == until[k])
                    assert_true(cell(o.table, row, "loss_friction") == loss[i][k]);
    assert_true(loss[0][0] > 0.0 && loss[0][0] != loss[2][0]);
    close_sweep(&o);
}

static void variables_are_described_as_cf_asks(void **state) {
    (void)state;
    opened o = open_sweep("{model.contacts.0.friction: [0.3, 0.1]}");
    signed char exact[2], values[2];
    double lift[2], fill = 0.0;
    int flag = find(&o, "exact", NC_BYTE, 1), none = find(&o, "first_lift_off", NC_DOUBLE, 1);
    int label = find(&o, "final_state", NC_CHAR, 2), unit;
    assert_attribute(&o, NC_GLOBAL, "Conventions", "CF-1.8");
    nc_get_var_schar(o.file, flag, exact);
    assert_true(exact[0] == 1 && exact[1] == 1);
    assert_int_equal(nc_get_att_schar(o.file, flag, "flag_values", values), NC_NOERR);
    assert_true(values[0] == 0 && values[1] == 1);
    assert_attribute(&o, flag, "flag_meanings", "false true");
    nc_get_var_double(o.file, none, lift); /* nothing lifts off */
    assert_true(isnan(lift[0]) && isnan(lift[1]));
    assert_int_equal(nc_get_att_double(o.file, none, "_FillValue", &fill), NC_NOERR);
    assert_true(isnan(fill));
    assert_attribute(&o, none, "quantity", "time");
    assert_int_equal(nc_inq_attid(o.file, none, "units", &unit), NC_ENOTATT);
    assert_attribute(&o, label, "_Encoding", "utf-8");
    close_sweep(&o);
}

static void drawn_and_repeated_points_are_samples(void **state) {
    (void)state;
    static const char *const axes[] = {"{model.contacts.0.friction: {from: 0.1, to: 0.3, count: 6, draw: random}}",
                                       "{model.contacts.0.friction: [0.1, 0.2, 0.1]}"};
    for (size_t i = 0; i < 2; i++) {
        opened o = open_sweep(axes[i]);
        double friction[MOST];
        char name[NC_MAX_NAME + 1];
        int variable = find(&o, "contacts_0_friction", NC_DOUBLE, 1), dimension;
        nc_get_var_double(o.file, variable, friction);
        nc_inq_vardimid(o.file, variable, &dimension);
        nc_inq_dimname(o.file, dimension, name);
        assert_string_equal(name, "sample");
        assert_attribute(&o, find(&o, "t_end", NC_DOUBLE, 1), "coordinates", "contacts_0_friction");
        for (size_t row = 0; row < am_table_rows(o.table); row++)
            assert_true(friction[row] == am_table_number(o.table, row, 0));
        close_sweep(&o);
    }
}

/* UDUNITS knows `1`, `degree` and what users write; a kind of quantity is no unit. */
static void units_are_those_of_udunits(void **state) {
    (void)state;
    assert_string_equal(am_netcdf_units("1"), "1");
    assert_string_equal(am_netcdf_units("deg"), "degree");
    assert_string_equal(am_netcdf_units("mm"), "mm");
    assert_null(am_netcdf_units("length/time"));
    assert_null(am_netcdf_units("parameter"));
    assert_null(am_netcdf_units(""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_has_its_axes_as_dimensions),
        cmocka_unit_test(variables_are_described_as_cf_asks),
        cmocka_unit_test(drawn_and_repeated_points_are_samples),
        cmocka_unit_test(units_are_those_of_udunits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
