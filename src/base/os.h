/* os.h - the one seam all file and process calls go through.
 *
 * No file of src/ but base/os*.c may call open, fopen, rename, unlink, mkdir, fsync,
 * popen, fork, exec, getenv and their kin (a test greps for it). Faults are
 * injected here: with os_fault_set(n) the n-th following system call of the seam
 * fails with EIO, so every error path can be tested. */
#ifndef BASE_OS_H
#define BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/strbuf.h"

/* Whole file into *out (appended). STATUS_IO with the reason; STATUS_LIMIT over `max_bytes`. */
enum status os_read_file(const char *path, size_t max_bytes, struct strbuf *out, struct diag *d);

/* Writes `path` whole or not at all: temporary file beside it, fsync, rename, fsync of the directory. */
enum status os_write_file(const char *path, const void *bytes, size_t len, struct diag *d);

/* A file opened for appending records; each os_append is one write(2) call. */
struct os_file {
    int fd;
    char *path;
};
enum status os_open_append(const char *path, struct os_file *out, struct diag *d);
enum status os_append(struct os_file *f, const void *bytes, size_t len, struct diag *d);
enum status os_sync(struct os_file *f, struct diag *d);
enum status os_truncate(struct os_file *f, uint64_t len, struct diag *d);
void os_close(struct os_file *f); /* accepts a closed one */

enum status os_make_dir(const char *path, struct diag *d);    /* parents too; an existing directory is fine */
enum status os_remove_tree(const char *path, struct diag *d); /* absent is fine */
enum status os_rename(const char *from, const char *to, struct diag *d); /* then fsync of the parent */
/* Puts directory `from` in the place of `to` atomically if the kernel can
 * (renameat2 exchange), and removes what stood there. */
enum status os_swap_in(const char *from, const char *to, struct diag *d);
bool os_exists(const char *path);
/* Names of the entries of a directory, in byte order, each followed by '\n'. */
enum status os_list_dir(const char *path, struct strbuf *out, struct diag *d);

/* Takes an exclusive lock file; STATUS_IO if another process holds it.
 * The lock goes with the process. */
enum status os_lock(const char *path, struct os_file *out, struct diag *d);
/* Gives it back and removes the file. Accepts a closed one. */
void os_unlock(struct os_file *f);

/* Runs argv[0] (searched in PATH) with `input` on stdin; stdout and stderr are
 * captured into *output (may be NULL; up to LIMIT_CHILD_OUTPUT bytes). STATUS_OK
 * whenever it ran: *exit_code gets its exit status, 128 + signal if killed. If it
 * could not be started: STATUS_IO with a message, *exit_code 127. No SIGPIPE is raised. */
enum status os_run(const char *const *argv, const char *input, size_t input_len, struct strbuf *output, int *exit_code,
                   struct diag *d);
bool os_have_program(const char *name);

const char *os_env(const char *name); /* NULL if unset */
bool os_is_terminal(int fd);
double os_seconds(void); /* monotonic clock */
/* Peak resident set of this process in bytes. */
uint64_t os_peak_memory(void);

/* Ctrl-C: installs handlers for SIGINT and SIGTERM that only set a flag; a second
 * signal ends the process at once. */
void os_watch_interrupt(void);
bool os_interrupted(void);

/* The n-th system call of the seam from now (1 = next) fails with EIO; 0 switches injection off. */
void os_fault_set(int n);

/* Inside the seam: true, with errno EIO, when the system call to come shall fail. */
bool os_fault(void);
/* Inside the seam: reports errno about `path`. @return STATUS_NO_MEMORY or STATUS_IO. */
enum status os_error(struct diag *d, const char *path, const char *what);

#endif
