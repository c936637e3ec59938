// Writes the table of results as CSV.
#include "lab/evaluations/records.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace voxcc::bench {
namespace {

/// Not empty: in stored tables, an empty cell has the text of the cell above.
std::string field(const std::string& text) {
    if (text.empty()) return "n/a";
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

/// The value with six significant digits: the resolution of the timers is 0.5 us.
double rounded_time(double milliseconds) {
    std::array<char, 32> text;
    const char* const end = std::to_chars(text.data(), text.data() + text.size(), milliseconds, std::chars_format::scientific, 5).ptr;
    std::from_chars(text.data(), end, milliseconds);
    return milliseconds;
}

std::string number(double value) {
    std::array<char, 32> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace

void Recorder::begin(const Origin& origin, const std::string& parameters) {
    origin_.clear();
    parameters_ = parameters;
    for (const std::string* column : {&origin.machine, &origin.device, &origin.driver, &origin.date, &origin.version})
        origin_ += field(*column) + ',';
}

void Recorder::write(const Record& r) {
    if (!std::exchange(begun_, true))
        sink_("machine,device,driver,date,version,test,algorithm,connectivity,volume,parameters,phase,statistic,value,unit\n");
    std::string line = origin_, parameters = r.parameters;
    if (!parameters_.empty()) parameters += (parameters.empty() ? "" : " ") + parameters_;
    for (const std::string& text : {r.test, r.algorithm, std::to_string(r.connectivity), r.volume, parameters, r.phase, r.statistic})
        line += field(text) + ',';
    sink_(line + number(r.unit == "ms" ? rounded_time(r.value) : r.value) + ',' + r.unit + '\n');
}

}  // namespace voxcc::bench
