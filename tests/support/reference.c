#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 quad;
#else
_Static_assert(LDBL_MANT_DIG >= 113, "the reference needs a 128-bit floating type");
typedef long double quad;
#endif

enum { ORDER = 34, SHORT_ORDER = 14, GRID = 200, COMBINATIONS = 256 };

/* Below this fraction of its scale a value counts as zero: errors are near 1e-30, generic values far above. */
static const double TINY = 1e-22;
static const double GRAZE = 1e-24;

/* ---------- arithmetic ---------- */

static quad q_abs(quad x) {
    return x < 0 ? -x : x;
}

static quad q_pi(void) {
    return (quad)3.141592653589793116 + (quad)1.2246467991473531772e-16 + (quad)-2.9947698097183396659e-33;
}

static void q_sine_cosine(quad x, quad *sine, quad *cosine) {
    const quad turn = 2 * q_pi();
    x -= turn * (quad)rint((double)(x / turn));
    x /= 16;
    quad s = 0, c = 0, term = 1;
    for (int k = 0; k < 40; k++) {
        switch (k % 4) {
        case 0:
            c += term;
            break;
        case 1:
            s += term;
            break;
        case 2:
            c -= term;
            break;
        default:
            s -= term;
            break;
        }
        term *= x / (k + 1);
    }
    for (int k = 0; k < 4; k++) {
        quad doubled = 2 * s * c;
        c = 1 - 2 * s * s;
        s = doubled;
    }
    *sine = s;
    *cosine = c;
}

void reference_sine_cosine(double x, double *sine, double *sine_low, double *cosine, double *cosine_low) {
    quad s, c;
    q_sine_cosine(x, &s, &c);
    *sine = (double)s;
    *sine_low = (double)(s - *sine);
    *cosine = (double)c;
    *cosine_low = (double)(c - *cosine);
}

void reference_oscillation(double frequency, double t, double beyond, double phase, double *sine, double *cosine) {
    quad s, c;
    q_sine_cosine((quad)frequency * ((quad)t + (quad)beyond) + (quad)phase, &s, &c);
    *sine = (double)s;
    *cosine = (double)c;
}

/* Gauss-Jordan: a (size x size) becomes its inverse. False when singular. */
static bool invert(size_t size, quad a[][2 * PLAIN_SIZE + 2 * PLAIN_CONTACTS],
                   quad inverse[][2 * PLAIN_SIZE + 2 * PLAIN_CONTACTS]) {
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            inverse[i][j] = i == j;
    for (size_t k = 0; k < size; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < size; i++)
            if (q_abs(a[i][k]) > q_abs(a[pivot][k]))
                pivot = i;
        if (!(q_abs(a[pivot][k]) > 1e-20))
            return false;
        for (size_t j = 0; j < size; j++) {
            quad swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
            swap = inverse[k][j];
            inverse[k][j] = inverse[pivot][j];
            inverse[pivot][j] = swap;
        }
        quad scale = 1 / a[k][k];
        for (size_t j = 0; j < size; j++) {
            a[k][j] *= scale;
            inverse[k][j] *= scale;
        }
        for (size_t i = 0; i < size; i++) {
            quad factor = a[i][k];
            if (i == k || factor == 0)
                continue;
            for (size_t j = 0; j < size; j++) {
                a[i][j] -= factor * a[k][j];
                inverse[i][j] -= factor * inverse[k][j];
            }
        }
    }
    return true;
}

/* ---------- plain data ---------- */

plain_system plain_system_new(size_t n, size_t m) {
    plain_system plain;
    memset(&plain, 0, sizeof plain);
    plain.n = n;
    plain.m = m;
    for (size_t i = 0; i < n; i++)
        plain.mass[i * n + i] = 1;
    return plain;
}

plain_system plain_klarbring(double f, double c1, double c2) {
    plain_system plain = plain_system_new(2, 1);
    const double stiffness[4] = {1, 1, 1, 2};
    memcpy(plain.stiffness, stiffness, sizeof stiffness);
    plain.contact[0].normal[1] = 1;
    plain.contact[0].tangent[0] = 1;
    plain.contact[0].friction = f;
    plain.loads = 2;
    plain.load[0].direction[0] = 1;
    plain.load[1].direction[1] = 1;
    plain.load[0].function = (am_function){.kind = AM_FUNCTION_RAMP, .rate = c1};
    plain.load[1].function = (am_function){.kind = AM_FUNCTION_RAMP, .rate = c2};
    return plain;
}

am_system *plain_system_create(const plain_system *plain, am_error *err) {
    size_t n = plain->n;
    am_contact_def contacts[PLAIN_CONTACTS];
    am_load_def loads[PLAIN_LOADS];
    for (size_t c = 0; c < plain->m; c++) {
        const plain_contact *from = &plain->contact[c];
        contacts[c] = am_contact_def_default();
        contacts[c].normal = from->normal;
        contacts[c].tangent = from->tangent;
        contacts[c].gap = from->gap;
        contacts[c].surface_velocity = from->surface_velocity;
        contacts[c].normal_law = from->normal_law;
        contacts[c].restitution = from->restitution;
        if (from->normal_law == AM_HELD)
            contacts[c].hold = from->hold;
        contacts[c].friction = from->friction;
        contacts[c].static_friction = from->static_friction;
        contacts[c].tangential_stiffness = from->tangential_stiffness;
    }
    for (size_t i = 0; i < plain->loads; i++) {
        loads[i].direction = plain->load[i].direction;
        loads[i].function = plain->load[i].function;
        loads[i].function.times = plain->load[i].times;
        loads[i].function.values = plain->load[i].values;
    }
    am_system_def def = am_system_def_default();
    def.n = n;
    am_matrix *mass = am_matrix_dense(n, n, plain->mass, err);
    am_matrix *damping = am_matrix_dense(n, n, plain->damping, err);
    am_matrix *stiffness = am_matrix_dense(n, n, plain->stiffness, err);
    def.mass = plain->massless ? NULL : mass;
    def.damping = plain->massless ? NULL : damping;
    def.stiffness = stiffness;
    def.contact_count = plain->m;
    def.contacts = contacts;
    def.load_count = plain->loads;
    def.loads = loads;
    am_system *system = mass && damping && stiffness ? am_system_create(&def, err) : NULL;
    am_matrix_free(mass);
    am_matrix_free(damping);
    am_matrix_free(stiffness);
    return system;
}

/* ---------- the problem in 128 bits ---------- */

/* Motion within one combination: accelerations = Y r, multipliers = L r. */
typedef struct flow {
    bool known, singular;
    am_contact_state state[PLAIN_CONTACTS];
    size_t p;
    int normal_row[PLAIN_CONTACTS], stick_row[PLAIN_CONTACTS];
    quad Y[PLAIN_SIZE][PLAIN_SIZE];
    quad L[2 * PLAIN_CONTACTS][PLAIN_SIZE];
    double rate;
} flow;

typedef struct problem {
    const plain_system *plain;
    size_t n, m;
    quad M[PLAIN_SIZE][PLAIN_SIZE], C[PLAIN_SIZE][PLAIN_SIZE], K[PLAIN_SIZE][PLAIN_SIZE];
    quad normal[PLAIN_CONTACTS][PLAIN_SIZE], tangent[PLAIN_CONTACTS][PLAIN_SIZE];
    quad mu[PLAIN_CONTACTS], mu_static[PLAIN_CONTACTS], gap0[PLAIN_CONTACTS], hold_factor[PLAIN_CONTACTS];
    quad direction[PLAIN_LOADS][PLAIN_SIZE];
    quad q0[PLAIN_SIZE], v0[PLAIN_SIZE];
    double load_rate;
    double moment;
    quad perturbation;
    unsigned long long seed;
    flow *flows; /* COMBINATIONS */
} problem;

/* A Taylor expansion of everything about time t. */
typedef struct expansion {
    const flow *flow;
    quad t, h;
    int order;
    quad q[ORDER + 1][PLAIN_SIZE], v[ORDER + 1][PLAIN_SIZE];
    quad N[ORDER][PLAIN_CONTACTS], T[ORDER][PLAIN_CONTACTS];
} expansion;

typedef struct moment_state {
    quad t;
    quad q[PLAIN_SIZE], v[PLAIN_SIZE];
    am_contact_state state[PLAIN_CONTACTS];
} moment_state;

static double jitter(unsigned long long *seed) {
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static bool starts_on_a_border(const plain_system *plain, const reference_options *options) {
    for (size_t c = 0; c < plain->m; c++) {
        const plain_contact *contact = &plain->contact[c];
        quad gap = contact->gap, slide = -(quad)contact->surface_velocity;
        for (size_t i = 0; i < plain->n; i++) {
            gap += (quad)contact->normal[i] * options->q[i];
            slide += (quad)contact->tangent[i] * options->v[i];
        }
        if (contact->normal_law == AM_UNILATERAL ? q_abs(gap) < 1e-14 : q_abs(slide) < 1e-14)
            return true;
    }
    return false;
}

static double function_rate_scale(const am_function *function) {
    if (function->kind == AM_FUNCTION_SINE)
        return fabs(function->frequency);
    if (function->kind == AM_FUNCTION_PULSE)
        return 6.3 / function->duration;
    return 0;
}

static quad dot(const problem *p, const quad *a, const quad *b) {
    quad sum = 0;
    for (size_t i = 0; i < p->n; i++)
        sum += a[i] * b[i];
    return sum;
}

static bool held(const problem *p, size_t c) {
    return p->plain->contact[c].normal_law == AM_HELD;
}

static quad gap_of(const problem *p, size_t c, const quad *q) {
    return p->gap0[c] + dot(p, p->normal[c], q);
}

static quad slide_of(const problem *p, size_t c, const quad *v) {
    return dot(p, p->tangent[c], v) - p->plain->contact[c].surface_velocity;
}

static quad friction_sign(am_contact_state state) {
    return state == AM_FORWARD ? -1 : state == AM_BACKWARD ? 1 : 0;
}

/* ---------- loads ---------- */

static void table_piece(const plain_load *load, quad t, quad *value, quad *rate) {
    const am_function *f = &load->function;
    if (f->period > 0)
        t -= (quad)f->period * (quad)floor((double)((t - load->times[0]) / f->period + (quad)1e-25));
    size_t last = f->count - 1;
    *rate = 0;
    if (t < load->times[0] - (quad)1e-25) {
        *value = load->values[0];
        return;
    }
    for (size_t i = 0; i < last; i++)
        if (t < load->times[i + 1] - (quad)1e-25) {
            *rate = ((quad)load->values[i + 1] - load->values[i]) / ((quad)load->times[i + 1] - load->times[i]);
            *value = load->values[i] + *rate * (t - load->times[i]);
            return;
        }
    *value = load->values[last];
}

/* Taylor coefficients just after t. */
static void function_taylor(const am_function *f, const plain_load *load, quad t, int order, quad *coefficient) {
    for (int k = 0; k < order; k++)
        coefficient[k] = 0;
    quad amplitude = 0, angle = 0, frequency = 0;
    switch (f->kind) {
    case AM_FUNCTION_CONSTANT:
        coefficient[0] = f->value;
        break;
    case AM_FUNCTION_RAMP:
        coefficient[0] = f->value + f->rate * t;
        coefficient[1] = f->rate;
        break;
    case AM_FUNCTION_SINE:
        coefficient[0] = f->value;
        amplitude = f->amplitude;
        frequency = f->frequency;
        angle = f->frequency * t + f->phase;
        break;
    case AM_FUNCTION_TABLE:
        table_piece(load, t, &coefficient[0], &coefficient[1]);
        break;
    case AM_FUNCTION_PULSE:
        for (size_t k = 0; k < (f->repeat ? f->repeat : 1); k++) {
            quad since = t - f->start - (quad)f->period * k;
            if (since >= -(quad)1e-25 && since < f->duration - (quad)1e-25) {
                coefficient[0] = (quad)f->amplitude / 2;
                amplitude = -(quad)f->amplitude / 2;
                frequency = 2 * q_pi() / f->duration;
                angle = frequency * since + q_pi() / 2;
            }
        }
        break;
    default:
        break;
    }
    if (amplitude == 0)
        return;
    quad s, c, factor = amplitude;
    q_sine_cosine(angle, &s, &c);
    for (int k = 0; k < order; k++) {
        quad derivative = k % 4 == 0 ? s : k % 4 == 1 ? c : k % 4 == 2 ? -s : -c;
        coefficient[k] += factor * derivative;
        factor *= frequency / (k + 1);
    }
}

static void consider_break(quad candidate, quad t, quad *next) {
    if (candidate > t + (quad)1e-20 && candidate < *next)
        *next = candidate;
}

/* The first time after t at which a load changes its formula. */
static quad next_break(const problem *p, quad t, quad next) {
    for (size_t l = 0; l < p->plain->loads; l++) {
        const plain_load *load = &p->plain->load[l];
        const am_function *f = &load->function;
        if (f->kind == AM_FUNCTION_PULSE)
            for (size_t k = 0; k < (f->repeat ? f->repeat : 1); k++) {
                consider_break(f->start + (quad)f->period * k, t, &next);
                consider_break(f->start + (quad)f->period * k + f->duration, t, &next);
            }
        if (f->kind != AM_FUNCTION_TABLE)
            continue;
        double turn = f->period > 0 ? floor((double)((t - load->times[0]) / f->period)) : 0;
        for (int k = -1; k <= 1; k++)
            for (size_t i = 0; i < f->count; i++)
                if (f->period > 0 || k == 0)
                    consider_break(load->times[i] + (quad)f->period * (quad)(turn + k), t, &next);
    }
    return next;
}

/* ---------- motion within a combination ---------- */

static void flow_rate(const problem *p, flow *f) {
    double stiff = 0, damp = 0;
    for (size_t i = 0; i < p->n; i++) {
        double row = 0, damp_row = 0;
        for (size_t j = 0; j < p->n; j++) {
            quad k = 0, c = 0;
            for (size_t l = 0; l < p->n; l++) {
                k += f->Y[i][l] * p->K[l][j];
                c += f->Y[i][l] * p->C[l][j];
            }
            row += fabs((double)k);
            damp_row += fabs((double)c);
        }
        stiff = fmax(stiff, row);
        damp = fmax(damp, damp_row);
    }
    f->rate = fmax(sqrt(stiff) + damp + p->load_rate, 1e-3);
}

static const flow *flow_of(const problem *p, const am_contact_state *state) {
    size_t code = 0, n = p->n;
    for (size_t c = 0; c < p->m; c++)
        code = 4 * code + (size_t)state[c];
    flow *f = &p->flows[code];
    if (f->known)
        return f;
    f->known = true;
    memcpy(f->state, state, p->m * sizeof *state);
    quad a[2 * PLAIN_SIZE + 2 * PLAIN_CONTACTS][2 * PLAIN_SIZE + 2 * PLAIN_CONTACTS] = {{0}};
    quad inverse[2 * PLAIN_SIZE + 2 * PLAIN_CONTACTS][2 * PLAIN_SIZE + 2 * PLAIN_CONTACTS];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i][j] = p->M[i][j];
    size_t row = n;
    for (size_t c = 0; c < p->m; c++) {
        f->normal_row[c] = f->stick_row[c] = -1;
        if (state[c] != AM_OPEN && !held(p, c)) {
            for (size_t i = 0; i < n; i++) {
                a[row][i] = p->normal[c][i];
                a[i][row] = -(p->normal[c][i] + friction_sign(state[c]) * p->mu[c] * p->tangent[c][i]);
            }
            f->normal_row[c] = (int)(row++ - n);
        }
        if (state[c] == AM_STICK) {
            for (size_t i = 0; i < n; i++) {
                a[row][i] = p->tangent[c][i];
                a[i][row] = -p->tangent[c][i];
            }
            f->stick_row[c] = (int)(row++ - n);
        }
    }
    f->p = row - n;
    f->singular = !invert(row, a, inverse);
    if (f->singular)
        return f;
    for (size_t i = 0; i < n; i++)
        memcpy(f->Y[i], inverse[i], n * sizeof(quad));
    for (size_t i = 0; i < f->p; i++)
        memcpy(f->L[i], inverse[n + i], n * sizeof(quad));
    flow_rate(p, f);
    return f;
}

static bool problem_init(problem *p, const plain_system *plain, const reference_options *options) {
    memset(p, 0, sizeof *p);
    p->plain = plain;
    size_t n = p->n = plain->n;
    p->m = plain->m;
    unsigned long long seed = 12345;
    quad e = options->perturbation;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            p->M[i][j] = p->M[j][i] = plain->mass[i * n + j] * (1 + e * jitter(&seed));
            p->K[i][j] = p->K[j][i] = plain->stiffness[i * n + j] * (1 + e * jitter(&seed));
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            p->C[i][j] = plain->damping[i * n + j] * (1 + e * jitter(&seed));
    quad e_start = starts_on_a_border(plain, options) ? 0 : e;
    for (size_t c = 0; c < p->m; c++) {
        const plain_contact *contact = &plain->contact[c];
        double mu_static = contact->static_friction > 0 ? contact->static_friction : contact->friction;
        quad factor = 1 + e * jitter(&seed);
        p->mu[c] = contact->friction * factor;
        p->mu_static[c] = mu_static * factor;
        p->hold_factor[c] = 1 + e * jitter(&seed);
        p->gap0[c] = contact->gap * (1 + e_start * jitter(&seed));
        for (size_t i = 0; i < n; i++) {
            p->normal[c][i] = contact->normal[i];
            p->tangent[c][i] = contact->tangent[i];
        }
        if (contact->normal_law == AM_HELD)
            p->load_rate = fmax(p->load_rate, function_rate_scale(&contact->hold));
    }
    for (size_t l = 0; l < plain->loads; l++) {
        for (size_t i = 0; i < n; i++)
            p->direction[l][i] = plain->load[l].direction[i] * (1 + e * jitter(&seed));
        p->load_rate = fmax(p->load_rate, function_rate_scale(&plain->load[l].function));
    }
    for (size_t i = 0; i < n; i++) {
        p->q0[i] = options->q[i] * (1 + e_start * jitter(&seed));
        p->v0[i] = options->v[i] * (1 + e_start * jitter(&seed));
    }
    p->perturbation = e;
    p->seed = seed;
    p->moment = options->moment > 0 ? options->moment : 1e-5;
    p->flows = calloc(COMBINATIONS, sizeof *p->flows);
    if (!p->flows)
        return false;
    const am_contact_state free_flight[PLAIN_CONTACTS] = {AM_OPEN};
    flow_of(p, free_flight); /* its rate serves as the time scale */
    return true;
}

static void expand(const problem *p, const flow *f, quad t, const quad *q, const quad *v, int order, expansion *x) {
    size_t n = p->n;
    quad load[PLAIN_LOADS][ORDER], hold[PLAIN_CONTACTS][ORDER];
    x->flow = f;
    x->t = t;
    x->order = order;
    x->h = (quad)(0.7 / f->rate);
    for (size_t l = 0; l < p->plain->loads; l++)
        function_taylor(&p->plain->load[l].function, &p->plain->load[l], t, order, load[l]);
    for (size_t c = 0; c < p->m; c++)
        if (held(p, c))
            function_taylor(&p->plain->contact[c].hold, NULL, t, order, hold[c]);
    memcpy(x->q[0], q, n * sizeof *q);
    memcpy(x->v[0], v, n * sizeof *v);
    for (int k = 0; k < order; k++) {
        quad r[PLAIN_SIZE];
        for (size_t i = 0; i < n; i++) {
            r[i] = 0;
            for (size_t l = 0; l < p->plain->loads; l++)
                r[i] += p->direction[l][i] * load[l][k];
            for (size_t j = 0; j < n; j++)
                r[i] -= p->C[i][j] * x->v[k][j] + p->K[i][j] * x->q[k][j];
        }
        for (size_t c = 0; c < p->m; c++)
            if (held(p, c)) {
                x->N[k][c] = hold[c][k] * p->hold_factor[c];
                for (size_t i = 0; i < n; i++)
                    r[i] += x->N[k][c] * (p->normal[c][i] + friction_sign(f->state[c]) * p->mu[c] * p->tangent[c][i]);
            }
        for (size_t i = 0; i < n; i++) {
            quad a = 0;
            for (size_t j = 0; j < n; j++)
                a += f->Y[i][j] * r[j];
            x->v[k + 1][i] = a / (k + 1);
            x->q[k + 1][i] = x->v[k][i] / (k + 1);
        }
        for (size_t c = 0; c < p->m; c++) {
            if (!held(p, c)) {
                x->N[k][c] = 0;
                for (size_t j = 0; j < n && f->normal_row[c] >= 0; j++)
                    x->N[k][c] += f->L[f->normal_row[c]][j] * r[j];
            }
            x->T[k][c] = friction_sign(f->state[c]) * p->mu[c] * x->N[k][c];
            for (size_t j = 0; j < n && f->stick_row[c] >= 0; j++)
                x->T[k][c] += f->L[f->stick_row[c]][j] * r[j];
        }
    }
}

static void expansion_at(const problem *p, const expansion *x, quad s, quad *q, quad *v) {
    for (size_t i = 0; i < p->n; i++) {
        q[i] = v[i] = 0;
        for (int k = x->order - 1; k >= 0; k--) {
            q[i] = q[i] * s + x->q[k][i];
            v[i] = v[i] * s + x->v[k][i];
        }
    }
}

/* ---------- switching quantities ---------- */

/* All must stay positive: a gap; N, and mu N -/+ T in stick; the sliding velocity's sign in slip. Quantity `index` of
 * contact c as a polynomial; false when there is none of that index. */
static bool quantity(const problem *p, const expansion *x, size_t c, int index, quad *poly) {
    am_contact_state state = x->flow->state[c];
    for (int k = 0; k < x->order; k++) {
        quad value;
        if (state == AM_OPEN) {
            if (index > 0)
                return false;
            value = dot(p, p->normal[c], x->q[k]) + (k == 0 ? p->gap0[c] : 0);
        } else if (index == 0) {
            value = x->N[k][c];
        } else if (state == AM_STICK) {
            if (index > 2)
                return false;
            value = p->mu_static[c] * x->N[k][c] + (index == 1 ? x->T[k][c] : -x->T[k][c]);
        } else {
            if (index > 1)
                return false;
            value = dot(p, p->tangent[c], x->v[k]) - (k == 0 ? (quad)p->plain->contact[c].surface_velocity : 0);
            if (state == AM_BACKWARD)
                value = -value;
        }
        poly[k] = value;
    }
    return true;
}

static quad horner(const quad *poly, int order, quad s) {
    quad value = 0;
    for (int k = order - 1; k >= 0; k--)
        value = value * s + poly[k];
    return value;
}

static quad horner_slope(const quad *poly, int order, quad s) {
    quad value = 0;
    for (int k = order - 1; k >= 1; k--)
        value = value * s + poly[k] * k;
    return value;
}

typedef struct scanned {
    int order;
    quad poly[ORDER];
    long double fast[ORDER];
    long double scale;
} scanned;

/* Fast where the sign is beyond doubt, in 128 bits where it is not. */
static quad scanned_at(const scanned *g, quad s) {
    long double value = 0, x = (long double)s;
    for (int k = g->order - 1; k >= 0; k--)
        value = value * x + g->fast[k];
    if (fabsl(value) > 1e-13L * g->scale)
        return value;
    return horner(g->poly, g->order, s);
}

static quad bisect(const scanned *g, quad (*f)(const quad *, int, quad), quad low, quad high, bool falling) {
    for (int i = 0; i < 118; i++) {
        quad middle = (low + high) / 2;
        bool left = f(g->poly, g->order, middle) > 0;
        if (left == falling)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* First time in (from, to] at which the quantity turns negative. */
static bool first_root(const scanned *g, quad from, quad to, quad *root, size_t *grazes) {
    quad point[GRID + 64], value[GRID + 64];
    size_t count = 0;
    for (quad s = from; s > 0 && s < to / GRID && count < 60; s *= 2)
        point[count++] = s;
    if (count == 0)
        point[count++] = from;
    quad base = point[count - 1];
    for (int i = 1; i <= GRID; i++)
        point[count++] = base + (to - base) * i / GRID;
    for (size_t i = 0; i < count; i++)
        value[i] = scanned_at(g, point[i]);
    quad graze = (quad)(GRAZE * g->scale);
    for (size_t i = 1; i < count; i++) {
        if (i + 1 < count && value[i] <= value[i - 1] && value[i] <= value[i + 1] && value[i] > -graze) {
            quad lowest = bisect(g, horner_slope, point[i - 1], point[i + 1], false);
            quad least = horner(g->poly, g->order, lowest);
            if (least < -graze) {
                *root = bisect(g, horner, point[i - 1], lowest, true);
                return true;
            }
            if (least <= graze)
                ++*grazes;
        }
        if (value[i] < -graze) {
            *root = bisect(g, horner, point[i - 1], point[i], true);
            return true;
        }
    }
    return false;
}

static void scanned_init(scanned *g, int order, quad h) {
    g->order = order;
    g->scale = 0;
    quad power = 1;
    for (int k = 0; k < order; k++) {
        g->fast[k] = (long double)g->poly[k];
        g->scale = fmaxl(g->scale, fabsl((long double)(g->poly[k] * power)));
        power *= h;
    }
}

/* ---------- the next state, by trying ---------- */

static double speed_scale(const problem *p, const quad *v) {
    double scale = 1e-3;
    for (size_t i = 0; i < p->n; i++)
        scale = fmax(scale, fabs((double)v[i]));
    return scale;
}

/* Does the present position and velocity allow this state of contact c? */
static bool kinematically_possible(const problem *p, const moment_state *s, size_t c, am_contact_state state) {
    quad tiny = (quad)(TINY * speed_scale(p, s->v));
    if (!held(p, c)) {
        quad gap = gap_of(p, c, s->q), approach = dot(p, p->normal[c], s->v);
        bool touching = q_abs(gap)<(quad)TINY, parting = approach> tiny;
        if (state == AM_OPEN)
            return !touching || approach > -tiny;
        if (!touching || parting)
            return false;
    } else if (state == AM_OPEN) {
        return false;
    }
    quad slide = slide_of(p, c, s->v);
    if (state == AM_STICK)
        return q_abs(slide) <= tiny;
    return state == AM_FORWARD ? slide >= -tiny : slide <= tiny;
}

/* Do the inequalities of one contact (or, with c = m, of all) hold for a moment in this combination? */
static bool holds_for_a_moment(const problem *p, const moment_state *s, const am_contact_state *state, size_t only,
                               double relative) {
    const flow *f = flow_of(p, state);
    if (f->singular)
        return false;
    expansion x;
    expand(p, f, s->t, s->q, s->v, SHORT_ORDER, &x);
    quad poly[ORDER];
    for (size_t c = 0; c < p->m; c++)
        for (int index = 0; (only == p->m || only == c) && quantity(p, &x, c, index, poly); index++)
            for (int part = 1; part <= 4; part++)
                if (!(horner(poly, SHORT_ORDER, x.h * (quad)relative * part / 4) > 0))
                    return false;
    return true;
}

typedef struct choice {
    size_t count;
    am_contact_state state[COMBINATIONS][PLAIN_CONTACTS];
} choice;

/* Where static friction exceeds kinetic, a contact at rest slides only if, all others doing what they do, it could not
 * stick. Without this rule it could break loose of itself whenever its force lies between the two limits. */
static bool breaks_loose_unasked(const problem *p, const moment_state *s, const am_contact_state *state,
                                 double relative) {
    quad tiny = (quad)(TINY * speed_scale(p, s->v));
    for (size_t c = 0; c < p->m; c++) {
        bool slips = state[c] == AM_FORWARD || state[c] == AM_BACKWARD;
        if (!slips || !(p->mu_static[c] > p->mu[c]) || q_abs(slide_of(p, c, s->v)) > tiny)
            continue;
        am_contact_state stuck[PLAIN_CONTACTS];
        memcpy(stuck, state, sizeof stuck);
        stuck[c] = AM_STICK;
        if (holds_for_a_moment(p, s, stuck, c, relative))
            return true;
    }
    return false;
}

/* Of several consistent combinations, those in which a contact breaks loose without need are no solutions. (When only
 * such a combination is consistent it is one: slipping elsewhere may relieve the very contact whose limit was reached.)
 */
static void drop_unasked(const problem *p, const moment_state *s, double relative, choice *found) {
    bool unasked[COMBINATIONS];
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        unasked[i] = breaks_loose_unasked(p, s, found->state[i], relative);
        kept += !unasked[i];
    }
    if (kept == 0 || kept == found->count)
        return;
    kept = 0;
    for (size_t i = 0; i < found->count; i++)
        if (!unasked[i])
            memmove(found->state[kept++], found->state[i], sizeof found->state[0]);
    found->count = kept;
}

static void try_all(const problem *p, const moment_state *s, double relative, choice *found) {
    size_t total = 1;
    for (size_t c = 0; c < p->m; c++)
        total *= 4;
    found->count = 0;
    for (size_t code = 0; code < total; code++) {
        am_contact_state state[PLAIN_CONTACTS];
        bool possible = true;
        size_t rest = code;
        for (size_t c = 0; c < p->m; c++, rest /= 4) {
            state[c] = (am_contact_state)(rest % 4);
            possible = possible && kinematically_possible(p, s, c, state[c]);
        }
        if (possible && holds_for_a_moment(p, s, state, p->m, relative))
            memcpy(found->state[found->count++], state, sizeof state);
    }
    drop_unasked(p, s, relative, found);
}

/* Is some contact about to strike within the shortest trial time? Then `no state` only means that impacts follow each
 * other too closely. */
static bool strikes_at_once(const problem *p, const moment_state *s, double relative) {
    for (size_t c = 0; c < p->m; c++) {
        quad gap = gap_of(p, c, s->q), approach = -dot(p, p->normal[c], s->v);
        if (!held(p, c) && gap >= (quad)TINY && approach > 0 &&
            gap / approach < (quad)(10 * relative / p->flows[0].rate))
            return true;
    }
    return false;
}

/* Sets s->state. Shorter and shorter trial times, because the next switch may follow closely. */
static reference_status decide(const problem *p, moment_state *s, double *used, size_t *candidates) {
    choice *found = malloc(sizeof *found);
    if (!found)
        return REFERENCE_CONFUSED;
    double relative = p->moment;
    for (int attempt = 0; attempt < 4; attempt++, relative /= 10) {
        try_all(p, s, relative, found);
        *used = relative;
        if (found->count == 1)
            break;
    }
    size_t count = found->count;
    *candidates = count;
    if (count >= 1)
        memcpy(s->state, found->state[0], sizeof s->state);
    free(found);
    if (count == 0 && strikes_at_once(p, s, relative))
        return REFERENCE_DENSE;
    return count == 1 ? REFERENCE_OK : count == 0 ? REFERENCE_NO_STATE : REFERENCE_SEVERAL_STATES;
}

/* ---------- impacts ---------- */

typedef struct blow {
    bool happened;
    am_contact_state during[PLAIN_CONTACTS];
} blow;

static bool impulses_solve(const problem *p, const moment_state *s, const am_contact_state *during, quad *after,
                           quad *P, quad *Q) {
    size_t n = p->n, row = n;
    quad a[2 * PLAIN_SIZE + 2 * PLAIN_CONTACTS][2 * PLAIN_SIZE + 2 * PLAIN_CONTACTS] = {{0}};
    quad inverse[2 * PLAIN_SIZE + 2 * PLAIN_CONTACTS][2 * PLAIN_SIZE + 2 * PLAIN_CONTACTS];
    quad right[2 * PLAIN_SIZE + 2 * PLAIN_CONTACTS] = {0};
    int normal_row[PLAIN_CONTACTS], stick_row[PLAIN_CONTACTS];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            a[i][j] = p->M[i][j];
            right[i] += p->M[i][j] * s->v[j];
        }
    for (size_t c = 0; c < p->m; c++) {
        normal_row[c] = stick_row[c] = -1;
        if (during[c] == AM_OPEN)
            continue;
        quad approach = dot(p, p->normal[c], s->v);
        for (size_t i = 0; i < n; i++) {
            a[row][i] = p->normal[c][i];
            a[i][row] = -(p->normal[c][i] + friction_sign(during[c]) * p->mu[c] * p->tangent[c][i]);
        }
        right[row] = approach < 0 ? -(quad)p->plain->contact[c].restitution * approach : 0;
        normal_row[c] = (int)row++;
        if (during[c] != AM_STICK)
            continue;
        for (size_t i = 0; i < n; i++) {
            a[row][i] = p->tangent[c][i];
            a[i][row] = -p->tangent[c][i];
        }
        right[row] = p->plain->contact[c].surface_velocity;
        stick_row[c] = (int)row++;
    }
    if (!invert(row, a, inverse))
        return false;
    quad solution[2 * PLAIN_SIZE + 2 * PLAIN_CONTACTS];
    for (size_t i = 0; i < row; i++) {
        solution[i] = 0;
        for (size_t j = 0; j < row; j++)
            solution[i] += inverse[i][j] * right[j];
    }
    memcpy(after, solution, n * sizeof *after);
    for (size_t c = 0; c < p->m; c++) {
        P[c] = normal_row[c] >= 0 ? solution[normal_row[c]] : 0;
        Q[c] = stick_row[c] >= 0 ? solution[stick_row[c]] : friction_sign(during[c]) * p->mu[c] * P[c];
    }
    return true;
}

static bool impulses_consistent(const problem *p, const moment_state *s, const am_contact_state *during,
                                const bool *touching, const quad *after, const quad *P, const quad *Q) {
    quad tiny = (quad)(TINY * speed_scale(p, s->v));
    for (size_t c = 0; c < p->m; c++) {
        if (!touching[c])
            continue;
        quad approach = dot(p, p->normal[c], s->v), rebound = dot(p, p->normal[c], after),
             slide = slide_of(p, c, after);
        quad wanted = approach < 0 ? -(quad)p->plain->contact[c].restitution * approach : 0;
        bool fine = true;
        if (during[c] == AM_OPEN)
            fine = rebound >= wanted - tiny;
        else if (P[c] < -tiny)
            fine = false;
        else if (during[c] == AM_STICK)
            fine = q_abs(Q[c]) <= p->mu[c] * P[c] + tiny;
        else
            fine = during[c] == AM_FORWARD ? slide >= -tiny : slide <= tiny;
        if (!fine)
            return false;
    }
    return true;
}

/* If a touching contact is approached: all sets of impulses, and the one velocity they lead to. */
static reference_status strike(const problem *p, moment_state *s, blow *result, size_t *candidates) {
    bool touching[PLAIN_CONTACTS];
    quad tiny = (quad)(TINY * speed_scale(p, s->v));
    result->happened = false;
    size_t total = 1;
    for (size_t c = 0; c < p->m; c++) {
        touching[c] = !held(p, c) && q_abs(gap_of(p, c, s->q)) < (quad)TINY;
        result->happened = result->happened || (touching[c] && dot(p, p->normal[c], s->v) < -tiny);
        result->during[c] = AM_OPEN;
        total *= 4;
    }
    if (!result->happened)
        return REFERENCE_OK;
    quad chosen[PLAIN_SIZE] = {0};
    size_t distinct = 0;
    for (size_t code = 0; code < total; code++) {
        am_contact_state during[PLAIN_CONTACTS];
        quad after[PLAIN_SIZE], P[PLAIN_CONTACTS], Q[PLAIN_CONTACTS];
        bool possible = true;
        size_t rest = code;
        for (size_t c = 0; c < p->m; c++, rest /= 4) {
            during[c] = (am_contact_state)(rest % 4);
            possible = possible && (touching[c] || during[c] == AM_OPEN);
        }
        if (!possible || !impulses_solve(p, s, during, after, P, Q) ||
            !impulses_consistent(p, s, during, touching, after, P, Q))
            continue;
        bool same = distinct > 0;
        for (size_t i = 0; i < p->n && same; i++)
            same = q_abs(after[i] - chosen[i]) <= 100 * tiny;
        if (same)
            continue;
        if (distinct++ == 0) {
            memcpy(chosen, after, sizeof chosen);
            memcpy(result->during, during, sizeof during);
        }
    }
    *candidates = distinct;
    if (distinct != 1)
        return distinct == 0 ? REFERENCE_NO_IMPACT : REFERENCE_SEVERAL_IMPACTS;
    memcpy(s->v, chosen, sizeof chosen);
    return REFERENCE_OK;
}

/* ---------- the run ---------- */

static void record(const problem *p, const moment_state *s, const am_contact_state *before, const blow *hit,
                   reference_result *result) {
    for (size_t c = 0; c < p->m; c++) {
        bool struck = hit->happened && hit->during[c] != AM_OPEN && before[c] == AM_OPEN;
        if (before[c] == s->state[c] && !struck)
            continue;
        if (result->count == result->room) {
            result->status = REFERENCE_LIMIT;
            return;
        }
        reference_event *event = &result->events[result->count++];
        event->t = (double)s->t;
        event->t_low = (double)(s->t - event->t);
        event->contact = c;
        event->from = before[c];
        event->during = hit->happened ? hit->during[c] : s->state[c];
        event->to = s->state[c];
        event->impact = hit->happened;
        for (size_t i = 0; i < p->n; i++) {
            event->q[i] = (double)s->q[i];
            event->v[i] = (double)s->v[i];
        }
    }
}

static void settle(const problem *p, moment_state *s, double *used, reference_result *result, bool first) {
    am_contact_state before[PLAIN_CONTACTS];
    memcpy(before, s->state, sizeof before);
    blow hit;
    result->status = strike(p, s, &hit, &result->candidates);
    if (result->status == REFERENCE_OK)
        result->status = decide(p, s, used, &result->candidates);
    result->failed_at = (double)s->t;
    if (result->status == REFERENCE_OK && !first)
        record(p, s, before, &hit, result);
}

/* Advance to the next switch, break of a load, or `until`. True: settle there. */
static bool advance(const problem *p, moment_state *s, quad until, double *used, reference_result *result) {
    expansion x;
    quad stop = next_break(p, s->t, until);
    for (;;) {
        expand(p, flow_of(p, s->state), s->t, s->q, s->v, ORDER, &x);
        quad from = x.h * (quad)*used, to = x.h;
        bool at_stop = s->t + to >= stop;
        if (at_stop)
            to = stop - s->t;
        quad first = to;
        bool found = false;
        for (size_t c = 0; c < p->m; c++) {
            scanned g;
            for (int index = 0; quantity(p, &x, c, index, g.poly); index++) {
                quad root;
                scanned_init(&g, ORDER, x.h);
                if (g.scale == 0 || from >= to)
                    continue;
                if (first_root(&g, from, to, &root, &result->grazes) && root < first) {
                    first = root;
                    found = true;
                }
            }
        }
        expansion_at(p, &x, first, s->q, s->v);
        s->t = !found && at_stop ? stop : s->t + first;
        *used = 0;
        if (found)
            return true;
        if (at_stop)
            return stop < until;
    }
}

/* Rounding at an event, enlarged or reduced to `perturbation`: it need not respect that a gap is exactly zero. */
static void disturb(problem *p, moment_state *s) {
    for (size_t i = 0; i < p->n; i++) {
        s->q[i] *= 1 + p->perturbation * jitter(&p->seed);
        s->v[i] *= 1 + p->perturbation * jitter(&p->seed);
    }
}

void reference_run(const plain_system *plain, const reference_options *options, reference_result *result) {
    static const problem none;
    problem p = none;
    result->status = REFERENCE_CONFUSED;
    result->count = result->grazes = result->candidates = 0;
    if (!problem_init(&p, plain, options))
        return;
    moment_state s;
    memset(&s, 0, sizeof s);
    s.t = options->from;
    memcpy(s.q, p.q0, sizeof s.q);
    memcpy(s.v, p.v0, sizeof s.v);
    double used = 0;
    settle(&p, &s, &used, result, true);
    memcpy(result->initial, s.state, sizeof s.state);
    quad last = s.t;
    while (result->status == REFERENCE_OK && advance(&p, &s, options->until, &used, result)) {
        size_t before = result->count;
        settle(&p, &s, &used, result, false);
        disturb(&p, &s);
        bool crowded = s.t - last < (quad)1e-5;
        if (result->status == REFERENCE_OK && result->count > before) {
            if (s.t - last < (quad)options->closest)
                result->status = REFERENCE_DENSE;
            last = s.t;
        } else if (result->status != REFERENCE_OK && crowded) {
            result->status = REFERENCE_DENSE; /* the trial time is no longer short compared with what happens */
        }
    }
    memcpy(result->final, s.state, sizeof s.state);
    for (size_t i = 0; i < p.n; i++) {
        result->q[i] = (double)s.q[i];
        result->v[i] = (double)s.v[i];
    }
    free(p.flows);
}

size_t reference_states_at(const plain_system *plain, double t, const double *q, const double *v) {
    reference_options options = {.from = t, .until = t};
    memcpy(options.q, q, plain->n * sizeof *q);
    memcpy(options.v, v, plain->n * sizeof *v);
    problem p;
    if (!problem_init(&p, plain, &options))
        return 0;
    moment_state s;
    memset(&s, 0, sizeof s);
    s.t = t;
    memcpy(s.q, p.q0, sizeof s.q);
    memcpy(s.v, p.v0, sizeof s.v);
    reference_result result = {0};
    double used = 0;
    settle(&p, &s, &used, &result, true);
    free(p.flows);
    return result.candidates;
}

const char *reference_status_text(reference_status status) {
    static const char *const text[] = {
        "ok",      "no state", "several states", "no impact", "several impacts", "events too dense", "too many events",
        "confused"};
    return text[status];
}
