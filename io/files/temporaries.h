// The list of temporary files and new folders of this process, which the signal handler removes.
#pragma once
#include <csignal>
#include <string>

namespace voxcc::io {

enum class TemporaryKind { file, folder };

struct TemporaryEntry;  // one path in the list

/// Blocks all signals of this thread while it exists.
class BlockedSignals {
public:
    BlockedSignals();
    ~BlockedSignals();
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;

private:
    sigset_t before_{};
};

/// A claim on one file or folder that is about to be created. Until it is armed or destroyed, this thread blocks all signals, and a signal
/// handler in another thread waits. So the list contains every created file when the handler reads it.
class Claim {
public:
    /// @param path of the file or folder that will be created
    Claim(const std::string& path, TemporaryKind kind);
    /// Removes the claim unless it was armed, and restores the signal mask.
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    /// Must be called at most once, after the file or folder was created. @return its entry, for disarm()
    TemporaryEntry* arm();

private:
    TemporaryEntry* entry_;
    TemporaryKind kind_;
    BlockedSignals blocked_;
};

/// A part of a publication that must not be interrupted. This thread blocks all signals, and a signal handler in another thread waits for
/// the end of the section. No Claim may be made in it.
class UninterruptedSection {
public:
    UninterruptedSection();
    ~UninterruptedSection();
    UninterruptedSection(const UninterruptedSection&) = delete;
    UninterruptedSection& operator=(const UninterruptedSection&) = delete;
    /// Must be called after each step. A handler stops waiting when no step has ended for 10 s, because a file system can hang.
    static void step_done() noexcept;

private:
    BlockedSignals blocked_;
};

/// Removes a published or deleted path from the list. Null does nothing. Thread-safe.
void disarm(TemporaryEntry* entry);

/// Stops all later claims and uninterrupted sections: their threads wait until the program ends. Must be called before
/// remove_temporaries(). Async-signal-safe.
void make_no_more_files() noexcept;
/// Waits for the end of all uninterrupted sections, then removes all unpublished temporary files and all empty new folders; for handlers of
/// SIGINT and similar signals. Removes nothing if a section does not end. Async-signal-safe.
void remove_temporaries() noexcept;

}  // namespace voxcc::io
