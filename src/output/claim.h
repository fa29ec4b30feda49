/* A folder of results belongs to one run at a time (am_output_claim, amontons/output.h). */
#ifndef AMONTONS_OUTPUT_CLAIM_H
#define AMONTONS_OUTPUT_CLAIM_H
#include "amontons/output.h"

const char *am_claim_folder(const am_claim *claim);
int am_claim_descriptor(const am_claim *claim); /* of the folder */

/* am_output_claim with a status; *claim is NULL on failure. */
am_status am_claim_open(am_claim **claim, const char *folder, am_error *err);

/* The lock's name inside the folder. */
extern const char am_claim_name[];

/* Who uses the folder, for messages; "" when nobody does, or it is not known. */
void am_claim_holder(int folder, char *words, size_t size);

#endif
