/* input_random.h - runs of random floats (input.h says which). Internal to problem/. */
#ifndef PROBLEM_INPUT_RANDOM_H
#define PROBLEM_INPUT_RANDOM_H

#include "problem/gm_kernel.h"

struct input_stream {
    uint64_t stream;     /* of random words */
    int64_t first, step; /* elements first, first + step, .. */
    bool normal;         /* else uniform */
    double base, span;   /* mean and std; low and high - low */
};

/* `isa` <= gm_isa_best(); all give the same bits. */
void input_random_run(enum gm_isa isa, const struct input_stream *s, int64_t n, float *out);

#endif
