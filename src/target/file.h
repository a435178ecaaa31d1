/* file.h - finding and opening target files: embedded names, paths, extends. */
#ifndef TARGET_FILE_H
#define TARGET_FILE_H

#include "base/arena.h"
#include "base/diag.h"
#include "text/yaml_tree.h"

/* One parsed file of a chain. */
struct target_file {
    const char *name; /* "ascend910b1", also of a path: its last part without ".yaml" */
    const char *file; /* "configs/targets/ascend910b1.yaml", or the path as the user gave it */
    bool embedded;
    struct yaml_node *root;
};

/* Opens an embedded target or family by name, or a path (a name with '/' or
 * ".yaml" at its end). A relative path is taken from the directory of `from`,
 * the file that extends it, if that one is a path too.
 * An unknown name is STATUS_INVALID with a suggestion at `at`. */
enum status target_file_open(const char *name_or_path, const struct target_file *from, const struct location *at,
                             struct arena *arena, struct target_file *out, struct diag *d);

/* True for the name of a family: shared numbers, no chip. */
bool target_is_family(const char *name);

#endif
