#include "io/files/output_folder.h"

#include "io/files/checked_file.h"
#include "io/files/temporary_names.h"
#include "io/files/transfer.h"
#include "io/files/zarr_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

namespace voxcc::io {
namespace {

/// Closes a descriptor that an error leaves open.
class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }
    bool close() { return ::close(std::exchange(fd_, -1)) == 0 || errno == EINTR; }

private:
    int fd_;
};

}  // namespace

OutputFolder::OutputFolder(std::string target) : target_(std::move(target)), temporary_(temporary_path(target_)) {
    make_folder(temporary_, "");
    struct stat replaced {};
    if (::lstat(target_.c_str(), &replaced) != 0 || !S_ISDIR(replaced.st_mode)) return;
    if (::chmod(temporary_.c_str(), (replaced.st_mode & 07777) | S_IRWXU) != 0) fail("", "set the mode of", errno);
}

OutputFolder::~OutputFolder() {
    if (!is_published_) remove_zarr_tree(temporary_);
    forget_temporary();
}

void OutputFolder::forget_temporary() {
    is_published_ = true;
    for (TemporaryEntry* const entry : files_) disarm(entry);
    for (const auto& [path, entry] : folders_) disarm(entry);
    files_.clear();
    folders_.clear();
}

void OutputFolder::fail(const std::string& key, const std::string& action, int error_number) const {
    throw system_error(key.empty() ? target_ : target_ + "/" + key, action, error_number, Access::write);
}

void OutputFolder::make_folder(const std::string& path, const std::string& key) {
    Claim claim(path, TemporaryKind::folder);
    if (::mkdir(path.c_str(), 0777) != 0) fail(key, "make the folder", errno);
    folders_.emplace(path, claim.arm());
}

void OutputFolder::make_folders_of(const std::string& key) {
    const std::lock_guard lock(mutex_);
    for (std::size_t slash = key.find('/'); slash != std::string::npos; slash = key.find('/', slash + 1)) {
        const std::string path = temporary_ + "/" + key.substr(0, slash);
        if (!folders_.contains(path)) make_folder(path, key.substr(0, slash));
    }
}

void OutputFolder::write(const std::string& key, std::span<const std::byte> bytes) {
    make_folders_of(key);
    const std::string path = temporary_ + "/" + key;
    int fd = -1;
    {
        Claim claim(path, TemporaryKind::file);
        fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0) fail(key, "create", errno);
        const std::lock_guard lock(mutex_);
        files_.push_back(claim.arm());
    }
    Descriptor file(fd);
    if (const int error = write_all(file.get(), bytes); error != 0) fail(key, "write", error);
    if (::fsync(file.get()) != 0) fail(key, "sync", errno);
    if (!file.close()) fail(key, "close", errno);
}

void OutputFolder::complete() {
    for (const auto& [path, entry] : folders_) sync_folder(path);
    is_complete_ = true;
}

}  // namespace voxcc::io
