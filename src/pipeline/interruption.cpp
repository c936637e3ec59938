#include "src/pipeline/interruption.h"

#include "io/files/checked_file.h"
#include "src/messages/report.h"

#include <unistd.h>
#include <chrono>
#include <system_error>

namespace voxcc {

void end_by_signal(int signal) {
    erase_bar_at_end();
    io::make_no_more_files();
    io::remove_temporaries();
    _exit(128 + signal);
}

Interruption::Interruption() {
    sigemptyset(&signals_);
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
        struct sigaction action {};
        // A blocked signal would be taken by sigwait() although it is ignored.
        if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        sigaddset(&signals_, signal);
        if (first_ == 0) first_ = signal;
    }
    if (first_ == 0) return;
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    try {
        thread_ = std::thread([this] { wait(); });
    } catch (const std::system_error&) {  // limit on processes
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
}

Interruption::~Interruption() {
    if (!thread_.joinable()) return;
    over_ = true;
    pthread_kill(thread_.native_handle(), first_);
    thread_.join();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool Interruption::requested() const {
    if (requested_) return true;
    sigset_t pending;
    if (sigpending(&pending) != 0) return false;
    for (const int signal : {SIGHUP, SIGINT, SIGTERM})
        if (sigismember(&signals_, signal) == 1 && sigismember(&pending, signal) == 1) return true;
    return false;
}

void Interruption::wait() {
    int signal = 0;
    sigwait(&signals_, &signal);
    if (over_) return;
    requested_ = true;
    try {
        std::thread([this, signal] { respond(signal); }).detach();
    } catch (const std::system_error&) {
        end_by_signal(signal);
    }
    constexpr timespec at_once{};
    std::this_thread::sleep_for(std::chrono::seconds(1));
    while (sigtimedwait(&signals_, nullptr, &at_once) > 0) {
    }
    sigwait(&signals_, &signal);
    end_by_signal(signal);
}

void Interruption::respond(int signal) {
    const std::lock_guard lock(mutex_);
    if (response_) response_(signal);
    end_by_signal(signal);
}

InterruptionResponse::InterruptionResponse(Interruption* interruption, std::function<void(int)> response) : interruption_(interruption) {
    set(std::move(response));
}

InterruptionResponse::~InterruptionResponse() { set(nullptr); }

void InterruptionResponse::wait_if_requested() const {
    while (interruption_ && interruption_->requested()) std::this_thread::sleep_for(std::chrono::seconds(1));
}

void InterruptionResponse::set(std::function<void(int)> response) {
    if (!interruption_) return;
    const std::lock_guard lock(interruption_->mutex_);
    interruption_->response_ = std::move(response);
}

}  // namespace voxcc
