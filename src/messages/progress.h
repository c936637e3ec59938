// Progress of a run on stderr.
#pragma once
#include "src/options/options.h"

#include <chrono>
#include <mutex>
#include <string_view>

namespace voxcc {

/// Shows progress: a bar on a terminal, which first appears after 0.5 s and is redrawn at most 10 times per second. Elsewhere, and only
/// with
/// --progress always, one line per 10 %. After 2 s of a stage the bar shows the estimated time left. The destructor erases the bar.
class ProgressBar {
public:
    explicit ProgressBar(const MessageOptions& messages);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;
    /// Reports progress of a stage. Thread-safe; does not wait for another thread's drawing, and is cheap enough to be called for every
    /// slab.
    /// @param done in [0, total], in any unit; @param total the call does nothing if it is not positive
    void update(std::string_view stage, std::int64_t done, std::int64_t total);

private:
    using Clock = std::chrono::steady_clock;
    enum class Style { none, bar, lines };
    static Style style_for(const MessageOptions& messages);
    void draw(int percent, std::int64_t seconds_left);
    const Style style_;
    const LogFormat format_;
    std::mutex mutex_;
    Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(500);
    std::string stage_;  // stage of the last update
    Clock::time_point began_;
    int tenth_ = -1;  // tenth shown by the last line, [0, 10]; -1: no line yet
};

}  // namespace voxcc
