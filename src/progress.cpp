#include "src/progress.h"

#include "src/report.h"

#include <unistd.h>
#include <cstdlib>

namespace voxcc {

ProgressBar::Style ProgressBar::style_for(const Talk& talk) {
    if (talk.progress == Progress::never || talk.verbosity == 0) return Style::none;
    const char* terminal = std::getenv("TERM");
    const bool can_redraw = ::isatty(STDERR_FILENO) && terminal && std::string_view(terminal) != "dumb" && talk.format == LogFormat::text;
    if (talk.progress == Progress::always) return can_redraw ? Style::bar : Style::lines;
    return can_redraw && !std::getenv("CI") ? Style::bar : Style::none;
}

ProgressBar::ProgressBar(const Talk& talk) : style_(style_for(talk)), format_(talk.format) {}

ProgressBar::~ProgressBar() {
    if (style_ == Style::bar) draw_bar("");
}

void ProgressBar::update(std::string_view stage, std::int64_t done, std::int64_t total) {
    if (style_ == Style::none || total <= 0) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    const int percent = int(100.0 * double(std::min(done, total)) / double(total));
    if (style_ == Style::bar) {
        if (Clock::now() < next_) return;
        next_ = Clock::now() + std::chrono::milliseconds(100);
    } else {
        if (stage_ == stage && percent / 10 == tenth_) return;
        stage_ = stage;
        tenth_ = percent / 10;
    }
    draw(stage, percent);
}

void ProgressBar::draw(std::string_view stage, int percent) {
    const std::string number = std::to_string(percent);
    if (style_ == Style::bar) {
        constexpr std::size_t width = 30;
        const std::size_t full = width * std::size_t(percent) / 100;
        draw_bar(std::string(stage) + " [" + std::string(full, '#') + std::string(width - full, ' ') + "] " + number + " %");
    } else if (format_ == LogFormat::json) {
        print_talk("{\"level\":\"progress\",\"stage\":\"" + std::string(stage) + "\",\"percent\":" + number + "}");
    } else {
        print_talk("voxcc: " + std::string(stage) + " " + number + " %");
    }
}

}  // namespace voxcc
