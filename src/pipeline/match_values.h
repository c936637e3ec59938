// The metrics of `voxcc match` by name, for JSON, for stdout and for the table of --summary.
#pragma once
#include <voxcc/match.h>
#include "io/table.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace voxcc {

/// What is known about two volumes.
struct MatchValues {
    std::uint64_t objects_a = 0, objects_b = 0;
    MatchMetrics metrics;
    LesionMetrics lesions;
    std::optional<ObjectChanges> changes;
};

/// Numbers by name, in the order of the outputs. A metric that does not exist is n/a.
using NamedCells = std::vector<std::pair<std::string, io::Cell>>;

// {{"tp", 3}, {"fp", 0}, ..., {"precision", n/a}, ...}
NamedCells metrics_of(const MatchValues& values);
/// The number of objects per change: of A for gone, unchanged, grown, shrunk and split; of B for new and merged. Empty without changes.
// {{"gone", 1}, {"new", 0}, ...}
NamedCells changes_of(const MatchValues& values);

/// {"objects_a", "objects_b", "metrics", and with changes "changes"}; numbers that do not exist are null.
nlohmann::ordered_json json_of(const MatchValues& values);

/// One line per number, with five digits.
std::string text_of(const MatchValues& values);

/// One line for a pair of a batch.
// "sub-01.nii.gz: tp 3, fp 1, fn 0, pq 0.61, lesion_dice 0.58, dice 0.72"
std::string line_of(const std::string& name, const MatchValues& values);

}  // namespace voxcc
