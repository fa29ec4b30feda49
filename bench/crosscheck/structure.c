#include "structure.h"

#include <math.h>
#include <string.h>

#include "base/random.h"

double cross_between(cross_source *source, double low, double high) {
    return low + (high - low) * am_random_unit(source->seed, source->drawn++, 0);
}

bool cross_chance(cross_source *source, double probability) {
    return cross_between(source, 0, 1) < probability;
}

size_t cross_index(cross_source *source, size_t count) {
    return (size_t)cross_between(source, 0, (double)count);
}

double cross_scale(cross_source *source, double decades) {
    return pow(10, cross_between(source, -decades, decades));
}

/* ---- Drawing ---- */

/* least I + size A^T A / n, entries of A in -1..1; with `rank` below n there is that much of A only, and no `least`. */
static void draw_definite(cross_source *source, size_t n, size_t rank, double least, double size, double *matrix) {
    double a[CROSS_SIZE * CROSS_SIZE];
    for (size_t i = 0; i < n * rank; i++)
        a[i] = cross_between(source, -1, 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = i == j && rank == n ? least : 0;
            for (size_t k = 0; k < rank; k++)
                sum += size * a[k * n + i] * a[k * n + j] / (double)n;
            matrix[i * n + j] = matrix[j * n + i] = sum;
        }
}

static void draw_matrices(cross_source *source, const cross_wishes *wishes, cross_structure *s) {
    size_t n = s->n, rank = n;
    if (n > 1 && cross_chance(source, wishes->singular))
        rank = 1 + cross_index(source, n - 1);
    s->massless = wishes->massless;
    draw_definite(source, n, n, 0.6, 1, s->mass);
    draw_definite(source, n, rank, 0.4, cross_between(source, 1, 6) * cross_scale(source, wishes->stiff), s->stiffness);
    memset(s->damping, 0, sizeof s->damping);
    if (cross_chance(source, wishes->damped)) {
        double share = cross_between(source, 0.02, 0.2);
        for (size_t i = 0; i < n * n; i++)
            s->damping[i] = share * (s->mass[i] + 0.3 * s->stiffness[i]);
    }
}

/* The contact's own pair of coordinates, and a part of all others when it is oblique; in structures with few
 * coordinates pairs overlap. */
static void draw_rows(cross_source *source, size_t n, size_t c, bool oblique, cross_contact *contact) {
    for (size_t i = 0; i < n; i++) {
        contact->normal[i] = oblique ? cross_between(source, -0.3, 0.3) : 0;
        contact->tangent[i] = oblique ? cross_between(source, -0.3, 0.3) : 0;
    }
    contact->normal[(2 * c) % n] += 1;
    contact->tangent[(2 * c + 1) % n] += 1;
}

static void draw_law(cross_source *source, const cross_wishes *wishes, cross_contact *contact) {
    contact->friction = cross_between(source, 0.1, 0.6);
    contact->static_friction = contact->friction;
    if (cross_chance(source, wishes->static_friction))
        contact->static_friction *= cross_between(source, 1.1, 1.6);
    if (cross_chance(source, wishes->belt))
        contact->surface_velocity = cross_between(source, -0.6, 0.6);
    contact->law = cross_chance(source, wishes->held) ? CROSS_HELD : wishes->other;
    switch (contact->law) {
    case CROSS_UNILATERAL:
        contact->restitution = cross_chance(source, wishes->restitution) ? cross_between(source, 0.2, 0.8) : 0;
        break;
    case CROSS_HELD:
        contact->hold = (cross_function){.kind = CROSS_CONSTANT, .value = cross_between(source, 0.5, 1.5)};
        if (cross_chance(source, wishes->slider))
            contact->tangential_stiffness = cross_between(source, 1, 8);
        break;
    case CROSS_KELVIN_VOIGT:
    case CROSS_HUNT_CROSSLEY:
        contact->stiffness = cross_between(source, 5, 50);
        contact->damping = cross_chance(source, 0.5) ? cross_between(source, 0.05, 0.5) : 0;
        break;
    }
}

static void draw_function(cross_source *source, const cross_wishes *wishes, double frequency, cross_function *f) {
    if (wishes->periodic) {
        *f = (cross_function){.kind = CROSS_SINE,
                              .amplitude = cross_between(source, 0.3, 1.5),
                              .frequency = frequency,
                              .phase = cross_between(source, 0, 6)};
        return;
    }
    switch (wishes->constant ? 3 : cross_index(source, wishes->massless ? 2 : 3)) {
    case 0: {
        *f = (cross_function){.kind = CROSS_POINTS, .points = 3 + cross_index(source, CROSS_TABLE - 3)};
        double t = wishes->massless ? 0 : cross_between(source, -1, 1);
        for (size_t i = 0; i < f->points; i++, t += cross_between(source, 0.4, 3)) {
            f->times[i] = t;
            f->values[i] = i == 0 && wishes->massless ? 0 : cross_between(source, -1.5, 1.5);
        }
        break;
    }
    case 1:
        *f = (cross_function){.kind = CROSS_RAMP, .rate = cross_between(source, -0.3, 0.3)};
        break;
    case 2:
        *f = (cross_function){.kind = CROSS_SINE,
                              .amplitude = cross_between(source, 0.3, 1.5),
                              .frequency = cross_between(source, 0.4, 2.5),
                              .phase = cross_between(source, 0, 6)};
        break;
    default:
        *f = (cross_function){.kind = CROSS_CONSTANT, .value = cross_between(source, -0.5, 0.5)};
    }
}

/* Some vary; the last one presses every contact that is not held. */
static void draw_loads(cross_source *source, const cross_wishes *wishes, cross_structure *s) {
    double frequency = cross_between(source, 0.4, 2.5);
    size_t varying = wishes->periodic ? 1 : 1 + cross_index(source, 2);
    cross_load press = {.function = {.kind = CROSS_CONSTANT, .value = 1}};
    bool presses = false;
    for (size_t c = 0; c < s->contacts; c++) {
        double force = cross_between(source, 0.5, 2);
        presses = presses || s->contact[c].law != CROSS_HELD;
        for (size_t i = 0; i < s->n && s->contact[c].law != CROSS_HELD; i++)
            press.direction[i] -= force * s->contact[c].normal[i];
    }
    s->load[varying] = press;
    s->loads = varying + presses;
    for (size_t l = 0; l < varying; l++) {
        s->load[l] = (cross_load){0};
        for (size_t i = 0; i < s->n; i++)
            s->load[l].direction[i] = cross_between(source, -1, 1);
        draw_function(source, wishes, frequency, &s->load[l].function);
    }
}

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Rigid contacts start above the surface. */
static void draw_start(cross_source *source, cross_structure *s) {
    for (size_t i = 0; i < s->n; i++) {
        s->q[i] = s->massless ? 0 : cross_between(source, -0.5, 0.5);
        s->v[i] = s->massless ? 0 : cross_between(source, -1, 1);
    }
    for (size_t c = 0; c < s->contacts && !s->massless; c++)
        if (s->contact[c].law == CROSS_UNILATERAL)
            s->contact[c].gap = cross_between(source, 0.02, 0.5) - dot(s->n, s->contact[c].normal, s->q);
}

void cross_draw(cross_source *source, const cross_wishes *wishes, cross_structure *s) {
    memset(s, 0, sizeof *s);
    s->n = wishes->least_size + cross_index(source, wishes->most_size - wishes->least_size + 1);
    s->contacts = 1 + cross_index(source, wishes->most_contacts);
    bool crowded = wishes->crowded > 0 && cross_chance(source, wishes->crowded);
    if (2 * s->contacts > s->n && !crowded) /* a pair of coordinates for each contact */
        s->contacts = s->n >= 2 ? s->n / 2 : 1;
    draw_matrices(source, wishes, s);
    bool oblique = cross_chance(source, wishes->oblique);
    for (size_t c = 0; c < s->contacts; c++) {
        s->contact[c].origin = c;
        draw_rows(source, s->n, c, oblique, &s->contact[c]);
        draw_law(source, wishes, &s->contact[c]);
    }
    draw_loads(source, wishes, s);
    draw_start(source, s);
}

/* ---- The same structure in another form ---- */

static void scale_function(cross_function *f, double force, double time) {
    f->value *= force;
    f->amplitude *= force;
    f->rate *= force / time;
    f->frequency /= time;
    for (size_t i = 0; i < f->points; i++) {
        f->times[i] *= time;
        f->values[i] *= force;
    }
}

void cross_units(cross_structure *s, double length, double time, double mass) {
    double force = mass * length / (time * time);
    for (size_t i = 0; i < s->n * s->n; i++) {
        s->mass[i] *= mass;
        s->damping[i] *= mass / time;
        s->stiffness[i] *= mass / (time * time);
    }
    for (size_t c = 0; c < s->contacts; c++) {
        cross_contact *contact = &s->contact[c];
        contact->gap *= length;
        contact->surface_velocity *= length / time;
        contact->stiffness *= mass / (time * time);
        contact->damping *= contact->law == CROSS_HUNT_CROSSLEY ? time / length : mass / time;
        contact->tangential_stiffness *= mass / (time * time);
        scale_function(&contact->hold, force, time);
    }
    for (size_t l = 0; l < s->loads; l++)
        scale_function(&s->load[l].function, force, time);
    for (size_t i = 0; i < s->n; i++) {
        s->q[i] *= length;
        s->v[i] *= length / time;
    }
}

/* A product of random plane rotations and stretches between 1/2 and 2: condition at most 16. `inverse` is exact to
 * rounding because each factor is inverted in closed form. */
static void draw_transformation(cross_source *source, size_t n, double *t, double *inverse) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            t[i * n + j] = inverse[i * n + j] = i == j;
    for (size_t j = 0; j < n; j++) {
        double stretch = cross_scale(source, 0.3);
        t[j * n + j] *= stretch;
        inverse[j * n + j] /= stretch;
    }
    for (size_t turn = 0; turn < 3 * n && n > 1; turn++) {
        size_t a = cross_index(source, n), b = (a + 1 + cross_index(source, n - 1)) % n;
        double angle = cross_between(source, 0, 6.3), c = cos(angle), s = sin(angle);
        for (size_t i = 0; i < n; i++) { /* T R, and R^T T^-1 */
            double x = t[i * n + a], y = t[i * n + b];
            t[i * n + a] = c * x + s * y;
            t[i * n + b] = c * y - s * x;
            x = inverse[a * n + i], y = inverse[b * n + i];
            inverse[a * n + i] = c * x + s * y;
            inverse[b * n + i] = c * y - s * x;
        }
    }
}

/* row T */
static void transform_row(size_t n, const double *t, double *row) {
    double old[CROSS_SIZE];
    memcpy(old, row, n * sizeof *row);
    for (size_t j = 0; j < n; j++) {
        row[j] = 0;
        for (size_t i = 0; i < n; i++)
            row[j] += old[i] * t[i * n + j];
    }
}

/* T^T A T, symmetric to the last bit */
static void transform_matrix(size_t n, const double *t, double *a) {
    double half[CROSS_SIZE * CROSS_SIZE];
    memcpy(half, a, n * n * sizeof *a);
    for (size_t i = 0; i < n; i++)
        transform_row(n, t, half + i * n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += 0.5 * (t[k * n + i] * half[k * n + j] + t[k * n + j] * half[k * n + i]);
            a[i * n + j] = a[j * n + i] = sum;
        }
}

static void transform_vector(size_t n, const double *matrix, double *x) {
    double old[CROSS_SIZE];
    memcpy(old, x, n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = dot(n, matrix + i * n, old);
}

void cross_coordinates(cross_source *source, cross_structure *s, double *back) {
    double inverse[CROSS_SIZE * CROSS_SIZE];
    draw_transformation(source, s->n, back, inverse);
    transform_matrix(s->n, back, s->mass);
    transform_matrix(s->n, back, s->damping);
    transform_matrix(s->n, back, s->stiffness);
    for (size_t c = 0; c < s->contacts; c++) {
        transform_row(s->n, back, s->contact[c].normal);
        transform_row(s->n, back, s->contact[c].tangent);
    }
    for (size_t l = 0; l < s->loads; l++)
        transform_row(s->n, back, s->load[l].direction);
    transform_vector(s->n, inverse, s->q);
    transform_vector(s->n, inverse, s->v);
}

void cross_order(cross_source *source, cross_structure *s) {
    for (size_t c = s->contacts; c > 1; c--) {
        size_t other = cross_index(source, c);
        cross_contact moved = s->contact[c - 1];
        s->contact[c - 1] = s->contact[other];
        s->contact[other] = moved;
    }
}

/* The share of a held contact's part is a share of its force. Parts of a rigid contact share as they like; parts of a
 * compliant one in proportion to their stiffness. */
bool cross_divide(cross_source *source, cross_structure *s, size_t c, size_t parts) {
    if (parts < 1 || s->contacts + parts - 1 > CROSS_CONTACTS)
        return false;
    cross_contact whole = s->contact[c];
    double weight[CROSS_CONTACTS], sum = 0;
    for (size_t i = 0; i < parts; i++)
        sum += weight[i] = cross_between(source, 0.2, 1);
    for (size_t i = 0; i < parts; i++) {
        cross_contact part = whole;
        double share = weight[i] / sum;
        part.hold.value *= share;
        part.hold.amplitude *= share;
        part.stiffness *= share;
        if (part.law == CROSS_KELVIN_VOIGT)
            part.damping *= share;
        part.tangential_stiffness *= share;
        s->contact[i == 0 ? c : s->contacts++] = part;
    }
    return true;
}

/* ---- As text ---- */

static void write_list(FILE *out, size_t n, const double *x) {
    fputc('[', out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%.17g", i ? ", " : "", x[i]);
    fputc(']', out);
}

static void write_matrix(FILE *out, const char *name, size_t n, const double *a) {
    fprintf(out, ", %s: [", name);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ", " : "", out);
        write_list(out, n, a + i * n);
    }
    fputc(']', out);
}

static void write_function(FILE *out, const cross_function *f) {
    switch (f->kind) {
    case CROSS_CONSTANT:
        fprintf(out, "constant: %.17g", f->value);
        break;
    case CROSS_RAMP:
        fprintf(out, "ramp: {value: %.17g, rate: %.17g}", f->value, f->rate);
        break;
    case CROSS_SINE:
        fprintf(out, "sine: {amplitude: %.17g, frequency: %.17g, phase: %.17g, value: %.17g}", f->amplitude,
                f->frequency, f->phase, f->value);
        break;
    case CROSS_POINTS:
        fputs("table: {times: ", out);
        write_list(out, f->points, f->times);
        fputs(", values: ", out);
        write_list(out, f->points, f->values);
        fputc('}', out);
    }
}

static void write_contact(FILE *out, size_t n, const cross_contact *contact) {
    static const char *const law[] = {"unilateral", "held", "kelvin-voigt", "hunt-crossley"};
    fprintf(out, "{law: %s, tangent: ", law[contact->law]);
    write_list(out, n, contact->tangent);
    fprintf(out, ", friction: %.17g, surface_velocity: %.17g", contact->friction, contact->surface_velocity);
    if (contact->static_friction > contact->friction)
        fprintf(out, ", static_friction: %.17g", contact->static_friction);
    if (contact->law == CROSS_HELD) {
        fputs(", hold: {", out);
        write_function(out, &contact->hold);
        fputc('}', out);
    } else {
        fputs(", normal: ", out);
        write_list(out, n, contact->normal);
        fprintf(out, ", gap: %.17g", contact->gap);
    }
    if (contact->restitution > 0)
        fprintf(out, ", restitution: %.17g", contact->restitution);
    if (contact->law == CROSS_KELVIN_VOIGT || contact->law == CROSS_HUNT_CROSSLEY)
        fprintf(out, ", contact_stiffness: %.17g, %s: %.17g", contact->stiffness,
                contact->law == CROSS_KELVIN_VOIGT ? "contact_damping" : "contact_dissipation", contact->damping);
    if (contact->tangential_stiffness > 0)
        fprintf(out, ", tangential_stiffness: %.17g", contact->tangential_stiffness);
    fputc('}', out);
}

void cross_write_model(FILE *out, const cross_structure *s) {
    fputs("model: {kind: structure", out);
    if (!s->massless)
        write_matrix(out, "mass", s->n, s->mass);
    if (!s->massless)
        write_matrix(out, "damping", s->n, s->damping);
    write_matrix(out, "stiffness", s->n, s->stiffness);
    fputs(", contacts: [", out);
    for (size_t c = 0; c < s->contacts; c++) {
        fputs(c ? ", " : "", out);
        write_contact(out, s->n, &s->contact[c]);
    }
    fputs("], loads: [", out);
    for (size_t l = 0; l < s->loads; l++) {
        fputs(l ? ", {direction: " : "{direction: ", out);
        write_list(out, s->n, s->load[l].direction);
        fputs(", ", out);
        write_function(out, &s->load[l].function);
        fputc('}', out);
    }
    fputs("]}\n", out);
}

void cross_write_start(FILE *out, const cross_structure *s) {
    fputs("initial: {displacement: ", out);
    write_list(out, s->n, s->q);
    if (!s->massless) {
        fputs(", velocity: ", out);
        write_list(out, s->n, s->v);
    }
    fputc('}', out);
}
