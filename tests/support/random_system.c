#include "random_system.h"

#include <math.h>
#include <string.h>

random_source random_seed(uint64_t seed) {
    return (random_source){seed * 0x9e3779b97f4a7c15ULL + 0x632be59bd9b4e019ULL};
}

/* splitmix64 */
static uint64_t random_next(random_source *source) {
    uint64_t z = (source->state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

double random_between(random_source *source, double low, double high) {
    return low + (high - low) * ((double)(random_next(source) >> 11) / 9007199254740992.0);
}

bool random_chance(random_source *source, double probability) {
    return random_between(source, 0, 1) < probability;
}

size_t random_index(random_source *source, size_t count) {
    return (size_t)(random_next(source) % count);
}

random_options random_options_default(size_t n, size_t m) {
    return (random_options){.n = n,
                            .m = m,
                            .damped = 0.5,
                            .held = 0.25,
                            .static_kinetic = 0.3,
                            .restitution = 0.15,
                            .belt = 0.3,
                            .friction = 0.6};
}

void random_definite(random_source *source, size_t n, double least, double size, double *matrix) {
    double a[PLAIN_SIZE * PLAIN_SIZE];
    for (size_t i = 0; i < n * n; i++)
        a[i] = random_between(source, -1, 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = i == j ? least : 0;
            for (size_t k = 0; k < n; k++)
                sum += size * a[k * n + i] * a[k * n + j] / (double)n;
            matrix[i * n + j] = matrix[j * n + i] = sum;
        }
}

static void random_rows(random_source *source, size_t n, size_t c, bool aligned, plain_contact *contact) {
    for (size_t i = 0; i < n; i++) {
        contact->normal[i] = aligned ? 0 : random_between(source, -0.3, 0.3);
        contact->tangent[i] = aligned ? 0 : random_between(source, -0.3, 0.3);
    }
    contact->normal[2 * c] += 1;
    contact->tangent[2 * c + 1] += 1;
}

static void random_laws(random_source *source, const random_options *options, plain_contact *contact) {
    contact->friction = random_between(source, 0.1, options->friction);
    contact->static_friction =
        random_chance(source, options->static_kinetic) ? contact->friction * random_between(source, 1.1, 1.6) : 0;
    contact->restitution = random_chance(source, options->restitution) ? random_between(source, 0.2, 0.8) : 0;
    contact->surface_velocity = random_chance(source, options->belt) ? random_between(source, -0.6, 0.6) : 0;
    if (!random_chance(source, options->held))
        return;
    contact->normal_law = AM_HELD;
    contact->restitution = 0;
    contact->hold = (am_function){.kind = AM_FUNCTION_SINE,
                                  .value = random_between(source, 0.5, 1.5),
                                  .amplitude = random_between(source, 0, 0.4),
                                  .frequency = random_between(source, 0.5, 2),
                                  .phase = random_between(source, 0, 6)};
}

static void random_load(random_source *source, const random_options *options, plain_load *load) {
    am_function *f = &load->function;
    for (size_t i = 0; i < options->n; i++)
        load->direction[i] = random_between(source, -1, 1);
    switch (random_index(source, options->piecewise ? 4 : 2)) {
    case 0:
        *f = (am_function){.kind = AM_FUNCTION_SINE,
                           .amplitude = random_between(source, 0.3, 1.5),
                           .frequency = random_between(source, 0.4, 2.5),
                           .phase = random_between(source, 0, 6)};
        break;
    case 1:
        *f = (am_function){.kind = AM_FUNCTION_RAMP,
                           .value = random_between(source, -0.5, 0.5),
                           .rate = random_between(source, -0.15, 0.15)};
        break;
    case 2: {
        size_t count = 3 + random_index(source, 5);
        *f = (am_function){.kind = AM_FUNCTION_TABLE, .count = count};
        double t = random_between(source, -1, 2);
        for (size_t i = 0; i < count; i++, t += random_between(source, 0.4, 3)) {
            load->times[i] = t;
            load->values[i] = random_between(source, -1.5, 1.5);
        }
        break;
    }
    default:
        *f = (am_function){.kind = AM_FUNCTION_PULSE,
                           .amplitude = random_between(source, -3, 3),
                           .start = random_between(source, 0, 4),
                           .duration = random_between(source, 0.3, 2),
                           .period = random_between(source, 2.5, 5),
                           .repeat = 1 + random_index(source, 4)};
        break;
    }
}

/* Positive gaps at the start, or exactly zero ones for contacts along coordinates. */
static void random_start(random_source *source, plain_system *plain, bool aligned, double *q, double *v) {
    bool at_rest = random_chance(source, 0.3);
    for (size_t i = 0; i < plain->n; i++) {
        q[i] = random_between(source, -0.5, 0.5);
        v[i] = at_rest ? 0 : random_between(source, -1, 1);
    }
    for (size_t c = 0; c < plain->m; c++) {
        plain_contact *contact = &plain->contact[c];
        if (contact->normal_law == AM_HELD)
            continue;
        if (aligned && random_chance(source, 0.6)) {
            q[2 * c] = v[2 * c] = 0; /* closed */
            continue;
        }
        double height = 0;
        for (size_t i = 0; i < plain->n; i++)
            height += contact->normal[i] * q[i];
        contact->gap = random_between(source, 0.05, 0.6) - height;
    }
}

void random_system(uint64_t seed, const random_options *options, plain_system *plain, double *q, double *v) {
    random_source source = random_seed(seed);
    size_t n = options->n;
    *plain = plain_system_new(n, options->m);
    random_definite(&source, n, 0.6, 1.0, plain->mass);
    random_definite(&source, n, 0.4, random_between(&source, 1, 6), plain->stiffness);
    if (random_chance(&source, options->damped))
        random_definite(&source, n, 0.02, random_between(&source, 0.05, 0.5), plain->damping);
    bool aligned = random_chance(&source, 0.5);
    plain_load *press = &plain->load[0];
    press->function = (am_function){.kind = AM_FUNCTION_CONSTANT, .value = 1};
    for (size_t c = 0; c < options->m; c++) {
        random_rows(&source, n, c, aligned, &plain->contact[c]);
        random_laws(&source, options, &plain->contact[c]);
        double force = random_between(&source, 0.3, 2);
        for (size_t i = 0; i < n; i++)
            press->direction[i] -= force * plain->contact[c].normal[i];
    }
    plain->loads = 2 + random_index(&source, 2);
    for (size_t l = 1; l < plain->loads; l++)
        random_load(&source, options, &plain->load[l]);
    random_start(&source, plain, aligned, q, v);
}
