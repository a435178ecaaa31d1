/* rng.h - reproducible random numbers: splitmix64.
 *
 * Counter based: the i-th number of a seed is a pure function rng_at(seed, i),
 * so any part of a stream can be made on any thread. Not for secrets. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t seed, counter;
};

/* The splitmix64 finaliser: a bijection of 64-bit words that mixes well. */
static inline uint64_t rng_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

/* Number `i` (from 0) of the stream of `seed`. */
static inline uint64_t rng_at(uint64_t seed, uint64_t i)
{
    return rng_mix(seed + (i + 1) * 0x9E3779B97F4A7C15ULL);
}

static inline struct rng rng_init(uint64_t seed)
{
    return (struct rng){.seed = seed, .counter = 0};
}

static inline uint64_t rng_next(struct rng *r)
{
    return rng_at(r->seed, r->counter++);
}

/* Uniform in [0, n), without bias; n > 0. */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
    const uint64_t reject = (0 - n) % n; /* 2^64 mod n */
    uint64_t x = rng_next(r);
    while (x < reject) {
        x = rng_next(r);
    }
    return x % n;
}

/* Uniform in [lo, hi], both included; lo <= hi. */
static inline int64_t rng_between(struct rng *r, int64_t lo, int64_t hi)
{
    const uint64_t span = (uint64_t)hi - (uint64_t)lo;
    if (span == UINT64_MAX) {
        return (int64_t)rng_next(r);
    }
    return (int64_t)((uint64_t)lo + rng_below(r, span + 1));
}

/* Uniform in [0, 1), 53 bits. */
static inline double rng_unit(struct rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1.0p-53;
}

#endif
