/* Dissimilar bodies under Coulomb's law: normal and tangential contact as one system. With z = p + i q the
 * displacements are (A + iB) z, one convolution. Unknown are the pressures of closed nodes, the shear of those that
 * stick, and the rigid motion as far as it is not prescribed; a node that slips bears q = +-f p, so that its pressure
 * brings its shear along:
 *
 *     closed      (A p - B q)_i - d - t x_i = -gap0_i
 *     stuck       (A q + B p)_i - g         = -s_i
 *     loads       h sum p = P,  h sum x p = M,  h sum q = Q
 *
 * Newton's method: nodes that turn out wrong change state, all at once. Early iterates only have to tell which, and are
 * solved roughly. Without friction at slipping nodes the matrix would be symmetric; with it, GMRES. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/try.h"
#include "base/watch.h"
#include "engines/boundary/bem_internal.h"
#include "math/kernel.h"

enum { APPROACH, TILT, SHIFT, RIGID };
enum { WIDTH = 30, MOST_PRODUCTS = 120, MOST_CHANGES = 60 };

struct am_bem_couple {
    am_arena memory;
    am_gmres gmres;
    double *y, *b;          /* 2 n + RIGID: unknowns and right-hand side */
    double *along, *turned; /* pairs: tractions per unit of approach and shift, of tilt, by the preconditioner */
    bool free[RIGID];       /* motions that are unknowns */
    double given[RIGID];    /* the others */
    double length;          /* tilts are measured by what they lift so far from x = 0 */
    double scale;           /* turns residuals of the load conditions into displacements */
    double schur[RIGID * RIGID];
    int order[RIGID];
};

/* What GMRES sees. */
typedef struct problem {
    am_bem *bem;
    am_bem_couple *c;
    const am_bem_load *load;
} problem;

static am_status make(am_bem *bem, am_error *err) {
    if (bem->couple)
        return AM_OK;
    am_bem_couple *c = am_memory_new(1, sizeof *c, err);
    if (!c)
        return AM_ERR_MEMORY;
    bem->couple = c;
    size_t pairs = 2 * bem->n, unknowns = pairs + RIGID;
    AM_ARENA_DOUBLES(&c->memory, unknowns, err, &c->y, &c->b);
    AM_ARENA_DOUBLES(&c->memory, pairs, err, &c->along, &c->turned);
    if (am_arena_status(&c->memory) || am_gmres_init(&c->gmres, unknowns, WIDTH, err)) {
        am_bem_couple_free(c);
        bem->couple = NULL;
        return AM_ERR_MEMORY;
    }
    c->length = fmax(fabs(bem->x[0]), fabs(bem->x[bem->n - 1]));
    return AM_OK;
}

void am_bem_couple_free(am_bem_couple *couple) {
    if (!couple)
        return;
    am_gmres_clear(&couple->gmres);
    am_arena_clear(&couple->memory);
    am_memory_free(couple);
}

/* ---- the linear system ---- */

static double friction_of(const am_bem *bem, size_t i) {
    unsigned char state = bem->now.state[i];
    return state == AM_FORWARD ? bem->friction.kinetic : state == AM_BACKWARD ? -bem->friction.kinetic : 0.0;
}

/* Only what belongs to unknowns: normal parts of closed nodes, tangential parts of stuck ones. */
static void copy_unknowns(const am_bem *bem, const double *from, double *to) {
    const unsigned char *state = bem->now.state;
    for (size_t i = 0; i < bem->n; i++) {
        to[2 * i] = state[i] != AM_OPEN ? from[2 * i] : 0.0;
        to[2 * i + 1] = state[i] == AM_STICK ? from[2 * i + 1] : 0.0;
    }
}

static void add_friction(const am_bem *bem, double *pairs) {
    for (size_t i = 0; i < bem->n; i++)
        pairs[2 * i + 1] += friction_of(bem, i) * pairs[2 * i];
}

/* Left-hand sides of the conditions on loads, for tractions with their friction. */
static void loads_of(const problem *s, const double *pairs, double *sums) {
    const am_bem *bem = s->bem;
    double force = 0.0, moment = 0.0, shear = 0.0;
    for (size_t i = 0; i < bem->n; i++) {
        force += pairs[2 * i];
        moment += bem->x[i] * pairs[2 * i];
        shear += pairs[2 * i + 1];
    }
    if (s->load->tangential == AM_BEM_VERGE) {
        double f = s->load->Q > 0.0 ? bem->friction.kinetic : -bem->friction.kinetic;
        size_t i = s->load->verge;
        shear = (double)bem->n * (pairs[2 * i + 1] - f * pairs[2 * i]);
    }
    sums[APPROACH] = s->c->scale * force;
    sums[TILT] = s->c->scale * moment / s->c->length;
    sums[SHIFT] = s->c->scale * shear;
}

static void apply(void *context, const double *x, double *y) {
    const problem *s = context;
    am_bem *bem = s->bem;
    const double *rigid = x + 2 * bem->n;
    double *image = bem->image, sums[RIGID];
    copy_unknowns(bem, x, image);
    add_friction(bem, image);
    loads_of(s, image, sums);
    am_convolution_apply(&bem->influence, image, image);
    bem->products++;
    double tilt = rigid[TILT] / s->c->length;
    for (size_t i = 0; i < bem->n; i++) {
        unsigned char state = bem->now.state[i];
        y[2 * i] = state != AM_OPEN ? image[2 * i] - rigid[APPROACH] - tilt * bem->x[i] : x[2 * i];
        y[2 * i + 1] = state == AM_STICK ? image[2 * i + 1] - rigid[SHIFT] : x[2 * i + 1];
    }
    for (size_t k = 0; k < RIGID; k++)
        y[2 * bem->n + k] = s->c->free[k] ? sums[k] : rigid[k];
}

/* Tractions of displacements by the inverse of the full line. */
static void invert(am_bem *bem, const double *x, double *pairs) {
    copy_unknowns(bem, x, pairs);
    am_convolution_apply(&bem->inverse, pairs, pairs);
    bem->products++;
    copy_unknowns(bem, pairs, pairs);
}

/* Tractions that a unit of one rigid motion adds. */
static double per_unit(const am_bem_couple *c, size_t motion, size_t i) {
    return motion == TILT ? c->turned[i] : (i % 2 == 0) == (motion == APPROACH) ? c->along[i] : 0.0;
}

static void precondition(void *context, const double *x, double *y) {
    const problem *s = context;
    const am_bem_couple *c = s->c;
    am_bem *bem = s->bem;
    double sums[RIGID], *rigid = y + 2 * bem->n;
    invert(bem, x, bem->image);
    memcpy(bem->better, bem->image, 2 * bem->n * sizeof *bem->better);
    add_friction(bem, bem->better);
    loads_of(s, bem->better, sums);
    for (size_t k = 0; k < RIGID; k++)
        rigid[k] = x[2 * bem->n + k] - (c->free[k] ? sums[k] : 0.0);
    am_kernel_solve(RIGID, c->schur, c->order, rigid);
    for (size_t i = 0; i < bem->n; i++) {
        unsigned char state = bem->now.state[i];
        double p = bem->image[2 * i] + rigid[APPROACH] * c->along[2 * i] + rigid[TILT] * c->turned[2 * i];
        double q = bem->image[2 * i + 1] + rigid[SHIFT] * c->along[2 * i + 1];
        y[2 * i] = state != AM_OPEN ? p : x[2 * i];
        y[2 * i + 1] = state == AM_STICK ? q : x[2 * i + 1];
    }
}

/* What the preconditioner needs of the present sets: tractions of rigid motions and the loads they make. */
static bool prepare(const problem *s) {
    am_bem_couple *c = s->c;
    am_bem *bem = s->bem;
    size_t n = bem->n, count = 0;
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        bem->rhs[2 * i] = bem->rhs[2 * i + 1] = 1.0;
    invert(bem, bem->rhs, c->along);
    for (size_t i = 0; i < n; i++) {
        count += bem->now.state[i] != AM_OPEN;
        sum += c->along[2 * i];
    }
    if (!(sum > 0.0))
        return false;
    c->scale = sqrt((double)count) / sum;
    if (c->free[TILT]) {
        for (size_t i = 0; i < n; i++)
            bem->rhs[2 * i] = bem->x[i] / c->length, bem->rhs[2 * i + 1] = 0.0;
        invert(bem, bem->rhs, c->turned);
    } else {
        memset(c->turned, 0, 2 * n * sizeof *c->turned);
    }
    for (size_t k = 0; k < RIGID; k++) {
        double sums[RIGID];
        for (size_t i = 0; i < 2 * n; i++)
            bem->better[i] = per_unit(c, k, i);
        add_friction(bem, bem->better);
        loads_of(s, bem->better, sums);
        for (size_t row = 0; row < RIGID; row++)
            c->schur[row * RIGID + k] = c->free[row] ? sums[row] : row == k ? 1.0 : 0.0;
    }
    return am_kernel_factor(RIGID, c->schur, c->order);
}

static void right_hand_side(const problem *s) {
    const am_bem *bem = s->bem;
    am_bem_couple *c = s->c;
    double *b = c->b, *rigid = b + 2 * bem->n;
    for (size_t i = 0; i < bem->n; i++) {
        unsigned char state = bem->now.state[i];
        b[2 * i] = state != AM_OPEN ? c->given[APPROACH] + c->given[TILT] * bem->x[i] - bem->gap0[i] : 0.0;
        b[2 * i + 1] = state == AM_STICK ? c->given[SHIFT] - bem->stay[i] : 0.0;
    }
    double shear = s->load->tangential == AM_BEM_VERGE ? 0.0 : s->load->Q / bem->h;
    rigid[APPROACH] = c->free[APPROACH] ? c->scale * s->load->P / bem->h : 0.0;
    rigid[TILT] = c->free[TILT] ? c->scale * s->load->M / (bem->h * c->length) : 0.0;
    rigid[SHIFT] = c->free[SHIFT] ? c->scale * shear : 0.0;
}

/* ---- one iterate ---- */

static void sort_motions(am_bem_couple *c, const am_bem_load *load) {
    c->free[APPROACH] = load->normal == AM_BEM_FORCE;
    c->free[TILT] = load->free_tilt;
    c->free[SHIFT] = load->tangential != AM_BEM_DISPLACEMENT;
    c->given[APPROACH] = c->free[APPROACH] ? 0.0 : load->P;
    c->given[TILT] = c->free[TILT] ? 0.0 : load->tilt;
    c->given[SHIFT] = c->free[SHIFT] ? 0.0 : load->Q;
}

static void read_solution(const problem *s) {
    am_bem *bem = s->bem;
    am_bem_couple *c = s->c;
    am_bem_fields *now = &bem->now;
    const double *rigid = c->y + 2 * bem->n;
    now->approach = c->given[APPROACH] + rigid[APPROACH];
    now->tilt = c->given[TILT] + rigid[TILT] / c->length;
    now->shift = c->given[SHIFT] + rigid[SHIFT];
    for (size_t i = 0; i < bem->n; i++) {
        now->p[i] = c->y[2 * i];
        now->q[i] = c->y[2 * i + 1] + friction_of(bem, i) * now->p[i];
    }
    am_bem_displace(bem, now->p, now->q, bem->motion);
    for (size_t i = 0; i < bem->n; i++) {
        unsigned char state = now->state[i];
        double gap = bem->gap0[i] - now->approach - now->tilt * bem->x[i] + bem->motion[2 * i];
        now->gap[i] = state == AM_OPEN ? gap : 0.0;
        now->place[i] = state == AM_STICK ? bem->stay[i] : now->shift - bem->motion[2 * i + 1];
    }
}

static bool solve(const problem *s, double tolerance) {
    am_bem *bem = s->bem;
    am_bem_couple *c = s->c;
    if (!prepare(s))
        return false;
    right_hand_side(s);
    copy_unknowns(bem, c->y, c->y);
    am_gmres_problem system = {.n = 2 * bem->n + RIGID, .apply = apply, .precondition = precondition};
    problem context = *s;
    system.context = &context;
    double residual = am_gmres_solve(&c->gmres, &system, c->b, tolerance, MOST_PRODUCTS, c->y, NULL);
    if (!(residual < fmax(1e-10, 2.0 * tolerance)))
        return false;
    read_solution(s);
    return true;
}

/* ---- changes of state ---- */

static am_contact_state wanted(const am_bem *bem, size_t i, double small_p, double small_v, double small_u) {
    const am_bem_fields *now = &bem->now;
    if (now->state[i] == AM_OPEN)
        return now->gap[i] < -small_v ? AM_STICK : AM_OPEN;
    return now->p[i] < -small_p ? AM_OPEN : am_bem_stick_or_slip(bem, i, small_p, small_u);
}

static bool closes(const am_bem *bem, size_t i) {
    return bem->now.state[i] == AM_OPEN && bem->next[i] != AM_OPEN;
}

static void join(am_bem *bem, size_t i, size_t neighbour) {
    if (bem->next[neighbour] == AM_OPEN || !closes(bem, i) || bem->in[i] || !bem->in[neighbour])
        return;
    bem->next[i] = bem->next[neighbour];
    bem->in[i] = true;
}

/* Nodes that close do what their neighbours in contact do: alone among nodes that slip, one that sticks would carry a
 * peak of shear, which opens others. */
static void join_neighbours(am_bem *bem) {
    for (size_t i = 0; i < bem->n; i++)
        bem->in[i] = !closes(bem, i);
    for (size_t i = 1; i < bem->n; i++)
        join(bem, i, i - 1);
    for (size_t i = bem->n - 1; i-- > 0;)
        join(bem, i, i + 1);
}

/* Returns how many nodes were wrong. */
static size_t change(const problem *s, double small) {
    am_bem *bem = s->bem;
    am_bem_fields *now = &bem->now;
    double p = 0.0, v = 0.0, u = 0.0;
    size_t wrong = 0;
    for (size_t i = 0; i < bem->n; i++) {
        p = fmax(p, fabs(now->p[i]));
        v = fmax(v, fabs(bem->motion[2 * i]));
        u = fmax(u, fabs(bem->motion[2 * i + 1]));
    }
    am_bem_set_limits(bem);
    for (size_t i = 0; i < bem->n; i++) {
        bool held = s->load->tangential == AM_BEM_VERGE && i == s->load->verge;
        bem->next[i] = held ? now->state[i] : (unsigned char)wanted(bem, i, small * p, small * v, small * u);
        wrong += bem->next[i] != now->state[i];
    }
    join_neighbours(bem);
    am_bem_go_on(bem, wrong);
    memcpy(now->state, bem->next, bem->n * sizeof *bem->next);
    return wrong;
}

static void guess(const problem *s) {
    am_bem *bem = s->bem;
    am_bem_couple *c = s->c;
    am_bem_fields *now = &bem->now;
    sort_motions(c, s->load);
    for (size_t i = 0; i < bem->n; i++) {
        c->y[2 * i] = now->p[i];
        c->y[2 * i + 1] = now->q[i];
    }
    double *rigid = c->y + 2 * bem->n;
    rigid[APPROACH] = c->free[APPROACH] ? now->approach : 0.0;
    rigid[TILT] = c->free[TILT] ? now->tilt * c->length : 0.0;
    rigid[SHIFT] = c->free[SHIFT] ? now->shift : 0.0;
}

/* All nodes slip under a given load: one stops. */
static void hold_one(const problem *s) {
    am_bem *bem = s->bem;
    if (s->load->tangential != AM_BEM_FORCE)
        return;
    for (size_t i = 0; i < bem->n; i++) {
        if (bem->now.state[i] == AM_STICK)
            return;
        bem->now.q[i] = friction_of(bem, i) * bem->now.p[i];
    }
    am_bem_hold_one(bem, s->load);
}

bool am_bem_can_couple(const am_bem *bem, const am_bem_load *load) {
    return bem->beta != 0.0 && !am_friction_weakens(&bem->friction) && load->tangential != AM_BEM_MEAN_SLIP;
}

am_status am_bem_couple_all(am_bem *bem, const am_bem_load *load, bool *settled, am_error *err) {
    *settled = false;
    AM_TRY(make(bem, err));
    problem s = {bem, bem->couple, load};
    am_bem_search search = AM_BEM_SEARCH;
    if (!am_bem_touches(bem))
        am_bem_close_all(bem);
    guess(&s);
    for (size_t iteration = 0; iteration < MOST_CHANGES; iteration++) {
        AM_TRY(am_watch_spend(1e2 * (double)bem->n, err));
        if (load->tangential == AM_BEM_VERGE && bem->now.state[load->verge] == AM_OPEN)
            return AM_OK;
        am_bem_hold_verge(bem, load);
        hold_one(&s);
        am_bem_set_places(bem, load);
        if (!am_bem_touches(bem) || !solve(&s, search.tolerance))
            return AM_OK;
        bem->now.evidence.set_changes++;
        size_t wrong = change(&s, am_bem_search_zero(&search));
        if (am_bem_search_ends(&search, wrong)) {
            am_bem_add_up(bem);
            *settled = true;
            return AM_OK;
        }
        if (search.patience == 0)
            return AM_OK;
    }
    return AM_OK;
}
