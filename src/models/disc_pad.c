#include "amontons/models.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"
#include "math/pi.h"
#include "models/quantities.h"

am_disc_pad am_disc_pad_default(void) {
    return (am_disc_pad){.disc = {.outer_radius = 0.15,
                                  .inner_radius = 0.08,
                                  .thickness = 0.02,
                                  .modulus = 1.1e11,
                                  .density = 7200.0,
                                  .poisson = 0.25,
                                  .damping_ratio = 0.002,
                                  .split = 0.002,
                                  .modes = 20},
                         .pad = {.length = 0.12,
                                 .width = 0.05,
                                 .thickness = 0.008,
                                 .height = 0.012,
                                 .modulus = 2.0e11,
                                 .density = 9000.0,
                                 .damping_ratio = 0.005,
                                 .caliper_stiffness = 5.0e7,
                                 .abutment_stiffness = 2.0e8,
                                 .modes = 10},
                         .pads = 2,
                         .contacts = 9,
                         .radius = 0.12,
                         .lining_stiffness = 3.0e8,
                         .lining_damping = 100.0,
                         .mu = 0.4,
                         .velocity = 3.0,
                         .force = 5000.0};
}

/* ---- Checks ---- */

static am_status check_numbers(const am_disc_pad *m, am_error *err) {
    const am_model_quantity numbers[] = {
        {"disc.outer_radius", "outer radius of the disc", m->disc.outer_radius, false},
        {"disc.inner_radius", "inner radius of the disc", m->disc.inner_radius, false},
        {"disc.thickness", "thickness of the disc", m->disc.thickness, false},
        {"disc.modulus", "modulus of elasticity of the disc", m->disc.modulus, false},
        {"disc.density", "density of the disc", m->disc.density, false},
        {"disc.damping_ratio", "damping ratio of the disc", m->disc.damping_ratio, true},
        {"disc.split", "splitting of the disc's doublets", m->disc.split, true},
        {"pad.length", "length of the pad", m->pad.length, false},
        {"pad.width", "width of the pad", m->pad.width, false},
        {"pad.thickness", "thickness of the pad", m->pad.thickness, false},
        {"pad.height", "height of the pad's neutral line", m->pad.height, true},
        {"pad.modulus", "modulus of elasticity of the pad", m->pad.modulus, false},
        {"pad.density", "density of the pad", m->pad.density, false},
        {"pad.damping_ratio", "damping ratio of the pad", m->pad.damping_ratio, true},
        {"pad.caliper_stiffness", "stiffness of the caliper", m->pad.caliper_stiffness, true},
        {"pad.abutment_stiffness", "stiffness of the abutment", m->pad.abutment_stiffness, false},
        {"lining.stiffness", "stiffness of the lining", m->lining_stiffness, false},
        {"lining.damping", "damping of the lining", m->lining_damping, true},
        {"mu", "coefficient of friction", m->mu, true},
        {"velocity", "velocity of the disc under the pad", m->velocity, false},
        {"force", "force on the pad", m->force, false}};
    return AM_QUANTITIES_CHECK(numbers, err);
}

enum { most_modes = 400, most_contacts = 1000 };

static am_status check(const am_disc_pad *m, am_error *err) {
    AM_TRY(check_numbers(m, err));
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
    if (m->disc.modes < 1 || m->disc.modes > most_modes)
        return am_fail_field(err, AM_ERR_INPUT, "disc.modes", "the disc must have 1 to %d modes, not %zu", most_modes,
                             m->disc.modes);
    if (m->pad.modes < 2 || m->pad.modes > most_modes)
        return am_fail_field(err, AM_ERR_INPUT, "pad.modes",
                             "a pad must have 2 to %d modes (sliding and lift at least), not %zu", most_modes,
                             m->pad.modes);
    if (m->pads < 1 || m->pads > 2)
        return am_fail_field(err, AM_ERR_INPUT, "pads", "there must be one pad or two, not %zu", m->pads);
    if (m->contacts < 1 || m->contacts > most_contacts)
        return am_fail_field(err, AM_ERR_INPUT, "lining.contacts", "there must be 1 to %d contact springs, not %zu",
                             most_contacts, m->contacts);
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

static void clear(parts *p) {
    am_arena_clear(&p->memory);
}

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

static size_t lowest(const candidates *all, size_t room) {
    size_t best = most_diameters * most_circles;
    for (size_t i = 0; i < (size_t)most_diameters * most_circles; i++) {
        bool doublet = i >= most_circles;
        if (!all->taken[i] && (!doublet || room >= 2) &&
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
    clear(&p);
    return system;
}
