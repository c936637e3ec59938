// What a run of several inputs does when a user presses Ctrl-C or a scheduler ends it.
#pragma once
#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace voxcc {

/// Ends the process with the exit code 128 + signal. Removes the temporary files of all outputs first. Async-signal-safe.
[[noreturn]] void end_by_signal(int signal);

/// While this object exists, SIGINT, SIGTERM and SIGHUP are handled by one more thread: it calls the function of the current
/// InterruptionResponse, and then end_by_signal(). Without a response, it ends the process at once. Further signals during the first second
/// are ignored, because `timeout` sends each signal twice. A later one ends the process at once. A signal that the caller ignores stays
/// ignored. Must be constructed before other threads are started; otherwise one of these can take the signal. If the system cannot start
/// the thread, the signals keep their effect.
class Interruption {
public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;
    /// @return whether a signal has arrived, so that the process ends soon. Thread-safe.
    bool requested() const;

private:
    friend class InterruptionResponse;
    void wait();
    void respond(int signal);
    sigset_t signals_{}, before_{};
    int first_ = 0;  // the smallest number in signals_; 0: the set is empty
    std::atomic<bool> requested_{false}, over_{false};
    std::mutex mutex_;                   // is held during a response, until the process ends
    std::function<void(int)> response_;  // guarded by mutex_
    std::thread thread_;
};

/// Sets the response while this object exists. The destructor waits for a response that has begun, which then ends the process.
class InterruptionResponse {
public:
    /// @param interruption may be null; then this object does nothing. @param response is called with the signal in
    /// another thread, at most once
    InterruptionResponse(Interruption* interruption, std::function<void(int)> response);
    ~InterruptionResponse();
    /// If a signal has arrived, waits until the response has ended the process. The thread of the response may not have begun yet.
    void wait_if_requested() const;
    InterruptionResponse(const InterruptionResponse&) = delete;
    InterruptionResponse& operator=(const InterruptionResponse&) = delete;

private:
    void set(std::function<void(int)> response);
    Interruption* interruption_;
};

}  // namespace voxcc
