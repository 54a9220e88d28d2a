/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: Philox 4x32-10 (Salmon et al., SC'11) and the distributions of TensorFlow 1.15,
 * stream for stream: the same seeds give the numbers that TensorFlow's CPU kernels give.
 *
 * A generator is a plain value: a 64-bit key and a 128-bit counter. A kernel keeps one under its
 * lock, takes a copy with math_philox_reserve and fills from the copy outside the lock. Element i
 * depends on the generator and i alone, so filling in parallel changes nothing. */
#ifndef LEAT_MATH_RNG_H
#define LEAT_MATH_RNG_H

#include "base/base.h"
#include "base/pool.h"

struct math_philox {
    uint32_t counter[4];
    uint32_t key[2];
};

/* Key from seed, upper half of the counter from seed2. TensorFlow's "both zero: seed from the
 * clock" is the caller's: math_random_seed gives such a seed. */
void math_philox_init(struct math_philox *g, uint64_t seed, uint64_t seed2);
void math_philox_skip(struct math_philox *g, uint64_t blocks);
/* The four words of the present block, then on to the next. */
void math_philox_next(struct math_philox *g, uint32_t out[4]);
/* A copy of *g as it is; *g moves past num * multiplier blocks of 128 bits. TensorFlow's random ops
 * reserve num outputs with multiplier 256. */
struct math_philox math_philox_reserve(struct math_philox *g, int64_t num, int64_t multiplier);
/* Two numbers of the present block, then on to the next: uniform in [0, 1), normal. */
void math_philox_uniforms(struct math_philox *g, double out[2]);
void math_philox_normals(struct math_philox *g, double out[2]);
uint64_t math_random_seed(void); /* from the system, never 0 */

/* One word after another of a generator. */
struct math_philox_stream {
    struct math_philox gen;
    uint32_t words[4];
    int used; /* words taken of the present block */
};
void math_philox_stream_init(struct math_philox_stream *s, const struct math_philox *g);
uint32_t math_philox_u32(struct math_philox_stream *s);
uint64_t math_philox_u64(struct math_philox_stream *s);  /* low word first */
float math_philox_float(struct math_philox_stream *s);   /* [0, 1), one word */
double math_philox_double(struct math_philox_stream *s); /* [0, 1), two words */
/* Uniform below n (n > 0): TensorFlow's SimplePhilox::Uniform and Uniform64. */
uint32_t math_philox_below(struct math_philox_stream *s, uint32_t n);
uint64_t math_philox_below64(struct math_philox_stream *s, uint64_t n);
/* Words to numbers in [0, 1), as TensorFlow forms them. */
float math_u32_to_float(uint32_t x);
double math_u64_to_double(uint32_t low, uint32_t high);

enum math_dist {
    MATH_DIST_UNIFORM,          /* [0, 1) */
    MATH_DIST_NORMAL,           /* Box-Muller */
    MATH_DIST_TRUNCATED_NORMAL, /* redrawn beyond two deviations */
};

/* Fills out[0..n) of type half, bfloat16, float or double. */
void math_random_fill(struct pool *pool, const struct math_philox *g, enum math_dist dist,
                      int dtype, void *out, int64_t n);

/* RandomUniformInt: int32 or int64 in [lo, hi); lo < hi. */
struct math_int_range {
    int64_t lo, hi;
};
void math_random_fill_int(struct pool *pool, const struct math_philox *g,
                          struct math_int_range range, int dtype, void *out, int64_t n);

/* StatelessRandom*: the generator of a two-number seed. */
void math_philox_init_stateless(struct math_philox *g, uint64_t seed0, uint64_t seed1);

#endif
