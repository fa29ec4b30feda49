#include <math.h>
#include <stdint.h>

#include "analyses/threshold/sample.h"
#include "base/memory.h"

bool am_threshold_sample_neutral(const am_threshold_sample *sample, size_t eigenvalue) {
    return fabs(sample->spectrum.real[eigenvalue]) <= sample->spectrum.uncertainty[eigenvalue];
}

static am_threshold_sample_state state_of(const am_threshold_sample *sample) {
    const am_spectrum *s = &sample->spectrum;
    if (s->painleve)
        return AM_THRESHOLD_SAMPLE_PAINLEVE;
    for (size_t i = 0; i < s->count; i++)
        if (s->real[i] > s->uncertainty[i])
            return AM_THRESHOLD_SAMPLE_UNSTABLE;
    return s->equilibrium && !s->closed ? AM_THRESHOLD_SAMPLE_LOST : AM_THRESHOLD_SAMPLE_STABLE;
}

static bool all_numbers(const am_spectrum *spectrum) {
    for (size_t i = 0; i < spectrum->count; i++)
        if (!isfinite(spectrum->real[i]) || !isfinite(spectrum->imaginary[i]))
            return false;
    return true;
}

am_status am_threshold_sample_take(am_threshold_search *search, double parameter, am_threshold_sample *sample,
                                   am_error *err) {
    am_error own = {0};
    *sample = (am_threshold_sample){.parameter = parameter};
    search->count++;
    if (!am_progress_report(search->progress, 0.0))
        return am_fail(err, AM_ERR_INTERRUPTED, "stopped while looking for the threshold");
    am_status status = search->spectra->at(search->spectra->context, parameter, &sample->spectrum, &own);
    if (status == AM_ERR_NO_STATE) {
        sample->state = AM_THRESHOLD_SAMPLE_LOST;
        return AM_OK;
    }
    if (status != AM_OK) {
        if (err)
            *err = own;
        return status;
    }
    if (!all_numbers(&sample->spectrum)) {
        am_threshold_sample_clear(sample);
        return am_fail(err, AM_ERR_EVIDENCE, "an eigenvalue at %s = %.17g is not a number", search->options->parameter,
                       parameter);
    }
    for (size_t i = 1; i < sample->spectrum.count; i++)
        if (sample->spectrum.real[i] > sample->spectrum.real[sample->worst])
            sample->worst = i;
    sample->state = state_of(sample);
    return AM_OK;
}

am_status am_threshold_sample_copy(const am_threshold_sample *from, am_threshold_sample *to, am_error *err) {
    const am_spectrum *s = &from->spectrum;
    *to = *from;
    to->spectrum.n = 0;
    to->spectrum.shape = to->spectrum.shape_imaginary = NULL;
    double *p = to->spectrum.memory = am_memory_new(3 * s->count, sizeof *p, err);
    if (!p) {
        *to = (am_threshold_sample){0};
        return AM_ERR_MEMORY;
    }
    to->spectrum.real = p;
    to->spectrum.imaginary = p + s->count;
    to->spectrum.uncertainty = p + 2 * s->count;
    for (size_t i = 0; i < s->count; i++) {
        to->spectrum.real[i] = s->real[i];
        to->spectrum.imaginary[i] = s->imaginary[i];
        to->spectrum.uncertainty[i] = s->uncertainty[i];
    }
    return AM_OK;
}

void am_threshold_sample_clear(am_threshold_sample *sample) {
    am_spectrum_clear(&sample->spectrum);
    *sample = (am_threshold_sample){0};
}

void am_threshold_sample_match(const am_threshold_sample *a, const am_threshold_sample *b, size_t *partner,
                               bool *taken) {
    const am_spectrum *x = &a->spectrum, *y = &b->spectrum;
    for (size_t j = 0; j < y->count; j++)
        taken[j] = false;
    for (size_t i = 0; i < x->count; i++) { /* spectra are sorted: rightmost first */
        double best = INFINITY;
        partner[i] = SIZE_MAX;
        for (size_t j = 0; j < y->count; j++) {
            double re = x->real[i] - y->real[j], im = x->imaginary[i] - y->imaginary[j], square = re * re + im * im;
            if (taken[j] || !(square < best))
                continue;
            best = square;
            partner[i] = j;
        }
        if (partner[i] != SIZE_MAX)
            taken[partner[i]] = true;
    }
}
