/* race_unit.c - L0C handed over by unit flag, granule by granule of 512 B.
 *
 * A Mmad with unit flag waits until the granule is free, fills it, and with
 * unitFlag 3 hands it to Fixpipe, which waits for that and frees it. What never
 * comes, in program order, is waited for forever. */
#include "base/intmath.h"
#include "schedule/race_internal.h"

enum { GRANULE = 512 };

enum unit_state { UNIT_FREE = 0, UNIT_FILLING, UNIT_HANDED };

static void report(struct race *r, const struct insn *insn, int64_t granule)
{
    struct race_violation *v = race_add(r, RACE_UNIT_FLAG, insn);
    if (v != NULL) {
        v->buf = BUF_L0C;
        v->lo = granule * GRANULE;
        v->hi = v->lo + GRANULE;
    }
}

/* Granules of the bytes [lo, hi): must be in `before` (if they must be anything), become `after`. */
static bool pass(struct race *r, int64_t lo, int64_t hi, int forbidden, int required, uint8_t after, int64_t *wrong)
{
    bool ok = true;
    const int64_t end = min_i64(ceil_div(max_i64(hi, 0), GRANULE), r->granules);
    for (int64_t g = max_i64(lo, 0) / GRANULE; g < end; g++) {
        if (ok && (r->unit[g] == forbidden || (required >= 0 && r->unit[g] != required))) {
            ok = false;
            *wrong = g;
        }
        r->unit[g] = after;
    }
    return ok;
}

/* Granules that hold rows below m: one range a column of fractals. */
static void mmad(struct race *r, const struct insn *insn)
{
    const struct mmad_params *p = &insn->p.mmad;
    const int64_t column = align_up(p->m, 16) * 64;
    bool ok = p->unitFlag == 2 || p->unitFlag == 3;
    int64_t wrong = insn->dst.byte / GRANULE;
    for (int64_t j = 0; j < ceil_div(p->n, 16); j++) {
        const int64_t lo = insn->dst.byte + j * column;
        int64_t at = 0;
        const bool free = pass(r, lo, lo + p->m * 64, UNIT_HANDED, -1, p->unitFlag == 3 ? UNIT_HANDED : UNIT_FILLING,
                               &at);
        wrong = ok && !free ? at : wrong;
        ok = ok && free;
    }
    r->unit_last = *insn;
    if (!ok) {
        report(r, insn, wrong);
    }
}

static void fixpipe(struct race *r, const struct insn *insn, const struct access *list, int count)
{
    bool ok = insn->p.fixpipe.unitFlag == 3;
    int64_t wrong = insn->src.byte / GRANULE;
    /* The rows of a column come one by one, so a granule is judged at its first
     * row: all granules are marked free only after all were seen. */
    for (int after = 0; after < 2; after++) {
        for (int i = 0; i < count; i++) {
            for (int64_t run = 0; list[i].buf == BUF_L0C && run < min_i64(access_runs(&list[i]), 65536); run++) {
                const int64_t lo = access_run(&list[i], run);
                int64_t at = 0;
                const bool handed = pass(r, lo, lo + list[i].len, -1, after == 0 ? UNIT_HANDED : -1,
                                         after == 0 ? UNIT_HANDED : UNIT_FREE, &at);
                wrong = ok && !handed ? at : wrong;
                ok = ok && handed;
            }
        }
    }
    if (!ok) {
        report(r, insn, wrong);
    }
}

void race_unit_flag(struct race *r, const struct insn *insn, const struct access *list, int count)
{
    if (insn->op == OP_FIXPIPE && insn->p.fixpipe.unitFlag != 0) {
        fixpipe(r, insn, list, count);
    } else if (insn->op != OP_FIXPIPE && insn->p.mmad.unitFlag != 0) {
        mmad(r, insn);
    }
}

void race_unit_end(struct race *r)
{
    for (int64_t g = 0; g < r->granules; g++) {
        if (r->unit[g] != UNIT_FREE) {
            report(r, &r->unit_last, g);
            return;
        }
    }
}
