/* A study that is being read: where what it says goes, and where the files that it names may lie. */
#ifndef AMONTONS_STUDY_READING_H
#define AMONTONS_STUDY_READING_H
#include "study/node.h"

/* Where the files of a study may lie: in the folder of the study file or below it, and in or below those that whoever
 * runs it allows besides. Links are followed before this is judged. A file that whoever runs the study names himself
 * (--set) may lie anywhere. See docs/security.md. */
typedef struct am_files {
    const char *folder; /* of the study file: names are relative to it */
    size_t allowed_count;
    const char *const *allowed;
    struct am_store *store; /* what was read and made of them (study/store.h); NULL: each reading has its own */
    size_t attached_count;
    const struct am_attached *attached; /* matrices in memory that the study names (study/attached.h) */
} am_files;

/* The files that were opened while a study was read, each once, in the order of the study. */
typedef struct am_named_files {
    size_t count;
    const char **paths; /* in the study's pool */
} am_named_files;

/* Which rows the values of a study were read by, in the order of reading. */
typedef struct am_field_note {
    const am_node *node;
    const struct am_field *field;
} am_field_note;
typedef struct am_field_notes {
    size_t count, capacity;
    am_field_note *notes;
} am_field_notes;

/* Where a study is being read to. */
typedef struct am_reading {
    am_arena *pool;         /* everything read lives here */
    const am_files *files;  /* where files that it names may lie */
    am_error *err;          /* never NULL */
    am_named_files *named;  /* which files it names; NULL: nobody asks */
    struct am_shelf *shelf; /* files of matrices that were read (study/shelf.h) */
    const am_node *model;   /* that is being read */
    am_field_notes *notes;  /* NULL: nobody asks */
} am_reading;

#endif
