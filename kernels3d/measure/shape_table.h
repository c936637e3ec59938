// The table of the counts of all components.
#pragma once
#include <voxcc/shape.h>

#include <atomic>
#include <variant>

namespace voxcc {

/// Whether several threads add to a table at the same time.
enum class Writers : std::uint8_t { one, several };

/// @tparam Count type of the counts; they are added modulo 2^bits
template <class Count>
class ShapeCountTable {
public:
    static constexpr std::size_t per_component = 14;  // the pairs, then the Euler number
    static constexpr std::size_t bytes_per_component = per_component * sizeof(Count);
    std::size_t size() const { return counts_.size() / per_component; }
    void resize(std::size_t components) { counts_.resize(components * per_component); }

    void add(std::size_t row, const ShapeCounts& counts, Writers writers) {
        Count* const to = counts_.data() + row * per_component;
        if (writers == Writers::one) {
            for (std::size_t d = 0; d < 13; ++d) to[d] += Count(counts.pairs[d]);
            to[13] += Count(counts.euler);
            return;
        }
        const auto add_one = [](Count& sum, Count part) {
            if (part != 0) std::atomic_ref<Count>(sum).fetch_add(part, std::memory_order_relaxed);
        };
        for (std::size_t d = 0; d < 13; ++d) add_one(to[d], Count(counts.pairs[d]));
        add_one(to[13], Count(counts.euler));
    }

    ShapeCounts operator[](std::size_t row) const {
        const Count* const from = counts_.data() + row * per_component;
        ShapeCounts counts;
        std::copy_n(from, 13, counts.pairs.begin());
        counts.euler = std::int64_t(std::make_signed_t<Count>(from[13]));
        return counts;
    }

private:
    std::vector<Count> counts_;
};

/// Whether 32 bits hold the counts of every component of a volume. The size of an Euler number is at most 4 times the number of voxels.
constexpr bool narrow_counts_fit(const Extent& e) { return e.voxels() < std::int64_t{1} << 29; }

class ShapeTable::Rows {
public:
    explicit Rows(const ShapeRequest& request) : bytes_per_component_(bytes_per_component(request)), memory_(request.memory) {
        if (!narrow_counts_fit(request.extent)) counts.emplace<1>();
        has_feret_ = bytes_per_component_ > std::int64_t(std::visit([](const auto& t) { return t.bytes_per_component; }, counts));
    }
    std::size_t size() const {
        return std::visit([](const auto& table) { return table.size(); }, counts);
    }
    /// Makes room for at least `count` components. @throw MemoryLimitReached
    void reserve(std::size_t count) {
        if (count <= size()) return;
        memory_.take(std::int64_t(count - size()) * bytes_per_component_);
        std::visit([&](auto& table) { table.resize(count); }, counts);
        if (has_feret_) feret_mm.resize(count);
    }

    std::variant<ShapeCountTable<std::uint32_t>, ShapeCountTable<std::uint64_t>> counts;
    std::vector<double> feret_mm;  // empty if it is not computed

private:
    std::int64_t bytes_per_component_;
    TakenMemory memory_;
    bool has_feret_ = false;
};

}  // namespace voxcc
