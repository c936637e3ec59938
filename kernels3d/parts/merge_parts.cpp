// Joins the components of all parts, and numbers them.
//
//   read     the components on faces, and the rows in which they begin
//   unite    components that touch across faces: union-find over the components on faces; with periodic axes with shifts
//   totals   sums of joined components, unwrapped; which of them the criteria drop
//   number   layer by layer along z, from the counts per row
//   rank     ranks all components by size, outside of memory: only to keep the largest or to number by size (size_ranks.h)
#include <voxcc/parts.h>
#include "kernels3d/base/pieces.h"
#include "kernels3d/base/union_shifted.h"
#include "kernels3d/parts/joined_faces.h"
#include "kernels3d/parts/size_ranks.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace voxcc::parts {
namespace {

using Id = std::uint64_t;  // of a component on a face: an index over all parts

[[noreturn]] void fail(std::int64_t part, const std::string& cause) {
    throw Error(ErrorKind::corrupt_file, "part " + std::to_string(part), cause);
}

class Merger {
public:
    Merger(const Rules& rules, PartStates& states, Scratch& scratch)
        : rules_(rules), states_(states), ranks_(scratch, rules.grid.parts()) {}

    Merged merge(const std::function<void(std::int64_t, const PartNumbers&)>& put) {
        read();
        unite_all();
        find_first();
        add_sums();
        const Criteria& criteria = rules_.criteria;
        const auto put_each = [&](std::int64_t part, const PartNumbers& numbers, const auto&) { put(part, numbers); };
        if (!criteria.keep_largest && criteria.numbering == Numbering::by_first_voxel) return {number_all(put_each)};
        const std::uint64_t most = criteria.keep_largest.value_or(none), components = rank_all();
        apply_ranks(most);
        if (criteria.numbering == Numbering::by_first_voxel) return {number_all(put_each)};
        for (std::int64_t part = 0; part < parts(); ++part) put(part, numbered_by_size(part));
        return {std::min(components, most)};
    }

private:
    using Use = std::function<void(std::int64_t, const PartNumbers&, const std::vector<std::uint32_t>& row_counts)>;

    std::int64_t parts() const { return rules_.grid.parts(); }

    std::vector<std::uint32_t> row_counts(std::int64_t part) {
        std::vector<std::uint32_t> counts = states_.row_counts(part);
        if (std::int64_t(counts.size()) != rules_.grid.box(part).extent().rows()) fail(part, "has another number of rows than the plan");
        return counts;
    }

    void read() {
        for (std::int64_t part = 0; part < parts(); ++part) {
            first_id_.push_back(numbers_.size());
            const FaceComponents components = states_.face_components(part);
            const std::vector<std::uint32_t> counts = row_counts(part);
            std::uint64_t end = 0;  // the largest number that begins in this row or before
            std::size_t row = 0;
            std::uint32_t before = 0;
            for (const std::uint32_t number : components.numbers) {
                if (number <= before) fail(part, "has components on faces that are not in order");
                before = number;
                for (; row < counts.size() && end + counts[row] < number; ++row) end += counts[row];
                if (row == counts.size()) fail(part, "has a component that begins in no row");
                row_.push_back(volume_row(part, row));
            }
            numbers_.insert(numbers_.end(), components.numbers.begin(), components.numbers.end());
            if (rules_.rule == Rule::equal_values && components.values.size() != components.numbers.size())
                fail(part, "has components without values");
            values_.insert(values_.end(), components.values.begin(), components.values.end());
        }
        first_id_.push_back(numbers_.size());
    }

    /// @param row of the part
    std::uint64_t volume_row(std::int64_t part, std::size_t row) const {
        const Box box = rules_.grid.box(part);
        const std::int64_t y = std::int64_t(row) % box.count[1], z = std::int64_t(row) / box.count[1];
        return std::uint64_t((box.first[2] + z) * rules_.grid.volume().ny + box.first[1] + y);
    }

    /// The id of a component of a part; empty if it is on no face.
    std::optional<Id> find_id(std::int64_t part, std::uint32_t number) const {
        const auto first = numbers_.begin() + std::ptrdiff_t(first_id_[std::size_t(part)]);
        const auto end = numbers_.begin() + std::ptrdiff_t(first_id_[std::size_t(part) + 1]);
        const auto at = std::lower_bound(first, end, number);
        if (at == end || *at != number) return {};
        return Id(at - numbers_.begin());
    }

    Id id_of(std::int64_t part, std::uint32_t number) const {
        const std::optional<Id> id = find_id(part, number);
        if (!id) fail(part, "has a number on a face that is not a component on a face");
        return *id;
    }

    void unite_all() {
        if (rules_.periodic.any()) return unite_with_shifts();
        PieceSets sets(numbers_.size());
        for_each_pair([&](Id a, Id b, const Step&) { sets.join(a, b); });
        parent_ = std::move(sets).roots();
    }

    void unite_with_shifts() {
        ShiftedSets sets(numbers_.size());
        for_each_pair([&](Id a, Id b, const Step& ends_crossed) { sets.join(a, b, ends_crossed); });
        ShiftedSets::Unwrapped unwrapped = std::move(sets).unwrap();
        parent_.assign(unwrapped.root.begin(), unwrapped.root.end());
        shift_ = std::move(unwrapped.shift);
        wraps_ = std::move(unwrapped.wraps);
    }

    /// Calls use(piece, piece, ends of the volume between them) for pieces that are connected across faces.
    template <class Use>
    void for_each_pair(const Use& use) {
        FaceCache faces(states_);
        const std::vector<Step> steps = forward_steps();
        for (std::int64_t part = 0; part < parts(); ++part)
            for (const Step& step : steps) {
                const auto neighbour = rules_.grid.neighbour(part, step, rules_.periodic);
                if (!neighbour) continue;
                const Step ends_crossed = rules_.grid.ends_crossed(part, step);
                for_each_touching(rules_, faces, part, *neighbour, step, [&](const Touching& touching) {
                    const Id a = id_of(part, touching.here), b = id_of(*neighbour, touching.there);
                    if (values_.empty() || values_[a] == values_[b]) use(a, b, ends_crossed);
                });
            }
    }

    AxisSet wraps_of(Id root) const { return wraps_.empty() ? AxisSet{} : wraps_[root]; }
    /// The voxels by which a piece is moved to unwrap its component.
    std::array<std::int64_t, 3> moved_by(Id id) const {
        return shift_.empty() ? std::array<std::int64_t, 3>{} : voxels_of(shift_[id], rules_.grid.volume());
    }

    /// Finds the piece of each set that has the first voxel of the component.
    void find_first() {
        first_.resize(numbers_.size());
        std::vector<std::uint32_t> column;  // of the part of a piece, along x
        column.reserve(numbers_.size());
        for (std::int64_t part = 0; part < parts(); ++part)
            column.resize(first_id_[std::size_t(part) + 1], std::uint32_t(rules_.grid.place(part)[0]));
        const auto place = [&](Id id) { return std::tuple(row_[id], column[id], numbers_[id]); };
        for (Id id = 0; id < first_.size(); ++id) {
            Id& first = first_[parent_[id]];
            if (parent_[id] == id || place(id) < place(first)) first = id;
        }
        row_ = {};
    }

    bool begins(Id id) const { return first_[parent_[id]] == id; }

    /// The number of the component of a piece; 0 if it is dropped.
    std::uint64_t number_of(Id id) const { return number_[first_[parent_[id]]]; }

    /// Adds the sums of the pieces of joined components. Finds the components on faces that are dropped.
    void add_sums() {
        std::vector<bool> is_joined(numbers_.size());  // by root
        for (Id id = 0; id < parent_.size(); ++id)
            if (parent_[id] != id || wraps_of(id).any()) is_joined[parent_[id]] = true;
        total_of_.assign(numbers_.size(), none);
        for (Id id = 0, next = 0; id < parent_.size(); ++id)
            if (is_joined[id]) total_of_[id] = next++, totals_.emplace_back();
        dropped_.resize(numbers_.size());
        for (std::int64_t part = 0; part < parts(); ++part) {
            const FaceComponents components = states_.face_components(part);
            const Id first = first_id_[std::size_t(part)];
            if (components.sums.size() != first_id_[std::size_t(part) + 1] - first) fail(part, "has changed during the merge");
            for (std::size_t i = 0; i < components.sums.size(); ++i) {
                const Id root = parent_[first + i];
                const WideSums sums = moved(components.sums[i], rules_.grid.box(part).first);
                if (total_of_[root] != none) totals_[total_of_[root]].add(moved(sums, moved_by(first + i)));
                else dropped_[root] = is_dropped(sums);
            }
            add_intensities(part);
        }
        for (Id id = 0; id < parent_.size(); ++id)
            if (total_of_[id] != none) dropped_[id] = is_dropped(totals_[total_of_[id]]);
    }

    /// Adds the intensities of the pieces of joined components.
    void add_intensities(std::int64_t part) {
        const std::vector<IntensitySums> images = states_.face_intensities(part);
        const Id first = first_id_[std::size_t(part)], count = first_id_[std::size_t(part) + 1] - first;
        for (Id i = 0; i < count; ++i)
            if (const Id total = total_of_[parent_[first + i]]; total != none)
                add_component(intensities_, total + 1, images, i + 1, moved_by(first + i));
    }

    bool is_dropped(const WideSums& sums) const {
        const Criteria& criteria = rules_.criteria;
        return sums.n < criteria.min_voxels || sums.n > criteria.max_voxels ||
               (criteria.border == Criteria::Border::clear && touches_border(sums, rules_.border));
    }

    /// Numbers all components by first voxel. @return their number
    std::uint64_t number_all(const Use& use) {
        number_.assign(numbers_.size(), 0);
        const auto counts = rules_.grid.counts();
        std::uint64_t before = 0;
        for (std::int64_t z = 0; z < counts[2]; ++z) before = number_layer(z * counts[0] * counts[1], before, use);
        return before;
    }

    /// Numbers the components that begin in one layer of parts along z.
    /// @param first the first part of the layer. @param before number of components that begin in earlier layers
    /// @return the number of components that begin in this layer or before
    std::uint64_t number_layer(std::int64_t first, std::uint64_t before, const Use& use) {
        const auto counts = rules_.grid.counts();
        const std::int64_t layer = counts[0] * counts[1];
        std::vector<std::vector<std::uint32_t>> rows, begin;  // counts of the parts; without components that do not begin there
        std::vector<PartNumbers> numbers(static_cast<std::size_t>(layer));
        for (std::int64_t i = 0; i < layer; ++i) {
            rows.push_back(row_counts(first + i));
            begin.push_back(rows.back());
            list(first + i, numbers[std::size_t(i)], begin.back());
            numbers[std::size_t(i)].before_row.resize(begin.back().size());
        }
        const std::int64_t slices = rules_.grid.box(first).count[2];
        for (std::int64_t z = 0; z < slices; ++z)
            for (std::int64_t by = 0; by < counts[1]; ++by) {
                const std::int64_t ny = rules_.grid.box(first + by * counts[0]).count[1];
                for (std::int64_t y = 0; y < ny; ++y)
                    for (std::int64_t bx = 0; bx < counts[0]; ++bx) {
                        const auto part = std::size_t(by * counts[0] + bx), row = std::size_t(z * ny + y);
                        numbers[part].before_row[row] = before;
                        before += begin[part][row];
                    }
            }
        for (std::int64_t i = 0; i < layer; ++i) {
            const std::vector<std::uint64_t> known = numbers_of_part(numbers[std::size_t(i)], rows[std::size_t(i)]);
            for (Id id = first_id_[std::size_t(first + i)]; id < first_id_[std::size_t(first + i) + 1]; ++id)
                if (begins(id) && !dropped_[parent_[id]]) number_[id] = known[numbers_[id] - 1];
        }
        for (std::int64_t i = 0; i < layer; ++i) {
            PartNumbers& of_part = numbers[std::size_t(i)];
            for (std::size_t k = 0; k < of_part.listed.size(); ++k)
                if (const std::optional<Id> id = find_id(first + i, of_part.listed[k])) of_part.becomes[k] = number_of(*id);
            use(first + i, of_part, rows[std::size_t(i)]);
        }
        return before;
    }

    /// Lists the components of a part that do not begin in it or are dropped, and takes them off the counts of their rows. Lists the sums
    /// of joined components.
    void list(std::int64_t part, PartNumbers& numbers, std::vector<std::uint32_t>& counts) const {
        std::uint64_t end = 0;
        std::size_t row = 0;
        std::vector<std::uint32_t> off(counts.size());
        const auto take_off = [&](std::uint32_t number) {
            for (; end + counts[row] < number; ++row) end += counts[row];
            numbers.listed.push_back(number);
            numbers.becomes.push_back(0);
            numbers.begins.push_back(0);
            ++off[row];
        };
        const std::vector<std::uint32_t> small = dropped_inside(part);
        auto next_small = small.begin();
        for (Id id = first_id_[std::size_t(part)]; id < first_id_[std::size_t(part) + 1]; ++id) {
            for (; next_small != small.end() && *next_small < numbers_[id]; ++next_small) take_off(*next_small);
            const Id root = parent_[id];
            if (!shift_.empty() && shift_[id] != Shift{} && !dropped_[root]) {
                numbers.moved.push_back(numbers_[id]);
                numbers.shifts.push_back(shift_[id]);
            }
            if (!begins(id) || dropped_[root]) {
                take_off(numbers_[id]);
                continue;
            }
            if (total_of_[root] == none) continue;
            numbers.joined.push_back(numbers_[id]);
            numbers.totals.push_back(totals_[total_of_[root]]);
            numbers.wraps.push_back(wraps_of(root));
            add_component(numbers.intensities, numbers.joined.size(), intensities_, total_of_[root] + 1);
        }
        for (; next_small != small.end(); ++next_small) take_off(*next_small);
        for (std::size_t r = 0; r < counts.size(); ++r) counts[r] -= off[r];
    }

    /// Ranks all components by size. @return their number
    std::uint64_t rank_all() {
        number_all([&](std::int64_t part, const PartNumbers& numbers, const std::vector<std::uint32_t>& rows) {
            const std::vector<std::uint64_t> known = numbers_of_part(numbers, rows), sizes = states_.sizes(part);
            if (sizes.size() != known.size()) fail(part, "has another number of sizes than of components");
            std::vector<SizeRanks::Component> begun;
            begun.reserve(known.size());
            std::size_t listed = 0, joined = 0;
            for (std::size_t row = 0; row < known.size(); ++row) {
                const bool is_joined = joined < numbers.joined.size() && numbers.joined[joined] == row + 1;
                if (listed < numbers.listed.size() && numbers.listed[listed] == row + 1) ++listed;
                else begun.push_back({is_joined ? numbers.totals[joined].n : sizes[row], known[row], row + 1});
                joined += is_joined;
            }
            ranks_.add(part, std::move(begun));
        });
        return ranks_.rank();
    }

    /// Drops all components after the first ones in the order of ranks. Sets the numbers of components on faces to their ranks.
    void apply_ranks(std::uint64_t most) {
        most_ranked_ = most;
        for (std::int64_t part = 0; part < parts(); ++part)
            for (const auto& [in_part, rank] : ranks_.of(part)) {
                const std::optional<Id> id = find_id(part, in_part);
                if (!id) continue;
                if (rank > most) dropped_[parent_[*id]] = true;
                number_[*id] = rank > most ? 0 : rank;
            }
    }

    /// The components of a part that are on no face, and that are not among the largest. Ascending.
    std::vector<std::uint32_t> dropped_inside(std::int64_t part) const {
        std::vector<std::uint32_t> dropped;
        if (most_ranked_ == none) return dropped;
        for (const auto& [in_part, rank] : ranks_.of(part))
            if (rank > most_ranked_ && !find_id(part, in_part)) dropped.push_back(in_part);
        return dropped;
    }

    /// The numbers of a part whose components are numbered by their ranks: all are listed.
    PartNumbers numbered_by_size(std::int64_t part) {
        std::vector<std::uint32_t> counts = row_counts(part);
        PartNumbers all;
        all.before_row.resize(counts.size());
        const std::uint64_t components = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
        all.listed.resize(static_cast<std::size_t>(components));
        std::iota(all.listed.begin(), all.listed.end(), 1U);
        all.becomes.resize(all.listed.size());
        all.begins.resize(all.listed.size());
        for (const auto& [in_part, rank] : ranks_.of(part)) {
            if (in_part > components) fail(part, "has changed during the merge");
            if (rank <= most_ranked_) all.becomes[in_part - 1] = rank, all.begins[in_part - 1] = 1;
        }
        PartNumbers on_faces;
        list(part, on_faces, counts);
        for (const std::uint32_t number : on_faces.listed)
            if (const std::optional<Id> id = find_id(part, number)) all.becomes[number - 1] = number_of(*id);
        all.joined = std::move(on_faces.joined);
        all.totals = std::move(on_faces.totals);
        all.wraps = std::move(on_faces.wraps);
        all.moved = std::move(on_faces.moved);
        all.shifts = std::move(on_faces.shifts);
        all.intensities = std::move(on_faces.intensities);
        return all;
    }

    static constexpr Id none = ~Id{0};
    const Rules& rules_;
    PartStates& states_;
    std::vector<Id> first_id_;                // by part
    std::vector<std::uint32_t> numbers_;      // by id: number in its part
    std::vector<std::uint64_t> values_;       // by id; empty unless the rule is equal_values
    std::vector<std::uint64_t> row_;          // by id: row of the volume in which the piece begins
    std::vector<Id> parent_, first_;          // by id: root; by root: the piece with the first voxel
    std::vector<Shift> shift_;                // by id; empty without periodic axes
    std::vector<AxisSet> wraps_;              // by root; empty without periodic axes
    std::vector<Id> total_of_;                // by root: index in totals_
    std::vector<WideSums> totals_;            // of sets of several pieces, or that wrap around axes; unwrapped
    std::vector<IntensitySums> intensities_;  // by image: of the same sets
    std::vector<bool> dropped_;               // by root
    std::vector<std::uint64_t> number_;       // by id of a first piece
    SizeRanks ranks_;                         // of all components; used only if the criteria compare their sizes
    std::uint64_t most_ranked_ = none;        // components with larger ranks are dropped
};

}  // namespace

Merged merge_parts(const Rules& rules, PartStates& states, Scratch& scratch,
                   const std::function<void(std::int64_t part, const PartNumbers& numbers)>& put) {
    return Merger(rules, states, scratch).merge(put);
}

std::vector<std::uint64_t> numbers_of_part(const PartNumbers& numbers, std::span<const std::uint32_t> row_counts) {
    std::vector<std::uint64_t> known;
    known.reserve(std::accumulate(row_counts.begin(), row_counts.end(), std::size_t{0}));
    std::size_t listed = 0;
    for (std::size_t row = 0; row < row_counts.size(); ++row) {
        std::uint64_t next = numbers.before_row[row];
        for (std::uint32_t i = 0; i < row_counts[row]; ++i) {
            const bool is_listed = listed < numbers.listed.size() && numbers.listed[listed] == known.size() + 1;
            known.push_back(is_listed ? numbers.becomes[listed++] : ++next);
        }
    }
    return known;
}

}  // namespace voxcc::parts
