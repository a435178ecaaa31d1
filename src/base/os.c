/* os.c - files. With os_process.c the only code that talks to the operating
 * system about files and processes. Every system call that can fail passes os_fault first, so a
 * test can make the n-th of them fail and look at what is left behind.
 *
 * Whole-or-nothing writing is: temporary file in the same directory, write,
 * fsync, rename, fsync of the directory. */
#include "base/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- fault injection ---- */

static atomic_int fault_countdown;

void os_fault_set(int n)
{
    atomic_store(&fault_countdown, n);
}

bool os_fault(void)
{
    int n = atomic_load_explicit(&fault_countdown, memory_order_relaxed);
    while (n > 0) {
        if (atomic_compare_exchange_weak(&fault_countdown, &n, n - 1)) {
            errno = EIO;
            return n == 1;
        }
    }
    return false;
}

enum status os_error(struct diag *d, const char *path, const char *what)
{
    const int error = errno;
    const struct location at = {.file = path};
    if (error == ENOMEM) {
        return diag_error(d, STATUS_NO_MEMORY, &at, "%s: %s", what, strerror(error));
    }
    return diag_error(d, STATUS_IO, &at, "%s: %s", what, strerror(error));
}

static enum status no_memory(struct diag *d, const char *path)
{
    errno = ENOMEM;
    return os_error(d, path, "cannot go on");
}

/* ---- descriptors ---- */

static int open_file(const char *path, int flags)
{
    return os_fault() ? -1 : open(path, flags | O_CLOEXEC, 0666);
}

static int sync_fd(int fd)
{
    return os_fault() ? -1 : fsync(fd);
}

static ssize_t read_some(int fd, void *bytes, size_t len)
{
    for (;;) {
        const ssize_t n = os_fault() ? -1 : read(fd, bytes, len);
        if (n >= 0 || errno != EINTR) {
            return n;
        }
    }
}

static ssize_t write_some(int fd, const void *bytes, size_t len)
{
    for (;;) {
        const ssize_t n = os_fault() ? -1 : write(fd, bytes, len);
        if (n >= 0 || errno != EINTR) {
            return n;
        }
    }
}

static int write_all(int fd, const void *bytes, size_t len)
{
    const char *p = bytes;
    while (len) {
        const ssize_t n = write_some(fd, p, len);
        if (n <= 0) {
            return -1;
        }
        p += n;
        len -= (size_t)n;
    }
    return 0;
}

static int sync_dir_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *dir = slash == path ? strdup("/") : slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    if (!dir) {
        return -1;
    }
    const int fd = open_file(dir, O_RDONLY | O_DIRECTORY);
    free(dir);
    if (fd < 0) {
        return -1;
    }
    const int rc = sync_fd(fd);
    const int error = errno;
    close(fd);
    errno = error;
    /* Some file systems cannot sync a directory; nothing more can be done there. */
    return rc != 0 && error == EINVAL ? 0 : rc;
}

/* ---- whole files ---- */

static enum status read_fd(int fd, const char *path, size_t max_bytes, struct strbuf *out, struct diag *d)
{
    char chunk[1 << 16];
    size_t total = 0;
    for (;;) {
        const ssize_t n = read_some(fd, chunk, sizeof(chunk));
        if (n < 0) {
            return os_error(d, path, "cannot read");
        }
        if (n == 0) {
            return out->failed ? no_memory(d, path) : STATUS_OK;
        }
        if ((size_t)n > max_bytes - total) {
            const struct location at = {.file = path};
            return diag_error(d, STATUS_LIMIT, &at, "file is larger than %zu bytes", max_bytes);
        }
        total += (size_t)n;
        strbuf_add_n(out, chunk, (size_t)n);
    }
}

enum status os_read_file(const char *path, size_t max_bytes, struct strbuf *out, struct diag *d)
{
    const int fd = open_file(path, O_RDONLY);
    if (fd < 0) {
        return os_error(d, path, "cannot open for reading");
    }
    const enum status st = read_fd(fd, path, max_bytes, out, d);
    close(fd);
    return st;
}

/* Writes and syncs a fresh file; on failure nothing of it is left. */
static enum status write_fresh(const char *path, const void *bytes, size_t len, struct diag *d)
{
    const int fd = open_file(path, O_WRONLY | O_CREAT | O_EXCL);
    if (fd < 0) {
        return os_error(d, path, "cannot create");
    }
    enum status st = STATUS_OK;
    if (write_all(fd, bytes, len) != 0) {
        st = os_error(d, path, "cannot write");
    } else if (sync_fd(fd) != 0) {
        st = os_error(d, path, "cannot sync");
    }
    if (close(fd) != 0 && st == STATUS_OK) {
        st = os_error(d, path, "cannot close");
    }
    if (st != STATUS_OK) {
        unlink(path);
    }
    return st;
}

enum status os_write_file(const char *path, const void *bytes, size_t len, struct diag *d)
{
    static atomic_uint serial; /* threads of one process write side by side */
    char *temporary = NULL;
    const unsigned n = atomic_fetch_add(&serial, 1);
    if (asprintf(&temporary, "%s.%ld.%u.tmp", path, (long)getpid(), n) < 0) {
        return no_memory(d, path);
    }
    enum status st = write_fresh(temporary, bytes, len, d);
    if (st == STATUS_OK && (os_fault() || rename(temporary, path) != 0)) {
        st = os_error(d, path, "cannot put into place");
        unlink(temporary);
    } else if (st == STATUS_OK && sync_dir_of(path) != 0) {
        st = os_error(d, path, "cannot sync the directory of");
    }
    free(temporary);
    return st;
}

/* ---- appending ---- */

enum status os_open_append(const char *path, struct os_file *out, struct diag *d)
{
    *out = (struct os_file){.fd = -1, .path = strdup(path)};
    if (!out->path) {
        return no_memory(d, path);
    }
    out->fd = open_file(path, O_WRONLY | O_CREAT | O_APPEND);
    if (out->fd < 0) {
        const enum status st = os_error(d, path, "cannot open for appending");
        os_close(out);
        return st;
    }
    return STATUS_OK;
}

enum status os_append(struct os_file *f, const void *bytes, size_t len, struct diag *d)
{
    const ssize_t n = write_some(f->fd, bytes, len);
    if (n >= 0 && (size_t)n != len) {
        errno = ENOSPC; /* a regular file is written short only when space ends */
    }
    return n == (ssize_t)len ? STATUS_OK : os_error(d, f->path, "cannot append");
}

enum status os_sync(struct os_file *f, struct diag *d)
{
    return sync_fd(f->fd) == 0 ? STATUS_OK : os_error(d, f->path, "cannot sync");
}

enum status os_truncate(struct os_file *f, uint64_t len, struct diag *d)
{
    if (os_fault() || ftruncate(f->fd, (off_t)len) != 0) {
        return os_error(d, f->path, "cannot truncate");
    }
    return STATUS_OK;
}

void os_close(struct os_file *f)
{
    if (f->fd >= 0) {
        close(f->fd);
    }
    free(f->path);
    *f = (struct os_file){.fd = -1};
}

/* ---- directories ---- */

static bool is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

enum status os_make_dir(const char *path, struct diag *d)
{
    char *part = strdup(path);
    if (!part) {
        return no_memory(d, path);
    }
    enum status st = STATUS_OK;
    for (char *end = part; st == STATUS_OK && *end;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        const char kept = *end;
        *end = '\0';
        const bool failed = os_fault() || mkdir(part, 0777) != 0;
        const int error = errno;
        if (failed && !(error == EEXIST && is_dir(part))) {
            errno = error == EEXIST ? ENOTDIR : error;
            st = os_error(d, part, "cannot make directory");
        }
        *end = kept;
    }
    free(part);
    return st;
}

/* Removes `name` under `dir`, whatever it is; links are removed, not followed. */
static int remove_at(int dir, const char *name)
{
    if (os_fault()) {
        return -1;
    }
    if (unlinkat(dir, name, 0) == 0 || errno == ENOENT) {
        return 0;
    }
    if (errno != EISDIR && errno != EPERM) {
        return -1;
    }
    const int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (!stream) {
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    int rc = 0;
    for (const struct dirent *e; rc == 0 && (e = readdir(stream)) != NULL;) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            rc = remove_at(fd, e->d_name);
        }
    }
    const int error = errno;
    closedir(stream);
    errno = error;
    return rc != 0 ? rc : unlinkat(dir, name, AT_REMOVEDIR);
}

enum status os_remove_tree(const char *path, struct diag *d)
{
    return remove_at(AT_FDCWD, path) == 0 ? STATUS_OK : os_error(d, path, "cannot remove");
}

enum status os_rename(const char *from, const char *to, struct diag *d)
{
    if (os_fault() || rename(from, to) != 0) {
        return os_error(d, to, "cannot put into place");
    }
    return sync_dir_of(to) == 0 ? STATUS_OK : os_error(d, to, "cannot sync the directory of");
}

enum status os_swap_in(const char *from, const char *to, struct diag *d)
{
    if (os_fault()) {
        return os_error(d, to, "cannot put into place");
    }
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0) {
        /* Both are whole now; the old one stands under the name `from`. */
        if (sync_dir_of(to) != 0) {
            return os_error(d, to, "cannot sync the directory of");
        }
        return os_remove_tree(from, d);
    }
    if (errno == ENOENT && !os_exists(to)) {
        return os_rename(from, to, d);
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return os_error(d, to, "cannot put into place");
    }
    char *old = NULL; /* no exchange on this file system: two renames, the old one set aside */
    if (asprintf(&old, "%s.%ld.old", to, (long)getpid()) < 0) {
        return no_memory(d, to);
    }
    enum status st = os_rename(to, old, d);
    if (st == STATUS_OK) {
        st = os_rename(from, to, d);
        if (st != STATUS_OK) {
            rename(old, to);
        } else {
            st = os_remove_tree(old, d);
        }
    }
    free(old);
    return st;
}

bool os_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

static int visible(const struct dirent *e)
{
    /* The list is separated by newlines, so a name with one cannot be told. */
    return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && !strchr(e->d_name, '\n');
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* not the locale's order */
}

enum status os_list_dir(const char *path, struct strbuf *out, struct diag *d)
{
    struct dirent **entries = NULL;
    const int n = os_fault() ? -1 : scandir(path, &entries, visible, by_bytes);
    if (n < 0) {
        return os_error(d, path, "cannot list directory");
    }
    for (int i = 0; i < n; i++) {
        strbuf_add(out, entries[i]->d_name);
        strbuf_add(out, "\n");
        free(entries[i]);
    }
    free(entries);
    return out->failed ? no_memory(d, path) : STATUS_OK;
}

static enum status lock_held(const struct os_file *f, struct diag *d)
{
    char owner[32] = {0};
    const ssize_t n = pread(f->fd, owner, sizeof(owner) - 1, 0);
    owner[n > 0 ? strcspn(owner, "\n") : 0] = '\0';
    const struct location at = {.file = f->path};
    diag_error(d, STATUS_IO, &at, "another process holds this lock (pid %s)", owner[0] ? owner : "unknown");
    diag_hint(d, "wait for it to end, or give this run another name");
    return STATUS_IO;
}

/* One try. *stale: the file was removed by its last owner while we took it. */
static enum status try_lock(struct os_file *f, bool *stale, struct diag *d)
{
    struct stat open_one;
    struct stat at_path;
    *stale = false;
    f->fd = open_file(f->path, O_RDWR | O_CREAT);
    if (f->fd < 0) {
        return os_error(d, f->path, "cannot open the lock file");
    }
    if (os_fault() || flock(f->fd, LOCK_EX | LOCK_NB) != 0) {
        return errno == EWOULDBLOCK ? lock_held(f, d) : os_error(d, f->path, "cannot lock");
    }
    *stale = fstat(f->fd, &open_one) != 0 || stat(f->path, &at_path) != 0 || open_one.st_ino != at_path.st_ino ||
             open_one.st_dev != at_path.st_dev;
    return STATUS_OK;
}

enum status os_lock(const char *path, struct os_file *out, struct diag *d)
{
    *out = (struct os_file){.fd = -1, .path = strdup(path)};
    if (!out->path) {
        return no_memory(d, path);
    }
    bool stale = false;
    enum status st = STATUS_OK;
    do {
        if (stale) {
            close(out->fd);
        }
        st = try_lock(out, &stale, d);
    } while (st == STATUS_OK && stale);
    if (st != STATUS_OK) {
        os_close(out);
        return st;
    }
    /* For the message above only: the lock itself is the flock. */
    if (ftruncate(out->fd, 0) == 0) {
        dprintf(out->fd, "%ld\n", (long)getpid());
    }
    return STATUS_OK;
}

void os_unlock(struct os_file *f)
{
    if (f->fd >= 0) {
        (void)unlink(f->path); /* before the lock goes: who takes it next makes a new file */
    }
    os_close(f);
}
