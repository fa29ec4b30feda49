#include "math/integrator.h"

#include "base/memory.h"
#include "base/try.h"
#include "base/watch.h"

#ifndef AMONTONS_WITH_SUNDIALS

bool am_integrator_available(void) {
    return false;
}

am_integrator *am_integrator_create(const am_integrator_problem *problem, am_error *err) {
    (void)problem;
    am_fail(err, AM_ERR_UNSUPPORTED,
            "this needs a stiff differential equation to be solved, and this library was built without SUNDIALS, which "
            "does that; install SUNDIALS (Debian: libsundials-dev) and build again");
    return NULL;
}

void am_integrator_free(am_integrator *integrator) {
    (void)integrator;
}

am_status am_integrator_start(am_integrator *integrator, double t, const double *y, am_error *err) {
    (void)integrator, (void)t, (void)y;
    return am_fail(err, AM_ERR_UNSUPPORTED, "this library was built without SUNDIALS");
}

am_status am_integrator_step(am_integrator *integrator, double until, double *t, am_error *err) {
    (void)integrator, (void)until, (void)t;
    return am_fail(err, AM_ERR_UNSUPPORTED, "this library was built without SUNDIALS");
}

void am_integrator_at(const am_integrator *integrator, double t, double *y) {
    (void)integrator, (void)t, (void)y;
}

#else

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

struct am_integrator {
    am_integrator_problem problem;
    SUNContext context;
    N_Vector y, at; /* `at` borrows its array from whoever asks */
    SUNMatrix matrix;
    SUNLinearSolver solver;
    void *cvode;
    bool begun;
};

bool am_integrator_available(void) {
    return true;
}

/* ---- what CVODE calls ---- */

static int rate(realtype t, N_Vector y, N_Vector ydot, void *data) {
    const am_integrator *i = data;
    double *values = N_VGetArrayPointer(ydot);
    i->problem.rate(i->problem.context, t, N_VGetArrayPointer(y), values);
    for (size_t k = 0; k < i->problem.n; k++)
        if (!isfinite(values[k]))
            return 1; /* a shorter step may do */
    return 0;
}

static int jacobian(realtype t, N_Vector y, N_Vector fy, SUNMatrix J, void *data, N_Vector a, N_Vector b, N_Vector c) {
    const am_integrator *i = data;
    (void)fy, (void)a, (void)b, (void)c;
    i->problem.jacobian(i->problem.context, t, N_VGetArrayPointer(y), SUNDenseMatrix_Data(J));
    return 0;
}

static int weights(N_Vector y, N_Vector w, void *data) {
    const am_integrator *i = data;
    double *values = N_VGetArrayPointer(w);
    i->problem.allowed(i->problem.context, N_VGetArrayPointer(y), values);
    for (size_t k = 0; k < i->problem.n; k++) {
        if (!(values[k] > 0.0))
            return -1;
        values[k] = 1.0 / values[k];
    }
    return 0;
}

/* The library never prints: failures come back as numbers. */
static void quiet(int code, const char *module, const char *function, char *message, void *data) {
    (void)code, (void)module, (void)function, (void)message, (void)data;
}

/* ---- making and freeing ---- */

void am_integrator_free(am_integrator *i) {
    if (!i)
        return;
    if (i->cvode)
        CVodeFree(&i->cvode);
    if (i->solver)
        SUNLinSolFree(i->solver);
    if (i->matrix)
        SUNMatDestroy(i->matrix);
    if (i->at)
        N_VDestroy(i->at);
    if (i->y)
        N_VDestroy(i->y);
    if (i->context)
        SUNContext_Free(&i->context);
    am_memory_free(i);
}

static bool make_parts(am_integrator *i) {
    sunindextype n = (sunindextype)i->problem.n;
    if (SUNContext_Create(NULL, &i->context) != 0)
        return false;
    i->y = N_VNew_Serial(n, i->context);
    i->at = N_VMake_Serial(n, NULL, i->context);
    i->matrix = SUNDenseMatrix(n, n, i->context);
    if (!i->y || !i->at || !i->matrix)
        return false;
    i->solver = SUNLinSol_Dense(i->y, i->matrix, i->context);
    i->cvode = CVodeCreate(i->problem.stiff ? CV_BDF : CV_ADAMS, i->context);
    return i->solver && i->cvode;
}

am_integrator *am_integrator_create(const am_integrator_problem *problem, am_error *err) {
    am_integrator *i = am_memory_new(1, sizeof *i, err);
    if (!i)
        return NULL;
    i->problem = *problem;
    if (!make_parts(i)) {
        am_integrator_free(i);
        am_fail(err, AM_ERR_MEMORY, "out of memory for the integration of %zu quantities", problem->n);
        return NULL;
    }
    return i;
}

/* ---- integrating ---- */

/* A new derivative at every step, and iterations until they stand. */
static bool tighten(void *cvode) {
    return CVodeSetLSetupFrequency(cvode, 1) == CV_SUCCESS && CVodeSetJacEvalFrequency(cvode, 1) == CV_SUCCESS &&
           CVodeSetNonlinConvCoef(cvode, 1e-4) == CV_SUCCESS && CVodeSetMaxNonlinIters(cvode, 24) == CV_SUCCESS;
}

static am_status first_start(am_integrator *i, double t, am_error *err) {
    bool well =
        CVodeSetErrHandlerFn(i->cvode, quiet, NULL) == CV_SUCCESS && CVodeInit(i->cvode, rate, t, i->y) == CV_SUCCESS &&
        CVodeSetUserData(i->cvode, i) == CV_SUCCESS && CVodeWFtolerances(i->cvode, weights) == CV_SUCCESS &&
        CVodeSetLinearSolver(i->cvode, i->solver, i->matrix) == CV_SUCCESS &&
        CVodeSetJacFn(i->cvode, jacobian) == CV_SUCCESS &&
        (i->problem.stiff ? CVodeSetStabLimDet(i->cvode, SUNTRUE) : CVodeSetMaxOrd(i->cvode, AM_INTEGRATOR_DEGREE)) ==
            CV_SUCCESS &&
        (!i->problem.steep || tighten(i->cvode));
    i->begun = well;
    return well ? AM_OK : am_fail(err, AM_ERR_MEMORY, "the integration could not begin: CVODE refused");
}

am_status am_integrator_start(am_integrator *i, double t, const double *y, am_error *err) {
    memcpy(N_VGetArrayPointer(i->y), y, i->problem.n * sizeof *y);
    if (!i->begun)
        return first_start(i, t, err);
    int code = CVodeReInit(i->cvode, t, i->y);
    return code == CV_SUCCESS
               ? AM_OK
               : am_fail(err, AM_ERR_EVIDENCE, "the integration could not go on at t = %.15g (CVODE: %d)", t, code);
}

static am_status explain(int code, double t, am_error *err) {
    switch (code) {
    case CV_MEM_FAIL:
        return am_fail(err, AM_ERR_MEMORY, "out of memory during the integration");
    case CV_ERR_FAILURE:
    case CV_CONV_FAILURE:
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the integration stopped at t = %.15g: no step, however small, keeps the error below the "
                       "tolerance",
                       t);
    case CV_TOO_MUCH_ACC:
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the tolerance cannot be kept at t = %.15g: it is below what rounding allows; raise it", t);
    default:
        return am_fail(err, AM_ERR_EVIDENCE, "the integration stopped at t = %.15g (CVODE: %d)", t, code);
    }
}

am_status am_integrator_step(am_integrator *i, double until, double *t, am_error *err) {
    double reached = *t;
    AM_TRY(am_watch_spend(1e4, err)); /* one step: some evaluations of the right-hand side */
    CVodeSetStopTime(i->cvode, until);
    int code = CVode(i->cvode, until, i->y, &reached, CV_ONE_STEP);
    if (code < 0)
        return explain(code, reached, err);
    *t = fmin(reached, until);
    return AM_OK;
}

void am_integrator_at(const am_integrator *i, double t, double *y) {
    N_VSetArrayPointer(y, i->at);
    CVodeGetDky(i->cvode, t, 0, i->at);
    N_VSetArrayPointer(NULL, i->at);
}

#endif
