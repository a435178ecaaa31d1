/* embed.c - look-up in the generated table. */
#include "base/embed.h"

#include <string.h>

/* Defined by the generated embedded_data.c. */
extern const struct embedded_file embedded_files[];
extern const size_t embedded_files_count;

const struct embedded_file *embedded_find(const char *path)
{
    for (size_t i = 0; i < embedded_files_count; i++) {
        if (strcmp(embedded_files[i].path, path) == 0) {
            return &embedded_files[i];
        }
    }
    return NULL;
}

const struct embedded_file *embedded_at(size_t i)
{
    return i < embedded_files_count ? &embedded_files[i] : NULL;
}

size_t embedded_count(void)
{
    return embedded_files_count;
}
