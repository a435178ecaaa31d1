/* shape_columns.c - people's lists name the same things differently: one table
 * of column names for each convention, told apart by a column only it has. */
#include "experiment/shape_columns.h"

#include <stddef.h>
#include <strings.h>

#define AT(member) offsetof(struct shape_row, member)
#define INTO(name_, member)                                     \
    {                                                           \
        .name = name_, .kind = COLUMN_INT, .offset = AT(member) \
    }
#define INTO0(name_, member)                                     \
    {                                                            \
        .name = name_, .kind = COLUMN_INT0, .offset = AT(member) \
    }
#define LABEL(name_)                        \
    {                                       \
        .name = name_, .kind = COLUMN_LABEL \
    }
#define NETWORK(name_)                        \
    {                                         \
        .name = name_, .kind = COLUMN_NETWORK \
    }
#define UNUSED(name_)                        \
    {                                        \
        .name = name_, .kind = COLUMN_UNUSED \
    }

static const struct shape_column MATMUL_COLUMNS[] = {
    INTO("M", m),
    INTO("N", n),
    INTO("K", k),
    INTO("batch", batch),
    INTO("groups", groups),
    INTO("count", count),
    INTO0("tp_split_dim", split_dim),
    {.name = "a_t", .kind = COLUMN_FLAG, .offset = AT(a_t)},
    {.name = "b_t", .kind = COLUMN_FLAG, .offset = AT(b_t)},
    {.name = "bias", .kind = COLUMN_FLAG, .offset = AT(bias)},
    {.name = "dtype", .kind = COLUMN_TEXT, .offset = AT(dtype)},
    {.name = "outdtype", .kind = COLUMN_TEXT, .offset = AT(out_dtype)},
    {.name = "scaleAB", .kind = COLUMN_REFUSE, .doc = "scales of whole rows and columns are not modelled"},
    {.name = "bpreshuffle", .kind = COLUMN_REFUSE, .doc = "a preshuffled B is another vendor's layout"},
    NETWORK("model"),
    LABEL("kind"),
    LABEL("op"),
    LABEL("name"),
    NETWORK("set"),
    {.name = NULL},
};

/* Our own words. */
static const struct shape_column CONV_COLUMNS[] = {
    INTO("N", conv.n),
    INTO("C", conv.c),
    INTO("Cin", conv.c),
    INTO("H", conv.h),
    INTO("W", conv.w),
    INTO("Cout", conv.cout),
    INTO("kh", conv.kh),
    INTO("kw", conv.kw),
    INTO("groups", conv.groups),
    INTO("stride_h", conv.stride_h),
    INTO("stride_w", conv.stride_w),
    INTO("dilation_h", conv.dilation_h),
    INTO("dilation_w", conv.dilation_w),
    INTO0("pad_h", conv.pad_h),
    INTO0("pad_w", conv.pad_w),
    INTO("count", count),
    LABEL("name"),
    LABEL("layer"),
    {.name = NULL},
};

static const struct shape_column DEEPBENCH_CONV_COLUMNS[] = {
    INTO("W", conv.w),
    INTO("H", conv.h),
    INTO("C", conv.c),
    INTO("N", conv.n),
    INTO("K", conv.cout),
    INTO("S_filter_w", conv.kw),
    INTO("R_filter_h", conv.kh),
    INTO0("pad_w", conv.pad_w),
    INTO0("pad_h", conv.pad_h),
    INTO("stride_w", conv.stride_w),
    INTO("stride_h", conv.stride_h),
    NETWORK("set"),
    {.name = NULL},
};

/* Timeloop's letters: P, R run along the width, Q, S along the height; the
 * input extent follows from the output, without padding. */
static const struct shape_column TIMELOOP_COLUMNS[] = {
    INTO("C", conv.c),
    INTO("K", conv.cout),
    INTO("N", conv.n),
    INTO("P", conv.out_w),
    INTO("Q", conv.out_h),
    INTO("R", conv.kw),
    INTO("S", conv.kh),
    INTO("Wstride", conv.stride_w),
    INTO("Hstride", conv.stride_h),
    INTO("Wdilation", conv.dilation_w),
    INTO("Hdilation", conv.dilation_h),
    LABEL("layer"),
    {.name = NULL},
};

/* SCALE-Sim topologies know no padding; one stride for both axes. The columns
 * Eh, Ew, e2 are its own output sizes. */
static const struct shape_column SCALESIM_COLUMNS[] = {
    LABEL("Layer name"),
    INTO("IFMAP Height", conv.h),
    INTO("IFMAP Width", conv.w),
    INTO("Filter Height", conv.kh),
    INTO("Filter Width", conv.kw),
    INTO("Channels", conv.c),
    INTO("Num Filter", conv.cout),
    INTO("Strides", conv.stride_h),
    UNUSED("Eh"),
    UNUSED("Ew"),
    UNUSED("e2"),
    {.name = NULL},
};

static const struct shape_convention CONVENTIONS[] = {
    {"SCALE-Sim topology", "IFMAP Height", PROBLEM_CONV, SCALESIM_COLUMNS},
    {"DeepBench conv", "S_filter_w", PROBLEM_CONV, DEEPBENCH_CONV_COLUMNS},
    {"Timeloop layers", "Hdilation", PROBLEM_CONV, TIMELOOP_COLUMNS},
    {"conv", "Cout", PROBLEM_CONV, CONV_COLUMNS},
    {"matmul", "N", PROBLEM_MATMUL, MATMUL_COLUMNS},
};

const struct shape_convention *shape_convention(const struct csv_table *t)
{
    for (size_t i = 0; i < sizeof CONVENTIONS / sizeof CONVENTIONS[0]; i++) {
        if (csv_column(t, CONVENTIONS[i].signature) >= 0) {
            return &CONVENTIONS[i];
        }
    }
    return NULL;
}

const struct shape_convention *shape_convention_at(size_t i)
{
    return i < sizeof CONVENTIONS / sizeof CONVENTIONS[0] ? &CONVENTIONS[i] : NULL;
}

const struct shape_column *shape_column(const struct shape_column *columns, const char *name)
{
    for (; columns->name != NULL; columns++) {
        if (strcasecmp(columns->name, name) == 0) {
            return columns;
        }
    }
    return NULL;
}
