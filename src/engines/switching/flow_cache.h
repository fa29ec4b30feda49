/* The flows of an engine that runs again and again. */
#ifndef AMONTONS_ENGINES_SWITCHING_FLOW_CACHE_H
#define AMONTONS_ENGINES_SWITCHING_FLOW_CACHE_H
#include "engines/switching/flow.h"

/* A new run begins, which does not see what earlier ones left: am_flow_count and am_flow_cache_trim go by the flows
 * that it meets, as if the cache had been empty. Old flows beyond `most` are dropped here; so at most twice as many are
 * ever held. No flow may be in use. */
void am_flow_cache_renew(am_flow_cache *cache, size_t most);

#endif
