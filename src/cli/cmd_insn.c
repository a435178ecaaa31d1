/* cmd_insn.c - reads instructions from the command line or a file and prints
 * what report/insn_map.h says of them. */
#include "cli/cmd_insn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/os.h"
#include "report/insn_map.h"

#define DEFAULT_TARGET "ascend910b1"

enum { INSNS_MAX = 4096, FILE_MAX = 1 << 20 };

struct job {
    const struct command_line *line;
    struct arena arena;
    struct insn_context cx;
    struct insn_text *text; /* INSNS_MAX */
    size_t count;
    struct diag *d;
};

/* A target by name or path, or a product by its documents' name. */
static enum status load_target(struct job *j)
{
    const char *name = command_text(j->line, "target", DEFAULT_TARGET);
    const enum product product = product_from_name(name);
    return target_load(product < PRODUCT_N ? product_chip(product) : name, NULL, &j->arena, &j->cx.target, j->d);
}

static enum status add_insn(struct job *j, const struct insn_word *words, size_t count)
{
    if (j->count == INSNS_MAX) {
        return diag_error(j->d, STATUS_LIMIT, NULL, "more than %d instructions", INSNS_MAX);
    }
    return insn_text_line(&j->text[j->count++], words, count, &j->cx, j->d);
}

static enum status from_words(struct job *j)
{
    struct insn_word words[INSN_WORDS_MAX + 1];
    size_t n = 0;
    for (; n < j->line->words && n <= INSN_WORDS_MAX; n++) {
        words[n] = (struct insn_word){.text = j->line->word[n]};
    }
    return add_insn(j, words, n);
}

/* One line of a file, cut at blanks; `#` starts a comment. */
static enum status from_line(struct job *j, const char *file, const char *source, const char *from, size_t len,
                             uint32_t number)
{
    struct insn_word words[INSN_WORDS_MAX + 1];
    size_t n = 0;
    char *text = arena_strndup(&j->arena, from, len);
    if (text == NULL) {
        return diag_error(j->d, STATUS_NO_MEMORY, NULL, "no memory for %s", file);
    }
    text[strcspn(text, "#\r")] = '\0';
    for (char *c = text; *c != '\0' && n <= INSN_WORDS_MAX;) {
        c += strspn(c, " \t");
        const size_t word = strcspn(c, " \t");
        if (word == 0) {
            break;
        }
        words[n++] = (struct insn_word){.text = c,
                                        .at = {.file = file,
                                               .source = source,
                                               .line = number,
                                               .col = (uint32_t)(c - text) + 1,
                                               .len = (uint32_t)word}};
        c += word;
        if (*c != '\0') {
            *c++ = '\0';
        }
    }
    return n == 0 ? STATUS_OK : add_insn(j, words, n);
}

static enum status from_file(struct job *j, const char *file)
{
    struct strbuf bytes;
    strbuf_init(&bytes);
    enum status worst = os_read_file(file, FILE_MAX, &bytes, j->d);
    if (worst == STATUS_OK && memchr(strbuf_cstr(&bytes), '\0', bytes.len) != NULL) {
        worst = diag_error(j->d, STATUS_INVALID, &(struct location){.file = file}, "a zero byte in a text file");
    }
    const char *source = strbuf_cstr(&bytes);
    uint32_t number = 0;
    for (const char *from = source;
         worst != STATUS_NO_MEMORY && worst != STATUS_LIMIT && worst != STATUS_IO && *from != '\0';) {
        const size_t len = strcspn(from, "\n");
        const enum status st = from_line(j, file, source, from, len, ++number);
        worst = st != STATUS_OK ? st : worst;
        from += len + (from[len] == '\n');
    }
    if (worst == STATUS_OK && j->count == 0) {
        worst = diag_error(j->d, STATUS_INVALID, &(struct location){.file = file}, "no instruction in it");
    }
    strbuf_fini(&bytes);
    return worst;
}

static enum status show_map(struct job *j, size_t i, bool draws, struct strbuf *out)
{
    struct insn_map map;
    TRY(insn_map_build(&j->text[i].insn, j->cx.target, &j->arena, &map, j->d));
    insn_map_text(&map, out);
    const char *dir = command_text(j->line, "out", NULL);
    if (!draws || dir == NULL || map.panels == 0) {
        return STATUS_OK;
    }
    struct strbuf where;
    strbuf_init(&where);
    strbuf_add(&where, dir);
    if (j->count > 1) {
        strbuf_addf(&where, "/%zu", i + 1);
    }
    const enum status st = insn_map_picture(&map, strbuf_cstr(&where), true, j->d);
    if (st == STATUS_OK) {
        strbuf_addf(out, "\nPicture: %s/insn.png (svg, data and script beside)\n", strbuf_cstr(&where));
    }
    strbuf_fini(&where);
    return st;
}

/* Instructions 0 .. i as the engine takes them. */
static struct insn *list_of(const struct job *j, size_t count)
{
    struct insn *list = calloc(count, sizeof *list);
    for (size_t i = 0; list != NULL && i < count; i++) {
        list[i] = j->text[i].insn;
    }
    return list;
}

/* Elements of instruction i; registers set by the lines before it are kept. */
static enum status show_elements(struct job *j, size_t i, struct strbuf *out)
{
    struct insn *list = list_of(j, i + 1);
    size_t n = 0;
    if (list == NULL) {
        return diag_error(j->d, STATUS_NO_MEMORY, NULL, "no memory for the instructions");
    }
    for (size_t k = 0; k <= i; k++) {
        if (k == i || list[k].op >= OP_SET_FMATRIX) {
            list[n++] = list[k];
        }
    }
    const enum status st = insn_dump_text(list, n, j->cx.target, out, j->d);
    free(list);
    return st;
}

static enum status show(struct job *j, size_t i, struct strbuf *out)
{
    struct insn_text *t = &j->text[i];
    if (j->count > 1) {
        strbuf_addf(out, "%s== %zu of %zu\n", i > 0 ? "\n" : "", i + 1, j->count);
    }
    insn_report_text(t, j->cx.target, out);
    if (t->violations.errors > 0) {
        return STATUS_MISMATCH;
    }
    TRY(show_map(j, i, true, out));
    return command_has(j->line, "dump") ? show_elements(j, i, out) : STATUS_OK;
}

static enum status show_listing(struct job *j, struct strbuf *out)
{
    size_t illegal = 0;
    for (size_t i = 0; i < j->count; i++) {
        const struct violations *v = &j->text[i].violations;
        strbuf_addf(out, "%4zu  ", i + 1);
        insn_format(&j->text[i].insn, out);
        strbuf_add(out, "\n");
        for (size_t k = 0; k < v->count; k++) {
            strbuf_add(out, "      ");
            violation_format(&v->v[k], out);
            strbuf_add(out, "\n");
        }
        illegal += v->errors > 0;
    }
    if (illegal > 0) {
        strbuf_addf(out, "\nNOT legal: %zu of %zu instructions; nothing was run\n", illegal, j->count);
        return STATUS_MISMATCH;
    }
    struct insn *list = list_of(j, j->count);
    if (list == NULL) {
        return diag_error(j->d, STATUS_NO_MEMORY, NULL, "no memory for the instructions");
    }
    const enum status st = insn_listing_text(list, j->count, j->cx.target, out, j->d);
    free(list);
    return st;
}

/* Legality of each line, with the registers the lines before it set. */
static void check_all(struct job *j)
{
    struct legality_state set = {0};
    for (size_t i = 0; i < j->count; i++) {
        struct insn_text *t = &j->text[i];
        legality_check(&t->insn, j->cx.target, &set, &t->violations);
        if (t->insn.op == OP_SET_FMATRIX) {
            set.fmatrix_set[t->insn.p.load_3d.fMatrixCtrl != 0] = true;
        }
        set.padding_set = set.padding_set || t->insn.op == OP_SET_PADDING;
    }
}

static enum status read_all(struct job *j)
{
    const char *file = command_text(j->line, "file", NULL), *listing = command_text(j->line, "listing", NULL);
    TRY(load_target(j));
    j->cx.dtype = command_text(j->line, "dtype", NULL);
    j->cx.path = command_text(j->line, "path", NULL);
    if ((file != NULL) + (listing != NULL) + (j->line->words > 0) != 1) {
        diag_error(j->d, STATUS_INVALID, NULL, "give one of: an instruction, --file, --listing");
        diag_hint(j->d, "tilescope insn --help shows examples");
        return STATUS_INVALID;
    }
    return file != NULL ? from_file(j, file) : listing != NULL ? from_file(j, listing) : from_words(j);
}

static enum status run(const struct command_line *line, struct diag *d)
{
    struct job j = {.line = line, .d = d};
    struct strbuf out;
    arena_init(&j.arena);
    strbuf_init(&out);
    j.text = arena_alloc(&j.arena, INSNS_MAX, sizeof *j.text);
    enum status st = j.text == NULL ? diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the instructions")
                                    : read_all(&j);
    if (st == STATUS_OK) {
        check_all(&j);
        if (command_has(line, "listing")) {
            st = show_listing(&j, &out);
        }
        for (size_t i = 0; !command_has(line, "listing") && i < j.count; i++) {
            const enum status one = show(&j, i, &out);
            st = one != STATUS_OK ? one : st;
        }
    }
    fputs(strbuf_cstr(&out), stdout);
    if (out.failed) {
        st = diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the report");
    }
    strbuf_fini(&out);
    arena_fini(&j.arena);
    return st;
}

static const struct command_option options[] = {
    {'t', "target", "NAME",
     "chip, or product: ascend910b, atlas_a3, ascend950, ascend310b, ..\n(default: " DEFAULT_TARGET ")"},
    {'d', "dtype", "TYPE", "element type (default: half; scaled ones fp8_e4m3); dtype= in the words wins"},
    {'p', "path", "PATH", "L1->L0B, A1->A2, L0C->GM (default: the first one offered); path= wins"},
    {'f', "file", "FILE", "one instruction a line, each shown by itself; # starts a comment"},
    {'l', "listing", "FILE", "run the lines on one set of buffers, show what L0A and L0B finally hold"},
    {'e', "dump", NULL, "every element written, by the number of the element it came from"},
    {'o', "out", "DIR", "draw the map: DIR/insn.png and .svg"},
    {0, NULL, NULL, NULL},
};

static const char *const examples[] = {
    "tilescope insn load_data_with_transpose dtype=int8_t dst=L0B repeatTimes=2 srcStride=3 dstGap=1 dstFracGap=3",
    "tilescope insn asc_copy_l12l0b_trans -t ascend950 -d int8_t repeat=2 src_stride=6 dst_gap=1 -o map",
    "tilescope insn load_data_2d_v2 -t ascend950 mStep=4 kStep=2 srcStride=4 dstStride=2 ifTranspose=1 dst=B2",
    "tilescope insn load_data_3d l1H=7 l1W=9 channelSize=16 kExtension=144 mExtension=12 filterW=3 filterH=3 --dump",
    "tilescope insn nd2nz nValue=32 dValue=40 srcDValue=40 dstNzC0Stride=32",
    "tilescope insn mmad m=128 n=256 k=64 dtype=half",
    "tilescope insn load_data_2d repeatTimes=300                    # what is wrong with it?",
    "tilescope insn --listing tests/data/insn/int8_transposed.txt   # what a kernel's loads leave in L0A and L0B",
    NULL,
};

const struct command command_insn = {
    .name = "insn",
    .usage = "tilescope insn NAME key=value... [options]\n       tilescope insn --file FILE | --listing FILE [options]",
    .summary = "One load, copy or Mmad: what its parameters do, fractal by fractal",
    .about = "NAME is one of nd2nz, dn2nz, data_copy, data_copy_pad, fill, load_data_2d, load_data_2d_v2,\n"
             "load_data_with_transpose, load_data_with_transpose_v2, load_data_mx, load_data_3d,\n"
             "load_data_with_stride, l1_to_bt, l1_to_fb, mmad, mmad_mx, fixpipe, set_fmatrix, set_padding,\n"
             "set_repeat, set_repeat_stride, or asc_copy_l12l0a_trans, asc_copy_l12l0b_trans (also _sync).\n"
             "Keys are the fields of its parameter struct, and the operands: dst=L0A+0x200, src=A1,\n"
             "src_mx=L1+4096, Mmad's a=, b=, bias=, Fixpipe's quant=. padList=left,right,top,bottom sets its\n"
             "four fields at once. Units are the documents'.\n"
             "Shows legality (every rule broken, with its page), bytes, cycles with their formula, and a map\n"
             "of where each fractal comes from and goes to. Exit status 1 if a rule is broken.",
    .options = options,
    .examples = examples,
    .max_words = INSN_WORDS_MAX + 1,
    .run = run,
};
