/* shape_columns.h - inside the experiment room: what the columns of people's
 * shape lists mean. */
#ifndef EXPERIMENT_SHAPE_COLUMNS_H
#define EXPERIMENT_SHAPE_COLUMNS_H

#include "base/strbuf.h"
#include "problem/problem.h"
#include "text/csv.h"

/* One row in our words; 0 or NULL: the file does not say. */
struct shape_row {
    int64_t m, n, k, batch, groups;
    int64_t split_dim; /* of [K, N] under tensor parallelism */
    int64_t count;     /* times the layer occurs */
    bool a_t, b_t, bias;
    const char *dtype, *out_dtype;
    struct { /* conv */
        int64_t n, c, h, w, cout, kh, kw, groups, stride_h, stride_w, dilation_h, dilation_w, pad_h, pad_w;
        int64_t out_h, out_w; /* instead of h, w */
    } conv;
    bool wrong;                   /* a field was unreadable */
    struct location at, wrong_at; /* of the field being read; of the first unreadable one */
    const char *failed;           /* first reason */
    struct strbuf label;          /* all words of the row */
    struct strbuf network;        /* of these, what names a list of layers inside the file */
    struct strbuf layer;          /* and the rest */
};

enum column_kind {
    COLUMN_INT,     /* 1.. */
    COLUMN_INT0,    /* 0.. */
    COLUMN_FLAG,    /* true, false, 1, 0 in any case */
    COLUMN_TEXT,    /* a dtype */
    COLUMN_LABEL,   /* joins the name; what stands before a slash is a network */
    COLUMN_NETWORK, /* joins the name; rows of another value are another network */
    COLUMN_REFUSE,  /* a flag that must be false */
    COLUMN_UNUSED,
};

struct shape_column {
    const char *name;
    enum column_kind kind;
    size_t offset;   /* in struct shape_row */
    const char *doc; /* for COLUMN_REFUSE: why */
};

struct shape_convention {
    const char *name;
    const char *signature; /* only this one has it */
    enum problem_op op;
    const struct shape_column *columns; /* ends with a NULL name */
};

/* The convention a file's header follows, NULL if none. */
const struct shape_convention *shape_convention(const struct csv_table *t);
/* Number i of the conventions known, NULL beyond the last. */
const struct shape_convention *shape_convention_at(size_t i);
/* By name, case ignored; NULL if there is none. */
const struct shape_column *shape_column(const struct shape_column *columns, const char *name);

#endif
