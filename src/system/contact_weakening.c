/* Friction that weakens with slip as a law of a contact: one law, written with the contact's own two coefficients. */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "system/system.h"

static bool is_near(double a, double b) {
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

/* With the contact's coefficients; a table has its own. */
static am_friction completed(const am_contact_def *contact) {
    am_friction law = contact->weakening;
    if (law.law != AM_FRICTION_TABLE) {
        law.kinetic = contact->friction;
        law.fixed = contact->static_friction;
    }
    return law;
}

/* A coefficient given twice must be the same; 0: not given. */
static am_status check_same(double given, double law, const char *field, const char *which, am_error *err) {
    if (given == 0.0 || is_near(given, law))
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, field,
                         "the coefficient of friction is %g here and %g in the law of its weakening (%s)", given, law,
                         which);
}

static am_status check_table(const am_contact_def *contact, am_error *err) {
    const am_friction *law = &contact->weakening;
    if (law->count > 0 && (!law->slip || !law->coefficient))
        return am_fail_field(err, AM_ERR_INPUT, "weakening.points",
                             "a table of friction coefficients needs its points");
    AM_TRY(am_friction_check(law, err));
    AM_TRY(check_same(contact->friction, am_friction_last(law), "friction", "the last of its table", err));
    return check_same(contact->static_friction, am_friction_most(law), "static_friction", "the largest of its table",
                      err);
}

/* "friction.distance" and "friction.points" of the law are "weakening.length" and "weakening.points" of a contact. */
static void rename_field(am_error *err) {
    if (err && strcmp(err->field, "friction.distance") == 0)
        strcpy(err->field, "weakening.length");
    if (err && strcmp(err->field, "friction.points") == 0)
        strcpy(err->field, "weakening.points");
}

static am_status check_weakening(const am_contact_def *contact, am_error *err) {
    am_friction law = completed(contact);
    const am_friction *given = &contact->weakening;
    if ((int)law.law < 0 || law.law > AM_FRICTION_TABLE)
        return am_fail_field(err, AM_ERR_INPUT, "weakening.law", "unknown law of friction");
    if (law.law == AM_FRICTION_COULOMB)
        return AM_OK;
    if (law.law == AM_FRICTION_STATIC_KINETIC)
        return am_fail_field(err, AM_ERR_INPUT, "weakening.law",
                             "friction that drops when slip begins is said by static_friction and friction alone");
    if (law.law == AM_FRICTION_TABLE)
        return check_table(contact, err);
    if (!(contact->static_friction > contact->friction))
        return am_fail_field(err, AM_ERR_INPUT, "static_friction",
                             "friction that weakens with slip falls from static_friction to friction = %g, but "
                             "static_friction is %g",
                             contact->friction, contact->static_friction);
    AM_TRY(am_friction_check(&law, err));
    AM_TRY(check_same(given->kinetic, law.kinetic, "weakening.kinetic", "friction of the contact", err));
    return check_same(given->fixed, law.fixed, "weakening.fixed", "static_friction of the contact", err);
}

am_status am_contact_check_weakening(const am_contact_def *contact, am_error *err) {
    am_status status = check_weakening(contact, err);
    rename_field(err);
    return status;
}

void am_contact_copy_weakening(am_contact_def *to, const am_contact_def *from, am_arena *memory, am_error *err) {
    to->weakening = completed(from);
    to->weakening.slip = to->weakening.coefficient = NULL;
    if (from->weakening.law == AM_FRICTION_COULOMB) {
        to->weakening = (am_friction){.law = AM_FRICTION_COULOMB, .kinetic = from->friction, .fixed = from->friction};
        return;
    }
    if (from->weakening.law != AM_FRICTION_TABLE) {
        to->weakening.count = 0;
        return;
    }
    to->weakening.kinetic = to->friction = am_friction_last(&from->weakening);
    to->weakening.fixed = to->static_friction = am_friction_most(&from->weakening);
    to->weakening.slip = am_arena_doubles(memory, from->weakening.slip, from->weakening.count, err);
    to->weakening.coefficient = am_arena_doubles(memory, from->weakening.coefficient, from->weakening.count, err);
}
