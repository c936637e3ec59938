#include "src/report/picture.h"

#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_set>

namespace voxcc::report {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

Extent reduced_extent(const Extent& e, const std::array<std::int64_t, 3>& step) {
    return {ceil_div(e.nx, step[0]), ceil_div(e.ny, step[1]), ceil_div(e.nz, step[2])};
}

/// Converts a row of stored values to scaled values.
void to_values(std::span<const std::byte> raw, const io::VolumeInfo& info, std::vector<double>& values) {
    visit_scalar(info.type, [&]<class T>(std::type_identity<T>) {
        for (std::size_t x = 0; x < values.size(); ++x) {
            T stored;
            std::memcpy(&stored, raw.data() + x * sizeof(T), sizeof(T));
            values[x] = double(stored) * info.scaling.slope + info.scaling.intercept;
        }
    });
}

/// The first voxel of the picture row that contains row `row` of the file.
std::size_t picture_row(const Picture& picture, std::int64_t row) {
    const std::int64_t y = row % picture.extent.ny, z = row / picture.extent.ny;
    return std::size_t((z / picture.step[2] * picture.reduced.ny + y / picture.step[1]) * picture.reduced.nx);
}

/// The means of the blocks; NaN for a block without a finite value.
std::vector<double> block_means(io::VolumeReader& reader, const Picture& picture) {
    std::vector<double> sums(std::size_t(picture.reduced.voxels())), values(std::size_t(picture.extent.nx));
    std::vector<std::uint32_t> counts(sums.size());
    RowStream rows(reader);
    for (std::int64_t row = 0; row < picture.extent.rows(); ++row) {
        to_values(rows.next(), reader.info(), values);
        const std::size_t first = picture_row(picture, row);
        for (std::size_t x = 0; x < values.size(); ++x) {
            if (!std::isfinite(values[x])) continue;
            const std::size_t at = first + x / std::size_t(picture.step[0]);
            sums[at] += values[x];
            ++counts[at];
        }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = counts[i] ? sums[i] / counts[i] : std::nan("");
    return sums;
}

/// The percentiles 0.5 and 99.5 of the values that are not NaN.
std::array<double, 2> window_of(std::vector<double> values) {
    std::erase_if(values, [](double value) { return std::isnan(value); });
    if (values.empty()) return {0, 0};
    const auto percentile = [&](double share) {
        const auto at = values.begin() + std::ptrdiff_t(share * double(values.size() - 1));
        std::nth_element(values.begin(), at, values.end());
        return *at;
    };
    const std::array<double, 2> window{percentile(0.005), percentile(0.995)};
    if (window[0] < window[1]) return window;
    return {*std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end())};
}

void add_image(io::VolumeReader& reader, Picture& picture) {
    const std::vector<double> means = block_means(reader, picture);
    picture.window = window_of(means);
    const auto [black, white] = picture.window;
    const double scale = white > black ? 255 / (white - black) : 0;
    picture.image.reserve(means.size());
    for (const double mean : means)
        picture.image.push_back(std::isnan(mean) ? 0 : std::uint8_t(std::clamp((mean - black) * scale, 0.0, 255.0)));
}

/// Converts labels to the numbers of a picture, and counts the labels that table and volume do not share.
class LabelNumbers {
public:
    explicit LabelNumbers(const PictureComponents& components)
        : components_(components), found_(components.sizes.size()), other_(std::uint32_t(components.sizes.size()) + 1) {}
    std::uint32_t number_of(LabelBits label) {
        if (label == 0) return 0;
        if (label == last_label_) return last_number_;
        const auto row = components_.rows.find(label);
        last_label_ = label;
        last_number_ = row == components_.rows.end() ? other_ : row->second + 1;
        if (last_number_ == other_) unknown_.insert(label);
        else found_[row->second] = true;
        return last_number_;
    }
    std::uint64_t unknown() const { return unknown_.size(); }
    std::uint64_t missing() const { return std::uint64_t(std::count(found_.begin(), found_.end(), false)); }

private:
    const PictureComponents& components_;
    std::vector<bool> found_;
    const std::uint32_t other_;
    LabelBits last_label_ = 0;
    std::uint32_t last_number_ = 0;
    std::unordered_set<LabelBits> unknown_;
};

/// @param picture states the steps
PictureLabels read_labels(io::VolumeReader& reader, const PictureComponents& components, const Picture& picture) {
    PictureLabels labels;
    labels.path = reader.info().path;
    labels.numbers.assign(std::size_t(picture.reduced.voxels()), 0);
    std::vector<LabelBits> bits(std::size_t(picture.extent.nx));
    LabelNumbers numbers(components);
    RowStream rows(reader);
    for (std::int64_t row = 0; row < picture.extent.rows(); ++row) {
        to_label_bits(rows.next(), reader.info(), bits);
        const std::size_t first = picture_row(picture, row);
        for (std::size_t x = 0; x < bits.size(); ++x) {
            std::uint32_t& shown = labels.numbers[first + x / std::size_t(picture.step[0])];
            const std::uint32_t number = numbers.number_of(bits[x]);
            if (components.is_before(number, shown)) shown = number;
        }
    }
    labels.unknown = numbers.unknown();
    labels.missing = numbers.missing();
    return labels;
}

void set_geometry(const io::VolumeInfo& info, Picture& picture) {
    picture.unit = stated_unit(info);
    if (const auto world = stated_world(info)) {
        const auto& affine = world->affine;
        for (std::size_t c = 0; c < 3; ++c) picture.spacing[c] = std::hypot(affine[0][c], affine[1][c], affine[2][c]);
        if (info.geometry.affine) picture.patient = patient_axes(affine);
    }
}

}  // namespace

bool PictureComponents::is_before(std::uint32_t a, std::uint32_t b) const {
    const auto size_of = [&](std::uint32_t number) { return number > sizes.size() ? 0x1p60 : sizes[number - 1]; };
    if (a == b || a == 0) return false;
    return b == 0 || size_of(a) < size_of(b);
}

Picture read_picture(PictureFiles& files, const PictureComponents& components, std::int64_t voxel_limit) {
    Picture picture;
    picture.extent = files.info().extent;
    picture.step = steps_for(picture.extent, voxel_limit);
    picture.reduced = reduced_extent(picture.extent, picture.step);
    set_geometry(files.info(), picture);
    if (files.image) add_image(*files.image, picture);
    if (files.labels) picture.labels = read_labels(*files.labels, components, picture);
    if (files.beside) picture.beside = read_labels(*files.beside, components, picture);
    return picture;
}

std::array<std::int64_t, 3> steps_for(const Extent& extent, std::int64_t voxel_limit) {
    std::array<std::int64_t, 3> step{1, 1, 1};
    for (;;) {
        const Extent reduced = reduced_extent(extent, step);
        const std::array<std::int64_t, 3> voxels{reduced.nx, reduced.ny, reduced.nz};
        const auto most = std::max_element(voxels.begin(), voxels.end());
        if (*most == 1 || reduced.voxels() <= voxel_limit) return step;
        ++step[std::size_t(most - voxels.begin())];
    }
}

std::array<PatientAxis, 3> patient_axes(const io::Affine& affine) {
    std::array<std::size_t, 3> order{0, 1, 2}, best = order;
    const auto cosine = [&](std::size_t row, std::size_t column) {
        return affine[row][column] / std::hypot(affine[0][column], affine[1][column], affine[2][column]);
    };
    const auto alignment = [&](const std::array<std::size_t, 3>& columns) {
        return std::abs(cosine(0, columns[0])) + std::abs(cosine(1, columns[1])) + std::abs(cosine(2, columns[2]));
    };
    while (std::next_permutation(order.begin(), order.end()))
        if (alignment(order) > alignment(best)) best = order;
    std::array<PatientAxis, 3> axes;
    for (std::size_t row = 0; row < 3; ++row) axes[row] = {int(best[row]), cosine(row, best[row]) < 0};
    return axes;
}

}  // namespace voxcc::report
