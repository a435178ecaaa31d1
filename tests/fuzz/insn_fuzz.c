/* Words of `tilescope insn` on any bytes: reading, rules, report and map. The
 * first byte chooses the chip; lines and words as in a --file. */
#include <stdlib.h>
#include <string.h>

#include "report/insn_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct target *chip(uint8_t which)
{
    static struct arena arena;
    static const struct target *loaded[PRODUCT_N];
    const enum product product = (enum product)(which % PRODUCT_N);
    if (loaded[product] == NULL &&
        target_load(product_chip(product), NULL, &arena, &loaded[product], NULL) != STATUS_OK) {
        abort();
    }
    return loaded[product];
}

static void take_line(char *line, struct insn_context *cx)
{
    struct insn_word words[INSN_WORDS_MAX + 1];
    struct insn_text t;
    struct diag d;
    struct strbuf out;
    struct arena arena;
    size_t n = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " ", &rest); word != NULL && n <= INSN_WORDS_MAX;
         word = strtok_r(NULL, " ", &rest)) {
        words[n++] = (struct insn_word){.text = word};
    }
    diag_init(&d);
    strbuf_init(&out);
    arena_init(&arena);
    if (insn_text_line(&t, words, n, cx, &d) == STATUS_OK) {
        struct insn_map map;
        legality_check(&t.insn, cx->target, &cx->set, &t.violations);
        insn_report_text(&t, cx->target, &out);
        if (t.violations.errors == 0 && insn_map_build(&t.insn, cx->target, &arena, &map, &d) == STATUS_OK) {
            insn_map_text(&map, &out);
        }
    }
    diag_render(&d, &out);
    arena_fini(&arena);
    strbuf_fini(&out);
    diag_fini(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    char *text = malloc(size);
    if (text == NULL) {
        abort();
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    struct insn_context cx = {.target = chip(data[0])};
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        take_line(line, &cx);
    }
    free(text);
    return 0;
}
