/* `animation:` of a study: which motion of its structure becomes animation.svg. */
#ifndef AMONTONS_STUDY_ANIMATION_H
#define AMONTONS_STUDY_ANIMATION_H
#include "amontons/result.h"
#include "study/schema.h"

struct am_case;

typedef struct am_animation_setting {
    const char *table;          /* NULL: the first that can be drawn */
    double mode, row, from, to; /* NaN: not given */
    const am_node *node;        /* NULL: no animation is asked for */
} am_animation_setting;

extern const am_schema am_animation_schema;
am_animation_setting am_animation_usual(void); /* where the study has none */

/* Can this structure be drawn at all? AM_ERR_INPUT where the study asks for it otherwise. */
am_status am_animation_check(am_reading *reading, const am_animation_setting *setting, const struct am_case *made);

/* Draws it; the text is in the pool. What cannot be drawn is AM_ERR_INPUT, where the study asks for it. */
am_status am_animation_fit(am_reading *reading, const am_animation_setting *setting, const char *title,
                           const struct am_case *made, const am_result *result, const char **text);

#endif
