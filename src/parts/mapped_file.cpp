#include "src/parts/mapped_file.h"

#include "io/files/file_identity.h"
#include "io/label_chunk.h"
#include "src/errors/program_error.h"
#include "src/messages/file_record.h"
#include "src/options/numbers.h"
#include "src/options/raw_layout.h"
#include "src/parts/part_files.h"
#include "src/parts/planned_inputs.h"

#include <algorithm>

namespace voxcc::parts {
namespace {

enum MappedSection : std::size_t { dependencies = 0, labels_of_part, first_mapped_chunk };

constexpr const char* version_of_mapped = "version=1";
constexpr int default_level = 1;  // of zstd, for outputs whose chunks are not compressed
constexpr std::uint64_t most_dependency_bytes = 1 << 16;

/// The smallest unsigned type that holds all numbers that can occur.
ScalarType mapped_type(const MapInputs& inputs) {
    if (inputs.options.dtype) return *inputs.options.dtype;
    const std::uint64_t kept = inputs.missing == MapOptions::Missing::keep ? largest_label(label_type(inputs.info)) : 0;
    const std::uint64_t largest = std::max(inputs.labels.largest(), kept);
    for (const ScalarType type : {ScalarType::u8, ScalarType::u16, ScalarType::u32})
        if (largest <= largest_label(type)) return type;
    return ScalarType::u64;
}

std::string checksum_of(const NewLabels& labels, ScalarType type) {
    std::vector<std::array<std::uint64_t, 2>> rows;
    labels.for_each(type, [&](LabelBits label, std::uint64_t number) { rows.push_back({label, number}); });
    std::ranges::sort(rows);
    return sha256_of({reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof rows.front()});
}

/// What the voxels of the input depend on, in one line.
std::string text_of(const MapInputs& inputs) {
    const PlannedFile file = planned(inputs.volume.input, inputs.options.input, inputs.info);
    const io::OpenOptions& open = inputs.volume.open;
    const io::Scaling& scaling = inputs.info.scaling;
    const Extent& e = inputs.info.extent;
    std::string text;
    for (const std::string& word :
         {file.path, std::string(name_of(file.type)), std::to_string(file.bytes), std::to_string(file.modified_ns), file.files,
          open.dataset, open.volume ? std::to_string(*open.volume) : "", open.raw ? voxcc::text_of(*open.raw) : "",
          shortest_text(scaling.slope), shortest_text(scaling.intercept), std::to_string(e.nx), std::to_string(e.ny), std::to_string(e.nz)})
        text += (text.empty() ? "" : " ") + word;
    return text;
}

const char* name_of(MapOptions::Missing missing) {
    switch (missing) {
        case MapOptions::Missing::refuse: return "error";
        case MapOptions::Missing::keep: return "keep";
        case MapOptions::Missing::zero: return "zero";
    }
    throw Error(ErrorKind::internal, "--missing", "an unknown choice");
}

std::string packed_text(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + '\0';
    return text;
}

/// The first thing that a file depends on, and the plan does not.
std::string difference(const MapPlan& plan, const std::vector<std::byte>& packed) {
    std::string_view text(reinterpret_cast<const char*>(packed.data()), packed.size());
    for (const std::string& line : plan.depends) {
        const std::string_view stored = text.substr(0, text.find('\0'));
        const std::string name = line.substr(0, line.find('='));
        if (stored != line) return name == "version" ? "was written by another version of voxcc" : "was written with another " + name;
        text.remove_prefix(std::min(stored.size() + 1, text.size()));
    }
    return "is of another run";
}

}  // namespace

MapPlan plan_map(const MapInputs& inputs, std::int64_t parts) {
    const Extent& volume = inputs.info.extent;
    const Extent chunk = io::label_chunk(volume);
    const std::int64_t layers = (volume.nz - 1) / chunk.nz + 1, layers_per_part = (layers - 1) / parts + 1;
    MapPlan plan{Grid(volume, {volume.nx, volume.ny, layers_per_part * chunk.nz}),
                 {chunk, mapped_type(inputs), std::max(inputs.options.compress, default_level)}};
    const std::string table = inputs.options.table.empty() ? "--merge or --where=" : "--table=";
    plan.depends = {version_of_mapped,
                    "LABELS=" + text_of(inputs),
                    table + checksum_of(inputs.labels, label_type(inputs.info)),
                    std::string("--missing=") + name_of(inputs.missing),
                    "--dtype=" + std::string(voxcc::name_of(plan.form.type)),
                    "--compress=" + std::to_string(plan.form.level),
                    "--parts=" + std::to_string(layers_per_part)};
    plan.identity = sha256_of(packed_text(plan.depends));
    return plan;
}

bool is_mapped(const MapPlan& plan, const std::string& folder, std::int64_t part) {
    if (!io::identity_of(path_of(FileKind::mapped, folder, part))) return false;
    MappedFile(plan, folder, part);
    return true;
}

void write_mapped(const MapPlan& plan, const std::string& folder, std::int64_t part, MappedPart mapped) {
    const std::string text = packed_text(plan.depends);
    std::vector<io::PackedSection> sections{io::pack_section(std::as_bytes(std::span(text))), io::pack_section(mapped.labels)};
    std::ranges::move(mapped.chunks, std::back_inserter(sections));
    write_step_file(plan.identity, FileKind::mapped, folder, part, sections);
}

MappedFile::MappedFile(const MapPlan& plan, const std::string& folder, std::int64_t part)
    : plan_(plan), part_(part), file_(open_step_file(FileKind::mapped, folder, part)) {
    reading(FileKind::mapped, part, [&] {
        if (!std::ranges::equal(file_->header().identity, plan.identity)) {
            const auto stored = file_->elements<std::byte>(dependencies, most_dependency_bytes, io::SectionFile::Count::at_most);
            throw ProgramError(ErrorKind::invalid_file, file_->path(), difference(plan, stored),
                               "repeat the options of all parts, or remove the file, and run " + step_of(FileKind::mapped, part));
        }
        if (file_->sections() != first_mapped_chunk + std::size_t(chunks_of(plan.grid, part, plan.form.chunk).parts()))
            throw Error(ErrorKind::corrupt_file, file_->path(), "has another number of sections than it must have");
    });
}

std::vector<LabelBits> MappedFile::labels() const {
    return result_of_reading(FileKind::mapped, part_, [&] {
        const std::uint64_t voxels = std::uint64_t(plan_.grid.box(part_).extent().voxels());
        return file_->elements<LabelBits>(labels_of_part, voxels, io::SectionFile::Count::at_most);
    });
}

std::vector<std::byte> MappedFile::chunk(std::int64_t chunk) const {
    return result_of_reading(FileKind::mapped, part_,
                             [&] { return read_chunk(*file_, first_mapped_chunk + std::size_t(chunk), plan_.form); });
}

std::vector<std::byte> MappedFile::packed_chunk(std::int64_t chunk) const {
    return result_of_reading(FileKind::mapped, part_,
                             [&] { return read_packed_chunk(*file_, first_mapped_chunk + std::size_t(chunk), plan_.form); });
}

std::shared_ptr<const MappedFile> MappedFiles::file(std::int64_t part) const {
    return open_.file(part, [&] { return std::make_shared<const MappedFile>(plan_, folder_, part); });
}

ChunkFiles MappedFiles::chunks() const {
    return {plan_.grid, plan_.form, [this](std::int64_t part, std::int64_t chunk) { return file(part)->chunk(chunk); },
            [this](std::int64_t part, std::int64_t chunk) { return file(part)->packed_chunk(chunk); }};
}

}  // namespace voxcc::parts
