// Files that hold all volumes of an input, one after the other, such as 4D NIfTI files.
#pragma once
#include "src/pipeline/volume_writing.h"

namespace voxcc {

struct OpenedVolume;

/// The files of one input, while they are written. Volumes may be written side by side. The blocks of a compressed file are appended in the
/// order of the volumes, so a volume waits until the volumes before it are written.
class SeriesFiles {
public:
    /// What is known of the volumes before they are written.
    struct Volumes {
        io::VolumeInfo info;                                    // of each of them
        std::int64_t count = 1;                                 // in a file
        int threads = 1;                                        // that finish() may use
        LargestNumbers largest = {};                            // not needed if types_are_known()
        const std::vector<LabelledVolume>* labelled = nullptr;  // the results that the volumes must have; null: not known yet
    };
    /// Creates the files. @param outputs must outlive this object @throw the exceptions of label_type_for() and io::create_label_volume()
    SeriesFiles(const VolumePaths& paths, Volumes volumes, const LabelOptions& options, io::OutputFiles& outputs);
    SeriesFiles(const SeriesFiles&) = delete;
    SeriesFiles& operator=(const SeriesFiles&) = delete;
    /// The file of a content; null if it is not one of these files.
    SeriesFile* find(io::Content content);
    /// @throw Error changed_file if the volume does not have the results that it must have
    void require_same(const OpenedVolume& volume, const LabelledComponents& components, const Selection& selection) const;
    /// Must be called if a volume fails. The volumes that wait then end without an error.
    void fail();
    /// Completes the files. Must be called once, after the last volume.
    void finish();

private:
    Volumes volumes_;
    std::map<io::Content, SeriesFile> files_;
};

/// Whether the types of the files are known before the volumes are labelled.
bool types_are_known(const VolumePaths& paths, const LabelOptions& options);

}  // namespace voxcc
