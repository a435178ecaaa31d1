/* embed.h - files carried inside the binary, so it runs from any directory.
 *
 * scripts/embed.cmake gathers configs, lists of shapes and plot scripts at build time. Paths
 * are relative: "targets/ascend910b1.yaml", "matmul_half.yaml",
 * "shapes/resnet50_conv.csv", "gnuplot/heatmap.gp". */
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

#include <stddef.h>

struct embedded_file {
    const char *path;
    const unsigned char *bytes; /* a NUL follows the last byte */
    size_t len;                 /* without that NUL */
};

/* The file of exactly this path, or NULL. */
const struct embedded_file *embedded_find(const char *path);
/* File i in [0, embedded_count()), configs before scripts, sorted by path in each; else NULL. */
const struct embedded_file *embedded_at(size_t i);
size_t embedded_count(void);

#endif
