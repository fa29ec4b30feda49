#include "output/slip.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

#include "output/figure_parts.h"

const char *am_slip_colour(const char *name) {
    static const char *const colours[][2] = {
        {"1+", "#009e73"}, {"2+", "#0072b2"}, {"1-", "#d55e00"}, {"2-", "#cc79a7"}}; /* as curves: Okabe and Ito */
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
        if (strcmp(name, colours[i][0]) == 0)
            return colours[i][1];
    return "#606060";
}

bool am_slip_is_first(const am_slip *slip, size_t line) {
    for (size_t i = 0; i < line; i++)
        if (strcmp(slip->lines[i].name, slip->lines[line].name) == 0)
            return false;
    return true;
}

/* ---- Reading ---- */

static am_status read_lines(const am_report *report, am_slip *slip, am_error *err) {
    static const char *const names[] = {"constraint", "n1", "n2", "rest", "extreme"};
    const am_drawing d = {.report = report};
    const am_table *table;
    size_t column[5];
    AM_TRY(am_figure_columns(&d, report->figure->table, 5, names, NULL, 1, &table, column, err));
    for (size_t row = 0; row < am_table_rows(table); row++) {
        if (slip->count == AM_SLIP_MOST_LINES)
            return am_fail_field(err, AM_ERR_UNSUPPORTED, "figure.table",
                                 "there are more than %d extreme positions: too many lines for one diagram",
                                 AM_SLIP_MOST_LINES);
        am_slip_line *line = &slip->lines[slip->count++];
        line->name = am_table_text(table, row, column[0]);
        line->sign = strchr(line->name, '+') ? 1 : -1;
        line->normal[0] = am_table_number(table, row, column[1]);
        line->normal[1] = am_table_number(table, row, column[2]);
        line->rest = am_table_number(table, row, column[3]);
        line->extreme = am_table_number(table, row, column[4]);
    }
    return AM_OK;
}

static void cover_column(const am_table *table, size_t column, double *low, double *high) {
    for (size_t row = 0; row < am_table_rows(table); row++) {
        double value = am_table_number(table, row, column);
        if (isfinite(value)) {
            *low = fmin(*low, value);
            *high = fmax(*high, value);
        }
    }
}

static am_status cover_curve(const am_report *report, const am_curve *curve, am_slip_box *box, am_error *err) {
    size_t index, column[2];
    AM_TRY(am_figure_table(report->result, curve->table, "figure.curves", &index, err));
    const am_table *table = am_result_table(report->result, index);
    AM_TRY(am_figure_column(table, curve->x, "figure.curves", true, &column[0], err));
    AM_TRY(am_figure_column(table, curve->y, "figure.curves", true, &column[1], err));
    for (size_t i = 0; i < 2; i++)
        cover_column(table, column[i], &box->low[i], &box->high[i]);
    return AM_OK;
}

/* What the curves cover, and a quarter more on each side so that the lines around them are seen. */
static am_status find_box(const am_report *report, am_slip_box *box, am_error *err) {
    const double *given[2] = {report->figure->x_range, report->figure->y_range};
    *box = (am_slip_box){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (size_t i = 0; i < report->figure->curve_count; i++)
        AM_TRY(cover_curve(report, &report->figure->curves[i], box, err));
    for (size_t i = 0; i < 2; i++) {
        double width = box->high[i] - box->low[i], margin = width > 0 ? 0.25 * width : 1;
        if (!isfinite(width)) {
            box->low[i] = box->high[i] = 0;
            margin = 1;
        }
        box->low[i] = given[i] ? given[i][0] : box->low[i] - margin;
        box->high[i] = given[i] ? given[i][1] : box->high[i] + margin;
    }
    return AM_OK;
}

am_status am_slip_read(const am_report *report, am_slip *slip, am_error *err) {
    *slip = (am_slip){0};
    AM_TRY(read_lines(report, slip, err));
    return find_box(report, &slip->box, err);
}

/* ---- Geometry ---- */

static void corner_of(const am_slip_box *box, size_t corner, double point[2]) {
    point[0] = corner == 1 || corner == 2 ? box->high[0] : box->low[0];
    point[1] = corner >= 2 ? box->high[1] : box->low[1];
}

static double distance(const double normal[2], double side, const double point[2]) {
    return normal[0] * point[0] + normal[1] * point[1] - side;
}

static void meet(const double a[2], double at_a, const double b[2], double at_b, double point[2]) {
    double share = at_a / (at_a - at_b);
    for (size_t i = 0; i < 2; i++)
        point[i] = a[i] + share * (b[i] - a[i]);
}

bool am_slip_clip(const am_slip_box *box, const double normal[2], double side, double ends[2][2]) {
    size_t found = 0;
    for (size_t corner = 0; corner < 4 && found < 2; corner++) {
        double a[2], b[2];
        corner_of(box, corner, a);
        corner_of(box, (corner + 1) % 4, b);
        double at_a = distance(normal, side, a), at_b = distance(normal, side, b);
        if ((at_a >= 0) != (at_b >= 0))
            meet(a, at_a, b, at_b, ends[found++]);
    }
    return found == 2;
}

/* Sutherland and Hodgman: walk around the box, keep what lies on the wrong side. */
size_t am_slip_excluded(const am_slip_box *box, const am_slip_line *line, double side,
                        double corners[AM_SLIP_MOST_CORNERS][2]) {
    size_t count = 0;
    for (size_t corner = 0; corner < 4; corner++) {
        double a[2], b[2];
        corner_of(box, corner, a);
        corner_of(box, (corner + 1) % 4, b);
        double at_a = -line->sign * distance(line->normal, side, a);
        double at_b = -line->sign * distance(line->normal, side, b);
        if (at_a > 0)
            memcpy(corners[count++], a, sizeof a);
        if ((at_a > 0) != (at_b > 0))
            meet(a, at_a, b, at_b, corners[count++]);
    }
    return count;
}
