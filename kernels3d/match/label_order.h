// The order of objects by their labels.
#pragma once
#include <voxcc/contacts.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace voxcc {

/// The rows of all objects, in ascending order of the labels as unsigned integers.
// labels {7, 3, 9}  ->  {1, 0, 2}
inline std::vector<std::size_t> ascending_rows(const LabelSums& objects) {
    std::vector<std::size_t> rows(objects.labels().size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::ranges::sort(rows, {}, [&](std::size_t row) { return objects.labels()[row]; });
    return rows;
}

}  // namespace voxcc
