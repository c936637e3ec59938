// HDF5 files through our own checked files instead of the library's drivers.
//
// So the library can open nothing but what it is given, a read past the end is an error instead of zeros, errors keep their errno, and
// a full disk cannot leave the library with a file that it is unable to close (which crashes it later).
#pragma once
#include "io/checked_file.h"
#include "io/hdf5/hdf5_handles.h"
#include "io/io.h"

#include <memory>

namespace voxcc::io::hdf5 {

struct DriverState;  // what the driver needs to know and has met, shared with the library's callbacks

/// Bytes of a file; offset -1: none.
struct StoredBytes {
    std::int64_t offset = -1, bytes = 0;
};

/// Takes a shared lock, as the library would. File systems without locks are read without.
/// @throw Error io_error while another program writes the file (unless HDF5_USE_FILE_LOCKING=FALSE)
void lock_shared(const InputFile& input);

class File {
public:
    /// Opens for reading. To be done in a process of its own (hdf5_process.h): the library may crash on a corrupt file.
    /// @param input must live longer than this
    /// @throw Error bad_data (not HDF5, truncated)
    File(const InputFile& input, ExternalFiles external);
    /// Creates an empty file inside `output`, which stays open. @throw Error io_error
    explicit File(OutputFile& output);
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    operator hid_t() const { return id_; }
    const std::string& path() const;  // of the input, or the output's target
    std::int64_t size() const;        // bytes, of an input
    /// Calls `read`, which reads raw data through the library, but reads no voxel: the bytes that the library wants are noted instead, and
    /// its buffer is left as it is. @return the bytes that the last read of raw data wanted; offset -1 if there was none
    template <class Read>
    StoredBytes locate(const Read& read) const {
        start_recording();
        read();
        return stop_recording();
    }
    /// Files besides this one that were opened for it, or that hold its voxels.
    const std::vector<std::string>& further_files() const;
    void add_further_file(const std::string& path) const;
    hid_t access_properties() const { return access_properties_; }

    /// Passes on the result of a call of the library. @throw Error naming this file if it failed: what our driver met (io_error) before
    /// what the library makes of it (bad_data for an input, io_error for an output)
    template <class Result>
    Result check(Result result, const std::string& action) const {
        if (result < 0 || write_failed()) fail(action);
        return result;
    }
    Id own(hid_t id, const std::string& action) const {
        Id owned(id);
        check(id, action);
        return owned;
    }
    /// Writes what the library still holds and closes. @throw Error io_error
    void close();

private:
    void start_recording() const;
    StoredBytes stop_recording() const;
    bool write_failed() const;
    [[noreturn]] void fail(const std::string& action) const;
    std::unique_ptr<DriverState> state_;
    Id access_properties_, id_;
};

}  // namespace voxcc::io::hdf5
