// The label volumes of `voxcc match -o` for a series: all frames, in which labels are the numbers of tracks.
#pragma once
#include <voxcc/match.h>
#include "src/options/match_options.h"
#include "src/pipeline/volume_writing.h"

#include <vector>

namespace voxcc {

/// A file of frames, while it is written.
class TrackedOutput {
public:
    /// @param like describes each frame @param frames their number @param tracks number of tracks, which are the labels
    /// @throw Error labels_too_large; the exceptions of io::create_label_volume()
    TrackedOutput(const MatchOptions& options, const io::VolumeInfo& like, std::int64_t frames, std::uint64_t tracks,
                  const WritingContext& context);
    /// Writes a frame. Must be called once per frame, in order.
    /// @param frame at row 0 @param objects that it had before, in ascending order of the labels
    /// @throw Error changed_file if it has other objects now
    void write(io::VolumeReader& frame, std::int64_t number, const std::vector<TrackedObject>& objects);
    /// Completes the file.
    void finish() { file_.writer->finish(); }

private:
    void write_labels(io::VolumeReader& frame, std::int64_t number, const std::vector<TrackedObject>& objects);
    void write_components(io::VolumeReader& frame, std::int64_t number, const std::vector<TrackedObject>& objects);
    void write_one(std::unique_ptr<LabelConversion> conversion, const Painter* painter, std::int64_t number);
    const MatchOptions& options_;
    const WritingContext& context_;
    SeriesFile file_;
};

}  // namespace voxcc
