/* The densities of Iwan joints, and how they are divided into sliders. */
#include <math.h>
#include <stdbool.h>

#include "amontons/laws.h"
#include "base/object.h"

am_iwan am_iwan_default(void) {
    return (am_iwan){.density = AM_IWAN_NONE, .width = 2.0, .sliders = 20, .ratio = 1.2};
}

static am_status check_table(const am_iwan *iwan, am_error *err) {
    if (iwan->points == 0 || !iwan->strength || !iwan->stiffness)
        return am_fail_field(err, AM_ERR_INPUT, "strength", "a table of sliders needs strengths and stiffnesses");
    for (size_t i = 0; i < iwan->points; i++)
        for (int k = 0; k < 2; k++) {
            double value = k == 0 ? iwan->strength[i] : iwan->stiffness[i];
            if (!(value > 0.0) || !isfinite(value))
                return am_fail_field(err, AM_ERR_INPUT, k == 0 ? "strength" : "stiffness",
                                     "the %s of a slider must be positive; value %zu is %g",
                                     k == 0 ? "strength" : "stiffness", i + 1, value);
        }
    return AM_OK;
}

am_status am_iwan_check(const am_iwan *iwan, am_error *err) {
    if (!iwan)
        return am_misused(err, __func__);
    if (iwan->density == AM_IWAN_NONE)
        return AM_OK;
    if (iwan->density == AM_IWAN_TABLE)
        return check_table(iwan, err);
    if (iwan->density != AM_IWAN_SEGALMAN && iwan->density != AM_IWAN_UNIFORM)
        return am_fail_field(err, AM_ERR_INPUT, "density", "unknown density of an Iwan joint");
    bool power = iwan->density == AM_IWAN_SEGALMAN;
    const struct {
        const char *field, *must;
        double value;
        bool right;
    } rows[] = {
        {"F_S", "be positive", iwan->F_S, iwan->F_S > 0.0},
        {"K_T", "be positive", iwan->K_T, iwan->K_T > 0.0},
        {"chi", "be above -1", iwan->chi, !power || iwan->chi > -1.0},
        {"beta", "be zero or positive", iwan->beta, !power || iwan->beta >= 0.0},
        {"width", "lie above 0 and be at most 2", iwan->width, power || (iwan->width > 0.0 && iwan->width <= 2.0)},
        {"ratio", "be at least 1", iwan->ratio, iwan->ratio >= 1.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!rows[i].right || !isfinite(rows[i].value))
            return am_fail_field(err, AM_ERR_INPUT, rows[i].field, "%s of an Iwan joint must %s, but is %g",
                                 rows[i].field, rows[i].must, rows[i].value);
    if (iwan->sliders < 2 || iwan->sliders > 1000)
        return am_fail_field(err, AM_ERR_INPUT, "sliders", "an Iwan joint is divided into 2 to 1000 sliders, not %zu",
                             iwan->sliders);
    return AM_OK;
}

size_t am_iwan_sliders(const am_iwan *iwan) {
    return !iwan || iwan->density == AM_IWAN_NONE ? 0 : iwan->density == AM_IWAN_TABLE ? iwan->points : iwan->sliders;
}

/* R phi^chi from `least` to `most`, and S at the latter alone. */
typedef struct power_density {
    double R, chi, S, least, most;
} power_density;

static power_density density_of(const am_iwan *iwan) {
    double mean = iwan->F_S / iwan->K_T, chi = iwan->chi, beta = iwan->beta;
    if (iwan->density == AM_IWAN_UNIFORM)
        return (power_density){.R = iwan->K_T / (iwan->width * mean),
                               .least = (1.0 - 0.5 * iwan->width) * mean,
                               .most = (1.0 + 0.5 * iwan->width) * mean};
    /* Segalman's eqs. for phi_max, R and S: K_T (1 - part) is the integral of R phi^chi. */
    double most = mean * (1.0 + beta) / (beta + (chi + 1.0) / (chi + 2.0)), part = beta / (1.0 + beta);
    return (power_density){.R = iwan->K_T * (1.0 - part) * (chi + 1.0) / pow(most, chi + 1.0),
                           .chi = chi,
                           .S = iwan->K_T * part,
                           .most = most};
}

/* Where the intervals end: their lengths grow by `ratio`. */
static double interval_end(const power_density *d, double ratio, size_t end, size_t intervals) {
    double part = ratio > 1.0 ? (pow(ratio, (double)end) - 1.0) / (pow(ratio, (double)intervals) - 1.0)
                              : (double)end / (double)intervals;
    return end == intervals ? d->most : d->least + part * (d->most - d->least);
}

static double moment(const power_density *d, double power, double from, double to) {
    double p = d->chi + power + 1.0;
    return d->R * (pow(to, p) - pow(from, p)) / p;
}

void am_iwan_divide(const am_iwan *iwan, double *strength, double *stiffness) {
    size_t count = am_iwan_sliders(iwan);
    if (count == 0 || !strength || !stiffness)
        return;
    if (iwan->density == AM_IWAN_TABLE)
        for (size_t i = 0; i < count; i++) {
            strength[i] = iwan->strength[i];
            stiffness[i] = iwan->stiffness[i];
        }
    if (iwan->density == AM_IWAN_TABLE)
        return;
    power_density d = density_of(iwan);
    size_t intervals = count - (d.S > 0.0 ? 1 : 0);
    for (size_t i = 0; i < intervals; i++) {
        double from = interval_end(&d, iwan->ratio, i, intervals), to = interval_end(&d, iwan->ratio, i + 1, intervals);
        stiffness[i] = moment(&d, 0.0, from, to);
        strength[i] = moment(&d, 1.0, from, to);
    }
    if (intervals < count) {
        stiffness[count - 1] = d.S;
        strength[count - 1] = d.S * d.most;
    }
}
