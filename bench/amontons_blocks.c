/* Amontons' part of bench/blocks: the slider on its base of Papangelo 2017, Fig. 3.13.
 *
 *     mesh SIZE STEPS            the places of the elements' corners and the numbers of the problem, for the peer
 *     path SIZE STEPS REPEAT     mesh, factors, condensation, P, then Q in STEPS steps
 *     large SIZE GROWTH LARGEST STEPS
 *                                the same, once, with elements that grow so slowly and so far away from the interface
 *
 * One JSON document on stdout. Lengths in millimetres, forces in newtons. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "engines/quasistatic/incremental.h"
#include "models/blocks.h"

static const char *const program = "amontons_blocks";
static const double end_ratio = 0.45; /* Q/P in the end */

static am_blocks blocks_of(double size) {
    am_blocks blocks = am_blocks_default();
    blocks.Q_over_P = end_ratio;
    blocks.mesh.size = size;
    return blocks;
}

/* ---- the mesh, for the peer ---- */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The different places that corners of a body's elements have along one axis. */
static void print_axis(const am_solid_mesh *mesh, size_t body, size_t axis, const char *end) {
    double *at = malloc(8 * mesh->elements * sizeof *at);
    size_t count = 0;
    for (size_t e = 0; e < mesh->elements; e++)
        for (size_t c = 0; c < am_shape_corners(mesh->element[e].shape) && mesh->element[e].body == body; c++)
            at[count++] = mesh->place[2 * mesh->element[e].node[c] + axis];
    qsort(at, count, sizeof *at, ascending);
    printf("\"%s\": [", axis ? "y" : "x");
    for (size_t i = 0; i < count; i++)
        if (i == 0 || at[i] - at[i - 1] > 1e-9)
            printf("%s%.17g", i ? ", " : "", at[i]);
    printf("]%s", end);
    free(at);
}

static void print_mesh(double size, size_t steps) {
    am_error err = {0};
    am_blocks blocks = blocks_of(size);
    am_blocks_rig *rig = am_blocks_rig_create(&blocks, &err);
    if (!rig)
        give_up(program, &err);
    printf("{");
    for (size_t b = 0; b < rig->mesh.bodies; b++) {
        printf("\"%s\": {\"thickness\": %.17g, ", rig->mesh.body[b].name, rig->mesh.body[b].thickness);
        print_axis(&rig->mesh, b, 0, ", ");
        print_axis(&rig->mesh, b, 1, "}, ");
    }
    printf("\"E\": %.17g, \"nu\": %.17g, \"height\": %.17g, \"friction\": %.17g, \"P\": %.17g, \"Q_over_P\": %.17g, "
           "\"increments\": %zu}\n",
           blocks.slider.modulus, blocks.slider.poisson, blocks.load_height, blocks.friction.kinetic, blocks.P,
           blocks.Q_over_P, steps);
    am_blocks_rig_free(rig);
}

/* ---- the path ---- */

typedef struct timed {
    double setup, path;
    size_t unknowns, contacts, elements;
    double residual;
} timed;

/* Nodes from the trailing end that slip or are open: up to the middle between the last of them and the first that
 * sticks. */
static double slip_length(const am_blocks_rig *rig, const am_path_incremental *path) {
    size_t m = am_solid_contacts(rig->solid), k = 0;
    const double left = rig->left;
    while (k < m && path->state[k] != AM_STICK)
        k++;
    if (k == 0 || k == m)
        return k ? rig->blocks.slider.length : 0.0;
    return 0.5 * (am_solid_node_at(rig->solid, k - 1)->place[0] + am_solid_node_at(rig->solid, k)->place[0]) - left;
}

static timed run(const am_blocks *blocks, size_t steps, double *fronts) {
    am_error err = {0};
    am_path_incremental path = {0};
    double start = seconds_now();
    am_blocks_rig *rig = am_blocks_rig_create(blocks, &err);
    am_system *system = rig ? am_solid_system(rig->solid, &err) : NULL;
    if (!system || am_path_incremental_init(&path, system, &err))
        give_up(program, &err);
    double ready = seconds_now();
    if (am_path_incremental_place(&path, 0.0, NULL, &err))
        give_up(program, &err);
    for (size_t i = 0; i < steps; i++) {
        if (am_path_incremental_step(&path, (double)(i + 1) / (double)steps, &err))
            give_up(program, &err);
        fronts[i] = slip_length(rig, &path);
    }
    double done = seconds_now();
    size_t m = am_solid_contacts(rig->solid);
    double *work = malloc(2 * m * sizeof *work);
    timed t = {.setup = ready - start,
               .path = done - ready,
               .unknowns = am_solid_unknowns(rig->solid),
               .contacts = m,
               .elements = rig->mesh.elements,
               .residual = am_path_incremental_residual(&path, work)};
    free(work);
    am_path_incremental_clear(&path);
    am_system_free(system);
    am_blocks_rig_free(rig);
    return t;
}

static void print_run(const am_blocks *blocks, size_t steps, size_t repeat) {
    double *fronts = malloc(steps * sizeof *fronts);
    timed *runs = calloc(repeat, sizeof *runs);
    for (size_t r = 0; r < repeat; r++)
        runs[r] = run(blocks, steps, fronts);
    printf("{\"unknowns\": %zu, \"contacts\": %zu, \"elements\": %zu, \"residual\": %.3g, \"setup\": [",
           runs[0].unknowns, runs[0].contacts, runs[0].elements, runs[0].residual);
    for (size_t r = 0; r < repeat; r++)
        printf("%s%.9g", r ? ", " : "", runs[r].setup);
    printf("], \"path\": [");
    for (size_t r = 0; r < repeat; r++)
        printf("%s%.9g", r ? ", " : "", runs[r].path);
    printf("], \"fronts\": [");
    for (size_t i = 0; i < steps; i++)
        printf("%s[%.17g, %.17g]", i ? ", " : "", blocks->Q_over_P * (double)(i + 1) / (double)steps, fronts[i]);
    printf("]}\n");
    free(fronts);
    free(runs);
}

int main(int argc, char **argv) {
    const char *what = argc > 3 ? argv[1] : "";
    double size = argc > 3 ? atof(argv[2]) : 0.0;
    am_blocks blocks = blocks_of(size);
    if (argc == 4 && strcmp(what, "mesh") == 0) {
        print_mesh(size, strtoul(argv[3], NULL, 10));
        return 0;
    }
    if (argc == 5 && strcmp(what, "path") == 0) {
        print_run(&blocks, strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
        return 0;
    }
    if (argc == 6 && strcmp(what, "large") == 0) {
        blocks.mesh.growth = atof(argv[3]);
        blocks.mesh.largest = atof(argv[4]);
        print_run(&blocks, strtoul(argv[5], NULL, 10), 1);
        return 0;
    }
    return 2;
}
