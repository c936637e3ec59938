// `voxcc algorithms`: lists the algorithms, one per line or as JSON.
#include <voxcc/algorithms.h>
#include "src/messages/report.h"

#include <nlohmann/json.hpp>

namespace voxcc {
namespace {

std::string as_json() {
    auto rows = nlohmann::ordered_json::array();
    for (const AlgorithmRow& row : algorithm_rows()) {
        std::vector<int> connectivities;
        for (const Connectivity c : row.connectivities) connectivities.push_back(number_of(c));
        std::vector<std::string_view> rules;
        for (const Rule rule : row.rules) rules.push_back(name_of(rule));
        rows.push_back({{"name", row.name},
                        {"connectivities", connectivities},
                        {"rules", rules},
                        {"devices", devices_of(row)},
                        {"source", row.source}});
    }
    return rows.dump(2) + "\n";
}

std::string as_text() {
    std::string text;
    for (const AlgorithmRow& row : algorithm_rows()) {
        std::string connectivities;
        for (const Connectivity c : row.connectivities)
            connectivities += (connectivities.empty() ? "" : " ") + std::to_string(number_of(c));
        text += std::string(row.name) + '\t' + connectivities + '\t' + devices_of(row) + '\t' + std::string(row.source) + '\n';
    }
    return text;
}

}  // namespace

int run_algorithms(const AlgorithmsOptions& options) {
    print_result(options.format == TextFormat::json ? as_json() : as_text());
    return int(ExitCode::ok);
}

}  // namespace voxcc
