#include "base/object.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"

#if defined(NDEBUG) || defined(__SANITIZE_ADDRESS__)

void am_object_bury(void *object, size_t size) {
    (void)size;
    *(volatile uint64_t *)object = 0; /* volatile: what is written just before freeing would be left out otherwise */
    am_memory_free(object);
}

#else

/* The objects that were freed last. They have no part in any result. */
enum { GRAVES = 1024, NONSENSE = 0xdb };
static _Atomic(void *) graves[GRAVES];
static atomic_size_t buried;

void am_object_bury(void *object, size_t size) {
    memset(object, NONSENSE, size);
    am_memory_free(atomic_exchange(&graves[atomic_fetch_add(&buried, 1) % GRAVES], object));
}

#endif
