#include "io/formats/dicom/dicom_groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace voxcc::io {
namespace {

class Grouping {
public:
    explicit Grouping(const std::vector<DicomFrameOf>& frames) : frames_(frames), dimensions_(frames.front().object->dimensions) {
        FrameIndices all(frames.size());
        std::iota(all.begin(), all.end(), 0);
        result_.groups.push_back(std::move(all));
    }

    DicomGrouping group() {
        for (std::size_t d = 0; d < dimensions_.size(); ++d)
            if (dimensions_[d].divides == DicomDimension::Divides::always) divide(d);
        if (!frames_.front().frame->plane) return std::move(result_);
        while (divide_repeats()) {
        }
        return std::move(result_);
    }

private:
    double value(std::int64_t frame, std::size_t dimension) const { return frames_[std::size_t(frame)].frame->dimensions[dimension]; }

    void divide(std::size_t dimension) {
        std::vector<FrameIndices> divided;
        for (const FrameIndices& group : result_.groups) {
            std::map<double, FrameIndices> by_value;
            for (const std::int64_t frame : group) by_value[value(frame, dimension)].push_back(frame);
            for (auto& [v, part] : by_value) divided.push_back(std::move(part));
        }
        result_.groups = std::move(divided);
        result_.dimensions.push_back(dimension);
    }

    // The frames of a group with the same position, where there are several.
    std::vector<FrameIndices> repeats_in(const FrameIndices& group) const {
        const PositionsAlongNormal positions = positions_along_normal(frames_, group);
        std::vector<std::size_t> order(group.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return positions.mm[i]; });
        std::vector<FrameIndices> repeats;
        for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
            FrameIndices same;
            for (end = begin; end < order.size() && positions.mm[order[end]] - positions.mm[order[begin]] <= positions.tolerance; ++end)
                same.push_back(group[order[end]]);
            if (same.size() > 1) repeats.push_back(std::move(same));
        }
        return repeats;
    }

    // @return whether the dimension distinguishes repeats, and is not a property of single frames, such as their time
    bool explains(std::size_t dimension, const FrameIndices& group, const std::vector<FrameIndices>& repeats) const {
        const auto differs = [&](const FrameIndices& same) {
            return std::ranges::any_of(same, [&](std::int64_t frame) { return value(frame, dimension) != value(same[0], dimension); });
        };
        if (std::ranges::none_of(repeats, differs)) return false;
        std::size_t most = 0;
        for (const FrameIndices& same : repeats) most = std::max(most, same.size());
        std::set<double> values;
        for (const std::int64_t frame : group) {
            values.insert(value(frame, dimension));
            if (values.size() > most) return false;
        }
        return true;
    }

    // Divides by one dimension. @return whether one explains repeats
    bool divide_repeats() {
        for (const FrameIndices& group : result_.groups) {
            const std::vector<FrameIndices> repeats = repeats_in(group);
            if (repeats.empty()) continue;
            for (std::size_t d = 0; d < dimensions_.size(); ++d) {
                const bool is_used = std::ranges::find(result_.dimensions, d) != result_.dimensions.end();
                if (is_used || !explains(d, group, repeats)) continue;
                divide(d);
                return true;
            }
        }
        return false;
    }

    const std::vector<DicomFrameOf>& frames_;
    const std::vector<DicomDimension>& dimensions_;
    DicomGrouping result_;
};

}  // namespace

PositionsAlongNormal positions_along_normal(const std::vector<DicomFrameOf>& frames, const FrameIndices& indices) {
    const DicomPlane& first = *frames[std::size_t(indices.front())].frame->plane;
    const Vector3 normal = plane_normal(first.directions[0], first.directions[1]);
    PositionsAlongNormal positions;
    for (const std::int64_t i : indices) positions.mm.push_back(dot(frames[std::size_t(i)].frame->plane->position, normal));
    std::vector<double> sorted = positions.mm;
    std::ranges::sort(sorted);
    constexpr double relative = 1e-3, least_mm = 1e-5;
    double largest_gap = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i) largest_gap = std::max(largest_gap, sorted[i] - sorted[i - 1]);
    positions.tolerance = std::max(least_mm, relative * largest_gap);
    return positions;
}

DicomGrouping group_frames(const std::vector<DicomFrameOf>& frames) { return Grouping(frames).group(); }

}  // namespace voxcc::io
