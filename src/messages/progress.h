// Progress of a run on stderr.
#pragma once
#include "src/options/options.h"

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

namespace voxcc {

/// What the line of a progress bar shows.
struct ProgressLine {
    std::int64_t input = 0, inputs = 0;  // number of the input, and number of inputs; 0: the run has one input
    std::string name = {};               // of the input
    std::string stage = {};
    int percent = 0;
    std::int64_t seconds_left = 0;  // 0: not known
};

/// The text of the line, which is shorter than the terminal: a line that reaches its end cannot be redrawn. In a narrow terminal, the bar,
/// the name, the time and the stage are shortened or left out, in this order.
// {12, 236, "sub-03", "label", 67, 180}, 80 -> "[12/236] sub-03 label [####################          ] 67 %, 3 min left"
// the same, 40 -> "[12/236] sub-03 label 67 %, 3 min left"; 20 -> "[12/236] label 67 %"
std::string text_of(const ProgressLine& line, std::size_t columns);

/// Shows progress: a bar on a terminal, which first appears after 0.5 s and is redrawn at most 10 times per second. Elsewhere, and only
/// with --progress always, one line per 10 %. After 2 s of a stage the bar shows the estimated time left. The destructor erases the bar.
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
    /// The run has several inputs. From here on, the line states their number, and the time left for all of them. Thread-safe.
    /// @param at_the_same_time number of inputs that are processed at the same time; if above 1, the line has no stage
    void begin_batch(std::int64_t inputs, int at_the_same_time);
    void begin_input(const std::string& name);
    void end_input();

private:
    using Clock = std::chrono::steady_clock;
    enum class Style { none, bar, lines };
    static Style style_for(const MessageOptions& messages);
    void draw(int percent, std::int64_t seconds_left);
    std::int64_t seconds_left_of_batch(Clock::time_point now) const;
    const Style style_;
    const LogFormat format_;
    std::mutex mutex_;
    Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(500);
    std::string stage_;  // stage of the last update
    Clock::time_point began_;
    std::int64_t inputs_ = 0, ended_ = 0;  // of a batch
    int at_the_same_time_ = 1;
    std::string name_;  // of the input that began last
    Clock::time_point batch_began_;
    int tenth_ = -1;  // tenth shown by the last line, [0, 10]; -1: no line yet
};

}  // namespace voxcc
