// Tests that measure_finished_labels() finds labels that have changed since their sums were computed.
#include "src/pipeline/finished_labels.h"
#include "src/messages/progress.h"
#include "src/pipeline/input.h"
#include "src/pipeline/label_bits.h"

#include <doctest/doctest.h>

using namespace voxcc;

namespace {

constexpr const char* volume = "generate:blobs?size=24";

std::unique_ptr<io::VolumeReader> opened() { return open(choose_volume(volume, {})); }

/// The sums of the volume, after a change of its labels.
/// @param change called with the number of each row and its labels
template <class Change>
LabelSums sums_after(const Change& change) {
    const auto reader = opened();
    const Extent& extent = reader->info().extent;
    RowStream rows(*reader);
    LabelSums sums(extent);
    std::vector<LabelBits> labels(std::size_t(extent.nx));
    for (std::int64_t row = 0; row < extent.rows(); ++row) {
        to_label_bits(rows.next(), reader->info(), labels);
        change(row, labels);
        sums.add_row(row % extent.ny, row / extent.ny, std::span<const LabelBits>(labels));
    }
    return sums;
}

BriefValues measured(const LabelSums& sums) {
    const MessageOptions quiet{.verbosity = 0};
    const auto labels = opened();
    std::vector<OpenImage> images;
    for (int image = 0; image < 2; ++image) images.push_back({volume, opened(), std::make_shared<FileWarnings>()});
    ProgressBar progress(quiet);
    return measure_finished_labels(*labels, sums, images, {0, 4}, std::nullopt, Reporter(quiet), progress);
}

}  // namespace

TEST_CASE("finished labels: the mean and the sum of an image that is the label volume") {
    const LabelSums sums = sums_after([](std::int64_t, std::vector<LabelBits>&) {});
    REQUIRE(sums.labels() == std::vector<LabelBits>{1});
    for (const ImageValues& values : measured(sums).of(0)) {
        CHECK(values.properties.mean == 1);
        CHECK(values.properties.sum == double(sums[0].n));
    }
}

TEST_CASE("finished labels: labels that have changed") {
    const auto refused = [](const auto& change) {
        try {
            measured(sums_after(change));
        } catch (const Error& error) {
            return error.kind() == ErrorKind::changed_file;
        }
        return false;
    };
    using Labels = std::vector<LabelBits>;
    CHECK(refused([](std::int64_t, Labels& labels) { std::ranges::replace(labels, LabelBits{1}, LabelBits{2}); }));  // another label
    CHECK(refused([](std::int64_t row, Labels& labels) { labels[3] = row == 0 ? 7 : labels[3]; }));                  // one label more
    CHECK(refused([](std::int64_t row, Labels& labels) { labels[0] = row == 0 ? !labels[0] : labels[0]; }));         // one voxel
    CHECK(refused([](std::int64_t row, Labels& labels) {
        if (row >= 60) std::ranges::fill(labels, LabelBits{0});
    }));  // earlier end
}
