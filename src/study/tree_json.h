/* A study's tree as JSON, for programs that read what a study says without reading YAML. */
#ifndef AMONTONS_STUDY_TREE_JSON_H
#define AMONTONS_STUDY_TREE_JSON_H
#include "base/text.h"
#include "study/node.h"

/* Mappings, lists, numbers, flags, null and texts as the node has them; keys are texts. */
void am_tree_json(am_text *out, const am_node *node);

#endif
