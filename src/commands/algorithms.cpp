// `voxcc algorithms`: lists the algorithms, one per line or as JSON.
#include <voxcc/device.h>
#include "src/laboratory/laboratory.h"
#include "src/messages/report.h"

#include <nlohmann/json.hpp>

namespace voxcc {
namespace {

std::string as_json() {
    auto rows = nlohmann::ordered_json::array();
    for (const Algorithm& algorithm : all_algorithms()) {
        std::vector<int> connectivities;
        for (const Connectivity c : algorithm.connectivities) connectivities.push_back(number_of(c));
        std::vector<std::string_view> rules;
        for (const Rule rule : algorithm.rules) rules.push_back(name_of(rule));
        rows.push_back({{"name", algorithm.name},
                        {"connectivities", connectivities},
                        {"rules", rules},
                        {"devices", devices_of(algorithm)},
                        {"source", algorithm.source},
                        {"origin", algorithm.origin}});
    }
    return rows.dump(2) + "\n";
}

std::string as_text() {
    std::string text;
    for (const Algorithm& algorithm : all_algorithms()) {
        std::string connectivities;
        for (const Connectivity c : algorithm.connectivities)
            connectivities += (connectivities.empty() ? "" : " ") + std::to_string(number_of(c));
        text += std::string(algorithm.name) + '\t' + connectivities + '\t' + devices_of(algorithm) + '\t' + std::string(algorithm.origin) +
                '\n';
    }
    return text;
}

}  // namespace

int run_algorithms(const AlgorithmsOptions& options) {
    const std::string why_incomplete = why_no_lab();
    print_result(options.format == TextFormat::json ? as_json() : as_text());
    if (!why_incomplete.empty()) Reporter({}).note("only the algorithms of the program are listed: " + why_incomplete);
    return int(ExitCode::ok);
}

}  // namespace voxcc
