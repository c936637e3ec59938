// Writer of Zarr folders: label volumes with the metadata and the levels of OME-Zarr, and plain arrays.
#include "io/formats/zarr/array_volumes.h"
#include "io/formats/zarr/block_encoder.h"
#include "io/formats/zarr/image_labels.h"
#include "io/formats/zarr/image_metadata.h"
#include "io/formats/zarr/is_zarr.h"
#include "io/formats/zarr/outer_axes.h"
#include "io/formats/zarr/output_place.h"
#include "io/formats/zarr/output_store.h"
#include "io/formats/zarr/pyramid.h"
#include "io/formats/zarr/zarr.h"
#include "io/shared_by_formats.h"

#include <voxcc/threads.h>
#include <algorithm>
#include <atomic>
#include <filesystem>

namespace voxcc::io {
namespace {

using namespace zarr;
using Ngff = ZarrForm::Ngff;
using Pyramid = ZarrForm::Pyramid;

/// What is written.
struct Plan {
    std::string target;  // folder
    ArrayForm form;
    std::vector<ArrayLayout> levels;
    std::optional<ImageDescription> description;  // empty: without OME-Zarr
    std::vector<std::string> axis_names;
    std::optional<LabelsOfImage> labels;
    Reduction reduction = Reduction::mode;
};

std::string image_name(const std::string& folder) {
    std::string name = std::filesystem::path(folder).filename().string();
    for (const std::string extension : {".zip", ".ozx", ".zarr", ".ome"})
        if (has_extension(name, {extension}) && name.size() > extension.size()) name.resize(name.size() - extension.size());
    return name;
}

Reduction reduction_of(const LabelVolume& volume) {
    const bool is_labels = volume.content == Content::labels || volume.content == Content::mask;
    if (volume.zarr.pyramid == Pyramid::automatic) return is_labels ? Reduction::mode : Reduction::nearest;
    return volume.zarr.pyramid == Pyramid::nearest ? Reduction::nearest : Reduction::mode;
}

[[noreturn]] void refuse(const LabelVolume& volume, const std::string& cause) { throw Error(ErrorKind::unsupported, volume.path, cause); }

Plan plan_of_labels(const LabelVolume& volume, const LabelsOfImage& labels, const Plan& common) {
    LabelsForm form = labels_form(labels);
    const std::string version = form.description.version;
    const Ngff ngff = volume.zarr.ngff;
    if (ngff == Ngff::none) refuse(volume, "is a label image of OME-Zarr; leave out --ngff none");
    if ((ngff == Ngff::v0_4 && version != "0.4") || (ngff == Ngff::v0_5 && version != "0.5"))
        refuse(volume, "belongs to an image of OME-Zarr " + version + ", and must have the same version");
    if (volume.zarr.pyramid == Pyramid::none && form.levels.size() > 1)
        refuse(volume, "must have the " + std::to_string(form.levels.size()) + " levels of its image");
    const Extent &own = volume.like->extent, &image = form.levels.front().extent;
    const auto text = [](const Extent& e) { return std::to_string(e.nx) + " x " + std::to_string(e.ny) + " x " + std::to_string(e.nz); };
    if (own != image)
        throw Error(ErrorKind::cannot_create, volume.path,
                    "has " + text(own) + " voxels, but the image '" + labels.image + "' has " + text(image));
    Plan plan = common;
    plan.target = labels.folder() + "/" + labels.name;
    plan.labels = labels;
    plan.form.format = form.arrays.format;
    plan.form.axes_of_volume = form.arrays.axes_of_volume;
    plan.form.outer = outer_axes_in_image(volume, form.arrays.outer);
    plan.levels = std::move(form.levels);
    plan.description = std::move(form.description);
    if (plan.levels.size() > 1) plan.description->pyramid = plan.reduction;
    plan.axis_names = axis_names(*plan.description);
    return plan;
}

Plan plan_of(const LabelVolume& volume) {
    const VolumeInfo& like = *volume.like;
    const int format = volume.zarr.ngff == Ngff::v0_4 ? 2 : 3;
    Plan plan{.target = folder_path(volume.path),
              .form = {format, volume.type, volume.compress, like.dimensions == 2 ? 2U : 3U, {}},
              .levels = {},
              .description = {},
              .axis_names = {},
              .labels = labels_of_image(volume.path),
              .reduction = reduction_of(volume)};
    if (plan.labels) return plan_of_labels(volume, *plan.labels, plan);
    plan.form.outer = outer_axes(volume);
    const bool is_plain = volume.zarr.ngff == Ngff::none;
    std::vector<Extent> extents = pyramid_of(like.extent);
    if (is_plain || volume.zarr.pyramid == Pyramid::none) extents.resize(1);
    for (std::size_t level = 0; level < extents.size(); ++level)
        plan.levels.push_back(ArrayLayout::of(is_plain ? "" : std::to_string(level), extents[level], format));
    ImageDescription description = describe_output(like, plan.form, extents, plan.reduction);
    plan.axis_names = axis_names(description);
    if (is_plain) return plan;
    description.version = format == 2 ? "0.4" : "0.5";
    description.name = image_name(plan.target);
    if (extents.size() > 1) description.pyramid = plan.reduction;
    const bool is_labels = volume.content == Content::labels || volume.content == Content::mask;
    description.kind = is_labels ? ImageDescription::Kind::labels : ImageDescription::Kind::image;
    plan.description = std::move(description);
    return plan;
}

/// RFC-9 of NGFF: the archive states its version, and that its directory lists metadata first.
std::string archive_comment(const Plan& plan) {
    const bool is_v5 = plan.description && plan.description->version == "0.5";
    return is_v5 ? R"({"ome":{"version":"0.5","zipFile":{"centralDirectory":{"jsonFirst":true}}}})" : "";
}

std::unique_ptr<OutputStore> create_store(const Plan& plan, OutputFiles& outputs) {
    if (!plan.labels && is_archive_name(plan.target)) return create_archive_store(plan.target, archive_comment(plan), outputs);
    if (plan.labels) {
        outputs.create_folder(plan.labels->folder());
        require_no_link(*plan.labels);
    } else {
        require_replaceable_store(plan.target);
    }
    return create_folder_store(plan.target, outputs);
}

class ZarrWriter final : public LabelWriter, public JoinsChunks {
public:
    ZarrWriter(const LabelVolume& volume, Plan plan, OutputFiles& outputs)
        : LabelWriter(volume, plan.levels.front().rows_per_block()),
          plan_(std::move(plan)),
          threads_(volume.threads),
          outputs_(outputs),
          output_(create_store(plan_, outputs)),
          files_(plan_.levels.size()) {}

    EncodedBlock encode(std::int64_t block, std::span<const std::byte> raw) const override {
        return encode_block(plan_.form, plan_.levels.front(), block % blocks_per_volume(), raw);
    }
    std::optional<ChunkForm> chunk_form() const override {
        if (plan_.form.compress == 0) return {};
        return ChunkForm{plan_.levels.front().chunk, plan_.form.type, plan_.form.compress};
    }
    EncodedBlock join(std::int64_t block, const AppendChunk& chunks) const override {
        return join_block(plan_.form, plan_.levels.front(), block % blocks_per_volume(), chunks);
    }
    void append(std::int64_t block, const EncodedBlock& encoded) override {
        store(0, block, encoded);
        ++appended_;
    }
    bool order_free() const override { return output_->order_free(); }

    void finish() override {
        if (appended_ != blocks()) throw Error(ErrorKind::internal, plan_.target, "finished before its last block");
        if (plan_.description) write_all(group_documents(*plan_.description, plan_.levels));
        for (std::size_t level = 0; level < plan_.levels.size(); ++level) {
            if (level > 0) write_level(level);
            write_all(array_documents(plan_.form, plan_.levels[level], plan_.axis_names, files_[level]));
        }
        output_->complete();
        if (!plan_.labels) return;
        outputs_.dependent<ImageMetadata>().add({*plan_.labels, plan_.description->version, output_->temporary()});
    }

private:
    void write_all(const std::vector<Document>& documents) {
        for (const Document& document : documents) {
            require_readable(document.text, plan_.target + "/" + document.key);
            output_->write(document.key, document.text);
        }
    }

    /// Writes the files of a block. Thread-safe for different blocks. @param block of a level, of all volumes
    void store(std::size_t level, std::int64_t block, const EncodedBlock& encoded) {
        const ArrayLayout& layout = plan_.levels[level];
        const std::int64_t volume = block / layout.blocks();
        std::size_t begin = 0, piece = 0;
        for (const Extent& unit : layout.units_of(block % layout.blocks())) {
            const std::size_t end = encoded.piece_ends[piece++];
            if (end > begin) {
                const std::string key = key_of(layout.path, plan_.form.position(volume, unit), plan_.form.keys());
                output_->write(key, std::span(encoded.bytes).subspan(begin, end - begin));
                ++files_[level];
            }
            begin = end;
        }
    }

    /// Computes a level from the stored level before it.
    void write_level(std::size_t level) {
        const auto written = output_->read_back();
        const std::string& path = plan_.levels[level - 1].path;
        const ArrayMetadata above = array_of(*read_node(*written, path));
        const ArrayLayout& layout = plan_.levels[level];
        const std::size_t axes = above.shape.size();
        ThreadPool pool(output_->order_free() ? threads_ : 1);
        pool.for_each(volumes_ * layout.blocks(), [&](std::int64_t block) {
            const std::int64_t volume = block / layout.blocks(), in_volume = block % layout.blocks();
            VolumeAxes from{.z = {}, .y = axes - 2, .x = axes - 1, .start = plan_.form.position(volume, {0, 0, 0})};
            if (plan_.form.axes_of_volume == 3) from.z = axes - 3;
            VolumeChunks chunks(*written, path, above, from);
            store(level, block, encode_block(plan_.form, layout, in_volume, reduced_block(level, in_volume, chunks)));
        });
    }

    /// The voxels of a block of a volume in a level. The slices above are read in groups of about one chunk.
    std::vector<std::byte> reduced_block(std::size_t level, std::int64_t block, VolumeChunks& above) const {
        const Extent &from = plan_.levels[level - 1].extent, &to = plan_.levels[level].extent;
        const std::int64_t voxel = size_of(plan_.form.type), rows_per_block = plan_.levels[level].rows_per_block();
        const std::int64_t first = block * rows_per_block, end = std::min(first + rows_per_block, to.rows());
        const std::int64_t factor = std::max<std::int64_t>(from.nz / to.nz, 1);
        const std::int64_t rows_per_group = std::max<std::int64_t>(above.depth() / factor, 1) * to.ny;
        std::vector<std::byte> raw(std::size_t((end - first) * to.nx * voxel)), read;
        for (std::int64_t group = first; group < end; group += rows_per_group) {
            const std::int64_t last = std::min(group + rows_per_group, end) - 1;
            const Share z{share_of(group / to.ny, from.nz, to.nz).begin, share_of(last / to.ny, from.nz, to.nz).end};
            const bool is_image = to.nz == 1;
            const Share y{is_image ? share_of(group, from.ny, to.ny).begin : 0, is_image ? share_of(last, from.ny, to.ny).end : from.ny};
            const Box box{z.begin, z.end - z.begin, y.begin, y.end - y.begin, 0, from.nx};
            read.resize(box.voxels() * std::size_t(voxel));
            above.read(box, read.data());
            const Slices slices{from, z.begin, y.begin, read, box.ny};
            for (std::int64_t row = group; row <= last; ++row)
                reduce_row(slices, plan_.form.type, to, row % to.ny, row / to.ny, plan_.reduction,
                           raw.data() + (row - first) * to.nx * voxel);
        }
        return raw;
    }

    const Plan plan_;
    int threads_;
    OutputFiles& outputs_;
    std::unique_ptr<OutputStore> output_;
    std::atomic<std::int64_t> appended_{0};
    std::vector<std::atomic<std::int64_t>> files_;  // of each level, that are stored
};

}  // namespace

std::int64_t zarr_rows_per_block(const LabelVolume& volume) { return ArrayLayout::of("", volume.like->extent, 3).rows_per_block(); }

std::unique_ptr<LabelWriter> create_zarr(const LabelVolume& volume, OutputFiles& outputs) {
    return std::make_unique<ZarrWriter>(volume, plan_of(volume), outputs);
}

}  // namespace voxcc::io
