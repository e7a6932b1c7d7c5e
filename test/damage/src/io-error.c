// Preloaded library: operations of the kinds in IO_ERROR_WHAT (open, read, write, sync) on files whose path holds IO_ERROR_FILE fail with EIO,
// from when the file IO_ERROR_FLAG exists; at once where that is not set.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wanted(const char *what, const char *path) {
  const char *kinds = getenv("IO_ERROR_WHAT"), *file = getenv("IO_ERROR_FILE"), *flag = getenv("IO_ERROR_FLAG");
  if (!kinds || !file || !strstr(kinds, what) || !path || !strstr(path, file)) return 0;
  return !flag || access(flag, F_OK) == 0;
}

static int failing(const char *what, int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return wanted(what, path);
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type (*)(__VA_ARGS__)) dlsym(RTLD_NEXT, #name)
#define FAIL_IF(condition) if (condition) { errno = EIO; return -1; }

ssize_t pread64(int fd, void *to, size_t count, off64_t at) { REAL(ssize_t, pread64, int, void *, size_t, off64_t); FAIL_IF(failing("read", fd)) return real(fd, to, count, at); }
ssize_t pread(int fd, void *to, size_t count, off_t at) { REAL(ssize_t, pread, int, void *, size_t, off_t); FAIL_IF(failing("read", fd)) return real(fd, to, count, at); }
ssize_t read(int fd, void *to, size_t count) { REAL(ssize_t, read, int, void *, size_t); FAIL_IF(failing("read", fd)) return real(fd, to, count); }
ssize_t pwrite64(int fd, const void *from, size_t count, off64_t at) { REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t); FAIL_IF(failing("write", fd)) return real(fd, from, count, at); }
ssize_t pwrite(int fd, const void *from, size_t count, off_t at) { REAL(ssize_t, pwrite, int, const void *, size_t, off_t); FAIL_IF(failing("write", fd)) return real(fd, from, count, at); }
int fsync(int fd) { REAL(int, fsync, int); FAIL_IF(failing("sync", fd)) return real(fd); }
int fdatasync(int fd) { REAL(int, fdatasync, int); FAIL_IF(failing("sync", fd)) return real(fd); }

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    va_list more; va_start(more, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
    va_end(more); \
    REAL(int, name, const char *, int, ...); \
    FAIL_IF(wanted("open", path)) \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)
