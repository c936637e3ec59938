// Safe use of the HDF5 C library: one global lock, RAII ids, errors as text.
#pragma once
// Selects the API of 1.10, which later versions of the library provide, too.
#define H5_USE_110_API
#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>

namespace voxcc::io::hdf5 {

/// A lock that must be held around every call of the library, which may be built without thread safety. The lock is recursive. Its
/// constructor also silences error output, disables plugins, and prevents exit handlers of the library (an id left by a failed call crashes
/// the exit handler of 1.10.8).
class Lock {
public:
    Lock();
    /// Replaces the lock in a process that was forked while the calling thread held it: its owner does not exist in the new process.
    static void renew_after_fork();

private:
    std::unique_lock<std::recursive_mutex> held_;
};

/// An id of the library, released on destruction.
class Id {
public:
    Id() = default;
    explicit Id(hid_t id) : id_(id) {}
    Id(Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
    Id& operator=(Id&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    ~Id();
    operator hid_t() const { return id_; }
    hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }

private:
    hid_t id_ = H5I_INVALID_HID;
};

/// @return the most specific (innermost) error text for the last failed call of this thread. Clears the error.
std::string complaint();

/// @return whether the last failed call of this thread failed because a chunk was never written, which is allowed
bool chunk_was_missing();

}  // namespace voxcc::io::hdf5
