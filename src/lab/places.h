/* Names of studies ("folder/belts/my.yaml", "gallery/joints/bowed.yaml") and what they stand for: files below the opened
 * folder or the gallery, and nothing else. */
#ifndef AMONTONS_LAB_PLACES_H
#define AMONTONS_LAB_PLACES_H
#include "base/text.h"
#include "lab/options.h"
#include "lab/order.h"

/* Splits a name: its root, and in *below what follows. AM_LAB_NOWHERE: it is no name of a study. Names have no empty or
 * hidden parts, none that climb, no control characters, and end with .yaml or .yml. */
am_lab_root am_lab_name_root(const char *name, const char **below);

/* The folder of a root; NULL: it is not open. */
const char *am_lab_folder(const am_lab_options *options, am_lab_root root);

/* The path of a name, with `found` where a regular file is there. AM_ERR_INPUT where the name may not be used: it is
 * none, its root is not open, or links lead out of it. */
am_status am_lab_path(const am_lab_options *options, const char *name, am_text *path, bool *found, am_error *err);

#endif
