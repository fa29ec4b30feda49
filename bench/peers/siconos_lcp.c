/* The problems of lcp_problems.h with Siconos' solvers, called from C through its common driver.
 *
 * usage: siconos_lcp FAMILY N PROBLEMS PASSES [SOLVER]
 *
 * SOLVER: lemke (lexicographic, the default), pivot, newton (min function with line search), pgs (Gauss-Seidel).
 * Everything that can be made once per problem (matrix in its storage, options) is made before the clock starts. */
#include "../lcp_problems.h"

#include <siconos/numerics/LCP_Solvers.h>
#include <siconos/numerics/LinearComplementarityProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/lcp_cst.h>

typedef struct siconos_solver {
    LinearComplementarityProblem *problems;
    SolverOptions *options;
    double *w;
} siconos_solver;

static int solve(void *self, size_t index, const lcp_problem *problem, double *z) {
    siconos_solver *peer = self;
    (void)problem;
    return linearComplementarity_driver(&peer->problems[index], z, peer->w, peer->options);
}

static LinearComplementarityProblem in_siconos(const lcp_problem *problem) {
    size_t n = problem->n;
    double *columns = lcp_memory(n * n, sizeof *columns);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            columns[j * n + i] = problem->M[i * n + j];
    return (LinearComplementarityProblem){
        .size = (int)n, .M = NM_create_from_data(NM_DENSE, (int)n, (int)n, columns), .q = problem->q};
}

int main(int argc, char **argv) {
    static const struct {
        const char *word, *name;
        int id;
    } solvers[] = {{"lemke", "Siconos, Lemke", SICONOS_LCP_LEMKE},
                   {"pivot", "Siconos, pivoting with LU updates", SICONOS_LCP_PIVOT_LUMOD},
                   {"newton", "Siconos, Newton on min(z, w)", SICONOS_LCP_NEWTON_MIN_FBLSA},
                   {"pgs", "Siconos, Gauss-Seidel", SICONOS_LCP_PGS}};
    size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, count = argc > 3 ? strtoul(argv[3], NULL, 10) : 0, which = 0;
    int family = argc > 1 ? atoi(argv[1]) : -1, passes = argc > 4 ? atoi(argv[4]) : 0;
    if (argc < 5 || family < 0 || family >= LCP_FAMILIES || n == 0 || count == 0 || passes < 1) {
        fprintf(stderr, "usage: see the beginning of siconos_lcp.c\n");
        return 2;
    }
    for (size_t i = 0; argc > 5 && i < sizeof solvers / sizeof *solvers; i++)
        if (strcmp(argv[5], solvers[i].word) == 0)
            which = i;
    siconos_solver peer = {.problems = lcp_memory(count, sizeof *peer.problems),
                           .options = solver_options_create(solvers[which].id),
                           .w = lcp_memory(n, sizeof *peer.w)};
    lcp_problem *problems = lcp_memory(count, sizeof *problems);
    if (!peer.options)
        return 3;
    peer.options->dparam[SICONOS_DPARAM_TOL] = 1e-12;
    for (size_t i = 0; i < count; i++) {
        problems[i] = lcp_problem_new(family, n, i);
        peer.problems[i] = in_siconos(&problems[i]);
    }
    lcp_measure(problems, count, passes, solve, &peer, solvers[which].name);
    return 0; /* what the problems hold is the process' own to give back */
}
