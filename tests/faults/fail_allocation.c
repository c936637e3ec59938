// A library for LD_PRELOAD: allocations of a program fail after the start of its main function.
//   FAIL_ALLOCATION_AT=K      the K-th allocation fails, counted from 0 over all processes of the program
//   FAIL_ALLOCATION_FROM=K    the K-th allocation and all later allocations fail
//   FAIL_ALLOCATION_COUNT=F   the number of allocations is written to the file F when the program ends
// operator new of libstdc++ calls malloc or aligned_alloc.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* old, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

typedef int (*main_function)(int, char**, char**);

static atomic_long* calls = NULL;  // shared by the processes of the program; NULL before main
static long at = -1;
static long from = -1;
static main_function real_main;

static int fails(void) {
    if (calls == NULL) return 0;
    const long call = atomic_fetch_add(calls, 1);
    if (call != at && (from < 0 || call < from)) return 0;
    errno = ENOMEM;
    return 1;
}

void* malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return size > 0 && fails() ? NULL : __libc_realloc(old, size); }
void* memalign(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** memory, size_t alignment, size_t size) {
    void* const found = memalign(alignment, size);
    if (found != NULL) *memory = found;
    return found != NULL ? 0 : ENOMEM;
}

static void* system_mmap(void* wanted, size_t size, int protection, int flags, int file, off_t offset) {
    return (void*)syscall(SYS_mmap, wanted, size, protection, flags, file, offset);
}

void* mmap(void* wanted, size_t size, int protection, int flags, int file, off_t offset) {
    return fails() ? MAP_FAILED : system_mmap(wanted, size, protection, flags, file, offset);
}

static long number(const char* name) {
    const char* const text = getenv(name);
    return text != NULL ? atol(text) : -1;
}

static void write_count(void) {
    const char* const path = getenv("FAIL_ALLOCATION_COUNT");
    if (path == NULL) return;
    const long count = atomic_load(calls);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0) dprintf(file, "%ld\n", count);
}

// The program ends with _exit(), which runs no exit handlers. The children of the program write the number, too; the program is the last.
void _exit(int status) {
    write_count();
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

static int counted_main(int count, char** arguments, char** environment) {
    at = number("FAIL_ALLOCATION_AT");
    from = number("FAIL_ALLOCATION_FROM");
    atexit(write_count);
    calls = system_mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return real_main(count, arguments, environment);
}

int __libc_start_main(main_function program, int count, char** arguments, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                      void* stack_end) {
    int (*start)(main_function, int, char**, void (*)(void), void (*)(void), void (*)(void), void*) = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = program;
    return start(counted_main, count, arguments, init, fini, rtld_fini, stack_end);
}
