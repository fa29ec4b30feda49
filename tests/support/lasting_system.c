#include "lasting_system.h"

#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* A multiple of the unit: loads that are made of such numbers can be shifted in time without rounding. */
static double on_grid(double value, double unit) {
    return unit * rint(value / unit);
}

static double random_time(random_source *source, double low, double high) {
    return on_grid(random_between(source, low, high), 0x1p-10);
}

/* Loads that stay bounded: sines, saw teeth, pulses and blows that go on, a ramp that is slow. */
static void lasting_load(random_source *source, size_t n, plain_load *load) {
    am_function *f = &load->function;
    for (size_t i = 0; i < n; i++)
        load->direction[i] = random_between(source, -1, 1);
    double period = random_time(source, 1.5, 9);
    switch (random_index(source, 8)) {
    case 0:
        *f = am_function_ramp(on_grid(random_between(source, -0.5, 0.5), 0x1p-20),
                              on_grid(random_between(source, -3e-6, 3e-6), 0x1p-36));
        break;
    case 1: { /* values on a grid, so that the load is often zero at a break */
        size_t count = 3 + random_index(source, 5);
        *f = (am_function){.kind = AM_FUNCTION_TABLE, .count = count, .period = period};
        for (size_t i = 0; i < count; i++) {
            load->times[i] = on_grid(period * (double)i / (double)count, 0x1p-10);
            load->values[i] = 0.5 * (double)random_index(source, 5) - 1;
        }
        break;
    }
    case 2:
        *f = am_function_pulse(random_between(source, -2, 2), random_time(source, 0, 4), 0.4 * period);
        f->period = period;
        f->repeat = 1000000;
        break;
    case 3:
        *f = am_function_impulse(random_between(source, -0.6, 0.6), random_time(source, 0.1, 4));
        f->period = 3 * period;
        f->repeat = 1000000;
        break;
    default:
        *f = am_function_sine(random_between(source, 0.3, 1.5), random_between(source, 0.4, 2.5),
                              random_between(source, 0, 6));
        break;
    }
}

static void lasting_contact(random_source *source, plain_contact *contact, bool unilateral) {
    contact->friction = random_between(source, 0.1, 0.5);
    contact->static_friction = random_chance(source, 0.3) ? contact->friction * random_between(source, 1.1, 1.6) : 0;
    contact->surface_velocity = random_chance(source, 0.3) ? random_between(source, -0.6, 0.6) : 0;
    contact->restitution = unilateral && random_chance(source, 0.25) ? random_between(source, 0.1, 0.7) : 0;
    if (unilateral)
        return;
    contact->normal_law = AM_HELD;
    contact->hold = am_function_sine(random_chance(source, 0.5) ? random_between(source, 0, 0.4) : 0,
                                     random_between(source, 0.5, 2), random_between(source, 0, 6));
    contact->hold.value = random_between(source, 0.5, 1.5);
    contact->tangential_stiffness = random_chance(source, 0.5) ? random_between(source, 1, 6) : 0;
}

/* Contacts along the coordinates: a unilateral one takes two of them, a held one one. */
static void lay_contacts(random_source *source, plain_system *plain, size_t wanted) {
    size_t taken = 0;
    double force[PLAIN_SIZE] = {0};
    while (plain->m < wanted && taken < plain->n) {
        plain_contact *contact = &plain->contact[plain->m++];
        bool unilateral = taken + 2 <= plain->n && random_chance(source, 0.7);
        lasting_contact(source, contact, unilateral);
        contact->normal[taken] = 1; /* of a held one it does not matter */
        if (unilateral)
            force[taken++] = random_between(source, -1.5, -0.3);
        contact->tangent[taken++] = 1;
    }
    if (dot(force, force, plain->n) > 0) {
        plain->loads = 1;
        plain->load[0].function = am_function_constant(1);
        memcpy(plain->load[0].direction, force, sizeof force);
    }
}

void lasting_system(uint64_t seed, plain_system *plain, double *q, double *v) {
    random_source source = random_seed(40000 + seed);
    size_t n = 1 + (seed + 1) % 4;
    *plain = plain_system_new(n, 0);
    random_definite(&source, n, 0.7, 0.5, plain->mass);
    random_definite(&source, n, 0.4, random_between(&source, 1, 6), plain->stiffness);
    random_definite(&source, n, 0.03, random_between(&source, 0, 0.2), plain->damping);
    lay_contacts(&source, plain, 1 + random_index(&source, 3));
    size_t loads = 2 + random_index(&source, 3);
    while (plain->loads < loads)
        lasting_load(&source, n, &plain->load[plain->loads++]);
    for (size_t i = 0; i < n; i++) {
        q[i] = random_between(&source, -0.5, 0.5);
        v[i] = random_between(&source, -1, 1);
    }
    for (size_t c = 0; c < plain->m; c++)
        if (plain->contact[c].normal_law == AM_UNILATERAL)
            plain->contact[c].gap = random_between(&source, 0.05, 0.3) - dot(plain->contact[c].normal, q, n);
}

/* An orthogonal matrix: the product of turns in all planes. */
static void turn(random_source *source, size_t n, double *R) {
    for (size_t i = 0; i < n * n; i++)
        R[i] = i % (n + 1) == 0;
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++) {
            double angle = random_between(source, 0.2, 6), c = cos(angle), s = sin(angle);
            for (size_t i = 0; i < n; i++) {
                double *row = R + i * n, ra = row[a], rb = row[b];
                row[a] = c * ra - s * rb;
                row[b] = s * ra + c * rb;
            }
        }
}

void lasting_turn_row(const double *R, size_t n, double *x) {
    double old[PLAIN_SIZE];
    memcpy(old, x, n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        x[i] = 0;
        for (size_t j = 0; j < n; j++)
            x[i] += R[j * n + i] * old[j];
    }
}

void lasting_turn_matrix(const double *R, size_t n, double *A) {
    double half[PLAIN_SIZE * PLAIN_SIZE];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            half[i * n + j] = 0;
            for (size_t k = 0; k < n; k++)
                half[i * n + j] += A[i * n + k] * R[k * n + j];
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += R[k * n + i] * half[k * n + j];
            A[i * n + j] = A[j * n + i] = sum;
        }
}

void lasting_turned(uint64_t seed, plain_system *plain, double *q, double *v) {
    random_source source = random_seed(90000 + seed);
    size_t n = plain->n;
    double R[PLAIN_SIZE * PLAIN_SIZE];
    turn(&source, n, R);
    lasting_turn_matrix(R, n, plain->mass);
    lasting_turn_matrix(R, n, plain->damping);
    lasting_turn_matrix(R, n, plain->stiffness);
    for (size_t c = 0; c < plain->m; c++) {
        lasting_turn_row(R, n, plain->contact[c].normal);
        lasting_turn_row(R, n, plain->contact[c].tangent);
    }
    for (size_t l = 0; l < plain->loads; l++)
        lasting_turn_row(R, n, plain->load[l].direction);
    lasting_turn_row(R, n, q);
    lasting_turn_row(R, n, v);
}
