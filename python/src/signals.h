// Ctrl-C and other signals while the engine runs.
#pragma once
#include "python/src/gil.h"

#include <voxcc/label.h>
#include <voxcc/threads.h>

#include <nanobind/nanobind.h>

#include <atomic>
#include <exception>
#include <thread>

namespace voxcc::python {

namespace nb = nanobind;

/// Runs the signal handlers of Python every 50 ms. Made by the thread of the call. check() is thread-safe.
class Signals {
public:
    /// On the thread of the call, runs the handlers. Must be called without the GIL. After an exception of a handler, throws the same
    /// exception on every thread, so that all threads stop.
    /// @throw nb::python_error the exception of a handler, for example KeyboardInterrupt
    void check() {
        constexpr double seconds_between = 0.05;
        if (raised_.load(std::memory_order_acquire)) std::rethrow_exception(exception_);
        if (std::this_thread::get_id() != caller_ || clock_seconds() - last_ < seconds_between) return;
        last_ = clock_seconds();
        const WithGil gil;
        if (PyErr_CheckSignals() == 0) return;
        exception_ = std::make_exception_ptr(nb::python_error());
        raised_.store(true, std::memory_order_release);
        std::rethrow_exception(exception_);
    }

private:
    const std::thread::id caller_ = std::this_thread::get_id();
    double last_ = clock_seconds();
    std::exception_ptr exception_;  // not changed after raised_ is set
    std::atomic<bool> raised_ = false;
};

/// Supplies the rows of another source. fetch() checks for signals.
class InterruptibleSource : public RowSource {
public:
    InterruptibleSource(RowSource& source, Signals& signals) : source_(source), signals_(signals) {}
    Access access() const override { return source_.access(); }
    std::int64_t rows_per_fetch() const override { return source_.rows_per_fetch(); }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
        signals_.check();
        return source_.fetch(rows, buffer);
    }
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override {
        source_.pack(fetched, rows, index, bits);
    }
    void pack_rows(const std::byte* fetched, RowRange rows, const PackedRows& to) const override { source_.pack_rows(fetched, rows, to); }
    const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const override {
        return source_.values(fetched, rows, index);
    }
    ScalarType value_type() const override { return source_.value_type(); }
    Lifetime lifetime() const override { return source_.lifetime(); }

private:
    RowSource& source_;
    Signals& signals_;
};

}  // namespace voxcc::python
