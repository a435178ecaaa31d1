/* conv_auto.c - kL0, kAL1 and kBL1 of a conv. */
#include "tiling/conv_auto.h"

#include "base/intmath.h"
#include "problem/conv.h"
#include "tiling/plan.h"

int64_t conv_auto_base_k(const struct problem *p, int64_t most)
{
    const int64_t c0 = dtype_c0(p->a.dtype), window = conv_window(p), blocks = max_i64(1, most / c0);
    if (p->K <= window) { /* one channel block: any step makes a whole chunk */
        return min_i64(blocks * c0, p->K);
    }
    for (int64_t n = blocks; 2 * n > blocks; n--) {
        if (window % (n * c0) == 0 || n * c0 % window == 0) {
            return n * c0;
        }
    }
    for (int64_t n = blocks + 1; n <= 2 * blocks; n++) { /* 5 x 5, 7 x 7: a filter row */
        if (window % (n * c0) == 0) {
            return n * c0;
        }
    }
    return blocks * c0;
}

/* Steps whose chunk is whole channel blocks. */
static int64_t unit_of(const struct problem *p, const struct tiling *t)
{
    return conv_window(p) / gcd_i64(conv_window(p), t->baseK);
}

static int64_t chunk_bytes(const struct problem *p, const struct tiling *t, enum role role, int64_t step)
{
    struct tiling x = *t;
    struct plan_image image;
    x.fullLoad = FULL_LOAD_NONE;
    x.stepM = x.stepN = 1;
    (role == ROLE_A) ? (x.stepKa = (int32_t)step) : (x.stepKb = (int32_t)step);
    plan_image(p, &x, role, &image);
    return image.l1_bytes;
}

bool conv_map_heavy(const struct target *target, const struct problem *p, const struct tiling *t)
{
    return p->op == PROBLEM_CONV && 4 * chunk_bytes(p, t, ROLE_A, unit_of(p, t)) > target->physical[BUF_L1];
}

int64_t conv_auto_step_a(const struct target *target, const struct problem *p, const struct tiling *t, int64_t nk)
{
    const int64_t unit = unit_of(p, t), one = chunk_bytes(p, t, ROLE_A, unit);
    const int64_t chunks = target->physical[BUF_L1] / 4 / one;
    const int64_t step = unit * max_i64(1, chunks);
    return min_i64(step, nk);
}

int64_t conv_auto_step_b(const struct target *target, const struct problem *p, const struct tiling *t, int64_t step_a)
{
    const int64_t map = chunk_bytes(p, t, ROLE_A, step_a) * (conv_map_heavy(target, p, t) ? 1 : 2);
    const int64_t left = target->physical[BUF_L1] - map, block = chunk_bytes(p, t, ROLE_B, 1);
    return max_i64(1, left / 2 / block);
}
