/* commands.c - the commands of the program.
 *
 * cmd_run, cmd_explain, cmd_compare, cmd_budget, cmd_fields and cmd_keys are tables of their own (command.h); the
 * others parse for themselves: `int cmd_X(int argc, char **argv)` in cmd_X.h.
 * One whose file is not there is left out. */
#include "cli/commands.h"

#include "cli/cmd_compare.h"
#include "cli/cmd_explain.h"
#include "cli/cmd_fields.h"
#include "cli/cmd_keys.h"
#include "cli/cmd_run.h"

#if __has_include("cli/cmd_budget.h")
#include "cli/cmd_budget.h"
#define BUDGET &command_budget,
#else
#define BUDGET
#endif

#if __has_include("cli/cmd_targets.h")
#include "cli/cmd_targets.h"
static const struct command command_targets = {
    .name = "targets", .summary = "the chips it knows; every number with its source", .main = cmd_targets};
#define TARGETS &command_targets,
#else
#define TARGETS
#endif

#if __has_include("cli/cmd_insn.h")
#include "cli/cmd_insn.h"
#define INSN &command_insn,
#else
#define INSN
#endif

#if __has_include("cli/cmd_conform.h")
#include "cli/cmd_conform.h"
static const struct command command_conform = {
    .name = "conform", .summary = "the engine against golden vectors from outside", .main = cmd_conform};
#define CONFORM &command_conform,
#else
#define CONFORM
#endif

#if __has_include("cli/cmd_validate.h")
#include "cli/cmd_validate.h"
static const struct command command_validate = {
    .name = "validate", .summary = "the time model against measured board runs", .main = cmd_validate};
#define VALIDATE &command_validate,
#else
#define VALIDATE
#endif

const struct command *const commands[] = {&command_run,     &command_explain,
                                          &command_compare, BUDGET TARGETS INSN CONFORM VALIDATE &command_keys,
                                          &command_fields,  NULL};
