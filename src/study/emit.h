/* YAML text from a tree. */
#ifndef AMONTONS_STUDY_EMIT_H
#define AMONTONS_STUDY_EMIT_H
#include "base/text.h"
#include "study/node.h"

/* A text as a YAML scalar, quoted where it needs to be. */
void am_emit_text(am_text *out, const char *text);

/* "key: value" lines; a mapping's entries and a list's items get lines of their own. */
void am_emit_entry(am_text *out, const char *key, const am_node *value);

#endif
