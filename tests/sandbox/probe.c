/* Which system calls can a process make that parses an untrusted file? Preloaded into voxcc (LD_PRELOAD), this library makes all of them
   in the first child process that has set its filter, and writes what happened to the file $SANDBOX_REPORT: "NAME: allowed" or the errno
   value. $SANDBOX_FOLDER is a folder with the file secret.txt, $SANDBOX_VICTIM the number of a process of the same user. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { report_bytes = 1 << 16, last_call = 500, path_bytes = 512 };
enum { uretprobe = 335, uprobe = 336 }; /* of x86-64: the kernel ends a process that makes them */

static char* report;
static pid_t program, victim;
static char secret[2 * path_bytes], folder[path_bytes];

__attribute__((constructor)) static void open_report(void) {
    const char* path = getenv("SANDBOX_REPORT");
    if (!path) return;
    int file = open(path, O_RDWR | O_CREAT, 0644);
    if (file < 0 || ftruncate(file, report_bytes) != 0) abort();
    report = mmap(0, report_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    program = getpid();
    victim = atoi(getenv("SANDBOX_VICTIM"));
    snprintf(folder, sizeof folder, "%s", getenv("SANDBOX_FOLDER"));
    snprintf(secret, sizeof secret, "%s/secret.txt", folder);
}

static void tell(const char* name, long result) {
    const int error = errno;
    const size_t used = strlen(report);
    snprintf(report + used, report_bytes - used, "%s: %s\n", name, result < 0 ? strerrorname_np(error) : "allowed");
}

#define TRY(name, call) (errno = 0, tell(name, (long)(call)))

/* Names of the calls that the filter allows for some arguments. Others are reported by their number. */
static const struct {
    long number;
    const char* name;
} names[] = {
#define NAME(call) {SYS_##call, #call}
    NAME(read),          NAME(pread64),       NAME(readv),         NAME(preadv),       NAME(lseek),          NAME(close),
    NAME(fstat),         NAME(newfstatat),    NAME(statx),         NAME(faccessat),    NAME(readlinkat),     NAME(getdents64),
    NAME(getcwd),        NAME(fcntl),         NAME(dup),           NAME(sendto),       NAME(recvfrom),       NAME(mmap),
    NAME(munmap),        NAME(mremap),        NAME(mprotect),      NAME(madvise),      NAME(brk),            NAME(futex),
    NAME(rseq),          NAME(sched_yield),   NAME(getpid),        NAME(gettid),       NAME(getuid),         NAME(geteuid),
    NAME(getgid),        NAME(getegid),       NAME(uname),         NAME(sysinfo),      NAME(getrandom),      NAME(clock_gettime),
    NAME(clock_getres),  NAME(times),         NAME(getrusage),     NAME(sigaltstack),  NAME(rt_sigprocmask), NAME(prlimit64),
    NAME(clone),         NAME(openat),        NAME(gettimeofday),  NAME(flock),        NAME(setitimer),      NAME(getitimer),
    NAME(rt_sigaction),  NAME(set_robust_list), NAME(sched_getaffinity),
#ifdef __x86_64__
    NAME(stat),          NAME(lstat),         NAME(access),        NAME(readlink),     NAME(getdents),       NAME(time),
    NAME(arch_prctl),    NAME(getrlimit),     NAME(open),
#endif
};

static void tell_call(long number) {
    char text[64];
    snprintf(text, sizeof text, "system call %ld", number);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (names[i].number == number) snprintf(text, sizeof text, "system call %s", names[i].name);
    tell(text, 0);
}

static int is_permitted(long number, long argument) {
    errno = 0;
    const long result = syscall(number, argument, argument, argument, argument, argument, argument);
    return result >= 0 || (errno != EPERM && errno != ENOSYS);
}

/* Makes all calls with arguments that are not valid, and with zeros. */
static void try_all_calls(void) {
    for (long number = 0; number <= last_call; ++number) {
        if (number == SYS_exit || number == SYS_exit_group || number == SYS_rt_sigreturn) continue; /* would end the process */
#ifdef __x86_64__
        if (number == uretprobe || number == uprobe) continue;
#endif
        if (is_permitted(number, -1) || is_permitted(number, 0)) tell_call(number);
    }
}

static long open_name(const char* name, int flags) { return syscall(SYS_openat, AT_FDCWD, name, flags, 0600); }

static long read_name(const char* name) {
    char bytes[64];
    const long file = open_name(name, O_RDONLY);
    return file < 0 ? -1 : syscall(SYS_read, file, bytes, sizeof bytes);
}

static long read_of_process(const char* file) {
    char name[path_bytes];
    snprintf(name, sizeof name, "/proc/%d/%s", victim, file);
    return read_name(name);
}

static void try_files(void) {
    char made[2 * path_bytes];
    snprintf(made, sizeof made, "%s/made", folder);
    TRY("read another file of the user", read_name(secret));
    TRY("read /etc/passwd", read_name("/etc/passwd"));
    TRY("list another folder", open_name(folder, O_RDONLY | O_DIRECTORY));
    TRY("read /proc/PID/environ of another process", read_of_process("environ"));
    TRY("read /proc/PID/maps of another process", read_of_process("maps"));
    TRY("open /proc/PID/mem of another process", ({
            char name[path_bytes];
            snprintf(name, sizeof name, "/proc/%d/mem", victim);
            open_name(name, O_RDONLY);
        }));
    TRY("open for writing", open_name(secret, O_WRONLY));
    TRY("open for reading and writing", open_name(secret, O_RDWR));
    TRY("open with access mode 3", open_name(secret, 3));
    TRY("open with O_TRUNC", open_name(secret, O_RDONLY | O_TRUNC));
    TRY("open with O_CREAT", open_name(made, O_RDONLY | O_CREAT));
    TRY("open with O_TMPFILE", open_name(folder, O_TMPFILE | O_RDWR));
}

static int is_socket(int file) {
    struct stat st;
    return fstat(file, &st) == 0 && S_ISSOCK(st.st_mode);
}

static int channel(void) {
    int file = STDERR_FILENO + 1;
    while (file < 64 && !is_socket(file)) ++file;
    return file;
}

/* Two ways to let the kernel send SIGKILL to another process: at access to a folder, and at data on the socket. */
static void try_signals(int null, int socket) {
    const long opened = open_name(folder, O_RDONLY | O_DIRECTORY);
    const int file = opened < 0 ? null : (int)opened;
    TRY("fcntl F_NOTIFY", syscall(SYS_fcntl, file, F_NOTIFY, DN_ACCESS | DN_MULTISHOT));
    TRY("fcntl F_SETSIG", syscall(SYS_fcntl, file, F_SETSIG, SIGKILL));
    TRY("fcntl F_SETOWN of another process", syscall(SYS_fcntl, file, F_SETOWN, victim));
    struct f_owner_ex owner = {F_OWNER_PID, victim};
    TRY("fcntl F_SETOWN_EX of another process", syscall(SYS_fcntl, file, F_SETOWN_EX, &owner));
    read_name(secret);
    TRY("fcntl F_SETOWN on the socket", syscall(SYS_fcntl, socket, F_SETOWN, victim));
    TRY("fcntl F_SETSIG on the socket", syscall(SYS_fcntl, socket, F_SETSIG, SIGKILL));
    TRY("fcntl F_SETFL O_ASYNC on the socket", syscall(SYS_fcntl, socket, F_SETFL, O_ASYNC));
    TRY("kill", syscall(SYS_kill, victim, 0));
    TRY("tgkill", syscall(SYS_tgkill, victim, victim, 0));
}

static void try_locks(int file) {
    struct flock lock = {.l_type = F_RDLCK};
    TRY("flock", syscall(SYS_flock, file, LOCK_EX | LOCK_NB));
    TRY("fcntl F_SETLK", syscall(SYS_fcntl, file, F_SETLK, &lock));
    TRY("fcntl F_OFD_SETLK", syscall(SYS_fcntl, file, F_OFD_SETLK, &lock));
    TRY("fcntl F_SETLEASE", syscall(SYS_fcntl, file, F_SETLEASE, F_RDLCK));
    TRY("fcntl F_SETPIPE_SZ", syscall(SYS_fcntl, file, F_SETPIPE_SZ, 4096));
    TRY("fcntl F_ADD_SEALS", syscall(SYS_fcntl, file, F_ADD_SEALS, 0));
    TRY("fcntl F_GETFD", syscall(SYS_fcntl, file, F_GETFD));
    TRY("fcntl F_SETFD", syscall(SYS_fcntl, file, F_SETFD, FD_CLOEXEC));
    TRY("fcntl F_GETFL", syscall(SYS_fcntl, file, F_GETFL));
    TRY("fcntl F_DUPFD", syscall(SYS_fcntl, file, F_DUPFD, 0));
    TRY("fcntl F_DUPFD_CLOEXEC", syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, 0));
}

static void try_limits(void) {
    const struct itimerval none = {{0, 0}, {0, 0}};
    const struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
    struct rlimit limit;
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    TRY("setitimer", syscall(SYS_setitimer, ITIMER_PROF, &none, 0));
    TRY("ignore SIGXCPU", sigaction(SIGXCPU, &ignore, 0));
    TRY("raise the own RLIMIT_CPU", syscall(SYS_prlimit64, 0, RLIMIT_CPU, &most, 0));
    TRY("raise the own RLIMIT_AS", syscall(SYS_prlimit64, 0, RLIMIT_AS, &most, 0));
    TRY("raise the own RLIMIT_FSIZE", syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, &most, 0));
    TRY("read the own RLIMIT_AS", syscall(SYS_prlimit64, 0, RLIMIT_AS, 0, &limit));
    TRY("read a limit of another process", syscall(SYS_prlimit64, victim, RLIMIT_CPU, 0, &limit));
}

static void try_others(int file, int socket) {
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/tmp/none"};
    void* memory = 0;
    TRY("sendto with an address", syscall(SYS_sendto, socket, "", 0, MSG_DONTWAIT, &address, sizeof address));
    TRY("sendto without an address", syscall(SYS_sendto, socket, "", 0, MSG_DONTWAIT, 0, 0));
    TRY("mmap PROT_EXEC", (memory = mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) == MAP_FAILED ? -1 : 0);
    TRY("mmap", (memory = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) == MAP_FAILED ? -1 : 0);
    TRY("mprotect PROT_EXEC", mprotect(memory, 4096, PROT_READ | PROT_EXEC));
    TRY("mprotect", mprotect(memory, 4096, PROT_READ));
    TRY("write to the file", syscall(SYS_write, file, "x", 1));
    TRY("clone of a process", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    TRY("clone of a user namespace", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
}

static void probe(void) {
    const int socket = channel();
    const int null = STDIN_FILENO; /* /dev/null */
    strcat(report, "begin\n");
    try_files();
    try_signals(null, socket);
    try_locks(null);
    try_limits();
    try_others(null, socket);
    try_all_calls();
    strcat(report, "end\n");
}

int prctl(int operation, ...) {
    va_list list;
    va_start(list, operation);
    unsigned long a[4];
    for (int i = 0; i < 4; ++i) a[i] = va_arg(list, unsigned long);
    va_end(list);
    const long result = syscall(SYS_prctl, operation, a[0], a[1], a[2], a[3]);
    if (operation == PR_SET_SECCOMP && result == 0 && report && getpid() != program && !report[0]) {
        probe();
        syscall(SYS_exit_group, 0); /* the descriptors and the memory of the process have changed */
    }
    return (int)result;
}
