// What makes the HDF5 C library safe to use: one lock, no id forgotten, its complaints as text.
#pragma once
// The names of 1.10, which later versions of the library keep.
#define H5_USE_110_API
#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>

namespace voxcc::io::hdf5 {

/// Held around every call of the library, which may not be built for threads. The same thread may take it again. Taking it also
/// silences the library's own printing, sets it never to load plugins, and to leave nothing to do when the process exits (where an id
/// left by a failed call crashes 1.10.8).
class Lock {
public:
    Lock();
    /// For a process that was forked while this thread held the lock: the copy of the lock, whose owner does not exist there, is replaced.
    static void renew_after_fork();

private:
    std::unique_lock<std::recursive_mutex> held_;
};

/// Any id of the library, released on destruction.
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

/// What the library says of the call that just failed on this thread: the innermost, most specific description.
std::string complaint();

/// Whether the call that just failed on this thread asked for the storage of a chunk that was never written, which is no fault.
bool chunk_was_missing();

}  // namespace voxcc::io::hdf5
