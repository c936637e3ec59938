// The files STATE/K.mapped of `voxcc map`: the new numbers of a part of a label volume.
//
//   sections: what the parts depend on | labels that occur in the part | new numbers, one section per chunk
#pragma once
#include "src/parts/chunked_labels.h"
#include "src/parts/open_files.h"
#include "src/pipeline/chosen_volume.h"
#include "src/pipeline/new_labels.h"

#include <string>
#include <vector>

namespace voxcc::parts {

/// What all parts have in common. Parts are layers of chunks along z.
struct MapPlan {
    Grid grid;
    io::ChunkForm form;                  // of the new numbers
    std::vector<std::string> depends{};  // "NAME=value": what the new numbers of all parts depend on
    std::string identity{};              // a checksum of `depends`
};

/// A volume and its new numbers.
struct MapInputs {
    const MapOptions& options;
    const ChosenVolume& volume;
    const io::VolumeInfo& info;
    const NewLabels& labels;
    MapOptions::Missing missing;
};

/// @param parts of the volume, at least 1; if it has fewer layers of chunks, the grid has fewer parts
/// @throw Error invalid_file if a file of the input cannot be described
// 160 slices, chunks of 32 slices, 4 parts  ->  parts of 64, 64 and 32 slices
MapPlan plan_map(const MapInputs& inputs, std::int64_t parts);

/// The content of a file.
struct MappedPart {
    std::vector<LabelBits> labels;          // that occur, in ascending order
    std::vector<io::PackedSection> chunks;  // new numbers: see pack_chunks()
};

/// Whether the file of a part exists. @throw as MappedFile() if it is damaged, or depends on something else
bool is_mapped(const MapPlan& plan, const std::string& folder, std::int64_t part);

/// @throw Error io_error, disk_full, cannot_create
void write_mapped(const MapPlan& plan, const std::string& folder, std::int64_t part, MappedPart mapped);

/// An open file of a part. Thread-safe.
class MappedFile {
public:
    /// @param plan must outlive this object
    /// @throw ProgramError missing_file; invalid_file if the file depends on another input, table or option, which the error names;
    /// truncated_file or corrupt_file
    MappedFile(const MapPlan& plan, const std::string& folder, std::int64_t part);
    /// The labels that occur, in ascending order. @throw ProgramError corrupt_file
    std::vector<LabelBits> labels() const;
    /// See read_chunk() and read_packed_chunk(). @throw ProgramError corrupt_file
    std::vector<std::byte> chunk(std::int64_t chunk) const;
    std::vector<std::byte> packed_chunk(std::int64_t chunk) const;

private:
    const MapPlan& plan_;
    std::int64_t part_;
    std::unique_ptr<io::SectionFile> file_;
};

/// The files of all parts. Thread-safe.
class MappedFiles {
public:
    /// @param plan must outlive this object
    MappedFiles(const MapPlan& plan, std::string folder) : plan_(plan), folder_(std::move(folder)) {}
    /// @throw as MappedFile()
    std::shared_ptr<const MappedFile> file(std::int64_t part) const;
    /// The chunks of the files. This object must outlive the result.
    ChunkFiles chunks() const;

private:
    const MapPlan& plan_;
    std::string folder_;
    mutable OpenFiles<MappedFile> open_;
};

}  // namespace voxcc::parts
