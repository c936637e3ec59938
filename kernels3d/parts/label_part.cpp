// Labels one part, and finds its state: rows of first voxels, faces and sums.
#include <voxcc/parts.h>

#include <algorithm>

namespace voxcc::parts {
namespace {

constexpr std::int64_t rows_per_task = 64;

/// The components of a part before the criteria are applied.
struct Scan {
    std::vector<std::uint32_t> largest;  // [z][y]: the largest number in the row
    std::array<std::vector<std::uint32_t>, faces_per_part> faces;
};

std::array<bool, faces_per_part> faces_with_neighbours(const Rules& rules, std::int64_t part) {
    std::array<bool, faces_per_part> has{};
    for (int face = 0; face < faces_per_part; ++face) {
        Step step{};
        step[std::size_t(face / 2)] = face % 2 == 0 ? -1 : 1;
        has[std::size_t(face)] = rules.grid.neighbour(part, step, rules.periodic).has_value();
    }
    return has;
}

/// Reads the numbers of a labelling once, row by row.
class Scanner {
public:
    Scanner(const Labelling& labelling, const Extent& extent, const std::array<bool, faces_per_part>& faces)
        : labelling_(labelling), extent_(extent) {
        const std::array sizes{extent.ny * extent.nz, extent.nx * extent.nz, extent.nx * extent.ny};
        for (std::size_t f = 0; f < faces.size(); ++f)
            if (faces[f]) scan_.faces[f].resize(std::size_t(sizes[f / 2]));
        scan_.largest.resize(std::size_t(extent.rows()));
    }
    Scan scan(ThreadPool& pool) {
        pool.for_each((extent_.rows() + rows_per_task - 1) / rows_per_task, [this](std::int64_t task) {
            const std::int64_t first = task * rows_per_task, count = std::min(rows_per_task, extent_.rows() - first);
            thread_local std::vector<std::uint32_t> rows;
            rows.resize(std::size_t(count * extent_.nx));
            labelling_.paint({first, count}, reinterpret_cast<std::byte*>(rows.data()), Stores::cached);
            for (std::int64_t i = 0; i < count; ++i) add(first + i, rows.data() + i * extent_.nx);
        });
        return std::move(scan_);
    }

private:
    void add(std::int64_t r, const std::uint32_t* row) {
        const std::int64_t nx = extent_.nx, y = r % extent_.ny, z = r / extent_.ny;
        scan_.largest[std::size_t(r)] = *std::max_element(row, row + nx);
        const auto copy = [&](std::size_t face, std::int64_t at, const std::uint32_t* from, std::int64_t count) {
            if (!scan_.faces[face].empty()) std::copy_n(from, count, scan_.faces[face].begin() + at);
        };
        copy(0, r, row, 1);
        copy(1, r, row + nx - 1, 1);
        if (y == 0) copy(2, z * nx, row, nx);
        if (y == extent_.ny - 1) copy(3, z * nx, row, nx);
        if (z == 0) copy(4, y * nx, row, nx);
        if (z == extent_.nz - 1) copy(5, y * nx, row, nx);
    }
    const Labelling& labelling_;
    Extent extent_;
    Scan scan_;
};

/// Some rows of a table, in ascending order.
struct KeptRows {
    SumTable all;
    std::vector<std::uint32_t> rows;
    std::size_t size() const { return rows.size(); }
    WideSums operator[](std::size_t row) const { return all[rows[row]]; }
    std::uint64_t voxels(std::size_t row) const { return all.voxels(rows[row]); }
};

/// Finds the components that a part can drop on its own.
/// @return the new number of each component by number - 1, or 0; empty if all are kept
std::vector<std::uint64_t> kept_numbers(const Rules& rules, const Box& box, const SumTable& sums, const Scan& scan) {
    Criteria criteria = rules.criteria;
    criteria.numbering = Numbering::by_first_voxel;
    if (criteria.keep_all()) return {};
    std::vector<bool> on_face(sums.size() + 1);
    for (const auto& face : scan.faces)
        for (const std::uint32_t number : face) on_face[number] = true;
    std::vector<Candidate> inside;  // all components that are on no face
    for (std::size_t row = 0; row < sums.size(); ++row) {
        if (on_face[row + 1]) continue;
        const bool at_border = touches_border(moved(sums[row], box.first), rules.border);
        inside.push_back({sums.voxels(row), at_border ? Candidate::Place::at_border : Candidate::Place::inside});
    }
    const Selection selection = select(inside, criteria);
    if (selection.is_identity()) return {};
    std::vector<std::uint64_t> kept(sums.size());
    std::uint64_t next = 0;
    std::size_t at = 0;
    for (std::size_t row = 0; row < sums.size(); ++row)
        if (on_face[row + 1] || selection.final_numbers[at++] > 0) kept[row] = ++next;
    return kept;
}

}  // namespace

LabelledPart::LabelledPart(const Rules& rules, std::int64_t part, RowSource& source, ThreadPool& pool) {
    if (rules.rule != Rule::foreground && rules.rule != Rule::equal_values)
        throw Error(ErrorKind::unsupported, "rule", "parts cannot compare values by difference");
    const Box box = rules.grid.box(part);
    const Extent extent = box.extent();
    // Without the periodic axes, which the merge joins.
    labelling_ = label(source, extent, {.connectivity = rules.connectivity, .rule = rules.rule}, {.pool = &pool});
    labelling_->prepare_paint(ScalarType::u32, {});
    Scan scan = Scanner(*labelling_, extent, faces_with_neighbours(rules, part)).scan(pool);
    const SumTable sums = labelling_->measure();
    std::vector<std::uint64_t> values = labelling_->source_values();
    kept_ = kept_numbers(rules, box, sums, scan);
    const auto is_kept = [this](std::uint64_t row) { return kept_.empty() || kept_[row] > 0; };
    std::uint32_t found = 0;  // components are numbered by first voxel, so each new number is the largest so far
    for (const std::uint32_t largest : scan.largest) {
        std::uint32_t count = 0;
        for (; found < largest; ++found) count += is_kept(found);
        state_.row_counts.push_back(count);
    }
    state_.faces = std::move(scan.faces);
    if (kept_.empty()) {
        state_.sums = sums, state_.values = std::move(values);
        return;
    }
    std::vector<std::uint32_t> rows;
    for (std::size_t row = 0; row < sums.size(); ++row) {
        if (!is_kept(row)) continue;
        rows.push_back(std::uint32_t(row));
        if (!values.empty()) state_.values.push_back(values[row]);
    }
    state_.sums = SumTable(KeptRows{sums, std::move(rows)});
    for (auto& face : state_.faces)
        for (std::uint32_t& number : face)
            if (number > 0) number = std::uint32_t(kept_[number - 1]);
}

void LabelledPart::prepare_paint(ScalarType type, std::span<const std::uint64_t> numbers) {
    if (kept_.empty()) return labelling_->prepare_paint(type, numbers);
    std::vector<std::uint64_t> painted(kept_.size());
    for (std::size_t row = 0; row < kept_.size(); ++row)
        if (kept_[row] > 0) painted[row] = numbers[kept_[row] - 1];
    labelling_->prepare_paint(type, painted);
}

FaceComponents face_components(const PartState& state) {
    std::vector<bool> on_face(state.sums.size() + 1);
    for (const auto& face : state.faces)
        for (const std::uint32_t number : face) on_face[number] = true;
    FaceComponents components;
    for (std::uint32_t number = 1; number < on_face.size(); ++number) {
        if (!on_face[number]) continue;
        components.numbers.push_back(number);
        components.sums.push_back(state.sums[number - 1]);
        if (!state.values.empty()) components.values.push_back(state.values[number - 1]);
    }
    return components;
}

std::vector<IntensitySums> intensities_of(const PartState& state, std::span<const std::uint32_t> numbers) {
    std::vector<IntensitySums> of_numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i) add_component(of_numbers, i + 1, state.intensities, numbers[i]);
    return of_numbers;
}

void add_component(std::vector<IntensitySums>& to, std::uint64_t component, const std::vector<IntensitySums>& from, std::uint64_t of_from,
                   const std::array<std::int64_t, 3>& by) {
    if (to.empty())
        for (const IntensitySums& image : from) to.emplace_back(image.type());
    for (std::size_t image = 0; image < from.size(); ++image) to[image].add(component, from[image], of_from, by);
}

}  // namespace voxcc::parts
