// A library for LD_PRELOAD: a slow network file system. Every second read or write of a regular file is interrupted (EINTR), and the
// others transfer at most 7 bytes, or at most FAULTY_IO_BYTES bytes. flock() fails with the error FAULTY_IO_FLOCK, if it is set.
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long calls;

static long number(const char* name, long absent) {
    const char* const text = getenv(name);
    return text != NULL ? atol(text) : absent;
}

static int is_regular(int file) {
    struct stat state;
    return fstat(file, &state) == 0 && S_ISREG(state.st_mode);
}

static size_t transferred(size_t size) {
    const long most = number("FAULTY_IO_BYTES", 7);
    return size < (size_t)most ? size : (size_t)most;
}

static ssize_t transfer(long call, int file, void* bytes, size_t size, off_t at) {
    if (!is_regular(file)) return syscall(call, file, bytes, size, at);
    if (atomic_fetch_add(&calls, 1) % 2 == 0) {
        errno = EINTR;
        return -1;
    }
    return syscall(call, file, bytes, transferred(size), at);
}

ssize_t read(int file, void* bytes, size_t size) { return transfer(SYS_read, file, bytes, size, 0); }
ssize_t write(int file, const void* bytes, size_t size) { return transfer(SYS_write, file, (void*)bytes, size, 0); }
ssize_t pread(int file, void* bytes, size_t size, off_t at) { return transfer(SYS_pread64, file, bytes, size, at); }
ssize_t pread64(int file, void* bytes, size_t size, off_t at) { return transfer(SYS_pread64, file, bytes, size, at); }
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) { return transfer(SYS_pwrite64, file, (void*)bytes, size, at); }
ssize_t pwrite64(int file, const void* bytes, size_t size, off_t at) { return transfer(SYS_pwrite64, file, (void*)bytes, size, at); }

int flock(int file, int operation) {
    const long error = number("FAULTY_IO_FLOCK", 0);
    if (error == 0) return (int)syscall(SYS_flock, file, operation);
    errno = (int)error;
    return -1;
}
