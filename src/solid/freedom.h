/* Is every body held, at least while all contacts stick? */
#ifndef AMONTONS_SOLID_FREEDOM_H
#define AMONTONS_SOLID_FREEDOM_H
#include "solid/expansion.h"

/* AM_ERR_INPUT with the bodies and the rigid motion that nothing hinders. */
am_status am_freedom_check(const am_solid_def *def, const am_expansion *expansion, const am_mortar *mortar,
                           am_error *err);

#endif
