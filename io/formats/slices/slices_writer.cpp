// Writer of a label volume as numbered TIFF slices; one slice is open at a time.
#include "io/formats/slices/slice_names.h"
#include "io/formats/slices/slices.h"
#include "io/formats/tiff/tiff_labels.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

namespace voxcc::io {
namespace {

constexpr std::size_t least_digits = 4;

TiffFormat one_page(TiffFormat format) {
    format.extent.nz = 1;
    return format;
}

// Refuses existing slices beyond this volume under the same names, which would be read as part of it.
void refuse_leftovers(const std::string& names, std::int64_t count) {
    const SliceTemplate pattern = parse_slice_template(names);
    for (const NumberedFile& file : files_of_template(names))
        if (file.number >= count || file.path != pattern.name(file.number))
            throw Error(ErrorKind::cannot_create, file.path,
                        "exists already and would be read as a slice of this volume; remove it, or write to another folder");
}

std::string word_of(Content content) {
    switch (content) {
        case Content::labels: return "label";
        case Content::values: return "value";
        case Content::sizes: return "size";
        case Content::mask: return "mask";
    }
    throw Error(ErrorKind::internal, "slices", "an unknown content");
}

// @return the template that `path` stands for, with `digits` digits if it is a folder
std::string names_for(const std::string& path, Content content, std::size_t digits) {
    if (is_slice_template(path)) return path;
    return (std::filesystem::path(path) / (word_of(content) + "_%0" + std::to_string(digits) + "d.tif")).string();
}

std::string names_of_slices(const std::string& path, Content content, std::int64_t count) {
    return names_for(path, content, std::max(least_digits, std::to_string(count - 1).size()));
}

// Creates the folder and checks all outputs. @return the template that the path stands for
std::string prepare(const LabelVolume& volume, OutputFiles& outputs) {
    if (!is_slice_template(volume.path)) outputs.create_folder(volume.path);
    check_label_slices(volume.path, volume.like->extent, outputs, volume.content);
    return names_of_slices(volume.path, volume.content, volume.like->extent.nz);
}

class SlicesWriter final : public TiffLabelWriter {
public:
    SlicesWriter(const LabelVolume& volume, OutputFiles& outputs)
        : TiffLabelWriter(volume), names_(parse_slice_template(prepare(volume, outputs))), outputs_(outputs) {}

    void finish() override {
        if (slice_ || next_ != format().extent.nz) throw Error(ErrorKind::internal, path(), "finished before its last slice");
    }

private:
    void append_strip(std::span<const std::byte> strip) override {
        if (!slice_) slice_.emplace(outputs_.create(names_.name(next_++)), one_page(format()));
        slice_->append_strip(strip);
        if (!slice_->is_complete()) return;
        slice_->finish();  // closed immediately, so that thousands of slices do not need as many file descriptors
        slice_.reset();
    }

    SliceTemplate names_;
    OutputFiles& outputs_;
    std::optional<TiffFile> slice_;
    std::int64_t next_ = 0;
};

}  // namespace

std::unique_ptr<LabelWriter> create_slices(const LabelVolume& volume, OutputFiles& outputs) {
    return std::make_unique<SlicesWriter>(volume, outputs);
}

void check_slices_output(const std::string& path, int compress, const OutputFiles& outputs, Content content) {
    for (const std::string& file : existing_label_slices(path, compress, content)) outputs.check(file);
    check_folder(folder_for(path));  // the list of existing files can be empty
    std::error_code error;
    (void)std::filesystem::symlink_status(path, error);
    if (error.value() == ENAMETOOLONG) throw system_error(path, "create", ENAMETOOLONG, Access::write);
}

void check_label_slices(const std::string& path, const Extent& extent, const OutputFiles& outputs, Content content) {
    const std::string names = names_of_slices(path, content, extent.nz);
    const SliceTemplate pattern = parse_slice_template(names);
    std::error_code ignored;
    if (!std::filesystem::is_directory(pattern.folder, ignored)) return;  // the folder will be created, so it contains no files
    for (std::int64_t z = 0; z < extent.nz; ++z) outputs.check(pattern.name(z));
    refuse_leftovers(names, extent.nz);
}

std::vector<std::string> existing_label_slices(const std::string& path, int /*compress*/, Content content) {
    const std::string names = names_for(path, content, least_digits);
    std::error_code ignored;
    if (!std::filesystem::is_directory(parse_slice_template(names).folder, ignored)) return {};
    std::vector<std::string> files;
    for (const NumberedFile& file : files_of_template(names)) files.push_back(file.path);
    return files;
}

}  // namespace voxcc::io
