/* core.c - names of the parts of a core. */
#include "target/core.h"

#include <stdint.h>

static const char *const buffer_names[BUF_N] = {"GM", "L1", "L0A", "L0B", "L0A_MX", "L0B_MX", "L0C", "BT", "FB", "UB"};
static const char *const pipe_names[PIPE_N + 1] = {"MTE2", "MTE1", "M", "FIX", "S", "ALL"};
static const char *const role_names[ROLE_N] = {"A", "B", "scaleA", "scaleB", "bias", "quant", "C"};
static const char *const path_names[PATH_N] = {"GM->L1",     "GM->L0A", "GM->L0B", "L1->L0A", "L1->L0B", "L1->L0A_MX",
                                               "L1->L0B_MX", "L1->BT",  "L1->FB",  "L0C->GM", "L0C->L1", "L0C->UB"};

static const struct {
    const char *name;
    uint8_t setter, waiter; /* enum pipe */
} hard_events[HARD_EVENT_N] = {
    [EVENT_MTE1_MTE2] = {"MTE1_MTE2", PIPE_MTE1, PIPE_MTE2},
    [EVENT_MTE2_MTE1] = {"MTE2_MTE1", PIPE_MTE2, PIPE_MTE1},
    [EVENT_M_MTE1] = {"M_MTE1", PIPE_M, PIPE_MTE1},
    [EVENT_MTE1_M] = {"MTE1_M", PIPE_MTE1, PIPE_M},
    [EVENT_M_FIX] = {"M_FIX", PIPE_M, PIPE_FIX},
    [EVENT_FIX_M] = {"FIX_M", PIPE_FIX, PIPE_M},
    [EVENT_M_MTE2] = {"M_MTE2", PIPE_M, PIPE_MTE2},
    [EVENT_MTE2_M] = {"MTE2_M", PIPE_MTE2, PIPE_M},
    [EVENT_MTE1_FIX] = {"MTE1_FIX", PIPE_MTE1, PIPE_FIX},
    [EVENT_FIX_MTE1] = {"FIX_MTE1", PIPE_FIX, PIPE_MTE1},
    [EVENT_MTE2_FIX] = {"MTE2_FIX", PIPE_MTE2, PIPE_FIX},
    [EVENT_FIX_MTE2] = {"FIX_MTE2", PIPE_FIX, PIPE_MTE2},
};

const char *buffer_name(enum buffer buf)
{
    return (unsigned)buf < BUF_N ? buffer_names[buf] : "?";
}

const char *pipe_name(enum pipe pipe)
{
    return (unsigned)pipe <= PIPE_ALL ? pipe_names[pipe] : "?";
}

const char *role_name(enum role role)
{
    return (unsigned)role < ROLE_N ? role_names[role] : "?";
}

const char *path_name(enum path path)
{
    return (unsigned)path < PATH_N ? path_names[path] : "?";
}

const char *hard_event_name(enum hard_event event)
{
    return (unsigned)event < HARD_EVENT_N ? hard_events[event].name : "?";
}

enum pipe hard_event_setter(enum hard_event event)
{
    return (enum pipe)hard_events[event].setter;
}

enum pipe hard_event_waiter(enum hard_event event)
{
    return (enum pipe)hard_events[event].waiter;
}
