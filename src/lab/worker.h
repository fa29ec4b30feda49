/* A worker: a process that takes orders from a socket, one after the other. */
#ifndef AMONTONS_LAB_WORKER_H
#define AMONTONS_LAB_WORKER_H
#include <sys/types.h>

#include "lab/options.h"
#include "lab/order.h"

/* What the child of a fork becomes; never returns. `parent` is the process that ends with it, `scratch` a folder of its
 * own. An order comes as its length (8 bytes) and its bytes, answers go as an am_lab_word and their bytes. */
void am_lab_worker_serve(const am_lab_options *options, const char *scratch, int socket, pid_t parent)
    __attribute__((noreturn));

#endif
