#include "analyses/orbit/aperiodic.h"

#include <math.h>
#include <stdio.h>

/* A chaotic transient may end in an orbit: it is given four times as long before it is believed. */
enum { FIRST = 1000, LONGER = 4, LOOKS = 64 };

am_aperiodic am_aperiodic_begin(bool ask) {
    return (am_aperiodic){.next = ask ? FIRST : 0};
}

/* The second quarter of the returns up to `next` (0) or the last (1); -1: neither. */
static int quarter_of(const am_aperiodic *a, size_t returns) {
    size_t quarter = a->next / 4;
    if (returns > quarter && returns <= 2 * quarter)
        return 0;
    return returns > 3 * quarter && returns <= 4 * quarter ? 1 : -1;
}

bool am_aperiodic_looks(const am_aperiodic *aperiodic, size_t returns) {
    size_t every = aperiodic->next / (4 * LOOKS) + 1;
    return aperiodic->next > 0 && returns % every == 0 && quarter_of(aperiodic, returns) >= 0;
}

void am_aperiodic_note(am_aperiodic *aperiodic, size_t returns, double nearest) {
    int quarter = quarter_of(aperiodic, returns);
    aperiodic->near[quarter] += log(fmax(nearest, 1e-16));
    aperiodic->looked[quarter]++;
}

bool am_aperiodic_is_due(const am_aperiodic *aperiodic, size_t returns) {
    return aperiodic->next > 0 && returns >= aperiodic->next;
}

/* A motion on its way to an orbit repeats better and better, one that is not does not. */
static bool repeats_no_better(const am_aperiodic *a) {
    return a->looked[0] > 0 && a->looked[1] > 0 &&
           a->near[1] / (double)a->looked[1] > a->near[0] / (double)a->looked[0] - log(2.0);
}

bool am_aperiodic_judge(am_aperiodic *aperiodic, size_t returns, const am_exponent *exponent, char *text, size_t size) {
    bool parts = am_exponent_sign(exponent) > 0, stays = am_exponent_is_zero(exponent) && repeats_no_better(aperiodic);
    bool twice = aperiodic->suspected && (parts || stays);
    *aperiodic = (am_aperiodic){.next = aperiodic->next * LONGER, .suspected = parts || stays};
    if (twice)
        snprintf(text, size,
                 "the motion is aperiodic: it has not repeated after %zu returns, and neighbouring motions %s (largest "
                 "Lyapunov exponent %.3g +- %.1g per unit time)",
                 returns, parts ? "part" : "neither part nor come nearer", exponent->value, exponent->error);
    return twice;
}
