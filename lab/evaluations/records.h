// The table of results: CSV with one value per row.
#pragma once
#include "lab/interface/bench_io.h"

#include <string>
#include <utility>

namespace voxcc::bench {

/// The columns that are common to all rows of one bench.
struct Origin {
    std::string machine, device, driver, date, version;
};

/// The other columns of a row; docs/develop/bench.md describes them.
struct Record {
    std::string test, algorithm;
    int connectivity = 0;
    std::string volume, parameters, phase, statistic;
    double value = 0;
    std::string unit;
};

/// Writes records as CSV rows. Not thread-safe.
class Recorder {
public:
    explicit Recorder(Sink sink) : sink_(std::move(sink)) {}
    /// The following rows have this origin. Must be called before write().
    /// @param parameters as in the column `parameters`; added to the parameters of the following rows
    void begin(const Origin& origin, const std::string& parameters = {});
    /// Writes a row; the first call writes the header line before it.
    void write(const Record& record);

private:
    Sink sink_;
    std::string origin_;      // the columns of Origin as CSV text
    std::string parameters_;  // of all rows since begin()
    bool begun_ = false;
};

}  // namespace voxcc::bench
