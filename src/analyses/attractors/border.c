/* An unstable orbit that divides two basins attracts along their border. So: halve the line between two starts with
 * different fates until its ends are neighbours, follow them while they stay together (which is near the border), and
 * try to close an orbit wherever the motion almost returns. */
#include "analyses/attractors/survey.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

#include "analyses/orbit/section_walk.h"
#include "base/memory.h"

enum {
    LONGEST = 6,   /* orbits tried, in returns */
    TRIES = 4,     /* places along one path from which each length is tried: those that almost return best */
    HALVINGS = 52, /* to neighbouring numbers */
    SAMPLES = 32,  /* starts whose own path is looked along */
    STRIDES = 4    /* how far apart in the list the ends of a border may be */
};

/* Two motions are together while they are nearer than this part of their size, and almost return when they are within
 * the second one of where they were. */
static const double together = 1e-3, almost = 0.3;

typedef struct search {
    am_survey *survey;
    double *line;   /* 3 x 2n: both ends and a point in between */
    double *middle; /* d */
    double *path;   /* length x d: of one end */
    size_t length, capacity;
    am_orbit_return how;
} search;

static bool same_fate(const am_fate *a, const am_fate *b) {
    return a->kind == b->kind && (a->kind != AM_FATE_ORBIT || a->orbit == b->orbit);
}

/* Try to close an orbit of p returns; one that is new enters the set. */
static am_status try_to_close(search *x, const double *guess, size_t p, am_error *err) {
    am_survey *s = x->survey;
    am_orbit orbit;
    am_error own = {0};
    am_orbit_return how = x->how;
    size_t index;
    how.returns = p;
    am_status status = am_orbit_close(am_survey_engine(s), &how, guess, &orbit, &own);
    if (!status)
        status = am_orbit_set_add(&s->set, &orbit, &how, &index, &own);
    am_orbit_clear(&orbit);
    if (status == AM_ERR_MEMORY)
        *err = own;
    return status == AM_ERR_MEMORY ? status : AM_OK;
}

/* How far the path is from returning to its place k after p returns, relative to its size. */
static double miss(const search *x, size_t k, size_t p) {
    const am_survey *s = x->survey;
    am_motion *engine = am_survey_engine(x->survey);
    const double *here = x->path + k * s->d;
    return am_orbit_distance(engine, here, here + p * s->d) / am_orbit_size(engine, here);
}

/* The places at which the path returns better after p returns than at the places before and after, best ones first: a
 * motion that passes an orbit slowly does so. Returns how many, at most TRIES. */
static size_t best_places(const search *x, size_t length, size_t p, size_t *place) {
    double found[TRIES], before = INFINITY, here = length > p ? miss(x, 0, p) : INFINITY;
    size_t count = 0;
    for (size_t k = 0; k + p < length; k++) {
        double after = k + p + 1 < length ? miss(x, k + 1, p) : INFINITY;
        bool best = here <= before && here < after && here <= almost;
        size_t at = count;
        for (; best && at > 0 && here < found[at - 1]; at--)
            if (at < TRIES) {
                found[at] = found[at - 1];
                place[at] = place[at - 1];
            }
        if (best && at < TRIES) {
            found[at] = here;
            place[at] = k;
            count += count < TRIES;
        }
        before = here;
        here = after;
    }
    return count;
}

/* Wherever the first part of the path almost returns. */
static am_status try_along(search *x, size_t length, am_error *err) {
    for (size_t p = 1; p <= LONGEST; p++) {
        size_t place[TRIES], count = best_places(x, length, p, place);
        for (size_t i = 0; i < count; i++)
            AM_TRY(try_to_close(x, x->path + place[i] * x->survey->d, p, err));
    }
    return AM_OK;
}

/* Keep the path of the start just asked about. */
static am_status record_path(search *x, am_error *err) {
    size_t d = x->survey->d, length;
    const double *path = am_survey_path(x->survey, &x->how, &length);
    AM_TRY(am_memory_reserve_items(&x->path, &x->capacity, length, d * sizeof *x->path, err));
    if (length > 0)
        memcpy(x->path, path, length * d * sizeof *x->path);
    x->length = length;
    return AM_OK;
}

/* How long the path kept and that of the start just asked about stay together. */
static size_t common_length(const search *x) {
    am_orbit_return how;
    const am_survey *s = x->survey;
    am_motion *engine = am_survey_engine(x->survey);
    size_t length, k = 0;
    const double *other = am_survey_path(s, &how, &length);
    if (how.section != x->how.section || how.contact != x->how.contact || how.from != x->how.from ||
        how.to != x->how.to || how.coordinate != x->how.coordinate)
        return 0;
    while (k < length && k < x->length &&
           am_orbit_distance(engine, other + k * s->d, x->path + k * s->d) <=
               together * am_orbit_size(engine, other + k * s->d))
        k++;
    return k;
}

static am_status halve(search *x, const am_fate *low_fate, am_error *err) {
    size_t size = 2 * x->survey->n;
    double *low = x->line, *high = x->line + size, *middle = x->line + 2 * size;
    for (size_t k = 0; k < HALVINGS; k++) {
        am_fate fate;
        for (size_t i = 0; i < size; i++)
            middle[i] = low[i] + 0.5 * (high[i] - low[i]);
        if (memcmp(middle, low, size * sizeof *low) == 0 || memcmp(middle, high, size * sizeof *low) == 0)
            break;
        AM_TRY(am_survey_ask(x->survey, middle, true, &fate, err));
        memcpy(same_fate(&fate, low_fate) ? low : high, middle, size * sizeof *low);
    }
    return AM_OK;
}

/* The border between starts i and j. */
static am_status search_along(search *x, size_t i, size_t j, am_error *err) {
    am_survey *s = x->survey;
    size_t size = 2 * s->n;
    am_fate fate;
    am_starts_place(&s->starts, i, x->line);
    am_starts_place(&s->starts, j, x->line + size);
    AM_TRY(halve(x, &s->fates[i], err));
    AM_TRY(am_survey_ask(s, x->line, false, &fate, err));
    AM_TRY(record_path(x, err));
    AM_TRY(am_survey_ask(s, x->line + size, false, &fate, err));
    return try_along(x, common_length(x), err);
}

static am_status report(const am_progress *progress, size_t done, size_t total, am_error *err) {
    if (am_progress_report(progress, (double)done / (double)total))
        return AM_OK;
    return am_fail(err, AM_ERR_INTERRUPTED, "interrupted while looking for unstable orbits");
}

/* Starts with different fates, near each other in the list; where that gives too few borders, farther ones. No two
 * borders from one start in one pass. */
static am_status search_borders(search *x, const am_progress *progress, am_error *err) {
    const am_survey *s = x->survey;
    size_t found = 0;
    for (size_t stride = 1; stride <= STRIDES; stride++)
        for (size_t i = 0; i + stride < s->starts.count && found < s->options->borders; i++) {
            const am_fate *a = &s->fates[i], *b = &s->fates[i + stride];
            if (a->kind == AM_FATE_FAILED || b->kind == AM_FATE_FAILED || same_fate(a, b))
                continue;
            AM_TRY(search_along(x, i, i + stride, err));
            AM_TRY(report(progress, ++found, s->options->borders, err));
            i++;
        }
    return AM_OK;
}

/* Newton's method from places on the transients: an unstable orbit need not be on a border that was met. */
static am_status search_transients(search *x, am_error *err) {
    am_survey *s = x->survey;
    for (size_t i = 0; i < s->starts.count && i < SAMPLES; i++) {
        am_fate fate;
        am_starts_place(&s->starts, i, x->line);
        AM_TRY(am_survey_ask(s, x->line, true, &fate, err));
        AM_TRY(record_path(x, err));
        AM_TRY(try_along(x, x->length, err));
    }
    return AM_OK;
}

/* Where an orbit returns several times before it repeats, a shorter one often lies in the middle (the orbit has split
 * off from it by doubling its period). */
static am_status search_between_returns(search *x, am_error *err) {
    am_survey *s = x->survey;
    size_t d = s->d, known = s->set.count;
    double *middle = x->middle;
    for (size_t i = 0; i < known; i++) {
        const am_orbit_member *member = &s->set.member[i];
        size_t count = 0;
        if (member->how.returns < 2)
            continue;
        memset(middle, 0, d * sizeof *middle);
        for (size_t k = 0; k < member->marks; k++) {
            const am_orbit_mark *mark = &member->mark[k];
            if (member->how.section == AM_SECTION_SWITCH &&
                (mark->contact != member->how.contact || mark->from != member->how.from || mark->to != member->how.to))
                continue;
            for (size_t j = 0; j < d; j++)
                middle[j] += member->states[k * d + j];
            count++;
        }
        for (size_t j = 0; j < d; j++)
            middle[j] /= (double)(count > 0 ? count : 1);
        x->how = member->how;
        for (size_t p = 1; p < x->how.returns; p++)
            AM_TRY(try_to_close(x, middle, p, err));
    }
    return AM_OK;
}

static am_status search_everywhere(search *x, const am_progress *progress, am_error *err) {
    am_survey *s = x->survey;
    x->line = am_arena_doubles(&s->memory, NULL, 6 * s->n, err);
    x->middle = am_arena_doubles(&s->memory, NULL, s->d, err);
    AM_TRY(am_arena_status(&s->memory));
    AM_TRY(search_transients(x, err));
    AM_TRY(search_borders(x, progress, err));
    return search_between_returns(x, err);
}

am_status am_border_search(am_survey *survey, const am_progress *progress, am_error *err) {
    search x = {.survey = survey};
    am_status status = search_everywhere(&x, progress, err);
    am_memory_free(x.path);
    return status;
}
