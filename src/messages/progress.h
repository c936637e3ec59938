// How far a run has come, on stderr.
#pragma once
#include "src/cli/options.h"

#include <chrono>
#include <mutex>
#include <string_view>

namespace voxcc {

/// On a terminal a bar, from half a second after the start and at most ten times a second; elsewhere, if asked for with
/// --progress always, a line every 10 %. The bar of a stage that takes seconds says how long it is going to take. Wiped away by its
/// destructor.
class ProgressBar {
public:
    explicit ProgressBar(const Talk& talk);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;
    /// `done` of `total` (any unit) of the stage. Thread-safe and cheap enough for every slab; never waits for another thread's drawing.
    void update(std::string_view stage, std::int64_t done, std::int64_t total);

private:
    using Clock = std::chrono::steady_clock;
    enum class Style { none, bar, lines };
    static Style style_for(const Talk& talk);
    void draw(int percent, std::int64_t seconds_left);
    const Style style_;
    const LogFormat format_;
    std::mutex mutex_;
    Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(500);
    std::string stage_;  // of the last update
    Clock::time_point began_;
    int tenth_ = -1;  // of its last line
};

}  // namespace voxcc
