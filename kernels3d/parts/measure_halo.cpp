// Counts shapes and contacts in a part with its next voxels, and finds diameters.
#include <voxcc/parts.h>

#include "kernels3d/base/union_shifted.h"
#include "kernels3d/measure/feret.h"
#include "kernels3d/measure/labelled_slice.h"
#include "kernels3d/parts/halo_numbers.h"

#include <algorithm>

namespace voxcc::parts {
namespace {

/// Sums of components that are not measured.
struct NoSums {
    std::size_t components;
    std::size_t size() const { return components; }
    WideSums operator[](std::size_t) const { return {}; }
};

/// Reads rows: read(rows, to) writes nx numbers per row.
using ReadRows = std::function<void(RowRange, std::uint32_t*)>;

/// Numbers as a labelling, for measure_shape().
class NumberedBox : public Labelling {
public:
    NumberedBox(ReadRows read, std::uint32_t count) : read_(std::move(read)), count_(count) {}
    std::uint64_t count() const override { return count_; }
    SumTable measure() override { return SumTable(NoSums{count_}); }
    std::vector<std::uint64_t> source_values() const override { return {}; }
    void prepare_paint(ScalarType, std::span<const std::uint64_t>) override {}
    void paint(RowRange rows, std::byte* out, Stores) const override { read_(rows, reinterpret_cast<std::uint32_t*>(out)); }
    const Seconds& seconds() const override { return seconds_; }

private:
    ReadRows read_;
    std::uint32_t count_;
    Seconds seconds_;
};

/// Numbers as a source of labels, for label_contacts().
class NumberSource : public RowSource {
public:
    NumberSource(ReadRows read, std::int64_t nx) : read_(std::move(read)), nx_(nx) {}
    Access access() const override { return Access::concurrent; }
    std::int64_t rows_per_fetch() const override { return 64; }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
        buffer.resize(std::size_t(rows.count * nx_) * sizeof(std::uint32_t));
        read_(rows, reinterpret_cast<std::uint32_t*>(buffer.data()));
        return buffer.data();
    }
    void pack(const std::byte*, RowRange, std::int64_t, std::uint64_t*) const override {
        throw Error(ErrorKind::internal, "parts", "the rows of numbers have no bits");
    }
    const std::byte* values(const std::byte* fetched, RowRange, std::int64_t index) const override {
        return fetched + index * nx_ * std::int64_t(sizeof(std::uint32_t));
    }
    ScalarType value_type() const override { return ScalarType::u32; }

private:
    ReadRows read_;
    std::int64_t nx_;
};

void add(ShapeCounts& to, const ShapeCounts& counts, int sign) {
    for (std::size_t d = 0; d < counts.pairs.size(); ++d) to.pairs[d] += sign > 0 ? counts.pairs[d] : -counts.pairs[d];
    to.euler += sign * counts.euler;
}

/// Subtracts or adds the counts of pairs that `to` has. Both are in ascending order.
void add(std::vector<LabelContact>& to, const std::vector<LabelContact>& contacts, int sign) {
    auto at = to.begin();
    const auto add_one = [sign](std::uint64_t& count, std::uint64_t other) { count += sign > 0 ? other : -other; };
    for (const LabelContact& c : contacts) {
        at = std::lower_bound(at, to.end(), c,
                              [](const LabelContact& l, const LabelContact& r) { return l.a != r.a ? l.a < r.a : l.b < r.b; });
        for (std::size_t axis = 0; axis < 3; ++axis) add_one(at->faces[axis], c.faces[axis]);
        add_one(at->edges, c.edges), add_one(at->corners, c.corners);
    }
}

/// Finds the outlines of the components of a part, slice by slice.
class PartOutlines {
public:
    /// @param is_open, last_z by compact number
    PartOutlines(const Box& box, Space space, const World& world, const std::vector<bool>& is_open,
                 const std::vector<std::uint32_t>& last_z)
        : box_(box), is_open_(is_open), last_z_(last_z), feret_(space, world, nullptr), corners_(is_open.size()), mm_(is_open.size()) {}

    void find(const ReadRows& read, ThreadPool& pool) {
        const std::int64_t at_once = std::min<std::int64_t>(box_.count[2], 4 * pool.size());
        std::vector<OutlineFinder> finders(std::size_t(std::min<std::int64_t>(at_once, pool.size())));
        const auto tasks = std::int64_t(finders.size());
        std::vector<Outlines> outlines;
        for (std::int64_t first = 0; first < box_.count[2]; first += at_once) {
            const std::int64_t n = std::min(at_once, box_.count[2] - first);
            outlines.resize(std::size_t(n));
            pool.for_each(tasks, [&](std::int64_t task) {
                for (std::int64_t s = task; s < n; s += tasks)
                    find_slice(read, first + s, finders[std::size_t(task)], outlines[std::size_t(s)]);
            });
            for (Outlines& slice : outlines) take_open(slice);
            feret_.add(outlines);
            if (feret_.has_many())
                complete([&](std::uint32_t number) { return last_z_[number] <= std::uint32_t(box_.first[2] + first + n - 1); }, pool);
        }
        complete([](std::uint32_t) { return true; }, pool);
    }
    /// The diameter of a component that is not open.
    double feret_mm(std::uint32_t number) const { return mm_[number]; }
    /// The corners of an open component.
    std::vector<Corner> take_corners(std::uint32_t number) { return std::move(corners_[number]); }

private:
    void find_slice(const ReadRows& read, std::int64_t z, OutlineFinder& finder, Outlines& to) const {
        const std::int64_t nx = box_.count[0], ny = box_.count[1];
        std::vector<std::uint32_t> numbers(std::size_t(nx * ny));
        read({z * ny, ny}, numbers.data());
        LabelledSlice slice(nx, ny);
        for (std::int64_t y = 0; y < ny; ++y) slice.set_row(y, numbers.data() + y * nx, nx);
        finder.find(slice, z, to);
        for (Corner& corner : to.corners)
            corner = {corner.x + std::uint32_t(box_.first[0]), corner.y + std::uint32_t(box_.first[1]),
                      corner.z + std::uint32_t(box_.first[2])};
    }
    /// Moves the corners of open components to corners_.
    void take_open(Outlines& slice) {
        std::erase_if(slice.outlines, [&](const Outlines::Outline& outline) {
            if (!is_open_[outline.label]) return false;
            const auto from = slice.corners.begin() + std::ptrdiff_t(outline.first);
            corners_[outline.label].insert(corners_[outline.label].end(), from, from + std::ptrdiff_t(outline.count));
            return true;
        });
    }
    void complete(const std::function<bool(std::uint32_t)>& is_complete, ThreadPool& pool) {
        feret_.complete(
            is_complete, [&](std::uint32_t number, double mm) { mm_[number] = mm; }, pool);
    }

    const Box& box_;
    const std::vector<bool>& is_open_;
    const std::vector<std::uint32_t>& last_z_;
    FeretDiameters feret_;
    std::vector<std::vector<Corner>> corners_;  // by number
    std::vector<double> mm_;                    // by number
};

}  // namespace

HaloedPart::HaloedPart(const Rules& rules, std::int64_t part, LabelledPart& labelled, const PartState& state, const PartNumbers& numbers,
                       const FinalFace& face)
    : rules_(rules), part_(part), labelled_(labelled), state_(state), numbers_(numbers) {
    halo_ = std::make_unique<Numbers>(rules, part, labelled, numbers_of_part(numbers, state.row_counts), face);
}
HaloedPart::~HaloedPart() = default;

PartShapes HaloedPart::shapes(const std::optional<World>& world, ThreadPool& pool) {
    std::vector<ShapeCounts> counts(halo_->count());
    for (const Numbers::View& view : halo_->views()) {
        const auto read = [&](RowRange rows, std::uint32_t* to) { halo_->read(view.box, rows, to); };
        ShapeRequest request{{.connectivity = rules_.connectivity, .rule = rules_.rule}, view.box.extent()};
        NumberedBox labels(read, view.numbers);
        const ShapeTable table = measure_shape(labels, request, labels.measure(), pool);
        for (std::uint32_t row = 0; row < view.numbers; ++row) add(counts[row], table.counts(row), view.sign);
    }
    // A component is open if the merge has joined pieces of it, or if it has voxels in the next parts only. Pieces that are moved have
    // numbers of their own, after the numbers of the components.
    const std::vector<std::uint32_t>& moved = numbers_.moved;
    std::vector<bool> is_open(counts.size() + moved.size() + 1, true);
    std::vector<std::uint32_t> last_z(is_open.size());
    for (const std::uint64_t number : halo_->of_part()) is_open[number] = false;
    for (std::size_t i = 0; i < numbers_.listed.size(); ++i)
        if (numbers_.becomes[i] > 0 && numbers_.begins[i] == 0) is_open[halo_->of_part()[numbers_.listed[i] - 1]] = true;
    const Box box = rules_.grid.box(part_);
    for (std::size_t row = 0; row < state_.sums.size(); ++row) {
        std::uint32_t& last = last_z[halo_->of_part()[row]];
        last = std::max(last, state_.sums[row].z1 + std::uint32_t(box.first[2]));
    }
    std::vector<bool> begins(is_open.size());
    for (std::size_t i = 0; i < numbers_.joined.size(); ++i) {
        const std::uint64_t number = halo_->of_part()[numbers_.joined[i] - 1];
        is_open[number] = begins[number] = true;
        last_z[number] = numbers_.totals[i].z1;
    }
    std::optional<PartOutlines> outlines;
    if (world) {
        outlines.emplace(box, space_of(rules_.connectivity), *world, is_open, last_z);
        std::vector<std::uint64_t> outlined(halo_->of_part().begin(), halo_->of_part().end());
        for (std::size_t i = 0; i < moved.size(); ++i) outlined[moved[i] - 1] = counts.size() + 1 + i;
        labelled_.prepare_paint(ScalarType::u32, outlined);
        outlines->find([&](RowRange rows, std::uint32_t* to) { halo_->read(halo_->own(), rows, to); }, pool);
        labelled_.prepare_paint(ScalarType::u32, halo_->of_part());
    }
    std::map<std::uint64_t, std::vector<Corner>> moved_corners;  // by number
    for (std::size_t i = 0; outlines && i < moved.size(); ++i) {
        const auto by = voxels_of(numbers_.shifts[i], rules_.grid.volume());
        std::vector<Corner>& to = moved_corners[halo_->of_part()[moved[i] - 1]];
        for (const Corner& c : outlines->take_corners(std::uint32_t(counts.size() + 1 + i)))
            to.push_back({c.x + std::uint32_t(by[0]), c.y + std::uint32_t(by[1]), c.z + std::uint32_t(by[2])});
    }
    PartShapes shapes;
    for (std::uint32_t number = 1; number <= counts.size(); ++number) {
        const std::uint64_t final_number = halo_->final_number(number);
        if (!is_open[number]) {
            shapes.complete.push_back({final_number, counts[number - 1], outlines ? outlines->feret_mm(number) : 0});
            continue;
        }
        OpenShape open{final_number, begins[number] ? last_z[number] : 0, counts[number - 1], {}};
        if (outlines) open.corners = outlines->take_corners(number);
        if (const auto at = moved_corners.find(number); at != moved_corners.end())
            open.corners.insert(open.corners.end(), at->second.begin(), at->second.end());
        if (open.counts != ShapeCounts{} || !open.corners.empty() || begins[number]) shapes.open.push_back(std::move(open));
    }
    std::ranges::sort(shapes.complete, {}, &CompleteShape::number);
    std::ranges::sort(shapes.open, {}, &OpenShape::number);
    return shapes;
}

std::vector<LabelContact> HaloedPart::contacts(Connectivity connectivity, ThreadPool& pool) {
    std::vector<LabelContact> contacts;
    for (const Numbers::View& view : halo_->views()) {
        const auto read = [&](RowRange rows, std::uint32_t* to) { halo_->read(view.box, rows, to); };
        NumberSource source(read, view.box.count[0]);
        std::vector<LabelContact> found = label_contacts(source, view.box.extent(), connectivity, pool);
        if (contacts.empty()) contacts = std::move(found);
        else add(contacts, found, view.sign);
    }
    std::erase_if(contacts, [](const LabelContact& c) { return c == LabelContact{c.a, c.b, {}, 0, 0}; });
    for (LabelContact& c : contacts) {
        c.a = halo_->final_number(std::uint32_t(c.a)), c.b = halo_->final_number(std::uint32_t(c.b));
        if (c.b < c.a) std::swap(c.a, c.b);
    }
    std::ranges::sort(contacts, [](const LabelContact& l, const LabelContact& r) { return l.a != r.a ? l.a < r.a : l.b < r.b; });
    return contacts;
}

void PartFeret::add(std::uint64_t number, std::span<const Corner> corners) {
    std::vector<Corner>& all = open_[number];
    all.insert(all.end(), corners.begin(), corners.end());
}

std::vector<std::pair<std::uint64_t, double>> PartFeret::complete(const std::function<bool(std::uint64_t)>& is_complete, ThreadPool& pool) {
    std::vector<std::pair<std::uint64_t, std::vector<Corner>*>> open;
    for (auto& [number, corners] : open_) open.emplace_back(number, &corners);
    std::vector<double> mm(open.size());
    std::vector<char> done(open.size());
    pool.for_each(std::int64_t(open.size()), [&](std::int64_t i) {
        auto& [number, corners] = open[std::size_t(i)];
        keep_convex(*corners);
        if (!is_complete(number)) return;
        mm[std::size_t(i)] = largest_distance(*corners, space_, world_);
        done[std::size_t(i)] = 1;
    });
    std::vector<std::pair<std::uint64_t, double>> complete;
    for (std::size_t i = 0; i < open.size(); ++i) {
        if (!done[i]) continue;
        complete.emplace_back(open[i].first, mm[i]);
        open_.erase(open[i].first);
    }
    return complete;
}

}  // namespace voxcc::parts
