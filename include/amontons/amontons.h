/* Amontons: structures with dry friction. Include this, or only the rooms you need. Conventions: amontons/error.h. */
#ifndef AMONTONS_AMONTONS_H
#define AMONTONS_AMONTONS_H

#include "amontons/attractors.h"
#include "amontons/cells.h"
#include "amontons/error.h"
#include "amontons/follow.h"
#include "amontons/function.h"
#include "amontons/griffin.h"
#include "amontons/klarbring.h"
#include "amontons/matrix.h"
#include "amontons/motion.h"
#include "amontons/nodes.h"
#include "amontons/orbit.h"
#include "amontons/oscillator.h"
#include "amontons/output.h"
#include "amontons/path.h"
#include "amontons/progress.h"
#include "amontons/result.h"
#include "amontons/rod.h"
#include "amontons/shakedown.h"
#include "amontons/stability.h"
#include "amontons/states.h"
#include "amontons/study.h"
#include "amontons/system.h"
#include "amontons/twofold.h"
#include "amontons/uniqueness.h"
#include "amontons/verify.h"

#endif
