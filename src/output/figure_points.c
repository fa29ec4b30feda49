#include "output/figure_points.h"
#include "base/try.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- Reading ---- */

static bool differs(const am_table *table, size_t column, size_t row, size_t other) {
    if (am_table_column_kind(table, column) == AM_COLUMN_TEXT)
        return strcmp(am_table_text(table, row, column), am_table_text(table, other, column)) != 0;
    double a = am_table_number(table, row, column), b = am_table_number(table, other, column);
    return a != b && !(isnan(a) && isnan(b));
}

/* The rows of one curve of a table, in their order. */
typedef struct curve_rows {
    const am_curve_columns *columns;
    size_t *rows, count;
    bool sweep;   /* they are points of a sweep, whose members may take turns */
    double reach; /* from the least to the greatest y */
} curve_rows;

static am_status find_rows(am_drawing *d, const am_curve *curve, const am_curve_columns *columns, curve_rows *found,
                           am_error *err) {
    const am_table *table = columns->table;
    double low = INFINITY, high = -INFINITY;
    *found = (curve_rows){.columns = columns,
                          .rows = am_arena_new(&d->memory, am_table_rows(table) + 1, sizeof *found->rows, err),
                          .sweep = strcmp(am_table_name(table), "sweep") == 0};
    for (size_t row = 0; found->rows && row < am_table_rows(table); row++) {
        if (columns->by != SIZE_MAX && am_table_number(table, row, columns->by) != curve->value)
            continue;
        found->rows[found->count++] = row;
        low = fmin(low, am_table_number(table, row, columns->y));
        high = fmax(high, am_table_number(table, row, columns->y));
    }
    found->reach = high - low;
    return found->rows ? AM_OK : AM_ERR_MEMORY;
}

/* From one row of the curve to the next one; NaN: there is none. */
static double rise_from(const curve_rows *c, size_t k, size_t column) {
    const am_table *table = c->columns->table;
    return k + 1 < c->count
               ? am_table_number(table, c->rows[k + 1], column) - am_table_number(table, c->rows[k], column)
               : NAN;
}

static double slope_from(const curve_rows *c, size_t k) {
    return fabs(rise_from(c, k, c->columns->y) / rise_from(c, k, c->columns->x));
}

/* Points of a sweep are as far apart as they were asked for: where a word changes from one to the next and the curve is
 * no steeper there than on either side, or level as far as one sees, nothing jumps. */
static bool goes_on(const curve_rows *c, size_t k) {
    double beside = fmax(k > 0 ? slope_from(c, k - 1) : NAN, slope_from(c, k + 1)); /* of NaN the other */
    return c->sweep && (fabs(rise_from(c, k, c->columns->y)) <= 0.003 * c->reach || slope_from(c, k) <= beside);
}

/* Does the line break after this row of the curve? Where `breaks` changes, and where rows of the same piece that belong
 * to another member of the family stand between them. */
static bool breaks_after(const curve_rows *c, size_t k) {
    const am_table *table = c->columns->table;
    size_t column = c->columns->breaks, before = c->rows[k], row = c->rows[k + 1];
    if (differs(table, column, row, before))
        return !goes_on(c, k);
    return before + 1 < row && !c->sweep && !differs(table, column, row, row - 1);
}

static void append(am_points *points, double x, double y) {
    points->x[points->count] = x;
    points->y[points->count] = y;
    points->count++;
}

am_status am_points_read(am_drawing *d, const am_curve *curve, const am_curve_columns *columns, am_points *points,
                         am_error *err) {
    const am_table *table = columns->table;
    size_t capacity = 2 * am_table_rows(table) + 1;
    curve_rows own;
    AM_TRY(find_rows(d, curve, columns, &own, err));
    *points = (am_points){.x = am_arena_new(&d->memory, capacity, sizeof *points->x, err),
                          .y = am_arena_new(&d->memory, capacity, sizeof *points->y, err)};
    if (!points->x || !points->y)
        return AM_ERR_MEMORY;
    for (size_t k = 0; k < own.count; k++) {
        if (k > 0 && columns->breaks != SIZE_MAX && breaks_after(&own, k - 1)) {
            append(points, NAN, NAN);
            points->jumps = true;
        }
        double x = am_table_number(table, own.rows[k], columns->x), y = am_table_number(table, own.rows[k], columns->y);
        bool shown = isfinite(x) && isfinite(y) && !(d->figure->x_log && x <= 0.0) && !(d->figure->y_log && y <= 0.0);
        append(points, shown ? x : NAN, shown ? y : NAN);
    }
    return AM_OK;
}

/* ---- Looking ---- */

size_t am_points_turns(const am_points *points) {
    size_t turns = 0, last = SIZE_MAX;
    double direction = 0.0;
    for (size_t i = 0; i < points->count; i++) {
        if (isnan(points->x[i]))
            continue;
        if (last != SIZE_MAX) {
            double step = points->y[i] - points->y[last];
            if (points->x[i] < points->x[last])
                return 0;
            turns += step * direction < 0.0;
            direction = step != 0.0 ? step : direction;
        }
        last = i;
    }
    return turns;
}

bool am_points_ordered(const am_points *points) {
    double last = -INFINITY;
    for (size_t i = 0; i < points->count; i++) {
        if (points->x[i] < last)
            return false;
        last = isnan(points->x[i]) ? last : points->x[i];
    }
    return true;
}

/* Where a value stands on an axis, from 0 to 1 within the extent. */
static double place_on(am_figure_extent e, double value) {
    return e.log ? log(value / e.low) / log(e.high / e.low) : (value - e.low) / (e.high - e.low);
}

bool am_points_corners(const am_points *p, am_figure_extent x, am_figure_extent y) {
    enum { SEEN = 3, SPARSE = 24 }; /* of many points one or two may be corners of the curve itself */
    const double wide = 4.0 / 3;    /* axes are about 4 to 3 */
    size_t corners = 0, shown = 0;
    double before[2] = {NAN, NAN}, step[2] = {NAN, NAN};
    for (size_t i = 0; i < p->count; i++) {
        double here[2] = {wide * place_on(x, p->x[i]), place_on(y, p->y[i])};
        double next[2] = {here[0] - before[0], here[1] - before[1]};
        double across = step[0] * next[1] - step[1] * next[0], along = step[0] * next[0] + step[1] * next[1];
        corners += fabs(atan2(across, along)) > 0.1; /* 6 degrees; NaN: no */
        shown += !isnan(p->x[i]);
        memcpy(before, here, sizeof before);
        memcpy(step, next, sizeof step);
    }
    return corners >= (shown > SPARSE ? SEEN : 1);
}

/* Nearer than a line is wide. */
static bool is_near(double a, double b, am_figure_extent e) {
    return fabs(place_on(e, a) - place_on(e, b)) <= 0.003;
}

/* How high the line is drawn where it passes `across`, from its piece *k on; NaN: it does not. */
static double height_at(const am_points *p, double across, size_t *k, am_figure_extent x, am_figure_extent y) {
    while (*k + 1 < p->count && !(place_on(x, p->x[*k + 1]) >= across))
        ++*k;
    if (*k + 1 >= p->count)
        return NAN;
    double from = place_on(x, p->x[*k]), to = place_on(x, p->x[*k + 1]);
    double low = place_on(y, p->y[*k]), high = place_on(y, p->y[*k + 1]);
    return across >= from ? low + (to > from ? (across - from) / (to - from) : 0) * (high - low) : NAN;
}

/* Of two lines that go on in x: the part of the first, as long as it is drawn, that lies on the second. */
static double shared_length(const am_points *a, const am_points *b, am_figure_extent x, am_figure_extent y) {
    double shared = 0, all = 0, before[2] = {NAN, NAN};
    bool was_near = false;
    for (size_t i = 0, k = 0; i < a->count; i++) {
        double here[2] = {place_on(x, a->x[i]), place_on(y, a->y[i])};
        bool near = fabs(height_at(b, here[0], &k, x, y) - here[1]) <= 0.003;
        double length = hypot(here[0] - before[0], here[1] - before[1]);
        all += isnan(length) ? 0 : length;
        shared += near && was_near && !isnan(length) ? length : 0;
        memcpy(before, here, sizeof before);
        was_near = near;
    }
    return all > 0 ? shared / all : 0.0;
}

double am_points_shared(const am_points *a, const am_points *b, am_figure_extent x, am_figure_extent y) {
    size_t shared = 0, all = 0;
    if (am_points_ordered(a) && am_points_ordered(b))
        return shared_length(a, b, x, y);
    if (a->count != b->count)
        return 0.0;
    for (size_t i = 0; i < a->count; i++) {
        if (isnan(a->x[i]))
            continue;
        all++;
        shared += is_near(a->x[i], b->x[i], x) && is_near(a->y[i], b->y[i], y);
    }
    return all > 0 ? (double)shared / (double)all : 0.0;
}

/* Squares of a grid over the axes, one row of them after the other; a square and its neighbours are about a point. */
enum { SQUARES = 200, ROW = SQUARES + 1, FIRST = ROW + 1, ALL_SQUARES = FIRST + ROW * ROW + ROW + 1 };

static size_t square_of(const am_points *p, size_t i, am_figure_extent x, am_figure_extent y) {
    double across = SQUARES * place_on(x, p->x[i]), up = SQUARES * place_on(y, p->y[i]);
    bool inside = across >= 0.0 && across <= SQUARES && up >= 0.0 && up <= SQUARES;
    return inside ? FIRST + ROW * (size_t)up + (size_t)across : SIZE_MAX;
}

bool am_points_covered(const am_points *under, const am_points *over, am_figure_extent x, am_figure_extent y) {
    bool taken[ALL_SQUARES] = {false};
    size_t hidden = 0, all = 0;
    for (size_t i = 0; i < over->count; i++) {
        size_t square = square_of(over, i, x, y);
        for (size_t k = 0; k < 3 && square != SIZE_MAX; k++)
            memset(&taken[square + k * ROW - FIRST], true, 3);
    }
    for (size_t i = 0; i < under->count; i++) {
        size_t square = square_of(under, i, x, y);
        all += square != SIZE_MAX;
        hidden += square != SIZE_MAX && taken[square];
    }
    return all > 0 && (double)hidden >= 0.9 * (double)all;
}

/* ---- Writing ---- */

/* Sets of data stand two empty lines apart. */
static size_t begin_set(am_drawing *d) {
    if (d->sets > 0)
        am_text_add(&d->data, "\n\n");
    return d->sets++;
}

static void add_numbers(am_text *data, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        am_text_printf(data, "%s%s", i > 0 ? "," : "", AM_NUMBER(numbers[i]));
    am_text_add(data, "\n");
}

size_t am_points_write(am_drawing *d, const am_points *points) {
    size_t set = begin_set(d);
    bool begun = false, broken = false;
    for (size_t i = 0; i < points->count; i++) {
        if (isnan(points->x[i])) {
            broken = begun;
            continue;
        }
        am_text_add(&d->data, broken ? "\n" : "");
        add_numbers(&d->data, (double[]){points->x[i], points->y[i]}, 2);
        begun = true;
        broken = false;
    }
    return set;
}

typedef struct band {
    double *at, *low, *high;
    size_t count;
} band;

static void fill_band(const am_points *points, am_figure_extent x, size_t columns, band *b) {
    double width = (x.high - x.low) / (double)columns;
    size_t i = 0;
    b->count = 0;
    for (size_t column = 0; column < columns; column++) {
        am_figure_extent y = {.low = INFINITY, .high = -INFINITY};
        double end = column + 1 < columns ? x.low + width * (double)(column + 1) : x.high;
        for (; i < points->count && !(points->x[i] > end); i++) {
            bool shown = points->x[i] >= x.low;
            y.low = shown ? fmin(y.low, points->y[i]) : y.low;
            y.high = shown ? fmax(y.high, points->y[i]) : y.high;
        }
        if (!(y.low <= y.high))
            continue;
        b->at[b->count] = column == 0 ? x.low : column + 1 == columns ? x.high : x.low + width * ((double)column + 0.5);
        b->low[b->count] = y.low;
        b->high[b->count++] = y.high;
    }
}

/* Does an edge go up and down by more than a thirtieth of the whole in every other column? Then it shows pieces of a
 * slower swing. */
static bool is_jagged(const double *edge, size_t count, double whole) {
    size_t turns = 0;
    for (size_t i = 1; i + 1 < count; i++)
        turns += (edge[i] - edge[i - 1]) * (edge[i + 1] - edge[i]) < 0 &&
                 fmin(fabs(edge[i] - edge[i - 1]), fabs(edge[i + 1] - edge[i])) > whole / 30;
    return turns > count / 12;
}

/* Each column has two whole swings, so that the edges of the band are those of swings and not of pieces of them; eight
 * where few samples of a swing hit its extremes by luck; and more where a slower swing goes on below. */
am_status am_points_write_envelope(am_drawing *d, const am_points *points, size_t turns, am_figure_extent x,
                                   size_t *set, am_error *err) {
    enum { FEWEST = 40 };
    size_t wanted = points->count < 8 * turns ? turns / 16 : turns / 4;
    size_t columns = wanted < AM_ENVELOPE_COLUMNS ? wanted : AM_ENVELOPE_COLUMNS;
    band b = {0};
    AM_ARENA_DOUBLES(&d->memory, columns, err, &b.at, &b.low, &b.high);
    AM_TRY(am_arena_status(&d->memory));
    for (bool again = true; again; columns = columns * 3 / 4) {
        fill_band(points, x, columns, &b);
        double whole = 0;
        for (size_t i = 0; i < b.count; i++)
            whole = fmax(whole, b.high[i] - b.low[i]);
        again = columns > FEWEST && (is_jagged(b.low, b.count, whole) || is_jagged(b.high, b.count, whole));
    }
    *set = begin_set(d);
    for (size_t i = 0; i < b.count; i++)
        add_numbers(&d->data, (double[]){b.at[i], b.low[i], b.high[i]}, 3);
    return AM_OK;
}
