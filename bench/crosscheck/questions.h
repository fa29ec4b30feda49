/* The program against itself: one random structure, one question asked in two ways. */
#ifndef AMONTONS_CROSS_QUESTIONS_H
#define AMONTONS_CROSS_QUESTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum cross_kind {
    CROSS_AGREE,
    CROSS_DISAGREE,
    CROSS_REFUSED,  /* both ways refuse, for the same reason; or one, for a reason that is known and said */
    CROSS_SENSITIVE /* a change of 1e-9 at the start leads elsewhere: rounding decides, nothing can be compared */
} cross_kind;

typedef struct cross_verdict {
    cross_kind kind;
    char why[400]; /* what differs, or why both refuse */
    char *studies; /* of a disagreement: both studies, as YAML documents; freed by the caller */
} cross_verdict;

typedef struct cross_question {
    const char *name;
    const char *asks; /* in a few words */
    cross_verdict (*ask)(uint64_t seed);
} cross_question;

extern const cross_question cross_questions[];
extern const size_t cross_question_count;

/* What the questions share. */
typedef struct cross_answer cross_answer;
cross_verdict cross_differ(const cross_answer *one, const cross_answer *other, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

cross_verdict cross_motion_units(uint64_t seed);
cross_verdict cross_motion_coordinates(uint64_t seed);
cross_verdict cross_motion_order(uint64_t seed);
cross_verdict cross_motion_divided(uint64_t seed);
cross_verdict cross_motion_march(uint64_t seed);
cross_verdict cross_motion_moreau(uint64_t seed);
cross_verdict cross_stability_squeal(uint64_t seed);
cross_verdict cross_threshold_squeal(uint64_t seed);
cross_verdict cross_stability_forms(uint64_t seed);
cross_verdict cross_response_forms(uint64_t seed);
cross_verdict cross_path_forms(uint64_t seed);
cross_verdict cross_response_orbit(uint64_t seed);
cross_verdict cross_response_march(uint64_t seed);
cross_verdict cross_orbit_motion(uint64_t seed);
cross_verdict cross_path_methods(uint64_t seed);
cross_verdict cross_attractors_join(uint64_t seed);
cross_verdict cross_attractors_orbit(uint64_t seed);
cross_verdict cross_blocks_modes(uint64_t seed);

#endif
