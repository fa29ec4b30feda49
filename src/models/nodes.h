/* What the files of model `nodes` share. */
#ifndef AMONTONS_MODELS_NODES_H
#define AMONTONS_MODELS_NODES_H
#include "amontons/models.h"

enum { AM_NODES_COOKIE = 0x414d4e4f };

/* Everything but the definiteness of the support. */
am_status am_nodes_check(const am_nodes *nodes, am_error *err);

#endif
