#include "io/files/temporary_names.h"

#include "io/files/checked_file.h"
#include "io/files/journal.h"
#include "io/files/zarr_tree.h"

#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>

namespace voxcc::io {
namespace {

constexpr std::string_view start = ".voxcc-";
constexpr std::size_t place_digits = 16;

// FNV-1a
std::uint64_t hash_of(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

// Process ids are comparable only between processes of the same place. "0000000000000000" if the place is not known.
std::string place_of_this_process() {
    std::string boot;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
    std::error_code error;
    const std::string ids = std::filesystem::read_symlink("/proc/self/ns/pid", error).string();
    std::string digits(place_digits, '0');
    if (boot.empty() || ids.empty()) return digits;
    std::uint64_t hash = hash_of(boot + ids);
    for (char& digit : digits) {
        digit = "0123456789abcdef"[hash % 16];
        hash /= 16;
    }
    return digits;
}

const std::string& place() {
    static const std::string text = place_of_this_process();
    return text;
}

// The process of a temporary file of this place; empty for other files.
std::optional<pid_t> process_of(const std::string& name) {
    const std::string before = std::string(start) + place() + "-";
    if (place() == std::string(place_digits, '0') || !name.starts_with(before)) return {};
    pid_t process = 0;
    const char* const end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + before.size(), end, process);
    if (parsed.ec != std::errc() || parsed.ptr == end || *parsed.ptr != '-' || process <= 0) return {};
    return process;
}

bool has_ended(pid_t process) { return ::kill(process, 0) != 0 && errno == ESRCH; }

// Whether this is the first call for the folder.
bool is_first_visit(const std::string& folder) {
    static std::mutex mutex;
    static std::set<std::string> visited;
    std::string path = std::filesystem::absolute(folder).string();
    const std::lock_guard lock(mutex);
    return visited.insert(std::move(path)).second;
}

void remove_files_of_ended_processes(const std::string& folder) {
    std::error_code error;
    std::filesystem::directory_iterator entry(folder, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        const auto process = process_of(entry->path().filename().string());
        if (process && has_ended(*process) && ::unlink(entry->path().c_str()) != 0) remove_zarr_tree(entry->path().string());
    }
}

}  // namespace

bool is_hidden_name(std::string_view name) { return name.starts_with(start); }

std::string temporary_path(const std::string& target) {
    static std::atomic<unsigned> serial{0};
    const std::string prefix = std::string(start) + place() + "-" + std::to_string(::getpid()) + "-" + std::to_string(serial++) + "-";
    std::string name = std::filesystem::path(target).filename().string();
    const std::size_t room = NAME_MAX - prefix.size();
    const auto continues_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };  // of UTF-8
    if (name.size() > room) {
        name.erase(0, name.size() - room);
        name.erase(name.begin(), std::ranges::find_if_not(name, continues_character));
    }
    return folder_for(target) + "/" + prefix + name;
}

void remove_stale_temporaries(const std::string& folder) noexcept {
    try {
        // With a journal, a file can hold the earlier content of an output whose publication was interrupted.
        if (!has_journal(folder) && is_first_visit(folder)) remove_files_of_ended_processes(folder);
    } catch (...) {  // no memory: the files stay
    }
}

}  // namespace voxcc::io
