#include "io/failed_allocation.h"

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <new>

namespace voxcc::io {
namespace {

void (*end_process)() = nullptr;
std::terminate_handler handler_of_the_runtime = nullptr;
bool exit_is_expected = false;

/// Returns to the instruction that caused the signal, which then ends the process, unless an allocation has failed.
void end_by_crash(int signal) {
    if (allocation_failed()) end_process();
    std::signal(signal, SIG_DFL);
    ::raise(signal);
}

void handle_crash(int signal) {
    struct sigaction before {
    }, action{};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;
    action.sa_handler = end_by_crash;
    action.sa_flags = int(SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
    ::sigaction(signal, &action, nullptr);
}

/// @return whether std::terminate was called for want of memory: for std::bad_alloc, or because no memory was left for an exception object
bool terminates_without_memory() {
    constexpr std::size_t more_than_an_exception = 1024;
    if (!std::current_exception()) return std::malloc(more_than_an_exception) == nullptr;
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return true;
    } catch (...) {
        return false;
    }
}

void terminate() {
    if (terminates_without_memory()) end_process();
    handler_of_the_runtime();
}

void end_by_exit() {
    if (!exit_is_expected && allocation_failed()) end_process();
}

}  // namespace

void forget_failed_allocations() { errno = 0; }
bool allocation_failed() { return errno == ENOMEM; }

void end_on_failed_allocation(void (*end)()) {
    end_process = end;
    if (!handler_of_the_runtime) handler_of_the_runtime = std::set_terminate(terminate);
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT}) handle_crash(signal);
}

CrashStack::CrashStack() {
    constexpr std::size_t size = 64 << 10;
    bytes_ = std::make_unique<std::byte[]>(size);
    stack_t stack{};
    stack.ss_sp = bytes_.get();
    stack.ss_size = size;
    ::sigaltstack(&stack, &before_);
}

CrashStack::~CrashStack() { ::sigaltstack(&before_, nullptr); }

void end_on_exit_of_a_library() { (void)!std::atexit(end_by_exit); }

void expect_exit() { exit_is_expected = true; }

}  // namespace voxcc::io
