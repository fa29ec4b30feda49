#include <string.h>

#include "models/two_mode.h"
#include "papers/two_mode_boundary.h"

static am_system *create(const void *settings, am_error *err) {
    return am_two_mode_create(&((const am_two_mode_setting *)settings)->model, err);
}

/* The boundary of stability is a polynomial in Delta, but for a Hunt-Crossley contact with another exponent than 1. */
static bool threshold(const void *settings, const char *parameter, double from, double to, am_threshold *known) {
    const am_two_mode *m = &((const am_two_mode_setting *)settings)->model;
    double k2 = m->k1 * m->K_r;
    if (strcmp(parameter, "Delta") != 0 || m->lambda1 == 0.0 || m->lambda2 == 0.0 || m->f2 == 0.0 ||
        (m->contact == AM_HUNT_CROSSLEY && m->beta != 1.0))
        return false;
    am_two_mode_boundary boundary = {.mass = {m->m1, m->m1 * m->m_r},
                                     .damping = {m->c1, m->c1 * m->C_r},
                                     .stiffness = {{m->k1 + m->A2, -m->A2 * m->beta2}, {-m->A1 * m->beta1, k2 + m->A1}},
                                     .lambda = {m->lambda1, m->lambda2},
                                     .f2 = m->f2,
                                     .preload = {m->eta1 * m->P, m->eta2 * m->P},
                                     .law = m->contact,
                                     .K = m->K_c,
                                     .D = m->D_c,
                                     .alpha = m->alpha};
    am_boundary_point point;
    if (!am_two_mode_boundary_first(&boundary, from, to, &point))
        return false;
    known->kind = point.kind;
    known->critical = point.Delta;
    known->omega = point.omega;
    known->reached = point.kind == AM_THRESHOLD_NONE ? to : point.Delta;
    return true;
}

const am_model_kind am_model_two_mode = {.schema = &am_two_mode_schema,
                                         .create = create,
                                         .analysis = "stability",
                                         .report = am_two_mode_report,
                                         .threshold = threshold};
