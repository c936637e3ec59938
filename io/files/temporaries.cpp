#include "io/files/temporaries.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace voxcc::io {

// A signal handler must not allocate or lock. It reads a linked list whose entries are reused but never removed or freed.
struct TemporaryEntry {
    enum class State { unused, claimed, file, folder };
    std::atomic<State> state{State::unused};
    std::unique_ptr<char[]> path;
    std::size_t capacity = 0;  // bytes of `path`
    TemporaryEntry* next = nullptr;
};

namespace {

using State = TemporaryEntry::State;

std::atomic<TemporaryEntry*> first_entry{nullptr};
std::mutex unused_mutex;  // never taken by the handler
std::vector<TemporaryEntry*> unused;

std::atomic<bool> ending{false};  // set by make_no_more_files()

std::atomic<int> sections{0};    // uninterrupted sections that exist
std::atomic<unsigned> steps{0};  // that ended in all of them

TemporaryEntry* new_entry(std::size_t bytes) {
    static std::size_t entries = 0;
    unused.reserve(++entries);         // so that disarm() never needs memory
    constexpr std::size_t step = 256;  // most paths fit, so most entries can be reused
    auto entry = std::make_unique<TemporaryEntry>();
    entry->capacity = (bytes + step - 1) / step * step;
    entry->path = std::make_unique<char[]>(entry->capacity);
    entry->next = first_entry;
    first_entry = entry.get();
    return entry.release();
}

TemporaryEntry* entry_of(std::size_t bytes) {
    const std::lock_guard lock(unused_mutex);
    if (unused.empty() || unused.back()->capacity < bytes) return new_entry(bytes);
    TemporaryEntry* const entry = unused.back();
    unused.pop_back();
    return entry;
}

template <class F>
void for_each_entry(F&& f) {
    for (TemporaryEntry* entry = first_entry; entry; entry = entry->next) f(*entry);
}

// @return false if a section still exists although no step has ended for 10 s
bool sections_end() {
    constexpr int most_waits = 10'000;  // of 1 ms
    unsigned seen = steps;
    for (int waits = 0; sections > 0; ++waits) {
        if (waits == most_waits) return false;
        ::poll(nullptr, 0, 1);
        if (steps != seen) waits = 0;
        seen = steps;
    }
    return true;
}

}  // namespace

BlockedSignals::BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
}

BlockedSignals::~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

UninterruptedSection::UninterruptedSection() {
    ++sections;
    if (ending) --sections;
    while (ending) ::pause();  // the handler ends the program
}

UninterruptedSection::~UninterruptedSection() { --sections; }

void UninterruptedSection::step_done() noexcept { ++steps; }

Claim::Claim(const std::string& path, TemporaryKind kind) : entry_(entry_of(path.size() + 1)), kind_(kind) {
    entry_->state = State::claimed;
    if (ending) entry_->state = State::unused;
    while (ending) ::pause();  // the handler ends the program
    std::memcpy(entry_->path.get(), path.c_str(), path.size() + 1);
}

Claim::~Claim() { disarm(entry_); }

TemporaryEntry* Claim::arm() {
    entry_->state = kind_ == TemporaryKind::file ? State::file : State::folder;
    return std::exchange(entry_, nullptr);
}

void disarm(TemporaryEntry* entry) {
    if (!entry) return;
    entry->state = State::unused;
    const std::lock_guard lock(unused_mutex);
    unused.push_back(entry);
}

void make_no_more_files() noexcept { ending = true; }

void remove_temporaries() noexcept {
    if (!sections_end()) return;  // a temporary name can hold the earlier content of an output
    const auto somebody_claims = [] {
        bool found = false;
        for_each_entry([&](const TemporaryEntry& entry) { found = found || entry.state == State::claimed; });
        return found;
    };
    for (int waits = 0; waits < 2000 && somebody_claims(); ++waits)
        ::poll(nullptr, 0, 1);  // waits at most 2 s, because a file system can hang
    for_each_entry([](const TemporaryEntry& entry) {
        if (entry.state == State::file) ::unlink(entry.path.get());
    });
    // A folder can be removed only after its subfolders, which can follow it in the list.
    for (bool removed = true; removed;) {
        removed = false;
        for_each_entry([&](const TemporaryEntry& entry) {
            if (entry.state == State::folder && ::rmdir(entry.path.get()) == 0) removed = true;
        });
    }
}

}  // namespace voxcc::io
