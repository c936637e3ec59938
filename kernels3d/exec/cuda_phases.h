// Measures the time of the phases of one stream with CUDA events. Part of cuda_executor.h.
#pragma once
#include "kernels3d/exec/cuda_memory.h"
#include "kernels3d/exec/executor.h"

#include <functional>
#include <optional>
#include <utility>

namespace voxcc::exec {

/// Owns a CUDA event.
class CudaEvent {
public:
    CudaEvent() { check(cudaEventCreate(&event_), "event"); }
    CudaEvent(CudaEvent&& o) noexcept : event_(std::exchange(o.event_, nullptr)) {}
    ~CudaEvent() {
        if (event_) cudaEventDestroy(event_);
    }
    operator cudaEvent_t() const { return event_; }

private:
    cudaEvent_t event_ = nullptr;
};

/// Lets `later` wait for the work that `earlier` has now. Both belong to the current device of the thread.
inline void let_wait(cudaStream_t later, cudaStream_t earlier) {
    cudaEvent_t done = nullptr;
    check(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), "wait");
    const cudaError_t recorded = cudaEventRecord(done, earlier), waits = cudaStreamWaitEvent(later, done);
    cudaEventDestroy(done);
    check(recorded, "wait");
    check(waits, "wait");
}

/// The phases of a stream and their times. If a phase directly follows another phase, the end event of the first is also the begin event of
/// the second. This saves events: recording an event takes about as long as a kernel launch. Not thread-safe.
class CudaPhases {
public:
    explicit CudaPhases(cudaStream_t stream) : stream_(stream) {}
    void set_timing(Timing timing) { timing_ = timing; }

    /// Calls work(), which issues the work of a phase. A phase may contain other phases.
    template <class Work>
    void timed(const char* phase, const Work& work) {
        if (const std::optional<Waiting> waiting = std::exchange(waiting_, std::nullopt)) {
            waiting->before_first();
            record_event(phase);
            spans_[waiting->span].begin = events_used_ - 1;
        }
        if (timing_ == Timing::none || (inside_ > 0 && (timing_ == Timing::outermost || as_one_))) {
            work();
            check(cudaGetLastError(), phase);
            unmarked_ = inside_ > 0;
            return;
        }
        const std::size_t span = spans_.size();
        if (!busy_) record_event(phase);
        spans_.push_back({phase, events_used_ - 1, 0});
        end(span, work);
    }
    /// As timed(). The phases inside are not reported by themselves: events between kernels would keep them from overlapping.
    template <class Work>
    void timed_as_one(const char* phase, const Work& work) {
        timed(phase, [&] {
            const bool before = std::exchange(as_one_, true);
            work();
            as_one_ = before;
        });
    }
    /// As timed(), but the time starts with the first phase inside and ends with the last one. Work of the host before and after them, such
    /// as allocation or a wait for results, is not counted. Between phases it is.
    /// @param before_first called before the first phase inside. The work that it issues on the stream is not counted
    template <class Work>
    void timed_from_first_phase(const char* phase, const std::function<void()>& before_first, const Work& work) {
        synchronize(phase);
        const std::size_t span = spans_.size();
        spans_.push_back({phase, 0, 0});
        waiting_ = Waiting{span, before_first};
        ++inside_;
        work();
        --inside_;
        check(cudaGetLastError(), phase);
        const bool has_phases = !std::exchange(waiting_, std::nullopt);
        if (unmarked_ || !has_phases) record_event(phase);
        spans_[span].end = events_used_ - 1;
        if (!has_phases) spans_[span].begin = spans_[span].end;
    }
    /// Marks the end of the phases so far, for timed_from_first_phase(). To be called before work that is not a phase.
    void end_phases() {
        if (unmarked_) record_event("end");
    }
    /// Waits until all work of the stream is finished.
    void synchronize(const char* phase) {
        check(cudaStreamSynchronize(stream_), phase);
        busy_ = false;
    }
    /// The phases since reset(). Waits until all work of the stream is finished.
    std::vector<Phase> phases() {
        synchronize("end");
        std::vector<Phase> phases;
        for (const Span& span : spans_) {
            float milliseconds = 0;
            check(cudaEventElapsedTime(&milliseconds, events_[span.begin], events_[span.end]), span.phase);
            add_phase(phases, span.phase, milliseconds);
        }
        return phases;
    }
    void reset() {
        spans_.clear();
        events_used_ = 0;
        busy_ = unmarked_ = false;
    }

private:
    struct Span {
        const char* phase;
        std::size_t begin, end;  // indices into events_
    };
    /// A span that begins with its first inner phase, which has not begun yet.
    struct Waiting {
        std::size_t span;
        std::function<void()> before_first;
    };
    template <class Work>
    void end(std::size_t span, const Work& work) {
        ++inside_;
        work();
        --inside_;
        check(cudaGetLastError(), spans_[span].phase);
        record_event(spans_[span].phase);
        spans_[span].end = events_used_ - 1;
    }
    void record_event(const char* phase) {
        if (events_used_ == events_.size()) events_.emplace_back();
        check(cudaEventRecord(events_[events_used_++], stream_), phase);
        busy_ = true;
        unmarked_ = false;
    }

    cudaStream_t stream_;
    std::vector<Span> spans_;
    std::vector<CudaEvent> events_;
    std::size_t events_used_ = 0;  // since reset()
    int inside_ = 0;               // number of phases that have begun and not ended
    std::optional<Waiting> waiting_;
    Timing timing_ = Timing::each;
    bool busy_ = false;      // whether the host has not waited for the stream since the last event
    bool as_one_ = false;    // whether phases inside another phase are not reported
    bool unmarked_ = false;  // whether a phase without events of its own has run since the last event
};

}  // namespace voxcc::exec
