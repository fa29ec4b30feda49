/* Amontons: structures with dry friction. Include this, or only the rooms you need. Conventions: amontons/error.h. */
#ifndef AMONTONS_AMONTONS_H
#define AMONTONS_AMONTONS_H

/* The core: structures, questions, answers. */
#include "amontons/attractors.h"
#include "amontons/error.h"
#include "amontons/laws.h"
#include "amontons/march.h"
#include "amontons/matrix.h"
#include "amontons/model.h"
#include "amontons/motion.h"
#include "amontons/observer.h"
#include "amontons/orbit.h"
#include "amontons/output.h"
#include "amontons/path.h"
#include "amontons/response.h"
#include "amontons/result.h"
#include "amontons/stability.h"
#include "amontons/states.h"
#include "amontons/study.h"
#include "amontons/system.h"
#include "amontons/version.h"

/* What rests on it: nonlinear modes, half-planes, meshes, models with numbers of their own. */
#include "amontons/backbone.h"
#include "amontons/mesh.h"
#include "amontons/models.h"
#include "amontons/slip.h"

#endif
