#include "src/pipeline/series_files.h"

#include "src/pipeline/opened_volume.h"

#include <algorithm>

namespace voxcc {
namespace {

bool has_components(const LabelledVolume& volume, const LabelledComponents& components, const Selection& selection) {
    const SumTable &a = volume.labelled.sums, &b = components.sums;
    if (a.size() != b.size() || volume.selection.count != selection.count) return false;
    for (std::size_t row = 0; row < a.size(); ++row)
        if (a.voxels(row) != b.voxels(row)) return false;
    return true;
}

}  // namespace

bool types_are_known(const VolumePaths& paths, const LabelOptions& options) {
    return !paths.contains(io::Content::sizes) && (options.dtype || !paths.contains(io::Content::labels));
}

SeriesFiles::SeriesFiles(const VolumePaths& paths, Volumes volumes, const LabelOptions& options, io::OutputFiles& outputs)
    : volumes_(std::move(volumes)) {
    for (const auto& [content, path] : paths) {
        io::LabelVolume file = description_of(content, path, volumes_.info, volumes_.largest, options);
        file.volumes = volumes_.count;
        file.threads = volumes_.threads;
        if (content == io::Content::labels && !volumes_.labelled) file.largest.reset();
        files_.try_emplace(content, file, outputs);
    }
}

SeriesFile* SeriesFiles::find(io::Content content) {
    const auto file = files_.find(content);
    return file == files_.end() ? nullptr : &file->second;
}

void SeriesFiles::require_same(const OpenedVolume& volume, const LabelledComponents& components, const Selection& selection) const {
    const io::VolumeInfo& info = volume.described.info;
    const bool fits = info.extent == volumes_.info.extent && info.type == volumes_.info.type;
    const auto place = std::size_t(volume.job.place);
    if (fits && (!volumes_.labelled || has_components((*volumes_.labelled)[place], components, selection))) return;
    throw Error(ErrorKind::changed_file, volume.job.input, "has changed while it was labelled");
}

void SeriesFiles::fail() {
    for (auto& [content, file] : files_) file.turnstile.fail();
}

void SeriesFiles::finish() {
    for (auto& [content, file] : files_) file.writer->finish();
}

}  // namespace voxcc
