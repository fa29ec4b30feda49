#include "halfplane/punch.h"
#include "base/try.h"
#include "math/pi.h"

#include <math.h>

/* ---- The quadratic of the stick edge ----
 *
 * Contact of half-width a', stick zone of length L a' that ends at the leading corner, y = sqrt(L). The strength of the
 * singularity at the stick edge (A.2) gives, with g = Q~/alpha in full contact and 1/a' after lift-off,
 *
 *     g a' y^2/2 - W~ sqrt(a') y - (1 - Q~) = 0. */

static double contact_of(double alpha, double share) {
    return share <= alpha ? 1.0 : 2.0 - share / alpha;
}

static double slant_of(double alpha, double share) {
    return share <= alpha ? share / alpha : 1.0 / contact_of(alpha, share);
}

/* The larger root, on which the stick zone shrinks as Q grows; tiny negative discriminants are the maximum itself. */
static double stick_of(double alpha, double share, double toughness) {
    double contact = contact_of(alpha, share), slope = slant_of(alpha, share) * contact;
    double half = toughness * sqrt(contact), square = half * half + 2.0 * slope * (1.0 - share);
    double root = half + sqrt(fmax(0.0, square));
    return root * root / (slope * slope);
}

static am_status check(double alpha, double toughness, am_error *err) {
    if (!(alpha > 0.0 && isfinite(alpha)))
        return am_fail_field(err, AM_ERR_INPUT, "alpha", "alpha = a/(2 f h) must be positive; it is %g", alpha);
    if (!(toughness >= 0.0 && isfinite(toughness)))
        return am_fail_field(err, AM_ERR_INPUT, "W", "the fracture energy must not be negative");
    return AM_OK;
}

am_status am_punch_limits_of(double alpha, double toughness, am_punch_limits *limits, am_error *err) {
    AM_TRY(check(alpha, toughness, err));
    double W = toughness, square = W * W;
    am_punch_limits l = {.lift_off = alpha, .tip_over = 2.0 * alpha};
    /* full stick carries Q/(pi sqrt(a'^2 - x'^2)); its excess over f p reaches the toughness at the trailing end */
    if (sqrt(2.0) * W <= alpha)
        l.onset = alpha * (1.0 + sqrt(2.0) * W) / (1.0 + alpha);
    else
        l.onset = 4.0 * square / (square / alpha + sqrt(square * square / (alpha * alpha) + 4.0 * square));
    if (alpha <= 0.5) {
        l.maximum = l.tip_over;
        l.tips_over = 1;
    } else if (square <= 2.0 * (alpha - 1.0)) {
        l.maximum = 0.5 * (1.0 + sqrt(1.0 + 2.0 * alpha * square));
        l.sliding_at = pow(alpha * W / l.maximum, 2.0);
    } else {
        l.maximum = (2.0 + 2.0 * square) / (2.0 + square / alpha);
        l.sliding_at = square * (2.0 - l.maximum / alpha);
    }
    /* the maximum lies beyond the widest stick zone: the branch that starts at the onset is unstable */
    if (!l.tips_over && l.sliding_at >= 2.0) {
        l.slides_at_once = 1;
        l.maximum = l.onset;
        l.sliding_at = 2.0;
    }
    *limits = l;
    return AM_OK;
}

/* ---- Tractions ---- */

static void fill(am_punch *punch, double stick) {
    double share = punch->share, contact = punch->contact, slant = slant_of(punch->alpha, share);
    double half = 0.5 * stick * contact;
    punch->stick_edge = -2.0 * half;
    punch->slip_length = 2.0 - 2.0 * half;
    punch->tilt = slant;
    am_traction_add(&punch->pressure, AM_TRACTION_FLAT, -contact, contact, 1.0 / contact);
    am_traction_add(&punch->pressure, AM_TRACTION_TILT, -contact, contact, slant);
    if (stick >= 2.0) {
        am_traction_add(&punch->shear, AM_TRACTION_FLAT, -contact, contact, share / contact);
        return;
    }
    punch->shear = punch->pressure;
    am_traction_add(&punch->shear, AM_TRACTION_TILT, -half, half, -slant);
    am_traction_add(&punch->shear, AM_TRACTION_FLAT, -half, half, half > 0.0 ? (share - 1.0) / half : 0.0);
}

am_status am_punch_from_load(double alpha, double share, double toughness, am_punch *punch, am_error *err) {
    am_punch_limits limits;
    AM_TRY(am_punch_limits_of(alpha, toughness, &limits, err));
    if (!(share >= 0.0 && isfinite(share)))
        return am_fail_field(err, AM_ERR_INPUT, "Q", "Q/fP must not be negative; it is %g", share);
    if (share >= limits.tip_over)
        return am_fail_field(err, AM_ERR_INPUT, "Q",
                             "the punch tips over at Q = 2 alpha f P; the largest load is %g f P", limits.maximum);
    if (share > limits.maximum * (1.0 + 1e-14))
        return am_fail_field(err, AM_ERR_INPUT, "Q",
                             "Q exceeds %s: the contact slides as a whole; the largest load is %g f P",
                             toughness > 0.0 ? "what the stick zone can hold" : "f P", limits.maximum);
    *punch = (am_punch){.alpha = alpha, .share = share, .toughness = toughness};
    punch->contact = contact_of(alpha, share);
    fill(punch, share <= limits.onset ? 2.0 : fmin(2.0, stick_of(alpha, share, toughness)));
    return AM_OK;
}

am_status am_punch_from_stick(double alpha, double stick, double toughness, am_punch *punch, am_error *err) {
    AM_TRY(check(alpha, toughness, err));
    if (!(stick > 0.0 && stick <= 2.0))
        return am_fail_field(err, AM_ERR_INPUT, "stick", "the stick zone must lie inside the contact: 0 < L <= 2");
    double W = toughness, share = (1.0 + W * sqrt(stick)) / (1.0 + 0.5 * stick / alpha);
    if (share > alpha && 0.5 * stick - 1.0 + 2.0 * alpha <= 0.0) {
        share = INFINITY; /* less than this sticks only when the punch is over already */
    } else if (share > alpha) {
        /* lift-off: L/2 - 1 + Q~ = W~ sqrt(L (2 - Q~/alpha)), squared */
        double m = 0.5 * stick - 1.0, half = m + 0.5 * W * W * stick / alpha, rest = m * m - 2.0 * W * W * stick;
        double root = sqrt(fmax(0.0, half * half - rest));
        share = half > 0.0 ? -rest / (half + root) : root - half;
    }
    if (!(share < 2.0 * alpha))
        return am_fail_field(err, AM_ERR_INPUT, "stick",
                             "the punch tips over before its stick zone becomes as small as %g", stick);
    *punch = (am_punch){.alpha = alpha, .share = share, .toughness = toughness};
    punch->contact = contact_of(alpha, share);
    fill(punch, stick);
    return AM_OK;
}

double am_punch_slip(const am_punch *punch, double place) {
    if (place >= punch->stick_edge && place <= 0.0)
        return 0.0;
    return am_traction_displacement(&punch->shear, place) - am_traction_displacement(&punch->shear, punch->stick_edge);
}

double am_punch_intensity(const am_punch *punch) {
    double half = -0.5 * punch->stick_edge, slant = slant_of(punch->alpha, punch->share);
    return half > 0.0 ? (slant * half + punch->share - 1.0) * sqrt(pi / half) : 0.0;
}
