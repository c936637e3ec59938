// `voxcc compare`: checks whether two label volumes have the same components. They do if a bijection maps the labels of A to the labels
// of B, and 0 to 0.
#include "src/errors/program_error.h"
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/label_bits.h"
#include "src/pipeline/same_grid.h"

#include <unordered_map>

namespace voxcc {
namespace {

/// Reads the labels of a volume row by row.
class Labels {
public:
    explicit Labels(const ChosenVolume& volume) : reader_(open(volume)), rows_(*reader_), labels_(std::size_t(info().extent.nx)) {
        reader_->read_once();
    }
    const io::VolumeInfo& info() const { return reader_->info(); }
    /// @return the labels of the next row, valid until the next call
    std::span<const LabelBits> next_row() {
        to_label_bits(rows_.next(), info(), labels_);
        return labels_;
    }

private:
    std::unique_ptr<io::VolumeReader> reader_;
    RowStream rows_;
    std::vector<LabelBits> labels_;
};

/// The pairs of labels of A and B at the same voxel so far.
// add(1, 7) -> yes; then add(1, 8) -> a_met_another, because 1 belongs to 7; add(2, 7) -> b_met_another
class Bijection {
public:
    Bijection() { to_b_[0] = 0, to_a_[0] = 0; }
    enum class Fit { yes, a_met_another, b_met_another };
    Fit add(LabelBits a, LabelBits b) {
        if (to_b_.try_emplace(a, b).first->second != b) return Fit::a_met_another;
        return to_a_.try_emplace(b, a).first->second == a ? Fit::yes : Fit::b_met_another;
    }
    LabelBits met_by_a(LabelBits a) const { return to_b_.at(a); }
    LabelBits met_by_b(LabelBits b) const { return to_a_.at(b); }
    std::size_t components() const { return to_b_.size() - 1; }

private:
    std::unordered_map<LabelBits, LabelBits> to_b_, to_a_;
};

// Whether two labels are the same number. Equal bits with the sign bit set are different numbers if only one type is uint64.
bool same_number(LabelBits a, ScalarType type_a, LabelBits b, ScalarType type_b) {
    return a == b && ((type_a == ScalarType::u64) == (type_b == ScalarType::u64) || std::int64_t(a) >= 0);
}

void check_extents(const io::VolumeInfo& a, const io::VolumeInfo& b) {
    require_same_array_order(a, b);
    if (a.extent == b.extent) return;
    const auto text = [](const Extent& e) { return std::to_string(e.nx) + " x " + std::to_string(e.ny) + " x " + std::to_string(e.nz); };
    throw ProgramError(ErrorKind::invalid_file, a.path, "has " + text(a.extent) + " voxels, but " + b.path + " has " + text(b.extent),
                       "resample one of them, or compare volumes of the same extent");
}

struct Difference {
    std::array<std::int64_t, 3> voxel{};  // i j k
    LabelBits a = 0, b = 0;
    std::string elsewhere;  // what one of the labels matches at earlier voxels; empty if this voxel alone shows the difference
};

/// "label 1 of a.nii matches label 7 of b.nii elsewhere"
std::string match_elsewhere(LabelBits label, const io::VolumeInfo& volume, LabelBits other_label, const io::VolumeInfo& other) {
    return "label " + label_text(label, label_type(volume)) + " of " + volume.path + " matches label " +
           label_text(other_label, label_type(other)) + " of " + other.path + " elsewhere";
}

/// Finds the first voxel, in raster order, at which the volumes differ.
/// @param seen receives all pairs of labels before the difference
std::optional<Difference> first_difference(Labels& a, Labels& b, Bijection& seen, CompareOptions::Equality equality,
                                           ProgressBar& progress) {
    const io::VolumeInfo &info_a = a.info(), &info_b = b.info();
    const auto compare = [&](LabelBits label_a, LabelBits label_b) -> std::optional<Difference> {
        const Difference difference{{}, label_a, label_b, {}};
        if (equality == CompareOptions::Equality::exact && !same_number(label_a, label_type(info_a), label_b, label_type(info_b)))
            return difference;
        if ((label_a == 0) != (label_b == 0)) return difference;
        switch (seen.add(label_a, label_b)) {
            case Bijection::Fit::a_met_another:
                return Difference{{}, label_a, label_b, match_elsewhere(label_a, info_a, seen.met_by_a(label_a), info_b)};
            case Bijection::Fit::b_met_another:
                return Difference{{}, label_a, label_b, match_elsewhere(label_b, info_b, seen.met_by_b(label_b), info_a)};
            case Bijection::Fit::yes: break;
        }
        return std::nullopt;
    };
    const Extent extent = a.info().extent;
    LabelBits last_a = 0, last_b = 0;  // equal neighbours are compared once
    for (std::int64_t row = 0; row < extent.rows(); ++row) {
        const std::span<const LabelBits> labels_a = a.next_row(), labels_b = b.next_row();
        for (std::size_t i = 0; i < labels_a.size(); ++i) {
            if (labels_a[i] == last_a && labels_b[i] == last_b) continue;
            last_a = labels_a[i], last_b = labels_b[i];
            std::optional<Difference> difference = compare(last_a, last_b);
            if (difference) difference->voxel = {std::int64_t(i), row % extent.ny, row / extent.ny};
            if (difference) return difference;
        }
        progress.update("compare", row + 1, extent.rows());
    }
    return std::nullopt;
}

std::string as_text(const Difference& d, const io::VolumeInfo& a, const io::VolumeInfo& b) {
    const auto [i, j, k] = d.voxel;
    return "differ at voxel (" + std::to_string(i) + ", " + std::to_string(j) + ", " + std::to_string(k) + "): " + a.path + " has label " +
           label_text(d.a, label_type(a)) + ", " + b.path + " has label " + label_text(d.b, label_type(b)) +
           (d.elsewhere.empty() ? "" : ", but " + d.elsewhere) + "\n";
}

}  // namespace

int run_compare(const CompareOptions& options) {
    refuse_shared_pipes({options.a, options.b});
    Labels a(choose_volume(options.a, options.input)), b(choose_volume(options.b, options.input));
    check_extents(a.info(), b.info());
    if (const std::string difference = difference_of_grids(a.info(), b.info(), options.input.tolerance); !difference.empty())
        Reporter(options.messages).note(b.info().path + ": " + difference + "; voxels with equal indices are compared");
    ProgressBar progress(options.messages);
    Bijection seen;
    const auto difference = first_difference(a, b, seen, options.equality, progress);
    if (difference) {
        print_result(as_text(*difference, a.info(), b.info()));
        return int(ExitCode::differs);
    }
    const bool exact = options.equality == CompareOptions::Equality::exact;
    print_result((exact ? "same labels: " : "same partition: ") + counted(seen.components(), "component") + "\n");
    return int(ExitCode::ok);
}

}  // namespace voxcc
