#include "papers/atlas/configurations.h"

#include <string.h>

/* ---- The group ---- */

/* Site n of the image of `labels`, before the sign that a shift by half a period may change. */
static am_site_label image(const am_sites *s, const am_site_symmetry *g, const am_site_label *labels, size_t n) {
    am_site_label label = labels[g->from[n]];
    return g->swap && s->colour[n] ? (am_site_label)-label : label;
}

/* Image under g and sign against `labels` in lexicographic order: < 0, 0, > 0. */
static int compare_image(const am_sites *s, const am_site_symmetry *g, int sign, const am_site_label *labels,
                         const am_site_label *against) {
    for (size_t n = 0; n < s->n; n++) {
        int difference = sign * image(s, g, labels, n) - against[n];
        if (difference)
            return difference;
    }
    return 0;
}

void am_configuration_canonical(const am_sites *sites, const am_site_label *labels, am_site_label *canonical) {
    memcpy(canonical, labels, sites->n * sizeof *labels);
    for (size_t k = 0; k < sites->symmetry_count; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const am_site_symmetry *g = &sites->symmetry[k];
            if (compare_image(sites, g, sign, labels, canonical) <= 0)
                continue;
            for (size_t n = 0; n < sites->n; n++)
                canonical[n] = (am_site_label)(sign * image(sites, g, labels, n));
        }
}

size_t am_configuration_active(const am_site_label *labels, size_t n) {
    size_t active = 0;
    for (size_t i = 0; i < n; i++)
        active += labels[i] != 0;
    return active;
}

/* ---- Counting (Burnside) ---- */

/* How many labels other than 0 a site may have. */
static size_t moving_labels(const am_configurations *c, size_t site) {
    if (c->cycles[site] == 0)
        return 0;
    return c->only_largest ? 2 : 2 * (size_t)c->cycles[site];
}

/* counts (by active sites) *= 1 + labels x^length */
static void multiply(long double *counts, size_t n, size_t labels, size_t length) {
    for (size_t a = n + 1; a-- > length;)
        counts[a] += (long double)labels * counts[a - length];
}

/* Configurations that g and the sign leave as they are. */
static void count_fixed(const am_configurations *c, const am_site_symmetry *g, int sign, long double *counts) {
    const am_sites *s = c->sites;
    bool seen[AM_SITES_MOST] = {false};
    memset(counts, 0, (s->n + 1) * sizeof *counts);
    counts[0] = 1.0L;
    for (size_t first = 0; first < s->n; first++) {
        size_t length = 0;
        int product = 1;
        for (size_t i = first; !seen[i]; i = g->from[i]) {
            seen[i] = true;
            length++;
            product *= sign * (g->swap && s->colour[i] ? -1 : 1);
        }
        if (length > 0 && product > 0)
            multiply(counts, s->n, moving_labels(c, first), length);
    }
}

void am_configurations_count(const am_configurations *c, long double *configurations, long double *classes) {
    const am_sites *s = c->sites;
    long double fixed[AM_SITES_MOST + 1];
    memset(classes, 0, (s->n + 1) * sizeof *classes);
    for (size_t k = 0; k < s->symmetry_count; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            count_fixed(c, &s->symmetry[k], sign, fixed);
            for (size_t a = 0; a <= s->n; a++)
                classes[a] += fixed[a];
            if (k == 0 && sign > 0) /* the identity */
                memcpy(configurations, fixed, (s->n + 1) * sizeof *fixed);
        }
    for (size_t a = 0; a <= s->n; a++)
        classes[a] /= 2.0L * (long double)s->symmetry_count;
    for (size_t a = 0; a <= s->n; a++)
        if (a < c->least || a > c->most)
            configurations[a] = classes[a] = 0.0L;
}

/* ---- Enumeration ---- */

typedef struct listing {
    const am_configurations *c;
    am_configuration_visit visit;
    void *context;
    bool first_image[AM_SITES_MOST]; /* a symmetry carries this site to site 0 */
    am_site_label labels[AM_SITES_MOST];
} listing;

/* The number of configurations in the class of `labels` when no image is larger, 0 otherwise. */
static size_t multiplicity_if_canonical(const am_sites *s, const am_site_label *labels) {
    size_t fixed = 0;
    for (size_t k = 0; k < s->symmetry_count; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            int difference = compare_image(s, &s->symmetry[k], sign, labels, labels);
            if (difference > 0)
                return 0;
            fixed += difference == 0;
        }
    return 2 * s->symmetry_count / fixed;
}

static bool list_from(listing *l, size_t site, size_t active) {
    const am_configurations *c = l->c;
    size_t n = c->sites->n;
    if (active > c->most || active + (n - site) < c->least)
        return true;
    if (site == n) {
        size_t multiplicity = multiplicity_if_canonical(c->sites, l->labels);
        return multiplicity == 0 || l->visit(l->context, l->labels, multiplicity);
    }
    int most = c->cycles[site];
    for (int label = most; label >= -most; label--) {
        if (c->only_largest && label != 0 && label != most && label != -most)
            continue;
        if (l->first_image[site] && (label > l->labels[0] || -label > l->labels[0]) && site > 0)
            continue; /* an image would begin with more */
        l->labels[site] = (am_site_label)label;
        if (!list_from(l, site + 1, active + (label != 0)))
            return false;
    }
    return true;
}

bool am_configurations_list(const am_configurations *c, am_configuration_visit visit, void *context) {
    listing l = {.c = c, .visit = visit, .context = context};
    for (size_t k = 0; k < c->sites->symmetry_count; k++)
        l.first_image[c->sites->symmetry[k].from[0]] = true;
    return list_from(&l, 0, 0);
}

size_t am_configuration_multiplicity(const am_sites *sites, const am_site_label *labels) {
    am_site_label canonical[AM_SITES_MOST];
    am_configuration_canonical(sites, labels, canonical);
    return multiplicity_if_canonical(sites, canonical);
}

/* ---- Text ---- */

void am_configuration_text(const am_configurations *c, const am_site_label *labels, am_text *text) {
    for (size_t i = 0; i < c->sites->n; i++) {
        int cycle = labels[i] < 0 ? -labels[i] : labels[i];
        if (i > 0)
            am_text_add(text, " ");
        if (cycle == 0) {
            am_text_add(text, "0");
            continue;
        }
        am_text_add(text, labels[i] < 0 ? "-" : "+");
        if (cycle == c->cycles[i])
            am_text_add(text, "L");
        else if (cycle == 1 && c->cycles[i] == 2)
            am_text_add(text, "s");
        else
            am_text_printf(text, "%d", cycle);
    }
}
