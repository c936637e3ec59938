#include "io/files/journal.h"

#include "io/files/checked_file.h"
#include "io/files/transfer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace voxcc::io {
namespace {

constexpr std::string_view journal_name = ".voxcc-publication";
constexpr std::int64_t most_bytes = std::int64_t{64} << 20;  // about a million files; the rest of a longer journal is ignored

std::string journal_path(const std::string& folder) { return folder + "/" + std::string(journal_name); }

std::string text_of(const std::optional<FileStamp>& stamp) {
    return stamp ? std::to_string(stamp->bytes) + "@" + std::to_string(stamp->time) : "-";
}

std::string text_of(const JournalRecord& record) {
    std::string text("publication\0", 12);
    for (const JournalFile& file : record)
        (text += "file " + text_of(file.before) + " " + text_of(file.after) + " " + file.path).push_back('\0');
    return text.append("end\0", 4);
}

// @return false if `text` is not a stamp
// "-"  ->  no file; "352@1763894000123456789"  ->  {352, 1763894000123456789}
bool parse(std::string_view text, std::optional<FileStamp>& stamp) {
    stamp.reset();
    if (text == "-") return true;
    FileStamp read;
    const char* const end = text.data() + text.size();
    const auto bytes = std::from_chars(text.data(), end, read.bytes);
    if (bytes.ec != std::errc() || bytes.ptr == end || *bytes.ptr != '@') return false;
    const auto time = std::from_chars(bytes.ptr + 1, end, read.time);
    if (time.ec != std::errc() || time.ptr != end) return false;
    stamp = read;
    return true;
}

// "file BEFORE AFTER PATH"
std::optional<JournalFile> parse_file(const std::string& line) {
    std::istringstream fields(line);
    std::string word, before, after;
    JournalFile file;
    if (!(fields >> word >> before >> after) || word != "file" || fields.get() != ' ' || !std::getline(fields, file.path, '\0')) return {};
    if (!parse(before, file.before) || !parse(after, file.after)) return {};
    return file;
}

struct Content {
    std::vector<JournalRecord> records;
    std::int64_t complete_bytes = 0;  // up to the end of the last complete record
};

// Stops at the first line that is not valid. An interrupted add() leaves an incomplete record, whose files were never renamed.
Content parse(const std::string& text) {
    Content content;
    JournalRecord record;
    for (std::size_t at = 0, end; (end = text.find('\0', at)) != std::string::npos; at = end + 1) {
        const std::string line = text.substr(at, end - at);
        if (line == "publication") {
            record.clear();
        } else if (line == "end") {
            content.records.push_back(std::move(record));
            record.clear();
            content.complete_bytes = std::int64_t(end) + 1;
        } else if (auto file = parse_file(line)) {
            record.push_back(std::move(*file));
        } else {
            break;
        }
    }
    return content;
}

Content read(int fd) {
    struct stat st {};
    if (::fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) return {};
    std::string text(std::size_t(std::min<std::int64_t>(st.st_size, most_bytes)), '\0');
    text.resize(read_at(fd, 0, std::as_writable_bytes(std::span(text))).count);
    return parse(text);
}

std::string path_of(const JournalFile& file, const std::string& folder) {
    return file.path.starts_with('/') ? file.path : folder + "/" + file.path;
}

// Whether one file has its state before the publication, and another has its state after it. Equal states do not count.
bool is_mixed(const JournalRecord& record, const std::string& folder) {
    bool before = false, after = false;
    for (const JournalFile& file : record) {
        if (file.before == file.after) continue;
        const auto now = stamp_of(path_of(file, folder));
        before = before || now == file.before;
        after = after || now == file.after;
    }
    return before && after;
}

bool is_mixed(const Content& content, const std::string& folder) {
    return std::ranges::any_of(content.records, [&](const JournalRecord& record) { return is_mixed(record, folder); });
}

// The mixed publication that contains a file of the folder; empty if there is none.
JournalRecord mixed_record_of(const std::string& name, const Content& content, const std::string& folder) {
    for (const JournalRecord& record : content.records)
        if (std::ranges::find(record, name, &JournalFile::path) != record.end() && is_mixed(record, folder)) return record;
    return {};
}

int open_or_create(const std::string& folder, const std::string& path) {
    for (;;) {
        int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd >= 0) return fd;
        if (errno != ENOENT) throw system_error(path, "open the journal of the folder", errno, Access::write);
        fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 && errno == EEXIST) continue;
        if (fd < 0) throw system_error(path, "create the journal of the folder", errno, Access::write);
        struct stat st {};
        if (::stat(folder.c_str(), &st) == 0) (void)::fchmod(fd, st.st_mode & 0666);  // everybody who can publish in the folder
        return fd;
    }
}

enum class Lock { held, busy };

// File systems without locks count as unlocked.
Lock lock(int fd, int operation) { return ::flock(fd, operation | LOCK_NB) != 0 && errno == EWOULDBLOCK ? Lock::busy : Lock::held; }

bool is_at(int fd, const std::string& path) {
    struct stat open {
    }, named{};
    return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

enum class Listing { absent, interrupted, under_way };

Listing listing_of(const std::string& name, const std::string& folder) {
    const int fd = ::open(journal_path(folder).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return Listing::absent;
    Listing listing = Listing::absent;
    if (!mixed_record_of(name, read(fd), folder).empty()) {
        if (lock(fd, LOCK_SH) == Lock::busy) listing = Listing::under_way;
        else if (!mixed_record_of(name, read(fd), folder).empty()) listing = Listing::interrupted;  // it could have ended before the lock
    }
    ::close(fd);
    return listing;
}

void require_published_at(const std::string& path) {
    constexpr int most_waits = 1000;  // of 10 ms
    const std::string folder = folder_for(path), name = std::filesystem::path(path).filename().string();
    Listing listing = listing_of(name, folder);
    for (int waits = 0; listing == Listing::under_way && waits < most_waits; ++waits) {
        ::poll(nullptr, 0, 10);
        listing = listing_of(name, folder);
    }
    if (listing == Listing::absent || !stamp_of(path)) return;
    if (listing == Listing::under_way) throw Error(ErrorKind::changed_file, path, "is being replaced by another process");
    throw Error(ErrorKind::interrupted_output, path, "its publication was interrupted");
}

}  // namespace

std::optional<FileStamp> stamp_of(const std::string& path) {
    struct stat st {};
    if (::lstat(path.c_str(), &st) != 0) return std::nullopt;
    return FileStamp{std::int64_t(st.st_size), std::int64_t(st.st_mtim.tv_sec) * 1'000'000'000 + st.st_mtim.tv_nsec};
}

Journal::Journal(const std::string& folder) : folder_(folder), path_(journal_path(folder)) {}

void Journal::close() noexcept {
    ::close(fd_);
    fd_ = -1;
}

std::unique_ptr<Journal> Journal::try_lock(const std::string& folder) {
    std::unique_ptr<Journal> journal(new Journal(folder));
    for (;;) {
        journal->fd_ = open_or_create(folder, journal->path_);
        const bool is_busy = lock(journal->fd_, LOCK_EX) == Lock::busy;
        if (!is_busy && is_at(journal->fd_, journal->path_)) return journal;
        journal->close();  // locked, or removed by another process before the lock
        if (is_busy) return nullptr;
    }
}

Journal::~Journal() {
    if (fd_ < 0) return;
    struct stat st {};
    const bool is_empty = ::fstat(fd_, &st) == 0 && st.st_size == 0;
    try {
        if (is_empty || is_settled_ || !is_mixed(read(fd_), folder_)) ::unlink(path_.c_str());
    } catch (...) {  // no memory: the journal stays, which is always safe
    }
    ::flock(fd_, LOCK_UN);
    close();
}

void Journal::add(const JournalRecord& record) {
    const std::string text = text_of(record);
    const std::int64_t at = read(fd_).complete_bytes;
    lists_one_ = at == 0;
    if (::ftruncate(fd_, at) != 0) throw system_error(path_, "write", errno, Access::write);
    if (const int error = write_at(fd_, at, std::as_bytes(std::span(text)))) throw system_error(path_, "write", error, Access::write);
    if (::fsync(fd_) != 0) throw system_error(path_, "sync", errno, Access::write);
    sync_folder(folder_);
}

void Journal::settled() noexcept { is_settled_ = lists_one_; }

bool has_journal(const std::string& folder) { return stamp_of(journal_path(folder)).has_value(); }

void remove_settled_journal(const std::string& folder) noexcept {
    try {
        if (has_journal(folder)) Journal::try_lock(folder);
    } catch (...) {  // the journal stays, which is always safe
    }
}

void require_published(const std::string& path) {
    require_published_at(path);
    std::error_code none;
    if (!std::filesystem::is_symlink(path, none)) return;
    const std::filesystem::path end = std::filesystem::canonical(path, none);
    if (!none) require_published_at(end.string());
}

}  // namespace voxcc::io
