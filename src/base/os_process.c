/* os_process.c - child programs, environment, clock and signals: the other half
 * of the seam of os.h.
 *
 * A child's input is fed and its output drained in one poll loop, so neither
 * side can block the other however much they write. */
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"

extern char **environ;

/* ---- child programs ---- */

struct child {
    pid_t pid;
    int to, from; /* our ends of its stdin, and of its stdout and stderr; -1: closed */
};

static void close_end(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

/* Starts argv. @return 0 or an errno value. */
static int start_child(const char *const *argv, struct child *c)
{
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    *c = (struct child){.pid = -1, .to = -1, .from = -1};
    if (os_fault() || pipe2(in, O_CLOEXEC) != 0) {
        return errno;
    }
    if (os_fault() || pipe2(out, O_CLOEXEC) != 0) {
        const int error = errno;
        close(in[0]);
        close(in[1]);
        return error;
    }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t pipes;
    sigemptyset(&none);
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &pipes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    /* posix_spawnp does not change argv; its type only predates const. */
    int error = EIO;
    if (!os_fault()) {
        error = posix_spawnp(&c->pid, argv[0], &actions, &attributes, (char *const *)argv, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(in[0]);
    close(out[1]);
    c->to = in[1];
    c->from = out[0];
    if (error) {
        c->pid = -1;
        close_end(&c->to);
        close_end(&c->from);
    }
    return error;
}

/* Feeds `input` and drains the output at the same time: neither side can block
 * the other. A child that stops reading is no error here; its exit code tells. */
static int talk_to_child(struct child *c, const char *input, size_t left, struct strbuf *output)
{
    size_t taken = 0;
    char chunk[4096];
    fcntl(c->to, F_SETFL, O_NONBLOCK);
    while (c->from >= 0) {
        if (left == 0) {
            close_end(&c->to);
        }
        struct pollfd fds[2] = {{.fd = c->from, .events = POLLIN}, {.fd = c->to, .events = POLLOUT}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR) {
            return errno;
        }
        if (c->to >= 0 && fds[1].revents) {
            const ssize_t n = write(c->to, input, left < 65536 ? left : 65536);
            if (n > 0) {
                input += n;
                left -= (size_t)n;
            } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
                left = 0;
            }
        }
        if (fds[0].revents) {
            const ssize_t n = os_fault() ? -1 : read(c->from, chunk, sizeof(chunk));
            if (n < 0 && errno == EINTR) {
                continue;
            }
            if (n < 0) {
                return errno;
            }
            const size_t room = LIMIT_CHILD_OUTPUT - taken;
            const size_t keep = (size_t)n < room ? (size_t)n : room;
            if (output && keep) {
                strbuf_add_n(output, chunk, keep);
            }
            taken += keep;
            if (n == 0) {
                close_end(&c->from);
            }
        }
    }
    return 0;
}

static int wait_child(const struct child *c)
{
    int state = 0;
    while (waitpid(c->pid, &state, 0) < 0) {
        if (errno != EINTR) {
            return 127;
        }
    }
    return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
}

/* Blocks SIGPIPE in this thread while a child is fed and swallows the one it
 * may have raised, so neither the host program's handler nor other threads notice. */
static int run_quietly(const char *const *argv, const char *input, size_t input_len, struct strbuf *output,
                       int *exit_code)
{
    sigset_t pipes;
    sigset_t before;
    sigset_t pending;
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    sigpending(&pending);
    const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipes, &before);
    struct child c;
    int error = start_child(argv, &c);
    if (!error) {
        error = talk_to_child(&c, input, input_len, output);
        close_end(&c.to);
        close_end(&c.from);
        *exit_code = wait_child(&c);
    }
    if (!was_pending) {
        const struct timespec now = {0};
        sigtimedwait(&pipes, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

enum status os_run(const char *const *argv, const char *input, size_t input_len, struct strbuf *output, int *exit_code,
                   struct diag *d)
{
    *exit_code = 127;
    const int error = run_quietly(argv, input, input_len, output, exit_code);
    if (error) {
        errno = error;
        const enum status st = os_error(d, argv[0], "cannot run this program");
        if (error == ENOENT) {
            diag_hint(d, "is it installed, and in PATH?");
        }
        return st;
    }
    if (output && output->failed) {
        errno = ENOMEM;
        return os_error(d, argv[0], "cannot keep the output");
    }
    return STATUS_OK;
}

static bool is_program(const char *path)
{
    struct stat st;
    return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool os_have_program(const char *name)
{
    if (strchr(name, '/')) {
        return is_program(name);
    }
    const char *path = os_env("PATH");
    path = path ? path : "/usr/local/bin:/usr/bin:/bin";
    for (;;) {
        const size_t len = strcspn(path, ":");
        char *full = NULL;
        if (asprintf(&full, "%.*s/%s", len ? (int)len : 1, len ? path : ".", name) >= 0) {
            const bool found = is_program(full);
            free(full);
            if (found) {
                return true;
            }
        }
        if (!path[len]) {
            return false;
        }
        path += len + 1;
    }
}

/* ---- surroundings ---- */

const char *os_env(const char *name)
{
    return getenv(name);
}

bool os_is_terminal(int fd)
{
    return isatty(fd) == 1;
}

double os_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

uint64_t os_peak_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

void os_watch_interrupt(void)
{
    /* The first signal asks to stop; a second one, with the default action back, ends at once. */
    struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = (int)(SA_RESTART | SA_RESETHAND)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool os_interrupted(void)
{
    return interrupted != 0;
}
