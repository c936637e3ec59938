#include "src/messages/progress.h"

#include "src/messages/report.h"
#include "src/messages/terminal.h"

#include <cstdlib>

namespace voxcc {

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

void ProgressBar::draw(int percent, std::int64_t seconds_left) {
    const std::string number = std::to_string(percent);
    if (style_ == Style::bar) {
        constexpr std::size_t width = 30;
        const std::size_t full = width * std::size_t(percent) / 100;
        std::string left;
        if (seconds_left >= 120) left = ", " + std::to_string(seconds_left / 60) + " min left";
        else if (seconds_left > 0) left = ", " + std::to_string(seconds_left) + " s left";
        draw_bar(stage_ + " [" + std::string(full, '#') + std::string(width - full, ' ') + "] " + number + " %" + left);
    } else if (format_ == LogFormat::json) {
        print_line("{\"level\":\"progress\",\"stage\":\"" + stage_ + "\",\"percent\":" + number + "}");
    } else {
        print_line("voxcc: " + stage_ + " " + number + " %");
    }
}

}  // namespace voxcc
