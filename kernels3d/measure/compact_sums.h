// Sums of many components in few bytes: where components are many, nearly all are small, and small numbers fit small integers.
//
// A row has 32 bytes: a place, and sums relative to it as long as all voxels lie near and are few; then the row becomes full sums, kept
// apart. Memory decides twice, as a table of a million components in fresh memory costs more time than adding its voxels up.
#pragma once
#include <voxcc/sums.h>
#include "kernels3d/buffer.h"

#include <bit>
#include <deque>
#include <vector>

namespace voxcc {

struct Place {
    std::uint32_t x = 0, y = 0, z = 0;
};

/// Sums over at most `most` voxels relative to a place not far from any of them.
struct NearSums {
    static constexpr std::int32_t most = 31;  // 127 would fit rows, too, but what more is added costs less in full sums
    static constexpr std::int32_t far = 64;   // distances up to it cannot overflow
    std::int32_t n = 0, x = 0, y = 0, z = 0, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
    std::int32_t x0 = 0, y0 = 0, z0 = 0, x1 = 0, y1 = 0, z1 = 0;  // bounding box, both ends inside

    /// Those of the same voxels relative to a place that is (dx, dy, dz) before the old one; each nearer than `far`.
    [[gnu::always_inline]] NearSums seen_from(std::int32_t dx, std::int32_t dy, std::int32_t dz) const {
        NearSums s = *this;
        s.xx += dx * (2 * x + dx * n), s.yy += dy * (2 * y + dy * n), s.zz += dz * (2 * z + dz * n);
        s.xy += dx * y + dy * x + dx * dy * n, s.xz += dx * z + dz * x + dx * dz * n, s.yz += dy * z + dz * y + dy * dz * n;
        s.x += dx * n, s.y += dy * n, s.z += dz * n;
        s.x0 += dx, s.x1 += dx, s.y0 += dy, s.y1 += dy, s.z0 += dz, s.z1 += dz;
        return s;
    }
    /// The sums in voxel indices. @param at their place
    template <class Wide>
    [[gnu::always_inline]] Sums<Wide> at(const Place& at) const {
        const Wide X = at.x, Y = at.y, Z = at.z;
        const auto wide = [](std::int32_t sum) { return Wide(std::int64_t(sum)); };  // negative ones wrap, and so does what adds them
        Sums<Wide> s;
        const Wide sx = X * wide(n) + wide(x), sy = Y * wide(n) + wide(y), sz = Z * wide(n) + wide(z);
        s.n = std::uint64_t(n), s.x = std::uint64_t(sx), s.y = std::uint64_t(sy), s.z = std::uint64_t(sz);
        s.xx = X * (sx + wide(x)) + wide(xx), s.yy = Y * (sy + wide(y)) + wide(yy), s.zz = Z * (sz + wide(z)) + wide(zz);
        s.xy = Y * sx + X * wide(y) + wide(xy), s.xz = Z * sx + X * wide(z) + wide(xz), s.yz = Z * sy + Y * wide(z) + wide(yz);
        s.x0 = at.x + std::uint32_t(x0), s.y0 = at.y + std::uint32_t(y0), s.z0 = at.z + std::uint32_t(z0);
        s.x1 = at.x + std::uint32_t(x1), s.y1 = at.y + std::uint32_t(y1), s.z1 = at.z + std::uint32_t(z1);
        return s;
    }
};

/// One component, small or full; nothing until it is added to.
template <class Wide>
class CompactRow {
public:
    /// For memory that is not initialised.
    void clear() { n_ = 0; }
    std::uint64_t voxels() const { return n_ == is_full ? full()->n : n_; }
    Sums<Wide> sums() const { return n_ == is_full ? *full() : n_ == 0 ? Sums<Wide>() : near_sums().template at<Wide>(place()); }

    /// @param full where full sums are kept: they stay where they are while others are appended
    [[gnu::always_inline]] void add(const NearSums& part, const Place& at, std::deque<Sums<Wide>>& full) {
        if (n_ == is_full) return this->full()->add(part.at<Wide>(at));
        if (n_ == 0) {
            if (at.x < end_x && at.y < end_y && at.z < end_z && fits(part)) {
                place_ = at.x | std::uint64_t(at.y) << bits_x | std::uint64_t(at.z) << (bits_x + bits_y);
                return store(part);
            }
        } else {
            const Place p = place();
            const auto dx = std::int64_t(at.x) - p.x, dy = std::int64_t(at.y) - p.y, dz = std::int64_t(at.z) - p.z;
            if (is_near(dx) && is_near(dy) && is_near(dz)) {
                NearSums all = near_sums();
                const NearSums moved = part.seen_from(std::int32_t(dx), std::int32_t(dy), std::int32_t(dz));
                all.n += moved.n, all.x += moved.x, all.y += moved.y, all.z += moved.z;
                all.xx += moved.xx, all.yy += moved.yy, all.zz += moved.zz, all.xy += moved.xy, all.xz += moved.xz, all.yz += moved.yz;
                all.x0 = std::min(all.x0, moved.x0), all.y0 = std::min(all.y0, moved.y0), all.z0 = std::min(all.z0, moved.z0);
                all.x1 = std::max(all.x1, moved.x1), all.y1 = std::max(all.y1, moved.y1), all.z1 = std::max(all.z1, moved.z1);
                if (fits(all)) return store(all);
            }
        }
        become_full(full).add(part.at<Wide>(at));
    }
    [[gnu::always_inline]] void add(const Sums<Wide>& part, std::deque<Sums<Wide>>& full) {
        if (n_ == is_full) this->full()->add(part);
        else add_to_few(part, full);
    }

private:
    static constexpr int bits_x = 24, bits_y = 20;
    static constexpr std::uint32_t end_x = 1u << bits_x, end_y = 1u << bits_y, end_z = 1u << (64 - bits_x - bits_y);
    static constexpr std::uint8_t is_full = 255;
    static constexpr std::int32_t first = -16, last = 15, last_z = 15;  // n squares of 16 fit 16 bits
    static_assert(NearSums::most * first * first <= 32767 && NearSums::most < is_full);

    [[gnu::noinline]] void add_to_few(const Sums<Wide>& part, std::deque<Sums<Wide>>& full) {
        if (part.n > NearSums::most || part.x1 - part.x0 > last || part.y1 - part.y0 > last || part.z1 - part.z0 > last_z)
            return become_full(full).add(part);
        const auto moved_moment = [&](Wide ab, std::uint64_t a, std::uint64_t b, Wide a0, Wide b0) {
            return std::int32_t(ab - a0 * b - b0 * a + a0 * b0 * part.n);
        };
        const Wide X = part.x0, Y = part.y0, Z = part.z0;
        NearSums s;
        s.n = std::int32_t(part.n);
        s.x = std::int32_t(part.x - X * part.n), s.y = std::int32_t(part.y - Y * part.n), s.z = std::int32_t(part.z - Z * part.n);
        s.xx = moved_moment(part.xx, part.x, part.x, X, X), s.yy = moved_moment(part.yy, part.y, part.y, Y, Y);
        s.zz = moved_moment(part.zz, part.z, part.z, Z, Z), s.xy = moved_moment(part.xy, part.x, part.y, X, Y);
        s.xz = moved_moment(part.xz, part.x, part.z, X, Z), s.yz = moved_moment(part.yz, part.y, part.z, Y, Z);
        s.x1 = std::int32_t(part.x1 - part.x0), s.y1 = std::int32_t(part.y1 - part.y0), s.z1 = std::int32_t(part.z1 - part.z0);
        add(s, {part.x0, part.y0, part.z0}, full);
    }

    static bool is_near(std::int64_t d) { return std::uint64_t(d + NearSums::far) <= 2 * NearSums::far; }
    static bool fits(const NearSums& s) {
        return s.n <= NearSums::most && std::min(s.x0, s.y0) >= first && std::max(s.x1, s.y1) <= last && s.z0 >= 0 && s.z1 <= last_z;
    }
    Place place() const {
        return {std::uint32_t(place_) & (end_x - 1), std::uint32_t(place_ >> bits_x) & (end_y - 1),
                std::uint32_t(place_ >> (bits_x + bits_y))};
    }
    Sums<Wide>* full() const { return std::bit_cast<Sums<Wide>*>(place_); }
    Sums<Wide>& become_full(std::deque<Sums<Wide>>& full) {
        full.push_back(sums());
        place_ = std::bit_cast<std::uint64_t>(&full.back());
        n_ = is_full;
        return full.back();
    }
    NearSums near_sums() const { return {n_, x_, y_, z_, xx_, yy_, zz_, xy_, xz_, yz_, x0_, y0_, ends_z_ & 15, x1_, y1_, ends_z_ >> 4}; }
    void store(const NearSums& s) {
        n_ = std::uint8_t(s.n);
        x_ = std::int16_t(s.x), y_ = std::int16_t(s.y), z_ = std::int16_t(s.z);
        xx_ = std::int16_t(s.xx), yy_ = std::int16_t(s.yy), zz_ = std::int16_t(s.zz);
        xy_ = std::int16_t(s.xy), xz_ = std::int16_t(s.xz), yz_ = std::int16_t(s.yz);
        x0_ = std::int8_t(s.x0), x1_ = std::int8_t(s.x1), y0_ = std::int8_t(s.y0), y1_ = std::int8_t(s.y1);
        ends_z_ = std::uint8_t(s.z0 | s.z1 << 4);
    }

    std::uint64_t place_ = 0;  // or the address of the full sums
    std::int16_t x_ = 0, y_ = 0, z_ = 0, xx_ = 0, yy_ = 0, zz_ = 0, xy_ = 0, xz_ = 0, yz_ = 0;
    std::int8_t x0_ = 0, x1_ = 0, y0_ = 0, y1_ = 0;
    std::uint8_t ends_z_ = 0, n_ = 0;
};

/// The sums of all components, by row. Writers add at the same time, each to components of its own.
template <class Wide>
class CompactSums {
public:
    CompactSums() = default;
    /// @throw Error out_of_memory
    CompactSums(std::size_t components, std::size_t writers) : size_(components), rows_(std::bit_ceil(components)), full_(writers) {}
    std::size_t size() const { return size_; }
    std::uint64_t voxels(std::size_t row) const { return rows_[row].voxels(); }
    Sums<Wide> operator[](std::size_t row) const { return rows_[row].sums(); }

    /// Adds to the components from `first` on, all of which it meets.
    class Writer {
    public:
        Writer(CompactSums& table, std::size_t number, std::size_t first)
            : rows_(table.rows_.data()), full_(table.full_[number]), met_(first) {}
        /// @param part Sums<Wide>, or NearSums and their Place
        template <class... Part>
        [[gnu::always_inline]] void add(std::size_t row, const Part&... part) {
            while (met_ <= row) rows_[met_++].clear();  // here and not in advance, so that the row is near when it is used
            rows_[row].add(part..., full_);
        }

    private:
        CompactRow<Wide>* rows_;
        std::deque<Sums<Wide>>& full_;
        std::size_t met_;
    };
    /// Once no writer writes.
    void add(std::size_t row, const Sums<Wide>& part) { rows_[row].add(part, full_.front()); }

private:
    static_assert(sizeof(CompactRow<Wide>) == 32);
    std::size_t size_ = 0;
    Buffer<CompactRow<Wide>> rows_;  // a power of two, so that memory kept from one volume fits the next
    std::vector<std::deque<Sums<Wide>>> full_;
};

}  // namespace voxcc
