#include <voxcc/label.h>

#include <algorithm>
#include <atomic>
#include <bit>

namespace voxcc {
namespace {

/// Marks the components of the rows that have seeds. Rows without seeds are not painted.
template <class Number>
class SeedRows {
public:
    SeedRows(const Painter& labels, const Extent& extent, RowSource& seeds, std::vector<std::uint8_t>& present)
        : labels_(labels), seeds_(seeds), present_(present), numbers_(std::size_t(extent.nx)), bits_(std::size_t(words_of(extent.nx))) {}

    void add(RowRange rows) {
        for (RowRange range{rows.first, 0}; range.first < rows.end(); range.first = range.end()) {
            range.count = std::min(seeds_.rows_per_fetch(), rows.end() - range.first);
            const std::byte* const fetched = seeds_.fetch(range, buffer_);
            for (std::int64_t index = 0; index < range.count; ++index) {
                seeds_.pack(fetched, range, index, bits_.data());
                if (std::ranges::any_of(bits_, [](std::uint64_t word) { return word != 0; })) add_row(range.first + index);
            }
        }
    }

private:
    void add_row(std::int64_t row) {
        labels_.paint({row, 1}, reinterpret_cast<std::byte*>(numbers_.data()), Stores::cached);
        for (std::size_t word = 0; word < bits_.size(); ++word)
            for (std::uint64_t rest = bits_[word]; rest != 0; rest &= rest - 1) {
                const Number number = numbers_[word * 64 + std::size_t(std::countr_zero(rest))];
                if (number != 0) std::atomic_ref(present_[number - 1]).store(1, std::memory_order_relaxed);
            }
    }

    const Painter& labels_;
    RowSource& seeds_;
    std::vector<std::uint8_t>& present_;
    std::vector<Number> numbers_;
    std::vector<std::uint64_t> bits_;
    std::vector<std::byte> buffer_;
};

template <class Number>
std::vector<std::uint8_t> marked(const Painter& labels, std::uint64_t components, const Extent& extent, RowSource& seeds,
                                 ThreadPool& pool) {
    std::vector<std::uint8_t> present(components, 0);
    const std::int64_t rows = extent.rows();
    const std::int64_t parts =
        seeds.access() == RowSource::Access::in_order ? 1 : std::min<std::int64_t>(rows, std::int64_t{4} * pool.size());
    pool.for_each(parts, [&](std::int64_t part) {
        const std::int64_t first = rows * part / parts;
        SeedRows<Number>(labels, extent, seeds, present).add({first, rows * (part + 1) / parts - first});
    });
    return present;
}

}  // namespace

std::vector<std::uint8_t> components_with(const Painter& labels, std::uint64_t components, const Extent& stored, RowSource& seeds,
                                          ThreadPool& pool) {
    const bool is_narrow = labels.type() == ScalarType::u32;
    return is_narrow ? marked<std::uint32_t>(labels, components, stored, seeds, pool)
                     : marked<std::uint64_t>(labels, components, stored, seeds, pool);
}

}  // namespace voxcc
