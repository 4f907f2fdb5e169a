/* BLAKE2b of RFC 7693 without a key, as a number of eight bytes: `urls.digests.digest`. */

#ifndef FORAGERS_BLAKE2_H
#define FORAGERS_BLAKE2_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BLAKE2_BLOCK 128

static inline uint64_t
blake2_turned(uint64_t word, int bits)
{
    return word >> bits | word << (64 - bits);
}

static inline uint64_t
blake2_word(const unsigned char *at)
{
    uint64_t word = 0;
    for (int i = 7; i >= 0; i--)
        word = word << 8 | at[i];
    return word;
}

static const uint64_t blake2_start[8] = {
    0x6A09E667F3BCC908u, 0xBB67AE8584CAA73Bu, 0x3C6EF372FE94F82Bu, 0xA54FF53A5F1D36F1u,
    0x510E527FADE682D1u, 0x9B05688C2B3E6C1Fu, 0x1F83D9ABFB41BD6Bu, 0x5BE0CD19137E2179u,
};

static const unsigned char blake2_order[12][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
};

#define BLAKE2_MIX(a, b, c, d, x, y)               \
    do {                                           \
        v[a] += v[b] + (x);                        \
        v[d] = blake2_turned(v[d] ^ v[a], 32);     \
        v[c] += v[d];                              \
        v[b] = blake2_turned(v[b] ^ v[c], 24);     \
        v[a] += v[b] + (y);                        \
        v[d] = blake2_turned(v[d] ^ v[a], 16);     \
        v[c] += v[d];                              \
        v[b] = blake2_turned(v[b] ^ v[c], 63);     \
    } while (0)

static inline void
blake2_block(uint64_t state[8], const unsigned char *block, uint64_t counted, int is_last)
{
    uint64_t v[16], m[16];
    for (int i = 0; i < 16; i++)
        m[i] = blake2_word(block + 8 * i);
    for (int i = 0; i < 8; i++) {
        v[i] = state[i];
        v[8 + i] = blake2_start[i];
    }
    v[12] ^= counted;
    if (is_last)
        v[14] = ~v[14];
    for (int round = 0; round < 12; round++) {
        const unsigned char *s = blake2_order[round];
        BLAKE2_MIX(0, 4, 8, 12, m[s[0]], m[s[1]]);
        BLAKE2_MIX(1, 5, 9, 13, m[s[2]], m[s[3]]);
        BLAKE2_MIX(2, 6, 10, 14, m[s[4]], m[s[5]]);
        BLAKE2_MIX(3, 7, 11, 15, m[s[6]], m[s[7]]);
        BLAKE2_MIX(0, 5, 10, 15, m[s[8]], m[s[9]]);
        BLAKE2_MIX(1, 6, 11, 12, m[s[10]], m[s[11]]);
        BLAKE2_MIX(2, 7, 8, 13, m[s[12]], m[s[13]]);
        BLAKE2_MIX(3, 4, 9, 14, m[s[14]], m[s[15]]);
    }
    for (int i = 0; i < 8; i++)
        state[i] ^= v[i] ^ v[8 + i];
}

static inline uint64_t
blake2_digest(const char *text, size_t size)
{
    const unsigned char *at = (const unsigned char *)text;
    unsigned char last[BLAKE2_BLOCK] = {0};
    uint64_t state[8], counted = 0;
    memcpy(state, blake2_start, sizeof state);
    state[0] ^= 0x01010000u ^ 8u;
    while (size - counted > BLAKE2_BLOCK) {
        counted += BLAKE2_BLOCK;
        blake2_block(state, at + counted - BLAKE2_BLOCK, counted, 0);
    }
    if (size)
        memcpy(last, at + counted, size - counted);
    blake2_block(state, last, size, 1);
    return state[0];
}

#endif
