/* cost.h - what one instruction costs on a target: the formulas.
 *
 * All numbers come from struct target; all results are mcyc (thousandths of a
 * cycle) rounded once per finished duration, or cycles (double) where a
 * caller still has to add to them. Both timers use these functions, so they can
 * only differ in the order things happen, never in what a thing costs.
 *
 * Occupancy: the pipe is busy, the next instruction may start after it.
 * Completion: the result is there, flags set behind it fire. */
#ifndef TIMING_COST_H
#define TIMING_COST_H

#include <math.h>

#include "schedule/schedule.h"

/* T(): cycles -> mcyc, half to even. */
static inline int64_t cost_mcyc(double cycles)
{
    return llrint(1000.0 * cycles);
}

static inline double cost_max(double a, double b)
{
    return a > b ? a : b;
}

static inline double cost_min(double a, double b)
{
    return a < b ? a : b;
}

/* The longest look-ahead of a conv, steps; a longer one is taken as this. */
#define COST_AHEAD_MAX 16

/* Times stay below this, so sums of two never overflow. */
#define COST_TIME_MAX (INT64_C(1) << 61)

/* Roles that are copied from GM to L1. */
#define COST_MOVED (ROLE_QUANT + 1)

/* GM side of one operand's copies. */
struct cost_copy {
    bool exists;
    bool nd;               /* ND source: rows through ND2NZ; else plain bursts */
    bool k_contiguous;     /* a row lies along K */
    int32_t k_points;      /* K elements of one element in memory: filter points of a conv's feature map, else 1 */
    bool conflict;         /* row pitch hits the pitch-conflict rule */
    int64_t align;         /* bytes, a power of 2: every row starts at a multiple of it (A and B) */
    double unaligned;      /* cycles per byte of an unaligned row; 0: rule off */
    double unaligned_from; /* the rule holds for rows of at least so many bytes */
};

/* Everything about (schedule, target) that the formulas need, derived once. */
struct cost {
    const struct target_timing *p;
    int32_t look_ahead; /* conv: steps by which a move may be ahead of the loads; 0: any */
    int64_t sync, mmad_issue, mmad_latency, fixpipe_issue, copy_latency, tile_barrier;
    int64_t launch, init; /* of the run, of a core */
    int64_t split;        /* around a kernel with a split K */
    bool mmad_barrier;
    bool hf32;                         /* the rate is that of HF32 */
    double rate;                       /* MAC per cycle of the left dtype */
    double macs_per_fractal;           /* 16 x 16 x k0 */
    double c_bytes;                    /* bytes of an element of C in GM */
    bool c_unaligned;                  /* rows of C are not 32 B aligned */
    struct cost_copy copy[COST_MOVED]; /* by role: A, B, their scales, bias and quant rows */
    double hbm_nd, hbm;                /* B/cycle, chip */
    bool all_nd;                       /* A and B are both ND */
    double write_back_unit;            /* cycles per written byte that misses: kw / hbm */
};

/* The derived numbers of a schedule. */
void cost_init(struct cost *c, const struct schedule *s);

/* Bits of an element that leaves L0C: C's, or a partial sum's in the workspace. */
int32_t cost_store_bits(const struct schedule *s);

/* Prototype: map points under a block of baseM output points per output point and filter point, mean over a conv. */
double cost_mean_map(const struct schedule *s);

/* Bytes a tile reads from GM of an operand, `extent` rows of A (columns of B)
 * from `from` on by `k`: of a conv's feature map, the rows under those points;
 * of an MX operand, its scales too. */
double cost_read_bytes(const struct schedule *s, enum role role, int32_t from, int32_t extent, int32_t k);

/* MX: the scales of a panel miss L2 with it (the prototype counts none). */
bool cost_panels_have_scales(const struct schedule *s);
/* Bytes of the scales of A and B in one batch, if so. */
double cost_scale_tensor_bytes(const struct schedule *s);

/* Mmad: W of fm x fn x fk fractal products; occupancy W + mmad_issue,
 * completion W + mmad_latency. */
int64_t cost_mmad(const struct cost *c, int64_t fractals);

/* Load of one operand to L0 in `calls` instructions of `bytes` each: its
 * duration after `j` of them (0: 0). Each instruction's occupancy is the
 * difference to the one before, so the whole load is exactly cost_load(calls).
 * The first call brings all MX scales, `scale_bytes` (0: none). */
int64_t cost_load(const struct cost *c, enum role role, int32_t j, double bytes, double scale_bytes, bool filling);

/* A Fill of L1 with zeros: its issue; its bytes are few. */
int64_t cost_fill(const struct cost *c);

/* A bias row L1->BT (else a quant row L1->FB) of `bytes`: the bytes, then the latency. */
void cost_row(const struct cost *c, bool bias, int64_t bytes, int64_t *occupied, int64_t *complete);

/* Fixpipe of m x n to GM: occupancy = completion. */
int64_t cost_fixpipe(const struct cost *c, int32_t m, int32_t n);

/* Cycles `rows` rows from L2 to L1 take a core alone, without the issue of the
 * instruction. */
double cost_rows(const struct cost *c, enum role role, int32_t rows, int32_t row_bytes);

/* A row of A or B of so many bytes costs more for where it starts, or would if it were not below unaligned_from. */
bool cost_unaligned_costs(const struct cost *c, enum role role, int32_t row_bytes);

/* The same with `active` cores reading at once: L2 gives each its part of its
 * rate, less when several of them read the same bytes (`shared`). */
static inline double cost_rows_together(const struct cost *c, double alone, double bytes, bool shared, int32_t active)
{
    const double rate = c->p->l2_rate * (shared ? c->p->l2_shared : 1.0) / active;
    const double limited = bytes / rate;
    return limited > alone ? limited : alone;
}

/* HBM bandwidth in B/cycle with `active` cores; `short_row`: the shorter row
 * of a full chunk of A and B, bytes. */
double cost_hbm(const struct cost *c, int32_t active, int32_t short_row);

/* Bytes an L1->BT or L1->FB instruction moves; its blocks are of a unit of their own. */
int64_t cost_row_bytes(const struct target *target, const struct insn *insn);

/* Bytes an L1->L0 instruction moves, of data and of scales. */
int64_t cost_load_bytes(const struct insn *insn);
int64_t cost_scale_bytes(const struct insn *insn);

#endif
