#include "kernels3d/measure/feret.h"

namespace voxcc {

void FeretDiameters::add(std::span<const Outlines> slices) {
    for (const Outlines& slice : slices) {
        memory_.take(slice.bytes());
        const std::size_t before = open_.corners.size();
        open_.corners.insert(open_.corners.end(), slice.corners.begin(), slice.corners.end());
        for (const Outlines::Outline& outline : slice.outlines)
            open_.outlines.push_back({outline.label, before + outline.first, outline.count});
    }
}

void FeretDiameters::complete(const std::function<bool(std::uint32_t)>& is_complete, const std::function<void(std::uint32_t, double)>& set,
                              ThreadPool& pool) {
    std::vector<std::uint32_t> before(open_.outlines.size());  // number + 1 of the outline before of the same label, or 0
    for (std::size_t i = 0; i < before.size(); ++i) {
        const std::uint32_t label = open_.outlines[i].label;
        if (label >= newest_.size()) newest_.resize(std::max<std::size_t>(label + std::size_t{1}, newest_.size() * 2));
        before[i] = newest_[label];
        newest_[label] = std::uint32_t(i + 1);
    }
    // Calls f(corners) for an outline and the outlines before it of the same label.
    const auto for_each_outline = [&](std::uint32_t number, const auto& f) {
        for (; number != 0; number = before[number - 1]) {
            const Outlines::Outline& outline = open_.outlines[number - 1];
            f(std::span(open_.corners).subspan(outline.first, outline.count));
        }
    };
    Outlines still_open;
    std::vector<std::uint32_t> finished;  // number + 1 of the newest outline of each component
    for (std::size_t i = before.size(); i > 0; --i) {
        const std::uint32_t label = open_.outlines[i - 1].label;
        if (newest_[label] != i) continue;
        newest_[label] = 0;
        if (is_complete(label)) {
            finished.push_back(std::uint32_t(i));
            continue;
        }
        for_each_outline(std::uint32_t(i), [&](std::span<const Corner> corners) {
            still_open.outlines.push_back({label, still_open.corners.size(), corners.size()});
            still_open.corners.insert(still_open.corners.end(), corners.begin(), corners.end());
        });
    }
    constexpr std::size_t at_once = 64;
    pool.for_each(std::int64_t((finished.size() + at_once - 1) / at_once), [&](std::int64_t task) {
        std::vector<Corner> all;
        for (std::size_t i = std::size_t(task) * at_once; i < std::min(finished.size(), (std::size_t(task) + 1) * at_once); ++i) {
            all.clear();
            for_each_outline(finished[i], [&](std::span<const Corner> corners) { all.insert(all.end(), corners.begin(), corners.end()); });
            set(open_.outlines[finished[i] - 1].label, largest_distance(all, space_, world_));
        }
    });
    constexpr std::size_t least = 1 << 14;
    open_ = std::move(still_open);
    many_ = std::max(least, 2 * open_.corners.size());
    memory_.give_back();
    memory_.take(open_.bytes());
}

}  // namespace voxcc
