#include "models/blocks_pull.h"

#include <math.h>

#include "base/columns.h"
#include "base/local.h"
#include "math/pi.h"

/* A fall of the force by this part of its largest value counts as a drop. */
static const double least_drop = 0.05;

/* The force in the spring at every sample from t = 0 on. */
typedef struct record {
    size_t count;
    const am_blocks_pull_row *row;
} record;

typedef struct drop {
    double t, F;         /* where it begins */
    double t_end, F_end; /* where it ends */
} drop;

/* ---- the table of samples ---- */

am_blocks_pull_row am_blocks_pull_at(const am_blocks_rig *rig, const am_sample *s) {
    const am_blocks *b = &rig->blocks;
    double direction = am_blocks_direction(b), end = am_function_at(&rig->drive.function, s->t);
    double F = direction * am_solid_dynamics_force(&rig->dynamics, &rig->def, 0, s->displacement, s->t);
    double area = 0.0, slip = 0.0, slipping = 0.0;
    for (size_t c = 0; c < s->contacts; c++) {
        double share = am_solid_node_at(rig->solid, c)->area;
        area += share;
        slip += share * s->displacement[c];
        slipping += s->state[c] == AM_FORWARD || s->state[c] == AM_BACKWARD ? share : 0.0;
    }
    return (am_blocks_pull_row){
        s->t, end, end - direction * F / b->stiffness, F, b->P > 0.0 ? F / b->P : NAN, slip / area, slipping / area};
}

static am_status fill_pull(size_t count, const am_blocks_pull_row *row, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "pull", "t end u F F_over_P slip slipping");
    for (size_t i = 0; i < count; i++) {
        const double values[] = {row[i].t,        row[i].end,  row[i].u,       row[i].F,
                                 row[i].F_over_P, row[i].slip, row[i].slipping};
        am_table_add_numbers(table, values, sizeof values / sizeof *values);
    }
    return am_result_status(result, err);
}

/* ---- drops ---- */

/* Falls by at least `least` until the force rises by as much again (or the end, when nothing more falls there). Returns
 * how many there are; *list may be NULL. */
static size_t find_drops(const record *r, double least, drop *list) {
    size_t count = 0, high = 0, low = 0;
    bool falling = false;
    for (size_t i = 1; i < r->count; i++) {
        if (!falling) {
            high = r->row[i].F > r->row[high].F ? i : high;
            if (r->row[i].F < r->row[high].F - least) {
                falling = true;
                low = i;
            }
            continue;
        }
        low = r->row[i].F < r->row[low].F ? i : low;
        if (r->row[i].F > r->row[low].F + least) {
            if (list)
                list[count] = (drop){r->row[high].t, r->row[high].F, r->row[low].t, r->row[low].F};
            count++;
            falling = false;
            high = i;
        }
    }
    return count;
}

/* From F > f P at rest to rest again: m s'' = -k (s - f P) with s' = k V at both ends, so that s - f P only changes its
 * sign, whatever V. */
static double one_mass_drop(const am_blocks *b, double F) {
    return 2.0 * fmax(0.0, F - am_friction_last(&b->friction) * b->P);
}

/* Sticking for drop/(k V), then slipping for 2 (pi - atan(k V/(omega (F - f P))))/omega. */
static double one_mass_period(const am_blocks *b) {
    double F = am_friction_most(&b->friction) * b->P, above = 0.5 * one_mass_drop(b, F), kV = b->stiffness * b->speed;
    double mass = b->slider.density * b->slider.length * b->slider.height * b->slider.thickness;
    double omega = sqrt(b->stiffness / mass);
    return above > 0.0 && kV > 0.0 ? 2.0 * above / kV + 2.0 * (pi - atan(kV / (omega * above))) / omega : NAN;
}

static am_status drop_rows(const am_blocks *b, size_t count, const drop *list, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "drops", "t F t_end F_end drop one_mass");
    for (size_t i = 0; i < count; i++) {
        const double values[] = {
            list[i].t, list[i].F, list[i].t_end, list[i].F_end, list[i].F - list[i].F_end, one_mass_drop(b, list[i].F)};
        am_table_add_numbers(table, values, sizeof values / sizeof *values);
    }
    return am_result_status(result, err);
}

/* ---- summary ---- */

static am_status summarise_pull(const record *r, double from, am_result *result, am_error *err) {
    double most = -INFINITY, least = INFINITY, sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (r->row[i].t < from)
            continue;
        most = fmax(most, r->row[i].F);
        least = fmin(least, r->row[i].F);
        sum += r->row[i].F;
        count++;
    }
    const am_named numbers[] = {{"pull_mean", sum / (double)count}, {"pull_most", most}, {"pull_least", least}};
    am_result_set_numbers(result, numbers, sizeof numbers / sizeof *numbers);
    return am_result_status(result, err);
}

static am_status summarise_drops(const am_blocks *b, size_t count, const drop *list, am_result *result, am_error *err) {
    double fall = 0.0, rigid = 0.0, peak = 0.0;
    for (size_t i = 0; i < count; i++) {
        fall += (list[i].F - list[i].F_end) / (double)count;
        rigid += one_mass_drop(b, list[i].F) / (double)count;
        peak += list[i].F / (double)count;
    }
    const am_named numbers[] = {
        {"drop", count > 0 ? fall : NAN},
        {"drop_over_one_mass", count > 0 ? fall / rigid : NAN},
        {"peak_over_P", count > 0 ? peak / b->P : NAN},
        {"period", count > 1 ? (list[count - 1].t - list[0].t) / (double)(count - 1) : NAN},
        {"one_mass_drop", one_mass_drop(b, am_friction_most(&b->friction) * b->P)},
        {"one_mass_period", one_mass_period(b)},
    };
    am_result_set_count(result, "drops", count, err);
    am_result_set_numbers(result, numbers, sizeof numbers / sizeof *numbers);
    return am_result_status(result, err);
}

static am_status report_record(const am_blocks *b, const record *r, am_result *result, am_error *err) {
    double largest = 0.0;
    for (size_t i = 0; i < r->count; i++)
        largest = fmax(largest, r->row[i].F);
    size_t count = find_drops(r, least_drop * largest, NULL);
    AM_LOCAL_MEMORY drop *list = am_memory_new(count, sizeof *list, err);
    if (!list)
        return AM_ERR_MEMORY;
    find_drops(r, least_drop * largest, list);
    drop_rows(b, count, list, result, err);
    summarise_pull(r, count > 0 ? list[0].t : 0.0, result, err);
    summarise_drops(b, count, list, result, err);
    return am_result_status(result, err);
}

am_status am_blocks_report_pull(const am_blocks_rig *rig, size_t count, const am_blocks_pull_row *row,
                                am_result *result, am_error *err) {
    const record r = {count, row};
    am_status status = fill_pull(count, row, result, err);
    return status || count == 0 ? status : report_record(&rig->blocks, &r, result, err);
}
