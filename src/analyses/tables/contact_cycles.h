/* What contacts do in a period of a motion: the tables `contact_cycles` and `hysteresis`. */
#ifndef AMONTONS_ANALYSES_TABLES_CONTACT_CYCLES_H
#define AMONTONS_ANALYSES_TABLES_CONTACT_CYCLES_H
#include "amontons/response.h"
#include "engines/balance/balance.h"
#include "engines/balance/element.h"

typedef struct am_contact_cycles {
    const am_cycle_options *options;
    const am_system *system;
    am_table *cycles, *loops; /* NULL: not asked for */
} am_contact_cycles;

/* AM_ERR_INPUT: a name that no contact has. */
am_status am_contact_cycles_check(const am_cycle_options *options, const am_system *system, am_error *err);

/* The tables that were asked for; their first column says at which value, described as `key` under the name `name`. */
am_contact_cycles am_contact_cycles_begin(const am_cycle_options *options, const am_system *system, am_result *result,
                                          const char *key, const char *name);

/* Is this contact in one of them? */
bool am_contact_cycles_want(const am_contact_cycles *cycles, size_t contact);

/* What a contact does in a period at `value`. */
void am_contact_cycles_add_trace(const am_contact_cycles *cycles, size_t contact, const am_contact_trace *trace,
                                 double value);

/* All contacts in the motion x of the balance at p. */
am_status am_contact_cycles_add(const am_contact_cycles *cycles, am_balance *balance, const double *x, double p,
                                double value, am_error *err);

#endif
