/* Studies written into the tests: what is sound is run, and the summary of the run is read. */
#ifndef AMONTONS_TESTS_STUDY_TEXT_H
#define AMONTONS_TESTS_STUDY_TEXT_H
#include "amontons/study.h"

/* A study of the file name /test.yaml, below whose folder all files lie; the test fails when it is refused. */
am_study *read_text(const char *text);
am_run *run_text(const char *text);

/* A number of the summary, by name. */
double scalar(const am_run *made, const char *name);

#endif
