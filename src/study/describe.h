/* What the schemas say to people. */
#ifndef AMONTONS_STUDY_DESCRIBE_H
#define AMONTONS_STUDY_DESCRIBE_H
#include "base/text.h"
#include "study/schema.h"

/* Everything that has rows: each model, each analysis, and what their rows name ("contact", "sine"). */
typedef enum am_topic_kind { AM_TOPIC_MODEL, AM_TOPIC_ANALYSIS, AM_TOPIC_OTHER } am_topic_kind;
typedef void am_topic_visit(void *context, const am_schema *schema, am_topic_kind kind);
void am_describe_each_topic(am_topic_visit *visit, void *context);
bool am_describe_is_topic(const am_schema *schema);
/* Between quotes, as in JSON, whatever is in it; bytes that are no UTF-8 become U+FFFD. */
void am_describe_string(am_text *out, const char *text);

#endif
