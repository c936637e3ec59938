#include "io/files/checked_file.h"

#include "io/files/journal.h"
#include "io/files/pipe_input.h"
#include "io/files/temporary_names.h"
#include "io/files/transfer.h"
#include "io/files/zarr_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

namespace voxcc::io {
namespace {

[[noreturn]] void refuse_pipe(const std::string& path) {
    throw Error(ErrorKind::not_a_file, path, "is a pipe, which cannot be used here; write the data to a file, and give its name");
}

// Read once, because reading replaces the mask of all threads for a moment.
mode_t umask_of_process() {
    static const mode_t mask = [] {
        const mode_t found = ::umask(022);
        ::umask(found);
        return found;
    }();
    return mask;
}

/// Checks the folder of a target, and the length of its temporary name.
void check_place(const std::string& target) {
    struct stat st {};
    check_folder(folder_for(target));
    if (::lstat(temporary_path(target).c_str(), &st) != 0 && errno == ENAMETOOLONG)
        throw system_error(target, "create", errno, Access::write);
}

}  // namespace

Error system_error(const std::string& path, const std::string& action, int error_number, Access access) {
    const std::string cause = "cannot " + action + ": " + std::strerror(error_number);
    // A name that the system cannot use is not a fault of the disk, and nothing has this name.
    if (access == Access::read && error_number == ENAMETOOLONG)
        return {ErrorKind::missing_file, path, cause + "; give a shorter path, with names of at most 255 bytes"};
    if (access == Access::read && error_number == ELOOP)
        return {ErrorKind::missing_file, path, cause + "; give the file itself, because the symbolic link leads back to itself"};
    switch (error_number) {
        case ENOENT:
        case ENOTDIR: return {access == Access::read ? ErrorKind::missing_file : ErrorKind::missing_folder, path, cause};
        case EACCES:
        case EPERM:
        case EROFS: return {ErrorKind::no_permission, path, cause};
        case EEXIST:
        case EISDIR:
        case ELOOP:
        case ENAMETOOLONG: return {ErrorKind::cannot_create, path, cause};
        case ENOMEM: return {ErrorKind::out_of_memory, path, cause};
        case ENOSPC:
        case EDQUOT:
        case EFBIG: return {ErrorKind::disk_full, path, cause};
        default: return {ErrorKind::io_error, path, cause};
    }
}

InputFile::InputFile(const std::string& path, Pipes pipes) : path_(path) {
    if (pipes == Pipes::read) pipe_ = PipeInput::of(path);
    if (pipe_) {
        size_ = std::numeric_limits<std::int64_t>::max();
        return;
    }
    require_published(path);
    // Non-blocking: opening a FIFO without a writer would otherwise wait. The check below refuses it.
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const int error = errno;
    if (fd_ < 0 && error == ENOENT && path == "-") refuse_pipe(path);
    if (fd_ < 0) throw system_error(path, "open", error, Access::read);
    require_regular();
}

InputFile::InputFile(std::string path, int descriptor) : path_(std::move(path)), fd_(descriptor) { require_regular(); }

// Sets the size. Closes the file if it is not regular, because the destructor does not run then.
void InputFile::require_regular() {
    struct stat st {};
    const bool known = ::fstat(fd_, &st) == 0;
    if (!known || !S_ISREG(st.st_mode)) {
        ::close(fd_);
        if (known && S_ISDIR(st.st_mode)) throw Error(ErrorKind::invalid_file, path_, "is a folder; give the name of a file");
        if (known && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))) refuse_pipe(path_);
        throw Error(ErrorKind::not_a_file, path_, "is not a regular file");
    }
    size_ = st.st_size;
}

InputFile::~InputFile() {
    if (fd_ >= 0) ::close(fd_);
}

std::size_t InputFile::read_some(std::int64_t offset, std::span<std::byte> to) const {
    if (pipe_) return pipe_->read_some(offset, to);
    const Transferred read = read_at(fd_, offset, to);
    if (read.error) throw system_error(path_, "read", read.error, Access::read);
    return read.count;
}

void InputFile::read(std::int64_t offset, std::span<std::byte> to) const {
    const std::size_t got = read_some(offset, to);
    if (got < to.size())
        throw Error(
            ErrorKind::truncated_file, path_,
            "expected " + std::to_string(offset + std::int64_t(to.size())) + " bytes, got " + std::to_string(offset + std::int64_t(got)));
}

void InputFile::pass_once() const {
    if (pipe_) pipe_->pass_once();
}

std::int64_t InputFile::drain(std::int64_t offset) const {
    std::int64_t bytes = 0;
    std::vector<std::byte> piece(std::size_t{1} << 16);
    for (std::size_t got = piece.size(); got == piece.size(); bytes += std::int64_t(got)) got = read_some(offset + bytes, piece);
    return bytes;
}

std::string InputFile::text() const {
    std::string text(std::size_t(size_), '\0');
    read(0, std::as_writable_bytes(std::span(text)));
    return text;
}

void OutputFile::forget_temporary() {
    published_ = true;
    disarm(std::exchange(entry_, nullptr));
}

OutputFile::~OutputFile() {
    if (fd_ >= 0) ::close(fd_);
    if (entry_ && !published_) ::unlink(temporary_.c_str());
    disarm(entry_);
}

void OutputFile::fail(const std::string& action, int error_number) const {
    throw system_error(target_, action, error_number, Access::write);
}

void OutputFile::write_at(std::int64_t offset, std::span<const std::byte> bytes) {
    if (const int error = io::write_at(fd_, offset, bytes)) fail("write", error);
}

void OutputFile::write(std::span<const std::byte> bytes) {
    if (!is_stream_) write_at(position_, bytes);
    else if (const int error = write_all(fd_, bytes)) fail("write", error);
    position_ += std::int64_t(bytes.size());
}

void OutputFile::start_transfer(std::int64_t offset, std::int64_t bytes) const {
    // Some file systems do not support the call. close() transfers all bytes in any case, and reports errors.
    (void)::sync_file_range(fd_, offset, bytes, SYNC_FILE_RANGE_WRITE);
}

void OutputFile::require_length(std::int64_t bytes) const {
    struct stat now {};
    if (is_stream_) return;
    if (::fstat(fd_, &now) != 0) fail("look at", errno);
    if (now.st_size != bytes)
        throw Error(ErrorKind::io_error, target_, "is of " + std::to_string(now.st_size) + " bytes after writing " + std::to_string(bytes));
}

void OutputFile::close() {
    if (run_.when_written_ && !is_stream_) run_.when_written_(*this);
    if (!is_stream_ && ::fsync(fd_) != 0) fail("sync", errno);
    const int fd = std::exchange(fd_, -1);
    if (::close(fd) != 0 && errno != EINTR) fail("close", errno);
}

std::string folder_for(const std::string& target) {
    const std::filesystem::path path(target);
    std::filesystem::path folder = path.parent_path();
    if (!path.has_filename() && !identity_of(folder.string())) folder = folder.parent_path();
    return folder.empty() ? "." : folder.string();
}

void check_folder(const std::string& folder) {
    struct stat st {};
    if (::stat(folder.c_str(), &st) != 0) throw system_error(folder, "use the folder", errno, Access::write);
    if (!S_ISDIR(st.st_mode)) throw Error(ErrorKind::cannot_create, folder, "is not a folder");
    if (::access(folder.c_str(), W_OK | X_OK) != 0) throw system_error(folder, "write in the folder", errno, Access::write);
}

void sync_folder(const std::string& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) throw system_error(folder, "open the folder", errno, Access::write);
    const int result = ::fsync(fd), error = errno;
    ::close(fd);
    // Some network file systems cannot sync a folder; the rename itself has succeeded.
    if (result != 0 && error != EINVAL && error != ENOTSUP && error != EROFS)
        throw system_error(folder, "sync the folder", error, Access::write);
}

NewFolders::~NewFolders() {
    for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) {
        ::rmdir(folder->path.c_str());  // fails if the folder is not empty
        disarm(folder->entry);
    }
}

void NewFolders::make(const std::string& folder) {
    Claim claim(folder, TemporaryKind::folder);
    if (::mkdir(folder.c_str(), 0777) == 0) {
        folders_.push_back({folder, claim.arm()});
        return;
    }
    const int error = errno;
    std::error_code ignored;
    if (std::filesystem::is_directory(folder, ignored)) return;
    if (error == EEXIST) throw Error(ErrorKind::cannot_create, folder, "exists and is not a folder");
    throw system_error(folder, "make the folder", error, Access::write);
}

void NewFolders::make_with_parents(const std::string& folder) {
    const std::filesystem::path path(folder);
    if (folder.empty() || identity_of(folder)) return;
    make_with_parents(path.parent_path().string());
    if (path.has_filename()) make(folder);
}

bool is_stdout(const std::string& target) {
    for (const char* name : {"-", "/dev/stdout", "-.nii", "-.nii.gz", "-.nrrd"})
        if (target == name) return true;
    return false;
}

void OutputFiles::refuse_input(const std::string& target) const {
    if (is_stdout(target) && inputs_ && inputs_->contains("/dev/stdout")) throw Error(ErrorKind::is_input, target, "stdout is an input");
    if (is_stdout(target)) return;
    if (inputs_ && inputs_->contains(target)) throw Error(ErrorKind::is_input, target, "is an input");
}

void OutputFiles::check(const std::string& target) const {
    refuse_input(target);
    if (is_stdout(target)) {
        if (!::isatty(STDOUT_FILENO)) return;
        throw Error(ErrorKind::cannot_create, target, "stdout is a terminal; redirect stdout to a file or a pipe, or name a file");
    }
    struct stat st {};
    bool exists = ::stat(target.c_str(), &st) == 0;
    if (!exists && errno == ENAMETOOLONG) throw system_error(target, "create", errno, Access::write);
    if (!exists && ::lstat(target.c_str(), &st) == 0) {
        if (S_ISLNK(st.st_mode)) throw Error(ErrorKind::cannot_create, target, "is a symbolic link to a file that does not exist");
        exists = true;  // another process created the target between the two calls
    }
    if (exists) {
        if (S_ISDIR(st.st_mode)) throw Error(ErrorKind::cannot_create, target, "is a folder; name a file in the folder");
        if (!S_ISREG(st.st_mode)) throw Error(ErrorKind::cannot_create, target, "exists and is not a regular file");
        if (!may_replace(target)) throw Error(ErrorKind::exists, target, "exists");
    }
    check_place(target);
}

void OutputFiles::check_zarr_folder(const std::string& target) const {
    refuse_input(target);
    struct stat st {};
    if (::lstat(target.c_str(), &st) == 0) {
        if (S_ISLNK(st.st_mode)) throw Error(ErrorKind::cannot_create, target, "is a symbolic link");
        if (!S_ISDIR(st.st_mode)) throw Error(ErrorKind::cannot_create, target, "exists and is not a folder");
        if (!may_replace(target)) throw Error(ErrorKind::exists, target, "exists");
        if (const std::string foreign = first_foreign_entry(target); !foreign.empty())
            throw Error(ErrorKind::cannot_create, target,
                        foreign == target ? "is a folder that is not a Zarr store"
                                          : "is not replaced, because '" + foreign + "' does not belong to a Zarr store");
        for_each_file(target, [&](const std::string& file) {
            if (inputs_ && inputs_->contains(file)) throw Error(ErrorKind::is_input, target, "contains the input '" + file + "'");
        });
    } else if (errno == ENAMETOOLONG) {
        throw system_error(target, "create", errno, Access::write);
    }
    check_place(target);
}

OutputFolder& OutputFiles::create_zarr_folder(const std::string& target) {
    check_zarr_folder(target);
    zarr_folders_.push_back(std::make_unique<OutputFolder>(target));
    return *zarr_folders_.back();
}

OutputFile& OutputFiles::create_stream() {
    auto file = std::unique_ptr<OutputFile>(new OutputFile(*this, "stdout", "", ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)));
    if (file->fd_ < 0) file->fail("write", errno);
    file->is_stream_ = file->published_ = true;
    files_.push_back(std::move(file));
    return *files_.back();
}

OutputFile& OutputFiles::create(const std::string& target) {
    check(target);
    const std::lock_guard lock(creation_mutex_);
    if (is_stdout(target)) return create_stream();
    for (;;) {
        const std::string temporary = temporary_path(target);
        auto file = std::unique_ptr<OutputFile>(new OutputFile(*this, target, temporary, -1));
        Claim claim(temporary, TemporaryKind::file);
        const int fd = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 && errno == EEXIST) continue;
        if (fd < 0) throw system_error(target, "create", errno, Access::write);
        file->fd_ = fd;  // from here on, nothing can fail before the file has its entry
        file->entry_ = claim.arm();
        struct stat old {};
        const mode_t mode = ::stat(target.c_str(), &old) == 0 ? old.st_mode & 0777 : 0666 & ~umask_of_process();
        if (::fchmod(fd, mode) != 0) file->fail("set the mode of", errno);
        files_.push_back(std::move(file));
        return *files_.back();
    }
}

/// Checks the targets again, which may have been created since create().
std::vector<Unpublished> OutputFiles::unpublished() const {
    std::vector<Unpublished> names;
    for (const auto& file : files_) {
        if (file->published_) continue;
        if (file->fd_ >= 0) throw Error(ErrorKind::internal, file->target(), "published before it was closed");
        check(file->target());
        names.push_back({file->temporary_, file->target_, may_replace(file->target_) ? Overwrite::allow : Overwrite::refuse});
    }
    for (const auto& folder : zarr_folders_) {
        if (!folder->is_complete()) throw Error(ErrorKind::internal, folder->target(), "published before it was complete");
        check_zarr_folder(folder->target());
        names.push_back({folder->temporary(), folder->target(), may_replace(folder->target()) ? Overwrite::allow : Overwrite::refuse});
    }
    return names;
}

void OutputFiles::forget_temporaries() {
    for (const auto& file : files_) file->forget_temporary();
    for (const auto& folder : zarr_folders_) folder->forget_temporary();
}

std::vector<std::string> OutputFiles::publish() {
    const auto dependent = std::exchange(dependent_, {});  // exists until the end, because it can hold locks
    OutputFiles others(Overwrite::allow, {});
    std::vector<std::string> warnings;
    for (const auto& outputs : dependent)
        for (std::string& warning : outputs->write(others)) warnings.push_back(std::move(warning));
    std::vector<Unpublished> names = unpublished();
    for (Unpublished& other : others.unpublished()) names.push_back(std::move(other));
    if (names.empty()) return {};
    try {
        publish_together(names);
    } catch (...) {
        forget_temporaries();
        others.forget_temporaries();
        throw;
    }
    forget_temporaries();
    others.forget_temporaries();
    std::string cleaned;
    for (const Unpublished& file : names) {
        const std::string folder = folder_for(file.target);
        if (folder == cleaned) continue;
        remove_settled_journal(folder);
        remove_stale_temporaries(folder);
        cleaned = folder;
    }
    return warnings;
}

}  // namespace voxcc::io
