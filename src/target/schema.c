/* schema.c - the table of target keys.
 *
 * Order is the order of facts and of `tilescope targets NAME`: what the chip
 * is, its cube, its buffers, then the time model in the order of its table
 * (timing_model.md, section 9). */
#include "target/schema.h"

#include <string.h>

#include "target/target.h"

#define ROW(key, kind, range, required, count, unit, member)                                 \
    {                                                                                        \
        (key), (kind), (range), (required), (count), (unit), offsetof(struct target, member) \
    }
#define NEED(key, kind, range, unit, member) ROW(key, kind, range, true, 1, unit, member)
#define MAY(key, kind, range, unit, member)  ROW(key, kind, range, false, 1, unit, member)
#define RATE(name, dtype)                    MAY("cube.rate." name, TARGET_REAL, RANGE_ZERO_UP, "MAC/cycle", rate[dtype])
#define SIZE(name, buf)                      NEED("buffers." name, TARGET_INT64, RANGE_ZERO_UP, "B", physical[buf])
#define ALIGN_DST(name, buf)                 NEED("align_dst." name, TARGET_INT64, RANGE_POSITIVE, "B", align_dst[buf])
#define ALIGN_SRC(name, buf)                 NEED("align_src." name, TARGET_INT64, RANGE_POSITIVE, "B", align_src[buf])
#define TIME(name, range, unit)              NEED("timing." #name, TARGET_REAL, range, unit, timing.name)
#define TIMES(name, range, count, unit)      ROW("timing." #name, TARGET_REAL, range, true, count, unit, timing.name)

static const struct target_key schema[] = {
    NEED("chip.product", TARGET_PRODUCT, RANGE_FREE, "name", product),
    NEED("chip.arch", TARGET_INT32, RANGE_POSITIVE, "number", arch),
    NEED("chip.validation", TARGET_TEXT, RANGE_FREE, "text", validation),
    NEED("chip.validated_error", TARGET_REAL, RANGE_POSITIVE, "percent", validated_error),
    MAY("chip.error_matmul_short", TARGET_REAL, RANGE_ZERO_UP, "percent", error_short[0]),
    MAY("chip.error_matmul_long", TARGET_REAL, RANGE_ZERO_UP, "percent", error_long[0]),
    MAY("chip.error_conv_short", TARGET_REAL, RANGE_ZERO_UP, "percent", error_short[1]),
    MAY("chip.error_conv_long", TARGET_REAL, RANGE_ZERO_UP, "percent", error_long[1]),
    NEED("chip.cores", TARGET_INT32, RANGE_POSITIVE, "count", cores),
    NEED("chip.clock", TARGET_REAL, RANGE_POSITIVE, "GHz", ghz),
    NEED("chip.l2", TARGET_REAL, RANGE_POSITIVE, "B", l2_bytes),
    MAY("chip.memory", TARGET_REAL, RANGE_ZERO_UP, "GiB", memory_gib),
    NEED("chip.event_ids", TARGET_INT32, RANGE_POSITIVE, "count", event_ids),
    NEED("chip.mte1_queue", TARGET_INT32, RANGE_POSITIVE, "count", mte1_queue),
    NEED("chip.m_queue", TARGET_INT32, RANGE_POSITIVE, "count", m_queue),
    NEED("chip.fb_columns", TARGET_INT32, RANGE_ZERO_UP, "count", fb_columns),
    NEED("chip.l0c_to_gm", TARGET_BOOL, RANGE_FREE, "flag", l0c_to_gm),
    NEED("chip.l0a_nz", TARGET_BOOL, RANGE_FREE, "flag", l0a_nz),

    NEED("cube.n", TARGET_INT32, RANGE_POSITIVE, "count", cube_n),
    RATE("int4", DTYPE_INT4),
    RATE("fp4_e2m1", DTYPE_FP4_E2M1),
    RATE("fp4_e1m2", DTYPE_FP4_E1M2),
    RATE("int8", DTYPE_INT8),
    RATE("uint8", DTYPE_UINT8),
    RATE("fp8_e4m3", DTYPE_FP8_E4M3),
    RATE("fp8_e5m2", DTYPE_FP8_E5M2),
    RATE("hif8", DTYPE_HIF8),
    RATE("half", DTYPE_HALF),
    RATE("bf16", DTYPE_BF16),
    RATE("float", DTYPE_FLOAT),
    MAY("cube.rate_hf32", TARGET_REAL, RANGE_ZERO_UP, "MAC/cycle", rate_hf32),

    SIZE("L1", BUF_L1),
    SIZE("L0A", BUF_L0A),
    SIZE("L0B", BUF_L0B),
    SIZE("L0A_MX", BUF_L0A_MX),
    SIZE("L0B_MX", BUF_L0B_MX),
    SIZE("L0C", BUF_L0C),
    SIZE("BT", BUF_BT),
    SIZE("FB", BUF_FB),
    SIZE("UB", BUF_UB),
    NEED("reserve_mix.L1", TARGET_INT64, RANGE_ZERO_UP, "B", reserve_mix[BUF_L1]),
    NEED("reserve_mix.UB", TARGET_INT64, RANGE_ZERO_UP, "B", reserve_mix[BUF_UB]),

    ALIGN_DST("GM", BUF_GM),
    ALIGN_DST("L1", BUF_L1),
    ALIGN_DST("L0A", BUF_L0A),
    ALIGN_DST("L0B", BUF_L0B),
    ALIGN_DST("L0A_MX", BUF_L0A_MX),
    ALIGN_DST("L0B_MX", BUF_L0B_MX),
    ALIGN_DST("L0C", BUF_L0C),
    ALIGN_DST("BT", BUF_BT),
    ALIGN_DST("FB", BUF_FB),
    ALIGN_DST("UB", BUF_UB),
    ALIGN_SRC("GM", BUF_GM),
    ALIGN_SRC("L1", BUF_L1),
    ALIGN_SRC("L0A", BUF_L0A),
    ALIGN_SRC("L0B", BUF_L0B),
    ALIGN_SRC("L0A_MX", BUF_L0A_MX),
    ALIGN_SRC("L0B_MX", BUF_L0B_MX),
    ALIGN_SRC("L0C", BUF_L0C),
    ALIGN_SRC("BT", BUF_BT),
    ALIGN_SRC("FB", BUF_FB),
    ALIGN_SRC("UB", BUF_UB),

    TIME(mmad_latency, RANGE_ZERO_UP, "cycles"),
    TIME(mmad_issue, RANGE_ZERO_UP, "cycles"),
    TIME(mmad_barrier, RANGE_ZERO_UP, "flag"),
    TIME(load_issue, RANGE_ZERO_UP, "cycles"),
    TIMES(load_calls_ref, RANGE_POSITIVE, 2, "count"),
    TIME(load_call, RANGE_ZERO_UP, "cycles"),
    TIME(load_min, RANGE_ZERO_UP, "cycles"),
    TIME(l0a_width, RANGE_POSITIVE, "B/cycle"),
    TIME(l0b_width, RANGE_POSITIVE, "B/cycle"),
    TIME(mx_width, RANGE_ZERO_UP, "B/cycle"),
    TIME(l1_contention, RANGE_POSITIVE, "B/cycle"),
    TIME(copy_issue, RANGE_ZERO_UP, "cycles"),
    TIME(copy_latency, RANGE_ZERO_UP, "cycles"),
    TIME(copy_loaded, RANGE_ZERO_UP, "cycles"),
    TIME(row_min, RANGE_ZERO_UP, "cycles"),
    TIME(row_base, RANGE_ZERO_UP, "cycles"),
    TIME(row_width, RANGE_POSITIVE, "B/cycle"),
    TIME(pitch_conflict, RANGE_POSITIVE, "ratio"),
    TIME(pitch_conflict_modulus, RANGE_POSITIVE, "B"),
    TIME(unaligned, RANGE_ZERO_UP, "cycles/32B"),
    TIME(unaligned_row_min, RANGE_ZERO_UP, "B"),
    TIMES(align_bytes, RANGE_POSITIVE, 4, "B"),
    TIMES(align_weight, RANGE_ZERO_UP, 4, "ratio"),
    TIME(align_weight_else, RANGE_ZERO_UP, "ratio"),
    TIME(plain_width, RANGE_POSITIVE, "B/cycle"),
    TIME(l2_rate, RANGE_POSITIVE, "B/cycle"),
    TIME(l2_shared, RANGE_SHARE, "ratio"),
    TIME(l2_hit_low, RANGE_ZERO_UP, "ratio"),
    TIME(l2_hit_high, RANGE_POSITIVE, "ratio"),
    TIME(hbm_nd, RANGE_POSITIVE, "TB/s"),
    TIME(hbm, RANGE_POSITIVE, "TB/s"),
    TIME(hbm_short_row, RANGE_POSITIVE, "ratio"),
    TIME(hbm_short_row_bytes, RANGE_ZERO_UP, "B"),
    TIME(hbm_core_share, RANGE_SHARE, "ratio"),
    TIME(overlap, RANGE_SHARE, "ratio"),
    TIME(overlap_plain, RANGE_SHARE, "ratio"),
    TIME(write_back, RANGE_ZERO_UP, "ratio"),
    TIME(context_rounding, RANGE_SHARE, "ratio"),
    TIME(bt_width, RANGE_POSITIVE, "B/cycle"),
    TIME(bt_latency, RANGE_ZERO_UP, "cycles"),
    TIME(fb_width, RANGE_POSITIVE, "B/cycle"),
    TIME(fb_latency, RANGE_ZERO_UP, "cycles"),
    TIME(fixpipe_issue, RANGE_ZERO_UP, "cycles"),
    TIME(fixpipe_width, RANGE_POSITIVE, "B/cycle"),
    TIME(fixpipe_unaligned, RANGE_ZERO_UP, "cycles/row"),
    TIME(sync, RANGE_ZERO_UP, "cycles"),
    TIME(conv_look_ahead, RANGE_ZERO_UP, "steps"),
    TIME(tile_barrier, RANGE_ZERO_UP, "cycles"),
    TIME(queue_depth, RANGE_ZERO_UP, "count"),
    TIME(head_us, RANGE_ZERO_UP, "us"),
    TIME(head_cores_us, RANGE_ZERO_UP, "us"),
    TIME(init_us, RANGE_ZERO_UP, "us"),
    TIME(init_api_us, RANGE_ZERO_UP, "us"),
    TIME(mix_us, RANGE_ZERO_UP, "us"),
};

#define SCHEMA_COUNT (sizeof schema / sizeof schema[0])

size_t target_schema_count(void)
{
    return SCHEMA_COUNT;
}

const struct target_key *target_schema_at(size_t i)
{
    return &schema[i];
}

size_t target_schema_find(const char *key)
{
    for (size_t i = 0; i < SCHEMA_COUNT; i++) {
        if (strcmp(schema[i].key, key) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}
