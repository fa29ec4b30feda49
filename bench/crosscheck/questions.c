#include "questions.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "ask.h"

const cross_question cross_questions[] = {
    {"units", "motion in other units", cross_motion_units},
    {"coordinates", "motion in other coordinates", cross_motion_coordinates},
    {"order", "motion with the contacts in another order", cross_motion_order},
    {"divided", "motion with a contact divided into several", cross_motion_divided},
    {"march", "motion and march, held contacts", cross_motion_march},
    {"moreau", "motion and march by Moreau and Jean, rigid contacts", cross_motion_moreau},
    {"squeal", "stability and squeal", cross_stability_squeal},
    {"threshold", "threshold of friction by stability and by squeal", cross_threshold_squeal},
    {"response", "response and orbit, sliders behind springs", cross_response_orbit},
    {"stops", "response and march, compliant stops", cross_response_march},
    {"orbit", "orbit and a long motion", cross_orbit_motion},
    {"path", "path, exact and incremental", cross_path_methods},
    {"stabilityforms", "stability in other coordinates, units and order", cross_stability_forms},
    {"responseforms", "response in other units and order", cross_response_forms},
    {"pathforms", "path in other coordinates, units and order", cross_path_forms},
    {"join", "attractors with and without joining", cross_attractors_join},
    {"fates", "attractors and orbit from single starts", cross_attractors_orbit},
    {"blocks", "motion of elastic blocks, reduced by modes: auto and with half of all modes", cross_blocks_modes},
};
const size_t cross_question_count = sizeof cross_questions / sizeof *cross_questions;

cross_verdict cross_differ(const cross_answer *one, const cross_answer *other, const char *format, ...) {
    cross_verdict verdict = {.kind = CROSS_DISAGREE};
    va_list words;
    va_start(words, format);
    vsnprintf(verdict.why, sizeof verdict.why, format, words);
    va_end(words);
    size_t length = 0;
    FILE *out = open_memstream(&verdict.studies, &length);
    if (out) {
        fprintf(out, "%s---\n%s", one->study, other == one ? "" : other->study);
        fclose(out);
    }
    return verdict;
}
