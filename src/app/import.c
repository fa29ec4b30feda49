/* `amontons import`: what matrices of other programs hold, and a study to go on from. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "app/command.h"
#include "base/local.h"
#include "base/text.h"
#include "imports/gather.h"
#include "math/pencil.h"
#include "math/pi.h"
#include "output/file.h"
#include "output/replace.h"

enum { MOST_FILES = 8, SHOWN = 10 };

typedef struct findings {
    am_arena memory;
    size_t count;
    am_import file[MOST_FILES];
    am_gather_source source[AM_IMPORT_ROLES];
    const char *labels, *sets; /* files of these that were named */
    am_gathered structure;
    size_t modes, rigid;
    double *square, *shape;
    size_t warning_count;
    const char *warning[32];
    char study[AM_LONGEST_PATH]; /* that was written; "": none was */
} findings;

static am_status warn(findings *f, const char *text, am_error *err) {
    if (f->warning_count == sizeof f->warning / sizeof *f->warning)
        return AM_OK;
    f->warning[f->warning_count] = am_arena_text(&f->memory, text, strlen(text), err);
    return f->warning[f->warning_count++] ? AM_OK : AM_ERR_MEMORY;
}

/* ---- reading ---- */

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

/* "mass=FILE": the role, and where the name of the file begins. */
static am_import_role role_before(const char *argument, const char **path) {
    for (int role = AM_IMPORT_STIFFNESS; role < AM_IMPORT_ROLES; role++) {
        size_t length = strlen(am_import_role_name((am_import_role)role));
        if (strncmp(argument, am_import_role_name((am_import_role)role), length) == 0 && argument[length] == '=') {
            *path = argument + length + 1;
            return (am_import_role)role;
        }
    }
    *path = argument;
    return AM_IMPORT_UNKNOWN;
}

static am_status take_source(findings *f, const am_import *import, size_t part, am_import_role role, am_error *err) {
    if (f->source[role].import)
        return am_fail(err, AM_ERR_INPUT, "%s: the %s was found in %s already; name the matrices: mass=FILE",
                       import->path, am_import_role_name(role), f->source[role].import->path);
    f->source[role] = (am_gather_source){import, part};
    return AM_OK;
}

static am_status read_file(findings *f, const char *argument, am_error *err) {
    const char *path;
    am_import_role given = role_before(argument, &path);
    if (f->count == MOST_FILES)
        return am_fail(err, AM_ERR_INPUT, "%s: more than %d files", path, MOST_FILES);
    am_import *import = &f->file[f->count];
    AM_TRY(am_import_read(import, path, AM_IMPORT_ANY, err));
    f->count++;
    AM_TRY(am_import_labels_beside(import, err));
    if (given != AM_IMPORT_UNKNOWN) {
        size_t part = am_import_part(import, given);
        if (part == SIZE_MAX)
            return am_fail(err, AM_ERR_INPUT, "%s: which of its matrices is the %s is not clear", path,
                           am_import_role_name(given));
        return take_source(f, import, part, given, err);
    }
    for (size_t i = 0; i < import->count; i++) {
        char text[AM_IMPORT_WORDS];
        am_import_role role = import->part[i].role;
        if (role != AM_IMPORT_UNKNOWN) {
            AM_TRY(take_source(f, import, i, role, err));
        } else if (import->count == 1) {
            return am_fail(err, AM_ERR_INPUT,
                           "%s: what this matrix is does not follow from its name; say stiffness=FILE, mass=FILE or "
                           "damping=FILE",
                           path);
        } else {
            snprintf(text, sizeof text, "%s: the matrix %s is not known and was left out", path, import->part[i].name);
            AM_TRY(warn(f, text, err));
        }
    }
    return AM_OK;
}

/* A file of labels that was named serves all that have none. */
static am_status take_labels(findings *f, am_error *err) {
    AM_LOCAL(am_labels_clear) am_labels labels = {0};
    if (!f->labels)
        return AM_OK;
    AM_TRY(am_labels_read(&labels, f->labels, err));
    for (size_t i = 0; i < f->count; i++)
        if (f->file[i].labels.count == 0)
            AM_TRY(am_import_label(&f->file[i], &labels, f->labels, err));
    return AM_OK;
}

static am_status read_all(findings *f, const am_options *options, am_error *err) {
    for (size_t i = 0; i < options->count; i++) {
        const char *name = options->names[i];
        if (strncmp(name, "labels=", 7) == 0 || ends_with(name, ".dof"))
            f->labels = strncmp(name, "labels=", 7) == 0 ? name + 7 : name;
        else if (ends_with(name, ".inp"))
            f->sets = name;
        else
            AM_TRY(read_file(f, name, err));
    }
    if (f->count == 0)
        return am_fail(err, AM_ERR_INPUT, "no file of matrices was named");
    AM_TRY(take_labels(f, err));
    AM_TRY(am_gather(&f->structure, f->source, err));
    for (size_t i = 0; i < f->structure.warning_count; i++)
        AM_TRY(warn(f, f->structure.warning[i], err));
    return AM_OK;
}

/* ---- frequencies ---- */

static am_status find_frequencies(findings *f, am_error *err) {
    const am_gathered *g = &f->structure;
    AM_LOCAL(am_pencil_clear) am_pencil pencil = {0};
    if (!g->matrix[AM_IMPORT_MASS])
        return warn(f, "there is no mass, and so there are no frequencies", err);
    f->modes = SHOWN;
    f->square = am_arena_doubles(&f->memory, NULL, SHOWN, err);
    f->shape = am_arena_doubles(&f->memory, NULL, SHOWN * g->n, err);
    AM_TRY(am_arena_status(&f->memory));
    AM_TRY(am_pencil_init(&pencil, g->matrix[AM_IMPORT_STIFFNESS], g->matrix[AM_IMPORT_MASS], err));
    AM_TRY(am_pencil_settle(&pencil, err));
    AM_TRY(am_pencil_lowest(&pencil, &f->modes, f->square, f->shape, NULL, err));
    char text[160];
    f->rigid = am_pencil_rigid(&pencil, f->modes, f->square);
    if (f->modes > f->rigid && f->square[0] < -1e-9 * f->square[f->modes - 1]) {
        snprintf(text, sizeof text,
                 "the stiffness is indefinite: the lowest squared frequency is %.4g; were its digits cut?",
                 f->square[0]);
        AM_TRY(warn(f, text, err));
    }
    return AM_OK;
}

static double frequency(const findings *f, size_t k) {
    return k < f->rigid ? 0.0 : sqrt(fmax(f->square[k], 0.0));
}

/* ---- a study to go on from ---- */

/* The coordinate that moves most in the first mode with a frequency. */
static size_t liveliest(const findings *f) {
    size_t n = f->structure.n, best = 0;
    const double *shape = f->modes > f->rigid ? f->shape + f->rigid * n : NULL;
    for (size_t i = 0; shape && i < n; i++)
        if (fabs(shape[i]) > fabs(shape[best]) * (1.0 + 1e-9))
            best = i;
    return best;
}

static void add_file(am_text *text, const findings *f, am_import_role role) {
    const am_gather_source *source = &f->source[role];
    if (!source->import)
        return;
    const char *name = source->import->part[source->part].name;
    am_text_printf(text, "  %s: {file: \"%s\"", am_import_role_name(role), source->import->path);
    if (*name && source->import->count > 1)
        am_text_printf(text, ", name: %s", name);
    am_text_add(text, "}\n");
}

static void write_study(const findings *f, am_text *text) {
    const am_gathered *g = &f->structure;
    size_t row = liveliest(f);
    char place[AM_LABEL_SIZE], words[AM_LABEL_SIZE + 4];
    if (g->labels.count > 0)
        snprintf(words, sizeof words, "\"%s\"", am_label_words(g->labels.label[row], place));
    else
        snprintf(words, sizeof words, "q%zu", row + 1);
    double first = f->modes > f->rigid ? frequency(f, f->rigid) : 1.0;
    am_text_printf(text,
                   "title: An imported structure\n"
                   "# %zu coordinates, the first frequency is %s rad per unit of time. What to add: contacts (amontons "
                   "help contact),\n"
                   "# other loads, another analysis (amontons list analyses). Coordinates: %s, as in the files.\n"
                   "model:\n  kind: structure\n",
                   g->n, AM_NUMBER(first), words);
    add_file(text, f, AM_IMPORT_STIFFNESS);
    add_file(text, f, AM_IMPORT_MASS);
    add_file(text, f, AM_IMPORT_DAMPING);
    if (f->labels)
        am_text_printf(text, "  labels: {file: \"%s\"}\n", f->labels);
    if (f->sets)
        am_text_printf(text, "  sets: {file: \"%s\"}\n", f->sets);
    if (g->matrix[AM_IMPORT_MASS] && g->n > 2 * SHOWN)
        am_text_printf(text, "  reduce: {interface: [%s], modes: 10}\n", words);
    am_text_printf(text, "  loads:\n    - {direction: {%s: 1}, sine: {amplitude: 1, frequency: %s}}\n", words,
                   AM_NUMBER(0.5 * first));
    if (g->matrix[AM_IMPORT_MASS])
        am_text_printf(text, "analysis: {kind: motion, until: %s}\n", AM_NUMBER(10.0 * two_pi / first));
    else
        am_text_add(text, "analysis: {kind: path, until: 1}\n");
}

static am_status save_study(findings *f, const am_options *options, am_error *err) {
    const char *path = f->source[AM_IMPORT_STIFFNESS].import->path, *slash = strrchr(path, '/');
    char name[512];
    struct stat there;
    AM_LOCAL(am_text_free) am_text text = {0};
    if (options->json && !options->out)
        return AM_OK;
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot)
        *dot = '\0';
    snprintf(f->study, sizeof f->study, "%s%s%s.yaml", options->out ? options->out : "", options->out ? "/" : "", name);
    if (stat(f->study, &there) == 0 && !options->force) {
        char words[AM_LONGEST_PATH + 80];
        snprintf(words, sizeof words, "%s is there already and was left as it is; --force writes over it", f->study);
        f->study[0] = '\0';
        return warn(f, words, err);
    }
    write_study(f, &text);
    AM_TRY(am_text_status(&text, err));
    if (options->out)
        AM_TRY(am_output_make_folder(options->out, err));
    return am_output_replace(f->study, text.data, text.length, err);
}

/* ---- what was found ---- */

static void print_findings(const findings *f) {
    const am_gathered *g = &f->structure;
    char first[AM_LABEL_SIZE], last[AM_LABEL_SIZE];
    for (size_t role = AM_IMPORT_STIFFNESS; role < AM_IMPORT_ROLES; role++) {
        const am_gather_source *source = &f->source[role];
        if (!source->import)
            continue;
        const am_import_matrix *part = &source->import->part[source->part];
        printf("%-10s %s%s%s (%s), %zu coordinates, %s\n", am_import_role_name((am_import_role)role),
               source->import->path, *part->name ? ": " : "", part->name, am_import_format_name(source->import->format),
               am_matrix_rows(part->matrix), part->asymmetry[0] ? "not symmetric" : "symmetric");
    }
    printf("%zu coordinates", g->n);
    if (g->labels.count > 0)
        printf(", %s to %s", am_label_words(g->labels.label[0], first),
               am_label_words(g->labels.label[g->n - 1], last));
    printf("; %zu rigid motion%s\n", f->rigid, f->rigid == 1 ? "" : "s");
    for (size_t k = 0; k < f->modes; k++)
        printf("  mode %2zu: %s rad/time, %s cycles/time\n", k + 1, AM_NUMBER(frequency(f, k)),
               AM_NUMBER(frequency(f, k) / two_pi));
    for (size_t i = 0; i < f->warning_count; i++)
        printf("warning: %s\n", f->warning[i]);
    if (f->study[0])
        printf("a study to go on from: %s\n", f->study);
}

static cJSON *number_of(double value) {
    return cJSON_CreateRaw(AM_NUMBER(value));
}

static bool fill_document(cJSON *document, const findings *f) {
    cJSON *files = cJSON_AddArrayToObject(document, "files");
    bool fine = cJSON_AddItemToObject(document, "coordinates", number_of((double)f->structure.n)) &&
                cJSON_AddBoolToObject(document, "labels", f->structure.labels.count > 0) &&
                cJSON_AddItemToObject(document, "rigid_motions", number_of((double)f->rigid)) && files;
    for (size_t role = AM_IMPORT_STIFFNESS; fine && role < AM_IMPORT_ROLES; role++) {
        const am_gather_source *source = &f->source[role];
        cJSON *entry = source->import ? cJSON_CreateObject() : NULL;
        if (!entry)
            continue;
        const am_import_matrix *part = &source->import->part[source->part];
        fine = cJSON_AddItemToArray(files, entry) && cJSON_AddStringToObject(entry, "file", source->import->path) &&
               cJSON_AddStringToObject(entry, "format", am_import_format_name(source->import->format)) &&
               cJSON_AddStringToObject(entry, "matrix", am_import_role_name((am_import_role)role)) &&
               cJSON_AddStringToObject(entry, "name", part->name) &&
               cJSON_AddBoolToObject(entry, "symmetric", !part->asymmetry[0]);
    }
    cJSON *frequencies = cJSON_AddArrayToObject(document, "frequencies");
    for (size_t k = 0; fine && k < f->modes; k++)
        fine = frequencies && cJSON_AddItemToArray(frequencies, number_of(frequency(f, k)));
    cJSON *warnings = cJSON_AddArrayToObject(document, "warnings");
    for (size_t i = 0; fine && i < f->warning_count; i++)
        fine = warnings && cJSON_AddItemToArray(warnings, cJSON_CreateString(f->warning[i]));
    return fine && (!f->study[0] || cJSON_AddStringToObject(document, "study", f->study));
}

static am_status print_json(const findings *f, am_error *err) {
    cJSON *document = cJSON_CreateObject();
    char *text = document && fill_document(document, f) ? cJSON_Print(document) : NULL;
    cJSON_Delete(document);
    if (!text)
        return am_fail(err, AM_ERR_MEMORY, "out of memory");
    am_print_document(text, AM_EXIT_DONE);
    cJSON_free(text);
    return AM_OK;
}

am_exit am_command_import(const am_options *options) {
    am_error err = {0};
    findings *f = am_memory_new(1, sizeof *f, &err);
    am_status status = f ? read_all(f, options, &err) : AM_ERR_MEMORY;
    am_exit otherwise = status == AM_ERR_FILE ? AM_EXIT_INVALID : AM_EXIT_FAILED;
    if (!status)
        status = find_frequencies(f, &err);
    if (!status)
        status = save_study(f, options, &err);
    if (!status && options->json)
        status = print_json(f, &err);
    else if (!status)
        print_findings(f);
    if (f) {
        for (size_t i = 0; i < f->count; i++)
            am_import_clear(&f->file[i]);
        am_gathered_clear(&f->structure);
        am_arena_clear(&f->memory);
    }
    am_memory_free(f);
    return status ? am_print_failure(&err, otherwise) : AM_EXIT_DONE;
}
