#include "src/options/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace voxcc {
namespace {

// The Levenshtein distance, computed row by row.
std::size_t edits_between(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string nearest_hint(const std::string& word, const std::vector<std::string>& names) {
    const std::string* nearest = nullptr;
    // Words of fewer than 3 letters get no hint, because too many names are similar. "lable" needs two edits to become "label".
    std::size_t fewest = word.size() < 3 ? 0 : (word.size() + 1) / 3;
    for (const std::string& name : names) {
        const std::size_t edits = edits_between(word, name);
        if (edits < fewest || (edits == fewest && !nearest)) {
            nearest = &name;
            fewest = edits;
        }
    }
    return nearest ? ", nearest: '" + *nearest + "'" : "";
}

}  // namespace voxcc
