#include "lab/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/try.h"

am_status am_lab_random(uint64_t *number, am_error *err) {
    int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    ssize_t count = file >= 0 ? read(file, number, sizeof *number) : -1;
    int reason = errno;
    if (file >= 0)
        close(file);
    if (count == (ssize_t)sizeof *number)
        return AM_OK;
    return am_fail(err, AM_ERR_FILE, "/dev/urandom cannot be read: %s", strerror(reason));
}

am_status am_lab_new_token(char token[AM_LAB_TOKEN], am_error *err) {
    uint64_t halves[2];
    AM_TRY(am_lab_random(&halves[0], err));
    AM_TRY(am_lab_random(&halves[1], err));
    snprintf(token, AM_LAB_TOKEN, "%016" PRIx64 "%016" PRIx64, halves[0], halves[1]);
    return AM_OK;
}

am_status am_lab_token(char token[AM_LAB_TOKEN], am_error *err) {
    const char *kept = getenv("AMONTONS_LAB_TOKEN");
    if (kept && *kept) {
        if (strlen(kept) != AM_LAB_TOKEN - 1 || strspn(kept, "0123456789abcdef") != AM_LAB_TOKEN - 1)
            return am_fail(err, AM_ERR_INPUT, "AMONTONS_LAB_TOKEN must be %d of the digits 0 to f", AM_LAB_TOKEN - 1);
        memcpy(token, kept, AM_LAB_TOKEN);
        return AM_OK;
    }
    return am_lab_new_token(token, err);
}

enum { DIGITS = AM_LAB_TOKEN - 1 };

/* The text begins with the token. */
static bool has_token(const char *token, const char *text) {
    unsigned char differs = 0;
    if (strlen(text) < DIGITS)
        return false;
    for (size_t i = 0; i < DIGITS; i++)
        differs |= (unsigned char)(token[i] ^ text[i]);
    return differs == 0;
}

const char *am_lab_below_token(const char *token, const char *address) {
    bool right = address[0] == '/' && has_token(token, address + 1);
    return right && address[1 + DIGITS] == '/' ? address + 1 + DIGITS + 1 : NULL;
}

bool am_lab_is_door(const char *code, const char *address) {
    static const char door[] = "/open/";
    size_t length = strlen(door);
    return strncmp(address, door, length) == 0 && has_token(code, address + length) && !address[length + DIGITS];
}

static bool is_own_host(int port, const char *host) {
    char own[32];
    snprintf(own, sizeof own, "127.0.0.1:%d", port);
    if (strcmp(host, own) == 0)
        return true;
    snprintf(own, sizeof own, "localhost:%d", port);
    return strcmp(host, own) == 0;
}

bool am_lab_is_own(int port, const char *host, const char *origin) {
    static const char scheme[] = "http://";
    if (!host || !is_own_host(port, host))
        return false;
    return !origin || (strncmp(origin, scheme, strlen(scheme)) == 0 && strcmp(origin + strlen(scheme), host) == 0);
}
