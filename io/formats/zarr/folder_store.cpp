#include "io/files/checked_file.h"
#include "io/files/journal.h"
#include "io/formats/zarr/is_zarr.h"
#include "io/formats/zarr/stores.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <filesystem>

namespace voxcc::io::zarr {
namespace {

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }

private:
    int fd_;
};

class FileBlob final : public Blob {
public:
    explicit FileBlob(std::string name, int descriptor) : file_(std::move(name), descriptor) {}
    const std::string& name() const override { return file_.path(); }
    std::int64_t size() const override { return file_.size(); }
    void read_all(std::span<std::byte> to) const override { file_.read(0, to); }
    void check() const override {}
    void read(std::int64_t offset, std::span<std::byte> to) const override { file_.read(offset, to); }

private:
    InputFile file_;
};

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};

/// Checks the folders above a folder that belong to the same hierarchy: "a.zarr/labels/x" and "a.zarr/labels" for "a.zarr/labels/x/0".
void require_published_above(const std::string& path) {
    std::error_code unknown;
    const std::filesystem::path folder = std::filesystem::canonical(path, unknown);
    if (unknown) return;
    for (std::filesystem::path above = folder.parent_path(); above.has_relative_path() && is_zarr(above.string());
         above = above.parent_path())
        require_published(above.string());
}

class FolderStore final : public Store {
public:
    FolderStore(const std::string& path, ExternalFiles external)
        : Store(path),
          links_(external == ExternalFiles::allow ? 0 : O_NOFOLLOW),
          root_(::open(path.c_str(), O_DIRECTORY | O_PATH | O_CLOEXEC)) {
        if (root_.get() < 0) throw system_error(path, "open", errno, Access::read);
        require_published(path);
        require_published_above(path);
    }

    std::unique_ptr<Blob> open(const std::string& key) const override {
        const std::size_t slash = key.rfind('/');
        const Descriptor folder = open_folder_of(slash == std::string::npos ? "" : key.substr(0, slash));
        if (folder.get() < 0) return nullptr;
        const std::string name = slash == std::string::npos ? key : key.substr(slash + 1);
        // Non-blocking: opening a FIFO without a writer would otherwise wait. FileBlob refuses it.
        Descriptor file(::openat(folder.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | links_));
        if (file.get() < 0) {
            require_missing(errno, folder.get(), name, key);
            return nullptr;
        }
        struct stat st {};
        if (::fstat(file.get(), &st) == 0 && S_ISDIR(st.st_mode))
            throw Error(ErrorKind::invalid_file, name_of(key), "is a folder, where a Zarr store has a file");
        return std::make_unique<FileBlob>(name_of(key), file.release());
    }

    void each_entry(const std::string& folder, const std::function<bool(const Entry&)>& use) const override {
        const Descriptor place = open_folder_of(folder);
        if (place.get() < 0) return;
        Descriptor readable(::openat(place.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (readable.get() < 0) throw system_error(name_of(folder), "list", errno, Access::read);
        const std::unique_ptr<DIR, CloseFolder> list(::fdopendir(readable.get()));
        if (!list) throw system_error(name_of(folder), "list", errno, Access::read);
        readable.release();
        for (;;) {
            errno = 0;
            const dirent* const entry = ::readdir(list.get());
            if (!entry && errno != 0) throw system_error(name_of(folder), "list", errno, Access::read);
            if (!entry) return;
            const std::string name = entry->d_name;
            if (name != "." && name != ".." && !use({name, is_folder(::dirfd(list.get()), *entry)})) return;
        }
    }

private:
    /// @return an invalid descriptor if the folder does not exist
    Descriptor open_folder_of(const std::string& path) const {
        Descriptor folder(::openat(root_.get(), ".", O_DIRECTORY | O_PATH | O_CLOEXEC));
        if (folder.get() < 0) throw system_error(this->path(), "open", errno, Access::read);
        for (std::size_t at = 0; at < path.size();) {
            const std::size_t end = std::min(path.find('/', at), path.size());
            const std::string name = path.substr(at, end - at);
            Descriptor next(::openat(folder.get(), name.c_str(), O_DIRECTORY | O_PATH | O_CLOEXEC | links_));
            if (next.get() < 0) {
                require_missing(errno, folder.get(), name, path.substr(0, end));
                return next;
            }
            folder = std::move(next);
            at = end + 1;
        }
        return folder;
    }

    /// Returns if a name does not exist, or is a file in the place of a folder. A link is not a missing file: its voxels would be filled.
    void require_missing(int error, int folder, const std::string& name, const std::string& key) const {
        struct stat st {};
        if ((error == ENOTDIR || error == ELOOP) && ::fstatat(folder, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
            throw Error(ErrorKind::external_file, name_of(key), "is a symbolic link");
        if (error != ENOENT && error != ENOTDIR) throw system_error(name_of(key), "open", error, Access::read);
    }

    bool is_folder(int folder, const dirent& entry) const {
        if (entry.d_type == DT_DIR || entry.d_type == DT_REG) return entry.d_type == DT_DIR;
        struct stat st {};
        return ::fstatat(folder, entry.d_name, &st, links_ ? AT_SYMLINK_NOFOLLOW : 0) == 0 && S_ISDIR(st.st_mode);
    }

    int links_;  // flag of openat()
    Descriptor root_;
};

}  // namespace

std::unique_ptr<Store> open_folder(const std::string& path, ExternalFiles external) {
    return std::make_unique<FolderStore>(path, external);
}

}  // namespace voxcc::io::zarr
