#include "relatives.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_system.h"

static const double nudge = 1e-9;

void relatives_nudge(const plain_system *plain, const double *q, const double *v, plain_system *moved, double *mq,
                     double *mv) {
    random_source source = random_seed(77);
    *moved = *plain;
    for (size_t l = 0; l < plain->loads; l++)
        for (size_t i = 0; i < plain->n; i++)
            moved->load[l].direction[i] *= 1 + nudge * random_between(&source, -1, 1);
    for (size_t i = 0; i < plain->n; i++) {
        mq[i] = q[i] * (1 + nudge * random_between(&source, -1, 1));
        mv[i] = v[i] * (1 + nudge * random_between(&source, -1, 1));
    }
    for (size_t i = 0; i < plain->n; i++)
        for (size_t j = 0; j <= i; j++) {
            double factor = 1 + nudge * random_between(&source, -1, 1);
            moved->stiffness[i * plain->n + j] *= factor;
            if (i != j)
                moved->stiffness[j * plain->n + i] *= factor;
        }
}

/* The event of the other motion that corresponds to number i: events of one instant may come in another order. */
static const trajectory_event *counterpart(const relatives *r, const relation *how, size_t i, double allowed) {
    const trajectory_event *a = &r->base.events[i];
    size_t contact = how->contact_map ? how->contact_map[a->contact] : a->contact;
    size_t first = i < PLAIN_CONTACTS ? 0 : i - PLAIN_CONTACTS;
    for (size_t j = first; j < r->other.count && j <= i + PLAIN_CONTACTS; j++) {
        const trajectory_event *c = &r->other.events[j];
        if (c->contact == contact && c->from == a->from && c->to == a->to &&
            fabs(c->t - how->time_shift - a->t) <= allowed)
            return c;
    }
    return NULL;
}

/* Where events crowd, a gap opens so little that its rounding, 1e-16, over the speed at which it closes again exceeds
 * what is allowed. */
static const double closest = 1e-3;

int relatives_compare(const relatives *r, const relation *how) {
    double allowed = 0, part = 1e-4 + how->more_rounding / nudge;
    int compared = 0;
    for (size_t i = 0; i < r->base.count && i < r->moved.count; i++) {
        const trajectory_event *a = &r->base.events[i], *b = &r->moved.events[i];
        double wait = i + 1 < r->base.count ? r->base.events[i + 1].t - a->t : 1;
        if (a->contact != b->contact || a->from != b->from || a->to != b->to || (wait > 0 && wait < closest))
            return compared;
        allowed = fmax(allowed, fabs(b->t - a->t) * part);
        if (allowed > 1e-6)
            return compared;
        if (!counterpart(r, how, i, allowed + how->time_rounding + (1e-12 + how->more_rounding) * fmax(1, a->t)))
            return -1;
        compared++;
    }
    return compared;
}

static void print_event(const trajectory *run, size_t i, double shift) {
    if (i < run->count)
        print_error("   %.17g %zu %d-%d", run->events[i].t - shift, run->events[i].contact, run->events[i].from,
                    run->events[i].to);
}

void relatives_print(const relatives *r, const relation *how) {
    print_error("differs (%s %s, %s %s)\n", am_status_text(r->base.status), r->base.error.message,
                am_status_text(r->other.status), r->other.error.message);
    for (size_t i = 0; i < r->base.count || i < r->other.count; i++) {
        print_event(&r->base, i, 0);
        print_event(&r->other, i, how->time_shift);
        print_error("\n");
    }
}
