/* mutation.h - planted errors in a schedule's instruction stream, one at a time,
 * and the judges that should see them. */
#ifndef SUPPORT_MUTATION_H
#define SUPPORT_MUTATION_H

#include "base/strbuf.h"
#include "engine/verify.h"
#include "isa/fields.h"
#include "schedule/schedule.h"

/* Every list verify_schedule(VERIFY_FULL) executes, in its order: per core the
 * prologue, each step, the epilogue. */
struct stream {
    const struct schedule *s;
    struct insn *insns; /* all lists, one after the other */
    size_t count, cap;
    size_t *list;    /* list i is [list[i], list[i + 1]) */
    int32_t *core;   /* core of list i */
    size_t lists;
};

void stream_init(struct stream *x, const struct schedule *s);
void stream_fini(struct stream *x);
size_t stream_list_of(const struct stream *x, size_t at);

enum mutation_kind {
    MUTATION_FIELD,     /* a parameter */
    MUTATION_ADDRESS,   /* byte of dst, src or src2 */
    MUTATION_EVENT,     /* id of one flag instruction */
    MUTATION_DROP,      /* an instruction is missing */
    MUTATION_DUPLICATE, /* an instruction comes twice */
    MUTATION_HALF,      /* one address in the other ping/pong half */
    MUTATION_HALVES,    /* a whole step works in the other half, its flags unchanged */
    MUTATION_IDS,       /* a matched set and wait use another id of the pair */
    MUTATION_PAIR,      /* a matched set and wait are missing */
    MUTATION_BARRIER,   /* a barrier is missing */
    MUTATION_KINDS
};
const char *mutation_kind_name(enum mutation_kind kind);

enum insn_end { OPERAND_DST, OPERAND_SRC, OPERAND_SRC2, OPERAND_N };

struct mutation {
    enum mutation_kind kind;
    size_t at;                      /* instruction in the right stream */
    size_t other;                   /* the wait that matches a set */
    const struct insn_field *field; /* MUTATION_FIELD */
    enum insn_end operand;           /* MUTATION_ADDRESS, MUTATION_HALF */
    enum buffer buf;                /* MUTATION_HALVES */
    int64_t value;                  /* new value of field, byte or id */
};

/* "step 7 MTE1 LoadData ...: mStep 4 -> 5" */
void mutation_text(const struct stream *right, const struct mutation *m, struct strbuf *out);

/* `out` (initialised from the same schedule) becomes the stream with `m`. */
void mutation_apply(const struct stream *right, const struct mutation *m, struct stream *out);

/* All mutations of the instructions [from, to), in order. @return their number;
 * *list is malloc'ed. */
size_t mutation_list(const struct stream *right, size_t from, size_t to, struct mutation **list);

/* The wait that takes what the set at `at` gives; SIZE_MAX if none does. */
size_t stream_matching_wait(const struct stream *x, size_t at);

/* Runs the stream in place of the schedule's own on `v`: does verify accept it? */
bool stream_verifies(struct verify *v, const struct stream *x, struct strbuf *why);

/* Does the whole schedule store the same C whatever the values are that the
 * mutation leaves different? The memories after the mutation are compared with
 * those of the right program; bytes that differ are tainted there, and no
 * tainted element may be stored. `p` is the schedule's problem (its seed
 * decides the values). */
bool mutation_is_dead(const struct stream *right, const struct mutation *m, const struct stream *mutated);

#endif
