// The journal of a folder: a hidden file that lists publications of several files, so that an interrupted publication is noticed.
//
// A publication writes its files into the journal before it renames the first of them:
//     publication NUL
//     file BEFORE AFTER PATH NUL     BEFORE, AFTER = BYTES@NANOSECONDS (length and time of change), or '-' for no file
//     end NUL
// A reader compares the files with BEFORE and AFTER. A publication is mixed if one file has the state BEFORE and another has the state
// AFTER. Files that were replaced or removed later have neither state. So a journal that remains by accident has no effect.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace voxcc::io {

/// Length and time of change of a file. A rename changes neither of them.
struct FileStamp {
    std::int64_t bytes = 0, time = 0;  // time in ns since 1970
    bool operator==(const FileStamp&) const = default;
};

/// @return the stamp of a file or symbolic link, which is not followed; empty if `path` does not exist
std::optional<FileStamp> stamp_of(const std::string& path);

/// One file of a publication. Without a stamp, the file does not exist.
struct JournalFile {
    std::string path;  // absolute, or a name in the folder of the journal
    std::optional<FileStamp> before, after;
};

using JournalRecord = std::vector<JournalFile>;  // the files of one publication

/// The locked journal of one folder. Not thread-safe.
class Journal {
public:
    /// Opens the journal, or creates it with the permissions of its folder.
    /// @return null if another thread or process has locked the journal
    /// @throw Error no_permission, io_error
    static std::unique_ptr<Journal> try_lock(const std::string& folder);
    /// Removes the file unless it lists a mixed publication. Unlocks it.
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;
    /// Appends a publication, and syncs the file. Must be called before the first rename of the publication. @throw Error io_error
    void add(const JournalRecord& record);
    /// Must be called when all files of the added publication have been renamed, or none. The destructor then removes a journal that lists
    /// no other publication without memory.
    void settled() noexcept;

private:
    explicit Journal(const std::string& folder);
    void close() noexcept;
    std::string folder_, path_;
    int fd_ = -1;
    bool lists_one_ = false, is_settled_ = false;
};

bool has_journal(const std::string& folder);

/// Removes the journal of a folder if it exists and lists no mixed publication. A locked journal stays, and errors are ignored.
void remove_settled_journal(const std::string& folder) noexcept;

/// Checks an input against the journal of its folder. A symbolic link is also checked at its end. While the other process is still
/// publishing the file, waits up to 10 s.
/// @throw Error interrupted_output if a mixed publication contains the file, changed_file if another process is still publishing it
void require_published(const std::string& path);

}  // namespace voxcc::io
