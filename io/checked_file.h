// Files that are whole: input whose every read is checked, output that appears complete or not at all.
#pragma once
#include <voxcc/error.h>
#include "io/file_identity.h"
#include "io/temporaries.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc::io {

/// @return the error that errno stands for, with the exit code that blames rightly (ENOENT 66 or 73, EACCES 77, ENOSPC 74, ...)
enum class Access { read, write };
Error system_error(const std::string& path, const std::string& action, int error_number, Access access);

/// A regular file opened for reading; closed on destruction.
class InputFile {
public:
    /// @throw Error no_input, no_permission; bad_data if it is no regular file
    explicit InputFile(const std::string& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    const std::string& path() const { return path_; }
    std::int64_t size() const { return size_; }  // bytes when it was opened
    int descriptor() const { return fd_; }
    /// Reads up to to.size() bytes at `offset`; fewer only at the end of the file. @throw Error io_error
    std::size_t read_some(std::int64_t offset, std::span<std::byte> to) const;
    /// Reads exactly to.size() bytes. @throw Error bad_data "expected N bytes, got M", io_error
    void read(std::int64_t offset, std::span<std::byte> to) const;

private:
    std::string path_;
    int fd_ = -1;
    std::int64_t size_ = 0;
};

/// One output under a temporary name in the target's folder. Every call is checked.
class OutputFile {
public:
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    const std::string& target() const { return target_; }
    const std::string& temporary() const { return temporary_; }  // for libraries that want a path
    int descriptor() const { return fd_; }                       // -1 once closed
    std::int64_t position() const { return position_; }
    void write(std::span<const std::byte> bytes);
    void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
    void write_at(std::int64_t offset, std::span<const std::byte> bytes);  // does not move position()
    /// fsync and close. To be called once, after which only OutputFiles::publish follows. A library that wrote through
    /// temporary() has closed its own handle before.
    void close();

private:
    friend class OutputFiles;
    OutputFile(std::string target, std::string temporary, int fd) : target_(std::move(target)), temporary_(std::move(temporary)), fd_(fd) {}
    [[noreturn]] void fail(const std::string& action, int error_number) const;
    std::string target_, temporary_;
    int fd_ = -1;
    TemporaryEntry* entry_ = nullptr;  // in the list of files that a signal removes
    std::int64_t position_ = 0;
    bool published_ = false;
};

enum class Overwrite { refuse, allow };

/// The folder in which `target` is made; for a new folder "a/b/" that is "a".
std::string folder_for(const std::string& target);

/// @throw Error cannot_create if `folder` does not exist or is not a folder, no_permission if no file can be made in it
void check_folder(const std::string& folder);

/// Folders that a run makes. The destructor, and the handler of a signal, remove those that are empty.
class NewFolders {
public:
    NewFolders() = default;
    ~NewFolders();
    NewFolders(const NewFolders&) = delete;
    NewFolders& operator=(const NewFolders&) = delete;
    /// Makes one folder; does nothing if it exists. @throw Error cannot_create (also if its parent does not exist), no_permission
    void make(const std::string& folder);
    /// Makes a folder and those of its parents that do not exist. @throw Error as make()
    void make_with_parents(const std::string& folder);

private:
    struct Folder {
        std::string path;
        TemporaryEntry* entry;
    };
    std::vector<Folder> folders_;
};

/// All outputs of one run. They are published together at the end; if that does not happen, no trace of them stays.
class OutputFiles {
public:
    /// @param inputs files that no output may replace, also with Overwrite::allow; may be null
    OutputFiles(Overwrite overwrite, std::shared_ptr<const FileSet> inputs) : overwrite_(overwrite), inputs_(std::move(inputs)) {}
    /// @throw Error cannot_create if `target` is one of the inputs
    void refuse_input(const std::string& target) const;
    /// Throws at once if `target` may not be written: is an input (73), exists (73 unless overwriting), is not a regular file (73), its
    /// folder is missing (73) or not writable (77).
    void check(const std::string& target) const;
    /// check(), then a new temporary file (O_EXCL, mode by umask, or that of the file replaced) in the folder of `target`.
    OutputFile& create(const std::string& target);
    /// Makes a folder, which is removed again if nothing is published into it. An existing folder is left as it is.
    void create_folder(const std::string& folder) { folders_.make(folder); }
    /// Renames all files, in order of creation, and syncs their folders. Every file must have been closed.
    void publish();

private:
    Overwrite overwrite_;
    std::shared_ptr<const FileSet> inputs_;
    NewFolders folders_;  // destroyed after the files in them
    std::vector<std::unique_ptr<OutputFile>> files_;
};

}  // namespace voxcc::io
