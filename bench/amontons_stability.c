/* Amontons' part of bench/stability.
 *
 *     surface COUNT K_c D_c REPEAT    Fig. 4 of Chatterjee 2006: the critical Delta over COUNT x COUNT values of K_r
 * and C_r, from the stability polynomial search COUNT K_c D_c STRIDE     the same by the general search along
 * eigenvalues, at every STRIDE-th point of each axis One JSON document on stdout. */
#include <math.h>
#include <string.h>

#include "amontons/models.h"
#include "amontons/stability.h"
#include "bench.h"
#include "papers/two_mode_boundary.h"

static const double K_first = 0.05, K_last = 2.0, C_first = 0.05, C_last = 3.0;

static double axis(double first, double last, size_t index, size_t count) {
    return first + (last - first) * (double)index / (double)(count - 1);
}

static am_two_mode_boundary point(size_t i, size_t j, size_t count, double K_c, double D_c) {
    return (am_two_mode_boundary){.mass = {1, 1},
                                  .damping = {0.1, 0.1 * axis(C_first, C_last, j, count)},
                                  .stiffness = {{1, 0}, {0, axis(K_first, K_last, i, count)}},
                                  .lambda = {1, 1},
                                  .f2 = -1,
                                  .law = AM_KELVIN_VOIGT,
                                  .K = K_c,
                                  .D = D_c};
}

static void print_list(const char *name, const double *values, size_t count, const char *end) {
    printf("\"%s\": [", name);
    for (size_t k = 0; k < count; k++)
        printf("%s%.17g", k ? ", " : "", values[k]);
    printf("]%s", end);
}

static void surface(size_t count, double K_c, double D_c, size_t repeat) {
    double *critical = malloc(count * count * sizeof *critical), *seconds = malloc(repeat * sizeof *seconds);
    for (size_t r = 0; r < repeat; r++) {
        double start = seconds_now();
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count; j++) {
                am_two_mode_boundary b = point(i, j, count, K_c, D_c);
                am_boundary_point found;
                critical[i * count + j] = am_two_mode_boundary_first(&b, 0, INFINITY, &found) ? found.Delta : -1;
            }
        seconds[r] = seconds_now() - start;
    }
    printf("{");
    print_list("seconds", seconds, repeat, ", ");
    print_list("critical", critical, count * count, "}\n");
    free(critical);
    free(seconds);
}

static am_system *make(void *context, const double *values, am_error *err) {
    am_two_mode *model = context;
    return am_two_mode_set_delta(model, values[0], err) == AM_OK ? am_two_mode_create(model, err) : NULL;
}

static void search(size_t count, double K_c, double D_c, size_t stride) {
    size_t points = 0, spectra = 0;
    double worst = 0, start = seconds_now();
    am_error err = {0};
    for (size_t i = 0; i < count; i += stride)
        for (size_t j = 0; j < count; j += stride) {
            am_two_mode model = am_two_mode_default();
            am_two_mode_boundary b = point(i, j, count, K_c, D_c);
            am_boundary_point exact;
            model.K_r = b.stiffness[1][1];
            model.C_r = b.damping[1] / model.c1;
            model.contact = AM_KELVIN_VOIGT;
            model.K_c = K_c;
            model.D_c = D_c;
            const char *const name = "Delta";
            const am_model_def def = {.count = 1, .names = &name, .make = make, .context = &model};
            am_model *varied = am_model_create(&def, &err);
            am_threshold_options options = am_threshold_options_default();
            am_result *result = am_result_create(&err);
            if (!result || am_threshold_run(varied, &options, result, NULL, &err))
                give_up("amontons_stability", &err);
            am_two_mode_boundary_first(&b, 0, INFINITY, &exact);
            worst = fmax(worst, fabs(am_result_find(result, "critical")->number - exact.Delta));
            spectra += (size_t)am_result_find(result, "spectra")->number;
            am_result_free(result);
            am_model_free(varied);
            points++;
        }
    printf("{\"points\": %zu, \"seconds\": %.17g, \"spectra\": %zu, \"difference\": %.17g}\n", points,
           seconds_now() - start, spectra, worst);
}

int main(int argc, char **argv) {
    if (argc == 6 && strcmp(argv[1], "surface") == 0)
        surface(strtoul(argv[2], NULL, 10), atof(argv[3]), atof(argv[4]), strtoul(argv[5], NULL, 10));
    else if (argc == 6 && strcmp(argv[1], "search") == 0)
        search(strtoul(argv[2], NULL, 10), atof(argv[3]), atof(argv[4]), strtoul(argv[5], NULL, 10));
    else
        return 2;
    return 0;
}
