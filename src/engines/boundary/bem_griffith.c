/* docs/bem.md, section 11. Stick zones are counted in spacings: a zone of the nodes i to j has its singular ends
 * am_bem_end beyond them (section 3), so `low` = i and `high` = j are places, too, and may be fractions. */
#include "base/try.h"
#include "engines/boundary/bem_griffith_internal.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"

enum { CACHE = 4096, POINTS = 4, FEWEST = 9 };
static const double tolerance = 1e-13;

/* ---- Pressures ---- */

/* The ends of the contact, which must be one. */
static am_status find_contact(am_bem_griffith *g, am_error *err) {
    am_bem *bem = g->bem;
    size_t open = 0, first = bem->n, last = 0;
    for (size_t i = 0; i < bem->n; i++) {
        open += bem->now.state[i] == AM_OPEN;
        if (bem->now.state[i] == AM_OPEN)
            continue;
        bem->now.state[i] = AM_STICK;
        first = i < first ? i : first;
        last = i;
    }
    if (first > last || last - first + 1 + open != bem->n)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "Griffith friction by boundary elements is for one contact, and under this load there are "
                       "several, whose fronts would feel each other");
    if (last - first < FEWEST - 1)
        return am_fail(err, AM_ERR_EVIDENCE, "only %zu nodes are in contact: take more nodes", last - first + 1);
    am_bem_zone zone;
    am_bem_zones(bem, 1, &zone);
    g->closed = bem->period > 0.0 && open < 2;
    g->least = g->closed ? 2 : first;
    g->most = g->closed ? bem->n - 3 : last;
    g->low = (zone.from - bem->x[0]) / bem->h + am_bem_end;
    g->high = (zone.to - bem->x[0]) / bem->h - am_bem_end;
    if (g->closed) {
        g->low = am_bem_end - 0.5;
        g->high = (double)bem->n - 0.5 - am_bem_end;
    }
    return AM_OK;
}

am_status am_bem_griffith_press(am_bem_griffith *g, double Q, am_error *err) {
    am_bem *bem = g->bem;
    am_bem_load load = g->load;
    load.M += Q * load.height;
    load.height = 0.0;
    memset(bem->now.q, 0, bem->n * sizeof *bem->now.q);
    AM_TRY(am_bem_press(bem, &load, err));
    AM_TRY(find_contact(g, err));
    for (size_t i = 0; i < bem->n; i++)
        bem->limit[i] = bem->friction.kinetic * bem->now.p[i];
    am_bem_displace(bem, bem->nothing, bem->limit, bem->motion);
    for (size_t i = 0; i < bem->n; i++)
        g->dragged[i] = bem->motion[2 * i + 1];
    g->age++;
    return AM_OK;
}

static bool is_symmetric(const am_bem *bem) {
    double largest = 0.0, uneven = 0.0;
    for (size_t i = 0; i < bem->n; i++) {
        largest = fmax(largest, bem->now.p[i]);
        uneven = fmax(uneven, fabs(bem->now.p[i] - bem->now.p[bem->n - 1 - i]));
    }
    return uneven <= 1e-9 * largest;
}

/* ---- Stick zones of whole nodes ---- */

am_status am_bem_griffith_zone(am_bem_griffith *g, size_t i, size_t j, am_bem_borne *b, am_error *err) {
    am_bem *bem = g->bem;
    for (size_t k = 0; k < bem->n; k++) {
        bem->in[k] = k >= i && k <= j;
        bem->rhs[2 * k] = -g->dragged[k];
        bem->rhs[2 * k + 1] = 1.0;
    }
    memset(bem->solution, 0, 2 * bem->n * sizeof *bem->solution);
    *b = (am_bem_borne){.i = i, .j = j, .age = g->age};
    am_status status = am_bem_solve(bem, bem->rhs, bem->solution, tolerance, err);
    for (size_t k = i; status == AM_OK && k <= j; k++) {
        b->known += bem->h * bem->solution[2 * k];
        b->unit += bem->h * bem->solution[2 * k + 1];
    }
    return status;
}

static am_status find_borne(am_bem_griffith *g, size_t i, size_t j, am_bem_borne *b, am_error *err) {
    am_bem_borne *slot = &g->cache[(i * 61 + j) % CACHE];
    am_status status = AM_OK;
    if (slot->age != g->age || slot->i != i || slot->j != j)
        status = am_bem_griffith_zone(g, i, j, slot, err);
    if (status != AM_OK)
        slot->age = 0;
    *b = *slot;
    return status;
}

/* ---- Zones between nodes ---- */

/* Values and slopes at t of the cubics that are one at 0 to 3. */
static void cubics(double t, double *value, double *slope) {
    for (int m = 0; m < POINTS; m++) {
        value[m] = 1.0;
        slope[m] = 0.0;
        for (int l = 0; l < POINTS; l++) {
            double product = 1.0;
            for (int k = 0; k < POINTS; k++)
                if (k != m && k != l)
                    product *= (t - k) / (m - k);
            if (l == m)
                value[m] = product;
            else
                slope[m] += product / (m - l);
        }
    }
}

/* First of four whole nodes around `place`, from least to most. */
static size_t stencil(double place, size_t least, size_t most) {
    double first = floor(place) - 1.0;
    return first < (double)least ? least : first > (double)(most - 3) ? most - 3 : (size_t)first;
}

static am_status set_intensity(const am_bem_griffith *g, double known_slope, double unit_slope, int side,
                               am_bem_ends *e, am_error *err) {
    double modulus = g->bem->modulus / g->bem->h;
    if (!(unit_slope > 0.0))
        return am_fail(err, AM_ERR_EVIDENCE, "the nodes are too coarse to tell the singularity at the slip front");
    e->K1[side] = sqrt(modulus * unit_slope);
    e->K0[side] = modulus * known_slope / e->K1[side];
    return AM_OK;
}

/* Zones with one end that moves, to or between the nodes from `least` on: the other moves alike, or a punch that leans
 * on its right end sticks there. *known, *unit: slopes of what is borne. */
static am_status measure_line(am_bem_griffith *g, double place, size_t least, am_bem_ends *e, double *known,
                              double *unit, am_error *err) {
    size_t n = g->bem->n, first = stencil(place, least, g->most);
    double value[POINTS], slope[POINTS];
    cubics(place - (double)first, value, slope);
    for (size_t m = 0; m < POINTS; m++) {
        am_bem_borne b;
        size_t j = first + m;
        AM_TRY(find_borne(g, g->symmetric ? n - 1 - j : j, g->symmetric ? j : g->most, &b, err));
        e->known += value[m] * b.known;
        e->unit += value[m] * b.unit;
        *known += slope[m] * b.known;
        *unit += slope[m] * b.unit;
    }
    return AM_OK;
}

static am_status measure_symmetric(am_bem_griffith *g, double high, am_bem_ends *e, am_error *err) {
    double known = 0.0, unit = 0.0;
    *e = (am_bem_ends){0};
    AM_TRY(measure_line(g, high, (g->bem->n + 1) / 2, e, &known, &unit, err));
    AM_TRY(set_intensity(g, 0.5 * known, 0.5 * unit, 1, e, err));
    e->K0[0] = e->K0[1];
    e->K1[0] = e->K1[1];
    return AM_OK;
}

static am_status measure_left(am_bem_griffith *g, double low, am_bem_ends *e, am_error *err) {
    double known = 0.0, unit = 0.0;
    *e = (am_bem_ends){.K1 = {1.0, 1.0}};
    AM_TRY(measure_line(g, low, g->least, e, &known, &unit, err));
    return set_intensity(g, -known, -unit, 0, e, err);
}

am_status am_bem_griffith_measure(am_bem_griffith *g, double low, double high, am_bem_ends *e, am_error *err) {
    if (g->symmetric)
        return measure_symmetric(g, high, e, err);
    if (g->tilts)
        return measure_left(g, low, e, err);
    size_t i = stencil(low, g->least, g->most), j = stencil(high, g->least, g->most);
    double left[POINTS], left_slope[POINTS], right[POINTS], right_slope[POINTS];
    double known[2] = {0.0, 0.0}, unit[2] = {0.0, 0.0};
    cubics(low - (double)i, left, left_slope);
    cubics(high - (double)j, right, right_slope);
    *e = (am_bem_ends){0};
    for (size_t m = 0; m < POINTS; m++)
        for (size_t l = 0; l < POINTS; l++) {
            am_bem_borne b;
            AM_TRY(find_borne(g, i + m, j + l, &b, err));
            e->known += left[m] * right[l] * b.known;
            e->unit += left[m] * right[l] * b.unit;
            known[0] -= left_slope[m] * right[l] * b.known;
            unit[0] -= left_slope[m] * right[l] * b.unit;
            known[1] += left[m] * right_slope[l] * b.known;
            unit[1] += left[m] * right_slope[l] * b.unit;
        }
    AM_TRY(set_intensity(g, known[0], unit[0], 0, e, err));
    return set_intensity(g, known[1], unit[1], 1, e, err);
}

/* ---- Making and freeing ---- */

am_bem_griffith *am_bem_griffith_create(am_bem *bem, const am_bem_load *load, double toughness, am_error *err) {
    if (bem->beta != 0.0) {
        am_fail_field(err, AM_ERR_UNSUPPORTED, "beta",
                      "Griffith friction needs elastically similar bodies (beta = 0), and beta is %g: tractions at a "
                      "slip front then grow with the power -1/2 +- atan(beta f)/pi of the distance, so that slip at "
                      "one end sets free no energy and at the other infinitely much, and K_II is not defined",
                      bem->beta);
        return NULL;
    }
    if (!(toughness >= 0.0 && isfinite(toughness))) {
        am_fail_field(err, AM_ERR_INPUT, "W", "the fracture energy must not be negative");
        return NULL;
    }
    am_bem_griffith *g = am_memory_new(1, sizeof *g, err);
    if (!g)
        return NULL;
    *g = (am_bem_griffith){.bem = bem, .load = *load, .toughness = toughness, .lean = 0.5};
    g->tilts = load->free_tilt && load->height != 0.0;
    g->dragged = am_arena_doubles(&g->memory, NULL, bem->n, err);
    g->cache = am_arena_new(&g->memory, CACHE, sizeof *g->cache, err);
    if (am_arena_status(&g->memory) || am_bem_griffith_press(g, 0.0, err) != AM_OK) {
        am_bem_griffith_free(g);
        return NULL;
    }
    g->symmetric = !g->tilts && is_symmetric(bem);
    return g;
}

void am_bem_griffith_free(am_bem_griffith *g) {
    if (!g)
        return;
    am_arena_clear(&g->memory);
    am_memory_free(g);
}
