/* The lab: a server of this machine alone, whose pages and scripts read, check, change and run studies. docs/lab.md.
 *
 *   lab.c       the loop: connections (libmicrohttpd) and workers, in one thread
 *   gate.c      who may ask, and what is answered to whom may not
 *   plan.c      what a request asks for: an answer that is there, work, or a job
 *   places.c    names of studies, and the files they stand for
 *   jobs.c      long work and its events
 *   team.c      worker processes: started, fed, listened to, ended
 *   worker.c    one of them: limits, orders, answers
 *   work.c      what they do: check, show, run, draw
 *   order.c     orders and answers as bytes
 *   columns.c   results as binary columns
 *
 * The process that listens never reads a study: what strangers may have written is read by workers only. */
#ifndef AMONTONS_LAB_LAB_H
#define AMONTONS_LAB_LAB_H
#include "amontons/error.h"
#include "amontons/result.h"
#include "lab/options.h"

/* Serves until `progress` says that it is no longer wanted (it is asked whenever a signal arrives), or a page ends it. */
am_status am_lab_serve(const am_lab_options *options, const am_progress *progress, am_error *err);

#endif
