/* What is wrong with a text that is no YAML, in the words of somebody who writes studies. */
#ifndef AMONTONS_STUDY_YAML_WORDS_H
#define AMONTONS_STUDY_YAML_WORDS_H
#include <stddef.h>

/* `said` is libfyaml's complaint about this place of the text (from 1). A sentence, which may be in `buffer`. */
enum { AM_YAML_WORDS = 256 };
const char *am_yaml_words(const char *said, const char *text, int line, int column, char buffer[AM_YAML_WORDS]);

#endif
