// The picture of --preview that has a tile for each of several volumes.
#pragma once
#include "src/pipeline/labelled_volume.h"
#include "src/pipeline/preview/sheet.h"

namespace voxcc {

/// Collects tiles in order. Writes a file whenever its tiles are complete, so that there are never more than tiles_per_sheet tiles.
/// Not thread-safe.
class PreviewSheet {
public:
    /// @param path of the first file, see preview::sheet_names() @param names of the inputs in the picture
    /// @param outputs must outlive this object
    PreviewSheet(std::string path, std::vector<std::string> names, io::OutputFiles& outputs)
        : path_(std::move(path)), names_(std::move(names)), outputs_(outputs) {}
    /// Adds a tile per volume. @param input index of the input @throw the exceptions of preview::write_sheet()
    void add(const std::vector<LabelledVolume>& volumes, std::size_t input);
    /// Adds a tile that states that an input has failed.
    void add_failed(std::size_t input) { add({.name = names_[input], .picture = {}}); }
    /// Writes the remaining tiles.
    void finish();

private:
    void add(preview::Tile tile);

    const std::string path_;
    const std::vector<std::string> names_;  // by input
    io::OutputFiles& outputs_;
    std::vector<preview::Tile> tiles_;  // of the next file
    std::size_t files_ = 0;             // that are written
};

}  // namespace voxcc
