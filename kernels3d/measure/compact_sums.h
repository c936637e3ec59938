// A table of the sums of many components, with 32 bytes per component: most components are small, and small sums fit small integers.
//
// A row contains a place, and sums relative to the place while the component is small and all its voxels are near. Larger components have
// full sums, which are stored outside the row. The size of the table limits the speed: the first access to the memory of a million rows
// takes more time than adding up their voxels.
#pragma once
#include "kernels3d/base/buffer.h"
#include "kernels3d/simd/near_sums.h"

#include <bit>
#include <deque>
#include <vector>

namespace voxcc {

/// The sums of one component, small or full. A row is empty until the first addition.
template <class Wide>
class CompactRow {
public:
    /// Empties a row. Memory that is not initialised must be cleared before the first use.
    void clear() { n_ = 0; }
    std::uint64_t voxels() const { return n_ == is_full ? full()->n : n_; }
    Sums<Wide> sums() const { return n_ == is_full ? *full() : n_ == 0 ? Sums<Wide>() : near_sums().template at<Wide>(place()); }

    /// @param full storage of full sums; its elements keep their addresses while others are appended
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
                all.add(part.seen_from(std::int32_t(dx), std::int32_t(dy), std::int32_t(dz)));
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
    static constexpr std::int32_t first = -16, last = 15, last_z = 15;  // `most` squares of 16 fit 16 bits
    static_assert(NearSums::most * first * first <= 32767 && NearSums::most < is_full);

    [[gnu::noinline]] void add_to_few(const Sums<Wide>& part, std::deque<Sums<Wide>>& full) {
        if (part.n > NearSums::most || part.x1 - part.x0 > last || part.y1 - part.y0 > last || part.z1 - part.z0 > last_z)
            return become_full(full).add(part);
        add(NearSums::near_corner(part), {part.x0, part.y0, part.z0}, full);
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
    NearSums near_sums() const { return {{n_, x_, y_, z_, xx_, yy_, zz_, xy_, xz_, yz_}, x0_, y0_, ends_z_ & 15, x1_, y1_, ends_z_ >> 4}; }
    void store(const NearSums& s) {
        n_ = std::uint8_t(s.n);
        x_ = std::int16_t(s.x), y_ = std::int16_t(s.y), z_ = std::int16_t(s.z);
        xx_ = std::int16_t(s.xx), yy_ = std::int16_t(s.yy), zz_ = std::int16_t(s.zz);
        xy_ = std::int16_t(s.xy), xz_ = std::int16_t(s.xz), yz_ = std::int16_t(s.yz);
        x0_ = std::int8_t(s.x0), x1_ = std::int8_t(s.x1), y0_ = std::int8_t(s.y0), y1_ = std::int8_t(s.y1);
        ends_z_ = std::uint8_t(s.z0 | s.z1 << 4);
    }

    std::uint64_t place_ = 0;  // the packed place, or the address of the full sums
    std::int16_t x_ = 0, y_ = 0, z_ = 0, xx_ = 0, yy_ = 0, zz_ = 0, xy_ = 0, xz_ = 0, yz_ = 0;
    std::int8_t x0_ = 0, x1_ = 0, y0_ = 0, y1_ = 0;
    std::uint8_t ends_z_ = 0, n_ = 0;
};

/// The sums of all components, by row. Several writers may add at the same time, each to its own components.
template <class Wide>
class CompactSums {
public:
    CompactSums() = default;
    /// @throw Error out_of_memory
    CompactSums(std::size_t components, std::size_t writers) : size_(components), rows_(std::bit_ceil(components)), full_(writers) {}
    static constexpr std::int64_t bytes_per_row = sizeof(CompactRow<Wide>);
    std::size_t size() const { return size_; }
    std::uint64_t voxels(std::size_t row) const { return rows_[row].voxels(); }
    Sums<Wide> operator[](std::size_t row) const { return rows_[row].sums(); }

    /// Adds to the components from `first` on, in any order. Must add to each of its components: a row is cleared when the writer first
    /// adds to this row or to a later row.
    class Writer {
    public:
        Writer(CompactSums& table, std::size_t number, std::size_t first)
            : rows_(table.rows_.data()), full_(table.full_[number]), met_(first) {}
        /// @param part either Sums<Wide>, or NearSums and their Place
        template <class... Part>
        [[gnu::always_inline]] void add(std::size_t row, const Part&... part) {
            while (met_ <= row) rows_[met_++].clear();  // not earlier, so that the row is still in the cache
            rows_[row].add(part..., full_);
        }
        /// Bytes of full sums that this writer has stored outside the rows.
        std::int64_t full_bytes() const { return std::int64_t(full_.size() * sizeof(Sums<Wide>)); }

    private:
        CompactRow<Wide>* rows_;
        std::deque<Sums<Wide>>& full_;
        std::size_t met_;
    };
    /// Adds to any row. Writers must have finished.
    void add(std::size_t row, const Sums<Wide>& part) { rows_[row].add(part, full_.front()); }

private:
    static_assert(sizeof(CompactRow<Wide>) == 32);
    std::size_t size_ = 0;
    Buffer<CompactRow<Wide>> rows_;  // the number of rows is a power of two, so that the kept memory of one volume often fits the next
    std::vector<std::deque<Sums<Wide>>> full_;
};

}  // namespace voxcc
