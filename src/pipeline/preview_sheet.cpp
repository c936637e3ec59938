#include "src/pipeline/preview_sheet.h"

namespace voxcc {

void PreviewSheet::add(const std::vector<LabelledVolume>& volumes, std::size_t input) {
    for (const LabelledVolume& volume : volumes) {
        const std::string number = volume.job.volume ? ", volume " + std::to_string(*volume.job.volume) : "";
        add({names_[input] + number, volume.written.tile, volume.selection.count});
    }
}

void PreviewSheet::add(preview::Tile tile) {
    tiles_.push_back(std::move(tile));
    if (tiles_.size() == preview::tiles_per_sheet) finish();
}

void PreviewSheet::finish() {
    if (tiles_.empty()) return;
    preview::write_sheet(tiles_, outputs_.create(preview::sheet_name(path_, ++files_)));
    tiles_.clear();
}

}  // namespace voxcc
