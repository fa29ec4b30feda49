/* Where results come from: the software, the machine, the command. */
#ifndef AMONTONS_OUTPUT_PROVENANCE_H
#define AMONTONS_OUTPUT_PROVENANCE_H
#include "amontons/output.h"
#include "base/arena.h"

enum { AM_MOST_FACTS = 24 };

typedef struct am_fact {
    const char *name, *value; /* value NULL: not known */
} am_fact;

typedef struct am_facts {
    size_t count;
    am_fact facts[AM_MOST_FACTS];
    am_arena memory; /* of the values */
} am_facts;

/* Version, commit, command, date, machine and seed. */
am_status am_facts_of_run(am_facts *facts, const am_provenance *provenance, am_error *err);

/* The libraries in use, with their versions. */
am_status am_facts_of_libraries(am_facts *facts, am_error *err);

void am_facts_clear(am_facts *facts);

#endif
