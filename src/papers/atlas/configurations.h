/* Configurations of the uncoupled limit: every site at rest (0), or on its cycle k with sign + or - (k, -k). Site n of
 * colour 0 has w_n = u_n, of colour 1 w_n = i u_n, u real: neighbours are a quarter of a period apart.
 *
 * Two configurations are the same motion when a symmetry of the structure (a rotation or reflection), together with a
 * shift of time, carries one into the other. A shift by half a period changes all signs; a symmetry that exchanges the
 * colours needs a shift by a quarter period, which changes the signs of colour 1. */
#ifndef AMONTONS_PAPERS_ATLAS_CONFIGURATIONS_H
#define AMONTONS_PAPERS_ATLAS_CONFIGURATIONS_H
#include <stdint.h>

#include "base/text.h"
#include "papers/atlas/sites.h"

typedef signed char am_site_label; /* 0: at rest; +-k: on cycle k */

/* What is enumerated. */
typedef struct am_configurations {
    const am_sites *sites;
    am_site_label cycles[AM_SITES_MOST]; /* of each site */
    bool only_largest;                   /* of the cycles only the largest one */
    size_t least, most;                  /* sites that move */
} am_configurations;

/* Numbers of configurations and of classes by the number of sites that move (n + 1 each), by Burnside's lemma: a
 * symmetry leaves a configuration as it is when labels are constant along its cycles of sites (and zero where the signs
 * along a cycle multiply to -1). Exact up to 2^64. */
void am_configurations_count(const am_configurations *c, long double *configurations, long double *classes);

/* All classes: `visit` gets the representative of each (the largest in lexicographic order: larger cycles first, +
 * before
 * -), in falling order, and how many configurations the class has. false stops. */
typedef bool (*am_configuration_visit)(void *context, const am_site_label *labels, size_t multiplicity);
bool am_configurations_list(const am_configurations *c, am_configuration_visit visit, void *context);

/* The representative of the class of `labels`. */
void am_configuration_canonical(const am_sites *sites, const am_site_label *labels, am_site_label *canonical);

/* How many configurations its class has. */
size_t am_configuration_multiplicity(const am_sites *sites, const am_site_label *labels);

size_t am_configuration_active(const am_site_label *labels, size_t n);

/* "0 +L 0 -s": L the largest cycle, s the small one (numbers when there are more than two). */
void am_configuration_text(const am_configurations *c, const am_site_label *labels, am_text *text);

#endif
