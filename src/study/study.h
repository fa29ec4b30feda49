/* A study in memory, for the files of this room. */
#ifndef AMONTONS_STUDY_STUDY_H
#define AMONTONS_STUDY_STUDY_H
#include "amontons/output.h"
#include "amontons/study.h"
#include "base/object.h"
#include "study/analyses/following.h"
#include "study/animation.h"
#include "study/case.h"
#include "study/figure.h"
#include "study/sweep/sweep.h"

/* The top level of a study file. */
typedef struct am_study_setting {
    const char *title, *source, *about;
    am_texts claims;
    const char *topic, *correction;
    am_source_verdict verdict;
    const am_node *model, *analysis, *also, *expect, *full;
    am_figure_setting figure;
    am_animation_setting animation;
    am_sweep_setting sweep;
    am_follow_setting follow;
} am_study_setting;

extern const am_schema am_study_schema;

struct am_study {
    uint64_t tag; /* AM_TAG_STUDY */
    am_arena *pool;
    const char *name; /* path of the file, as given */
    am_files files;   /* where those it names may lie */
    am_named_files named;
    am_node *root; /* the tree, with settings applied */
    am_study_setting setting;
    am_case made; /* at the values written; a sweep makes its own */
};

/* The study as it was run, for the provenance of its results. All of it in the pool. Files that the study reads are named by copies that will lie beside it. */
am_status am_study_record(const am_study *study, am_arena *pool, am_provenance *provenance, am_error *err);

/* Reads a text as am_study_open_text does and shows its tree, also of a study that is refused: `notes` say which rows its
 * values were read by, as far as that came. Fails only where the text is no YAML, or `look` does. */
typedef am_status am_study_look(void *context, const am_node *root, const am_field_notes *notes, am_error *err);
am_status am_study_look_at(const char *name, const char *text, const am_study_options *options, am_study_look *look,
                           void *context, am_error *err);

/* Study files larger than this are refused. */
enum { AM_STUDY_LARGEST = 16 << 20 };

#endif
