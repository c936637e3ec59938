// Safe use of the HDF5 C library: RAII ids, errors as text. Every call needs the lock of hdf5_lock.h.
#pragma once
#include "io/formats/hdf5/hdf5_lock.h"

// Selects the API of 1.10, which later versions of the library provide, too.
#define H5_USE_110_API
#include <hdf5.h>

#include <string>
#include <utility>

namespace voxcc::io::hdf5 {

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

/// @return the most specific (innermost) error text for the last failed call of this thread, or an empty text
std::string innermost_error();

/// @return innermost_error(), or a sentence if it is empty. Clears the error.
std::string complaint();

/// @return whether the last failed call of this thread failed because a chunk was never written, which is allowed
bool chunk_was_missing();

}  // namespace voxcc::io::hdf5
