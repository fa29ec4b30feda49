/* What programs that edit studies ask of a text: the numbers in it. */
#ifndef AMONTONS_STUDY_STUDY_NUMBERS_H
#define AMONTONS_STUDY_STUDY_NUMBERS_H
#include "amontons/study.h"

/* {"numbers": [{path, value, line, column, end_column, unit, about, least, most, whole}, ...], "study": tree}: every
 * number that the text writes, in its order, with the path that `--set` takes, and the whole text as JSON; also of a
 * study that is refused. Places count from 1.
 * What a row says of it (unit, about, and the bounds, null where there is none) is known as far as the study could be
 * read. Freed with am_output_text_free; NULL with err filled where the text is no YAML. */
char *am_study_numbers(const char *name, const char *text, const am_study_options *options, am_error *err);

#endif
