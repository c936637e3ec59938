// HDF5 files on top of the checked files of io instead of the drivers of the library.
//
// The library therefore opens only permitted files. A read past the end is an error instead of zeros, and errors keep their errno. On a
// full disk, the library can still close its file; it would crash later otherwise.
#pragma once
#include "io/files/checked_file.h"
#include "io/formats/hdf5/hdf5_handles.h"
#include "io/io.h"

#include <functional>
#include <memory>
#include <span>

namespace voxcc::io::hdf5 {

struct DriverState;  // state shared by File and the callbacks of the driver

/// A range of bytes in a file. Offset -1: none.
struct StoredBytes {
    std::int64_t offset = -1, bytes = 0;
};

/// A file that the library has opened.
struct OpenedFile {
    std::string path;
    std::int64_t size = 0;  // bytes
};

/// Receives the offset of a node in the file, and its bytes.
using UseNode = std::function<void(std::int64_t, std::span<const std::byte>)>;

/// Takes a shared lock, as the library would. File systems without locks are accepted.
/// @throw Error io_error while another program writes the file (unless HDF5_USE_FILE_LOCKING=FALSE)
void lock_shared(const InputFile& input);

/// An open HDF5 file. Every use must hold a Lock.
class File {
public:
    /// Opens for reading. Must run in a separate process (hdf5_process.h): the library can crash on a corrupt file.
    /// @param input must outlive this object
    /// @throw Error about the content (not HDF5, truncated)
    File(const InputFile& input, ExternalFiles external);
    /// Creates an empty HDF5 file in `output`, which stays open and must outlive this object. @throw Error io_error
    explicit File(OutputFile& output);
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    operator hid_t() const { return id_; }
    const std::string& path() const;  // of the input, or target of the output
    std::int64_t size() const;        // bytes of the input; 0 for an output
    /// @return bytes after the end that the superblock states; 0 if the file is not longer
    std::int64_t bytes_after_end() const;
    /// @return the input that holds an object: this file, or the target of an external link. @throw Error about the content
    OpenedFile file_of(hid_t object) const;
    /// Finds the bytes that the library would read. Calls `read`, whose reads of raw data are recorded but not carried out; their buffers
    /// stay unchanged. @return range of the last read of raw data; offset -1 if there was none
    template <class Read>
    StoredBytes locate(const Read& read) const {
        start_recording();
        read();
        return stop_recording();
    }
    /// Calls `walk`, and `use` with the offset and the bytes of each node of an index that the library reads meanwhile.
    /// @throw Error of `use`, io_error
    void watch_index(const UseNode& use, const std::function<void()>& walk) const;
    /// @return other files that were opened for this file or hold its voxels
    std::vector<std::string> further_files() const;
    void add_further_file(const std::string& path) const;
    hid_t access_properties() const { return access_properties_; }

    /// @return `result` of a library call if it succeeded. @throw Error naming this file otherwise: the error of the driver (io_error) if
    /// there is one, else the message of the library (about the content for an input, io_error for an output)
    template <class Result>
    Result check(Result result, const std::string& action) const {
        if (result < 0 || write_failed()) fail(action);
        return result;
    }
    /// @return `id`, owned. @throw Error as check()
    Id own(hid_t id, const std::string& action) const {
        Id owned(id);
        check(id, action);
        return owned;
    }
    /// Flushes the library's buffers and closes the file. @throw Error io_error
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
