/* The reader of *.vec files on any bytes; cases that make sense are run. */
#include <stdlib.h>
#include <string.h>

#include "engine/conform_internal.h"

enum { RUN_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena targets;
    static struct conform_context cx;
    struct arena arena;
    struct diag d;
    struct vec_file file;
    char *text = malloc(size + 1);
    if (text == NULL) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    arena_init(&arena);
    diag_init(&d);
    (void)vec_parse("fuzz.vec", text, size, &arena, &file, &d);
    for (size_t i = 0; i < file.count; i++) {
        int64_t bytes = 0;
        for (size_t b = 0; b < file.cases[i].buf_count; b++) {
            bytes += file.cases[i].bufs[b].len > RUN_BYTES ? RUN_BYTES : file.cases[i].bufs[b].len;
        }
        if (bytes < RUN_BYTES) {
            enum conform_verdict verdict;
            const char *words;
            cx.arena = &targets; /* engines live on; what a case says goes there too, in small pieces */
            cx.d = &d;
            (void)conform_case(&cx, &file.cases[i], &verdict, &words);
        }
    }
    diag_fini(&d);
    arena_fini(&arena);
    free(text);
    return 0;
}
