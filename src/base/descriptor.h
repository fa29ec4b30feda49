/* Whole blocks of bytes through files, pipes and sockets. */
#ifndef AMONTONS_BASE_DESCRIPTOR_H
#define AMONTONS_BASE_DESCRIPTOR_H
#include <stdbool.h>
#include <stddef.h>

/* Partial and interrupted writes are repeated. false: errno says why, 0 when nothing was taken without a reason. */
bool am_write_all(int descriptor, const void *bytes, size_t count);

#endif
