/* plot_words.c - names and numbers as pictures write them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/plot_kinds.h"

void plot_subject(const struct cell *cell, struct strbuf *out)
{
    const struct problem *p = &cell->problem;
    if (p->M == p->N && p->N == p->K) {
        strbuf_addf(out, "%" PRId64 "³", p->M);
    } else {
        strbuf_addf(out, "%" PRId64 "×%" PRId64 "×%" PRId64, p->M, p->N, p->K);
    }
    strbuf_addf(out, " %s%s, %s", p->a.mx ? "mx_" : "", dtype_info(p->a.dtype)->name, cell->target->name);
    if (strcmp(cell->variant, "base") != 0) {
        strbuf_addf(out, ", %s", cell->variant);
    }
}

void plot_block(const struct tiling *t, struct strbuf *out)
{
    strbuf_addf(out, "%" PRId32 "×%" PRId32 "×%" PRId32, t->baseM, t->baseN, t->baseK);
}

void plot_number(double v, struct strbuf *out)
{
    const double a = fabs(v);
    const int digits = a >= 100 || a < 1e-9 ? 0 : a >= 10 ? 1 : a >= 1 ? 2 : 3;
    strbuf_addf(out, "%.*f", digits, v);
}

void plot_thousands(int64_t v, struct strbuf *out)
{
    char digits[32];
    const int n = snprintf(digits, sizeof(digits), "%" PRId64, v);
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0 && digits[i - 1] != '-') {
            strbuf_add(out, ",");
        }
        strbuf_add_n(out, &digits[i], 1);
    }
}
