#include "src/pipeline/match_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

namespace voxcc {
namespace {

using Json = nlohmann::ordered_json;

io::Cell cell_of(double value) { return std::isnan(value) ? io::Cell() : io::Cell(value); }

/// Calls f(number), or missing() for n/a. The cells hold numbers only.
template <class F, class G>
auto with_number(const io::Cell& cell, const F& f, const G& missing) {
    if (const auto* const count = std::get_if<std::uint64_t>(&cell)) return f(*count);
    if (const auto* const value = std::get_if<double>(&cell)) return f(*value);
    return missing();
}

/// A number with five digits, or n/a.
std::string short_text(const io::Cell& cell) {
    const auto text = [](auto number) -> std::string {
        std::array<char, 32> digits{};
        if constexpr (std::is_same_v<decltype(number), double>)
            return {digits.data(), std::to_chars(digits.begin(), digits.end(), number, std::chars_format::general, 5).ptr};
        else return std::to_string(number);
    };
    return with_number(cell, text, [] { return std::string("n/a"); });
}

Json json_of(const NamedCells& cells) {
    Json json = Json::object();
    for (const auto& [name, cell] : cells)
        json[name] = with_number(
            cell, [](auto number) { return Json(number); }, [] { return Json(); });
    return json;
}

}  // namespace

NamedCells metrics_of(const MatchValues& values) {
    const MatchMetrics& m = values.metrics;
    const LesionMetrics& lesions = values.lesions;
    NamedCells cells{{"tp", m.true_positives}, {"fp", m.false_positives}, {"fn", m.false_negatives}};
    const auto add = [&](const std::string& name, double value) { cells.emplace_back(name, cell_of(value)); };
    add("precision", m.precision), add("recall", m.recall), add("f1", m.f1), add("rq", m.f1), add("sq", m.sq), add("pq", m.pq);
    add("mean_dice", m.mean_dice), add("dice", m.dice), add("iou", m.iou);
    cells.insert(cells.end(), {{"lesion_tp", lesions.found}, {"lesion_fp", lesions.false_positives}, {"lesion_fn", lesions.missed}});
    add("lesion_precision", lesions.precision), add("lesion_recall", lesions.recall), add("lesion_f1", lesions.f1);
    add("lesion_dice", lesions.dice);
    return cells;
}

NamedCells changes_of(const MatchValues& values) {
    NamedCells cells;
    if (!values.changes) return cells;
    for (const Change change :
         {Change::gone, Change::created, Change::unchanged, Change::grown, Change::shrunk, Change::split, Change::merged}) {
        const bool is_of_b = change == Change::created || change == Change::merged;
        const std::vector<ObjectChange>& objects = is_of_b ? values.changes->of_b : values.changes->of_a;
        cells.emplace_back(name_of(change), std::uint64_t(std::ranges::count(objects, change, &ObjectChange::change)));
    }
    return cells;
}

Json json_of(const MatchValues& values) {
    Json json{{"objects_a", values.objects_a}, {"objects_b", values.objects_b}, {"metrics", json_of(metrics_of(values))}};
    if (values.changes) json["changes"] = json_of(changes_of(values));
    return json;
}

std::string text_of(const MatchValues& values) {
    constexpr std::size_t width = 18;
    std::string text;
    for (const NamedCells& cells : {metrics_of(values), changes_of(values)})
        for (const auto& [name, cell] : cells) text += name + std::string(width - name.size(), ' ') + short_text(cell) + "\n";
    return text;
}

std::string line_of(const std::string& name, const MatchValues& values) {
    constexpr std::array<std::string_view, 6> shown{"tp", "fp", "fn", "pq", "dice", "lesion_dice"};
    std::string line;
    for (const auto& [metric, cell] : metrics_of(values))
        if (std::ranges::find(shown, metric) != shown.end()) line += (line.empty() ? "" : ", ") + metric + " " + short_text(cell);
    return name + ": " + line + "\n";
}

}  // namespace voxcc
