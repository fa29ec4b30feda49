/* The summary of a march: counts, energies, limit cycle, growth, spectrum. */
#include <math.h>

#include "analyses/march/march_record.h"
#include "base/columns.h"
#include "base/local.h"
#include "math/convolution.h"
#include "math/pi.h"

/* A motion counts as a limit cycle when what is left of its approach, were it to go on as in the last cycles, is below
 * this part of the amplitude. */
static const double cycle_distance = 1e-4;
/* And its last two passages may not differ by more than this part. */
static const double cycle_passage = 1e-2;
/* Returns to be compared at most: longer cycles are not looked for. */
enum { LONGEST_CYCLE = 20 };

/* ---- limit cycle ---- */

static size_t place_of(const am_march_returns *back, size_t ago) {
    return (back->count - 1 - ago) % AM_MARCH_RETURNS;
}

/* Half the way each quantity makes during the last `k` returns; the largest of displacements or of velocities serves
 * where a quantity hardly moves. */
static void amplitudes(const am_march_recorder *r, const am_march_returns *back, size_t k, double *amplitude) {
    size_t n = r->march->n, n2 = r->march->size;
    for (size_t i = 0; i < n2; i++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t ago = 0; ago < k; ago++) {
            low = fmin(low, back->low[place_of(back, ago) * n2 + i]);
            high = fmax(high, back->high[place_of(back, ago) * n2 + i]);
        }
        amplitude[i] = 0.5 * (high - low);
    }
    for (size_t part = 0; part < 2; part++) {
        double most = 0.0;
        for (size_t i = 0; i < n; i++)
            most = fmax(most, amplitude[part * n + i]);
        for (size_t i = 0; i < n; i++)
            amplitude[part * n + i] = fmax(amplitude[part * n + i], 1e-3 * most);
    }
}

static double distance(const am_march_recorder *r, const am_march_returns *back, size_t a, size_t b,
                       const double *amplitude) {
    size_t n2 = r->march->size;
    double most = 0.0;
    for (size_t i = 0; i < n2; i++) {
        double d = fabs(back->y[place_of(back, a) * n2 + i] - back->y[place_of(back, b) * n2 + i]);
        if (amplitude[i] > 0.0)
            most = fmax(most, d / amplitude[i]);
    }
    return most;
}

/* The shortest cycle of k returns, and how far the motion still is from it. 0: none. */
static size_t find_cycle(const am_march_recorder *r, const am_march_returns *back, double *amplitude, double *left) {
    size_t kept = back->count < AM_MARCH_RETURNS ? back->count : AM_MARCH_RETURNS;
    for (size_t k = 1; k <= LONGEST_CYCLE && 3 * k <= kept; k++) {
        amplitudes(r, back, k, amplitude);
        double last = 0.0, before = 0.0;
        for (size_t j = 0; j < k; j++) { /* every return of the last cycle, or it would be chance */
            last = fmax(last, distance(r, back, j, j + k, amplitude));
            before = fmax(before, distance(r, back, j + k, j + 2 * k, amplitude));
        }
        double ratio = before > 0.0 ? last / before : 0.0;
        bool moves = false;
        for (size_t i = 0; i < r->march->size; i++)
            moves = moves || amplitude[i] > 100.0 * r->march->tolerance * r->march->scale[i];
        *left = ratio < 1.0 ? last * fmax(ratio, 1e-3) / (1.0 - ratio) : INFINITY;
        if (last <= 20.0 * r->march->tolerance)
            *left = last;
        if (moves && last <= cycle_passage && *left <= cycle_distance)
            return k;
    }
    return 0;
}

static am_status summarise_cycle(am_march_recorder *r, am_result *result, am_error *err) {
    const am_march_returns *back = r->returns;
    double left = NAN, period = NAN, depth = 0.0;
    size_t n2 = r->march->size, k;
    AM_LOCAL_MEMORY double *amplitude = am_memory_new(n2, sizeof *amplitude, err);
    if (!amplitude)
        return AM_ERR_MEMORY;
    k = find_cycle(r, back, amplitude, &left);
    if (k == 0) {
        back++;
        k = find_cycle(r, back, amplitude, &left);
    }
    if (k > 0)
        period = back->t[place_of(back, 0)] - back->t[place_of(back, k)];
    for (size_t i = 0; i < r->march->n; i++)
        depth = fmax(depth, amplitude[i]);
    am_result_set_flag(result, "limit_cycle", k > 0, NULL);
    am_result_set_numbers(result, AM_NAMED({"period", period}, {"amplitude", k > 0 ? depth : NAN},
                                           {"cycle_distance", k > 0 ? left : NAN}));
    am_result_set_count(result, "returns", back->count, NULL);
    return AM_OK;
}

/* ---- growth ---- */

/* Slope of log(peak) over time, by least squares over the second half of what was seen before the first switch. */
static void summarise_growth(const am_march_recorder *r, am_result *result) {
    const am_march_returns *back = r->returns;
    size_t first = back->peaks / 2, count = back->peaks - first;
    double t = 0.0, x = 0.0, tt = 0.0, tx = 0.0;
    if (count < 4) {
        am_result_set_none(result, "growth_rate", NULL);
        return;
    }
    for (size_t i = first; i < back->peaks; i++) {
        t += back->peak_t[i] / (double)count;
        x += back->peak[i] / (double)count;
    }
    for (size_t i = first; i < back->peaks; i++) {
        tt += (back->peak_t[i] - t) * (back->peak_t[i] - t);
        tx += (back->peak_t[i] - t) * (back->peak[i] - x);
    }
    am_result_set_number(result, "growth_rate", tx / tt, NULL);
}

/* ---- spectrum ---- */

/* Hann's window; amplitudes are those of sines that fit into the record. */
static am_status make_spectrum(am_march_recorder *r, am_result *result, am_error *err) {
    size_t count = r->next_sample, half = count / 2 + 1;
    double *re = am_memory_new(half, sizeof *re, err), *im = am_memory_new(half, sizeof *im, err), mean = 0.0;
    am_table *table = am_result_describe_table(result, "spectrum", "frequency amplitude");
    am_status status = re && im ? am_result_status(result, err) : AM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        mean += r->series[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        r->series[i] = (r->series[i] - mean) * (1.0 - cos(2.0 * pi * (double)i / (double)count));
    if (!status)
        status = am_fourier(r->series, count, re, im, err);
    double spacing = (r->options->until - r->record_from) / (double)(count - 1);
    double strongest = 0.0, at = NAN;
    for (size_t k = 0; k < half && !status; k++) {
        double frequency = 2.0 * pi * (double)k / (spacing * (double)count);
        double size = 2.0 * hypot(re[k], im[k]) / (double)count;
        am_table_add_numbers(table, AM_NUMBERS(frequency, k == 0 ? mean : size));
        if (k > 0 && size > strongest) {
            strongest = size;
            at = frequency;
        }
    }
    if (!status)
        am_result_set_numbers(
            result, AM_NAMED({"dominant_frequency", at}, {"dominant_amplitude", strongest > 0.0 ? strongest : NAN}));
    am_memory_free(re);
    am_memory_free(im);
    return status;
}

/* ---- all ---- */

double am_march_energy_residual(const am_march_recorder *r) {
    const am_march_energy *e = &r->energy;
    double now = e->kinetic + e->potential + e->contact;
    double gained = e->work_loads + e->work_surface + e->work_circulatory - e->loss_damping - e->loss_friction -
                    e->loss_contact - e->loss_impact;
    double size = e->moved + fabs(e->start) + fabs(now);
    return size > 0.0 ? fabs(now - e->start - gained) / size : 0.0;
}

static void summarise_numbers(const am_march_recorder *r, am_result *result) {
    const am_march_energy *e = &r->energy;
    bool contacts = r->march->m > 0 && isfinite(r->least_normal);
    am_result_set_numbers(
        result, AM_NAMED({"t_end", r->march->t}, {"kinetic_energy", e->kinetic}, {"potential_energy", e->potential},
                         {"contact_energy", e->contact}, {"work_loads", e->work_loads},
                         {"work_surface", e->work_surface}, {"work_circulatory", e->work_circulatory},
                         {"loss_damping", e->loss_damping}, {"loss_friction", e->loss_friction},
                         {"loss_contact", e->loss_contact}, {"loss_impact", e->loss_impact},
                         {"energy_residual", am_march_energy_residual(r)}, {"N_min", contacts ? r->least_normal : NAN},
                         {"N_max", contacts ? r->most_normal : NAN}, {"first_lift_off", r->first_lift_off}));
}

am_status am_march_summarise(am_march_recorder *r, am_result *result, am_error *err) {
    char state[512];
    am_result_set_counts(
        result, AM_NAMED({"lift_offs", r->lift_offs}, {"impacts", r->impacts}, {"sticks", r->sticks},
                         {"slips", r->slips}, {"state_changes", r->changes}, {"events", r->march->statistics.events},
                         {"touches", r->march->statistics.touches}, {"steps", r->march->statistics.steps}));
    am_march_describe(r->march, r->march->state, state, sizeof state);
    am_result_set_text(result, "final_state", state, NULL);
    summarise_numbers(r, result);
    AM_TRY(summarise_cycle(r, result, err));
    summarise_growth(r, result);
    if (r->samples && r->next_sample > 3 && r->march->m > 0)
        AM_TRY(make_spectrum(r, result, err));
    return AM_OK;
}
