/* mutation.h - planted errors in a schedule's instruction stream, one at a time,
 * and the judges that should see them. */
#ifndef SUPPORT_MUTATION_H
#define SUPPORT_MUTATION_H

#include "base/strbuf.h"
#include "engine/verify.h"
#include "isa/fields.h"
#include "schedule/race.h"

/* Every list verify_schedule(VERIFY_FULL) executes, in its order: per core the
 * prologue, each step, the epilogue. */
struct stream {
    const struct schedule *s;
    struct insn *insns; /* all lists, one after the other */
    size_t count, cap;
    size_t *list;  /* list i is [list[i], list[i + 1]) */
    int32_t *core; /* core of list i */
    size_t lists;
};

void stream_init(struct stream *x, const struct schedule *s);
void stream_fini(struct stream *x);
size_t stream_list_of(const struct stream *x, size_t at);

enum mutation_kind {
    MUTATION_FIELD,     /* a parameter */
    MUTATION_RANGE,     /* a parameter, to a value its document excludes */
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
    const struct insn_field *field; /* MUTATION_FIELD, _RANGE */
    enum insn_end operand;          /* MUTATION_ADDRESS, MUTATION_HALF */
    enum buffer buf;                /* MUTATION_HALVES */
    int64_t value;                  /* new value of field, byte or id */
};

/* "step 7: field: mStep 4 -> 5 in MTE1 LoadData ...: mStep 4 -> 5" */
void mutation_text(const struct stream *right, const struct mutation *m, struct strbuf *out);

/* `out` (initialised from the same schedule) becomes the stream with `m`. */
void mutation_apply(const struct stream *right, const struct mutation *m, struct stream *out);

/* All mutations of the instructions [from, to), in order. @return their number;
 * *list is malloc'ed. */
size_t mutation_list(const struct stream *right, size_t from, size_t to, struct mutation **list);

/* The wait that takes what the set at `at` gives; SIZE_MAX if none does. */
size_t stream_matching_wait(const struct stream *x, size_t at);

/* --- judges (mutation_judge.c) -------------------------------------------- */

struct judge {
    struct verify *verify;
    struct race *race;
    struct engine *right, *changed; /* of `target` */
    const struct target *target;
};

void judge_init(struct judge *j);
void judge_fini(struct judge *j);

/* Runs the stream in place of the schedule's own: does VERIFY_FULL accept it? `why` may be NULL. */
bool judge_verifies(struct judge *j, const struct stream *x, struct strbuf *why);

/* The same for VERIFY_CLASSES, on schedules of one core: `changed` replaces the
 * lists of `right` that the classes choose to execute. */
bool judge_verifies_by_classes(struct judge *j, const struct stream *right, const struct stream *changed);

/* The race check on every core's part of the stream. */
bool judge_orders(struct judge *j, const struct stream *x, struct strbuf *why);

/* The legality check on one instruction; what it found is added to `why` unless NULL. */
bool judge_allows(const struct target *target, const struct insn *insn, struct strbuf *why);

/* Does the schedule store the same C whatever the values are that the mutation
 * leaves different? The memories after the mutation are compared with those of
 * the right program; the bytes that differ are tainted there, and no tainted
 * element may be stored. The problem's seed decides the values. */
enum dead { DEAD_NOT = 0, DEAD_UNUSED, DEAD_SAME /* no byte differs at all */ };
enum dead judge_finds_dead(struct judge *j, const struct stream *right, const struct mutation *m,
                           const struct stream *mutated);

/* --- equivalent mutations (mutation_rules.c) ------------------------------- */

/* A mutation after which the program is still right, and why. */
struct mutation_rule {
    const char *name, *reason;
};

/* The documented rule that covers `m`; NULL if none does. */
const struct mutation_rule *mutation_rule_find(const struct stream *right, const struct mutation *m,
                                               const struct stream *mutated);

/* --- a whole tiling (mutation_run.c) --------------------------------------- */

struct mutation_count {
    size_t planted, by_verify, by_race;
    size_t by_legality; /* MUTATION_RANGE only, which the others do not judge */
    size_t other_data;  /* caught by verify on other data only: a value happened to be right */
    size_t equivalent, missed;
};

struct mutation_rule_count {
    const struct mutation_rule *rule;
    size_t count;
};

#define MUTATION_RULES 96
struct mutation_tally {
    struct mutation_count kinds[MUTATION_KINDS];
    struct mutation_rule_count rules[MUTATION_RULES]; /* equivalent ones by their rule, in order of appearance */
};

/* Plants every mutation of the lists of tile `tile` of core 0, with the
 * prologue and the epilogue, and adds up what became of them; `stride` n plants
 * each n-th only. A survivor must be covered by a rule and be dead on several
 * sets of data; others are printed and counted as missed. */
void mutation_run(struct judge *j, const struct schedule *s, int64_t tile, size_t stride, struct mutation_tally *tally);

/* Prints the tally as a table; @return planted mutations that are not equivalent and were not caught. */
size_t mutation_report(const struct mutation_tally *tally);

#endif
