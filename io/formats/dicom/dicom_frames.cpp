#include "io/formats/dicom/dicom_frames.h"

#include "io/formats/dicom/dicom_dimensions.h"
#include "io/formats/dicom/dicom_tags.h"
#include "io/formats/dicom/dicom_values.h"
#include "io/header_text.h"

#include <algorithm>
#include <cmath>

namespace voxcc::io {
namespace {

// @return two unit vectors; empty if the six numbers are not two perpendicular unit vectors within the rounding of files
std::optional<std::array<Vector3, 2>> directions_of(const std::array<double, 6>& numbers) {
    constexpr double tolerance = 1e-2;
    std::array<Vector3, 2> directions{Vector3{numbers[0], numbers[1], numbers[2]}, Vector3{numbers[3], numbers[4], numbers[5]}};
    for (Vector3& direction : directions) {
        const double size = length(direction);
        if (!(std::abs(size - 1) <= tolerance)) return std::nullopt;
        for (double& x : direction) x /= size;
    }
    if (!(std::abs(dot(directions[0], directions[1])) <= tolerance)) return std::nullopt;
    return directions;
}

Vector3 moved(const Vector3& from, const Vector3& direction, double by) {
    return {from[0] + by * direction[0], from[1] + by * direction[1], from[2] + by * direction[2]};
}

void warn_once(DicomObject& object, const std::string& warning) {
    if (std::ranges::find(object.warnings, warning) == object.warnings.end()) object.warnings.push_back(warning);
}

class FramesReader {
public:
    FramesReader(const DicomBytes& bytes, const DicomDataSet& data, DicomObject& object)
        : bytes_(bytes), data_(data), values_(bytes, data), object_(object) {}

    void read() {
        object_.slice_distance = length_in(data_, tag::slice_distance);
        object_.slice_thickness = length_in(data_, tag::slice_thickness);
        read_groups();
        for (std::size_t i = 0; i < object_.frames.size(); ++i) {
            object_.frames[i].number = std::int64_t(i);
            read_scaling(object_.frames[i], groups_.empty() ? DicomGroups{} : groups_[i]);
            read_spacing(object_.frames[i], groups_.empty() ? DicomGroups{} : groups_[i]);
        }
        if (with_transform_ > 0 && with_transform_ < object_.frames.size())
            refuse("states a transform of values for " + std::to_string(with_transform_) + " of " + std::to_string(object_.frames.size()) +
                   " frames");
        read_planes_of_groups();
        if (!object_.frames.front().plane) read_planes_of_object();
        read_dimensions(bytes_, data_, groups_, object_);
        note_order();
        read_modality_table();
    }

private:
    [[noreturn]] void refuse(const std::string& cause) const { throw Error(ErrorKind::invalid_file, bytes_.path(), cause); }

    // Larger lengths would not be exact after the sums of a geometry.
    static bool is_length(double mm) { return std::abs(mm) < 1e9; }

    std::optional<double> length_in(const DicomDataSet& set, std::uint32_t element) {
        const auto mm = DicomValues(bytes_, set).number(element);
        if (!mm || (is_length(*mm) && *mm != 0)) return mm && *mm != 0 ? mm : std::nullopt;
        warn_once(object_, "states a length of " + shortest(*mm) + " mm, which is not used");
        return std::nullopt;
    }

    void read_groups() {
        const DicomElement* const own = data_.find(tag::frame_groups);
        const DicomDataSet* const shared = data_.item(tag::shared_groups);
        if (!own && shared) groups_.assign(object_.frames.size(), {shared, nullptr});
        if (!own) return;
        const std::size_t described = own->items.size(), frames = object_.frames.size();
        const std::string difference = "describes " + std::to_string(described) + " frames, but has " + std::to_string(frames);
        if (described < frames) refuse(difference);
        if (described > frames) object_.warnings.push_back(difference + "; the further descriptions are not used");
        for (std::size_t i = 0; i < frames; ++i) groups_.push_back({shared, &own->items[i]});
    }

    // The value of an element in a group of the frame, else in the object.
    std::optional<double> number_in(const DicomGroups& groups, std::uint32_t group, std::uint32_t element) const {
        const DicomDataSet* const item = groups.find(group);
        const auto value = item ? DicomValues(bytes_, *item).number(element) : std::nullopt;
        return value ? value : values_.number(element);
    }

    void read_scaling(DicomFrame& frame, const DicomGroups& groups) {
        const auto slope = number_in(groups, tag::transformation_group, tag::slope);
        const auto intercept = number_in(groups, tag::transformation_group, tag::intercept);
        frame.scaling = {slope.value_or(1), intercept.value_or(0)};
        if (slope && !intercept) warn_once(object_, "states a slope without an intercept, which is taken as 0");
        if (intercept && !slope) warn_once(object_, "states an intercept without a slope, which is taken as 1");
        with_transform_ += slope || intercept;
        if (object_.modality == "RTDOSE") {
            const auto dose = values_.number(tag::dose_scaling);
            frame.scaling = {dose.value_or(1), 0};
            if (!dose) warn_once(object_, "states no scaling of the dose; values are taken as they are stored");
        }
        if (frame.scaling.slope != 0) return;
        frame.scaling.slope = 1;
        warn_once(object_, "states the slope 0, which is not used");
    }

    std::optional<std::array<double, 2>> spacing_in(const DicomDataSet& set, std::uint32_t element) {
        const auto rows_and_columns = DicomValues(bytes_, set).vector<2>(element);
        if (!rows_and_columns) return std::nullopt;
        const auto& [y, x] = *rows_and_columns;
        if (x > 0 && y > 0 && is_length(x) && is_length(y)) return std::array<double, 2>{x, y};
        warn_once(object_, "states a spacing of pixels that is not a positive length; it is not used");
        return std::nullopt;
    }

    void read_spacing(DicomFrame& frame, const DicomGroups& groups) {
        if (const DicomDataSet* const item = groups.find(tag::measures_group)) {
            frame.spacing = spacing_in(*item, tag::pixel_spacing);
            if (const auto distance = length_in(*item, tag::slice_distance)) object_.slice_distance = distance;
            if (const auto thickness = length_in(*item, tag::slice_thickness)) object_.slice_thickness = thickness;
        }
        if (!frame.spacing) frame.spacing = spacing_in(data_, tag::pixel_spacing);
        if (frame.spacing) return;
        frame.spacing = spacing_in(data_, tag::imager_spacing);
        if (frame.spacing) warn_once(object_, "states the spacing of pixels at the detector only; lengths in the body are smaller");
    }

    // @return the plane, if both elements are stated and usable
    std::optional<DicomPlane> plane_in(const DicomDataSet& with_position, const DicomDataSet& with_orientation, std::uint32_t position,
                                       std::uint32_t orientation) {
        const auto first = DicomValues(bytes_, with_position).vector<3>(position);
        const auto axes = DicomValues(bytes_, with_orientation).vector<6>(orientation);
        if (!first || !axes) return std::nullopt;
        if (!std::ranges::all_of(*first, is_length)) {
            warn_once(object_, "states a position that is too far away; it is not used");
            return std::nullopt;
        }
        const auto directions = directions_of(*axes);
        if (directions) return DicomPlane{*first, *directions};
        warn_once(object_, "states an orientation that is not two perpendicular unit vectors; it is not used");
        return std::nullopt;
    }

    std::optional<DicomPlane> plane_of(const DicomGroups& groups, std::uint32_t position_group, std::uint32_t orientation_group,
                                       std::uint32_t position, std::uint32_t orientation) {
        const DicomDataSet* const with_position = groups.find(position_group);
        const DicomDataSet* const with_orientation = groups.find(orientation_group);
        if (!with_position || !with_orientation) return std::nullopt;
        return plane_in(*with_position, *with_orientation, position, orientation);
    }

    void read_planes_of_groups() {
        std::size_t planes = 0;
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            DicomFrame& frame = object_.frames[i];
            if (groups_[i].find(tag::slide_position_group))
                throw Error(ErrorKind::unsupported_file, bytes_.path(), "its frames are tiles of a slide; convert it to a TIFF");
            frame.plane = plane_of(groups_[i], tag::position_group, tag::orientation_group, tag::position, tag::orientation);
            if (!frame.plane) {
                frame.plane = plane_of(groups_[i], tag::volume_position_group, tag::volume_orientation_group, tag::volume_position,
                                       tag::volume_orientation);
                if (frame.plane) object_.space = DicomObject::Space::volume;
            }
            planes += frame.plane.has_value();
            if (!frame.plane && (groups_[i].find(tag::position_group) || groups_[i].find(tag::volume_position_group)))
                refuse("frame " + std::to_string(i + 1) + " states a position, but no orientation that is usable");
        }
        if (planes == 0 || planes == groups_.size()) return;
        const auto without = std::ranges::find_if(object_.frames, [](const DicomFrame& frame) { return !frame.plane; });
        refuse("frame " + std::to_string(without->number + 1) + " states no position and orientation, but other frames do");
    }

    void read_planes_of_object() {
        if (object_.frames.size() == 1) object_.frames.front().plane = plane_in(data_, data_, tag::position, tag::orientation);
        else if (values_.number(tag::dose_offsets)) read_offsets();
        else read_detector();
    }

    // RT dose: offsets along the normal from the first frame, or positions along z (PS3.3, C.8.8.3.2).
    void read_offsets() {
        const std::vector<double> offsets = values_.numbers(tag::dose_offsets);
        const auto first = plane_in(data_, data_, tag::position, tag::orientation);
        if (offsets.size() != object_.frames.size())
            refuse("states offsets of " + std::to_string(offsets.size()) + " frames, but has " + std::to_string(object_.frames.size()));
        if (!std::ranges::all_of(offsets, is_length)) refuse("states an offset of a frame that is too far away");
        if (!first) refuse("states offsets of its frames, but no position and orientation that are usable");
        const Vector3 normal = plane_normal(first->directions[0], first->directions[1]);
        const bool are_positions = offsets.front() != 0;
        constexpr double tolerance = 1e-3;
        if (are_positions && (std::abs(normal[2]) < 1 - tolerance || std::abs(offsets.front() - first->position[2]) > tolerance))
            refuse("states offsets of frames that do not begin with 0 or with the position of the first frame");
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            object_.frames[i].plane = first;
            if (are_positions) object_.frames[i].plane->position[2] = offsets[i];
            else object_.frames[i].plane->position = moved(first->position, normal, offsets[i]);
        }
    }

    // Nuclear medicine: the position of the first slice, and a distance whose sign is the direction along the normal (PS3.3, C.8.4.15).
    void read_detector() {
        const DicomDataSet* const detector = data_.item(tag::detector_group);
        if (!detector || values_.text(tag::image_type).find("RECON TOMO") == std::string::npos || !object_.slice_distance) return;
        const auto first = plane_in(*detector, *detector, tag::position, tag::orientation);
        const std::vector<double> slices = values_.numbers(tag::slice_vector);
        if (!first || slices.size() != object_.frames.size()) return;
        const Vector3 normal = plane_normal(first->directions[0], first->directions[1]);
        for (std::size_t i = 0; i < slices.size(); ++i) {
            object_.frames[i].plane = first;
            object_.frames[i].plane->position = moved(first->position, normal, (slices[i] - 1) * *object_.slice_distance);
        }
    }

    void note_order() {
        if (object_.frames.size() == 1 || object_.frames.front().plane) return;
        const bool are_times = values_.number(tag::frame_time) || values_.number(tag::frame_times);
        object_.warnings.push_back(std::string("its frames have no positions; they are read in the order of the file") +
                                   (are_times ? ", which is the order of time" : ""));
    }

    void read_modality_table() {
        if (data_.item(tag::modality_table)) warn_once(object_, "has a table of values (modality LUT), which is not applied");
    }

    const DicomBytes& bytes_;
    const DicomDataSet& data_;
    DicomValues values_;
    DicomObject& object_;
    std::vector<DicomGroups> groups_;  // of each frame; empty without functional groups
    std::size_t with_transform_ = 0;   // number of frames
};

}  // namespace

void read_frames(const DicomBytes& bytes, const DicomDataSet& data, DicomObject& object) { FramesReader(bytes, data, object).read(); }

}  // namespace voxcc::io
