#include "src/pipeline/series_files.h"

#include <algorithm>

namespace voxcc {
namespace {

bool have_same_components(const LabelledVolume& a, const LabelledVolume& b) {
    if (a.sums.size() != b.sums.size() || a.selection.count != b.selection.count) return false;
    for (std::size_t row = 0; row < a.sums.size(); ++row)
        if (a.sums.voxels(row) != b.sums.voxels(row)) return false;
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

void SeriesFiles::require_same(const LabelledVolume& v, std::int64_t place) const {
    const bool fits = v.info.extent == volumes_.info.extent && v.info.type == volumes_.info.type;
    if (fits && (!volumes_.labelled || have_same_components(v, (*volumes_.labelled)[std::size_t(place)]))) return;
    throw Error(ErrorKind::changed_file, v.job.input, "has changed while it was labelled");
}

void SeriesFiles::fail() {
    for (auto& [content, file] : files_) file.turnstile.fail();
}

void SeriesFiles::finish() {
    for (auto& [content, file] : files_) file.writer->finish();
}

}  // namespace voxcc
