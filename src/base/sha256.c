#include "base/sha256.h"

#include <string.h>

/* FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated(uint32_t x, int by) {
    return x >> by | x << (32 - by);
}

static void fill_schedule(uint32_t w[64], const unsigned char *block) {
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t a = rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t b = rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + a + w[t - 7] + b;
    }
}

/* A round of FIPS 180-4, 6.2.2, with its sums of rotations (6, 11, 25; 2, 13, 22) one inside the other. None of a .. h need
 * be moved: the next round calls them by the next names. */
#define ROUND(a, b, c, d, e, f, g, h, t)                                                                               \
    (h += rotated(rotated(rotated(e, 14) ^ e, 5) ^ e, 6) + (g ^ (e & (f ^ g))) + constant[t] + w[t], d += h,           \
     h += rotated(rotated(rotated(a, 9) ^ a, 11) ^ a, 2) + ((a & b) | (c & (a | b))))

static void mix(uint32_t state[8], const unsigned char *block) {
    uint32_t w[64], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6],
                    h = state[7];
    fill_schedule(w, block);
    for (int t = 0; t < 64; t += 8) {
        ROUND(a, b, c, d, e, f, g, h, t);
        ROUND(h, a, b, c, d, e, f, g, t + 1);
        ROUND(g, h, a, b, c, d, e, f, t + 2);
        ROUND(f, g, h, a, b, c, d, e, t + 3);
        ROUND(e, f, g, h, a, b, c, d, t + 4);
        ROUND(d, e, f, g, h, a, b, c, t + 5);
        ROUND(c, d, e, f, g, h, a, b, t + 6);
        ROUND(b, c, d, e, f, g, h, a, t + 7);
    }
    const uint32_t more[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++)
        state[i] += more[i];
}

void am_sha256_begin(am_sha256 *sum) {
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    *sum = (am_sha256){.length = 0};
    memcpy(sum->state, first, sizeof first);
}

void am_sha256_add(am_sha256 *sum, const void *bytes, size_t count) {
    const unsigned char *from = bytes;
    while (count > 0) {
        size_t held = sum->length % 64, taken = 64 - held < count ? 64 - held : count;
        if (taken == 64) {
            mix(sum->state, from);
        } else {
            memcpy(sum->block + held, from, taken);
            if (held + taken == 64)
                mix(sum->state, sum->block);
        }
        sum->length += taken;
        from += taken;
        count -= taken;
    }
}

void am_sha256_end(am_sha256 *sum, char text[AM_SHA256_TEXT]) {
    static const unsigned char padding[64] = {0x80};
    static const char digits[] = "0123456789abcdef";
    uint64_t bits = sum->length * 8;
    size_t held = sum->length % 64;
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    am_sha256_add(sum, padding, held < 56 ? 56 - held : 120 - held);
    am_sha256_add(sum, length, sizeof length);
    for (int i = 0; i < 64; i++)
        text[i] = digits[sum->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    text[64] = '\0';
}
