#include "kernels3d/engine/periodic_pieces.h"
#include "kernels3d/engine/periodic.h"

#include "kernels3d/base/neighbourhood.h"
#include "kernels3d/base/pieces.h"
#include "kernels3d/base/union_shifted.h"

#include <algorithm>
#include <cstring>

namespace voxcc::block_runs {
namespace {

using std::int64_t;
using std::uint64_t;
using Voxel = std::array<int64_t, 3>;

/// Reads the numbers at the ends.
class NumbersAtEnds {
public:
    explicit NumbersAtEnds(const Ends& ends) : ends_(ends), is_wide_(ends.element_bytes() == 8) {}
    uint64_t at(const Voxel& voxel) const { return read(ends_.at(voxel)); }
    /// All numbers that occur, ascending; not 0.
    std::vector<uint64_t> all() const {
        std::vector<uint64_t> found;
        for (const Axis axis : {Axis::x, Axis::y, Axis::z}) {
            const std::vector<std::byte>& bytes = ends_.layers(axis);
            uint64_t last = 0;
            for (std::size_t i = 0; i < bytes.size(); i += std::size_t(ends_.element_bytes())) {
                const uint64_t number = read(bytes.data() + i);
                if (number != 0 && number != last) found.push_back(number);
                last = number;
            }
        }
        std::ranges::sort(found);
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

private:
    uint64_t read(const std::byte* from) const {
        if (!is_wide_) {
            std::uint32_t number = 0;
            std::memcpy(&number, from, sizeof number);
            return number;
        }
        uint64_t number = 0;
        std::memcpy(&number, from, sizeof number);
        return number;
    }
    const Ends& ends_;
    bool is_wide_;
};

/// Joins the pieces that touch across ends.
class Joiner {
public:
    Joiner(const Ends& ends, const EndRule& rule)
        : numbers_(ends),
          rule_(rule),
          n_{ends.extent().nx, ends.extent().ny, ends.extent().nz},
          axes_(ends.axes()),
          memory_(rule.memory),
          pieces_(taken(numbers_.all())),
          sets_(pieces_.size()) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (axes_.axes[axis]) join_axis(axis);
    }
    std::vector<uint64_t> take_pieces() { return std::move(pieces_); }
    ShiftedSets::Unwrapped take_sets() { return std::move(sets_).unwrap(); }

private:
    static constexpr std::int64_t bytes_per_piece = 72;  // its number, and its entries in sets_ and in their result

    std::vector<uint64_t> taken(std::vector<uint64_t> pieces) {
        memory_.take(std::int64_t(pieces.size()) * bytes_per_piece);
        return pieces;
    }
    /// A step to a neighbour beyond the last layer of an axis.
    struct EndStep {
        std::array<int, 3> by;
    };

    /// Joins the voxels of the last layer along an axis with their neighbours around the end.
    void join_axis(std::size_t axis) {
        std::vector<EndStep> steps;  // the step straight across first
        for (int i = 0; i < 9; ++i) {
            EndStep step{};
            step.by[axis] = 1;
            step.by[(axis + 1) % 3] = (i + 1) % 3 - 1, step.by[(axis + 2) % 3] = (i / 3 + 1) % 3 - 1;
            if (leads_to_neighbour(step)) steps.push_back(step);
        }
        Voxel end{n_[0], n_[1], n_[2]}, p{};
        end[axis] = 1;
        for (p[2] = 0; p[2] < end[2]; ++p[2])
            for (p[1] = 0; p[1] < end[1]; ++p[1])
                for (p[0] = 0; p[0] < end[0]; ++p[0]) {
                    Voxel last = p;
                    last[axis] = n_[axis] - 1;
                    join_voxel(last, steps);
                }
    }
    /// Whether a step leads to a neighbour. The slices of c4 and c8 may be across any axis.
    bool leads_to_neighbour(const EndStep& step) const {
        const auto across = std::size_t(rule_.slices);
        return is_neighbour(rule_.connectivity, step.by[(across + 1) % 3], step.by[(across + 2) % 3], step.by[across]);
    }
    void join_voxel(const Voxel& from, const std::vector<EndStep>& steps) {
        const uint64_t piece = numbers_.at(from);
        if (piece == 0) return;
        for (const EndStep& step : steps) {
            Voxel to{};
            ShiftedSets::Step ends_crossed{};
            if (!go(from, step, to, ends_crossed)) continue;
            const uint64_t other = numbers_.at(to);
            if (other == 0 || (rule_.connects && !rule_.connects({piece, other, from, to}))) continue;
            join(piece, other, ends_crossed);
            // All other neighbours around the end are neighbours of the voxel straight across, and lie beside it.
            if (&step == steps.data() && rule_.transitive == EndRule::Transitive::yes) return;
        }
    }
    /// Goes one step around the ends of the axes. @return whether the step stays in the volume
    bool go(const Voxel& from, const EndStep& step, Voxel& to, ShiftedSets::Step& ends_crossed) const {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            to[axis] = from[axis] + step.by[axis];
            if (to[axis] >= 0 && to[axis] < n_[axis]) continue;
            if (!axes_.axes[axis]) return false;
            ends_crossed[axis] = step.by[axis];
            to[axis] = to[axis] < 0 ? n_[axis] - 1 : 0;
        }
        return true;
    }
    void join(uint64_t piece, uint64_t other, const ShiftedSets::Step& ends_crossed) {
        if (piece == last_.piece && other == last_.other && ends_crossed == last_.ends_crossed) return;
        last_ = {piece, other, ends_crossed};
        sets_.join(id_of(piece), id_of(other), ends_crossed);
    }
    std::size_t id_of(uint64_t piece) const { return std::size_t(std::ranges::lower_bound(pieces_, piece) - pieces_.begin()); }

    struct Last {
        uint64_t piece = 0, other = 0;
        ShiftedSets::Step ends_crossed{};
    };
    NumbersAtEnds numbers_;
    const EndRule& rule_;
    Voxel n_;
    AxisSet axes_;
    TakenMemory memory_;
    std::vector<uint64_t> pieces_;  // by id
    ShiftedSets sets_;
    Last last_;  // of join()
};

}  // namespace

/// Pieces at the ends, and their sets.
struct Pieces::Joined {
    std::vector<uint64_t> pieces;  // by id
    ShiftedSets::Unwrapped sets;
};

/// The sums of components.
class Pieces::Rows {
public:
    Rows(const Pieces& pieces, const SumTable& of_pieces)
        : of_pieces_(of_pieces), merged_(pieces.merged_), wraps_(pieces.sections_.wraps), size_(pieces.components()) {
        for (const Listed& listed : pieces.listed_) joined_.push_back(listed.component);
        std::ranges::sort(joined_);
        joined_.erase(std::unique(joined_.begin(), joined_.end()), joined_.end());
        totals_.resize(joined_.size());
        for (const Listed& listed : pieces.listed_) {
            const auto at = std::size_t(std::ranges::lower_bound(joined_, listed.component) - joined_.begin());
            const Voxel by = voxels_of(pieces.sections_.shift_of(listed.section), pieces.extent_);
            totals_[at].add(moved(of_pieces[std::size_t(listed.piece - 1)], by));
        }
    }
    std::size_t size() const { return std::size_t(size_); }
    WideSums operator[](std::size_t row) const {
        if (const WideSums* const total = total_of(row)) return *total;
        return of_pieces_[first_piece(row)];
    }
    uint64_t voxels(std::size_t row) const {
        if (const WideSums* const total = total_of(row)) return total->n;
        return of_pieces_.voxels(first_piece(row));
    }
    AxisSet wraps(std::size_t row) const {
        const auto at = std::ranges::lower_bound(wraps_, row + 1, {}, &std::pair<uint64_t, AxisSet>::first);
        return at != wraps_.end() && at->first == row + 1 ? at->second : AxisSet{};
    }

private:
    const WideSums* total_of(std::size_t row) const {
        const auto at = std::ranges::lower_bound(joined_, row + 1);
        return at != joined_.end() && *at == row + 1 ? &totals_[std::size_t(at - joined_.begin())] : nullptr;
    }
    /// The index of the first piece of a component: its row plus the number of merged pieces before.
    std::size_t first_piece(std::size_t row) const {
        std::size_t before = 0;
        for (std::size_t end = merged_.size(); before < end;) {
            const std::size_t middle = before + (end - before) / 2;
            if (merged_[middle] - 1 - middle <= row) before = middle + 1;
            else end = middle;
        }
        return row + before;
    }
    SumTable of_pieces_;
    std::vector<uint64_t> merged_;
    std::vector<std::pair<uint64_t, AxisSet>> wraps_;
    uint64_t size_;
    std::vector<uint64_t> joined_;  // ascending: components of several pieces
    std::vector<WideSums> totals_;  // [i]: of joined_[i]
};

Pieces::Pieces(uint64_t count, const Ends& numbers, const EndRule& rule) : extent_(numbers.extent()), count_(count) {
    Joiner joiner(numbers, rule);
    std::vector<uint64_t> pieces = joiner.take_pieces();
    list({std::move(pieces), joiner.take_sets()});
}

/// Numbers the components, and lists the pieces of components of several pieces.
void Pieces::list(const Joined& joined) {
    const auto& [pieces, sets] = joined;
    std::vector<bool> is_joined(pieces.size());  // by root: a set of several pieces
    for (std::size_t id = 0; id < pieces.size(); ++id)
        if (sets.root[id] != id) is_joined[sets.root[id]] = true;
    ListedPieces numbered = number_listed(pieces, sets.root);
    std::vector<Section> of_listed;
    for (std::size_t id = 0; id < pieces.size(); ++id) {
        const std::size_t root = sets.root[id];
        if (root == id && sets.wraps[id].any()) sections_.wraps.emplace_back(numbered.component[id], sets.wraps[id]);
        if (!is_joined[root]) continue;
        voxels_of(sets.shift[id], extent_);  // throws if it is too long
        listed_.push_back({pieces[id], numbered.component[id], 0});
        of_listed.push_back({numbered.component[id], sets.shift[id]});
    }
    merged_ = std::move(numbered.merged);
    sections_.components = count_ - merged_.size();
    add_sections(of_listed);
}

/// Numbers the sections. @param of_listed component and shift of each listed piece
void Pieces::add_sections(const std::vector<Section>& of_listed) {
    const auto key = [](const Section& section) { return std::pair(section.component, section.shift); };
    std::vector<Section>& shifted = sections_.shifted;
    std::ranges::copy_if(of_listed, std::back_inserter(shifted), [](const Section& section) { return section.shift != Shift{}; });
    std::ranges::sort(shifted, {}, key);
    shifted.erase(std::unique(shifted.begin(), shifted.end()), shifted.end());
    for (std::size_t i = 0; i < listed_.size(); ++i) {
        const bool is_shifted = of_listed[i].shift != Shift{};
        const auto at = uint64_t(std::ranges::lower_bound(shifted, key(of_listed[i]), {}, key) - shifted.begin());
        listed_[i].section = is_shifted ? sections_.components + 1 + at : of_listed[i].component;
    }
}

std::int64_t Pieces::bytes() const {
    return std::int64_t(listed_.size() * sizeof(Listed) + merged_.size() * sizeof(uint64_t) + sections_.shifted.size() * sizeof(Section) +
                        sections_.wraps.size() * sizeof(sections_.wraps[0]));
}

std::int64_t Pieces::bytes_of_sums() const {
    const std::size_t joined = listed_.size() - merged_.size();  // components of several pieces
    return std::int64_t(joined * (sizeof(uint64_t) + sizeof(WideSums)) + merged_.size() * sizeof(uint64_t));
}

std::vector<uint64_t> Pieces::painted(std::span<const uint64_t> final_numbers) const {
    std::vector<uint64_t> painted(static_cast<std::size_t>(count_));
    for_each([&](uint64_t piece, uint64_t component) {
        painted[std::size_t(piece - 1)] = final_numbers.empty() ? component : final_numbers[std::size_t(component - 1)];
    });
    return painted;
}

std::vector<uint64_t> Pieces::painted_sections(std::span<const uint64_t> final_numbers) const {
    const bool are_kept = final_numbers.empty();
    std::vector<uint64_t> numbers = painted(are_kept ? final_numbers : final_numbers.first(std::size_t(components())));
    for (const Listed& listed : listed_)
        numbers[std::size_t(listed.piece - 1)] = are_kept ? listed.section : final_numbers[std::size_t(listed.section - 1)];
    return numbers;
}

SumTable Pieces::sums(const SumTable& of_pieces) const { return SumTable(Rows(*this, of_pieces)); }

std::vector<uint64_t> Pieces::first_values(const std::vector<uint64_t>& of_pieces) const {
    if (of_pieces.empty()) return {};
    std::vector<uint64_t> values;
    values.reserve(std::size_t(components()));
    for_each([&](uint64_t piece, uint64_t component) {
        if (component > values.size()) values.push_back(of_pieces[std::size_t(piece - 1)]);
    });
    return values;
}

}  // namespace voxcc::block_runs
