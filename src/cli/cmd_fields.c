/* cmd_fields.c - the fields of a tiling as a Markdown table, from the one table
 * the program itself uses. The README holds a copy; a test compares them. */
#include "cli/cmd_fields.h"

#include <inttypes.h>
#include <stdio.h>

#include "tiling/tiling.h"

static void print_values(const struct tiling_field_info *info)
{
    if (!info->words) {
        printf("%" PRId32 "..", info->min);
        if (info->max != INT32_MAX) {
            printf("%" PRId32, info->max);
        }
        return;
    }
    for (size_t i = 0; info->words[i]; i++) {
        printf("%s%s", i ? ", " : "", info->words[i]);
    }
}

static enum status run(const struct command_line *line, struct diag *d)
{
    (void)line, (void)d;
    puts("| field | in names | values | meaning | column of measurements |");
    puts("|---|---|---|---|---|");
    for (int f = 0; f < TF_N; f++) {
        const struct tiling_field_info *info = tiling_field_info((enum tiling_field)f);
        printf("| `%s` | `%s` | ", info->name, info->tag);
        print_values(info);
        printf(" | %s | %s%s%s |\n", info->meaning, *info->column ? "`" : "", info->column, *info->column ? "`" : "");
    }
    return STATUS_OK;
}

static const char *const examples[] = {"tilescope fields", NULL};

const struct command command_fields = {
    .name = "fields",
    .usage = "tilescope fields",
    .summary = "the fields of a tiling: names, values, meaning",
    .examples = examples,
    .run = run,
};
