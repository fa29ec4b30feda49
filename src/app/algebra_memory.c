/* Room for linear algebra. OpenBLAS takes a buffer for each thread that computes, and where the system refuses one
 * (`ulimit -v`) it asks again for ever: a run would hang without a word. So the same amount is asked for here first. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <cblas.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/command.h"

static const size_t buffer = (size_t)130 << 20; /* OpenBLAS: 128 MiB and a page */

/* Maps `left` buffers, all of them at once, and lets them go again. Nothing is written to them, so they cost nothing.
 */
static bool can_map(int left) {
    if (left == 0)
        return true;
    void *place = mmap(NULL, buffer, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED)
        return false;
    bool enough = can_map(left - 1);
    munmap(place, buffer);
    return enough;
}

void am_check_memory_for_algebra(int threads) {
    const am_progress team = {.threads = threads};
    int own = am_progress_threads(&team), helpers = openblas_get_num_threads() - 1;
    if (can_map(own + helpers))
        return;
    am_print_error("amontons: linear algebra needs %d MB of memory for %d threads, and the system gives less; raise "
                   "the limit (ulimit -v), or take fewer threads (--threads 1 and OPENBLAS_NUM_THREADS=1)",
                   (own + helpers) * (int)(buffer >> 20), own + helpers);
    am_print_error_document(AM_EXIT_FAILED);
    fflush(stdout);
    _exit(AM_EXIT_FAILED); /* OpenBLAS' own threads may be asking already, and exit() would wait for them */
}
