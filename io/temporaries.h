// The temporary files and new folders of this process, which the handler of a signal removes.
#pragma once
#include <csignal>
#include <string>

namespace voxcc::io {

enum class TemporaryKind { file, folder };

struct TemporaryEntry;  // one name in the list

/// The right to make one file or folder. Until it is armed or destroyed, this thread takes no signal, and a handler that runs in another
/// thread waits. So the list contains everything that exists when the handler reads it.
class Claim {
public:
    /// @param path of what will be made
    Claim(const std::string& path, TemporaryKind kind);
    /// Withdraws the claim unless it was armed.
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    /// To be called once the file or folder exists. @return its entry, for disarm()
    TemporaryEntry* arm();

private:
    sigset_t before_{};
    TemporaryEntry* entry_;
    TemporaryKind kind_;
};

/// Takes a published or removed name off the list; null does nothing. Thread-safe.
void disarm(TemporaryEntry* entry);

/// Threads that are about to make a file from now on wait for the end of the program; async-signal-safe, before remove_temporaries().
void make_no_more_files() noexcept;
/// Removes all unpublished temporary files and all new folders that are empty; async-signal-safe, for the handler of SIGINT and friends.
void remove_temporaries() noexcept;

}  // namespace voxcc::io
