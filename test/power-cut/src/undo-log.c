/*
 * Writes down how to take back what a process has not synced yet.
 *
 * Preloaded (LD_PRELOAD) into a program, it watches the files below POWER_CUT_FOLDER: before each change it appends to
 * POWER_CUT_LOG, a shared mapping that survives kill -9, what was there before; fsync and fdatasync append what they made
 * safe. replay.mjs reads the log after the program was killed. Changes through mmap are not seen: SQLite makes them in
 * its -shm file only, which is worth nothing after a restart. mkdir and link are not seen either.
 *
 * With POWER_CUT_FAIL_SYNC=n the n-th sync of a watched file fails with EIO, once: what it should have made safe is not.
 * With POWER_CUT_SLOW_SYNC=n each sync takes n milliseconds longer. With POWER_CUT_DIE_AT=n the program is killed at the n-th
 * change or sync: before it is done, or after it with POWER_CUT_DIE_AFTER.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define LOG_BYTES (1ull << 30) /* sparse: takes what is used */
#define FIRST_RECORD 4096
#define MOST_FILES 65536

enum kind { WRITE = 1, TRUNCATE = 2, SYNC = 3, CREATE = 4, UNLINK = 5, RENAME = 6 };

/* replay.mjs knows these layouts. */
struct header { uint64_t magic; uint64_t tail; uint64_t next; };
struct record {
  uint32_t kind, length;  /* length: whole record, a multiple of 8 */
  uint64_t number;        /* grows by one */
  uint64_t inode;         /* of the file; of the folder for CREATE, UNLINK and RENAME */
  uint64_t offset;        /* TRUNCATE: new size; SYNC: records with lower numbers are safe */
  uint64_t size;          /* of the file before */
  uint32_t old, fresh;    /* bytes kept behind the record; bytes written */
};

static struct header *head;
static char folder[PATH_MAX], saved[PATH_MAX];
static unsigned char watched[MOST_FILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned saves;
static long failing_sync, syncs, slow_sync, die_at, points;
static int die_after;

#define REAL(type, name, ...) \
  static type (*real_##name)(__VA_ARGS__); \
  static void find_##name(void) { if (!real_##name) real_##name = dlsym(RTLD_NEXT, #name); }
REAL(int, open64, const char *, int, ...)
REAL(int, openat64, int, const char *, int, ...)
REAL(int, close, int)
REAL(ssize_t, write, int, const void *, size_t)
REAL(ssize_t, writev, int, const struct iovec *, int)
REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t)
REAL(ssize_t, pwritev64, int, const struct iovec *, int, off64_t)
REAL(int, ftruncate64, int, off64_t)
REAL(int, fsync, int)
REAL(int, fdatasync, int)
REAL(int, unlink, const char *)
REAL(int, rename, const char *, const char *)

static void give_up(const char *why) {
  fprintf(stderr, "power-cut: %s: %s\n", why, strerror(errno));
  abort();
}

__attribute__((constructor)) static void begin(void) {
  /* The real ftruncate64 comes before the log is sized, or that call would come back here. */
  find_open64(); find_openat64(); find_close(); find_write(); find_writev(); find_pwrite64(); find_pwritev64();
  find_ftruncate64(); find_fsync(); find_fdatasync(); find_unlink(); find_rename();
  const char *log = getenv("POWER_CUT_LOG"), *where = getenv("POWER_CUT_FOLDER");
  unsetenv("LD_PRELOAD"); /* one process per log */
  if (getenv("POWER_CUT_FAIL_SYNC")) failing_sync = atol(getenv("POWER_CUT_FAIL_SYNC"));
  if (getenv("POWER_CUT_SLOW_SYNC")) slow_sync = atol(getenv("POWER_CUT_SLOW_SYNC"));
  if (getenv("POWER_CUT_DIE_AT")) die_at = atol(getenv("POWER_CUT_DIE_AT"));
  die_after = getenv("POWER_CUT_DIE_AFTER") != NULL;
  if (!log || !where) return;
  if (!realpath(where, folder)) give_up(where);
  snprintf(saved, sizeof saved, "%s.saved", log);
  if (mkdir(saved, 0700) && errno != EEXIST) give_up(saved);
  int fd = real_open64(log, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || real_ftruncate64(fd, LOG_BYTES)) give_up(log);
  struct header *map = mmap(NULL, LOG_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) give_up(log);
  real_close(fd);
  map->magic = 0x5055434c4f47; map->tail = FIRST_RECORD; map->next = 1;
  head = map;
}

/* The caller holds the lock. Room for a record; publish() makes it count. */
static struct record *reserve(enum kind kind, uint64_t inode, size_t old) {
  size_t length = (sizeof(struct record) + old + 7) & ~(size_t)7;
  if (head->tail + length > LOG_BYTES) { errno = ENOSPC; give_up("the log is full"); }
  struct record *r = (struct record *)((char *)head + head->tail);
  *r = (struct record){ .kind = kind, .length = (uint32_t)length, .number = head->next, .inode = inode, .old = (uint32_t)old };
  return r;
}

static void publish(struct record *r) {
  head->next++;
  __atomic_store_n(&head->tail, head->tail + r->length, __ATOMIC_RELEASE);
}

/* A change or sync begins. The number says whether the program is to die after it. */
static long point(void) {
  long n = __atomic_add_fetch(&points, 1, __ATOMIC_RELAXED);
  if (n == die_at && !die_after) kill(getpid(), SIGKILL);
  return n;
}

static void passed(long n) {
  if (n == die_at && die_after) kill(getpid(), SIGKILL);
}

static int is_watched(int fd) {
  return head && fd >= 0 && fd < MOST_FILES && __atomic_load_n(&watched[fd], __ATOMIC_RELAXED);
}

static int below(const char *path) {
  size_t n = strlen(folder);
  return !strncmp(path, folder, n) && (path[n] == 0 || path[n] == '/');
}

/* The path with its folder resolved; 0 when it is not below the watched one. `inode` is the folder's. */
static int place(const char *path, char *full, uint64_t *inode) {
  char copy[PATH_MAX], dir[PATH_MAX];
  struct stat st;
  if (!head || strlen(path) >= PATH_MAX) return 0;
  strcpy(copy, path);
  char *slash = strrchr(copy, '/');
  const char *name = slash ? slash + 1 : path;
  if (slash) *slash = 0;
  if (!realpath(slash ? (copy[0] ? copy : "/") : ".", dir) || !below(dir) || stat(dir, &st)) return 0;
  *inode = st.st_ino;
  return snprintf(full, PATH_MAX, "%s/%s", dir, name) < PATH_MAX;
}

/* Keeps the file of a name that is about to go, and with it its inode: replayed writes must not hit another file. */
static void keep(const char *path, char *name) {
  snprintf(name, PATH_MAX + 16, "%s/%u", saved, ++saves);
  if (link(path, name)) name[0] = 0;
}

static void log_names(enum kind kind, uint64_t dir, const char *const *names, int count) {
  size_t bytes = 0;
  for (int i = 0; i < count; i++) bytes += strlen(names[i]) + 1;
  struct record *r = reserve(kind, dir, bytes);
  char *to = (char *)(r + 1);
  for (int i = 0; i < count; i++) to = stpcpy(to, names[i]) + 1;
  publish(r);
}

static int opened(int fd, int created, const char *full, uint64_t dir) {
  char link_name[64], path[PATH_MAX];
  struct stat st;
  if (fd < 0 || fd >= MOST_FILES || !head) return fd;
  snprintf(link_name, sizeof link_name, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link_name, path, sizeof path - 1);
  if (n > 0) path[n] = 0;
  int watch = n > 0 && below(path) && !fstat(fd, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
  __atomic_store_n(&watched[fd], watch, __ATOMIC_RELAXED);
  if (watch && created) {
    pthread_mutex_lock(&lock);
    log_names(CREATE, dir, &full, 1);
    pthread_mutex_unlock(&lock);
  }
  return fd;
}

/* O_TRUNC empties the file inside open; it is taken out and done by ftruncate, which writes down what goes. */
static int open_watched(int at, const char *path, int flags, mode_t mode) {
  char full[PATH_MAX];
  uint64_t dir = 0;
  int ours = (at == AT_FDCWD || path[0] == '/') && (flags & (O_CREAT | O_TRUNC)) && place(path, full, &dir);
  int created = ours && (flags & O_CREAT) && access(full, F_OK) != 0;
  int empty = ours && (flags & O_TRUNC) && (flags & O_ACCMODE) != O_RDONLY;
  int fd = opened(real_openat64(at, path, empty ? flags & ~O_TRUNC : flags, mode), created, full, dir);
  if (fd >= 0 && empty && ftruncate64(fd, 0)) { int was = errno; close(fd); errno = was; return -1; }
  return fd;
}

#define MODE(flags) ({ mode_t m = 0; if ((flags) & (O_CREAT | O_TMPFILE)) { va_list l; va_start(l, flags); m = va_arg(l, mode_t); va_end(l); } m; })
int open64(const char *path, int flags, ...) { find_openat64(); return open_watched(AT_FDCWD, path, flags, MODE(flags)); }
int open(const char *path, int flags, ...) { find_openat64(); return open_watched(AT_FDCWD, path, flags, MODE(flags)); }
int openat64(int at, const char *path, int flags, ...) { find_openat64(); return open_watched(at, path, flags, MODE(flags)); }
int openat(int at, const char *path, int flags, ...) { find_openat64(); return open_watched(at, path, flags, MODE(flags)); }

int close(int fd) {
  find_close();
  if (fd >= 0 && fd < MOST_FILES) __atomic_store_n(&watched[fd], 0, __ATOMIC_RELAXED);
  return real_close(fd);
}

/* The caller holds the lock. */
static void log_write(int fd, uint64_t offset, size_t count) {
  struct stat st;
  if (fstat(fd, &st)) give_up("fstat");
  uint64_t size = (uint64_t)st.st_size;
  size_t old = offset >= size ? 0 : (size - offset < count ? size - offset : count);
  struct record *r = reserve(WRITE, st.st_ino, old);
  r->offset = offset; r->size = size; r->fresh = (uint32_t)count;
  if (old) {
    /* Not through fd: it may be open for writing only. */
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    int in = real_open64(name, O_RDONLY);
    if (in < 0 || pread64(in, r + 1, old, (off64_t)offset) != (ssize_t)old) give_up("reading what is overwritten");
    real_close(in);
  }
  publish(r);
}

static uint64_t position(int fd) {
  struct stat st;
  if (fcntl(fd, F_GETFL) & O_APPEND) return fstat(fd, &st) ? 0 : (uint64_t)st.st_size;
  off64_t at = lseek64(fd, 0, SEEK_CUR);
  return at < 0 ? 0 : (uint64_t)at;
}

static size_t total(const struct iovec *v, int n) {
  size_t bytes = 0;
  for (int i = 0; i < n; i++) bytes += v[i].iov_len;
  return bytes;
}

#define LOGGED(fd, offset, count, call) do { \
  if (!is_watched(fd)) return call; \
  pthread_mutex_lock(&lock); \
  log_write(fd, offset, count); \
  long n_point = point(); \
  ssize_t result = call; \
  int was = errno; \
  passed(n_point); \
  pthread_mutex_unlock(&lock); \
  errno = was; \
  return result; \
} while (0)

ssize_t write(int fd, const void *b, size_t n) { find_write(); LOGGED(fd, position(fd), n, real_write(fd, b, n)); }
ssize_t writev(int fd, const struct iovec *v, int n) { find_writev(); LOGGED(fd, position(fd), total(v, n), real_writev(fd, v, n)); }
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t at) { find_pwrite64(); LOGGED(fd, (uint64_t)at, n, real_pwrite64(fd, b, n, at)); }
ssize_t pwrite(int fd, const void *b, size_t n, off_t at) { return pwrite64(fd, b, n, at); }
ssize_t pwritev64(int fd, const struct iovec *v, int n, off64_t at) { find_pwritev64(); LOGGED(fd, (uint64_t)at, total(v, n), real_pwritev64(fd, v, n, at)); }
ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at) { return pwritev64(fd, v, n, at); }

int ftruncate64(int fd, off64_t to) {
  struct stat st;
  find_ftruncate64();
  if (!is_watched(fd) || fstat(fd, &st)) return real_ftruncate64(fd, to);
  pthread_mutex_lock(&lock);
  size_t old = st.st_size > to ? (size_t)(st.st_size - to) : 0;
  struct record *r = reserve(TRUNCATE, st.st_ino, old);
  r->offset = (uint64_t)to; r->size = (uint64_t)st.st_size;
  if (old) {
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    int in = real_open64(name, O_RDONLY);
    for (size_t done = 0; done < old;) {
      ssize_t n = in < 0 ? -1 : pread64(in, (char *)(r + 1) + done, old - done, to + (off64_t)done);
      if (n <= 0) give_up("reading what is cut off");
      done += (size_t)n;
    }
    real_close(in);
  }
  publish(r);
  long n_point = point();
  int result = real_ftruncate64(fd, to), was = errno;
  passed(n_point);
  pthread_mutex_unlock(&lock);
  errno = was;
  return result;
}
int ftruncate(int fd, off_t to) { return ftruncate64(fd, to); }

/* What was written while the sync ran is not counted as safe. */
static int synced(int fd, int (*sync)(int)) {
  struct stat st;
  if (!is_watched(fd) || fstat(fd, &st)) return sync(fd);
  pthread_mutex_lock(&lock);
  uint64_t next = head->next;
  int fails = ++syncs == failing_sync;
  pthread_mutex_unlock(&lock);
  if (fails) { errno = EIO; return -1; }
  if (slow_sync) nanosleep(&(struct timespec){ .tv_sec = slow_sync / 1000, .tv_nsec = slow_sync % 1000 * 1000000 }, NULL);
  long n_point = point();
  int result = sync(fd), was = errno;
  if (result == 0) {
    pthread_mutex_lock(&lock);
    struct record *r = reserve(SYNC, st.st_ino, 0);
    r->offset = next;
    publish(r);
    pthread_mutex_unlock(&lock);
  }
  passed(n_point);
  errno = was;
  return result;
}
int fsync(int fd) { find_fsync(); return synced(fd, real_fsync); }
int fdatasync(int fd) { find_fdatasync(); return synced(fd, real_fdatasync); }

int unlink(const char *path) {
  char full[PATH_MAX], kept[PATH_MAX + 16];
  uint64_t dir;
  find_unlink();
  if (!place(path, full, &dir) || access(full, F_OK)) return real_unlink(path);
  pthread_mutex_lock(&lock);
  keep(full, kept);
  log_names(UNLINK, dir, (const char *const[]){ full, kept }, 2);
  long n_point = point();
  int result = real_unlink(path), was = errno;
  passed(n_point);
  pthread_mutex_unlock(&lock);
  errno = was;
  return result;
}

int rename(const char *from, const char *to) {
  char source[PATH_MAX], target[PATH_MAX], kept[PATH_MAX + 16] = "";
  uint64_t dir, unused;
  find_rename();
  if (!place(from, source, &unused) || !place(to, target, &dir)) return real_rename(from, to);
  pthread_mutex_lock(&lock);
  if (!access(target, F_OK)) keep(target, kept);
  log_names(RENAME, dir, (const char *const[]){ source, target, kept }, 3);
  long n_point = point();
  int result = real_rename(from, to), was = errno;
  passed(n_point);
  pthread_mutex_unlock(&lock);
  errno = was;
  return result;
}
