/* Linear complementarity problems with random P-matrices in a warm workspace.
 *
 * usage: amontons_lcp FAMILY N PROBLEMS PASSES [automatic|lemke|newton]
 *
 * FAMILY: 0 definite, 1 dominant, 2 cayley (lcp_problems.h). PASSES = 0: once to warm up and once in `counted_run`,
 * where callgrind counts instructions. */
#include "bench.h"
#include "lcp_problems.h"
#include "math/lcp.h"

static const char *const program = "amontons_lcp";
static const char *const method_names[] = {"automatic", "lemke", "newton"};

typedef struct own_solver {
    am_lcp_workspace *workspace;
    am_lcp_options options;
} own_solver;

static int solve(void *self, size_t index, const lcp_problem *problem, double *z) {
    own_solver *own = self;
    am_error err = {0};
    am_lcp_info info;
    am_lcp lcp = am_lcp_dense(problem->n, problem->M, problem->q);
    (void)index;
    if (am_lcp_solve(&lcp, &own->options, own->workspace, z, &info, &err) != AM_OK)
        give_up(program, &err);
    return info.status != AM_LCP_SOLVED;
}

/* callgrind switches its counting on and off where this function begins and ends, so it must not end in a jump. */
__attribute__((noinline)) int counted_run(own_solver *own, const lcp_problem *problems, size_t count, double *z);
int counted_run(own_solver *own, const lcp_problem *problems, size_t count, double *z) {
    int failed = 0;
    for (size_t i = 0; i < count; i++)
        failed += solve(own, i, &problems[i], z);
    return failed;
}

int main(int argc, char **argv) {
    size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, count = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    int family = argc > 1 ? atoi(argv[1]) : -1, passes = argc > 4 ? atoi(argv[4]) : 0;
    if (argc < 5 || family < 0 || family >= LCP_FAMILIES || n == 0 || count == 0) {
        fprintf(stderr, "usage: see the beginning of %s.c\n", program);
        return 2;
    }
    am_error err = {0};
    own_solver own = {.workspace = am_lcp_workspace_create(&err)};
    if (!own.workspace)
        give_up(program, &err);
    for (int method = 0; argc > 5 && method < 3; method++)
        if (strcmp(argv[5], method_names[method]) == 0)
            own.options.method = (am_lcp_method)method;
    lcp_problem *problems = lcp_memory(count, sizeof *problems);
    double *z = lcp_memory(n, sizeof *z);
    for (size_t i = 0; i < count; i++)
        problems[i] = lcp_problem_new(family, n, i);
    lcp_measure(problems, count, passes, solve, &own, "Amontons");
    if (passes == 0)
        counted_run(&own, problems, count, z);
    for (size_t i = 0; i < count; i++)
        lcp_problem_free(&problems[i]);
    free(problems), free(z);
    am_lcp_workspace_free(own.workspace);
    return 0;
}
