/* A copy of the present state of boundary elements, to come back to. */
#ifndef AMONTONS_TESTS_SUPPORT_KEPT_BEM_H
#define AMONTONS_TESTS_SUPPORT_KEPT_BEM_H
#include "engines/boundary/bem_internal.h"

am_bem_fields *keep_bem(const am_bem *bem);

/* The kept state is back, and the copy is gone. */
void return_bem(am_bem *bem, am_bem_fields *kept);

#endif
