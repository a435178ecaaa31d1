/* status.h - the one error convention of tilescope.
 *
 * Every fallible function returns an enum status; the words for a person go
 * into a struct diag (diag.h) passed in.  A library room never prints, exits
 * or asserts on user input.  Only cli/ maps a status to an exit code. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

enum status {
    STATUS_OK = 0,
    STATUS_MISMATCH,    /* a verification found wrong bytes, or no cell has a feasible tiling */
    STATUS_INVALID,     /* the user's input (file, argument, value) breaks a rule */
    STATUS_LIMIT,       /* a cap of limits.h, or a checked computation, was exceeded */
    STATUS_UNSUPPORTED, /* valid, but not offered by this target or not modelled */
    STATUS_IO,          /* a file or process operation failed */
    STATUS_NO_MEMORY,   /* an allocation failed */
    STATUS_INTERRUPTED, /* the user asked to stop; partial results are on disk */
    STATUS_N
};

/* "ok", "mismatch", ...; never NULL. */
const char *status_name(enum status status);

/* Exit code of the program for `status`: 0 ok; 1 mismatch; 2 invalid, limit,
 * unsupported; 3 I/O or memory; 130 interrupted. */
int status_exit_code(enum status status);

/* Forwards any status but STATUS_OK to the caller. */
#define TRY(expr)                           \
    do {                                    \
        const enum status try_st_ = (expr); \
        if (try_st_ != STATUS_OK) {         \
            return try_st_;                 \
        }                                   \
    } while (0)

#endif
