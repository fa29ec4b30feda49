/* Klarbring's mass with CVODE: Adams with fixed-point iteration (the choice for non-stiff problems), one initial-value
 * problem per contact state, ended by CVODE's own root finding (Appendix A of Cho and Barber 1998).
 *
 * usage: cvode_klarbring FRICTION C1 C2 UNTIL fixed|final REPEAT < STARTS      (see bench/README.md) */
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

#define RTOL 1e-12
#define ATOL 1e-14

typedef enum state { OPEN, STICK, FORWARD, BACKWARD } state;
static const char *const state_names[] = {"open", "stick", "forward", "backward"};
static const double k11 = 1, k12 = 1, k22 = 2, mass = 1;

typedef struct event {
    double t;
    state from, to;
} event;

enum { MAX_EVENTS = 10000 };

typedef struct model {
    double f, c1, c2;
    double line[2], w[2], mode[2][2]; /* the open mass oscillates about line * t with these modes */
    state now;
    double t;
    N_Vector x; /* u1, u2, v1, v2 */
    void *cvode;
    size_t event_count;
    event events[MAX_EVENTS];
} model;

static void check(bool ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "cvode_klarbring: %s failed\n", what);
        exit(3);
    }
}

static double normal_force(const model *m, double t, const double *x) {
    return k12 * x[0] - m->c2 * t;
}

static double stick_force(const model *m, double t, const double *x) {
    return k11 * x[0] - m->c1 * t;
}

static int rate(double t, N_Vector state_vector, N_Vector rates, void *user) {
    const model *m = user;
    const double *x = N_VGetArrayPointer(state_vector);
    double *r = N_VGetArrayPointer(rates);
    memset(r, 0, 4 * sizeof *r);
    if (m->now == STICK)
        return 0;
    r[0] = x[2];
    if (m->now == OPEN) {
        r[1] = x[3];
        r[2] = (m->c1 * t - k11 * x[0] - k12 * x[1]) / mass;
        r[3] = (m->c2 * t - k12 * x[0] - k22 * x[1]) / mass;
    } else {
        double sign = m->now == FORWARD ? 1 : -1;
        r[2] = (-stick_force(m, t, x) - sign * m->f * normal_force(m, t, x)) / mass;
    }
    return 0;
}

/* Three guards for every state, so that CVODE is set up once; those a state does not need are constant. */
static int guards(double t, N_Vector state_vector, double *g, void *user) {
    const model *m = user;
    const double *x = N_VGetArrayPointer(state_vector);
    double n = normal_force(m, t, x), r = stick_force(m, t, x);
    g[0] = m->now == OPEN ? x[1] : n;
    g[1] = m->now == STICK ? m->f * n - r : m->now == FORWARD ? x[2] : m->now == BACKWARD ? -x[2] : 1;
    g[2] = m->now == STICK ? m->f * n + r : 1;
    return 0;
}

static state state_in_contact(const model *m) {
    const double *x = N_VGetArrayPointer(m->x);
    double n = normal_force(m, m->t, x), r = stick_force(m, m->t, x);
    if (n < 0 || (n == 0 && k12 * x[2] < m->c2))
        return OPEN;
    if (x[2] != 0)
        return x[2] > 0 ? FORWARD : BACKWARD;
    if (n == 0)
        n = -m->c2, r = -m->c1; /* at rest at the origin: rates decide */
    if (fabs(r) <= m->f * n)
        return STICK;
    return r > 0 ? BACKWARD : FORWARD;
}

static void change(model *m, state next) {
    if (next == m->now)
        return;
    check(m->event_count < MAX_EVENTS, "counting events");
    m->events[m->event_count++] = (event){m->t, m->now, next};
    m->now = next;
}

static void impact(model *m) {
    double *x = N_VGetArrayPointer(m->x), most = -m->f * x[3];
    state during = x[2] > most ? FORWARD : x[2] < -most ? BACKWARD : STICK;
    x[2] = during == FORWARD ? x[2] - most : during == BACKWARD ? x[2] + most : 0;
    x[1] = x[3] = 0;
    change(m, during);
    change(m, state_in_contact(m));
}

static double open_for_good(const model *m) {
    const double *x = N_VGetArrayPointer(m->x);
    double y[2] = {x[0] - m->line[0] * m->t, x[1] - m->line[1] * m->t}, z[2] = {x[2] - m->line[0], x[3] - m->line[1]},
           sum = 0;
    if (!(m->line[1] > 0))
        return HUGE_VAL;
    for (int i = 0; i < 2; i++) {
        const double *e = m->mode[i];
        sum += fabs(e[1]) * hypot(e[0] * y[0] + e[1] * y[1], (e[0] * z[0] + e[1] * z[1]) / m->w[i]);
    }
    return sum / m->line[1];
}

static state run(model *m, double v1, double v2, double until, bool seek_final) {
    double *x = N_VGetArrayPointer(m->x);
    x[0] = x[1] = 0, x[2] = v1, x[3] = v2;
    m->t = 0, m->event_count = 0, m->now = OPEN;
    if (v2 < 0)
        impact(m);
    else if (v2 == 0)
        m->now = state_in_contact(m);
    while (m->t < until) {
        double end = until;
        if (seek_final && m->now == STICK && fabs(m->c1) <= -m->f * m->c2)
            return STICK;
        if (seek_final && m->now == OPEN)
            end = fmax(m->t, fmin(end, open_for_good(m)));
        if (end - m->t <= 1e-13 * end)
            break;
        check(CVodeReInit(m->cvode, m->t, m->x) == CV_SUCCESS, "CVodeReInit");
        CVodeSetStopTime(m->cvode, end);
        int status = CVode(m->cvode, end, m->x, &m->t, CV_NORMAL), root[3] = {0};
        check(status >= 0, "CVode");
        if (status != CV_ROOT_RETURN)
            break;
        CVodeGetRootInfo(m->cvode, root);
        if (m->now == OPEN) {
            impact(m);
        } else if (root[0] != 0) {
            change(m, OPEN);
            x[1] = x[3] = 0;
        } else if (m->now == STICK) {
            change(m, root[1] != 0 ? BACKWARD : FORWARD);
        } else {
            x[2] = 0;
            change(m, state_in_contact(m));
        }
    }
    return m->now;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void find_modes(model *m) {
    double det = k11 * k22 - k12 * k12, mean = (k11 + k22) / 2, radius = hypot((k11 - k22) / 2, k12);
    m->line[0] = (k22 * m->c1 - k12 * m->c2) / det;
    m->line[1] = (k11 * m->c2 - k12 * m->c1) / det;
    for (int i = 0; i < 2; i++) {
        double eigenvalue = i == 0 ? mean - radius : mean + radius, length = hypot(k12, eigenvalue - k11);
        m->w[i] = sqrt(eigenvalue / mass);
        m->mode[i][0] = k12 / length;
        m->mode[i][1] = (eigenvalue - k11) / length;
    }
}

static void print_run(const model *m, state final, const double *seconds, int repeat, bool first) {
    const double *x = N_VGetArrayPointer(m->x);
    printf("%s\n{\"events\": [", first ? "" : ",");
    for (size_t i = 0; i < m->event_count; i++)
        printf("%s[%.17g, \"%s\", \"%s\"]", i ? ", " : "", m->events[i].t, state_names[m->events[i].from],
               state_names[m->events[i].to]);
    printf("], \"final\": \"%s\", \"t\": %.17g, \"q\": [%.17g, %.17g], \"v\": [%.17g, %.17g], \"seconds\": [",
           state_names[final], m->t, x[0], x[1], x[2], x[3]);
    for (int i = 0; i < repeat; i++)
        printf("%s%.9g", i ? ", " : "", seconds[i]);
    printf("]}");
}

int main(int argc, char **argv) {
    if (argc != 7) {
        fprintf(stderr, "usage: %s FRICTION C1 C2 UNTIL fixed|final REPEAT < STARTS\n", argv[0]);
        return 2;
    }
    static model m;
    m.f = strtod(argv[1], NULL), m.c1 = strtod(argv[2], NULL), m.c2 = strtod(argv[3], NULL);
    double until = strtod(argv[4], NULL), v1, v2;
    bool seek_final = strcmp(argv[5], "final") == 0, first = true;
    int repeat = atoi(argv[6]), falling[3] = {-1, -1, -1};
    check(repeat >= 1, "reading REPEAT");
    double *seconds = calloc((size_t)repeat, sizeof *seconds);
    find_modes(&m);

    SUNContext context = NULL;
    check(seconds && SUNContext_Create(NULL, &context) == 0, "SUNContext_Create");
    m.x = N_VNew_Serial(4, context);
    N_VConst(0, m.x);
    m.cvode = CVodeCreate(CV_ADAMS, context);
    check(m.cvode && CVodeInit(m.cvode, rate, 0, m.x) == CV_SUCCESS, "CVodeInit");
    CVodeSetUserData(m.cvode, &m);
    CVodeSStolerances(m.cvode, RTOL, ATOL);
    SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(m.x, 0, context);
    CVodeSetNonlinearSolver(m.cvode, solver);
    CVodeSetMaxNumSteps(m.cvode, 1000000);
    check(CVodeRootInit(m.cvode, 3, guards) == CV_SUCCESS, "CVodeRootInit");
    CVodeSetRootDirection(m.cvode, falling);
    CVodeSetNoInactiveRootWarn(m.cvode);

    char version[64] = "";
    SUNDIALSGetVersion(version, sizeof version);
    printf("{\"name\": \"CVODE %s (Adams, rtol %g) with root finding\", \"runs\": [", version, RTOL);
    while (scanf("%lf %lf", &v1, &v2) == 2) {
        state final = OPEN;
        for (int i = 0; i < repeat; i++) {
            double begin = seconds_now();
            final = run(&m, v1, v2, until, seek_final);
            seconds[i] = seconds_now() - begin;
        }
        print_run(&m, final, seconds, repeat, first);
        first = false;
    }
    printf("\n]}\n");
    CVodeFree(&m.cvode);
    SUNNonlinSolFree(solver);
    N_VDestroy(m.x);
    SUNContext_Free(&context);
    free(seconds);
    return 0;
}
