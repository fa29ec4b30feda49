/* Chains of masses on belts: self-excited structures for tests. */
#ifndef AMONTONS_TESTS_BELT_CHAIN_H
#define AMONTONS_TESTS_BELT_CHAIN_H
#include <stdint.h>

#include "amontons/system.h"

/* One mass of a chain: spring to the one before, weight on its belt. */
typedef struct chain_link {
    double mass, damping, spring, weight, friction, static_friction, belt;
} chain_link;

/* At most 4 masses on springs, the first one tied to the ground, each held against a belt. */
am_system *belt_chain_create(size_t n, const chain_link *links);

/* Two or three masses, slightly damped, static friction well above kinetic, slow belts: sticks and slips. */
am_system *belt_chain_random(uint64_t seed);

#endif
