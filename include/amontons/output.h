/* Output: results as JSON, CSV, NetCDF and figures. The only rooms that write files. See docs/output.md. */
#ifndef AMONTONS_OUTPUT_H
#define AMONTONS_OUTPUT_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"
#include "amontons/result.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum am_curve_style { AM_CURVE_LINE, AM_CURVE_DASHED, AM_CURVE_POINTS, AM_CURVE_STEPS } am_curve_style;

/* One curve: two number columns of one table ("samples", "quasistatic.samples"). */
typedef struct am_curve {
    const char *table, *x, *y;
    const char *label; /* "" or NULL: not in the key */
    am_curve_style style;
    const char *by; /* only rows whose number in this column is `value`; NULL: all rows */
    double value;
    const char *colour; /* "#rrggbb"; NULL: the next of the palette */
    const char *breaks; /* the line breaks where this column changes; NULL: nowhere */
} am_curve;

typedef enum am_figure_kind {
    AM_FIGURE_CURVES,  /* y over x */
    AM_FIGURE_MAP,     /* a label or number (column `value`) over two columns x, y that form a grid */
    AM_FIGURE_SECTORS, /* the plane of load rates, sectors coloured by the states admissible in them (tables `sectors`)
                        */
    AM_FIGURE_SLIP,  /* the slip-displacement diagram of two nodes: constraint lines (table `constraints`) around curves
                     */
    AM_FIGURE_MESH,  /* the deformed mesh of tables `mesh_nodes` and `mesh_elements`, coloured by column `value` */
    AM_FIGURE_TABLE, /* rows of a table, set as a table */
    AM_FIGURE_PANELS /* several figures of the kinds CURVES and MAP in one */
} am_figure_kind;

/* Plain data, everything borrowed. */
typedef struct am_figure {
    am_figure_kind kind;
    const char *title, *x_label, *y_label;
    size_t curve_count;
    const am_curve *curves;            /* CURVES, SLIP */
    const char *table, *x, *y, *value; /* MAP; SECTORS, SLIP (table only); MESH (value only) */
    bool equal_axes;
    const double *x_range, *y_range; /* two numbers each; NULL: automatic */
    bool x_log, y_log;               /* CURVES: equal ratios are equally far apart; what is not positive is left out */
    const double *deformation;       /* MESH: displacements are drawn that many times; NULL: automatic */
    const double *value_range;       /* MESH: the numbers with the first and the last colour; NULL: automatic */
    const char *const *shown;        /* TABLE: the columns, shown_count of them; NULL: the first twelve */
    size_t shown_count;
    bool no_edges;               /* MESH: without the edges between elements */
    size_t panel_count, columns; /* PANELS: row by row in so many columns; 0: one */
    const struct am_figure *panels;
} am_figure;

typedef struct am_expectation {
    const char *name;
    const char *wanted; /* as the study wrote it */
    const char *got;
    double tolerance;
    bool ok;
} am_expectation;

/* Did what the source of a study says come out? The study says so (`verdict`). */
typedef enum am_source_verdict {
    AM_SOURCE_NONE, /* not said */
    AM_SOURCE_HELD,
    AM_SOURCE_PARTLY, /* some of it */
    AM_SOURCE_REFUTED,
    AM_SOURCE_NEW /* there is nothing in a source to judge */
} am_source_verdict;

/* A file that the study reads. */
typedef struct am_input {
    const char *path; /* where it lies */
    const char *name; /* its copy beside the results, which the study as it was run names */
    const char *sum;  /* SHA-256 when the run began */
} am_input;

/* What a result needs to be repeated. Version, commit, libraries and machine are added when it is written. */
typedef struct am_provenance {
    const char *study; /* as it was run: YAML, with all changes of the command line; NULL: none */
    size_t input_count;
    const am_input *inputs;
    const char *command, *date, *seed; /* NULL: not known, or none */
} am_provenance;

/* One finished study, everything borrowed. */
typedef struct am_report {
    const char *study; /* path of the study file, as given */
    const char *title, *source, *about;
    const char *analysis;    /* kind */
    const char *fingerprint; /* of a sweep, to know it again; NULL: none */
    double seconds;
    const am_result *result;
    size_t expectation_count;
    const am_expectation *expectations;
    size_t claim_count;
    const char *const *claims;       /* what the paper says, in words */
    const am_figure *figure;         /* NULL: none */
    bool undrawn;                    /* only the script of the figure, to be drawn another time */
    const am_provenance *provenance; /* NULL: none */
    const char *topic;               /* what the gallery lists it under; NULL: nothing */
    am_source_verdict verdict;
    const char *correction; /* what the source has wrong, and what is right; NULL: nothing */
    const char *animation;  /* animation.svg; NULL: none, but for that of a slip diagram */
} am_report;

/* The JSON document of `run --json` (and summary.json): study, title, source, analysis, fingerprint (of a sweep),
 * seconds, summary, tables (when with_tables), expect, files, provenance (without tables). Numbers round-trip; NaN and
 * infinities become null. Returned text belongs to the caller (am_output_text_free). */
AM_API char *am_output_json(const am_report *report, bool with_tables, size_t file_count, const char *const *files,
                            am_error *err);
AM_API void am_output_text_free(char *text);

/* A folder of results belongs to one run at a time: whoever computes for long and then writes claims it first. The
 * folder is made if it is missing. NULL when another process (or thread) has it, with who that is in err, or when
 * nothing can be written there. However its holder ends, the claim ends with it. */
typedef struct am_claim am_claim;
AM_API am_claim *am_output_claim(const char *folder, am_error *err);
AM_API void am_output_release(am_claim *claim); /* NULL is fine */

/* Write everything into `folder` (made if missing): <table>.csv for each table, results.nc, figure.gp (+ figure.svg and
 * figure.png where gnuplot is installed), animation.svg of a slip diagram or a structure in motion, fields.vtu of a mesh, study.yaml (as it was
 * run, with copies of the files that it reads), summary.json, and the checksums of all of them in SHA256SUMS. All
 * become the folder's results in one instant, and are on the disk when it returns: whatever ends the program, or the
 * power, leaves the older results whole or the new ones whole. On failure nothing new is left behind. `files` (may be
 * NULL) receives a NULL-terminated array of names relative to the folder, freed with am_output_files_free. AM_ERR_FILE
 * with the system's reason otherwise. */
AM_API am_status am_output_folder(const am_report *report, const char *folder, char ***files, am_error *err);
AM_API am_status am_output_folder_claimed(const am_report *report, const am_claim *claim, char ***files, am_error *err);
AM_API void am_output_files_free(char **files);

/* Before a long run: can results be written there? Creates the folder if it is missing, and puts in order what runs
 * left there that were ended in the midst of writing. */
AM_API am_status am_output_folder_check(const char *folder, am_error *err);
AM_API am_status am_output_folder_check_claimed(const am_claim *claim, am_error *err);

/* Are the results of a folder as they were written? Every file against its checksum, and the lists of files against
 * each other. `report` is called with each file that is missing, changed, half-written or not known (words begin with
 * one of these), and with what is no fault: files of others, what an unfinished run left, who is using the folder.
 * *whole: no fault was found. AM_ERR_INPUT when the folder holds no results, AM_ERR_FILE when it cannot be read. */
typedef void am_output_finding(void *context, const char *name, const char *words, bool fault);
AM_API am_status am_output_verify(const char *folder, am_output_finding *report, void *context, bool *whole,
                                  am_error *err);

/* Figure only, from a gnuplot script written earlier (`amontons plot`): run gnuplot in `folder`. */
AM_API am_status am_output_plot(const char *folder, am_error *err);

/* Writes animation.svg into a folder of results: the text of am_study_animate, say. */
AM_API am_status am_output_animation(const char *folder, const char *text, am_error *err);

/* One study on the gallery page. */
typedef struct am_gallery_entry {
    const char *group;       /* "klarbring" */
    const char *name;        /* "fig4b" */
    const char *folder;      /* of its results, relative to the page */
    const am_report *report; /* NULL: it failed */
    const char *failure;     /* why, when report is NULL */
    const char *text;        /* of the study file, to be shown; NULL: as it was run */
    const char *group_title; /* of the document or topic the group stands for; NULL: the group's name */
} am_gallery_entry;

/* Write the gallery into `folder`: index.html, where studies are found by document, topic, verdict or word, and beside
 * the results of each study a page of its own (`folder`/GROUP/NAME.html for results in GROUP/NAME): the figure, what
 * the source claims, whether that held, the study and its files. Small static pages with one style and one script
 * (gallery.css, gallery.js); nothing comes from elsewhere. */
AM_API am_status am_output_gallery(const char *folder, size_t count, const am_gallery_entry *entries, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
