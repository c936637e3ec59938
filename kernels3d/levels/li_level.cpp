#include "kernels3d/levels/li_level.h"

#include "kernels3d/levels/each_value.h"
#include "kernels3d/levels/histogram.h"
#include "kernels3d/levels/histogram_levels.h"

#include <bit>
#include <cmath>

namespace voxcc {
namespace {

/// The mean and the number of the values of one bucket.
struct Point {
    double mean, voxels;
};

/// Counts and sums of values >= 0 in buckets of consecutive values. A bucket is the values whose bits, as an integer, are equal except for
/// the lowest `shift` bits. All sums are integers, so they do not depend on the order of the values.
template <class V>
class Buckets {
public:
    using Bits = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;

    /// @param first the bits of the first bucket, without the lowest `shift` bits
    Buckets(Bits first, Bits count, int shift) : first_(first), shift_(shift), dropped_(std::max(shift - 20, 0)), buckets_(count) {}
    static Bits bits_of(V v) { return std::bit_cast<Bits>(v); }
    Bits first() const { return first_; }
    Bits end() const { return first_ + Bits(buckets_.size()); }
    bool contains(V v) const { return bits_of(v) >> shift_ >= first_ && bits_of(v) >> shift_ < end(); }
    /// @param v must be in a bucket
    void add(V v) {
        Bucket& bucket = buckets_[(bits_of(v) >> shift_) - first_];
        ++bucket.voxels;
        bucket.low_bits += (bits_of(v) & ((Bits{1} << shift_) - 1)) >> dropped_;
    }
    /// Adds the points of the buckets from `from` to `to`, which has values, in ascending order.
    void append_points(Bits from, Bits to, std::vector<Point>& points) const {
        for (Bits b = from; b < to; ++b) {
            const auto& [voxels, low_bits] = buckets_[b - first_];
            if (voxels == 0) continue;
            const double low = double(std::bit_cast<V>(Bits(b << shift_))), width = double(std::bit_cast<V>(Bits((b + 1) << shift_))) - low;
            const double part = double(low_bits) / double(voxels) / double(std::uint64_t{1} << (shift_ - dropped_));
            points.push_back({low + width * part, double(voxels)});
        }
    }

private:
    struct Bucket {
        std::uint64_t voxels = 0, low_bits = 0;
    };
    Bits first_;
    int shift_, dropped_;  // dropped_: low bits that are left out of the sums, so that 2^44 values fit
    std::vector<Bucket> buckets_;
};

double level_of_points(const std::vector<Point>& points, double start) {
    double gap = points.back().mean;
    for (std::size_t i = 1; i < points.size(); ++i) gap = std::min(gap, points[i].mean - points[i - 1].mean);
    const auto each = [&](auto&& f) {
        for (const Point& point : points) f(point.mean, point.voxels);
    };
    return li_iteration(each, start, gap / 2);
}

double mean_of(const std::vector<Point>& points) {
    double voxels = 0, sum = 0;
    for (const Point& point : points) voxels += point.voxels, sum += point.mean * point.voxels;
    return sum / voxels;
}

/// Two passes: the first finds the bucket of the level, the second divides the buckets around it into finer ones.
/// @param each_finite each_finite(f) must call f(v) for all values, which must be in [0, largest]
template <class V, class EachFinite>
double level_of_buckets(V largest, const EachFinite& each_finite) {
    using Bits = typename Buckets<V>::Bits;
    constexpr int coarse = std::numeric_limits<V>::digits - 1 - 12, fine = std::max(coarse - 14, 0);  // fine: each float32 has its own
    constexpr Bits count = Bits{1} << 18, around = 8;                                                 // 64 exponents
    const Bits top = Buckets<V>::bits_of(largest) >> coarse;
    Buckets<V> buckets(top >= count ? top - count + 1 : 0, std::min(count, top + 1), coarse);
    double tiny = 0;  // number of values below all buckets, less than largest / 2^63; they count as 0
    each_finite([&](V v) {
        if (buckets.contains(v)) buckets.add(v);
        else ++tiny;
    });
    std::vector<Point> points;
    if (tiny > 0) points.push_back({0, tiny});
    const std::size_t of_tiny = points.size();
    buckets.append_points(buckets.first(), buckets.end(), points);
    const double mean = mean_of(points);

    const Bits at = std::clamp(Bits(Buckets<V>::bits_of(V(level_of_points(points, mean))) >> coarse), buckets.first(), top);
    const Bits from = at - std::min(around, Bits(at - buckets.first())), to = std::min(Bits(at + around), top) + 1;
    Buckets<V> refined(from << (coarse - fine), (to - from) << (coarse - fine), fine);
    each_finite([&](V v) {
        if (refined.contains(v)) refined.add(v);
    });
    points.resize(of_tiny);
    buckets.append_points(buckets.first(), from, points);
    refined.append_points(refined.first(), refined.end(), points);
    buckets.append_points(to, buckets.end(), points);
    return level_of_points(points, mean);
}

template <class T, class Value>
double level_of_values(const LevelValues& values, const ValueRange<T>& range, const Value& value) {
    using V = decltype(value(T{}));
    const auto [least, largest] = scaled_ends(range, value);
    const double level = level_of_buckets<V>(largest - least, [&, least = least](auto&& f) {
        each_value<T>(values, [&](T v) {
            if (std::isfinite(value(v))) f(value(v) - least);
        });
    });
    return double(V(V(level) + least));
}

}  // namespace

double li_level(const LevelValues& values) {
    return visit_values(values, [&]<class T>(std::type_identity<T>, const auto& value) {
        const ValueRange<T> range = range_of<T>(values);
        if (!counts_each_value(range)) return level_of_values(values, range, value);
        const Histogram h = histogram(values);
        return h.level(li_position(h.counts));
    });
}

}  // namespace voxcc
