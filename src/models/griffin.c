/* Griffin's damper with a varying normal load (Papangelo 2017, eqs. 8.1-8.8), in units of Q1, Q1/k and 1/omega_n:
 *
 *     v'' + 2 zeta v' + v = sin(Omega t) - F,    |F| <= beta (1 + eta sin(Omega t + delta)),
 *
 * where F is the force in the spring k_d between the mass and a slider without mass. */
#include "amontons/models.h"

#include "base/memory.h"
#include "base/object.h"
#include "models/forced.h"

static const am_field fields[] = {
    AM_FIELD("k_ratio", NUMBER, am_griffin, stiffness_ratio, AM_POSITIVE, .initial = "1.5",
             .about = "k_d/k: stiffness of the damper's spring over that of the structure", .example = "1.5"),
    AM_FORCED_FIELDS(am_griffin, .initial = "1"),
    AM_FIELD("zeta", NUMBER, am_griffin, zeta, AM_NOT_NEGATIVE, .initial = "0.1",
             .about = "viscous damping ratio c/(2 sqrt(k m))"),
    AM_FIELD("stiffness_ratio", NUMBER, am_griffin, stiffness_ratio, AM_POSITIVE, .same_as = "k_ratio",
             .initial = "none", .about = "another name of k_ratio"),
};

static const am_schema schema = {
    .name = "griffin",
    .title = "model griffin",
    .about = "A damped mass under the load sin(Omega t) with a massless Coulomb damper behind a spring, whose normal "
             "load may vary (Griffin; Papangelo 2017, chapter 8). Coordinate v in Q1/k, time in 1/omega_n.",
    .size = sizeof(am_griffin),
    .has_kind = true,
    AM_FIELDS(fields)};

am_griffin am_griffin_default(void) {
    am_griffin griffin = {0};
    am_schema_defaults(&schema, &griffin);
    return griffin;
}

am_system *am_griffin_create(const am_griffin *griffin, am_error *err) {
    if (!griffin)
        return am_misused_for_nothing(err, __func__);
    if (am_schema_check(&schema, griffin, err) != AM_OK)
        return NULL;
    am_forced forced = {.beta = griffin->beta,
                        .eta = griffin->eta,
                        .delta_deg = griffin->delta_deg,
                        .Omega = griffin->Omega,
                        .damping = griffin->zeta,
                        .damping_name = "zeta",
                        .contact_name = "damper",
                        .tangential_stiffness = griffin->stiffness_ratio};
    return am_forced_create(&forced, err);
}

AM_MODEL_CREATE(am_griffin_create)

static am_status report(void *context, am_result *result, am_error *err) {
    return am_forced_report(context, result, err);
}

static am_status watch(const void *settings, am_model_watch *made, am_error *err) {
    const am_griffin *griffin = settings;
    am_forced_cycle *cycle = am_memory_new(1, sizeof *cycle, err);
    if (!cycle)
        return AM_ERR_MEMORY;
    *cycle = (am_forced_cycle){.beta = griffin->beta, .Omega = griffin->Omega};
    *made = (am_model_watch){{.period = am_forced_see_period, .context = cycle}, report, am_memory_free};
    return AM_OK;
}

am_system *am_griffin_create_watched(const am_griffin *griffin, am_model_watch *made, am_error *err) {
    return am_forced_create_watched(&am_model_griffin, griffin, made, __func__, err);
}

const am_model_kind am_model_griffin = {.schema = &schema,
                                        .create = create,
                                        .figure = "{x: t, y: v, x_label: omega_n t, y_label: v k/Q_1}",
                                        .watch = watch};
