/* Newton's method for one load step. Each contact has a state; the contacts that slip or are open are the unknowns:
 *
 *     forward   T + mu N = 0     slip        unknown 4c      row A_c + mu B_c
 *     backward  T - mu N = 0     slip        unknown 4c + 1  row A_c - mu B_c
 *     open      T = 0, N = 0     slip, rise  unknowns 4c + 2, 4c + 3
 *
 * All others stay. After the linear solve every contact whose inequality is violated tries the state it asks for.
 * Coefficients that fall with slip are lines through the last iterate, mu N + f' N (x - at); springs that hold a
 * structure which floats add weak times its own stiffness to the diagonal. */
#include <math.h>
#include <string.h>

#include "engines/quasistatic/incremental_internal.h"
#include "math/kernel.h"
#include "system/combination.h"

/* A force below this fraction of the largest is zero but for rounding. */
static const double zero = 1e-13;

/* Iterations from the last states and then from sticking, before pivoting; and whole changes without progress before
 * only one contact changes at a time. */
enum { MOST_ITERATIONS = 30, PATIENCE = 5 };

/* Up to this many unknowns a matrix whose coefficients have changed is factored anew at once; beyond, the old factors
 * are tried as long as each correction leaves less than SHRINK of the last. */
enum { AFRESH_AT_ONCE = 120, MOST_CORRECTIONS = 16 };
#define SHRINK 0.1

enum { FORWARD, BACKWARD, OPEN_TANGENTIAL, OPEN_NORMAL, KINDS };

/* ---- the matrix of unknowns ---- */

static size_t column_of(const am_path_incremental *e, size_t item) {
    return item % KINDS == OPEN_NORMAL ? e->reduced.normal_row[item / KINDS] : item / KINDS;
}

/* The row of an item: that of the reduced stiffness, plus `mu` times its normal row. */
static const double *row_of(const am_path_incremental *e, size_t item, const double **normal, double *mu) {
    size_t c = item / KINDS, kind = item % KINDS, row = e->reduced.normal_row[c];
    const double *K = e->reduced.stiffness;
    *mu = kind == FORWARD ? e->mu[c] : kind == BACKWARD ? -e->mu[c] : 0.0;
    if (row == AM_NO_ROW)
        *mu = 0.0; /* a held normal force does not answer to motion */
    *normal = *mu != 0.0 ? K + row * e->p : NULL;
    return K + (kind == OPEN_NORMAL ? row : c) * e->p;
}

/* What an item's own motion adds to its equation beside the structure: weakening, and weak springs. */
static double own_stiffness(const am_path_incremental *e, size_t item) {
    size_t at = column_of(e, item);
    double weak = e->weak * e->reduced.stiffness[at * e->p + at];
    return item % KINDS == FORWARD || item % KINDS == BACKWARD ? weak + e->slope[item / KINDS] : weak;
}

static void gather(const void *data, size_t rows, const size_t *row, size_t columns, const size_t *column,
                   double *block) {
    const am_path_incremental *e = data;
    for (size_t i = 0; i < rows; i++) {
        const double *normal;
        double mu, *to = block + i * columns;
        const double *tangential = row_of(e, row[i], &normal, &mu);
        for (size_t j = 0; j < columns; j++) {
            size_t at = column_of(e, column[j]);
            to[j] = normal ? tangential[at] + mu * normal[at] : tangential[at];
            if (column[j] == row[i])
                to[j] += own_stiffness(e, row[i]);
        }
    }
}

am_lcp am_path_moving_block(const am_path_incremental *path) {
    return (am_lcp){.n = KINDS * path->m, .data = path, .gather = gather};
}

/* ---- one iterate ---- */

double am_path_normal_force(const am_path_incremental *e, size_t c, const double *force) {
    size_t row = e->reduced.normal_row[c];
    return row == AM_NO_ROW ? e->held[c] : force[row];
}

/* The left-hand side of unknown i's equation. */
static double equation(const am_path_incremental *e, size_t i, const double *force) {
    size_t item = e->item[i], c = item / KINDS, kind = item % KINDS, at = column_of(e, item);
    double spring = e->weak * e->reduced.stiffness[at * e->p + at] * e->x[i];
    if (kind == OPEN_TANGENTIAL || kind == OPEN_NORMAL)
        return force[at] + spring;
    double friction = e->mu[c] * am_path_normal_force(e, c, force);
    return force[c] + (kind == FORWARD ? friction : -friction) + e->slope[c] * (e->x[i] - e->at[c]) + spring;
}

static void list_items(am_path_incremental *e) {
    size_t count = 0;
    for (size_t c = 0; c < e->m; c++) {
        if (e->trial[c] == AM_OPEN) {
            e->item[count++] = KINDS * c + OPEN_TANGENTIAL;
            e->item[count++] = KINDS * c + OPEN_NORMAL;
        } else if (e->trial[c] != AM_STICK)
            e->item[count++] = KINDS * c + (e->trial[c] == AM_FORWARD ? FORWARD : BACKWARD);
    }
    e->count = count;
}

/* Forces before the unknowns move: contacts that were open and are not any more have come down. */
static void come_down(am_path_incremental *e) {
    size_t count = 0;
    for (size_t c = 0; c < e->m; c++)
        if (e->gap[c] > 0.0 && e->trial[c] != AM_OPEN) {
            e->column[count] = e->reduced.normal_row[c];
            e->motion[count++] = -e->gap[c];
        }
    memcpy(e->force, e->base, e->p * sizeof *e->force);
    am_kernel_add_rows(count, e->column, e->motion, e->p, e->reduced.stiffness, e->p, e->force);
}

/* One linear solve for the items, added to x; returns the largest equation left. */
static double correct(am_path_incremental *e) {
    double left = 0.0;
    for (size_t i = 0; i < e->count; i++)
        e->motion[i] = -equation(e, i, e->force);
    am_lcp_block_solve(&e->block, e->motion, e->motion);
    for (size_t i = 0; i < e->count; i++) {
        e->x[i] += e->motion[i];
        e->column[i] = column_of(e, e->item[i]);
    }
    am_kernel_add_rows(e->count, e->column, e->motion, e->p, e->reduced.stiffness, e->p, e->force);
    for (size_t i = 0; i < e->count; i++)
        left = fmax(left, fabs(equation(e, i, e->force)));
    return left;
}

/* Factors of the items' matrix; `fresh`: with the present coefficients, whatever there was. */
static am_status set_block(am_path_incremental *e, bool fresh, bool *regular, am_error *err) {
    if (fresh) {
        am_lcp_block_forget(&e->block);
        am_path_friction_note(e);
    }
    return am_lcp_block_set(&e->block, &e->block_problem, e->count, e->item, fresh, regular, err);
}

am_status am_path_sign(am_path_incremental *e, int *sign, am_error *err) {
    bool regular = true;
    am_status status = AM_OK;
    if (am_path_friction_changed(e, e->count))
        status = set_block(e, true, &regular, err);
    *sign = status || !regular ? 0 : am_lcp_block_sign(&e->block);
    return status;
}

/* Factors with older coefficients serve as long as corrections shrink fast: only few coefficients change at a time. */
am_status am_path_evaluate(am_path_incremental *e, bool *regular, am_error *err) {
    size_t factored = e->block.factored;
    double before = INFINITY;
    list_items(e);
    bool old = am_path_friction_changed(e, e->count), fresh = old && e->count <= AFRESH_AT_ONCE;
    am_status status = set_block(e, fresh, regular, err);
    if (!status && old && !fresh && !*regular)
        status = set_block(e, fresh = true, regular, err);
    for (int tries = 0, most = 3; !status && *regular && tries < most; tries++) {
        if (tries == 0) {
            come_down(e);
            memset(e->x, 0, e->count * sizeof *e->x);
        }
        double left = correct(e);
        if (left <= zero * e->scale)
            break;
        bool slow = !(left < SHRINK * before);
        before = left;
        if (old && !fresh) {
            most = MOST_CORRECTIONS;
            if (tries > 0 && slow) {
                status = set_block(e, fresh = true, regular, err);
                most = tries + 4;
            }
        } else if (tries == 1 && am_lcp_block_bordered(&e->block))
            status = set_block(e, true, regular, err);
    }
    e->last.factored += e->block.factored - factored;
    return status;
}

bool am_path_relax(am_path_incremental *e) {
    double left = INFINITY;
    e->weak = 0.0; /* in the equations; the factors keep theirs */
    for (int tries = 0; tries < 4 && !(left <= zero * e->scale); tries++)
        left = correct(e);
    return left <= zero * e->scale && am_path_find_violations(e) == 0;
}

static am_contact_state closed_state(double T, double limit, double tolerance) {
    return T + limit < -tolerance ? AM_FORWARD : T - limit > tolerance ? AM_BACKWARD : AM_STICK;
}

/* What a contact asks for: its own state when that is consistent. An open one that penetrates: the state that the
 * forces would ask for if its own springs pushed back the motion it must not make (Alart and Curnier's augmented
 * forces). One that slides the wrong way: stick; from there it finds its direction. To let it turn round at once
 * overshoots when many slide together, because its own spring is the stiffest way to push it. */
static am_contact_state wanted(const am_path_incremental *e, size_t c, size_t item, double tolerance) {
    size_t row = e->reduced.normal_row[c], p = e->p;
    const double *K = e->reduced.stiffness;
    double spring = K[c * p + c];
    am_contact_state state = e->trial[c];
    if (state == AM_OPEN) {
        double pushed = -(e->gap[c] + e->x[item + 1]) * K[row * p + row];
        return pushed <= tolerance ? AM_OPEN : closed_state(-e->x[item] * spring, e->hold[c] * pushed, 0.0);
    }
    double N = am_path_normal_force(e, c, e->force), T = e->force[c], limit = e->hold[c] * fmax(N, 0.0);
    if (row != AM_NO_ROW && N < -tolerance)
        return AM_OPEN;
    if (state == AM_STICK)
        return closed_state(T, limit, tolerance);
    double against = state == AM_FORWARD ? -e->x[item] * spring : e->x[item] * spring;
    return against <= tolerance ? state : AM_STICK;
}

size_t am_path_find_violations(am_path_incremental *e) {
    size_t count = 0, item = 0;
    double scale = e->scale;
    for (size_t i = 0; i < e->p; i++)
        scale = fmax(scale, fabs(e->force[i]));
    for (size_t c = 0; c < e->m; c++) {
        e->next[c] = wanted(e, c, item, 2.0 * zero * scale);
        if (e->next[c] != e->trial[c]) {
            e->motion[count] = am_path_slides(e->trial[c]) && e->next[c] == AM_STICK ? fabs(e->x[item]) : 0.0;
            e->wrong[count++] = c;
        }
        item += am_path_unknowns(e->trial[c]);
    }
    return count;
}

double am_path_law_violation(const am_path_incremental *e, size_t c) {
    bool plane = e->reduced.second_row[c] != AM_NO_ROW;
    double N = e->normal[c], limit = am_path_coefficient(e, c, e->state[c]) * N;
    double T = plane ? -hypot(e->tangential[c], e->second[c]) : e->tangential[c];
    double worst = fmax(fabs(T) - limit, -N);
    if (e->state[c] == AM_FORWARD)
        worst = fmax(worst, fabs(T + limit));
    if (e->state[c] == AM_BACKWARD)
        worst = fmax(worst, fabs(T - limit));
    if (e->state[c] == AM_OPEN)
        worst = fmax(worst, fmax(fabs(T), fabs(N)));
    return isnan(worst) || isnan(T) || isnan(N) ? NAN : fmax(worst, 0.0);
}

/* ---- the iteration ---- */

/* The wrong contacts first.. change. Of those that slide the wrong way only those that do so by more than `share` of
 * the worst: once these stick, most of the others slide as they should. */
static void change(am_path_incremental *e, size_t first, size_t wrong, double share) {
    double worst = 0.0;
    for (size_t i = first; i < wrong; i++)
        worst = fmax(worst, e->motion[i]);
    for (size_t i = first; i < wrong; i++)
        if (e->motion[i] == 0.0 || e->motion[i] >= share * worst)
            e->trial[e->wrong[i]] = e->next[e->wrong[i]];
}

/* Slip spreads from iterate to iterate, each time half as far or so. Contacts that stick and whose reserve of friction
 * will be used up if it goes on falling like this slip at once; a wrong guess is put right like any wrong state. */
static void anticipate(am_path_incremental *e, bool guess) {
    for (size_t c = 0; c < e->m; c++) {
        double before = e->reserve[c];
        bool sticks = e->trial[c] == AM_STICK && e->next[c] == AM_STICK;
        e->reserve[c] = e->hold[c] * am_path_normal_force(e, c, e->force) - fabs(e->force[c]);
        double fallen = before - e->reserve[c];
        if (guess && sticks && fallen > 0.0 && e->reserve[c] < 0.5 * fallen)
            e->trial[c] = e->force[c] < 0.0 ? AM_FORWARD : AM_BACKWARD;
    }
}

/* How far the contacts that slide may miss a law that weakens: the product of coefficient and force is rounded. */
static const double on_the_law = 1e-12;

am_status am_path_iterate(am_path_incremental *e, bool *settled, am_error *err) {
    size_t best = e->m + 1;
    int patience = PATIENCE;
    *settled = false;
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        bool regular;
        am_status status = am_path_evaluate(e, &regular, err);
        e->last.iterations++;
        if (status || !regular)
            return status;
        size_t wrong = am_path_find_violations(e);
        double miss = e->weakens && e->tangent ? am_path_friction_follow(e) : 0.0;
        *settled = wrong == 0 && miss <= on_the_law * e->scale;
        if (*settled)
            return AM_OK;
        if (wrong == 0)
            continue;
        patience = wrong < best ? PATIENCE : patience > 0 ? patience - 1 : 0;
        best = wrong < best ? wrong : best;
        if (patience == 0 && e->tangent) /* slopes lead away from where there is an equilibrium: a smaller step, then */
            return AM_OK;
        anticipate(e, iteration > 0 && patience == PATIENCE);
        change(e, patience > 0 ? 0 : wrong - 1, wrong, iteration == 0 ? 0.5 : 0.0);
    }
    return AM_OK;
}
