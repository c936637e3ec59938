// Wall-clock time for measurements.
#pragma once
#include <chrono>

namespace voxcc {

/// Seconds of a clock that never goes back. Only differences have a meaning.
inline double clock_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Measures one lap after the other. The first lap starts with the stopwatch.
class Stopwatch {
public:
    /// Seconds since the last call, or since the start.
    double lap() {
        const double now = clock_seconds(), passed = now - last_;
        last_ = now;
        return passed;
    }

private:
    double last_ = clock_seconds();
};

}  // namespace voxcc
