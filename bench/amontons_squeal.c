/* amontons_squeal RADIAL AROUND THROUGH LAYERS MODES COUNT REPEAT CONFIRM [FOLDER]: the brake of docs/squeal.md with so
 * many elements, its real modes, and the eigenvalues for COUNT coefficients of friction from 0 to 1, of which each
 * is timed REPEAT times and the best counts. Then all unstable pairs at CONFIRM of them on the full problem. One JSON
 * document. FOLDER: also write the matrices there, for the peers (m.bin, c.bin, k.bin, contacts.bin: counts and entries
 * as 64-bit numbers). */
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "amontons/models.h"
#include "amontons/stability.h"
#include "analyses/squeal/confirm.h"
#include "analyses/squeal/stability_loss.h"
#include "bench.h"
#include "math/entries.h"

static am_error error;

static void must(am_status status) {
    if (status)
        give_up("amontons_squeal", &error);
}

static FILE *open_file(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "amontons_squeal: cannot write %s\n", path);
        exit(2);
    }
    return file;
}

static void put(FILE *file, double x) {
    if (fwrite(&x, sizeof x, 1, file) != 1)
        exit(2);
}

static void write_matrix(const char *folder, const char *name, const am_matrix *a) {
    FILE *file = open_file(folder, name);
    for (size_t i = 0; i < am_matrix_rows(a); i++) {
        const size_t *columns;
        const double *values;
        size_t count = am_matrix_row_entries(a, i, &columns, &values);
        for (size_t e = 0; e < count; e++) {
            put(file, (double)i);
            put(file, (double)(columns ? columns[e] : e));
            put(file, values[e]);
        }
    }
    fclose(file);
}

/* Rows: contact, which (0 normal, 1 tangent, 2 its spring at coordinate 0), coordinate, value. */
static void write_contacts(const char *folder, const am_squeal_full *f) {
    FILE *file = open_file(folder, "contacts.bin");
    for (size_t r = 0; r < f->m; r++) {
        const am_squeal_list *lists[2] = {&f->normal, &f->tangent};
        for (int which = 0; which < 2; which++)
            for (size_t e = lists[which]->start[r]; e < lists[which]->start[r + 1]; e++) {
                put(file, (double)r), put(file, which), put(file, (double)lists[which]->index[e]);
                put(file, lists[which]->value[e]);
            }
        put(file, (double)r), put(file, 2), put(file, 0), put(file, f->stiffness[r]);
    }
    fclose(file);
}

static double memory_now(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0;
}

int main(int count, char **words) {
    if (count < 9) {
        fprintf(stderr, "usage: amontons_squeal RADIAL AROUND THROUGH LAYERS MODES COUNT REPEAT CONFIRM [FOLDER]\n");
        return 2;
    }
    am_brake model = am_brake_default();
    model.radial = strtoul(words[1], NULL, 10);
    model.around = strtoul(words[2], NULL, 10);
    model.through = strtoul(words[3], NULL, 10);
    model.pad_through = strtoul(words[4], NULL, 10);
    size_t modes = strtoul(words[5], NULL, 10), values = strtoul(words[6], NULL, 10);
    int repeat = atoi(words[7]), confirm = atoi(words[8]);
    double start = seconds_now();
    am_system *system = am_brake_create(&model, &error);
    if (!system)
        give_up("amontons_squeal", &error);
    double built = seconds_now() - start;
    am_squeal_full full;
    am_squeal_projected projected;
    am_squeal_workspace room;
    must(am_squeal_full_init(&full, system, NULL, &error));
    if (count > 9) {
        write_matrix(words[9], "m.bin", am_system_mass(system));
        write_matrix(words[9], "c.bin", am_system_damping(system));
        write_matrix(words[9], "k.bin", am_system_stiffness(system));
        write_contacts(words[9], &full);
    }
    start = seconds_now();
    must(am_squeal_projected_init(&projected, &full, modes, 0.0, 1.0, NULL, &error));
    double modal = seconds_now() - start, sweep = 0.0;
    double complex *s = calloc(2 * projected.p, sizeof *s);
    size_t found = 0;
    for (size_t i = 0; i < values; i++) {
        double best = INFINITY;
        for (int round = 0; round < repeat; round++) {
            start = seconds_now();
            must(am_squeal_projected_eigenvalues(&projected, (double)i / (double)(values - 1), s, &found, &error));
            best = fmin(best, seconds_now() - start);
        }
        sweep += best;
    }
    printf("{\"degrees_of_freedom\": %zu, \"contacts\": %zu, \"modes\": %zu, \"build_seconds\": %.6g, "
           "\"modes_seconds\": %.6g, \"value_seconds\": %.6g, \"mode_residual\": %.3g, \"omega\": [",
           full.n, full.m, projected.p, built, modal, sweep / (double)values, projected.mode_residual);
    for (size_t i = 0; i < projected.p; i++)
        printf("%s%.17g", i ? ", " : "", sqrt(projected.omega2[i]));
    printf("], \"eigenvalues\": [");
    for (size_t i = 0; i < found; i++) /* those at mu = 1 */
        printf("%s[%.17g, %.17g]", i ? ", " : "", creal(s[i]), cimag(s[i]));
    must(am_squeal_workspace_init(&room, &full, projected.p, &error));
    printf("], \"pairs\": [");
    size_t pairs = 0;
    start = seconds_now();
    for (int value = 1; value <= confirm; value++) {
        double mu = (double)value / confirm;
        must(am_squeal_projected_eigenvalues(&projected, mu, s, &found, &error));
        for (size_t i = 0; i < found; i++) {
            am_squeal_pair pair;
            if (!am_squeal_projected_grows(&projected, s[i]))
                continue;
            must(am_squeal_confirm(&full, &projected, &room, mu, s[i], false, &pair, &error));
            printf(
                "%s{\"mu\": %g, \"confirmed\": %s, \"real\": %.17g, \"imaginary\": %.17g, \"projected_real\": %.17g, "
                "\"projected_imaginary\": %.17g, \"residual\": %.3g}",
                pairs++ ? ", " : "", mu, pair.confirmed ? "true" : "false", creal(pair.s), cimag(pair.s), creal(s[i]),
                cimag(s[i]), pair.residual);
        }
    }
    printf("], \"pair_seconds\": %.6g, \"megabytes\": %.0f}\n", pairs ? (seconds_now() - start) / (double)pairs : 0.0,
           memory_now());
    free(s);
    am_arena_clear(&room.memory);
    am_squeal_projected_clear(&projected);
    am_squeal_full_clear(&full);
    am_system_free(system);
    return 0;
}
