#include "src/parts/measured_rows.h"

#include <algorithm>

namespace voxcc::parts {

MergedRows::MergedRows(const Plan& plan, const std::string& folder, const MergedFile& merged, MeasureRows kind)
    : plan_(plan), folder_(folder), merged_(merged), kind_(kind) {
    for (std::int64_t part = 0; part < plan.rules.grid.parts(); ++part) {
        of_part_.push_back({MeasuresFile(plan, folder, part, merged).keys(kind), {}});
        if (!of_part_.back().keys.empty()) push({of_part_.back().keys.front(), part, 0, 0});
    }
}

void MergedRows::push(const Place& place) {
    queue_.push_back(place);
    std::ranges::push_heap(queue_, std::greater{});
}

std::span<const std::uint64_t> MergedRows::next() {
    std::ranges::pop_heap(queue_, std::greater{});
    const Place place = queue_.back();
    queue_.pop_back();
    Blocks& blocks = of_part_[std::size_t(place.part)];
    const std::size_t length = words_per_row(kind_);
    const auto key_at = [&](std::size_t row) -> RowKey {
        const std::uint64_t* const words = blocks.words.data() + row * length;
        return {words[0], kind_ == MeasureRows::shapes ? 0 : words[1]};
    };
    if (place.row == 0) {
        const MeasuresFile file(plan_, folder_, place.part, merged_);
        blocks.words = file.rows(kind_, place.block);
        reading(FileKind::measures, place.part, [&] {
            if (key_at(0) != place.key)
                throw Error(ErrorKind::corrupt_file, path_of(FileKind::measures, folder_, place.part),
                            "has a block with another first row");
        });
    }
    const auto first = blocks.words.begin() + std::ptrdiff_t(place.row * length);
    row_.assign(first, first + std::ptrdiff_t(length));
    if ((place.row + 1) * length < blocks.words.size()) {
        push({key_at(place.row + 1), place.part, place.block, place.row + 1});
    } else {
        const RowKey last = key_at(place.row);
        blocks.words = {};
        if (place.block + 1 < blocks.keys.size()) {
            reading(FileKind::measures, place.part, [&] {
                if (blocks.keys[place.block + 1] <= last)
                    throw Error(ErrorKind::corrupt_file, path_of(FileKind::measures, folder_, place.part),
                                "has blocks that are not in order");
            });
            push({blocks.keys[place.block + 1], place.part, place.block + 1, 0});
        }
    }
    return row_;
}

std::vector<LabelContact> ContactRows::next(std::size_t most) {
    std::vector<LabelContact> contacts;
    while (rows_.has_next()) {
        const RowKey key = rows_.next_key();
        const bool is_new = contacts.empty() || contacts.back().a != key[0] || contacts.back().b != key[1];
        if (is_new && contacts.size() == most) break;
        const LabelContact c = contact_of_words(rows_.next());
        if (is_new) {
            contacts.push_back(c);
            continue;
        }
        LabelContact& sum = contacts.back();
        for (std::size_t axis = 0; axis < 3; ++axis) sum.faces[axis] += c.faces[axis];
        sum.edges += c.edges, sum.corners += c.corners;
    }
    return contacts;
}

ShapeRows::ShapeRows(const Plan& plan, const std::string& folder, const MergedFile& merged, ThreadPool& pool)
    : folder_(folder), rows_(plan, folder, merged, MeasureRows::shapes) {
    add_open(plan, folder, merged, pool);
}

/// The layer of parts in which a component begins is the first one that has voxels of it. So its last slice is known from there on. The
/// last slice of an unwrapped component may be beyond the last layer.
void ShapeRows::add_open(const Plan& plan, const std::string& folder, const MergedFile& merged, ThreadPool& pool) {
    const Grid& grid = plan.rules.grid;
    std::map<std::uint64_t, std::uint32_t> last_z;  // of components that may not be complete
    std::optional<PartFeret> feret;
    if (plan.world) feret.emplace(space_of(plan.rules.connectivity), *plan.world);
    const std::int64_t layer = grid.counts()[0] * grid.counts()[1];
    for (std::int64_t part = 0; part < grid.parts(); ++part) {
        for (const OpenShape& shape : MeasuresFile(plan, folder, part, merged).open_shapes()) {
            CompleteShape& joined = joined_[shape.number];
            joined.number = shape.number;
            joined.counts.add(shape.counts);
            if (!feret) continue;
            std::uint32_t& last = last_z[shape.number];
            last = std::max(last, shape.last_z);
            if (!shape.corners.empty()) feret->add(shape.number, shape.corners);
        }
        if (!feret || (part + 1) % layer != 0) continue;
        const Box box = grid.box(part);
        const auto end = std::uint32_t(box.first[2] + box.count[2]);
        const bool is_last = part + 1 == grid.parts();
        for (const auto& [number, mm] : feret->complete([&](std::uint64_t number) { return is_last || last_z.at(number) < end; }, pool)) {
            joined_.at(number).feret_mm = mm;
            last_z.erase(number);
        }
    }
}

CompleteShape ShapeRows::at(std::uint64_t number) {
    if (const auto known = joined_.find(number); known != joined_.end()) return known->second;
    if (!rows_.has_next() || rows_.next_key()[0] != number)
        throw Error(ErrorKind::corrupt_file, folder_,
                    "has no shape of component " + std::to_string(number) + " in its measures; paint all parts again");
    return shape_of_words(rows_.next());
}

}  // namespace voxcc::parts
