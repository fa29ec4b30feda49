#include "study/models/halfplane.h"
#include "base/try.h"

#include <math.h>

#include "halfplane/field.h"
#include "math/pi.h"
#include "study/models.h"
#include "study/models/friction.h"

typedef struct halfplane_setting {
    am_slip_contact contact;
    double a, a_over_lambda;  /* the width, in the place of the load */
    double W_tilde, critical; /* the energy of Griffith friction, dimensionless */
    double Lambda, Psi;       /* the slip over which friction falls, dimensionless */
    double alpha;             /* the height of Q, dimensionless */
    size_t nodes;
} halfplane_setting;

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

static const am_word measure_words[] = {{"edge", AM_SLIP_EDGE, "W = (f_s - f) p(c) Delta"},
                                        {"integral", AM_SLIP_INTEGRAL, "Delta is the mean over the zone"},
                                        {NULL, 0, NULL}};

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

static am_status read_weakening(am_reading *reading, const am_node *points, am_slip_contact *contact) {
    am_friction friction = {0};
    AM_TRY(am_read_friction_points(reading, points, "weakening", &friction));
    am_status status = am_friction_check(&friction, reading->err);
    if (status != AM_OK) {
        am_node_locate(points, reading->err);
        return status;
    }
    contact->law_count = friction.count;
    contact->law_slip = friction.slip;
    contact->law_f = friction.coefficient;
    take_ends(contact);
    return AM_OK;
}

/* ---- Materials ---- */

/* [upper, lower], or one number for both. */
static am_status read_pair(am_reading *reading, const am_node *node, const char *name, am_range range,
                           double values[2]) {
    am_numbers numbers = {0};
    if (node->kind == AM_NODE_SCALAR) {
        AM_TRY(am_read_number(reading, node, name, range, &values[0]));
        values[1] = values[0];
        return AM_OK;
    }
    AM_TRY(am_read_numbers(reading, node, name, range, 2, &numbers));
    for (size_t i = 0; i < 2; i++)
        values[i] = numbers.values[i];
    return AM_OK;
}

static am_status find_materials(am_reading *reading, const am_node *node, am_slip_contact *contact) {
    const am_node *E = am_node_get(node, "E"), *nu = am_node_get(node, "nu");
    double young[2], poisson[2];
    am_medium media[2];
    if (!(fabs(contact->beta) <= 0.5))
        return am_node_fail(am_node_get(node, "beta"), reading->err, AM_ERR_INPUT,
                            "Dundurs' beta lies between -1/2 and 1/2 for all materials whose Poisson's ratio is not "
                            "negative; it is %g",
                            contact->beta);
    if (!E && !nu)
        return AM_OK;
    if (!E || !nu)
        return am_node_fail(E ? E : nu, reading->err, AM_ERR_INPUT, "materials need both E and nu");
    AM_TRY(read_pair(reading, E, "E", AM_RANGE_POSITIVE, young));
    AM_TRY(read_pair(reading, nu, "nu", AM_RANGE_ANY, poisson));
    for (size_t i = 0; i < 2; i++)
        if (am_medium_plane_strain(young[i], poisson[i], &media[i], reading->err) != AM_OK) {
            am_node_locate(node, reading->err);
            return reading->err->status;
        }
    AM_TRY(am_medium_pair(&media[0], &media[1], &contact->modulus, &contact->beta, reading->err));
    if (fabs(contact->beta) < 1e-15)
        contact->beta = 0.0; /* rounding of similar materials */
    return AM_OK;
}

/* ---- Load ---- */

/* Of hertz, power and wave: P, or the half-width `a` under it, or what is usual. */
static am_status find_load(am_reading *reading, const am_node *node, halfplane_setting *setting) {
    am_slip_contact *contact = &setting->contact;
    const am_node *a = am_node_get(node, "a"), *relative = am_node_get(node, "a_over_lambda");
    bool wave = contact->shape == AM_SLIP_WAVE;
    double usual = wave ? setting->a_over_lambda * contact->wavelength : 1.0;
    double most = wave ? 0.5 * contact->wavelength : INFINITY;
    if (relative && setting->a_over_lambda > 0.5)
        return am_node_fail(relative, reading->err, AM_ERR_INPUT,
                            "the contact is at most as wide as the wave: a/lambda <= 1/2, not %g",
                            setting->a_over_lambda);
    if (a && setting->a > most)
        return am_node_fail(a, reading->err, AM_ERR_INPUT,
                            "the contact is at most as wide as the wave: a <= wavelength/2 = %g, not %g", most,
                            setting->a);
    if (!am_node_get(node, "P"))
        contact->P = am_slip_load(contact, a ? setting->a : usual);
    return AM_OK;
}

/* ---- Friction ---- */

static bool weakens(am_friction_law law) {
    return law != AM_FRICTION_COULOMB && law != AM_FRICTION_GRIFFITH;
}

static am_status check_weakening(am_reading *reading, const am_node *node, const am_slip_contact *contact) {
    const am_node *static_friction = am_node_get(node, "f_s");
    if (contact->law_count > 0)
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

/* `energy_key`: that of the model besides W; NULL: none. */
static am_status find_law(am_reading *reading, const am_node *node, am_slip_contact *contact, const char *energy_key) {
    const am_node *law = am_node_get(node, "law"), *energy = am_node_get(node, "W"), *f_s = am_node_get(node, "f_s");
    energy = !energy && energy_key ? am_node_get(node, energy_key) : energy;
    if (!law && energy)
        contact->law = AM_FRICTION_GRIFFITH;
    else if (!law && contact->law_count > 0)
        contact->law = AM_FRICTION_TABLE;
    else if (!law && f_s)
        contact->law = contact->shape == AM_SLIP_HERTZ && contact->beta == 0.0 ? AM_FRICTION_DOUBLE : AM_FRICTION_RAMP;
    if (contact->law == AM_FRICTION_GRIFFITH && !energy)
        return am_node_fail(law, reading->err, AM_ERR_INPUT, "Griffith friction needs its energy W%s%s",
                            energy_key ? ", or " : "", energy_key ? energy_key : "");
    if (energy && contact->law != AM_FRICTION_GRIFFITH)
        return am_node_fail(energy, reading->err, AM_ERR_INPUT, "an energy belongs to law griffith");
    if (f_s && !weakens(contact->law))
        return am_node_fail(f_s, reading->err, AM_ERR_INPUT,
                            "f_s plays no part with this law of friction; take double, short, ramp, step, exponential "
                            "or static-kinetic");
    return weakens(contact->law) ? check_weakening(reading, node, contact) : AM_OK;
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

/* W of what was given in its place: c_c of eq. (5.45), W~ of a wave, sqrt(2 W lambda/(pi E* Delta^2))/f, and of a punch,
 * sqrt(pi E* W a)/(f P). */
static double energy_of(const halfplane_setting *setting) {
    const am_slip_contact *contact = &setting->contact;
    double k = contact->exponent, c, root;
    switch (contact->shape) {
    case AM_SLIP_HERTZ: /* k = 2: c_c^3 = 2 R^2 W/(pi E* f^2) */
        c = setting->critical * am_slip_half_width(contact);
        return 0.5 * pi * contact->modulus * pow(contact->f / contact->radius, 2.0) * c * c * c;
    case AM_SLIP_POWER:
        root = contact->f * k * contact->factor * exp(lgamma(0.5 * (k + 1.0)) - lgamma(0.5 * k)) *
               pow(setting->critical * am_slip_half_width(contact), k - 0.5);
        return 2.0 * contact->modulus * root * root;
    case AM_SLIP_WAVE:
        root = contact->f * setting->W_tilde * contact->amplitude;
        return 0.5 * pi * contact->modulus * root * root / contact->wavelength;
    default:
        return pow(setting->W_tilde * contact->f * contact->P, 2.0) / (pi * contact->modulus * contact->half_width);
    }
}

/* ---- Each by itself ---- */

/* Lambda (4.37) and Psi (4.42) are chi/phi and chi phi, chi = R Delta/(f_d a^2), phi = f_s/f_d - 1. */
static void find_slip_length(const am_node *node, halfplane_setting *setting) {
    am_slip_contact *contact = &setting->contact;
    double a = am_slip_half_width(contact), unit = contact->f * a * a / contact->radius;
    double excess = contact->f_s / contact->f - 1.0;
    if (am_node_get(node, "Lambda"))
        contact->slip_length = setting->Lambda * excess * unit;
    if (am_node_get(node, "Psi"))
        contact->slip_length = setting->Psi / excess * unit;
}

static am_status find_height(am_reading *reading, const am_node *node, halfplane_setting *setting) {
    am_slip_contact *contact = &setting->contact;
    if (!(contact->f > 0.0))
        return am_node_fail(am_node_get(node, "f"), reading->err, AM_ERR_INPUT,
                            "partial slip needs a positive coefficient of friction; it is %g", contact->f);
    if (!am_node_get(node, "h"))
        contact->height = contact->half_width / (2.0 * contact->f * setting->alpha);
    return AM_OK;
}

static am_status check_table(am_reading *reading, const am_node *x, const am_node *gap,
                             const am_slip_contact *contact) {
    size_t gaps = gap ? gap->count : 0;
    if (gaps != x->count)
        return am_node_fail(gap ? gap : x, reading->err, AM_ERR_INPUT,
                            "a table of points needs as many gaps as places x: %zu and %zu", gaps, x->count);
    if (x->count < 3)
        return am_node_fail(x, reading->err, AM_ERR_INPUT, "a table needs at least three points, not %zu", x->count);
    for (size_t i = 1; i < x->count; i++)
        if (!(contact->x[i] > contact->x[i - 1]))
            return am_node_fail(x->items[i], reading->err, AM_ERR_INPUT,
                                "the places x of the table must increase, and %g comes after %g", contact->x[i],
                                contact->x[i - 1]);
    return AM_OK;
}

/* A profile is a flat with rounded ends, or a table. */
static am_status choose_profile(am_reading *reading, const am_node *node, am_slip_contact *contact) {
    const am_node *gap = am_node_get(node, "gap"), *flat = am_node_get(node, "flat"), *R = am_node_get(node, "R");
    const am_node *x = am_node_get(node, "x"), *height = am_node_get(node, "h"), *moment = am_node_get(node, "M");
    if (!x && gap)
        return am_node_fail(gap, reading->err, AM_ERR_INPUT, "a table of points needs the places x of its gaps");
    if (x && (flat || R))
        return am_node_fail(flat ? flat : R, reading->err, AM_ERR_INPUT,
                            "a profile is either a table (x, gap) or a flat with rounded ends (flat, R)");
    if (x)
        AM_TRY(check_table(reading, x, gap, contact));
    contact->shape = x ? AM_SLIP_TABLE : AM_SLIP_ROUNDED;
    if (contact->tilts || !(height || moment))
        return AM_OK;
    return am_node_fail(height ? height : moment, reading->err, AM_ERR_INPUT,
                        "%s turns a body that may turn: give tilts: true as well",
                        height ? "Q at a height" : "a moment");
}

/* Coefficients come first, since loads and lengths may be relative to f. */
static am_status finish(am_reading *reading, const am_node *node, void *record) {
    halfplane_setting *setting = record;
    am_slip_contact *contact = &setting->contact;
    const am_node *weakening = am_node_get(node, "weakening");
    bool profile = contact->shape == AM_SLIP_ROUNDED, punch = contact->shape == AM_SLIP_PUNCH;
    bool relative = contact->shape == AM_SLIP_HERTZ || contact->shape == AM_SLIP_POWER;
    const char *energy_key = profile ? NULL : relative ? "c_c_over_a" : "W_tilde";
    if (weakening)
        AM_TRY(read_weakening(reading, weakening, contact));
    if (contact->shape == AM_SLIP_POWER && !(contact->exponent >= 1.0))
        return am_node_fail(am_node_get(node, "k"), reading->err, AM_ERR_INPUT,
                            "the power k of the profile must be at least 1 (1 is a wedge); it is %g",
                            contact->exponent);
    if (profile)
        AM_TRY(choose_profile(reading, node, contact));
    AM_TRY(find_materials(reading, node, contact));
    if (punch)
        AM_TRY(find_height(reading, node, setting));
    else if (!profile)
        AM_TRY(find_load(reading, node, setting));
    if (contact->shape == AM_SLIP_HERTZ)
        find_slip_length(node, setting);
    AM_TRY(find_law(reading, node, contact, energy_key));
    if (energy_key && am_node_get(node, energy_key))
        contact->energy = energy_of(setting);
    return AM_OK;
}

/* ---- Rows ---- */

#define NUMBER(name_, member, ...) AM_FIELD(name_, NUMBER, halfplane_setting, member, __VA_ARGS__)

#define MATERIAL_FIELDS                                                                                                \
    NUMBER("E_star", contact.modulus, AM_POSITIVE, .instead_of = "E", .initial = "1", .unit = "force/length^2",        \
           .about = "contact modulus E* of both bodies, eq. (1.50)"),                                                  \
        NUMBER("beta", contact.beta, .instead_of = "nu", .initial = "0",                                               \
               .about = "Dundurs' second parameter, eq. (1.30): 0 for similar bodies"),                                \
        AM_FIELD("E", LATER, halfplane_setting, contact, .initial = "none", .unit = "force/length^2",                  \
                 .about = "Young's moduli [upper, lower], or one for both; with nu in the place of E_star and beta"),  \
        AM_FIELD("nu", LATER, halfplane_setting, contact, .initial = "none",                                           \
                 .about = "Poisson's ratios [upper, lower], or one for both; plane strain")

#define FRICTION_FIELDS                                                                                                \
    NUMBER("f", contact.f, .initial = "0.5",                                                                           \
           .about = "coefficient of friction; the dynamic one where friction weakens"),                                \
        NUMBER("f_d", contact.f, .instead_of = "f", .initial = "none", .about = "another name of f"),                  \
        NUMBER("f_s", contact.f_s, AM_POSITIVE, .initial = "none",                                                     \
               .about = "static coefficient, from which friction falls to f with slip"),                               \
        AM_FIELD("law", WORD, halfplane_setting, contact.law, .words = am_halfplane_law_words,                         \
                 .initial = "coulomb; griffith with an energy; double (hertz) or ramp with f_s; table with weakening", \
                 .about = "how friction goes with slip"),                                                              \
        NUMBER("Delta", contact.slip_length, AM_POSITIVE, .initial = "none", .unit = "length",                         \
               .about = "slip over which friction falls: the area above f over f_s - f"),                              \
        AM_FIELD("weakening", LATER, halfplane_setting, contact, .instead_of = "f f_d f_s Delta Lambda Psi",           \
                 .initial = "none", .about = "rows [slip, coefficient] in the place of f, f_s and Delta: law table"),  \
        NUMBER("W", contact.energy, AM_NOT_NEGATIVE, .initial = "none", .unit = "force/length",                        \
               .about = "energy per area of Griffith friction"),                                                       \
        AM_FIELD("nodes", COUNT, halfplane_setting, nodes, .least = 8, .most = 1000, .initial = "24",                  \
                 .about = "contact nodes of the structure that other analyses see")

#define LOAD_FIELDS(width_)                                                                                            \
    NUMBER("P", contact.P, .initial = "that of a", .unit = "force/length", .about = "normal load"),                    \
        NUMBER("a", a, AM_POSITIVE, .instead_of = "P", .initial = width_, .unit = "length",                            \
               .about = "half-width of the contact under P (beta = 0), in the place of P")

#define MEASURE_FIELD                                                                                                  \
    AM_FIELD("measure", WORD, halfplane_setting, contact.measure, .words = measure_words, .initial = "edge",           \
             .about = "how Delta and the energy of the double solution go together")

#define CRITICAL_FIELD                                                                                                 \
    NUMBER("c_c_over_a", critical, AM_NOT_NEGATIVE, .instead_of = "W", .initial = "none",                              \
           .about = "critical half-width of Griffith friction, eq. (5.45), in the place of W")

static void set_defaults(halfplane_setting *setting, am_slip_shape shape) {
    *setting = (halfplane_setting){
        .contact = am_slip_contact_default(shape), .nodes = 24, .a_over_lambda = 0.25, .alpha = 1.0};
    if (shape == AM_SLIP_ROUNDED)
        setting->contact.height = 0.0;
}

#define SCHEMA(key, shape_, about_)                                                                                    \
    static void key##_defaults(void *record) {                                                                         \
        set_defaults(record, shape_);                                                                                  \
    }                                                                                                                  \
    static const am_schema key##_schema = {.name = #key,                                                               \
                                           .title = "model " #key,                                                     \
                                           .about = about_,                                                            \
                                           .size = sizeof(halfplane_setting),                                          \
                                           .defaults = key##_defaults,                                                 \
                                           .finish = finish,                                                           \
                                           .has_kind = true,                                                           \
                                           AM_FIELDS(key##_fields)}

static const am_field hertz_fields[] = {
    LOAD_FIELDS("1"),
    NUMBER("R", contact.radius, AM_POSITIVE, .initial = "1", .unit = "length",
           .about = "radius of the cylinder; of two, 1/R = 1/R1 + 1/R2", .example = "1"),
    MATERIAL_FIELDS,
    FRICTION_FIELDS,
    NUMBER("Lambda", Lambda, AM_POSITIVE, .instead_of = "Delta", .initial = "none",
           .about = "R Delta/(a^2 (f_s - f)), eq. (4.37), in the place of Delta"),
    NUMBER("Psi", Psi, AM_POSITIVE, .instead_of = "Lambda Delta", .initial = "none",
           .about = "R Delta (f_s - f)/(a f)^2, eq. (4.42), in the place of Delta"),
    MEASURE_FIELD,
    CRITICAL_FIELD,
};

SCHEMA(hertz, AM_SLIP_HERTZ,
       "Two elastic cylinders, or a cylinder and a half-plane, pressed together by P per unit of length (Papangelo "
       "2017, chapters 1, 4, 5). The half-width of the contact is 1 unless P or a is given.");

static const am_field power_fields[] = {
    NUMBER("k", contact.exponent, .initial = "2", .about = "power of the profile, at least 1 (a wedge)",
           .example = "4"),
    NUMBER("C", contact.factor, AM_POSITIVE, .initial = "0.5", .unit = "length^(1-k)",
           .about = "factor of the profile C |x|^k", .example = "0.5"),
    LOAD_FIELDS("1"),
    MATERIAL_FIELDS,
    FRICTION_FIELDS,
    MEASURE_FIELD,
    CRITICAL_FIELD,
};

SCHEMA(
    power, AM_SLIP_POWER,
    "A profile C |x|^k pressed on a half-plane (Papangelo 2017, chapter 5): 1 a wedge, 2 a cylinder, large k nearly a "
    "flat punch. The half-width of the contact is 1 unless P or a is given.");

static const am_field wave_fields[] = {
    NUMBER("amplitude", contact.amplitude, AM_POSITIVE, .initial = "1", .unit = "length",
           .about = "half of the wave's height", .example = "1"),
    NUMBER("wavelength", contact.wavelength, AM_POSITIVE, .initial = "1", .unit = "length", .about = "its period",
           .example = "1"),
    LOAD_FIELDS("a quarter of the wavelength"),
    NUMBER("a_over_lambda", a_over_lambda, AM_POSITIVE, .instead_of = "a P", .initial = "0.25",
           .about = "a over the wavelength, in the place of a and P"),
    MATERIAL_FIELDS,
    FRICTION_FIELDS,
    MEASURE_FIELD,
    NUMBER("W_tilde", W_tilde, AM_NOT_NEGATIVE, .instead_of = "W", .initial = "none",
           .about = "sqrt(2 W wavelength/(pi E* amplitude^2))/f, in the place of W"),
    AM_FIELD("isolated", FLAG, halfplane_setting, contact.isolated, .initial = "false",
             .about = "the thesis' singular term of a single flat, which does not keep the stick zone from straining"),
};

SCHEMA(wave, AM_SLIP_WAVE,
       "A sinusoidal profile pressed on a half-plane (Papangelo 2017, chapter 5). Loads are per period.");

static const am_field punch_fields[] = {
    NUMBER("alpha", alpha, AM_POSITIVE, .initial = "1",
           .about = "a/(2 f h): below 1 the trailing corner lifts off, below 1/2 the punch tips over", .example = "2"),
    NUMBER("h", contact.height, AM_POSITIVE, .instead_of = "alpha", .initial = "that of alpha", .unit = "length",
           .about = "height at which Q acts above the interface, in the place of alpha"),
    NUMBER("P", contact.P, .initial = "1", .unit = "force/length", .about = "normal load, at the middle"),
    NUMBER("a", contact.half_width, AM_POSITIVE, .initial = "1", .unit = "length", .about = "half-width of the punch"),
    MATERIAL_FIELDS,
    FRICTION_FIELDS,
    NUMBER("W_tilde", W_tilde, AM_NOT_NEGATIVE, .instead_of = "W", .initial = "none",
           .about = "sqrt(pi E* W a)/(f P), in the place of W"),
};

SCHEMA(punch, AM_SLIP_PUNCH,
       "A rigid flat punch on a half-plane, pressed by P at its middle and pushed by Q above the interface (Papangelo "
       "2017, section 3.1 and Appendix A). As a structure, for other analyses, it does not turn.");

static const am_field profile_fields[] = {
    NUMBER("flat", contact.half_width, AM_POSITIVE, .initial = "1", .unit = "length",
           .about = "half-width of the flat part of a punch with rounded ends", .example = "1"),
    NUMBER("R", contact.radius, AM_POSITIVE, .initial = "1", .unit = "length", .about = "radius of its ends",
           .example = "4"),
    AM_FIELD("x", LIST, halfplane_setting, contact.x, .counted = offsetof(halfplane_setting, contact.count),
             .initial = "none", .unit = "length",
             .about = "places, increasing, of a table of points in the place of flat and R"),
    AM_FIELD("gap", VECTOR, halfplane_setting, contact.gap, .initial = "none", .unit = "length",
             .about = "gap before loading at these places; a smooth curve goes through them, nothing touches beyond"),
    NUMBER("P", contact.P, .initial = "1", .unit = "force/length", .about = "normal load, at x = 0"),
    AM_FIELD("tilts", FLAG, halfplane_setting, contact.tilts, .initial = "false",
             .about = "the body turns until the moment of the pressure about x = 0 is M + Q h"),
    NUMBER("h", contact.height, .initial = "0", .unit = "length",
           .about = "height at which Q acts above the interface, where the body tilts"),
    NUMBER("M", contact.moment, .initial = "0", .unit = "force",
           .about = "moment that presses the right side down, where the body tilts"),
    MATERIAL_FIELDS,
    FRICTION_FIELDS,
};

SCHEMA(profile, AM_SLIP_ROUNDED,
       "Any profile pressed on a half-plane, by boundary elements: a flat with rounded ends, or a table of points. It "
       "turns where tilts says so.");

/* ---- The models ---- */

static am_system *create(const void *settings, am_error *err) {
    const halfplane_setting *setting = settings;
    return am_slip_system(&setting->contact, setting->nodes, err);
}

static const am_slip_contact *contact_of(const void *settings) {
    return &((const halfplane_setting *)settings)->contact;
}

#define KIND(key, ...)                                                                                                 \
    const am_model_kind am_model_##key = {                                                                             \
        .schema = &key##_schema, .create = create, .contact = contact_of, .analysis = "slip", __VA_ARGS__}

KIND(hertz, .figure = NULL);
KIND(power, .figure = NULL);
KIND(wave, .figure = NULL);
KIND(profile, .figure = NULL);
KIND(punch, .figure = "{table: tractions, curves: [{x: x_over_a, y: p_over_pm, label: p}, {x: x_over_a, y: q_over_fpm, "
                      "label: q/f}], x_label: x/a, y_label: over the mean pressure, y_range: [0, 4]}");
