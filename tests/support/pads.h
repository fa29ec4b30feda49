/* Structures whose contacts are divided into several pads that do the same together. */
#ifndef AMONTONS_TESTS_PADS_H
#define AMONTONS_TESTS_PADS_H
#include "random_system.h"

/* Each contact becomes one to three pads with random shares of its normal force and rows of random lengths, at most
 * `most` in all (up to PLAIN_CONTACTS); `whole` (most): which contact each of them was. */
void pads_divide(random_source *source, const plain_system *one, size_t most, plain_system *many, size_t *whole);

/* Has any contact become more than one? */
bool pads_divided(const plain_system *one, const plain_system *many);

/* The state of a pad, as the contact would call it: a pad may look the other way. */
am_contact_state pads_seen(const plain_contact *pad, const plain_contact *whole, size_t n, am_contact_state state);

#endif
