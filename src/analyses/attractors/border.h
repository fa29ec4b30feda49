/* Unstable orbits, looked for where motions part: on the borders between basins, and around the trails. */
#ifndef AMONTONS_ANALYSES_ATTRACTORS_BORDER_H
#define AMONTONS_ANALYSES_ATTRACTORS_BORDER_H
#include "analyses/attractors/survey.h"

/* After am_survey_run. What is found enters the survey's set. */
am_status am_border_search(am_survey *survey, const am_progress *progress, am_error *err);

#endif
