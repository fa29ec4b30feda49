/* The motions of amontons_laws.c with CVODE: Adams with fixed-point iteration (the choice for non-stiff problems), one
 * initial-value problem per state of contact, ended by CVODE's own root finding.
 *
 * usage: cvode_laws belt|stop|element UNTIL REPEAT [RTOL]        (see bench/README.md)
 * REPEAT = 0: once to warm up and once in `counted_run`, where callgrind counts instructions. */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_version.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <time.h>

enum { GUARDS = 2, MAX_REPEAT = 1000 };

typedef enum phase { OPEN, STICK, FORWARD, BACKWARD } phase;

typedef struct model {
    int size;
    void (*rate)(phase now, double t, const double *x, double *r);
    void (*guards)(phase now, double t, const double *x, double *g);
    phase (*next)(phase now, double t, double *x, const int *root); /* may set x */
    phase first;
    phase now;
    double t, rtol;
    size_t events;
    N_Vector x;
    void *cvode;
} model;

/* ---- a mass on a belt ---- */

static double stribeck(double v) {
    return 0.25 + 0.15 * exp(-v / 0.5);
}

static void belt_rate(phase now, double t, const double *x, double *r) {
    (void)t;
    double slide = x[1] - 0.3;
    r[0] = now == STICK ? 0.3 : x[1];
    r[1] = now == STICK ? 0 : -0.02 * x[1] - x[0] + (now == BACKWARD ? stribeck(-slide) : -stribeck(slide));
}

static void belt_guards(phase now, double t, const double *x, double *g) {
    (void)t;
    double pull = x[0] + 0.02 * 0.3;
    g[0] = now == STICK ? 0.4 - pull : now == BACKWARD ? 0.3 - x[1] : x[1] - 0.3;
    g[1] = now == STICK ? 0.4 + pull : 1;
}

static phase belt_next(phase now, double t, double *x, const int *root) {
    (void)t;
    if (now == STICK)
        return root[0] ? BACKWARD : FORWARD;
    x[1] = 0.3;
    double pull = x[0] + 0.02 * 0.3;
    return pull > 0.4 ? BACKWARD : pull < -0.4 ? FORWARD : STICK;
}

/* ---- a Duffing oscillator with a stop: FORWARD is closed, STICK overlaps without pressing ---- */

static double stop_force(const double *x) {
    return 20 * (x[0] - 0.8) + 0.2 * x[1];
}

static void stop_rate(phase now, double t, const double *x, double *r) {
    r[0] = x[1];
    r[1] = 0.6 * sin(1.4 * t) - 0.1 * x[1] - x[0] - 0.5 * x[0] * x[0] * x[0] - (now == FORWARD ? stop_force(x) : 0);
}

static void stop_guards(phase now, double t, const double *x, double *g) {
    (void)t;
    g[0] = now == OPEN ? 0.8 - x[0] : now == FORWARD ? stop_force(x) : x[0] - 0.8;
    g[1] = now == STICK ? -stop_force(x) : 1;
}

static phase stop_next(phase now, double t, double *x, const int *root) {
    (void)t, (void)x;
    return now == OPEN ? FORWARD : now == FORWARD ? STICK : root[0] ? OPEN : FORWARD;
}

/* ---- a contact element that lifts off: x, y, x', y', stretch ---- */

static double element_friction(phase now, const double *x) {
    double N = -10 * x[1];
    return now == OPEN ? 0 : now == STICK ? -5 * x[4] : now == FORWARD ? -0.4 * N : 0.4 * N;
}

static void element_rate(phase now, double t, const double *x, double *r) {
    double N = now == OPEN ? 0 : -10 * x[1];
    r[0] = x[2];
    r[1] = x[3];
    r[2] = 2 * sin(0.9 * t) - 0.1 * x[2] - 2 * x[0] - 0.3 * x[1] + element_friction(now, x);
    r[3] = -0.8 + 3 * sin(0.9 * t + 0.7) - 0.1 * x[3] - 0.3 * x[0] - 3 * x[1] + N;
    r[4] = now == STICK ? x[2] : 0;
}

/* Of the slider itself: x' - stretch', stretch = +/- mu N/k. */
static double slider(phase now, const double *x) {
    double sign = now == FORWARD ? 1 : -1;
    return sign * (x[2] - sign * 0.4 * -10 * x[3] / 5);
}

static void element_guards(phase now, double t, const double *x, double *g) {
    (void)t;
    double most = -0.4 * 10 * x[1];
    g[0] = now == OPEN ? x[1] : -x[1];
    g[1] = now == OPEN ? 1 : now == STICK ? most - 5 * fabs(x[4]) : slider(now, x);
}

static phase element_next(phase now, double t, double *x, const int *root) {
    (void)t;
    if (now == OPEN) { /* relaxed, and nothing presses yet: rates decide */
        x[4] = 0;
        return 5 * fabs(x[2]) <= 0.4 * -10 * x[3] ? STICK : x[2] > 0 ? FORWARD : BACKWARD;
    }
    if (root[0])
        return OPEN;
    if (now == STICK)
        return x[4] > 0 ? FORWARD : BACKWARD;
    x[4] = (now == FORWARD ? 1 : -1) * 0.4 * -10 * x[1] / 5 * (1 - 1e-15);
    return STICK;
}

/* ---- CVODE ---- */

static void check(bool ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "cvode_laws: %s failed\n", what);
        exit(3);
    }
}

static int rate(double t, N_Vector x, N_Vector r, void *user) {
    const model *m = user;
    m->rate(m->now, t, N_VGetArrayPointer(x), N_VGetArrayPointer(r));
    return 0;
}

static int guards(double t, N_Vector x, double *g, void *user) {
    const model *m = user;
    m->guards(m->now, t, N_VGetArrayPointer(x), g);
    return 0;
}

static void run(model *m, double until) {
    double *x = N_VGetArrayPointer(m->x);
    memset(x, 0, (size_t)m->size * sizeof *x);
    m->t = 0, m->events = 0, m->now = m->first;
    while (m->t < until) {
        int root[GUARDS] = {0};
        check(CVodeReInit(m->cvode, m->t, m->x) == CV_SUCCESS, "CVodeReInit");
        CVodeSetStopTime(m->cvode, until);
        int status = CVode(m->cvode, until, m->x, &m->t, CV_NORMAL);
        check(status >= 0, "CVode");
        if (status != CV_ROOT_RETURN)
            return;
        CVodeGetRootInfo(m->cvode, root);
        m->now = m->next(m->now, m->t, x, root);
        m->events++;
    }
}

void counted_run(model *m, double until);

__attribute__((noinline)) void counted_run(model *m, double until) {
    run(m, until);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static model choose(const char *name) {
    if (strcmp(name, "belt") == 0)
        return (model){2, belt_rate, belt_guards, belt_next, .first = BACKWARD};
    if (strcmp(name, "stop") == 0)
        return (model){2, stop_rate, stop_guards, stop_next, .first = OPEN};
    return (model){5, element_rate, element_guards, element_next, .first = OPEN};
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: cvode_laws belt|stop|element UNTIL REPEAT [RTOL]\n");
        return 2;
    }
    model m = choose(argv[1]);
    double until = strtod(argv[2], NULL), seconds[MAX_REPEAT];
    int repeat = atoi(argv[3]);
    repeat = repeat > MAX_REPEAT ? MAX_REPEAT : repeat;
    m.rtol = argc > 4 ? strtod(argv[4], NULL) : 1e-12;
#if SUNDIALS_VERSION_MAJOR >= 6
    SUNContext context;
    SUNContext_Create(NULL, &context);
    m.x = N_VNew_Serial(m.size, context);
    m.cvode = CVodeCreate(CV_ADAMS, context);
    SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(m.x, 0, context);
#else
    m.x = N_VNew_Serial(m.size);
    m.cvode = CVodeCreate(CV_ADAMS);
    SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(m.x, 0);
#endif
    N_VConst(0, m.x);
    check(CVodeInit(m.cvode, rate, 0, m.x) == CV_SUCCESS, "CVodeInit");
    check(CVodeSStolerances(m.cvode, m.rtol, 1e-2 * m.rtol) == CV_SUCCESS, "tolerances");
    check(CVodeSetUserData(m.cvode, &m) == CV_SUCCESS, "user data");
    check(CVodeSetNonlinearSolver(m.cvode, solver) == CV_SUCCESS, "solver");
    check(CVodeRootInit(m.cvode, GUARDS, guards) == CV_SUCCESS, "roots");
    CVodeSetRootDirection(m.cvode, (int[]){-1, -1});
    CVodeSetMaxNumSteps(m.cvode, 10000000);
    run(&m, until);
    for (int i = 0; i < repeat; i++) {
        double start = seconds_now();
        run(&m, until);
        seconds[i] = seconds_now() - start;
    }
    if (repeat == 0)
        counted_run(&m, until);
    printf("{\"events\": %zu, \"state\": [", m.events);
    for (int i = 0; i < m.size; i++)
        printf("%s%.17g", i ? ", " : "", N_VGetArrayPointer(m.x)[i]);
    printf("], \"seconds\": [");
    for (int i = 0; i < repeat; i++)
        printf("%s%.9g", i ? ", " : "", seconds[i]);
    printf("], \"version\": \"%s\"}\n", SUNDIALS_VERSION);
    return 0;
}
