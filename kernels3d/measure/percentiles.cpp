#include <voxcc/measure.h>

#include "kernels3d/base/order_statistics.h"
#include "kernels3d/measure/stretch.h"

#include <algorithm>
#include <cstring>

namespace voxcc {
namespace {

template <class T>
T load(const std::byte* values, std::size_t index) {
    T value;
    std::memcpy(&value, values + index * sizeof(T), sizeof(T));
    return value;
}

/// The key of a value, with one key for both zeros.
template <class T>
KeyOf<T> key_of(T value) {
    if constexpr (std::is_floating_point_v<T>) return ordered_key(T(value + T(0)));
    else return ordered_key(value);
}

template <class T>
constexpr bool is_wide_integer = std::is_integral_v<T> && sizeof(T) == 8;

[[noreturn]] void changed() { throw Error(ErrorKind::changed_file, "intensity", "the image has changed while it was measured"); }

}  // namespace

/// What Percentiles does, with its arrays.
class Percentiles::Search {
public:
    Search(ScalarType intensity, std::vector<double> percents, std::span<const StoredRange> ranges, const LinearScale& scale,
           std::int64_t bytes);
    bool begin_pass();
    template <class Index>
    void add_row(std::span<const Index> components, std::span<const std::byte> values);
    void end_pass();
    double value(std::uint64_t component, std::size_t percent) const;
    static std::size_t bytes_per_component(std::size_t percents);

private:
    /// An interval of keys (ordered_key()) with at least one order statistic that is wanted.
    struct Cell {
        std::uint64_t component = 0;
        std::uint64_t low = 0, span = 0;     // the interval [low, low + span]
        std::uint64_t below = 0, count = 0;  // number of values of the component below the interval, and in it
        std::size_t offset = 0;              // of its first counter, or of its first collected value
        std::uint64_t collected = 0;         // number of values collected in this pass
        enum class Way : std::uint8_t { none, count, collect } way = Way::none;  // of this pass; none: in a later pass
        int shift = 0;                                                           // 2^shift keys per bin
    };
    /// An order statistic of a component: its 0-based index in the ascending stored values, and its place in found_.
    struct Wanted {
        std::uint64_t index;
        std::size_t place;
    };
    /// In ascending order of the index.
    std::vector<Wanted> wanted_of(std::uint64_t component) const;
    void add_first_cell(std::uint64_t component, const StoredRange& range);
    /// Chooses the ways of the cells, in order, until their counters use up the limit. @param bits of the number of bins per cell
    /// @return the bytes that all cells would need
    std::int64_t plan_cells(int bits);
    template <class T>
    void add_values(Cell& cell, const std::byte* values, std::size_t first, std::size_t end);
    template <class T>
    void end_cell(const Cell& cell, std::vector<Cell>& next);
    std::uint64_t counted(std::size_t counter) const;

    ScalarType type_;
    int value_bytes_;
    std::vector<double> percents_;
    LinearScale scale_;
    std::int64_t limit_;
    std::vector<std::uint64_t> voxels_;    // [component - 1] number of values
    std::vector<double> found_;            // [component - 1][percent][2] the stored values around the percentile
    std::vector<Cell> cells_;              // in ascending order of (component, low)
    std::vector<std::size_t> first_cell_;  // [component - 1] index in cells_; one entry more at the end
    std::vector<std::uint32_t> counters_;
    std::vector<std::size_t> overflows_;    // a counter occurs once for each 2^32 that it has counted
    std::vector<std::uint64_t> collected_;  // bytes of collected values
};

Percentiles::Search::Search(ScalarType intensity, std::vector<double> percents, std::span<const StoredRange> ranges,
                            const LinearScale& scale, std::int64_t bytes)
    : type_(intensity), value_bytes_(int(size_of(intensity))), percents_(std::move(percents)), scale_(scale), limit_(bytes) {
    voxels_.reserve(ranges.size());
    found_.resize(ranges.size() * percents_.size() * 2);
    for (const StoredRange& range : ranges) {
        voxels_.push_back(range.voxels);
        if (range.voxels > 0) add_first_cell(voxels_.size(), range);
    }
}

std::size_t Percentiles::Search::bytes_per_component(std::size_t percents) {
    return percents * 2 * sizeof(double) + sizeof(std::uint64_t) + sizeof(Cell) + sizeof(std::size_t);
}

std::vector<Percentiles::Search::Wanted> Percentiles::Search::wanted_of(std::uint64_t component) const {
    const std::uint64_t n = voxels_[component - 1];
    std::vector<Wanted> wanted;
    std::size_t place = (component - 1) * percents_.size() * 2;
    for (const double percent : percents_) {
        const PercentilePlace at = percentile_place(n, percent);
        for (const std::uint64_t index : {at.index, at.part > 0 ? at.next : at.index})
            wanted.push_back({scale_.slope < 0 ? n - 1 - index : index, place++});
    }
    std::sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) { return a.index < b.index; });
    return wanted;
}

void Percentiles::Search::add_first_cell(std::uint64_t component, const StoredRange& range) {
    Cell cell;
    cell.component = component;
    cell.count = range.voxels;
    bool is_known = true;
    for (const Wanted& wanted : wanted_of(component)) {
        if (wanted.index == 0) found_[wanted.place] = range.least;
        else if (wanted.index == range.voxels - 1 || range.least == range.largest) found_[wanted.place] = range.largest;
        else is_known = false;
    }
    visit_scalar(type_, [&]<class T>(std::type_identity<T>) {
        if constexpr (is_wide_integer<T>) {  // the range is rounded
            cell.span = ~std::uint64_t{0}, is_known = false;
        } else {
            cell.low = key_of(T(range.least));
            cell.span = key_of(T(range.largest)) - cell.low;
        }
    });
    if (!is_known) cells_.push_back(cell);
}

std::int64_t Percentiles::Search::plan_cells(int bits) {
    std::int64_t all = 0, used = 0;
    bool is_full = false;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
        Cell& cell = cells_[i];
        cell.shift = 0;
        while (cell.span >> cell.shift >> bits != 0) ++cell.shift;
        const std::int64_t counter_bytes = std::int64_t((cell.span >> cell.shift) + 1) * std::int64_t(sizeof(counters_[0]));
        const bool is_small = cell.count <= std::uint64_t(counter_bytes / value_bytes_);
        const std::int64_t bytes = is_small ? std::int64_t(cell.count) * value_bytes_ : counter_bytes;
        all += bytes;
        // All cells of a component are in the same pass.
        if (i == 0 || cells_[i - 1].component != cell.component) is_full = is_full || (used > 0 && used + bytes > limit_);
        if (!is_full) used += bytes;
        cell.way = is_full ? Cell::Way::none : is_small ? Cell::Way::collect : Cell::Way::count;
    }
    return all;
}

bool Percentiles::Search::begin_pass() {
    if (cells_.empty()) return false;
    for (const int bits : {16, 12, 8})
        if (plan_cells(bits) <= limit_) break;
    std::size_t counters = 0, words = 0;
    for (Cell& cell : cells_) {
        cell.collected = 0;
        if (cell.way == Cell::Way::count) {
            cell.offset = counters;
            counters += (cell.span >> cell.shift) + 1;
        } else if (cell.way == Cell::Way::collect) {
            cell.offset = words;
            words += (cell.count * std::size_t(value_bytes_) + 7) / 8;
        }
    }
    counters_.assign(counters, 0);
    collected_.assign(words, 0);
    overflows_.clear();
    first_cell_.assign(voxels_.size() + 1, 0);
    for (const Cell& cell : cells_) ++first_cell_[cell.component];
    for (std::size_t k = 1; k < first_cell_.size(); ++k) first_cell_[k] += first_cell_[k - 1];
    return true;
}

template <class T>
void Percentiles::Search::add_values(Cell& cell, const std::byte* values, std::size_t first, std::size_t end) {
    using Key = KeyOf<T>;
    const Key low = Key(cell.low), span = Key(cell.span);
    const auto add = [&](const auto& take) {
        for (std::size_t x = first; x < end; ++x) {
            const T value = load<T>(values, x);
            if constexpr (std::is_floating_point_v<T>)
                if (value != value) continue;
            const Key above = Key(key_of(value) - low);
            if (above <= span) take(value, above);
        }
    };
    if (cell.way == Cell::Way::collect) {
        T* const to = reinterpret_cast<T*>(collected_.data() + cell.offset);
        add([&](T value, Key) {
            if (cell.collected == cell.count) changed();
            to[cell.collected++] = value;
        });
    } else {
        std::uint32_t* const counters = counters_.data() + cell.offset;
        const int shift = cell.shift;
        if (cell.count >> 32 == 0 && shift == 0) return add([&](T, Key above) { ++counters[above]; });
        if (cell.count >> 32 == 0) return add([&](T, Key above) { ++counters[above >> shift]; });
        add([&](T, Key above) {
            if (++counters[above >> shift] == 0) overflows_.push_back(cell.offset + (above >> shift));
        });
    }
}

template <class Index>
void Percentiles::Search::add_row(std::span<const Index> components, std::span<const std::byte> values) {
    visit_scalar(type_, [&]<class T>(std::type_identity<T>) {
        for_each_part(components, [&](std::size_t begin, std::span<const Index> part) {
            Stretches(default_isa(), part).for_each([&](std::size_t first, std::size_t end) {
                const Index component = part[first];
                if (component == 0 || component > voxels_.size()) return;
                for (std::size_t cell = first_cell_[component - 1]; cell < first_cell_[component]; ++cell)
                    if (cells_[cell].way != Cell::Way::none) add_values<T>(cells_[cell], values.data(), begin + first, begin + end);
            });
        });
    });
}

std::uint64_t Percentiles::Search::counted(std::size_t counter) const {
    std::uint64_t count = counters_[counter];
    if (!overflows_.empty()) count += std::uint64_t(std::count(overflows_.begin(), overflows_.end(), counter)) << 32;
    return count;
}

template <class T>
void Percentiles::Search::end_cell(const Cell& cell, std::vector<Cell>& next) {
    std::size_t bin = 0;
    std::uint64_t below = cell.below;  // number of values below the bin
    T* const values = reinterpret_cast<T*>(collected_.data() + cell.offset);
    std::uint64_t sorted = 0;
    if (cell.way == Cell::Way::collect && cell.collected != cell.count) changed();
    for (const Wanted& wanted : wanted_of(cell.component)) {
        if (wanted.index < cell.below || wanted.index >= cell.below + cell.count) continue;
        if (cell.way == Cell::Way::collect) {
            const std::uint64_t at = wanted.index - cell.below;
            if (at >= sorted) std::nth_element(values + sorted, values + at, values + cell.count), sorted = at;
            found_[wanted.place] = double(values[at]);
            continue;
        }
        while (wanted.index >= below + counted(cell.offset + bin)) {
            below += counted(cell.offset + bin++);
            if (bin > cell.span >> cell.shift) changed();
        }
        const std::uint64_t low = cell.low + (std::uint64_t(bin) << cell.shift);
        if (cell.shift == 0) {
            found_[wanted.place] = double(value_of_key<T>(KeyOf<T>(low)));
        } else if (next.empty() || next.back().component != cell.component || next.back().low != low) {
            const std::uint64_t width = (std::uint64_t{1} << cell.shift) - 1;
            next.push_back({cell.component, low, std::min(width, cell.low + cell.span - low), below, counted(cell.offset + bin)});
        }
    }
}

void Percentiles::Search::end_pass() {
    std::vector<Cell> next;
    visit_scalar(type_, [&]<class T>(std::type_identity<T>) {
        for (const Cell& cell : cells_)
            if (cell.way == Cell::Way::none) next.push_back(cell);
            else end_cell<T>(cell, next);
    });
    cells_ = std::move(next);
}

double Percentiles::Search::value(std::uint64_t component, std::size_t percent) const {
    if (component > voxels_.size() || voxels_[component - 1] == 0) return IntensityProperties::none;
    const std::size_t place = ((component - 1) * percents_.size() + percent) * 2;
    const auto scaled = [&](double stored) { return stored * scale_.slope + scale_.intercept; };
    const double low = scaled(found_[place]), high = scaled(found_[place + 1]);
    return interpolated(low, high, high - low, percentile_place(voxels_[component - 1], percents_[percent]).part);
}

Percentiles::Percentiles(ScalarType intensity, std::vector<double> percents, std::span<const StoredRange> ranges, const LinearScale& scale,
                         std::int64_t bytes)
    : search_(std::make_unique<Search>(intensity, std::move(percents), ranges, scale, bytes)) {}
Percentiles::Percentiles(Percentiles&&) noexcept = default;
Percentiles::~Percentiles() = default;

bool Percentiles::begin_pass() { return search_->begin_pass(); }
void Percentiles::end_pass() { search_->end_pass(); }
double Percentiles::value(std::uint64_t component, std::size_t percent) const { return search_->value(component, percent); }
std::size_t Percentiles::bytes_per_component(std::size_t percents) { return Search::bytes_per_component(percents); }

template <class Index>
void Percentiles::add_row(std::span<const Index> components, std::span<const std::byte> values) {
    search_->add_row(components, values);
}
template void Percentiles::add_row(std::span<const std::uint32_t>, std::span<const std::byte>);
template void Percentiles::add_row(std::span<const std::uint64_t>, std::span<const std::byte>);

}  // namespace voxcc
