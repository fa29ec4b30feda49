/* What a worker is told to do, and what it says: bytes between two processes. */
#ifndef AMONTONS_LAB_ORDER_H
#define AMONTONS_LAB_ORDER_H
#include <stdint.h>

#include "amontons/study.h"
#include "base/text.h"

typedef enum am_lab_task {
    AM_LAB_STUDIES,   /* list those of folder and gallery */
    AM_LAB_SCHEMA,    /* the JSON schema of studies */
    AM_LAB_CHECK,     /* what is wrong with a text */
    AM_LAB_NUMBERS,   /* the numbers in it */
    AM_LAB_STRUCTURE, /* its structure */
    AM_LAB_RUN,       /* its results */
    AM_LAB_FIGURE     /* its picture */
} am_lab_task;

/* Where a text came from: files beside it are found there. */
typedef enum am_lab_root { AM_LAB_NOWHERE, AM_LAB_FOLDER, AM_LAB_GALLERY } am_lab_root;

enum { AM_LAB_SETTINGS = 64 };

/* Everything borrowed. */
typedef struct am_lab_order {
    am_lab_task task;
    am_lab_root root;
    const char *name; /* below the root: "joints/bowed.yaml" */
    const char *text; /* of the study */
    size_t setting_count;
    am_setting settings[AM_LAB_SETTINGS];
    bool full, columns, svg, png;
    bool job;       /* progress is told */
    int threads;    /* 0: as many as the machine has */
    uint64_t trace; /* a run: the number under which its worker keeps the branches; 0: it does not */
    size_t preview; /* so many points of those that are kept under it, instead of following; 0: no */
    double seconds; /* of processor time */
} am_lab_order;

/* Bytes of an order; after am_lab_order_read its texts point into them. False: they are none. */
am_status am_lab_order_write(const am_lab_order *order, am_text *bytes, am_error *err);
bool am_lab_order_read(am_lab_order *order, const char *bytes, size_t count);

typedef enum am_lab_type { AM_LAB_JSON, AM_LAB_COLUMNS, AM_LAB_SVG, AM_LAB_PNG, AM_LAB_TEXT, AM_LAB_TYPES } am_lab_type;

/* What a worker says: any number of events, then an answer. */
typedef enum am_lab_kind { AM_LAB_ANSWER, AM_LAB_PROGRESS, AM_LAB_PARTIAL } am_lab_kind;

typedef struct am_lab_word {
    uint32_t kind, type, status; /* status: of HTTP */
    uint32_t ended;              /* 1: the worker ends after this answer */
    uint64_t count;              /* of the bytes that follow */
    double seconds;              /* that the work took; of progress: that are left (negative: not known) */
    double share;                /* of progress */
    uint64_t memory;             /* bytes that the worker has */
} am_lab_word;

/* An answer longer than this is none. */
enum { AM_LAB_LONGEST = 1 << 29 };

/* Results of work. */
typedef struct am_lab_answer {
    unsigned status;
    am_lab_type type;
    am_text body;
} am_lab_answer;

#endif
