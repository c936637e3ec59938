#include "src/parts/part_files.h"

#include <voxcc/source.h>
#include "io/files/file_identity.h"
#include "src/errors/program_error.h"

#include <algorithm>

namespace voxcc::parts {
namespace {

// The sections of STATE/K.part and STATE/K.background. The faces have the numbers 1 to 6.
enum StateSection : std::size_t {
    counts_section = 0,
    first_face = 1,
    on_faces = 7,
    values_on_faces,
    sums_on_faces,
    all_sizes,  // numbers of voxels; painting finds the sums again
    bits,
    values,
    intensities_on_faces,  // of all images
};
// The sections of MERGED/K.numbers and MERGED/K.holes.
enum NumbersSection : std::size_t { before_row = 0, listed, becomes, begins, joined, totals, wraps, moved, shifts, joined_intensities };

/// Empty for files whose number depends on their components.
std::optional<std::size_t> sections_of(const Plan& plan, FileKind kind) {
    const std::size_t images = plan.intensities.size();
    switch (kind) {
        case FileKind::state:
        case FileKind::filled:
        case FileKind::background: return intensities_on_faces + 2 * images;
        case FileKind::numbers:
        case FileKind::holes: return joined_intensities + images;
        case FileKind::merged:
        case FileKind::merged_holes: return 2;
        case FileKind::measures:
        case FileKind::painted:
        case FileKind::mapped: break;
    }
    return {};
}

/// @param bytes 3 per set of axes, each 0 or 1 @throw Error corrupt_file
std::vector<AxisSet> axes_of_bytes(const std::vector<std::uint8_t>& bytes, const std::string& subject) {
    std::vector<AxisSet> sets(bytes.size() / 3);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] > 1) throw Error(ErrorKind::corrupt_file, subject, "has bytes that are not axes");
        sets[i / 3].axes[i % 3] = bytes[i] != 0;
    }
    return sets;
}

std::uint64_t voxels_of(const Plan& plan, std::int64_t part) { return std::uint64_t(plan.rules.grid.box(part).extent().voxels()); }
std::uint64_t rows_of(const Plan& plan, std::int64_t part) { return std::uint64_t(plan.rules.grid.box(part).extent().rows()); }

}  // namespace

void refuse_file(ErrorKind error, const std::string& path, const std::string& cause, FileKind kind, std::int64_t part) {
    throw ProgramError(error, path, cause, "remove the file, and run " + step_of(kind, part));
}

RoundFiles files_of(const Plan& plan) {
    if (plan.round == PartRound::background) return {FileKind::background, FileKind::holes, FileKind::merged_holes};
    return {plan.max_hole ? FileKind::filled : FileKind::state, FileKind::numbers, FileKind::merged};
}

std::string step_of(FileKind kind, std::int64_t part) {
    const std::string number = std::to_string(part);
    switch (kind) {
        case FileKind::state: return "'voxcc label --plan PLAN --part " + number + "'";
        case FileKind::filled: return "'voxcc label --plan PLAN --part " + number + " --holes MERGED'";
        case FileKind::background: return "'voxcc label --plan PLAN --part " + number + " --background'";
        case FileKind::holes:
        case FileKind::merged_holes: return "'voxcc merge --background'";
        case FileKind::numbers:
        case FileKind::merged: return "'voxcc merge'";
        case FileKind::mapped: return "'voxcc map --part " + number + "'";
        case FileKind::measures:
        case FileKind::painted: break;
    }
    return "'voxcc relabel --plan PLAN --part " + number + "'";
}

std::string path_of(FileKind kind, const std::string& folder, std::int64_t part) {
    const std::string start = folder + (folder.ends_with('/') ? "" : "/");
    if (kind == FileKind::merged) return start + "merged";
    if (kind == FileKind::merged_holes) return start + "holes";
    const std::string name = start + std::to_string(part);
    switch (kind) {
        case FileKind::state:
        case FileKind::filled: return name + ".part";
        case FileKind::background: return name + ".background";
        case FileKind::holes: return name + ".holes";
        case FileKind::numbers: return name + ".numbers";
        case FileKind::measures: return name + ".measures";
        case FileKind::mapped: return name + ".mapped";
        default: return name + ".painted";
    }
}

std::unique_ptr<io::SectionFile> open_step_file(FileKind kind, const std::string& folder, std::int64_t part) {
    const std::string path = path_of(kind, folder, part);
    try {
        auto file = std::make_unique<io::SectionFile>(path);
        const io::SectionHeader& header = file->header();
        if (header.kind != std::uint32_t(kind)) refuse_file(ErrorKind::invalid_file, path, "is a file of another step", kind, part);
        if (header.part != std::uint64_t(part))
            refuse_file(ErrorKind::invalid_file, path, "is part " + std::to_string(header.part) + ", not part " + std::to_string(part),
                        kind, part);
        return file;
    } catch (const ProgramError&) {
        throw;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::missing_file)
            throw ProgramError(ErrorKind::missing_file, path, "does not exist", "run " + step_of(kind, part));
        if (!is_about_content(error.kind())) throw;
        refuse_file(error.kind(), path, error.cause(), kind, part);
    }
}

std::unique_ptr<io::SectionFile> open_part_file(const Plan& plan, FileKind kind, const std::string& folder, std::int64_t part) {
    auto file = open_step_file(kind, folder, part);
    const std::string identity(file->header().identity.begin(), file->header().identity.end());
    if (identity != plan.identity)
        refuse_file(ErrorKind::invalid_file, file->path(),
                    "belongs to the plan " + identity.substr(0, 12) + ", and this plan is " + plan.identity.substr(0, 12), kind, part);
    if (file->sections() != sections_of(plan, kind).value_or(file->sections()))
        refuse_file(ErrorKind::invalid_file, file->path(), "has another number of sections than it must have", kind, part);
    return file;
}

bool is_done(const Plan& plan, FileKind kind, const std::string& folder, std::int64_t part) {
    if (!io::identity_of(path_of(kind, folder, part))) return false;
    open_part_file(plan, kind, folder, part);
    return true;
}

void write_step_file(const std::string& identity, FileKind kind, const std::string& folder, std::int64_t part,
                     std::span<const io::PackedSection> sections) {
    io::SectionHeader header{std::uint32_t(kind), std::uint64_t(part), {}};
    std::copy_n(identity.begin(), header.identity.size(), header.identity.begin());
    io::OutputFiles outputs(io::Overwrite::allow, {});
    io::write_sections(outputs.create(path_of(kind, folder, part)), header, sections);
    outputs.publish();
}

void write_part_file(const Plan& plan, FileKind kind, const std::string& folder, std::int64_t part,
                     std::span<const io::PackedSection> sections) {
    write_step_file(plan.identity, kind, folder, part, sections);
}

void append_sums(const WideSums& s, std::vector<std::uint64_t>& words) {
    words.insert(words.end(), {s.n, s.x, s.y, s.z});
    for (const uint128 sum : {s.xx, s.yy, s.zz, s.xy, s.xz, s.yz})
        words.insert(words.end(), {std::uint64_t(sum), std::uint64_t(sum >> 64)});
    for (const auto& [low, high] : {std::pair{s.x0, s.x1}, {s.y0, s.y1}, {s.z0, s.z1}}) words.push_back(low | std::uint64_t(high) << 32);
}

std::vector<std::uint64_t> words_of_sums(std::span<const WideSums> sums) {
    std::vector<std::uint64_t> words;
    words.reserve(sums.size() * words_per_sums);
    for (const WideSums& s : sums) append_sums(s, words);
    return words;
}

std::vector<WideSums> sums_of_words(std::span<const std::uint64_t> words) {
    std::vector<WideSums> sums;
    sums.reserve(words.size() / words_per_sums);
    for (std::size_t at = 0; at < words.size(); at += words_per_sums) {
        const std::uint64_t* const w = words.data() + at;
        const auto wide = [&](std::size_t i) { return uint128(w[i]) | uint128(w[i + 1]) << 64; };
        const auto low = [&](std::size_t i) { return std::uint32_t(w[i]); };
        const auto high = [&](std::size_t i) { return std::uint32_t(w[i] >> 32); };
        sums.push_back({{w[0], w[1], w[2], w[3], wide(4), wide(6), wide(8), wide(10), wide(12), wide(14)},
                        low(16),
                        low(17),
                        low(18),
                        high(16),
                        high(17),
                        high(18)});
    }
    return sums;
}

std::vector<IntensitySums> read_intensities(const Plan& plan, const io::SectionFile& file, std::size_t first, std::uint64_t components) {
    std::vector<IntensitySums> images;
    const std::uint64_t voxels = std::uint64_t(plan.rules.grid.volume().voxels());
    for (const PlannedFile& image : plan.intensities) {
        const auto words =
            file.elements<std::uint64_t>(first + images.size(), most_intensity_words(components, voxels), io::SectionFile::Count::at_most);
        images.push_back(intensities_of_words(image.type, words, components, file.path()));
    }
    return images;
}

std::vector<io::PackedSection> sections_of_intensities(const Plan& plan, const std::vector<IntensitySums>& images,
                                                       std::uint64_t components) {
    std::vector<io::PackedSection> sections;
    for (std::size_t i = 0; i < plan.intensities.size(); ++i) {
        const IntensitySums& sums = images.empty() ? IntensitySums(plan.intensities[i].type) : images[i];
        sections.push_back(io::pack_section(words_of_intensities(sums, components)));
    }
    return sections;
}

void write_state(const Plan& plan, const std::string& folder, std::int64_t part, const HeldState& held) {
    const PartState& state = held.state;
    const FaceComponents faces = face_components(state);
    std::vector<io::PackedSection> sections{io::pack_section(state.row_counts)};
    for (const auto& face : state.faces) sections.push_back(io::pack_section(face));
    sections.push_back(io::pack_section(faces.numbers));
    sections.push_back(io::pack_section(faces.values));
    sections.push_back(io::pack_section(words_of_sums(faces.sums)));
    std::vector<std::uint32_t> sizes;
    sizes.reserve(state.sums.size());
    for (std::size_t row = 0; row < state.sums.size(); ++row) sizes.push_back(std::uint32_t(state.sums.voxels(row)));
    sections.push_back(io::pack_section(sizes));
    sections.push_back(io::pack_section(held.voxels.bits));
    sections.push_back(io::pack_section(held.voxels.values));
    std::ranges::move(sections_of_intensities(plan, intensities_of(state, faces.numbers), faces.numbers.size()),
                      std::back_inserter(sections));
    std::ranges::move(sections_of_intensities(plan, state.intensities, state.sums.size()), std::back_inserter(sections));
    write_part_file(plan, files_of(plan).state, folder, part, sections);
}

void reading(FileKind kind, std::int64_t part, const std::function<void()>& f) {
    try {
        f();
    } catch (const ProgramError&) {
        throw;
    } catch (const Error& error) {
        if (!is_about_content(error.kind())) throw;
        refuse_file(error.kind(), error.subject(), error.cause(), kind, part);
    }
}

io::SectionFile& StateFiles::file(std::int64_t part) {
    if (open_part_ != part) {
        open_ = open_part_file(plan_, files_of(plan_).state, folder_, part);
        open_part_ = part;
    }
    return *open_;
}

std::uint32_t StateFiles::checksum(std::int64_t part) { return file(part).checksum(); }

std::vector<std::uint32_t> StateFiles::row_counts(std::int64_t part) {
    return reading_state(part, [&] {
        std::vector<std::uint32_t> counts = file(part).elements<std::uint32_t>(counts_section, rows_of(plan_, part));
        std::uint64_t all = 0;
        for (const std::uint32_t count : counts) all += count;
        if (all * sizeof(std::uint32_t) != file(part).bytes_of(all_sizes))
            throw Error(ErrorKind::corrupt_file, file(part).path(), "has other numbers of components in its rows than sizes");
        return counts;
    });
}

std::vector<std::uint32_t> StateFiles::face(std::int64_t part, int face) {
    const Extent e = plan_.rules.grid.box(part).extent();
    const std::array sizes{e.ny * e.nz, e.nx * e.nz, e.nx * e.ny};
    return reading_state(part, [&] {
        return file(part).elements<std::uint32_t>(first_face + std::size_t(face), std::uint64_t(sizes[std::size_t(face / 2)]));
    });
}

FaceComponents StateFiles::face_components(std::int64_t part) {
    using Count = io::SectionFile::Count;
    return reading_state(part, [&] {
        const io::SectionFile& from = file(part);
        FaceComponents components;
        components.numbers = from.elements<std::uint32_t>(on_faces, voxels_of(plan_, part), Count::at_most);
        const std::uint64_t count = components.numbers.size();
        components.values = from.elements<std::uint64_t>(values_on_faces, plan_.rules.rule == Rule::equal_values ? count : 0);
        components.sums = sums_of_words(from.elements<std::uint64_t>(sums_on_faces, count * words_per_sums));
        return components;
    });
}

std::vector<IntensitySums> StateFiles::face_intensities(std::int64_t part) {
    return reading_state(part, [&] {
        const io::SectionFile& from = file(part);
        return read_intensities(plan_, from, intensities_on_faces, from.bytes_of(on_faces) / sizeof(std::uint32_t));
    });
}

std::vector<std::uint64_t> StateFiles::sizes(std::int64_t part) {
    return reading_state(part, [&] {
        const auto sizes = file(part).elements<std::uint32_t>(all_sizes, voxels_of(plan_, part), io::SectionFile::Count::at_most);
        return std::vector<std::uint64_t>(sizes.begin(), sizes.end());
    });
}

std::vector<IntensitySums> StateFiles::intensities(std::int64_t part) {
    return reading_state(part, [&] {
        const io::SectionFile& from = file(part);
        const std::uint64_t count = from.bytes_of(all_sizes) / sizeof(std::uint32_t);
        if (count > voxels_of(plan_, part)) throw Error(ErrorKind::corrupt_file, from.path(), "has more components than voxels");
        return read_intensities(plan_, from, intensities_on_faces + plan_.intensities.size(), count);
    });
}

VolumeBits StateFiles::voxels(std::int64_t part) {
    return reading_state(part, [&] {
        const io::SectionFile& from = file(part);
        VolumeBits held;
        held.extent = plan_.rules.grid.box(part).extent();
        held.words = words_of(held.extent.nx);
        held.value_type = plan_.image.type;
        held.bits = from.elements<std::uint64_t>(bits, std::uint64_t(held.extent.rows() * held.words));
        const std::int64_t used = held.extent.nx % 64;  // bits of the last word of a row
        for (std::int64_t row = 0; used > 0 && row < held.extent.rows(); ++row)
            if (held.row(row)[held.words - 1] >> used != 0)
                throw Error(ErrorKind::corrupt_file, from.path(), "has voxels after the ends of rows");
        const bool has_values = plan_.rules.rule == Rule::equal_values;
        held.values = from.elements<std::byte>(values, has_values ? voxels_of(plan_, part) * std::uint64_t(size_of(held.value_type)) : 0);
        return held;
    });
}

void write_numbers(const Plan& plan, const std::string& folder, std::int64_t part, const PartNumbers& numbers) {
    std::vector<io::PackedSection> sections{
        io::pack_section(numbers.before_row), io::pack_section(numbers.listed), io::pack_section(numbers.becomes),
        io::pack_section(numbers.begins),     io::pack_section(numbers.joined), io::pack_section(words_of_sums(numbers.totals)),
        io::pack_section(numbers.wraps),      io::pack_section(numbers.moved),  io::pack_section(numbers.shifts)};
    std::ranges::move(sections_of_intensities(plan, numbers.intensities, numbers.joined.size()), std::back_inserter(sections));
    write_part_file(plan, files_of(plan).numbers, folder, part, sections);
}

PartNumbers read_numbers(const Plan& plan, const std::string& folder, std::int64_t part) {
    using Count = io::SectionFile::Count;
    const FileKind kind = files_of(plan).numbers;
    const auto file = open_part_file(plan, kind, folder, part);
    return result_of_reading(kind, part, [&] {
        PartNumbers numbers;
        numbers.before_row = file->elements<std::uint64_t>(before_row, rows_of(plan, part));
        numbers.listed = file->elements<std::uint32_t>(listed, voxels_of(plan, part), Count::at_most);
        numbers.becomes = file->elements<std::uint64_t>(becomes, numbers.listed.size());
        numbers.begins = file->elements<std::uint8_t>(begins, numbers.listed.size());
        numbers.joined = file->elements<std::uint32_t>(joined, voxels_of(plan, part), Count::at_most);
        numbers.totals = sums_of_words(file->elements<std::uint64_t>(totals, numbers.joined.size() * words_per_sums));
        numbers.wraps = axes_of_bytes(file->elements<std::uint8_t>(wraps, 3 * numbers.joined.size()), file->path());
        numbers.moved = file->elements<std::uint32_t>(moved, voxels_of(plan, part), Count::at_most);
        numbers.shifts = file->elements<std::array<std::uint32_t, 3>>(shifts, numbers.moved.size());
        if (!std::ranges::is_sorted(numbers.moved) || (!numbers.moved.empty() && numbers.moved.front() == 0))
            throw Error(ErrorKind::corrupt_file, file->path(), "has moved components that are not in order");
        numbers.intensities = read_intensities(plan, *file, joined_intensities, numbers.joined.size());
        return numbers;
    });
}

void write_merged(const Plan& plan, const std::string& folder, const MergedFile& merged) {
    const std::array sections{io::pack_section(std::vector<std::uint64_t>{merged.components}), io::pack_section(merged.state_checksums)};
    write_part_file(plan, files_of(plan).merged, folder, 0, sections);
}

MergedFile read_merged(const Plan& plan, const std::string& folder) {
    const FileKind kind = files_of(plan).merged;
    const auto file = open_part_file(plan, kind, folder, 0);
    return result_of_reading(kind, 0, [&] {
        const std::uint64_t components = file->elements<std::uint64_t>(0, 1).front();
        if (components > std::uint64_t(plan.rules.grid.volume().voxels()))
            throw Error(ErrorKind::corrupt_file, file->path(), "has more components than the volume has voxels");
        return MergedFile{components, file->elements<std::uint32_t>(1, std::uint64_t(plan.rules.grid.parts())), file->checksum()};
    });
}

}  // namespace voxcc::parts
