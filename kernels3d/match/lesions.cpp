#include <voxcc/match.h>

#include <algorithm>
#include <map>

namespace voxcc {
namespace {

/// The sizes of lesions and of the objects of B, and the pairs that touch.
struct TouchingObjects {
    std::vector<std::uint64_t> lesions, objects;  // voxels
    std::vector<SharedVoxels> pairs;              // rows of `lesions` and `objects`; a pair can touch without shared voxels
};

std::vector<std::uint64_t> sizes_of(const LabelSums& sums) {
    std::vector<std::uint64_t> sizes(sums.labels().size());
    for (std::size_t row = 0; row < sizes.size(); ++row) sizes[row] = sums[row].n;
    return sizes;
}

LesionMetrics metrics_of(const TouchingObjects& t, std::uint64_t least_voxels) {
    enum class Touches : std::uint8_t { nothing, small_lesions, lesions };
    std::vector<Touches> touches(t.objects.size(), Touches::nothing);
    std::vector<std::uint64_t> shared(t.lesions.size()), touching(t.lesions.size());  // touching: voxels of the objects
    for (const SharedVoxels& pair : t.pairs) {
        shared[pair.a] += pair.voxels, touching[pair.a] += t.objects[pair.b];
        touches[pair.b] = std::max(touches[pair.b], t.lesions[pair.a] >= least_voxels ? Touches::lesions : Touches::small_lesions);
    }
    LesionMetrics m;
    double dices = 0;
    for (std::size_t lesion = 0; lesion < t.lesions.size(); ++lesion) {
        if (t.lesions[lesion] < least_voxels) continue;
        ++(touching[lesion] > 0 ? m.found : m.missed);
        dices += 2 * double(shared[lesion]) / double(t.lesions[lesion] + touching[lesion]);
    }
    m.false_positives = std::uint64_t(std::ranges::count(touches, Touches::nothing));
    const auto lesions = double(m.found + m.missed), hits = double(std::ranges::count(touches, Touches::lesions));
    const auto false_positives = double(m.false_positives), objects = hits + false_positives;
    if (lesions > 0) m.recall = double(m.found) / lesions;
    if (objects > 0) m.precision = hits / objects;
    if (lesions + objects > 0) m.f1 = hits > 0 ? 2 * m.recall * m.precision / (m.recall + m.precision) : 0;
    if (lesions + false_positives > 0) m.dice = dices / (lesions + false_positives);
    return m;
}

/// The components of the dilated foreground as labels. Component k has the label 2 k + 1 in the mask, and 2 k elsewhere.
// mask [1 0 0 0], dilated [1 1 0 0]  ->  [3 2 0 0]
class MarkedLesions : public RowSource {
public:
    MarkedLesions(const VolumeBits& mask, Labelling& dilated) : mask_(mask), dilated_(dilated), packer_(ScalarType::u64, {}) {
        dilated_.prepare_paint(ScalarType::u64, {});
    }
    Access access() const override { return Access::concurrent; }
    std::int64_t rows_per_fetch() const override { return 64; }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
        const auto columns = std::size_t(mask_.extent.nx);
        buffer.resize(std::size_t(rows.count) * columns * sizeof(std::uint64_t));
        dilated_.paint(rows, buffer.data(), Stores::cached);
        auto* labels = reinterpret_cast<std::uint64_t*>(buffer.data());
        for (std::int64_t row = rows.first; row < rows.end(); ++row, labels += columns) {
            const std::uint64_t* const bits = mask_.row(row);
            for (std::size_t x = 0; x < columns; ++x) labels[x] = 2 * labels[x] + (bits[x / 64] >> x % 64 & 1);
        }
        return buffer.data();
    }
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override {
        packer_.pack(default_isa(), values(fetched, rows, index), mask_.extent.nx, bits);
    }
    const std::byte* values(const std::byte* fetched, RowRange, std::int64_t index) const override {
        return fetched + index * mask_.extent.nx * std::int64_t(sizeof(std::uint64_t));
    }
    ScalarType value_type() const override { return ScalarType::u64; }

private:
    const VolumeBits& mask_;
    Labelling& dilated_;
    ForegroundPacker packer_;
};

}  // namespace

LesionMetrics lesion_metrics_of(const LabelOverlap& overlap, std::uint64_t least_voxels) {
    return metrics_of({sizes_of(overlap.a), sizes_of(overlap.b), overlap.pairs}, least_voxels);
}

LesionMetrics lesion_metrics_of(RowSource& a, RowSource& b, const Extent& extent, const DilatedLesions& lesions, ThreadPool& pool) {
    const VolumeBits mask = read_bits(a, extent, 0, Axis::z, Keep::bits);
    const VolumeBits near = dilated(mask, lesions.steps, pool);
    VolumeBitsSource rows(near);
    const std::unique_ptr<Labelling> components = label(rows, extent, {.connectivity = lesions.connectivity}, {.pool = &pool});
    MarkedLesions marked(mask, *components);
    const LabelOverlap overlap = overlap_of(marked, b, extent, pool);

    TouchingObjects touching{std::vector<std::uint64_t>(std::size_t(components->count())), sizes_of(overlap.b), {}};
    const auto lesion_of = [&](std::size_t row) { return std::size_t(overlap.a.labels()[row] / 2 - 1); };
    const auto is_in_mask = [&](std::size_t row) { return overlap.a.labels()[row] % 2 == 1; };
    for (std::size_t row = 0; row < overlap.a.labels().size(); ++row)
        if (is_in_mask(row)) touching.lesions[lesion_of(row)] = overlap.a[row].n;
    std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> shared;  // by lesion and object
    for (const SharedVoxels& pair : overlap.pairs) shared[{lesion_of(pair.a), pair.b}] += is_in_mask(pair.a) ? pair.voxels : 0;
    for (const auto& [objects, voxels] : shared) touching.pairs.push_back({objects.first, objects.second, voxels});
    return metrics_of(touching, lesions.least_voxels);
}

}  // namespace voxcc
