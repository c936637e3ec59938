#include <voxcc/measure.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

namespace voxcc {
namespace {

/// Connected candidates with one value: a plateau, or a part of one.
struct Plateau {
    LocalMaximum first;
    std::uint32_t parent;  // a plateau with a smaller or the same number
    enum class State : std::uint8_t { open, is_no_maximum } state = State::open;
};

/// Plateaus by number. The numbers ascend with the first voxels.
class Plateaus {
public:
    explicit Plateaus(MemoryLimit* memory) : taken_(memory) {}
    std::uint32_t add(const LocalMaximum& first) {
        if (plateaus_.size() == ~std::uint32_t{0}) throw Error(ErrorKind::out_of_memory, "intensity", "more than 2^32 - 1 local maxima");
        if (plateaus_.size() == plateaus_.capacity()) grow();
        plateaus_.push_back({first, std::uint32_t(plateaus_.size())});
        return std::uint32_t(plateaus_.size() - 1);
    }
    std::uint32_t root_of(std::uint32_t number) {
        while (plateaus_[number].parent != number) number = plateaus_[number].parent = plateaus_[plateaus_[number].parent].parent;
        return number;
    }
    std::uint32_t unite(std::uint32_t a, std::uint32_t b) {
        a = root_of(a), b = root_of(b);
        if (a == b) return a;
        const std::uint32_t root = std::min(a, b);
        plateaus_[std::max(a, b)].parent = root;
        if (plateaus_[a].state != plateaus_[b].state) discard(root);
        return root;
    }
    void discard(std::uint32_t number) { plateaus_[root_of(number)].state = Plateau::State::is_no_maximum; }
    bool is_worth_compacting() const { return plateaus_.size() > 2 * kept_ + 65536; }
    /// Drops plateaus that are not maxima, except those of `in_use`, whose numbers are changed.
    void compact(std::vector<std::uint32_t>& in_use, std::uint32_t none) {
        std::vector<std::uint32_t> new_number(plateaus_.size(), none);
        for (std::uint32_t& number : in_use)
            if (number != none) number = root_of(number), new_number[number] = 0;
        kept_ = 0;
        for (std::uint32_t k = 0; k < plateaus_.size(); ++k) {
            const bool is_root = plateaus_[k].parent == k;
            if (!is_root || (plateaus_[k].state != Plateau::State::open && new_number[k] == none)) continue;
            new_number[k] = std::uint32_t(kept_);
            plateaus_[kept_] = plateaus_[k];
            plateaus_[kept_].parent = std::uint32_t(kept_);
            ++kept_;
        }
        plateaus_.resize(kept_);
        for (std::uint32_t& number : in_use)
            if (number != none) number = new_number[number];
    }
    std::vector<LocalMaximum> maxima() const {
        std::vector<LocalMaximum> maxima;
        for (std::uint32_t k = 0; k < plateaus_.size(); ++k)
            if (plateaus_[k].parent == k && plateaus_[k].state == Plateau::State::open) maxima.push_back(plateaus_[k].first);
        return maxima;
    }

private:
    void grow() {
        const std::size_t more = std::max<std::size_t>(1024, plateaus_.capacity());
        taken_.take(std::int64_t(more * sizeof(Plateau)));
        plateaus_.reserve(plateaus_.size() + more);
    }
    std::vector<Plateau> plateaus_;
    std::size_t kept_ = 0;
    TakenMemory taken_;
};

}  // namespace

/// Receives rows, and finds the maxima of a slice when the next two slices are complete.
class LocalMaxima::Finder {
public:
    virtual ~Finder() = default;
    virtual void add_row(std::span<const std::uint32_t> components, const std::byte* values) = 0;
    virtual std::vector<LocalMaximum> finish() = 0;
};

namespace {

template <class T>
class FinderOf final : public LocalMaxima::Finder {
public:
    FinderOf(const Extent& extent, LocalMaxima::Greater greater, MemoryLimit* memory)
        : extent_(extent), step_(extent.nx + 2), greater_(greater), plateaus_(memory) {
        for (Slice& slice : slices_) {
            const auto voxels = std::size_t(step_ * (extent.ny + 2));
            slice.components.resize(voxels);
            slice.values.resize(voxels);
            slice.candidates.resize(voxels);
        }
        plateau_of_.resize(slices_[0].values.size(), no_plateau);
        last_plateau_of_ = plateau_of_;
    }

    void add_row(std::span<const std::uint32_t> components, const std::byte* values) override {
        Slice& slice = slice_at(z_);
        const std::int64_t first = (y_ + 1) * step_ + 1;
        std::copy(components.begin(), components.end(), slice.components.begin() + first);
        std::memcpy(slice.values.data() + first, values, components.size() * sizeof(T));
        if (greater_ == LocalMaxima::Greater::lower)
            for (std::size_t x = 0; x < components.size(); ++x)
                slice.values[std::size_t(first) + x] = reversed(slice.values[std::size_t(first) + x]);
        if (++y_ < extent_.ny) return;
        y_ = 0;
        end_slice();
    }

    std::vector<LocalMaximum> finish() override {
        for (int beyond = 0; beyond < 2; ++beyond) {
            std::ranges::fill(slice_at(z_).components, 0);
            end_slice();
        }
        std::vector<LocalMaximum> maxima = plateaus_.maxima();
        const auto before = [&](const LocalMaximum& a, const LocalMaximum& b) {
            if (a.component != b.component) return a.component < b.component;
            if (a.stored != b.stored) return greater_ == LocalMaxima::Greater::higher ? a.stored > b.stored : a.stored < b.stored;
            return std::ranges::lexicographical_compare(std::array{a.at[2], a.at[1], a.at[0]}, std::array{b.at[2], b.at[1], b.at[0]});
        };
        std::ranges::sort(maxima, before);
        return maxima;
    }

private:
    static constexpr std::uint32_t no_plateau = ~std::uint32_t{0};

    /// A slice with a border of one voxel, whose component is 0.
    struct Slice {
        std::vector<std::uint32_t> components;
        std::vector<T> values;                 // reversed if lower stored values are the greater ones
        std::vector<std::uint8_t> candidates;  // whether no neighbour in the component is greater
    };

    /// Maps values so that their order is reversed. Its own inverse.
    static T reversed(T value) {
        if constexpr (std::is_floating_point_v<T>) return -value;
        else return T(~value);
    }
    Slice& slice_at(std::int64_t z) { return slices_[std::size_t(z + 4) % 4]; }

    /// Slice z_ is complete.
    void end_slice() {
        find_candidates(z_ - 1);
        if (z_ >= 2) find_plateaus(z_ - 2);
        ++z_;
    }

    template <class F>
    void for_voxels(const F& f) const {
        for (std::int64_t y = 0; y < extent_.ny; ++y)
            for (std::int64_t x = 0; x < extent_.nx; ++x) f((y + 1) * step_ + x + 1, x, y);
    }

    /// Whether f(slice, index) is true for a neighbour of voxel `at` in slice z.
    template <class F>
    bool any_neighbour(std::int64_t z, std::int64_t at, const F& f) {
        for (int dz = -1; dz <= 1; ++dz) {
            const Slice& slice = slice_at(z + dz);
            for (const std::int64_t row : {at - step_, at, at + step_})
                for (std::int64_t i = row - 1; i <= row + 1; ++i)
                    if ((dz != 0 || i != at) && f(slice, std::size_t(i))) return true;
        }
        return false;
    }

    void find_candidates(std::int64_t z) {
        Slice& own = slice_at(z);
        for_voxels([&](std::int64_t at, std::int64_t, std::int64_t) {
            const std::uint32_t component = own.components[std::size_t(at)];
            const T value = own.values[std::size_t(at)];
            own.candidates[std::size_t(at)] =
                component != 0 && value == value && !any_neighbour(z, at, [&](const Slice& slice, std::size_t i) {
                    return slice.values[i] > value && slice.components[i] == component;
                });
        });
    }

    /// Unites the candidates of slice z with those before them. A candidate that touches an equal voxel with a greater neighbour is not a
    /// maximum.
    void find_plateaus(std::int64_t z) {
        const Slice& own = slice_at(z);
        const Slice* const before = &slice_at(z - 1);
        std::swap(plateau_of_, last_plateau_of_);
        std::ranges::fill(plateau_of_, no_plateau);
        for_voxels([&](std::int64_t at, std::int64_t x, std::int64_t y) {
            if (!own.candidates[std::size_t(at)]) return;
            const std::uint32_t component = own.components[std::size_t(at)];
            const T value = own.values[std::size_t(at)];
            std::uint32_t plateau = no_plateau;
            const bool is_no_maximum =
                any_neighbour(
                    z, at,
                    [&](const Slice& slice, std::size_t i) {
                        if (slice.components[i] != component || slice.values[i] != value) return false;
                        const std::uint32_t other = &slice == before ? last_plateau_of_[i] : &slice == &own ? plateau_of_[i] : no_plateau;
                        if (other != no_plateau)
                            plateau = plateau == no_plateau ? plateaus_.root_of(other) : plateaus_.unite(plateau, other);
                        return false;
                    }) ||
                any_neighbour(z, at, [&](const Slice& slice, std::size_t i) {
                    return slice.components[i] == component && slice.values[i] == value && !slice.candidates[i];
                });
            if (plateau == no_plateau) {
                const T stored = greater_ == LocalMaxima::Greater::lower ? reversed(value) : value;
                plateau = plateaus_.add({component, {std::uint32_t(x), std::uint32_t(y), std::uint32_t(z)}, double(stored)});
            }
            if (is_no_maximum) plateaus_.discard(plateau);
            plateau_of_[std::size_t(at)] = plateau;
        });
        if (plateaus_.is_worth_compacting()) plateaus_.compact(plateau_of_, no_plateau);
    }

    Extent extent_;
    std::int64_t step_;  // from a row to the next
    LocalMaxima::Greater greater_;
    std::array<Slice, 4> slices_;                              // slice z is slices_[z % 4]
    std::vector<std::uint32_t> plateau_of_, last_plateau_of_;  // of the candidates of a slice, and of the slice before it
    Plateaus plateaus_;
    std::int64_t y_ = 0, z_ = 0;  // of the next row
};

}  // namespace

LocalMaxima::LocalMaxima(ScalarType type, const Extent& extent, Greater greater, MemoryLimit* memory) : row_(std::size_t(extent.nx)) {
    visit_scalar(type, [&]<class T>(std::type_identity<T>) { finder_ = std::make_unique<FinderOf<T>>(extent, greater, memory); });
}

LocalMaxima::LocalMaxima(LocalMaxima&&) noexcept = default;
LocalMaxima::~LocalMaxima() = default;

template <class Index>
void LocalMaxima::add_row(std::span<const Index> components, std::span<const std::byte> values) {
    for (std::size_t x = 0; x < components.size(); ++x) {
        row_[x] = std::uint32_t(components[x]);
        if (row_[x] != components[x]) throw Error(ErrorKind::unsupported, "intensity", "local maxima of more than 2^32 - 1 components");
    }
    finder_->add_row(row_, values.data());
}

template void LocalMaxima::add_row(std::span<const std::uint32_t>, std::span<const std::byte>);
template void LocalMaxima::add_row(std::span<const std::uint64_t>, std::span<const std::byte>);

std::vector<LocalMaximum> LocalMaxima::finish() { return finder_->finish(); }

std::int64_t LocalMaxima::slice_bytes(ScalarType type, const Extent& extent) {
    return (extent.nx + 2) * (extent.ny + 2) * (4 * (size_of(type) + 5) + 8);
}

namespace {

using Point = std::array<double, 3>;

struct HashOfPoint {
    std::size_t operator()(const Point& p) const {
        std::size_t hash = 0;
        for (const double v : p) hash = (hash ^ std::hash<double>()(v)) * 0x9e3779b97f4a7c15u;
        return hash;
    }
};

/// The points that are kept, by cubes whose edge is the distance.
class KeptPoints {
public:
    explicit KeptPoints(double distance) : distance_(distance) {}
    void clear() { cubes_.clear(); }
    bool has_near(const Point& p) const {
        const Point own = cube_of(p);
        Point cube;
        for (cube[0] = own[0] - 1; cube[0] <= own[0] + 1; ++cube[0])
            for (cube[1] = own[1] - 1; cube[1] <= own[1] + 1; ++cube[1])
                for (cube[2] = own[2] - 1; cube[2] <= own[2] + 1; ++cube[2])
                    if (const auto found = cubes_.find(cube); found != cubes_.end())
                        if (std::ranges::any_of(found->second, [&](const Point& q) { return is_near(p, q); })) return true;
        return false;
    }
    void add(const Point& p) { cubes_[cube_of(p)].push_back(p); }

private:
    Point cube_of(const Point& p) const {
        return {std::floor(p[0] / distance_), std::floor(p[1] / distance_), std::floor(p[2] / distance_)};
    }
    bool is_near(const Point& p, const Point& q) const {
        const double squared = (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]);
        return std::sqrt(squared) < distance_ * (1 - 1e-9);
    }
    double distance_;
    std::unordered_map<Point, std::vector<Point>, HashOfPoint> cubes_;
};

}  // namespace

std::vector<LocalMaximum> keep_apart(const std::vector<LocalMaximum>& maxima, const World& world, double distance) {
    if (distance <= 0) return maxima;
    std::vector<LocalMaximum> kept;
    KeptPoints points(distance);
    std::uint32_t component = 0;
    for (const LocalMaximum& maximum : maxima) {
        if (maximum.component != component) points.clear();
        component = maximum.component;
        const Point p = world_position(world, {double(maximum.at[0]), double(maximum.at[1]), double(maximum.at[2])});
        if (points.has_near(p)) continue;
        points.add(p);
        kept.push_back(maximum);
    }
    return kept;
}

}  // namespace voxcc
