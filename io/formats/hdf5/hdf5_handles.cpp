#include "io/formats/hdf5/hdf5_handles.h"

#include "io/failed_allocation.h"

#include <new>
#include <string_view>

namespace voxcc::io::hdf5 {
namespace {

std::recursive_mutex*& library_mutex() {
    static auto* mutex = new std::recursive_mutex;
    return mutex;
}

/// The HDF5 library crashes if memory runs out while it starts. @throw std::bad_alloc
void require_memory_to_start() {
    constexpr std::size_t bytes = 4 << 20;
    ::operator delete(::operator new(bytes));  // the compiler must not remove these calls, unlike a new expression that nothing uses
}

bool set_up() {
    require_memory_to_start();
    const CrashStack stack;
    H5dont_atexit();  // fails if the library was started before
    if (H5open() < 0 || H5PLset_loading_state(0) < 0) throw std::bad_alloc();
    return true;
}

}  // namespace

Lock::Lock() : held_(*library_mutex()) {
    [[maybe_unused]] static const bool once = set_up();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // the setting is per thread
}

void Lock::renew_after_fork() { library_mutex() = new std::recursive_mutex; }

Id::~Id() {
    if (id_ < 0) return;
    const Lock lock;
    H5Idec_ref(id_);
}

std::string innermost_error() {
    std::string innermost;
    const auto keep_first = [](unsigned n, const H5E_error2_t* error, void* text) -> herr_t {
        if (n == 0 && error->desc) *static_cast<std::string*>(text) = error->desc;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &innermost);
    return innermost;
}

std::string complaint() {
    const std::string innermost = innermost_error();
    H5Eclear2(H5E_DEFAULT);
    return innermost.empty() ? "the HDF5 library gives no reason" : innermost;
}

bool chunk_was_missing() {
    bool missing = false;
    const auto look_at_first = [](unsigned n, const H5E_error2_t* error, void* result) -> herr_t {
        // Compares the text, because the error number has other uses. If a later version changes the text, the chunk is an error, not
        // zeros.
        if (n == 0 && error->desc) *static_cast<bool*>(result) = std::string_view(error->desc) == "chunk storage is not allocated";
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look_at_first, &missing);
    return missing;
}

}  // namespace voxcc::io::hdf5
