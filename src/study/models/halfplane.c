#include "study/models/halfplane.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

#include "amontons/system.h"
#include "halfplane/field.h"
#include "study/models/contact_weakening.h"

const am_word am_halfplane_law_words[] = {
    {"coulomb", AM_FRICTION_COULOMB, "f"},
    {"griffith", AM_FRICTION_GRIFFITH, "slip spreads when it sets free the energy W, and rubs with f"},
    {"double", AM_FRICTION_DOUBLE, "f_s to f, the double Cattaneo-Mindlin solution (hertz, power, wave; closed form)"},
    {"short", AM_FRICTION_SHORT, "its limit of a short transition (hertz, power, wave; closed form)"},
    {"static-kinetic", AM_FRICTION_STATIC_KINETIC, "f_s until slip begins anywhere, then f (boundary elements)"},
    {"ramp", AM_FRICTION_RAMP, "f_s to f linearly over 2 Delta (boundary elements)"},
    {"step", AM_FRICTION_STEP, "f_s to f at Delta (boundary elements)"},
    {"exponential", AM_FRICTION_EXPONENTIAL, "f_s to f like exp(-slip/Delta) (boundary elements)"},
    {"table", AM_FRICTION_TABLE, "through the points of weakening (boundary elements)"},
    {NULL, 0, NULL}};

const am_word am_halfplane_measure_words[] = {{"edge", AM_SLIP_EDGE, "W = (f_s - f) p(c) Delta"},
                                              {"integral", AM_SLIP_INTEGRAL, "Delta is the mean over the zone"},
                                              {NULL, 0, NULL}};

void am_halfplane_defaults(am_halfplane_setting *setting, am_slip_shape shape) {
    setting->contact = am_slip_contact_default(shape);
    setting->nodes = 24;
}

am_status am_halfplane_either(am_reading *reading, const am_node *node, const char *one, const char *other) {
    const am_node *second = am_node_get(node, other);
    if (!am_node_get(node, one) || !second)
        return AM_OK;
    return am_node_fail(second, reading->err, AM_ERR_INPUT, "%s and %s say the same thing; give one of them", one,
                        other);
}

/* ---- Coefficients ---- */

/* Other laws asked of the same model have the table's ends, and its area above the last coefficient. */
static void take_ends(am_slip_contact *contact) {
    size_t last = contact->law_count - 1;
    const double *slip = contact->law_slip, *f = contact->law_f;
    double area = 0.0;
    for (size_t i = 0; i < last; i++)
        area += (0.5 * (f[i] + f[i + 1]) - f[last]) * (slip[i + 1] - slip[i]);
    contact->f_s = f[0];
    contact->f = f[last];
    contact->slip_length = f[0] > f[last] ? area / (f[0] - f[last]) : 0.0;
}

static am_status read_weakening(am_reading *reading, const am_node *node, am_halfplane_setting *setting) {
    static const char *const others[] = {"f", "f_d", "f_s", "Delta", "Lambda", "Psi"};
    am_status status = AM_OK;
    for (size_t i = 0; status == AM_OK && i < sizeof others / sizeof *others; i++)
        status = am_halfplane_either(reading, node, others[i], "weakening");
    am_friction friction = {0};
    if (status == AM_OK)
        status = am_read_friction_points(reading, setting->weakening, "weakening", &friction);
    if (status != AM_OK)
        return status;
    am_slip_contact *contact = &setting->contact;
    contact->law_count = friction.count;
    contact->law_slip = friction.slip;
    contact->law_f = friction.coefficient;
    status = am_friction_check(&friction, reading->err);
    if (status != AM_OK)
        am_node_locate(setting->weakening, reading->err);
    else
        take_ends(contact);
    return status;
}

am_status am_halfplane_coefficients(am_reading *reading, const am_node *node, am_halfplane_setting *setting) {
    if (am_node_get(node, "f_d"))
        setting->contact.f = setting->f_d;
    return setting->weakening ? read_weakening(reading, node, setting) : AM_OK;
}

/* ---- Materials ---- */

/* [upper, lower], or one number for both. */
static am_status read_pair(am_reading *reading, const am_node *node, const char *name, am_range range,
                           double values[2]) {
    am_numbers numbers = {0};
    if (node->kind == AM_NODE_SCALAR) {
        am_status status = am_read_number(reading, node, name, range, &values[0]);
        values[1] = values[0];
        return status;
    }
    am_status status = am_read_numbers(reading, node, name, range, 2, &numbers);
    for (size_t i = 0; status == AM_OK && i < 2; i++)
        values[i] = numbers.values[i];
    return status;
}

am_status am_halfplane_materials(am_reading *reading, const am_node *node, am_halfplane_setting *setting) {
    const am_node *E = setting->E, *nu = setting->nu;
    if (!(fabs(setting->contact.beta) <= 0.5))
        return am_node_fail(am_node_get(node, "beta"), reading->err, AM_ERR_INPUT,
                            "Dundurs' beta lies between -1/2 and 1/2 for all materials whose Poisson's ratio is not "
                            "negative; it is %g",
                            setting->contact.beta);
    if (!E && !nu)
        return AM_OK;
    if (!E || !nu)
        return am_node_fail(E ? E : nu, reading->err, AM_ERR_INPUT, "materials need both E and nu");
    double young[2], poisson[2];
    am_medium media[2];
    am_status status = am_halfplane_either(reading, node, "E", "E_star");
    if (status == AM_OK)
        status = am_halfplane_either(reading, node, "nu", "beta");
    if (status == AM_OK)
        status = read_pair(reading, E, "E", AM_RANGE_POSITIVE, young);
    if (status == AM_OK)
        status = read_pair(reading, nu, "nu", AM_RANGE_ANY, poisson);
    for (size_t i = 0; status == AM_OK && i < 2; i++) {
        status = am_medium_plane_strain(young[i], poisson[i], &media[i], reading->err);
        if (status != AM_OK)
            am_node_locate(node, reading->err);
    }
    if (status == AM_OK)
        status = am_medium_pair(&media[0], &media[1], &setting->contact.modulus, &setting->contact.beta, reading->err);
    if (status == AM_OK && fabs(setting->contact.beta) < 1e-15)
        setting->contact.beta = 0.0; /* rounding of similar materials */
    return status;
}

/* ---- Load ---- */

am_status am_halfplane_load(am_reading *reading, const am_node *node, am_halfplane_setting *setting, double usual) {
    am_status status = am_halfplane_either(reading, node, "P", "a");
    if (status != AM_OK || am_node_get(node, "P"))
        return status;
    const am_node *a = am_node_get(node, "a");
    double most = setting->contact.shape == AM_SLIP_WAVE ? 0.5 * setting->contact.wavelength : INFINITY;
    if (a && setting->a > most)
        return am_node_fail(a, reading->err, AM_ERR_INPUT,
                            "the contact is at most as wide as the wave: a <= wavelength/2 = %g, not %g", most,
                            setting->a);
    setting->contact.P = am_slip_load(&setting->contact, a ? setting->a : usual);
    return AM_OK;
}

/* ---- Friction ---- */

static bool weakens(am_friction_law law) {
    return law != AM_FRICTION_COULOMB && law != AM_FRICTION_GRIFFITH;
}

static am_status check_weakening(am_reading *reading, const am_node *node, const am_halfplane_setting *setting) {
    const am_slip_contact *contact = &setting->contact;
    const am_node *static_friction = am_node_get(node, "f_s");
    if (setting->weakening)
        return AM_OK;
    if (contact->law == AM_FRICTION_TABLE)
        return am_node_fail(am_node_get(node, "law"), reading->err, AM_ERR_INPUT,
                            "law table needs its points: weakening, rows [slip, coefficient]");
    if (!static_friction)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "friction that weakens needs its static coefficient f_s");
    if (!(contact->f_s > contact->f))
        return am_node_fail(static_friction, reading->err, AM_ERR_INPUT,
                            "the static coefficient f_s must be larger than the dynamic one, f = %g; it is %g",
                            contact->f, contact->f_s);
    bool may_follow = contact->law == AM_FRICTION_DOUBLE; /* from b_over_a of the analysis */
    if (contact->law != AM_FRICTION_STATIC_KINETIC && !may_follow && !(contact->slip_length > 0.0))
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "friction that weakens needs the slip Delta over which it does%s",
                            contact->shape == AM_SLIP_HERTZ ? " (or Lambda, or Psi)" : "");
    return AM_OK;
}

am_status am_halfplane_friction(am_reading *reading, const am_node *node, am_halfplane_setting *setting,
                                const char *energy_key) {
    am_slip_contact *contact = &setting->contact;
    AM_TRY(am_halfplane_either(reading, node, "f", "f_d"));
    AM_TRY(strcmp(energy_key, "W") == 0 ? AM_OK : am_halfplane_either(reading, node, "W", energy_key));
    const am_node *law = am_node_get(node, "law"), *energy = am_node_get(node, "W");
    energy = energy ? energy : am_node_get(node, energy_key);
    if (!law && energy)
        contact->law = AM_FRICTION_GRIFFITH;
    else if (!law && setting->weakening)
        contact->law = AM_FRICTION_TABLE;
    else if (!law && am_node_get(node, "f_s"))
        contact->law = contact->shape == AM_SLIP_HERTZ && contact->beta == 0.0 ? AM_FRICTION_DOUBLE : AM_FRICTION_RAMP;
    if (contact->law == AM_FRICTION_GRIFFITH && !energy)
        return am_node_fail(law, reading->err, AM_ERR_INPUT, "Griffith friction needs its energy W%s%s",
                            strcmp(energy_key, "W") == 0 ? "" : ", or ",
                            strcmp(energy_key, "W") == 0 ? "" : energy_key);
    if (energy && contact->law != AM_FRICTION_GRIFFITH)
        return am_node_fail(energy, reading->err, AM_ERR_INPUT, "an energy belongs to law griffith");
    if (am_node_get(node, "f_s") && !weakens(contact->law))
        return am_node_fail(am_node_get(node, "f_s"), reading->err, AM_ERR_INPUT,
                            "f_s plays no part with this law of friction; take double, short, ramp, step, exponential "
                            "or static-kinetic");
    return weakens(contact->law) ? check_weakening(reading, node, setting) : AM_OK;
}

am_status am_halfplane_check_law(am_reading *reading, const am_node *node, const am_slip_contact *contact) {
    if (contact->law == AM_FRICTION_GRIFFITH && !(contact->energy > 0.0))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "Griffith friction needs an energy in the model");
    if (contact->law == AM_FRICTION_TABLE)
        return contact->law_count > 0 ? AM_OK
                                      : am_node_fail(node, reading->err, AM_ERR_INPUT,
                                                     "law table needs its points in the model: weakening, rows [slip, "
                                                     "coefficient]");
    if (weakens(contact->law) && !(contact->f_s > contact->f))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "friction that weakens needs f_s in the model");
    if (weakens(contact->law) && contact->law != AM_FRICTION_STATIC_KINETIC && !(contact->slip_length > 0.0))
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "friction that weakens needs the slip Delta over which it does in the model");
    return AM_OK;
}

/* ---- The structure ---- */

am_system *am_halfplane_build(am_reading *reading, const am_node *node, const void *settings) {
    const am_halfplane_setting *setting = settings;
    am_system *system = NULL;
    if (setting->nodes < 8 || setting->nodes > 1000)
        am_fail_field(reading->err, AM_ERR_INPUT, "nodes", "nodes must be 8 to 1000, not %zu", setting->nodes);
    else
        system = am_slip_system(&setting->contact, setting->nodes, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

const am_slip_contact *am_halfplane_contact(const void *settings) {
    return &((const am_halfplane_setting *)settings)->contact;
}
