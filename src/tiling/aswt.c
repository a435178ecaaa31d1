#include "tiling/aswt.h"

#include "base/intmath.h"

struct aswt_tail aswt_split(const struct problem *p, const struct tiling *t)
{
    const int64_t tiles_m = ceil_div(p->M, t->baseM), tiles_n = ceil_div(p->N, t->baseN), cores = t->usedCoreNum;
    const int64_t tail = tiles_m * tiles_n % cores;
    struct aswt_tail x = {.full = tiles_m * tiles_n, .parts_m = 1, .parts_n = 1};
    if (t->order != ORDER_ASWT || t->splitK > 1 || p->batch > 1 || p->groups > 1 || tail == 0 || cores / tail <= 1) {
        return x;
    }
    /* As many pieces as there are cores for a tile, of the shape of the last tile. */
    const int64_t r = cores / tail;
    const int64_t last_m = p->M - (tiles_m - 1) * t->baseM, last_n = p->N - (tiles_n - 1) * t->baseN;
    int64_t a = min_i64(last_m, r), b = min_i64(last_n, r);
    while (a * b > r) {
        if (a >= b) {
            a--;
        } else {
            b--;
        }
    }
    x.full -= tail;
    x.tail = tail;
    x.parts_m = ceil_div(last_m, ceil_div(last_m, a));
    x.parts_n = ceil_div(last_n, ceil_div(last_n, b));
    return x;
}
