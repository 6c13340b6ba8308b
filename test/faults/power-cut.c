/*
 * A power cut, for one process: counts the writes to files below POWER_CUT_DIR, and after POWER_CUT_AFTER of them leaves
 * each file as its last fsync left it, with a random half of the later writes (POWER_CUT_SEED) on top, in any order that
 * a disk could have chosen; then kills the process. Without POWER_CUT_AFTER it writes the count to POWER_CUT_COUNT.
 *
 * With STATES_TO instead, the process goes on: before each call that changes files or their names, what a kill would leave is
 * copied to STATES_TO/<n>-kill, and what a power cut would leave to STATES_TO/<n>-power. STATES_OF is the directory to copy, which
 * POWER_CUT_DIR is in.
 *
 * Loaded with LD_PRELOAD. Directory entries (creating, renaming, removing a file) count as written at once: a file that
 * was renamed before it was synced is found under its new name without its content, as on a real disk.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* A write or, with data of NULL, a truncation that no fsync has followed. */
typedef struct change {
  struct change *next;
  off_t offset, size_before;
  size_t length, old_length;
  char *data, *old;
} change;

typedef struct file {
  struct file *next;
  dev_t device;
  ino_t inode;
  /* A duplicate that is never closed: closing any descriptor of a file would drop SQLite's locks on it. */
  int descriptor;
  /* The latest first. */
  change *changes;
} file;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static file *files;
static long count, limit = -1;
static const char *directory, *states_of, *states_to;
static long states;

static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_rename)(const char *, const char *);
static int (*real_link)(const char *, const char *);
static int (*real_unlink)(const char *);
static int (*real_open)(const char *, int, ...);

__attribute__((constructor)) static void begin(void) {
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_write = dlsym(RTLD_NEXT, "write");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_rename = dlsym(RTLD_NEXT, "rename");
  real_link = dlsym(RTLD_NEXT, "link");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_open = dlsym(RTLD_NEXT, "open64");
  directory = getenv("POWER_CUT_DIR");
  states_of = getenv("STATES_OF");
  states_to = getenv("STATES_TO");
  const char *after = getenv("POWER_CUT_AFTER"), *seed = getenv("POWER_CUT_SEED");
  if (after) limit = atol(after);
  srandom(seed ? (unsigned)atoi(seed) : 1);
}

__attribute__((destructor)) static void end(void) {
  const char *to = getenv("POWER_CUT_COUNT");
  FILE *out = to ? fopen(to, "w") : NULL;
  if (out) {
    fprintf(out, "%ld", count);
    fclose(out);
  }
}

/*
 * Whether a descriptor is of a file to watch: SQLite's -shm is made anew from the log. Asked before the lock is taken:
 * a signal's handler writes to a pipe, and may interrupt who holds it.
 */
static int is_watched(int fd) {
  char link[64], path[4096];
  struct stat info;
  if (!directory || !real_pwrite || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return strncmp(path, directory, strlen(directory)) == 0 && !strstr(path, "-shm");
}

/* The watched file of a descriptor. */
static file *file_of(int fd) {
  char link[64];
  struct stat info;
  if (fstat(fd, &info) != 0) return NULL;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  for (file *f = files; f; f = f->next)
    if (f->device == info.st_dev && f->inode == info.st_ino) return f;
  file *f = calloc(1, sizeof *f);
  f->device = info.st_dev;
  f->inode = info.st_ino;
  /* Opened for itself: the descriptor may be one that only appends. */
  f->descriptor = real_open(link, O_RDWR | O_CLOEXEC);
  if (f->descriptor < 0) {
    free(f);
    return NULL;
  }
  f->next = files;
  files = f;
  return f;
}

static void forget(file *f) {
  while (f->changes) {
    change *c = f->changes;
    f->changes = c->next;
    free(c->data);
    free(c->old);
    free(c);
  }
}

/* Leaves a file as its last fsync left it, with a random half of the later changes. Its list of them is of no use afterwards. */
static void cut_file(file *f, int descriptor) {
  /* Back to what was synced, the latest change first. */
  change *first = NULL;
  for (change *c = f->changes; c;) {
    real_ftruncate(descriptor, c->size_before);
    if (c->old_length) real_pwrite(descriptor, c->old, c->old_length, c->offset);
    change *next = c->next;
    c->next = first;
    first = c;
    c = next;
  }
  for (change *c = first; c; c = c->next) {
    if (random() & 1) continue;
    if (c->data) real_pwrite(descriptor, c->data, c->length, c->offset);
    else real_ftruncate(descriptor, c->offset);
  }
}

/* Waits for a program, which must not be watched itself. */
static void run(char *const arguments[]) {
  pid_t pid;
  char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
  if (posix_spawnp(&pid, arguments[0], NULL, NULL, arguments, environment) == 0) waitpid(pid, NULL, 0);
}

/* In a child: closing files here would drop the locks of the process. */
static void keep_power_state(const char *state) {
  pid_t pid = fork();
  if (pid != 0) {
    waitpid(pid, NULL, 0);
    return;
  }
  srandom((unsigned)states);
  size_t length = strlen(states_of);
  for (file *f = files; f; f = f->next) {
    char link[64], path[4096], copy[8192];
    snprintf(link, sizeof link, "/proc/self/fd/%d", f->descriptor);
    ssize_t got = readlink(link, path, sizeof path - 1);
    if (got <= 0) continue;
    path[got] = 0;
    if (strncmp(path, states_of, length) != 0) continue;
    snprintf(copy, sizeof copy, "%s%s", state, path + length);
    /* Not there: it was removed, and is open still. */
    int descriptor = real_open(copy, O_RDWR | O_CLOEXEC);
    if (descriptor >= 0) cut_file(f, descriptor);
  }
  _exit(0);
}

/* Called before a change, by who has the lock. */
static void keep_states(void) {
  if (!states_to) return;
  char kill_state[4096], power_state[4096];
  snprintf(kill_state, sizeof kill_state, "%s/%ld-kill", states_to, states);
  snprintf(power_state, sizeof power_state, "%s/%ld-power", states_to, states);
  char *const copy_kill[] = {"cp", "-a", (char *)states_of, kill_state, NULL};
  char *const copy_power[] = {"cp", "-a", (char *)states_of, power_state, NULL};
  run(copy_kill);
  run(copy_power);
  keep_power_state(power_state);
  states++;
}

static void cut(void) {
  for (file *f = files; f; f = f->next) cut_file(f, f->descriptor);
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* Notes what a change is about to overwrite. */
static void note(file *f, off_t offset, const void *data, size_t length) {
  struct stat info;
  keep_states();
  fstat(f->descriptor, &info);
  change *c = calloc(1, sizeof *c);
  c->offset = offset;
  c->size_before = info.st_size;
  c->length = length;
  c->old_length = data ? length : (info.st_size > offset ? (size_t)(info.st_size - offset) : 0);
  if (c->old_length) {
    c->old = malloc(c->old_length);
    ssize_t got = pread(f->descriptor, c->old, c->old_length, offset);
    c->old_length = got > 0 ? (size_t)got : 0;
  }
  if (data) {
    c->data = malloc(length);
    memcpy(c->data, data, length);
  }
  c->next = f->changes;
  f->changes = c;
  if (++count == limit) cut();
}

ssize_t pwrite64(int fd, const void *data, size_t length, off_t offset) {
  if (!is_watched(fd)) return real_pwrite(fd, data, length, offset);
  pthread_mutex_lock(&mutex);
  file *f = file_of(fd);
  if (f) note(f, offset, data, length);
  ssize_t written = real_pwrite(fd, data, length, offset);
  pthread_mutex_unlock(&mutex);
  return written;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) { return pwrite64(fd, data, length, offset); }

ssize_t write(int fd, const void *data, size_t length) {
  if (!real_write) real_write = dlsym(RTLD_NEXT, "write");
  if (!is_watched(fd)) return real_write(fd, data, length);
  pthread_mutex_lock(&mutex);
  file *f = file_of(fd);
  if (f) {
    int flags = fcntl(fd, F_GETFL);
    note(f, flags & O_APPEND ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR), data, length);
  }
  ssize_t written = real_write(fd, data, length);
  pthread_mutex_unlock(&mutex);
  return written;
}

int ftruncate64(int fd, off_t size) {
  if (!is_watched(fd)) return real_ftruncate(fd, size);
  pthread_mutex_lock(&mutex);
  file *f = file_of(fd);
  if (f) note(f, size, NULL, 0);
  int result = real_ftruncate(fd, size);
  pthread_mutex_unlock(&mutex);
  return result;
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

static int synced(int fd, int (*real)(int)) {
  if (!is_watched(fd)) return real(fd);
  pthread_mutex_lock(&mutex);
  keep_states();
  int result = real(fd);
  file *f = result == 0 ? file_of(fd) : NULL;
  if (f) forget(f);
  pthread_mutex_unlock(&mutex);
  return result;
}

int fsync(int fd) { return synced(fd, real_fsync); }
int fdatasync(int fd) { return synced(fd, real_fdatasync); }

static int is_watched_path(const char *path) {
  return states_to && path && strncmp(path, directory, strlen(directory)) == 0 && !strstr(path, "-shm");
}

#define BEFORE(path)                 \
  if (is_watched_path(path)) {       \
    pthread_mutex_lock(&mutex);      \
    keep_states();                   \
    pthread_mutex_unlock(&mutex);    \
  }

int rename(const char *from, const char *to) {
  BEFORE(to);
  return real_rename(from, to);
}

int link(const char *from, const char *to) {
  BEFORE(to);
  return real_link(from, to);
}

int unlink(const char *path) {
  BEFORE(path);
  return real_unlink(path);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (!real_open) real_open = dlsym(RTLD_NEXT, "open64");
  if (flags & O_CREAT && access(path, F_OK) != 0) BEFORE(path);
  return real_open(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open64(path, flags, mode);
}
