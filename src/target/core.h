/* core.h - the parts of an AI core by their documents' names: buffers, pipes,
 * paths, events, and the roles of operands. Shared by all rooms above. */
#ifndef TARGET_CORE_H
#define TARGET_CORE_H

enum buffer {
    BUF_GM = 0,
    BUF_L1,     /* TPosition A1, B1, C1 */
    BUF_L0A,    /* A2 */
    BUF_L0B,    /* B2 */
    BUF_L0A_MX, /* scales of L0A, at data address / 16 */
    BUF_L0B_MX,
    BUF_L0C, /* CO1 */
    BUF_BT,  /* bias table, C2 */
    BUF_FB,  /* Fixpipe buffer, C2PIPE2GM */
    BUF_UB,
    BUF_N
};

/* Hardware queues. In order inside a pipe, parallel to each other. */
enum pipe { PIPE_MTE2 = 0, PIPE_MTE1, PIPE_M, PIPE_FIX, PIPE_S, PIPE_N, PIPE_ALL = PIPE_N };

/* Which operand an instruction or a region serves. */
enum role { ROLE_A = 0, ROLE_B, ROLE_SA, ROLE_SB, ROLE_BIAS, ROLE_QUANT, ROLE_C, ROLE_N };

/* GM tensors: `tensor` of an address in BUF_GM. Same numbering as enum role;
 * further ones for workspaces. */
enum tensor {
    TENSOR_A = ROLE_A,
    TENSOR_B,
    TENSOR_SA,
    TENSOR_SB,
    TENSOR_BIAS,
    TENSOR_QUANT,
    TENSOR_C,
    TENSOR_WORKSPACE,
    TENSOR_N
};

enum path {
    PATH_GM_L1 = 0,
    PATH_GM_L0A,
    PATH_GM_L0B,
    PATH_L1_L0A,
    PATH_L1_L0B,
    PATH_L1_L0A_MX,
    PATH_L1_L0B_MX,
    PATH_L1_BT,
    PATH_L1_FB,
    PATH_L0C_GM,
    PATH_L0C_L1,
    PATH_L0C_UB,
    PATH_N
};

/* Ordered pairs of pipes that flags may connect: first pipe sets, second waits. */
enum hard_event {
    EVENT_MTE1_MTE2 = 0,
    EVENT_MTE2_MTE1,
    EVENT_M_MTE1,
    EVENT_MTE1_M,
    EVENT_M_FIX,
    EVENT_FIX_M,
    EVENT_M_MTE2,
    EVENT_MTE2_M,
    EVENT_MTE1_FIX,
    EVENT_FIX_MTE1,
    EVENT_MTE2_FIX,
    EVENT_FIX_MTE2,
    HARD_EVENT_N
};

const char *buffer_name(enum buffer buf);
const char *pipe_name(enum pipe pipe);
const char *role_name(enum role role);
const char *path_name(enum path path); /* "GM->L1" */
const char *hard_event_name(enum hard_event event);
enum pipe hard_event_setter(enum hard_event event);
enum pipe hard_event_waiter(enum hard_event event);

#endif
