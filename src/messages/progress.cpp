#include "src/messages/progress.h"

#include "io/table.h"
#include "src/messages/printable.h"
#include "src/messages/report.h"
#include "src/messages/terminal.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace voxcc {
namespace {

std::string time_left(std::int64_t seconds) {
    if (seconds <= 0) return "";
    constexpr std::int64_t minute = 60, hour = 60 * minute;
    if (seconds >= 2 * hour) return ", " + std::to_string(seconds / hour) + " h left";
    return ", " + (seconds >= 2 * minute ? std::to_string(seconds / minute) + " min" : std::to_string(seconds) + " s") + " left";
}

/// The last characters of a text, which tell inputs apart.
std::string end_of(const std::string& text, std::size_t width) {
    std::size_t begin = text.size();
    for (std::size_t taken = 0; begin > 0 && taken < width;) taken += (static_cast<unsigned char>(text[--begin]) & 0xc0) != 0x80;
    return text.substr(begin);
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        if (!word.empty()) text += (text.empty() ? "" : " ") + word;
    return text;
}

}  // namespace

std::string text_of(const ProgressLine& line, std::size_t columns) {
    constexpr std::size_t widest = 30, narrowest = 10, shortest_name = 6;
    const std::size_t room = columns > 1 ? columns - 1 : 0;
    const std::string batch = line.inputs > 0 ? "[" + std::to_string(line.input) + "/" + std::to_string(line.inputs) + "]" : "";
    const std::string percent = std::to_string(line.percent) + " %", left = time_left(line.seconds_left);
    const std::string full = joined({batch, line.name, line.stage, percent}) + left;
    if (const std::size_t width = io::terminal_columns_of(full); width + narrowest + 3 <= room) {
        const std::size_t bar = std::min(widest, room - width - 3), filled = bar * std::size_t(line.percent) / 100;
        return joined({batch, line.name, line.stage, "[" + std::string(filled, '#') + std::string(bar - filled, ' ') + "]", percent}) +
               left;
    }
    if (io::terminal_columns_of(full) <= room) return full;
    const std::string without_name = joined({batch, line.stage, percent}) + left;
    if (const std::size_t width = io::terminal_columns_of(without_name) + 4; width + shortest_name <= room)
        return joined({batch, "..." + end_of(line.name, room - width), line.stage, percent}) + left;
    for (const std::string& text : {without_name, joined({batch, line.stage, percent}), joined({batch, percent}), percent})
        if (io::terminal_columns_of(text) <= room) return text;
    return "";
}

ProgressBar::Style ProgressBar::style_for(const MessageOptions& messages) {
    if (messages.progress == Progress::never || messages.verbosity == 0) return Style::none;
    const bool can_redraw = stderr_obeys_codes() && messages.format == LogFormat::text;
    if (messages.progress == Progress::always) return can_redraw ? Style::bar : Style::lines;
    return can_redraw && !std::getenv("CI") ? Style::bar : Style::none;
}

ProgressBar::ProgressBar(const MessageOptions& messages) : style_(style_for(messages)), format_(messages.format) {}

ProgressBar::~ProgressBar() {
    if (style_ == Style::bar) draw_bar("");
}

void ProgressBar::update(std::string_view stage, std::int64_t done, std::int64_t total) {
    if (style_ == Style::none || total <= 0) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    const auto now = Clock::now();
    if (stage_ != stage) {
        stage_ = stage;
        began_ = now;
        tenth_ = -1;
    }
    const double share = double(std::min(done, total)) / double(total);
    const int percent = int(100.0 * share);
    if (style_ == Style::bar) {
        if (now < next_) return;
        next_ = now + std::chrono::milliseconds(100);
    } else {
        if (percent / 10 == tenth_) return;
        tenth_ = percent / 10;
    }
    const double seconds = std::chrono::duration<double>(now - began_).count();
    draw(percent, seconds > 2 && share > 0 ? std::int64_t(seconds / share - seconds) + 1 : 0);
}

void ProgressBar::begin_batch(std::int64_t inputs, int at_the_same_time) {
    const std::lock_guard lock(mutex_);
    inputs_ = inputs;
    at_the_same_time_ = at_the_same_time;
    batch_began_ = Clock::now();
}

void ProgressBar::begin_input(const std::string& name) {
    const std::lock_guard lock(mutex_);
    name_ = printable(name, LineEnds::none);
}

void ProgressBar::end_input() {
    std::int64_t ended = 0;
    {
        const std::lock_guard lock(mutex_);
        ended = ++ended_;
    }
    if (style_ == Style::lines || at_the_same_time_ > 1) update("volumes", ended, inputs_);
}

std::int64_t ProgressBar::seconds_left_of_batch(Clock::time_point now) const {
    const double seconds = std::chrono::duration<double>(now - batch_began_).count();
    return ended_ > 0 && seconds > 2 ? std::int64_t(seconds / double(ended_) * double(inputs_ - ended_)) + 1 : 0;
}

void ProgressBar::draw(int percent, std::int64_t seconds_left) {
    const std::string number = std::to_string(percent);
    if (style_ == Style::bar) {
        ProgressLine line{.stage = stage_, .percent = percent, .seconds_left = seconds_left};
        if (inputs_ > 0) {
            line.input = std::min(ended_ + 1, inputs_), line.inputs = inputs_;
            line.seconds_left = seconds_left_of_batch(Clock::now());
            if (at_the_same_time_ > 1) line.stage.clear(), line.percent = int(100 * ended_ / inputs_);
            else line.name = name_;
        }
        draw_bar(text_of(line, stderr_columns()));
    } else if (format_ == LogFormat::json) {
        print_line("{\"level\":\"progress\",\"stage\":\"" + stage_ + "\",\"percent\":" + number + "}");
    } else {
        print_line("voxcc: " + stage_ + " " + number + " %");
    }
}

}  // namespace voxcc
