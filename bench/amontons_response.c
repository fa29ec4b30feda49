/* Amontons' part of bench/response.
 *
 *     chain LONGEST REPEAT ROUNDS    the isola of one and three masses of a chain of twelve, one harmonic, 25 unknowns,
 *                                    ROUNDS times around, REPEAT times over: continuation alone; LONGEST: largest step
 *     study REPEAT                   the same by am_response_run, with everything a study asks for but stability
 *     jenkins ETA H REPEAT           Griffin's damper over Omega with H harmonics, and the peak of the curve
 *     counted chain LONGEST          once, inside `counted_run`, for callgrind
 *     counted jenkins ETA H
 *
 * One JSON document on stdout. */
#include <math.h>
#include <string.h>

#include "amontons/models.h"
#include "amontons/response.h"
#include "bench.h"
#include "engines/balance/balance.h"

static const char *const program = "amontons_response";
enum { MASSES = 12 };

static void print_list(const char *name, const double *values, size_t count, const char *end) {
    printf("\"%s\": [", name);
    for (size_t k = 0; k < count; k++)
        printf("%s%.17g", k ? ", " : "", values[k]);
    printf("]%s", end);
}

/* ---- the chain ---- */

static const double xi1_start = 0.15, xi1_least = 0.005, xi1_most = 0.25;

static am_system *make_chain(void *context, const double *values, am_error *err) {
    am_chain chain = am_chain_default();
    (void)context;
    chain.count = MASSES;
    chain.xi1 = values[0];
    return am_chain_create(&chain, err);
}

typedef struct chain_run {
    am_model *model;
    am_balance *balance;
    am_continuation *curve;
    am_continuation_problem problem;
    am_continuation_options options;
    double start[2 * MASSES + 1];
} chain_run;

typedef struct seen {
    size_t regular, unlocated;
    double first_fold; /* NAN: none */
    double xi1[64];    /* of folds and branch points */
    size_t count;
} seen;

static bool look(void *context, const am_continuation_point *point, const am_continuation_special *special) {
    seen *s = context;
    bool fold = !strcmp(special->kind, "fold"), branch = !strcmp(special->kind, "branch-point");
    s->regular += !strcmp(special->kind, "regular");
    s->unlocated += !special->located;
    if (fold && isnan(s->first_fold))
        s->first_fold = point->p;
    if ((fold || branch) && s->count < 64)
        s->xi1[s->count++] = point->p;
    return true;
}

static chain_run prepare_chain(double longest) {
    chain_run run = {0};
    am_error err = {0};
    const char *const name = "xi1";
    const am_model_def def = {.count = 1, .names = &name, .make = make_chain};
    am_balance_options options = {.degree = 1, .self_excited = true};
    double signals[MASSES * 3] = {0};
    am_chain chain = am_chain_default();
    chain.xi1 = xi1_start;
    signals[1] = am_chain_amplitudes(&chain, 1.0).stable;
    run.model = am_model_create(&def, &err);
    const am_model_line line = {.model = run.model, .held = SIZE_MAX};
    run.balance = am_balance_create(&line, xi1_least, xi1_most, &options, &err);
    if (!run.balance || am_balance_size(run.balance) != 2 * MASSES + 1)
        give_up(program, &err);
    run.curve = am_continuation_create(2 * MASSES + 1, 0, &err);
    run.problem = am_balance_problem(run.balance);
    run.options = am_continuation_options_default();
    run.options.from = xi1_start;
    run.options.to = run.options.most = xi1_most;
    run.options.least = xi1_least;
    run.options.direction = -1;
    run.options.largest_step = longest;
    if (!run.curve || am_balance_pack(run.balance, signals, 1.0, xi1_start, run.start, &err) ||
        am_continuation_solve(run.curve, &run.problem, xi1_start, 1e-12, run.start, NULL, &err))
        give_up(program, &err);
    return run;
}

static void free_chain(chain_run *run) {
    am_continuation_free(run->curve);
    am_balance_free(run->balance);
    am_model_free(run->model);
}

static am_continuation_report follow_chain(chain_run *run, seen *s) {
    am_continuation_report report;
    am_error err = {0};
    *s = (seen){.first_fold = NAN};
    if (am_continuation_follow(run->curve, &run->problem, &run->options, run->start, &report, look, s, &err))
        give_up(program, &err);
    return report;
}

static void chain(double longest, size_t repeat, size_t rounds) {
    chain_run run = prepare_chain(longest);
    am_continuation_report report = {0};
    seen s;
    double *seconds = malloc(repeat * sizeof *seconds);
    for (size_t r = 0; r < repeat; r++) {
        double start = seconds_now();
        for (size_t i = 0; i < rounds; i++)
            report = follow_chain(&run, &s);
        seconds[r] = (seconds_now() - start) / (double)rounds;
    }
    printf(
        "{\"unknowns\": %zu, \"closed\": %s, \"steps\": %zu, \"points\": %zu, \"folds\": %zu, \"branch_points\": %zu, "
        "\"unlocated\": %zu, \"first_fold\": %.17g, \"residual\": %.3g, \"iterations\": %zu, \"factorisations\": %zu, ",
        am_balance_size(run.balance), report.end == AM_CONTINUATION_CLOSED ? "true" : "false", s.regular, report.points,
        report.folds, report.branch_points, s.unlocated, s.first_fold, report.worst_residual, report.iterations,
        report.factorisations);
    print_list("xi1", s.xi1, s.count, ", ");
    print_list("start", run.start, 2 * MASSES + 1, ", ");
    print_list("seconds", seconds, repeat, "}\n");
    free(seconds);
    free_chain(&run);
}

/* ---- studies ---- */

static void run_response(am_model *model, const am_response_options *options, am_result **result) {
    am_error err = {0};
    *result = am_result_create(&err);
    if (!*result || am_response_run(model, options, *result, NULL, &err))
        give_up(program, &err);
}

static double number(const am_result *result, const char *name) {
    const am_scalar *found = am_result_find(result, name);
    return found ? found->number : NAN;
}

static void study(size_t repeat) {
    const char *const name = "xi1";
    const am_model_def def = {.count = 1, .names = &name, .make = make_chain};
    am_model *model = am_model_create(&def, NULL);
    am_response_options options = am_response_options_default();
    am_response_site sites[MASSES] = {{.amplitude = 1.0}};
    am_result *result = NULL;
    double *seconds = malloc(repeat * sizeof *seconds);
    options.from = xi1_least;
    options.to = xi1_most;
    options.at = xi1_start;
    options.harmonics = 1;
    options.site_count = MASSES;
    options.sites = sites;
    options.stability = AM_RESPONSE_STABILITY_NONE;
    for (size_t r = 0; r < repeat; r++) {
        double start = seconds_now();
        am_result_free(result);
        run_response(model, &options, &result);
        seconds[r] = seconds_now() - start;
    }
    printf("{\"points\": %.0f, \"folds\": %.0f, \"branch_points\": %.0f, \"first_fold\": %.17g, ",
           number(result, "points"), number(result, "folds"), number(result, "branch_points"),
           number(result, "first_fold"));
    print_list("seconds", seconds, repeat, "}\n");
    am_result_free(result);
    am_model_free(model);
    free(seconds);
}

/* ---- Griffin's damper ---- */

static am_system *make_griffin(void *context, const double *values, am_error *err) {
    am_griffin griffin = *(const am_griffin *)context;
    griffin.Omega = values[0];
    return am_griffin_create(&griffin, err);
}

static am_griffin griffin_of(double eta) {
    am_griffin griffin = am_griffin_default();
    griffin.beta = 0.6;
    griffin.eta = eta;
    griffin.delta_deg = 90.0;
    return griffin;
}

static am_model *model_of(am_griffin *griffin) {
    const char *const name = "Omega";
    const am_model_def def = {.count = 1, .names = &name, .make = make_griffin, .context = griffin};
    return am_model_create(&def, NULL);
}

static am_response_options griffin_options(size_t harmonics) {
    am_response_options options = am_response_options_default();
    options.from = 0.5;
    options.to = 2.0;
    options.harmonics = harmonics;
    options.parity = AM_PARITY_ALL; /* with constant normal load the even ones are zero: the same work for both */
    options.stability = AM_RESPONSE_STABILITY_NONE;
    return options;
}

static void jenkins(double eta, size_t harmonics, size_t repeat) {
    am_griffin griffin = griffin_of(eta);
    am_model *model = model_of(&griffin);
    am_response_options options = griffin_options(harmonics);
    am_result *result = NULL;
    double *seconds = malloc(repeat * sizeof *seconds);
    for (size_t r = 0; r < repeat; r++) {
        double start = seconds_now();
        am_result_free(result);
        run_response(model, &options, &result);
        seconds[r] = seconds_now() - start;
    }
    printf("{\"points\": %.0f, \"peak\": %.17g, \"peak_at\": %.17g, \"residual\": %.3g, ", number(result, "points"),
           number(result, "peak"), number(result, "peak_at"), number(result, "residual"));
    print_list("seconds", seconds, repeat, "}\n");
    am_result_free(result);
    am_model_free(model);
    free(seconds);
}

/* ---- for callgrind ---- */

__attribute__((noinline)) static void counted_run(void (*work)(void *), void *context) {
    work(context);
    __asm__ volatile("" ::: "memory");
}

typedef struct counted_chain {
    chain_run run;
    seen s;
    am_continuation_report report;
} counted_chain;

static void once_around(void *context) {
    counted_chain *c = context;
    c->report = follow_chain(&c->run, &c->s);
}

static void count_chain(double longest) {
    counted_chain c = {.run = prepare_chain(longest)};
    once_around(&c);
    counted_run(once_around, &c);
    printf("{\"steps\": %zu, \"points\": %zu}\n", c.s.regular, c.report.points);
    free_chain(&c.run);
}

typedef struct counted_response {
    am_model *model;
    am_response_options options;
    am_result *result;
} counted_response;

static void one_response(void *context) {
    counted_response *c = context;
    run_response(c->model, &c->options, &c->result);
}

static void count_jenkins(double eta, size_t harmonics) {
    am_griffin griffin = griffin_of(eta);
    counted_response c = {.model = model_of(&griffin), .options = griffin_options(harmonics)};
    counted_run(one_response, &c);
    printf("{\"points\": %.0f}\n", number(c.result, "points"));
    am_result_free(c.result);
    am_model_free(c.model);
}

static size_t whole(const char *text) {
    return strtoul(text, NULL, 10);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (argc == 5 && !strcmp(what, "chain"))
        chain(atof(argv[2]), whole(argv[3]), whole(argv[4]));
    else if (argc == 3 && !strcmp(what, "study"))
        study(whole(argv[2]));
    else if (argc == 5 && !strcmp(what, "jenkins"))
        jenkins(atof(argv[2]), whole(argv[3]), whole(argv[4]));
    else if (argc == 4 && !strcmp(what, "counted") && !strcmp(argv[2], "chain"))
        count_chain(atof(argv[3]));
    else if (argc == 5 && !strcmp(what, "counted") && !strcmp(argv[2], "jenkins"))
        count_jenkins(atof(argv[3]), whole(argv[4]));
    else
        return 2;
    return 0;
}
