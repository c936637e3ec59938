// Checked file access: reads that detect truncation, and outputs that appear only when they are complete.
#pragma once
#include <voxcc/error.h>
#include "io/files/dependent_outputs.h"
#include "io/files/file_identity.h"
#include "io/files/output_folder.h"
#include "io/files/publication.h"
#include "io/files/temporaries.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc::io {

class PipeInput;

/// Converts an errno value to an Error.
/// @param action what failed, as an infinitive: the cause reads "cannot ACTION: ..."
/// @param access whether the file is an input or an output; ENOENT gives missing_file (66) or cannot_create (73)
/// @return no_permission for EACCES, io_error for ENOSPC, out_of_memory for ENOMEM, io_error for unlisted numbers
enum class Access { read, write };
Error system_error(const std::string& path, const std::string& action, int error_number, Access access);

enum class Pipes { refuse, read };  // whether a file may be a pipe

/// A regular file opened for reading, or a pipe; closed on destruction. The const functions are thread-safe.
class InputFile {
public:
    /// @throw Error missing_file, no_permission; invalid_file if `path` is a folder, not_a_file if it is another file that is not regular;
    /// interrupted_output, changed_file as require_published(); for Pipes::read as PipeInput::of()
    explicit InputFile(const std::string& path, Pipes pipes = Pipes::refuse);
    /// Takes an open descriptor, which this object closes, also if the constructor throws. @param path for errors
    /// @throw Error invalid_file if the descriptor is a folder, not_a_file if it is another file that is not regular
    InputFile(std::string path, int descriptor);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    const std::string& path() const { return path_; }
    /// Whether the bytes come from a pipe, which has no length and no descriptor.
    bool is_pipe() const { return pipe_ != nullptr; }
    std::int64_t size() const { return size_; }  // bytes, at the time of opening; the largest number for a pipe
    int descriptor() const { return fd_; }
    /// Allows that bytes of a pipe which were not read so far are not kept. They must then be read in order, and by this object only.
    void pass_once() const;
    /// @return bytes from `offset` to the end of a pipe, which are read
    std::int64_t drain(std::int64_t offset) const;
    /// Reads up to to.size() bytes from byte `offset`. @return bytes read, fewer than to.size() only at the end of the file
    /// @throw Error io_error
    std::size_t read_some(std::int64_t offset, std::span<std::byte> to) const;
    /// Reads exactly to.size() bytes from byte `offset`. @throw Error truncated_file "expected N bytes, got M", io_error
    void read(std::int64_t offset, std::span<std::byte> to) const;
    /// Reads the complete file as text. @throw Error as read()
    std::string text() const;

private:
    void require_regular();
    std::string path_;
    int fd_ = -1;
    std::int64_t size_ = 0;
    std::shared_ptr<PipeInput> pipe_;  // null for a file
};

/// Whether an output is written to stdout: "-" and "/dev/stdout" for NIfTI; "-.nii", "-.nii.gz" and "-.nrrd" name the format.
bool is_stdout(const std::string& target);

class OutputFiles;

/// One output under a temporary name in the folder of its target. The destructor removes a file that was not published. Not
/// thread-safe, except where a function states it.
class OutputFile {
public:
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    /// The path of the output; "stdout" for stdout.
    const std::string& target() const { return target_; }
    /// Whether the bytes go to stdout. They are then written in order, and nothing is left to publish.
    bool is_stream() const { return is_stream_; }
    const std::string& temporary() const { return temporary_; }  // for libraries that open a file by path
    int descriptor() const { return fd_; }                       // -1 once closed
    std::int64_t position() const { return position_; }
    void write(std::span<const std::byte> bytes);
    void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
    /// Does not change position(). Thread-safe for ranges that do not overlap. Must not be called for a stream.
    void write_at(std::int64_t offset, std::span<const std::byte> bytes);
    /// Starts to transfer written bytes to the disk and does not wait, so that close() has less to transfer. Thread-safe.
    void start_transfer(std::int64_t offset, std::int64_t bytes) const;
    /// @throw Error io_error if the file does not have this length in bytes
    void require_length(std::int64_t bytes) const;
    /// Syncs and closes the file. The caller must call it exactly once, and must not write afterwards. A library that wrote to temporary()
    /// must have closed its own handle before. @throw Error io_error
    void close();

private:
    friend class OutputFiles;
    void forget_temporary();  // after publish_together()
    OutputFile(const OutputFiles& run, std::string target, std::string temporary, int fd)
        : run_(run), target_(std::move(target)), temporary_(std::move(temporary)), fd_(fd) {}
    [[noreturn]] void fail(const std::string& action, int error_number) const;
    const OutputFiles& run_;
    std::string target_, temporary_;
    int fd_ = -1;
    TemporaryEntry* entry_ = nullptr;  // in the list of files that the signal handler removes
    std::int64_t position_ = 0;
    bool published_ = false;
    bool is_stream_ = false;
};

/// @return the folder that will contain `target`; "." if the path names none
// target = "a/b.nii"  ->  "a"; "a/b/"  ->  "a/b" if that exists, else "a"
std::string folder_for(const std::string& target);

/// @throw Error cannot_create if `folder` does not exist or is not a folder, no_permission if files cannot be created in it
void check_folder(const std::string& folder);

/// Writes the entries of a folder to the disk. Does nothing on file systems that cannot sync a folder. @throw Error io_error
void sync_folder(const std::string& folder);

/// The folders that a run creates. The destructor and the signal handler remove the empty ones.
class NewFolders {
public:
    NewFolders() = default;
    ~NewFolders();
    NewFolders(const NewFolders&) = delete;
    NewFolders& operator=(const NewFolders&) = delete;
    /// Creates one folder. Does nothing if it exists. @throw Error cannot_create (also if its parent does not exist), no_permission
    void make(const std::string& folder);
    /// Creates a folder and its missing parents. @throw Error as make()
    void make_with_parents(const std::string& folder);

private:
    struct Folder {
        std::string path;
        TemporaryEntry* entry;
    };
    std::vector<Folder> folders_;
};

/// All outputs of one run. publish() renames them all to their targets; without it, the destructor removes all files and new folders.
class OutputFiles {
public:
    /// @param inputs files that outputs must not replace, even with Overwrite::allow; may be null
    OutputFiles(Overwrite overwrite, std::shared_ptr<const FileSet> inputs) : overwrite_(overwrite), inputs_(std::move(inputs)) {}
    /// Allows that this file is replaced although Overwrite::refuse is set.
    void allow_replacing(const std::string& target) { replaceable_.insert(target); }
    /// @throw Error cannot_create if `target` is one of the inputs
    void refuse_input(const std::string& target) const;
    /// Checks whether `target` can be written.
    /// @throw Error cannot_create (73) if it is an input, exists with Overwrite::refuse, is not a regular file, has no folder or its name
    /// is too long; no_permission (77) if its folder is not writable
    void check(const std::string& target) const;
    /// Calls check(), then creates a temporary file in the folder of `target` (O_EXCL; mode of the replaced file, else by umask).
    /// Thread-safe, because several volumes can create their slices at the same time.
    /// @return the file, which this object owns. @throw Error as check(), io_error
    OutputFile& create(const std::string& target);
    /// Checks whether a Zarr folder `target` can be written. A folder that exists must be replaceable, and must have only files of Zarr.
    /// @param target without '/' at its end @throw Error as check(), and cannot_create for another folder
    void check_zarr_folder(const std::string& target) const;
    /// Calls check_zarr_folder(), then creates a folder with a temporary name. @return the folder, which this object owns
    OutputFolder& create_zarr_folder(const std::string& target);
    /// The dependent outputs of type T, of which there is at most one object. It is made at the first call.
    template <class T>
    T& dependent() {
        for (const auto& known : dependent_)
            if (T* const found = dynamic_cast<T*>(known.get())) return *found;
        dependent_.push_back(std::make_unique<T>());
        return static_cast<T&>(*dependent_.back());
    }
    /// Creates a folder. It is removed again if nothing is published into it. An existing folder stays as it is.
    void create_folder(const std::string& folder) { folders_.make(folder); }
    /// Publishes all files and folders with publish_together(): the files, the folders and the dependent outputs, each in order of
    /// creation. Every file must have been closed. On an error, all targets have their earlier content.
    /// @return the warnings of the dependent outputs @throw Error as check(), DependentOutputs::write() and publish_together()
    std::vector<std::string> publish();
    /// Sets a function that OutputFile::close() calls when all bytes of a file are written, before it syncs the file.
    void when_written(std::function<void(const OutputFile&)> call) { when_written_ = std::move(call); }
    /// The files in order of creation. A stream is not published.
    const std::vector<std::unique_ptr<OutputFile>>& files() const { return files_; }
    const std::vector<std::unique_ptr<OutputFolder>>& folders() const { return zarr_folders_; }

private:
    friend class OutputFile;
    OutputFile& create_stream();
    std::vector<Unpublished> unpublished() const;
    void forget_temporaries();
    bool may_replace(const std::string& target) const { return overwrite_ == Overwrite::allow || replaceable_.contains(target); }
    Overwrite overwrite_;
    std::set<std::string> replaceable_;
    std::shared_ptr<const FileSet> inputs_;
    std::function<void(const OutputFile&)> when_written_;  // may be empty
    NewFolders folders_;                                   // declared before files_, so that it is destroyed after the files in the folders
    std::mutex creation_mutex_;
    std::vector<std::unique_ptr<OutputFile>> files_;
    std::vector<std::unique_ptr<OutputFolder>> zarr_folders_;
    std::vector<std::unique_ptr<DependentOutputs>> dependent_;
};

}  // namespace voxcc::io
