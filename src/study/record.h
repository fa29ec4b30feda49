/* The study as it was run, for the provenance of its results. */
#ifndef AMONTONS_STUDY_RECORD_H
#define AMONTONS_STUDY_RECORD_H
#include "study/study.h"

/* All of it in the pool. Files that the study reads are named by copies that will lie beside it. */
am_status am_study_record(const am_study *study, am_arena *pool, am_provenance *provenance, am_error *err);

#endif
