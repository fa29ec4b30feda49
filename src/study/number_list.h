/* All numbers of a study's model by their paths ("contacts.0.friction", "loads.1.sine.amplitude", "stiffness.0.1"): those
 * that the study gives, and those that it could give in the mappings it has. */
#ifndef AMONTONS_STUDY_NUMBER_LIST_H
#define AMONTONS_STUDY_NUMBER_LIST_H
#include "study/schema.h"

typedef struct am_listed_number {
    const char *path;
    double value; /* given, or what it is when left out; NAN: the model decides by itself (`static_friction`) */
} am_listed_number;

typedef struct am_number_list {
    size_t count, capacity;
    am_listed_number *numbers;
} am_number_list;

/* In the order of the study; in each mapping those that it leaves out come last. All in the pool. */
am_status am_number_list_fill(am_number_list *list, am_arena *pool, const am_schema *schema, const am_node *model,
                              am_error *err);

am_status am_number_list_add(am_number_list *list, am_arena *pool, const char *path, double value, am_error *err);

#endif
