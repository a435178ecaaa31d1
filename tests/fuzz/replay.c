/* Runs a fuzzer's entry point on every file of the directories given: the small
 * corpus, and what fuzzing has found, without a fuzzer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILE_MAX = 1 << 20 };

static int replay(const char *path)
{
    struct strbuf bytes;
    strbuf_init(&bytes);
    if (os_read_file(path, FILE_MAX, &bytes, NULL) != STATUS_OK) {
        (void)fprintf(stderr, "cannot read %s\n", path);
        exit(EXIT_FAILURE);
    }
    uint8_t *copy = malloc(bytes.len + 1); /* exactly as long: a sanitizer sees what is read beyond */
    if (copy == NULL) {
        exit(EXIT_FAILURE);
    }
    memcpy(copy, strbuf_cstr(&bytes), bytes.len);
    const int result = LLVMFuzzerTestOneInput(copy, bytes.len);
    free(copy);
    strbuf_fini(&bytes);
    return result;
}

int main(int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; i++) {
        struct strbuf names;
        strbuf_init(&names);
        if (os_list_dir(argv[i], &names, NULL) != STATUS_OK) {
            (void)fprintf(stderr, "cannot list %s\n", argv[i]);
            return EXIT_FAILURE;
        }
        for (const char *name = strbuf_cstr(&names); *name != '\0'; files++) {
            const size_t n = strcspn(name, "\n");
            char path[4096];
            (void)snprintf(path, sizeof path, "%s/%.*s", argv[i], (int)n, name);
            (void)replay(path);
            name += n + (name[n] == '\n');
        }
        strbuf_fini(&names);
    }
    printf("%d inputs\n", files);
    return files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
