/* Grazing oscillators with CVODE's root finding: the first time a gap closes, or nan.
 *
 * usage: cvode_grazing < PROBLEMS      (see bench/README.md) */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sundials/sundials_version.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#define RTOL 1e-12
#define ATOL 1e-14

typedef struct problem {
    double k11, k12, k22, n1, n2, gap, q1, q2, v1, v2, until;
} problem;

static int rate(double t, N_Vector state, N_Vector rates, void *user) {
    const problem *p = user;
    const double *x = N_VGetArrayPointer(state);
    double *r = N_VGetArrayPointer(rates);
    (void)t;
    r[0] = x[2];
    r[1] = x[3];
    r[2] = -p->k11 * x[0] - p->k12 * x[1];
    r[3] = -p->k12 * x[0] - p->k22 * x[1];
    return 0;
}

static int gap(double t, N_Vector state, double *g, void *user) {
    const problem *p = user;
    const double *x = N_VGetArrayPointer(state);
    (void)t;
    g[0] = p->n1 * x[0] + p->n2 * x[1] + p->gap;
    return 0;
}

int main(void) {
    problem p = {0};
    SUNContext context = NULL;
    if (SUNContext_Create(NULL, &context) != 0)
        return 3;
    N_Vector x = N_VNew_Serial(4, context);
    N_VConst(0, x);
    void *cvode = CVodeCreate(CV_ADAMS, context);
    SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(x, 0, context);
    int falling = -1;
    if (!cvode || CVodeInit(cvode, rate, 0, x) != CV_SUCCESS || CVodeRootInit(cvode, 1, gap) != CV_SUCCESS)
        return 3;
    CVodeSetUserData(cvode, &p);
    CVodeSStolerances(cvode, RTOL, ATOL);
    CVodeSetNonlinearSolver(cvode, solver);
    CVodeSetMaxNumSteps(cvode, 1000000);
    CVodeSetRootDirection(cvode, &falling);
    while (scanf("%lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", &p.k11, &p.k12, &p.k22, &p.n1, &p.n2, &p.gap, &p.q1,
                 &p.q2, &p.v1, &p.v2, &p.until) == 11) {
        double *start = N_VGetArrayPointer(x), t = 0;
        start[0] = p.q1, start[1] = p.q2, start[2] = p.v1, start[3] = p.v2;
        CVodeReInit(cvode, 0, x);
        CVodeSetStopTime(cvode, p.until);
        int status = CVode(cvode, p.until, x, &t, CV_NORMAL);
        if (status < 0)
            return 3;
        printf("%.17g\n", status == CV_ROOT_RETURN ? t : (double)NAN);
    }
    CVodeFree(&cvode);
    SUNNonlinSolFree(solver);
    N_VDestroy(x);
    SUNContext_Free(&context);
    return 0;
}
