#include "io/files/publication.h"

#include "io/files/checked_file.h"
#include "io/files/journal.h"
#include "io/files/temporaries.h"
#include "io/files/temporary_names.h"
#include "io/files/zarr_tree.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>

namespace voxcc::io {
namespace {

int rename_with(unsigned flags, const std::string& from, const std::string& to) {
    return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0 ? 0 : errno;
}

int rename_plain(const std::string& from, const std::string& to) { return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno; }

// Whether the kernel or the file system does not support the flags of renameat2().
bool is_unsupported(int error) { return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP; }

TemporaryKind kind_of(const std::string& path) noexcept {
    struct stat st {};
    return ::lstat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode) ? TemporaryKind::folder : TemporaryKind::file;
}

void remove_output(const std::string& path, TemporaryKind kind) noexcept {
    if (kind == TemporaryKind::folder) remove_zarr_tree(path);
    else ::unlink(path.c_str());
}

/// One file or folder on its way to its target.
class Step {
public:
    /// @throw Error io_error if the temporary file does not exist
    explicit Step(const Unpublished& file)
        : temporary_(file.temporary),
          target_(file.target),
          overwrite_(file.overwrite),
          kind_(kind_of(temporary_)),
          before_(stamp_of(target_)) {
        const auto after = stamp_of(temporary_);
        if (!after) fail(ENOENT);
        after_ = *after;
    }
    const std::string& target() const { return target_; }
    JournalFile as_listed() const { return {target_, before_, after_}; }

    /// Renames the file to its target. @throw Error
    void place() {
        const int error = overwrite_ == Overwrite::refuse ? place_as_new() : place_as_new_or_instead();
        if (error == EEXIST && overwrite_ == Overwrite::refuse) throw Error(ErrorKind::exists, target_, "exists");
        if (error != 0) fail(error);
        is_placed_ = true;
    }

    /// Undoes place(), if it was successful, and removes the temporary file or folder.
    /// @return false if the target keeps its new content. Its earlier content, if it exists, is then not removed
    bool restore() noexcept {
        // A target that another process has replaced since is left alone.
        const bool is_ours = is_placed_ && stamp_of(target_) == after_;
        if (is_ours && !take_back()) return false;
        if (!is_ours) remove_earlier_content();
        remove_output(temporary_, kind_);
        return true;
    }

    void remove_earlier_content() noexcept {
        if (!earlier_.empty()) remove_output(earlier_, kind_);
    }

private:
    [[noreturn]] void fail(int error) const { throw system_error(target_, "rename to", error, Access::write); }

    // These functions return 0 or an error number.
    int place_as_new() {
        const int error = rename_with(RENAME_NOREPLACE, temporary_, target_);
        if (!is_unsupported(error)) return error;
        return stamp_of(target_) ? EEXIST : rename_plain(temporary_, target_);
    }

    int place_instead() {
        const int error = rename_with(RENAME_EXCHANGE, temporary_, target_);
        if (error == 0) earlier_ = temporary_;
        if (!is_unsupported(error)) return error;
        if (kind_ == TemporaryKind::folder) return place_after_moving();
        std::string link = temporary_path(target_);
        if (::link(target_.c_str(), link.c_str()) == 0) earlier_ = std::move(link);
        else if (errno == ENOENT) return ENOENT;
        return rename_plain(temporary_, target_);
    }

    int place_after_moving() {
        std::string earlier = temporary_path(target_);
        if (const int error = rename_plain(target_, earlier); error != 0) return error;
        const int error = rename_plain(temporary_, target_);
        if (error == 0 || rename_plain(earlier, target_) != 0) earlier_ = std::move(earlier);
        return error;
    }

    // Other processes can create or remove the target between two attempts.
    int place_as_new_or_instead() {
        int error = 0;
        for (int attempt = 0; attempt < 10; ++attempt) {
            error = place_instead();
            if (error != ENOENT) return error;
            error = place_as_new();
            if (error != EEXIST) return error;
        }
        return error;
    }

    bool take_back() noexcept {
        if (kind_ == TemporaryKind::folder) return take_back_folder();
        if (!earlier_.empty()) return rename_plain(earlier_, target_) == 0;
        return !before_ && ::unlink(target_.c_str()) == 0;
    }

    bool take_back_folder() noexcept {
        if (earlier_ == temporary_) return rename_with(RENAME_EXCHANGE, temporary_, target_) == 0;
        if (rename_plain(target_, temporary_) != 0) return false;
        return earlier_.empty() || rename_plain(earlier_, target_) == 0;
    }

    std::string temporary_, target_;
    Overwrite overwrite_;
    TemporaryKind kind_;
    std::optional<FileStamp> before_;
    FileStamp after_;
    bool is_placed_ = false;
    std::string earlier_;  // the name of the earlier content after place(); empty if it was not kept or did not exist
};

/// The folders of the targets, each once.
std::map<FileIdentity, std::string> folders_of(const std::vector<Unpublished>& files) {
    std::map<FileIdentity, std::string> folders;
    for (const Unpublished& file : files) {
        const std::string folder = folder_for(file.target);
        const auto identity = identity_of(folder);
        if (!identity) throw system_error(folder, "use the folder", errno, Access::write);
        folders.emplace(*identity, folder);
    }
    return folders;
}

using Journals = std::vector<std::unique_ptr<Journal>>;

/// Locks the journals of all folders; of no folder if only one file is published.
/// @return null if another publication has locked one of them
std::optional<Journals> lock_journals(const std::vector<Unpublished>& files, const std::map<FileIdentity, std::string>& folders) {
    Journals journals;
    if (files.size() == 1) return journals;
    for (const auto& [identity, folder] : folders) {
        journals.push_back(Journal::try_lock(folder));
        if (!journals.back()) return std::nullopt;
    }
    return journals;
}

/// Removes the temporary files of a publication that cannot start.
class UnlessStarted {
public:
    explicit UnlessStarted(const std::vector<Unpublished>& files) : files_(&files) {}
    ~UnlessStarted() {
        if (!files_) return;
        for (const Unpublished& file : *files_) remove_output(file.temporary, kind_of(file.temporary));
    }
    UnlessStarted(const UnlessStarted&) = delete;
    UnlessStarted& operator=(const UnlessStarted&) = delete;
    void started() { files_ = nullptr; }

private:
    const std::vector<Unpublished>* files_;
};

/// One publication. Its journals must be locked.
class Publication {
public:
    Publication(const std::vector<Unpublished>& files, const std::map<FileIdentity, std::string>& folders)
        : steps_(files.begin(), files.end()), folders_(folders) {}

    void run(Journals& journals) {
        try {
            list_in(journals);
            for (Step& step : steps_) {
                step.place();
                UninterruptedSection::step_done();
            }
            for (const auto& [identity, folder] : folders_) sync_folder(folder);
        } catch (const Error& error) {
            if (restore(journals)) throw;
            throw Error(ErrorKind::io_error, error.subject(),
                        error.cause() + ", and files could not be restored; run the command again, and overwrite its outputs");
        } catch (...) {
            restore(journals);
            throw;
        }
        for (Step& step : steps_) step.remove_earlier_content();
        for (const auto& journal : journals) journal->settled();
    }

private:
    /// In the journal of its own folder, a file has no folder.
    void list_in(Journals& journals) const {
        auto journal = journals.begin();
        if (journal == journals.end()) return;
        for (const auto& [identity, folder] : folders_) {
            JournalRecord record;
            for (const Step& step : steps_) {
                record.push_back(step.as_listed());
                const std::filesystem::path path(step.target());
                const bool is_here = identity_of(folder_for(step.target())) == identity;
                record.back().path = is_here ? path.filename().string() : std::filesystem::absolute(path).string();
            }
            (*journal++)->add(record);
        }
    }

    /// @return false if a target keeps its new content
    bool restore(const Journals& journals) noexcept {
        bool all = true;
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
            all = step->restore() && all;
            UninterruptedSection::step_done();
        }
        if (all)
            for (const auto& journal : journals) journal->settled();
        return all;
    }

    std::vector<Step> steps_;
    const std::map<FileIdentity, std::string>& folders_;
};

}  // namespace

void publish_together(const std::vector<Unpublished>& files) {
    constexpr int most_waits = 6000;  // of 10 ms
    UnlessStarted remove(files);
    const std::map<FileIdentity, std::string> folders = folders_of(files);
    for (int waits = 0; waits < most_waits; ++waits) {
        {
            const UninterruptedSection section;
            if (auto journals = lock_journals(files, folders)) {
                Publication publication(files, folders);
                remove.started();
                return publication.run(*journals);
            }
        }
        ::poll(nullptr, 0, 10);
    }
    throw Error(ErrorKind::io_error, folders.begin()->second,
                "another process has published outputs in this folder for a minute; run the command again when it has ended");
}

}  // namespace voxcc::io
