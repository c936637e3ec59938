// Measures the time of the phases of one stream with CUDA events. Part of cuda_executor.h.
#pragma once
#include "kernels3d/exec/cuda_memory.h"
#include "kernels3d/exec/executor.h"

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
        if (waiting_) {
            record_event(phase);
            spans_[*std::exchange(waiting_, std::nullopt)].begin = events_used_ - 1;
        }
        if (timing_ == Timing::none || (inside_ > 0 && timing_ == Timing::outermost)) {
            work();
            check(cudaGetLastError(), phase);
            return;
        }
        const std::size_t span = spans_.size();
        if (!busy_) record_event(phase);
        spans_.push_back({phase, events_used_ - 1, 0});
        end(span, work);
    }
    /// As timed(), but the time starts with the first phase inside. Earlier work of the host, such as allocation, is not counted.
    template <class Work>
    void timed_from_first_phase(const char* phase, const Work& work) {
        synchronize(phase);
        const std::size_t span = spans_.size();
        spans_.push_back({phase, 0, 0});
        waiting_ = span;
        end(span, work);
        if (std::exchange(waiting_, std::nullopt)) spans_[span].begin = spans_[span].end;
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
        busy_ = false;
    }

private:
    struct Span {
        const char* phase;
        std::size_t begin, end;  // indices into events_
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
    }

    cudaStream_t stream_;
    std::vector<Span> spans_;
    std::vector<CudaEvent> events_;
    std::size_t events_used_ = 0;         // since reset()
    int inside_ = 0;                      // number of phases that have begun and not ended
    std::optional<std::size_t> waiting_;  // a span that begins with its first inner phase, which has not begun yet
    Timing timing_ = Timing::each;
    bool busy_ = false;  // whether the host has not waited for the stream since the last event
};

}  // namespace voxcc::exec
