#include <voxcc/contacts.h>

#include "kernels3d/neighbourhood.h"

#include <algorithm>
#include <unordered_map>

namespace voxcc {
namespace {

struct Labels {
    std::uint64_t a, b;  // a < b
    bool operator==(const Labels&) const = default;
};
struct HashOfLabels {
    std::size_t operator()(const Labels& p) const { return std::size_t((p.a * 0x9e3779b97f4a7c15u ^ p.b) * 0xbf58476d1ce4e5b9u >> 16); }
};
using Counts = std::array<std::uint64_t, 4>;  // faces across x, y, z; edges and corners

/// The counts of the pairs of labels that one thread has found.
class Found {
public:
    void add(std::uint64_t a, std::uint64_t b, std::size_t kind) {
        const Labels labels = a < b ? Labels{a, b} : Labels{b, a};
        if (!last_ || labels != last_labels_) {
            last_ = &counts_[labels];  // elements of the map keep their addresses
            last_labels_ = labels;
        }
        ++(*last_)[kind];
    }
    void add(const Found& other) {
        for (const auto& [labels, counts] : other.counts_)
            for (std::size_t kind = 0; kind < counts.size(); ++kind) counts_[labels][kind] += counts[kind];
    }
    std::vector<LabelContact> sorted() const {
        std::vector<LabelContact> contacts;
        for (const auto& [labels, n] : counts_) contacts.push_back({labels.a, labels.b, {n[0], n[1], n[2]}, n[3]});
        std::sort(contacts.begin(), contacts.end(),
                  [](const LabelContact& l, const LabelContact& r) { return l.a != r.a ? l.a < r.a : l.b < r.b; });
        return contacts;
    }

private:
    std::unordered_map<Labels, Counts, HashOfLabels> counts_;
    Labels last_labels_{};
    Counts* last_ = nullptr;
};

/// A step to a neighbour that comes later in raster order.
struct Step {
    int dx, dy, dz;
    std::size_t kind;  // index in Counts
};

std::vector<Step> later_steps(Connectivity connectivity) {
    std::vector<Step> steps;
    for (int dz = 0; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                if (!is_neighbour(connectivity, dx, dy, dz) || is_earlier(dx, dy, dz)) continue;
                const bool face = (dx != 0) + (dy != 0) + (dz != 0) == 1;
                steps.push_back({dx, dy, dz, face ? std::size_t(dz != 0 ? 2 : dy != 0 ? 1 : 0) : 3});
            }
    return steps;
}

/// 1 if two labels touch, as the type of the labels, so that the compiler can vectorise a loop over them.
template <class T>
T touch(T a, T b) {
    return T(T(a != b) & T(a != 0) & T(b != 0));
}

/// Adds the pairs of row[x] and other[x + dx]. Blocks without a contact, which are most, take one vectorised comparison.
template <class T>
void compare_rows(const T* row, const T* other, std::int64_t nx, const Step& step, Found& found) {
    constexpr std::int64_t block = 64;
    const std::int64_t begin = step.dx < 0 ? 1 : 0, end = step.dx > 0 ? nx - 1 : nx;
    other += step.dx;
    for (std::int64_t first = begin; first < end; first += block) {
        const std::int64_t n = std::min(block, end - first);
        const T *const a = row + first, *const b = other + first;
        T any = 0;
        if (n == block)
            for (std::int64_t x = 0; x < block; ++x) any = T(any | touch(a[x], b[x]));
        else
            for (std::int64_t x = 0; x < n; ++x) any = T(any | touch(a[x], b[x]));
        if (any == 0) continue;
        for (std::int64_t x = 0; x < n; ++x)
            if (touch(a[x], b[x]) != 0) found.add(std::uint64_t(std::int64_t(a[x])), std::uint64_t(std::int64_t(b[x])), step.kind);
    }
}

/// A slice of labels.
class Slice {
public:
    void read(block_runs::RowSource& labels, const Extent& extent, std::int64_t z) {
        rows_ = {z * extent.ny, extent.ny};
        fetched_ = labels.fetch(rows_, buffer_);
    }
    template <class T>
    const T* row(const block_runs::RowSource& labels, std::int64_t y) const {
        return reinterpret_cast<const T*>(labels.values(fetched_, rows_, y));
    }

private:
    RowRange rows_;
    std::vector<std::byte> buffer_;
    const std::byte* fetched_ = nullptr;
};

/// Adds the contacts of the slices [first, end) with themselves and with the next slice.
template <class T>
void find_contacts(block_runs::RowSource& labels, const Extent& extent, const std::vector<Step>& steps, std::int64_t first,
                   std::int64_t end, Found& found) {
    Slice own, above;
    if (first < end) own.read(labels, extent, first);
    for (std::int64_t z = first; z < end; ++z, std::swap(own, above)) {
        if (z + 1 < extent.nz) above.read(labels, extent, z + 1);
        for (std::int64_t y = 0; y < extent.ny; ++y)
            for (const Step& step : steps) {
                if (y + step.dy < 0 || y + step.dy >= extent.ny || z + step.dz >= extent.nz) continue;
                const Slice& slice = step.dz > 0 ? above : own;
                compare_rows(own.row<T>(labels, y), slice.row<T>(labels, y + step.dy), extent.nx, step, found);
            }
    }
}

}  // namespace

std::vector<LabelContact> label_contacts(block_runs::RowSource& labels, const Extent& extent, Connectivity connectivity, ThreadPool& pool) {
    const std::vector<Step> steps = later_steps(connectivity);
    const std::int64_t parts = std::min<std::int64_t>(pool.size(), extent.nz);
    std::vector<Found> found(static_cast<std::size_t>(parts));
    pool.for_each(parts, [&](std::int64_t part) {
        visit_scalar(labels.value_type(), [&]<class T>(std::type_identity<T>) {
            if constexpr (std::is_integral_v<T>)
                find_contacts<T>(labels, extent, steps, extent.nz * part / parts, extent.nz * (part + 1) / parts, found[std::size_t(part)]);
            else throw Error(ErrorKind::invalid_argument, "labels", "labels must be integers");
        });
    });
    for (std::size_t part = 1; part < found.size(); ++part) found.front().add(found[part]);
    return found.front().sorted();
}

}  // namespace voxcc
