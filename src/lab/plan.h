/* What a request asks for. Nothing here knows of connections: a test or a fuzzer may ask as well. */
#ifndef AMONTONS_LAB_PLAN_H
#define AMONTONS_LAB_PLAN_H
#include <stdint.h>

#include "base/arena.h"
#include "lab/options.h"
#include "lab/order.h"

enum { AM_LAB_ARGUMENTS = 96, AM_LAB_BODY = 4 << 20 };

typedef struct am_lab_argument {
    const char *name, *value; /* "" where a name stands alone */
} am_lab_argument;

/* Everything borrowed. */
typedef struct am_lab_request {
    const char *method;
    const char *path; /* below the token, decoded: "study", "page/lab.js"; "": the page itself */
    size_t argument_count;
    am_lab_argument arguments[AM_LAB_ARGUMENTS];
    const char *body; /* not ended by a zero; NULL: none */
    size_t length;
    bool columns; /* it accepts application/octet-stream */
} am_lab_request;

typedef enum am_lab_step {
    AM_LAB_SAY,        /* the answer is there */
    AM_LAB_SEND_FILE,  /* a part of the page: `path` */
    AM_LAB_DO,         /* work: `order` */
    AM_LAB_START_JOB,  /* long work: `order` */
    AM_LAB_FOLLOW_JOB, /* events of `job` */
    AM_LAB_FETCH_JOB,  /* what came of it */
    AM_LAB_CANCEL_JOB,
    AM_LAB_TELL_STATUS,
    AM_LAB_STOP
} am_lab_step;

typedef struct am_lab_plan {
    am_lab_step step;
    am_lab_answer answer;
    am_lab_order order; /* its texts live in `memory` */
    const char *path;
    uint64_t job;
    am_arena memory;
} am_lab_plan;

/* Never fails: what is wrong with a request is an answer as well. `plan` is {0} before. */
void am_lab_plan_request(const am_lab_options *options, const am_lab_request *request, am_lab_plan *plan);
void am_lab_plan_clear(am_lab_plan *plan);

#endif
