#include "io/formats/dicom/dicom_volumes.h"

#include "io/formats/dicom/dicom_groups.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <numeric>
#include <set>

namespace voxcc::io {
namespace {

// Six digits, because positions in files are rounded.
std::string rounded(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", value);
    return text.data();
}

Vector3 scaled(const Vector3& v, double by) { return {v[0] * by, v[1] * by, v[2] * by}; }

Vector3 difference(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

std::string name_of_value(const DicomDimension& dimension, double value) {
    if (!dimension.texts.empty()) return dimension.name + " " + dimension.texts[std::size_t(value)];
    if (value == std::numeric_limits<double>::lowest()) return "no " + dimension.name;
    return dimension.name + " " + rounded(value) + (dimension.unit.empty() ? "" : " " + dimension.unit);
}

/// The grid of the slices of a segmentation, along the normal.
struct Lattice {
    Vector3 normal{};
    double first = 0, step = 1;  // mm
    std::int64_t count = 1;
    std::int64_t lowest = 0, highest = 0;  // frames at both ends
    std::int64_t slice_at(const Vector3& position) const {
        return std::clamp<std::int64_t>(std::llround((dot(position, normal) - first) / step), 0, count - 1);
    }
};

class Arranger {
public:
    Arranger(const std::string& path, const std::vector<DicomFrameOf>& frames)
        : path_(path), frames_(frames), object_(*frames.front().object) {}

    DicomVolumes arrange() {
        const DicomGrouping grouping = group_frames(frames_);
        if (object_.is_segmentation && frames_.front().frame->plane) find_lattice();
        for (const FrameIndices& group : grouping.groups) {
            DicomVolume& volume = result_.volumes.emplace_back();
            for (const std::size_t d : grouping.dimensions)
                volume.name += (volume.name.empty() ? "" : ", ") + name_of_value(object_.dimensions[d], frame(group[0]).dimensions[d]);
            fill(group, volume);
        }
        set_axes(grouping);
        return std::move(result_);
    }

private:
    const DicomFrame& frame(std::int64_t index) const { return *frames_[std::size_t(index)].frame; }
    bool has_several_files() const { return frames_.back().object != &object_; }

    std::string name_of(std::int64_t index) const {
        if (!has_several_files()) return "frame " + std::to_string(frame(index).number + 1);
        return std::filesystem::path(frames_[std::size_t(index)].object->path).filename().string();
    }

    [[noreturn]] void refuse(const std::string& cause) const { throw Error(ErrorKind::invalid_file, path_, cause); }

    void set_axes(const DicomGrouping& grouping) {
        std::int64_t product = 1;
        for (auto d = grouping.dimensions.rbegin(); d != grouping.dimensions.rend(); ++d) {
            std::set<double> values;
            for (const FrameIndices& group : grouping.groups) values.insert(frame(group[0]).dimensions[*d]);
            result_.axes.push_back({std::string(1, object_.dimensions[*d].axis), std::int64_t(values.size())});
            product *= std::int64_t(values.size());
        }
        std::set<std::string> names;
        for (const VolumeAxis& axis : result_.axes) names.insert(axis.name);
        if (product != std::int64_t(result_.volumes.size()) || names.size() != result_.axes.size()) result_.axes.clear();
    }

    void fill(const FrameIndices& group, DicomVolume& volume) const {
        if (!frame(group[0]).plane) {
            volume.slices = group;
            return set_spacing(group[0], volume);
        }
        require_alike(group);
        const PositionsAlongNormal positions = positions_along_normal(frames_, group);
        if (lattice_) return fill_lattice(group, volume);
        std::vector<std::size_t> order(group.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return positions.mm[i]; });
        std::vector<double> sorted;
        for (const std::size_t i : order) {
            volume.slices.push_back(group[i]);
            sorted.push_back(positions.mm[i]);
        }
        check_steps(volume, sorted, positions.tolerance);
        check_line(volume, sorted);
        set_geometry(volume, volume.slices.front(), volume.slices.back(), std::ssize(volume.slices));
    }

    // Checks that all frames have the same orientation and spacing of pixels.
    void require_alike(const FrameIndices& group) const {
        constexpr double tolerance = 1e-3;
        const DicomFrame& first = frame(group[0]);
        for (const std::int64_t index : group) {
            const DicomFrame& other = frame(index);
            bool is_alike = other.spacing.has_value() == first.spacing.has_value();
            for (std::size_t axis = 0; axis < 2 && is_alike; ++axis) {
                const double a = first.spacing ? (*first.spacing)[axis] : 1, b = first.spacing ? (*other.spacing)[axis] : 1;
                const Vector3 d = difference(scaled(first.plane->directions[axis], a), scaled(other.plane->directions[axis], b));
                is_alike = std::abs(d[0]) < tolerance && std::abs(d[1]) < tolerance && std::abs(d[2]) < tolerance;
            }
            if (!is_alike) refuse(name_of(index) + " is oriented or scaled otherwise than " + name_of(group[0]));
        }
    }

    // Refuses a missing slice, because it would split or join components unnoticed. Uneven steps are reported as a warning.
    void check_steps(DicomVolume& volume, const std::vector<double>& positions, double tolerance) const {
        std::vector<double> gaps;
        for (std::size_t i = 1; i < positions.size(); ++i) gaps.push_back(positions[i] - positions[i - 1]);
        if (gaps.empty()) return;
        std::vector<double> sorted = gaps;
        const auto middle = sorted.begin() + (std::ssize(sorted) - 1) / 2;  // of two gaps, the smaller one
        std::ranges::nth_element(sorted, middle);
        const double usual = *middle;
        double largest_deviation = 0;
        for (std::size_t i = 0; i < gaps.size(); ++i) {
            const std::string both = name_of(volume.slices[i]) + " and " + name_of(volume.slices[i + 1]);
            if (!(gaps[i] > tolerance)) refuse_repeat(both);
            if (gaps[i] > 1.5 * usual)
                refuse("a slice is missing between " + both + ": " + rounded(gaps[i]) + " mm instead of " + rounded(usual) +
                       " mm; complete the series");
            largest_deviation = std::max(largest_deviation, std::abs(gaps[i] - usual));
        }
        if (largest_deviation > 0.01 * usual)
            volume.warnings.push_back("slices are not evenly spaced: steps of " + rounded(usual) + " mm differ by up to " +
                                      rounded(largest_deviation) + " mm");
    }

    [[noreturn]] void refuse_repeat(const std::string& both) const {
        if (has_several_files()) refuse("two slices lie at the same position: " + both + "; remove one of them");
        refuse(both +
               " lie at the same position, and no time, echo, segment or other dimension distinguishes them; "
               "export it in another way with the program that wrote it");
    }

    // The first pixels of all slices should lie on a line, which is oblique if the gantry was tilted.
    void check_line(DicomVolume& volume, const std::vector<double>& positions) const {
        if (volume.slices.size() < 3 || !frame(volume.slices[0]).spacing) return;
        const Vector3 &first = frame(volume.slices.front()).plane->position, &last = frame(volume.slices.back()).plane->position;
        const Vector3 line = difference(last, first);
        double largest = 0;
        for (std::size_t i = 0; i < positions.size(); ++i) {
            const double part = (positions[i] - positions.front()) / (positions.back() - positions.front());
            const Vector3 off = difference(difference(frame(volume.slices[i]).plane->position, first), scaled(line, part));
            largest = std::max(largest, length(off));
        }
        const auto& [x, y] = *frame(volume.slices[0]).spacing;
        if (largest > 0.1 * std::min(x, y))
            volume.warnings.push_back("slices are not in line: some are shifted sideways by up to " + rounded(largest) + " mm");
    }

    // The distance that the object states for slices next to each other, else the thickness of a slice.
    std::optional<double> stated_step() const {
        for (const auto& step : {object_.slice_distance, object_.slice_thickness})
            if (step) return std::abs(*step);
        return std::nullopt;
    }

    double step_of_single_slice(DicomVolume& volume) const {
        if (const auto step = stated_step()) return *step;
        volume.geometry.notes.emplace_back("states no thickness of its slice, which is taken as 1 mm");
        return 1;
    }

    void set_geometry(DicomVolume& volume, std::int64_t first, std::int64_t last, std::int64_t count) const {
        const DicomFrame& frame_0 = frame(first);
        if (!frame_0.spacing) {
            volume.geometry.notes.emplace_back("states no spacing of pixels");
            return;
        }
        const DicomPlane& plane = *frame_0.plane;
        const auto& [x, y] = *frame_0.spacing;
        Steps steps{{scaled(plane.directions[0], x), scaled(plane.directions[1], y), {}}, plane.position};
        if (count > 1) steps.columns[2] = scaled(difference(frame(last).plane->position, plane.position), 1 / double(count - 1));
        else steps.columns[2] = scaled(plane_normal(plane.directions[0], plane.directions[1]), step_of_single_slice(volume));
        const Affine affine = affine_from(steps, Anatomical::lps);
        volume.geometry.spacing = spacing_of(affine);
        volume.geometry.unit = LengthUnit::mm;
        volume.geometry.source = count > 1 ? "the positions of the slices" : "PixelSpacing";
        if (object_.space == DicomObject::Space::patient) volume.geometry.affine = affine;
        else volume.geometry.notes.emplace_back("states positions in a frame of its own, not in the patient; only the spacing is used");
    }

    // For frames without positions.
    void set_spacing(std::int64_t first, DicomVolume& volume) const {
        const auto& spacing = frame(first).spacing;
        if (!spacing) return;
        const auto& [x, y] = *spacing;
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        volume.geometry.unit = LengthUnit::mm;
        volume.geometry.source = "PixelSpacing";
        if (volume.slices.size() == 1) volume.geometry.spacing = {x, y, step_of_single_slice(volume)};
        else volume.geometry.spacing = {x, y, object_.slice_distance ? std::abs(*object_.slice_distance) : unknown};
        if (!object_.slice_distance && volume.slices.size() > 1)
            volume.geometry.notes.emplace_back("states the spacing of pixels but not the distance of frames");
    }

    // All segments have the slices from the first to the last frame of any segment.
    void find_lattice() {
        FrameIndices all(frames_.size());
        std::iota(all.begin(), all.end(), 0);
        require_alike(all);
        const PositionsAlongNormal positions = positions_along_normal(frames_, all);
        std::vector<double> distinct;  // in ascending order
        std::vector<double> sorted = positions.mm;
        std::ranges::sort(sorted);
        for (const double mm : sorted)
            if (distinct.empty() || mm - distinct.back() > positions.tolerance) distinct.push_back(mm);
        const auto [low, high] = std::ranges::minmax_element(positions.mm);
        const auto& directions = frame(0).plane->directions;
        lattice_ = {plane_normal(directions[0], directions[1]), *low, 1, 1, low - positions.mm.begin(), high - positions.mm.begin()};
        if (distinct.size() == 1) return;
        lattice_->step = step_of(distinct);
        lattice_->count = std::llround((*high - *low) / lattice_->step) + 1;
    }

    // The step that the object states, or the smallest, of which all distances are multiples.
    double step_of(const std::vector<double>& distinct) const {
        constexpr double most_per_frame = 64, tolerance = 0.05;
        std::vector<double> steps;
        if (object_.slice_distance) steps.push_back(std::abs(*object_.slice_distance));
        double smallest = distinct[1] - distinct[0];
        for (std::size_t i = 1; i < distinct.size(); ++i) smallest = std::min(smallest, distinct[i] - distinct[i - 1]);
        steps.push_back(smallest);
        for (const double step : steps) {
            const auto fits = [&](double mm) {
                const double slice = (mm - distinct.front()) / step;
                return std::abs(slice - std::round(slice)) < tolerance;
            };
            const bool is_bounded = (distinct.back() - distinct.front()) / step < most_per_frame * double(distinct.size());
            if (is_bounded && std::ranges::all_of(distinct, fits)) return step;
        }
        refuse("the distances of its frames are not multiples of one step; export it in another way with the program that wrote it");
    }

    void fill_lattice(const FrameIndices& group, DicomVolume& volume) const {
        volume.slices.assign(std::size_t(lattice_->count), no_frame);
        for (const std::int64_t index : group) {
            std::int64_t& slice = volume.slices[std::size_t(lattice_->slice_at(frame(index).plane->position))];
            if (slice != no_frame) refuse_repeat(name_of(slice) + " and " + name_of(index));
            slice = index;
        }
        const std::int64_t missing = lattice_->count - std::int64_t(group.size());
        if (missing > 0)
            volume.warnings.push_back(std::to_string(missing) + " of " + std::to_string(lattice_->count) +
                                      " slices are not stored; they are background");
        set_geometry(volume, lattice_->lowest, lattice_->highest, lattice_->count);
    }

    std::string path_;
    const std::vector<DicomFrameOf>& frames_;
    const DicomObject& object_;
    std::optional<Lattice> lattice_;  // of a segmentation
    DicomVolumes result_;
};

}  // namespace

DicomVolumes arrange(const std::string& path, const std::vector<DicomFrameOf>& frames) { return Arranger(path, frames).arrange(); }

}  // namespace voxcc::io
