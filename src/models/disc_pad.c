#include "amontons/models.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"
#include "math/pi.h"
#include "models/kind.h"

enum { most_modes = 400 };

#define DISC(name_, member, ...) AM_FIELD(name_, NUMBER, am_disc, member, __VA_ARGS__)
#define PAD(name_, member, ...) AM_FIELD(name_, NUMBER, am_pad, member, __VA_ARGS__)

static const am_field disc_fields[] = {
    DISC("outer_radius", outer_radius, AM_POSITIVE, .initial = "0.15", .unit = "length", .about = "free edge"),
    DISC("inner_radius", inner_radius, AM_POSITIVE, .initial = "0.08", .unit = "length", .about = "clamped edge"),
    DISC("thickness", thickness, AM_POSITIVE, .initial = "0.02", .unit = "length", .about = "of the plate"),
    DISC("modulus", modulus, AM_POSITIVE, .initial = "1.1e11", .unit = "force/length^2", .about = "E of cast iron"),
    DISC("density", density, AM_POSITIVE, .initial = "7200", .unit = "mass/length^3", .about = "of cast iron"),
    DISC("poisson", poisson, .initial = "0.25", .about = "Poisson's ratio"),
    DISC("damping_ratio", damping_ratio, AM_NOT_NEGATIVE, .initial = "0.002", .about = "of every mode"),
    DISC("split", split, AM_NOT_NEGATIVE, .initial = "0.002",
         .about = "relative difference between the two frequencies of a doublet"),
    AM_FIELD("modes", COUNT, am_disc, modes, .least = 1, .most = most_modes, .initial = "20",
             .about = "how many, the lowest ones, doublets whole"),
};

static const am_field pad_fields[] = {
    PAD("length", length, AM_POSITIVE, .initial = "0.12", .unit = "length", .about = "along the circumference"),
    PAD("width", width, AM_POSITIVE, .initial = "0.05", .unit = "length", .about = "along the radius"),
    PAD("thickness", thickness, AM_POSITIVE, .initial = "0.008", .unit = "length", .about = "of the beam that bends"),
    PAD("height", height, AM_NOT_NEGATIVE, .initial = "0.012", .unit = "length",
        .about = "of the beam's neutral line above the friction face: the lever arm of friction"),
    PAD("modulus", modulus, AM_POSITIVE, .initial = "2e11", .unit = "force/length^2", .about = "E of the back plate"),
    PAD("density", density, AM_POSITIVE, .initial = "9000", .unit = "mass/length^3",
        .about = "of the beam, lining included"),
    PAD("damping_ratio", damping_ratio, AM_NOT_NEGATIVE, .initial = "0.005", .about = "of every mode"),
    PAD("caliper_stiffness", caliper_stiffness, AM_NOT_NEGATIVE, .initial = "5e7", .unit = "force/length",
        .about = "of the foundation behind the pad"),
    PAD("abutment_stiffness", abutment_stiffness, AM_POSITIVE, .initial = "2e8", .unit = "force/length",
        .about = "that holds the pad along the sliding"),
    AM_FIELD("modes", COUNT, am_pad, modes, .least = 2, .most = most_modes, .initial = "10",
             .about = "how many of each pad: sliding, lift, tilt, then bending"),
};

static const am_field lining_fields[] = {
    AM_FIELD("contacts", COUNT, am_disc_pad, contacts, .least = 1, .most = 1000, .initial = "9",
             .about = "contact springs spread over each pad"),
    AM_FIELD("stiffness", NUMBER, am_disc_pad, lining_stiffness, AM_POSITIVE, .initial = "3e8", .unit = "force/length",
             .about = "of all springs of a pad together"),
    AM_FIELD("damping", NUMBER, am_disc_pad, lining_damping, AM_NOT_NEGATIVE, .initial = "100",
             .unit = "force x time/length", .about = "of all springs of a pad together"),
};

static const am_schema disc_schema = {.name = "disc",
                                      .title = "disc",
                                      .about = "An annular plate, clamped inside and free outside.",
                                      .size = sizeof(am_disc),
                                      AM_FIELDS(disc_fields)};

static const am_schema pad_schema = {.name = "pad",
                                     .title = "pad",
                                     .about = "A free beam on the foundation of the caliper.",
                                     .size = sizeof(am_pad),
                                     AM_FIELDS(pad_fields)};

static const am_schema lining_schema = {.name = "lining",
                                        .title = "lining",
                                        .about = "Springs and dampers between pad and disc.",
                                        .size = sizeof(am_disc_pad),
                                        AM_FIELDS(lining_fields)};

static const am_field fields[] = {
    AM_FIELD("mu", NUMBER, am_disc_pad, mu, AM_NOT_NEGATIVE, .initial = "0.4", .about = "coefficient of friction",
             .example = "0.4"),
    AM_FIELD("pads", COUNT, am_disc_pad, pads, .least = 1, .most = 2, .initial = "2",
             .about = "one, or two on both sides of the disc"),
    AM_FIELD("velocity", NUMBER, am_disc_pad, velocity, AM_POSITIVE, .initial = "3", .unit = "length/time",
             .about = "of the disc under the pad"),
    AM_FIELD("force", NUMBER, am_disc_pad, force, AM_POSITIVE, .initial = "5000", .unit = "force",
             .about = "that presses each pad on"),
    AM_FIELD("radius", NUMBER, am_disc_pad, radius, AM_POSITIVE, .initial = "0.12", .unit = "length",
             .about = "at which the pad acts"),
    AM_FIELD("disc", RECORD, am_disc_pad, disc, .inner = &disc_schema, .initial = "cast iron",
             .about = "the disc: outer_radius, inner_radius, thickness, ...", .example = "{modes: 20}"),
    AM_FIELD("pad", RECORD, am_disc_pad, pad, .inner = &pad_schema, .initial = "a lining on a steel plate",
             .about = "the pad: length, width, thickness, ...", .example = "{modes: 10}"),
    {.name = "lining",
     .type = AM_FIELD_RECORD,
     .inner = &lining_schema,
     .initial = "9 springs a pad",
     .about = "contact springs between them: contacts, stiffness, damping"},
};

static const am_schema schema = {
    .name = "disc-pad",
    .title = "model disc-pad",
    .about = "A brake disc (modes of an annular plate) and two pads (modes of a beam), pressed together at several "
             "contact springs with friction: a small model of brake squeal. SI units by default.",
    .size = sizeof(am_disc_pad),
    .has_kind = true,
    AM_FIELDS(fields)};

am_disc_pad am_disc_pad_default(void) {
    am_disc_pad model = {0};
    am_schema_defaults(&schema, &model);
    return model;
}

/* ---- Checks ---- */

static am_status check(const am_disc_pad *m, am_error *err) {
    AM_TRY(am_schema_check(&schema, m, err));
    if (!(m->disc.inner_radius < m->disc.outer_radius))
        return am_fail_field(err, AM_ERR_INPUT, "disc.inner_radius",
                             "the inner radius of the disc, %g, must be below the outer one, %g", m->disc.inner_radius,
                             m->disc.outer_radius);
    if (!(m->disc.poisson > -1.0 && m->disc.poisson <= 0.5))
        return am_fail_field(err, AM_ERR_INPUT, "disc.poisson", "Poisson's ratio must lie between -1 and 1/2, not %g",
                             m->disc.poisson);
    if (!(m->disc.split < 1.0))
        return am_fail_field(err, AM_ERR_INPUT, "disc.split", "the splitting of a doublet must be below 1, not %g",
                             m->disc.split);
    if (!(m->radius > m->disc.inner_radius && m->radius <= m->disc.outer_radius))
        return am_fail_field(err, AM_ERR_INPUT, "radius", "the pad must act on the disc, between %g and %g, not at %g",
                             m->disc.inner_radius, m->disc.outer_radius, m->radius);
    if (!(m->pad.length < 2.0 * pi * m->radius))
        return am_fail_field(err, AM_ERR_INPUT, "pad.length", "the pad is longer than the circumference it acts on");
    return AM_OK;
}

/* ---- The modes ---- */

enum { name_size = 64, most_circles = 4, most_diameters = 120 };

/* One mode of the disc: w = shape cos(n theta) or sin(n theta). */
typedef struct disc_mode {
    size_t diameters, circles;
    bool sine;
    double frequency, shape;
} disc_mode;

typedef struct parts {
    am_arena memory;
    size_t n, m;
    disc_mode *disc;
    double *frequency, *damping, *normal, *tangent, *press; /* n, n, m x n, m x n, n */
    am_contact_def *contacts;
    const char **names;
    char *text; /* of names of modes and contacts */
} parts;

static bool allocate(parts *p, const am_disc_pad *model, am_error *err) {
    size_t n = p->n = model->disc.modes + model->pads * model->pad.modes, m = p->m = model->pads * model->contacts;
    p->disc = am_arena_new(&p->memory, model->disc.modes, sizeof *p->disc, err);
    p->frequency = am_arena_new(&p->memory, n, sizeof *p->frequency, err);
    p->damping = am_arena_new(&p->memory, n, sizeof *p->damping, err);
    p->normal = am_arena_new(&p->memory, m * n, sizeof *p->normal, err);
    p->tangent = am_arena_new(&p->memory, m * n, sizeof *p->tangent, err);
    p->press = am_arena_new(&p->memory, n, sizeof *p->press, err);
    p->contacts = am_arena_new(&p->memory, m, sizeof *p->contacts, err);
    p->names = am_arena_new(&p->memory, n, sizeof *p->names, err);
    p->text = am_arena_new(&p->memory, n + m, name_size, err);
    return am_arena_status(&p->memory) == AM_OK;
}

/* All modes with few nodal circles, of which the lowest that is not yet taken comes next. */
typedef struct candidates {
    double frequency[most_diameters * most_circles], shape[most_diameters * most_circles];
    bool taken[most_diameters * most_circles];
} candidates;

static size_t lowest(const candidates *all, size_t most) {
    size_t best = most_diameters * most_circles;
    for (size_t i = 0; i < (size_t)most_diameters * most_circles; i++) {
        bool doublet = i >= most_circles;
        if (!all->taken[i] && (!doublet || most >= 2) &&
            (best == (size_t)most_diameters * most_circles || all->frequency[i] < all->frequency[best]))
            best = i;
    }
    return best;
}

/* The lowest modes, doublets whole. */
static void choose_disc_modes(const am_disc *disc, candidates *all, disc_mode *modes) {
    for (size_t k = 0; k < disc->modes;) {
        size_t i = lowest(all, disc->modes - k), n = i / most_circles;
        all->taken[i] = true;
        for (int sine = 0; sine < (n > 0 ? 2 : 1); sine++, k++) {
            double split = n == 0 ? 0.0 : (sine ? -0.5 : 0.5) * disc->split;
            modes[k] = (disc_mode){n, i % most_circles, sine, all->frequency[i] * (1.0 + split), all->shape[i]};
        }
    }
}

static am_status make_disc_modes(const am_disc_pad *m, parts *p, am_error *err) {
    candidates *all = am_memory_new(1, sizeof *all, err);
    am_status status = all ? AM_OK : AM_ERR_MEMORY;
    for (size_t n = 0; n < most_diameters && status == AM_OK; n++)
        status = am_disc_modes(&m->disc, n, m->radius, most_circles, all->frequency + n * most_circles,
                               all->shape + n * most_circles, err);
    if (status == AM_OK)
        choose_disc_modes(&m->disc, all, p->disc);
    am_memory_free(all);
    for (size_t k = 0; k < m->disc.modes && status == AM_OK; k++) {
        const disc_mode *d = &p->disc[k];
        char *text = p->text + k * name_size;
        int length = snprintf(text, name_size, "disc%zu%s", d->diameters, d->diameters == 0 ? "" : d->sine ? "s" : "c");
        if (d->circles > 0)
            snprintf(text + length, name_size - (size_t)length, "_%zu", d->circles);
        p->frequency[k] = d->frequency;
        p->damping[k] = m->disc.damping_ratio;
    }
    return status;
}

/* What a mode of the disc moves the surface at angle theta by: out of plane, and along the circumference (Kirchhoff:
 * -z w'/r at z = half the thickness). */
static void disc_moves(const am_disc_pad *m, const disc_mode *d, double theta, double *out, double *along) {
    double n = (double)d->diameters, slope = d->sine ? n * cos(n * theta) : -n * sin(n * theta);
    *out = d->shape * (d->sine ? sin(n * theta) : cos(n * theta));
    *along = -0.5 * m->disc.thickness / m->radius * d->shape * slope;
}

/* Half of beta L of bending mode b = 1, 2, ... of a free beam: tan x = -tanh x (symmetric, b odd) or tanh x. */
static double beam_root(size_t b) {
    double sign = b % 2 == 1 ? -1.0 : 1.0, x = pi * ((double)b + 0.5) / 2.0;
    for (int step = 0; step < 6; step++) {
        double t = tanh(x);
        x = pi * floor(((double)b + 1.0) / 2.0) + sign * atan(t); /* converges at once: tanh is 1 all but exactly */
    }
    return x;
}

/* Shape of bending mode b at y = 2 x/L in -1 .. 1 and its derivative by y; the mean of its square is 1. */
static void beam_shape(size_t b, double y, double *value, double *slope) {
    double x = beam_root(b);
    if (b % 2 == 1) {
        *value = cos(x * y) / cos(x) + cosh(x * y) / cosh(x);
        *slope = x * (-sin(x * y) / cos(x) + sinh(x * y) / cosh(x));
    } else {
        *value = sin(x * y) / sin(x) + sinh(x * y) / sinh(x);
        *slope = x * (cos(x * y) / sin(x) + cosh(x * y) / sinh(x));
    }
}

static double pad_mass(const am_pad *pad) {
    return pad->density * pad->length * pad->width * pad->thickness;
}

/* Mode j of the pad: 0 slides, 1 lifts, 2 tilts, 3 and on bend. */
static double pad_frequency(const am_pad *pad, size_t j) {
    double mass = pad_mass(pad), held = pad->caliper_stiffness / mass;
    if (j == 0)
        return sqrt(pad->abutment_stiffness / mass);
    if (j < 3)
        return sqrt(held);
    double beta = 2.0 * beam_root(j - 2) / pad->length;
    double stiff = pad->modulus * pad->thickness * pad->thickness / (12.0 * pad->density); /* E I/(rho A) */
    return sqrt(held + stiff * beta * beta * beta * beta);
}

/* What mode j, of modal mass 1, moves the friction face at y = 2 x/L by: away from the disc, and along the sliding
 * (-z w' at z = -height). */
static void pad_moves(const am_pad *pad, size_t j, double y, double *out, double *along) {
    double unit = 1.0 / sqrt(pad_mass(pad)), slope = 0.0;
    *out = *along = 0.0;
    if (j == 0) {
        *along = unit;
        return;
    }
    if (j == 1)
        *out = 1.0;
    else if (j == 2)
        *out = sqrt(3.0) * y, slope = sqrt(3.0);
    else
        beam_shape(j - 2, y, out, &slope);
    *out *= unit;
    *along = pad->height * slope * unit * 2.0 / pad->length;
}

static void make_pad_modes(const am_disc_pad *m, parts *p, size_t pad) {
    static const char *const rigid[3] = {"slide", "lift", "tilt"};
    size_t first = m->disc.modes + pad * m->pad.modes;
    for (size_t j = 0; j < m->pad.modes; j++) {
        char *text = p->text + (first + j) * name_size;
        int length = snprintf(text, name_size, "pad%zu_", pad + 1);
        if (j < 3)
            snprintf(text + length, name_size - (size_t)length, "%s", rigid[j]);
        else
            snprintf(text + length, name_size - (size_t)length, "bend%zu", j - 2);
        p->frequency[first + j] = pad_frequency(&m->pad, j);
        p->damping[first + j] = m->pad.damping_ratio;
    }
    p->press[first + 1] = -m->force / sqrt(pad_mass(&m->pad)); /* an even pressure moves no other mode */
}

/* Spring c of a pad, the first above the disc and the second below: what lifts the one off presses the other. */
static void make_contact(const am_disc_pad *m, parts *p, size_t pad, size_t c) {
    double y = ((double)c + 0.5) / (double)m->contacts * 2.0 - 1.0, theta = 0.5 * y * m->pad.length / m->radius;
    double side = pad == 0 ? 1.0 : -1.0;
    size_t index = pad * m->contacts + c, first = m->disc.modes + pad * m->pad.modes;
    double *normal = p->normal + index * p->n, *tangent = p->tangent + index * p->n;
    for (size_t k = 0; k < m->disc.modes; k++) {
        double out, along;
        disc_moves(m, &p->disc[k], theta, &out, &along);
        normal[k] = -side * out;
        tangent[k] = -side * along;
    }
    for (size_t j = 0; j < m->pad.modes; j++)
        pad_moves(&m->pad, j, y, &normal[first + j], &tangent[first + j]);
    char *text = p->text + (p->n + index) * name_size;
    snprintf(text, name_size, "pad %zu spring %zu", pad + 1, c + 1);
    am_contact_def *contact = &p->contacts[index];
    *contact = am_contact_def_default();
    contact->name = text;
    contact->normal = normal;
    contact->tangent = tangent;
    contact->surface_velocity = m->velocity;
    contact->friction = m->mu;
    contact->normal_law = AM_KELVIN_VOIGT;
    contact->contact_stiffness = m->lining_stiffness / (double)m->contacts;
    contact->contact_damping = m->lining_damping / (double)m->contacts;
}

am_system *am_disc_pad_create(const am_disc_pad *model, am_error *err) {
    if (!model)
        return am_misused_for_nothing(err, __func__);
    parts p = {0};
    am_system *system = NULL;
    if (check(model, err) != AM_OK)
        return NULL;
    if (allocate(&p, model, err) && make_disc_modes(model, &p, err) == AM_OK) {
        for (size_t pad = 0; pad < model->pads; pad++) {
            make_pad_modes(model, &p, pad);
            for (size_t c = 0; c < model->contacts; c++)
                make_contact(model, &p, pad, c);
        }
        for (size_t k = 0; k < p.n; k++)
            p.names[k] = p.text + k * name_size;
        am_load_def press = {.direction = p.press, .function = am_function_constant(1.0)};
        am_modes modes = {.modes = p.n,
                          .frequency = p.frequency,
                          .damping_ratio = p.damping,
                          .contact_count = p.m,
                          .contacts = p.contacts,
                          .load_count = 1,
                          .loads = &press,
                          .names = p.names,
                          .named_by_model = true};
        system = am_modes_create(&modes, err);
    }
    am_arena_clear(&p.memory);
    return system;
}

AM_MODEL_CREATE(am_disc_pad_create)

const am_model_kind am_model_disc_pad = {.schema = &schema, .create = create, .analysis = "stability"};
