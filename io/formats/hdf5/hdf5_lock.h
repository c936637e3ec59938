// The global lock of the HDF5 C library. This header does not include headers of the library.
#pragma once
#include <mutex>

namespace voxcc::io::hdf5 {

/// A lock that must be held around every call of the library, which may be built without thread safety. The lock is recursive. Its
/// constructor also silences error output, disables plugins, and prevents exit handlers of the library (an id left by a failed call crashes
/// the exit handler of 1.10.8). In a build without HDF5, it locks nothing.
class Lock {
public:
    Lock();
    /// Replaces the lock in a process that was forked while the calling thread held it: its owner does not exist in the new process.
    static void renew_after_fork();

private:
    std::unique_lock<std::recursive_mutex> held_;
};

}  // namespace voxcc::io::hdf5
