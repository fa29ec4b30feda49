/* Analysis `slip` asked through studies: keys of a model and of the analysis as a study writes them. */
#ifndef AMONTONS_TESTS_SLIP_STUDY_H
#define AMONTONS_TESTS_SLIP_STUDY_H
#include "amontons/study.h"

/* The test fails when the study is refused. */
am_run *ask_slip(const char *model, const char *analysis);

/* One number of its summary. */
double slip_answer(const char *model, const char *analysis, const char *name);

/* The study must be refused as invalid input, in these words. */
void refuse_slip(const char *model, const char *analysis, const char *words);

#endif
