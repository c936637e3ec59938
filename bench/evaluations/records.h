// The table of results: CSV, a value a row.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace voxcc::bench {

/// What all rows of one run have in common.
struct Origin {
    std::string machine, device, driver, date, version;
};

/// What a row says besides; docs/bench.md explains the columns.
struct Record {
    std::string test, algorithm;
    int connectivity = 0;
    std::string volume, parameters, phase, statistic;
    double value = 0;
    std::string unit;
};

/// Takes text as it comes, whole lines.
using Sink = std::function<void(std::string_view)>;

class Recorder {
public:
    Recorder(Sink sink, const Origin& origin);
    /// The head comes before the first.
    void write(const Record& record);

private:
    Sink sink_;
    std::string origin_;  // the columns of it
    bool begun_ = false;
};

}  // namespace voxcc::bench
