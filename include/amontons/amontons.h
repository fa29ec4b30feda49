/* Amontons: structures with dry friction. Include this, or only the rooms you need. Conventions: amontons/error.h. */
#ifndef AMONTONS_AMONTONS_H
#define AMONTONS_AMONTONS_H

#include "amontons/attractors.h"
#include "amontons/backbone.h"
#include "amontons/error.h"
#include "amontons/interface.h"
#include "amontons/laws.h"
#include "amontons/march.h"
#include "amontons/matrix.h"
#include "amontons/mesh.h"
#include "amontons/model.h"
#include "amontons/models.h"
#include "amontons/motion.h"
#include "amontons/observer.h"
#include "amontons/orbit.h"
#include "amontons/output.h"
#include "amontons/path.h"
#include "amontons/progress.h"
#include "amontons/response.h"
#include "amontons/result.h"
#include "amontons/slip.h"
#include "amontons/stability.h"
#include "amontons/states.h"
#include "amontons/study.h"
#include "amontons/system.h"

#endif
