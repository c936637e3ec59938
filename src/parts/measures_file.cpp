#include "src/parts/measures_file.h"

#include <algorithm>
#include <bit>

namespace voxcc::parts {
namespace {

enum Section : std::size_t { about = 0, open_section, corners_section, shape_keys, contact_keys, blocks_section };
constexpr std::uint64_t version = 1;
enum About : std::size_t { of_version = 0, of_merge, of_shape_blocks, of_contact_blocks, about_words };
constexpr std::size_t words_of_counts = 14, words_per_open = 3 + words_of_counts;

void append(const ShapeCounts& counts, std::vector<std::uint64_t>& words) {
    words.insert(words.end(), counts.pairs.begin(), counts.pairs.end());
    words.push_back(std::uint64_t(counts.euler));
}

ShapeCounts counts_of(std::span<const std::uint64_t> words) {
    ShapeCounts counts;
    std::copy_n(words.begin(), counts.pairs.size(), counts.pairs.begin());
    counts.euler = std::int64_t(words[counts.pairs.size()]);
    return counts;
}

std::size_t words_of_key(MeasureRows kind) { return kind == MeasureRows::shapes ? 1 : 2; }

RowKey key_of(MeasureRows kind, const std::uint64_t* row) { return {row[0], kind == MeasureRows::shapes ? 0 : row[1]}; }

/// The blocks of rows, and their keys.
struct PackedRows {
    std::vector<std::uint64_t> keys;
    std::vector<io::PackedSection> blocks;
};

/// @param append_row called as append_row(i, words) for each row
template <class F>
PackedRows pack_rows(MeasureRows kind, std::size_t count, const F& append_row) {
    PackedRows packed;
    for (std::size_t first = 0; first < count; first += rows_per_block) {
        std::vector<std::uint64_t> words;
        for (std::size_t i = first; i < std::min(count, first + rows_per_block); ++i) append_row(i, words);
        packed.keys.insert(packed.keys.end(), words.begin(), words.begin() + std::ptrdiff_t(words_of_key(kind)));
        packed.blocks.push_back(io::pack_section(words));
    }
    return packed;
}

[[noreturn]] void fail(const io::SectionFile& file, const std::string& cause) { throw Error(ErrorKind::corrupt_file, file.path(), cause); }

}  // namespace

bool has_measures(const Plan& plan) { return plan.options.shape == Shape::measure || !plan.options.contacts.empty(); }

CompleteShape shape_of_words(std::span<const std::uint64_t> words) {
    return {words[0], counts_of(words.subspan(1)), std::bit_cast<double>(words[1 + words_of_counts])};
}

LabelContact contact_of_words(std::span<const std::uint64_t> words) {
    return {words[0], words[1], {words[2], words[3], words[4]}, words[5], words[6]};
}

void write_measures(const Plan& plan, const std::string& folder, std::int64_t part, const MergedFile& merged, const PartShapes& shapes,
                    const std::vector<LabelContact>& contacts) {
    std::vector<std::uint64_t> open;
    std::vector<std::uint32_t> corners;
    for (const OpenShape& shape : shapes.open) {
        open.insert(open.end(), {shape.number, shape.last_z, shape.corners.size()});
        append(shape.counts, open);
        for (const Corner& corner : shape.corners) corners.insert(corners.end(), {corner.x, corner.y, corner.z});
    }
    PackedRows of_shapes = pack_rows(MeasureRows::shapes, shapes.complete.size(), [&](std::size_t i, std::vector<std::uint64_t>& words) {
        words.push_back(shapes.complete[i].number);
        append(shapes.complete[i].counts, words);
        words.push_back(std::bit_cast<std::uint64_t>(shapes.complete[i].feret_mm));
    });
    PackedRows of_contacts = pack_rows(MeasureRows::contacts, contacts.size(), [&](std::size_t i, std::vector<std::uint64_t>& words) {
        const LabelContact& c = contacts[i];
        words.insert(words.end(), {c.a, c.b, c.faces[0], c.faces[1], c.faces[2], c.edges, c.corners});
    });
    const std::vector<std::uint64_t> description{version, merged.checksum, of_shapes.blocks.size(), of_contacts.blocks.size()};
    std::vector<io::PackedSection> sections{io::pack_section(description), io::pack_section(open), io::pack_section(corners),
                                            io::pack_section(of_shapes.keys), io::pack_section(of_contacts.keys)};
    std::ranges::move(of_shapes.blocks, std::back_inserter(sections));
    std::ranges::move(of_contacts.blocks, std::back_inserter(sections));
    write_part_file(plan, FileKind::measures, folder, part, sections);
}

MeasuresFile::MeasuresFile(const Plan& plan, const std::string& folder, std::int64_t part, const MergedFile& merged)
    : plan_(plan), part_(part), file_(open_part_file(plan, FileKind::measures, folder, part)), components_(merged.components) {
    reading(FileKind::measures, part, [&] {
        const auto words = file_->elements<std::uint64_t>(about, about_words);
        if (words[of_version] != version)
            throw Error(ErrorKind::unsupported_file, file_->path(), "was written by another version of voxcc");
        if (words[of_merge] != merged.checksum) throw Error(ErrorKind::invalid_file, file_->path(), "was written after another merge");
        blocks_ = {words[of_shape_blocks], words[of_contact_blocks]};
        const std::uint64_t blocks = file_->sections() - blocks_section;
        if (file_->sections() < blocks_section || blocks_[0] > blocks || blocks_[1] != blocks - blocks_[0])
            fail(*file_, "has another number of sections than it must have");
    });
}

std::vector<OpenShape> MeasuresFile::open_shapes() const {
    return result_of_reading(FileKind::measures, part_, [&] {
        using Count = io::SectionFile::Count;
        const Extent e = plan_.rules.grid.box(part_).extent();
        const auto voxels = std::uint64_t((e.nx + 1) * (e.ny + 1) * (e.nz + 1));
        const auto words = file_->elements<std::uint64_t>(open_section, voxels * words_per_open, Count::at_most);
        const auto corners = file_->elements<std::uint32_t>(corners_section, 3 * 4 * voxels, Count::at_most);
        if (words.size() % words_per_open != 0) fail(*file_, "has a component that is not complete");
        std::vector<OpenShape> shapes;
        std::size_t corner = 0;
        for (std::size_t at = 0; at < words.size(); at += words_per_open) {
            OpenShape shape{words[at], std::uint32_t(words[at + 1]), counts_of(std::span(words).subspan(at + 3)), {}};
            if (shape.number == 0 || shape.number > components_ || (!shapes.empty() && shape.number <= shapes.back().number))
                fail(*file_, "has a wrong number of a component");
            if (words[at + 2] > (corners.size() - corner) / 3) fail(*file_, "has fewer corners than it states");
            for (std::uint64_t i = 0; i < words[at + 2]; ++i, corner += 3)
                shape.corners.push_back({corners[corner], corners[corner + 1], corners[corner + 2]});
            shapes.push_back(std::move(shape));
        }
        if (corner != corners.size()) fail(*file_, "has more corners than it states");
        return shapes;
    });
}

std::vector<RowKey> MeasuresFile::keys(MeasureRows kind) const {
    return result_of_reading(FileKind::measures, part_, [&] {
        const std::size_t section = kind == MeasureRows::shapes ? shape_keys : contact_keys, length = words_of_key(kind);
        const auto words = file_->elements<std::uint64_t>(section, blocks_[std::size_t(kind)] * length);
        std::vector<RowKey> keys;
        for (std::size_t at = 0; at < words.size(); at += length) keys.push_back(key_of(kind, words.data() + at));
        return keys;
    });
}

std::vector<std::uint64_t> MeasuresFile::rows(MeasureRows kind, std::size_t block) const {
    return result_of_reading(FileKind::measures, part_, [&] {
        const std::size_t length = words_per_row(kind);
        const std::size_t section = blocks_section + block + (kind == MeasureRows::contacts ? std::size_t(blocks_[0]) : 0);
        auto words = file_->elements<std::uint64_t>(section, rows_per_block * length, io::SectionFile::Count::at_most);
        if (words.empty() || words.size() % length != 0) fail(*file_, "has a row that is not complete");
        for (std::size_t at = 0; at < words.size(); at += length) {
            const RowKey key = key_of(kind, words.data() + at);
            const bool is_ordered = at == 0 || key_of(kind, words.data() + at - length) < key;
            const bool is_pair = kind == MeasureRows::shapes || (key[0] < key[1] && key[1] <= components_);
            if (key[0] == 0 || key[0] > components_ || !is_ordered || !is_pair) fail(*file_, "has a row with a wrong number");
        }
        return words;
    });
}

}  // namespace voxcc::parts
