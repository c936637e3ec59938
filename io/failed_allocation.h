// Failed allocations in libraries that do not report them: as an error about something else, not at all, or by a crash.
#pragma once
#include <csignal>
#include <cstddef>
#include <memory>

namespace voxcc::io {

/// Must be called before calls of a C library, after which allocation_failed() is asked.
void forget_failed_allocations();

/// @return whether an allocation of this thread has failed since forget_failed_allocations(). malloc sets errno; other failed system calls
/// replace the value.
bool allocation_failed();

/// Calls `end` instead of the default action if the program crashes after an allocation has failed: if a library uses a null pointer,
/// aborts, or throws std::bad_alloc out of a noexcept function. Replaces an earlier `end`. Signal handlers of sanitizers stay.
/// @param end must end the process; it is called in a signal handler, and so must not allocate memory
void end_on_failed_allocation(void (*end)());

/// A second stack for the crash handler of this thread, for libraries that recurse without end after a failed allocation.
class CrashStack {
public:
    /// @throw std::bad_alloc
    CrashStack();
    ~CrashStack();
    CrashStack(const CrashStack&) = delete;
    CrashStack& operator=(const CrashStack&) = delete;

private:
    std::unique_ptr<std::byte[]> bytes_;
    stack_t before_{};
};

/// Must be called once, in main(): a library that calls exit() after an allocation has failed is a crash, too (HDF5 1.10).
void end_on_exit_of_a_library();

/// Must be called before main() returns.
void expect_exit();

}  // namespace voxcc::io
