#include "amontons/stability.h"

#include <math.h>
#include <string.h>

#include "analyses/analysis.h"
#include "analyses/squeal/squeal_internal.h"
#include "base/object.h"
#include "base/try.h"
#include "base/watch.h"
#include "math/arnoldi.h"
#include "math/sparse.h"
#include "system/capability.h"
#include "system/system.h"

enum { SQUEAL_COOKIE = 0x53515541, MOST_VALUES = 100000 };

am_squeal_options am_squeal_options_default(void) {
    return (am_squeal_options){
        .modes = 50, .from = 0.0, .to = 1.0, .count = 101, .confirm = true, .certify = true, .cookie = SQUEAL_COOKIE};
}

bool am_squeal_available(void) {
    return am_sparse_available() && am_arnoldi_available();
}

/* Friction that does not follow the normal force has no coefficient to vary, and couples no modes. */
static am_status check_coefficients(const am_system *system, am_error *err) {
    const am_contact_def *strange = NULL;
    for (size_t c = 0; c < system->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        bool follows = !contact->speed_friction.law || strcmp(contact->speed_friction.law, "bouc-wen") != 0;
        if (follows && !system->stop[c])
            return AM_OK;
        strange = follows ? strange : contact;
    }
    return strange ? am_fail_contact(
                         err, system, (size_t)(strange - system->contact), "friction",
                         "friction of '%s' (law bouc-wen) does not depend on its normal force: it has no coefficient "
                         "that `squeal` could vary, and couples no modes; `stability` has its eigenvalues",
                         strange->name)
                   : AM_OK;
}

am_status am_squeal_check(const am_system *system, am_error *err) {
    AM_TRY(am_system_check(system, "squeal", err));
    if (am_system_contacts(system) == 0)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "contacts",
                             "without contacts there is no friction, and no squeal");
    AM_TRY(check_coefficients(system, err));
    if (am_matrix_largest(am_system_mass(system)) == 0.0)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "mass", "without mass nothing vibrates, and nothing squeals");
    return AM_OK;
}

static am_status check(const am_system *system, const am_squeal_options *o, am_error *err) {
    AM_TRY(am_options_check(o->cookie, SQUEAL_COOKIE, "squeal", err));
    if (o->modes < 2)
        return am_fail_field(err, AM_ERR_INPUT, "modes", "two modes are the least that can couple, not %zu", o->modes);
    if (!(o->from >= 0.0) || !(o->to > o->from) || !isfinite(o->to))
        return am_fail_field(err, AM_ERR_INPUT, "friction",
                             "the coefficients of friction must go up from zero or more, not from %g to %g", o->from,
                             o->to);
    if (o->count < 2 || o->count > MOST_VALUES)
        return am_fail_field(err, AM_ERR_INPUT, "friction", "between 2 and %d values of friction, not %zu", MOST_VALUES,
                             o->count);
    return am_squeal_check(system, err);
}

/* What all coordinates of a structure could take, but a projection onto real modes cannot. */
static am_status check_large(const am_system *system, am_error *err) {
    if (system->polynomials > 0)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "polynomials",
                             "`squeal` projects large structures onto their modes, which must be linear, and '%s' is a "
                             "polynomial spring or damper: use `stability`",
                             system->polynomial[0].name);
    for (size_t c = 0; c < system->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        const char *what = NULL, *key = NULL;
        if (system->stop[c])
            what = "has no tangent", key = "normal";
        if (what)
            return am_fail_contact(
                err, system, c, key,
                "`squeal` varies one coefficient of friction of large structures, and the contact '%s' %s: "
                "use `stability`",
                contact->name, what);
    }
    if (!am_squeal_available())
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "`squeal` needs MUMPS and ARPACK for structures of this size, and this library was built "
                       "without them; install them (Debian: "
                       "libmumps-seq-dev, libarpack2-dev) and build again");
    return AM_OK;
}

static am_status squeal_run_watched(const am_system *system, const am_squeal_options *options, am_result *result,
                                    const am_progress *progress, am_error *err) {
    bool whole = false;
    AM_TRY(check(system, options, err));
    AM_TRY(am_squeal_direct_fits(system, options, &whole, err));
    if (whole)
        return am_squeal_direct_run(system, options, result, progress, err);
    AM_TRY(check_large(system, err));
    return am_squeal_modal_run(system, options, result, progress, err);
}

am_status am_squeal_run(const am_system *system, const am_squeal_options *options, am_result *result,
                        const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(system, AM_TAG_SYSTEM) && options, result, progress, __func__, err));
    return am_analysis_end(&watch, result, squeal_run_watched(system, options, result, progress, err), err);
}
