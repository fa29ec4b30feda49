/* The search for the zones: which nodes change, how many at once, and how exactly tractions must be known to tell. */
#include <math.h>
#include <string.h>

#include "engines/boundary/bem_internal.h"

enum { FEWEST_IN_RUN = 4 };

/* Errors of tractions and displacements relative to the largest. A node at the end of a contact 100,000 nodes wide is
 * told from its neighbour by 1e-8 of the largest displacement. */
static const double finer = 1e-2, fine = 1e-9, exact = 1e-13, zero = 1e-12;

double am_bem_search_zero(const am_bem_search *search) {
    return fmax(zero, search->tolerance);
}

bool am_bem_search_ends(am_bem_search *search, size_t wrong) {
    if (search->tolerance > exact) {
        search->tolerance = wrong == 0 ? exact : fmax(fine, finer * search->tolerance);
        search->rough++;
        if (search->rough >= AM_BEM_MOST_ROUGH)
            search->tolerance = exact;
        return false;
    }
    if (wrong < search->fewest) {
        search->fewest = wrong;
        search->patience = AM_BEM_PATIENCE;
    } else if (search->patience > 0) {
        search->patience--;
    }
    return wrong == 0;
}

/* Does a change let go of something: contact, or stick? */
static bool lets_go(unsigned char from, unsigned char to) {
    return to == AM_OPEN || (from == AM_STICK && to != AM_STICK);
}

static void go_on(am_bem *bem, size_t from, size_t to) {
    const unsigned char *state = bem->now.state;
    unsigned char before = state[from], after = bem->next[from];
    size_t more = (to - from) * 9 / 10;
    bool left = from > 0 && state[from - 1] == after;
    bool right = to < bem->n && state[to] == after;
    if (to - from < FEWEST_IN_RUN || left == right)
        return;
    for (size_t i = to; left && i < bem->n && i < to + more && state[i] == before && bem->next[i] == before; i++)
        bem->next[i] = after;
    for (size_t i = from; right && i-- > 0 && i + more >= from && state[i] == before && bem->next[i] == before;)
        bem->next[i] = after;
}

/* The end of the run of nodes that change alike. */
static size_t run_end(const am_bem *bem, size_t from) {
    const unsigned char *state = bem->now.state;
    size_t to = from + 1;
    while (to < bem->n && state[to] == state[from] && bem->next[to] == bem->next[from])
        to++;
    return to;
}

void am_bem_go_on(am_bem *bem, size_t wrong) {
    if (wrong > bem->n / 8) /* the zones are far from known */
        return;
    for (size_t from = 0, to; from < bem->n; from = to) {
        to = run_end(bem, from);
        if (bem->next[from] != bem->now.state[from] && lets_go(bem->now.state[from], bem->next[from])) {
            go_on(bem, from, to);
            to = run_end(bem, from); /* with what has been added */
        }
    }
}

void am_bem_change(am_bem *bem, const am_bem_search *search, size_t wrong, size_t last) {
    if (wrong >= search->fewest && search->patience <= 1) {
        bem->now.state[last] = bem->next[last];
        return;
    }
    am_bem_go_on(bem, wrong);
    memcpy(bem->now.state, bem->next, bem->n * sizeof *bem->next);
}
