/* The parts of a run of `atlas`: what is listed, how it is solved and followed, and how it is told. */
#ifndef AMONTONS_PAPERS_ATLAS_ATLAS_INTERNAL_H
#define AMONTONS_PAPERS_ATLAS_ATLAS_INTERNAL_H
#include "papers/atlas.h"
#include "papers/atlas/atlas_exact.h"
#include "papers/atlas/branch.h"
#include "papers/atlas/detune.h"

/* One class of configurations, and its solution at `at`. */
typedef struct am_atlas_solution {
    size_t multiplicity, active;
    bool survives; /* reaches the structure's own couplings */
    double energy, omega, exponent;
    am_verdict verdict;
    am_atlas_exact exact;
    size_t branch; /* SIZE_MAX: none followed */
} am_atlas_solution;

/* Of one thread. */
typedef struct am_atlas_worker {
    am_class configuration;
    am_continuation *curve;
    am_exact *exact;   /* NULL: not wanted */
    am_detune *detune; /* NULL: the structure is tuned */
    char apart[64];    /* what the next thread writes lies on other cache lines */
} am_atlas_worker;

typedef struct am_atlas_tally { /* classes by the number of sites that move */
    size_t survive[AM_SITES_MOST + 1], stable[AM_SITES_MOST + 1], marginal[AM_SITES_MOST + 1];
    size_t exact[AM_SITES_MOST + 1], stable_exact[AM_SITES_MOST + 1], marginal_exact[AM_SITES_MOST + 1];
    size_t solved[AM_SITES_MOST + 1];
} am_atlas_tally;

/* Two branches that share a branch point. */
typedef struct am_atlas_connection {
    size_t branch, point; /* where it is on the first */
    size_t with;          /* SIZE_MAX: none that was followed */
    bool end, own_end;    /* the other one, this one ends there */
} am_atlas_connection;

/* Where a branch passes `at`. */
typedef struct am_atlas_crossing {
    double energy;
    size_t branch, point;
} am_atlas_crossing;

/* How far the listed solutions have been followed, round by round. */
typedef struct am_atlas_traced {
    size_t next;               /* solutions before this one are done, */
    size_t branches, doubtful; /* with these branches */
    size_t saved;              /* points of branches in the store */
} am_atlas_traced;

typedef struct am_atlas {
    const am_atlas_options *options;
    const am_progress *progress;
    am_sites sites;
    am_model_line line;
    const am_system *system; /* at `at`; the model's */
    am_configurations configurations;
    bool complete;
    long double configuration_count[AM_SITES_MOST + 1], class_count[AM_SITES_MOST + 1];
    size_t worker_count;
    am_atlas_worker *worker;
    bool listed;
    size_t count, capacity; /* solutions */
    am_atlas_solution *solution;
    am_site_label *labels; /* count x n */
    double *u;             /* count x n: of the tuned companion */
    double *w;             /* count x n x 2: of the structure */
    am_atlas_tally tally;
    size_t branch_count, branch_capacity;
    am_atlas_branch *branch;
    size_t crossing_count, crossing_capacity;
    am_atlas_crossing *crossing;
    size_t doubtful; /* branches that pass a solution of another one */
    am_atlas_traced traced;
    size_t connection_count, connection_capacity;
    am_atlas_connection *connection;
    bool part;          /* the work was stopped: some branches are missing, and what connects them is not known */
    double done, share; /* progress: before this stage, and the part that it is */
} am_atlas;

/* `work` for 0 .. count - 1, spread over the workers; every index has its own place to write to, so that the numbers do
 * not depend on the number of threads. */
typedef am_status (*am_atlas_work)(am_atlas *atlas, am_atlas_worker *worker, size_t index, void *context,
                                   am_error *err);
am_status am_atlas_spread(am_atlas *atlas, size_t count, am_atlas_work work, void *context, am_error *err);

/* What was solved before by a run of the same study: *done classes, their results in place (listed: solutions and u,
 * and branches as far as `traced` says; otherwise the tally). And keep what is solved now. Without a store both do
 * nothing. */
am_status am_atlas_recall(am_atlas *atlas, size_t *done, am_error *err);
am_status am_atlas_remember(am_atlas *atlas, size_t done, am_error *err);

/* Keep the branches traced so far; unless `at_once`, only when they have grown by a quarter: all that is written is
 * then a few times what is written last. */
am_status am_atlas_remember_branches(am_atlas *atlas, bool at_once, am_error *err);

/* Space for one more branch. */
am_status am_atlas_reserve_branch(am_atlas *atlas, am_error *err);

am_status am_atlas_list(am_atlas *atlas, am_error *err); /* enumerate and solve */
am_status am_atlas_follow_branches(am_atlas *atlas, am_error *err);
/* After an interruption: only the branches of rounds that were finished. False: there are none. */
bool am_atlas_keep_traced(am_atlas *atlas);
am_status am_atlas_connect(am_atlas *atlas, am_error *err); /* which branches share branch points */

/* Does another branch that was followed pass through branch point k of branch b? */
bool am_atlas_shared(const am_atlas *atlas, size_t b, size_t k);

am_status am_atlas_report(am_atlas *atlas, am_result *result, am_error *err);

#endif
