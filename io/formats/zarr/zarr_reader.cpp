// Reader of Zarr arrays: v2 and v3, with the axes and levels of OME-Zarr.
#include "io/files/journal.h"
#include "io/formats/zarr/array_volumes.h"
#include "io/formats/zarr/place.h"
#include "io/formats/zarr/zarr.h"
#include "io/optional_libraries.h"
#include "io/shared_by_formats.h"

#include <blosc.h>
#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>

namespace voxcc::io {
namespace {

using namespace zarr;

void refuse_itk(const std::string& path, const OpenOptions& options) {
    if (options.reader == ReaderChoice::itk) throw Error(ErrorKind::unsupported_by_reader, path, "ITK does not read Zarr", "voxcc");
}

/// The path of the dataset in the store. The option counts from the folder that the user named.
std::string dataset_in(const Place& place, const OpenOptions& options) {
    if (options.dataset.empty() || place.dataset.empty()) return options.dataset.empty() ? place.dataset : options.dataset;
    throw Error(ErrorKind::no_such_dataset, place.store->path() + "/" + place.dataset,
                "is one array, and has no array '" + options.dataset + "'");
}

std::string fill_text(const ArrayMetadata& array) {
    return visit_scalar(array.type.type, [&]<class T>(std::type_identity<T>) {
        T value;
        std::memcpy(&value, array.fill.data(), sizeof value);
        std::array<char, 40> text{};
        return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
    });
}

/// The number of shards or chunks that voxcc has written, from its own attribute; empty in arrays of other programs.
std::optional<std::int64_t> files_written(const ArrayMetadata& array) {
    const auto own = array.attributes.find("voxcc");
    if (own == array.attributes.end() || !own->is_object()) return {};
    const auto files = own->find("chunks_written");
    if (files == own->end() || !files->is_number_unsigned() || files->get<std::uint64_t>() > std::uint64_t(array.stored_units())) return {};
    return files->get<std::int64_t>();
}

void add_chunks(const Store& store, const ChosenArray& chosen, MissingChunks missing, VolumeInfo& info) {
    constexpr std::int64_t most_without_chunks = std::int64_t{1} << 40;
    const ArrayMetadata& array = chosen.array;
    StoredChunks chunks{array.chunk, {}, array.stored_units(), count_stored(store, chosen.path, array), fill_text(array)};
    if (array.sharding) chunks.shard = array.sharding->shard;
    const std::string unit = array.sharding ? "shards" : "chunks", fill = "the fill value " + chunks.fill;
    if (chunks.stored == 0 && info.extent.voxels() > most_without_chunks / info.volumes)
        throw Error(ErrorKind::invalid_file, store.name_of(chosen.path),
                    "has no " + unit + ", but its metadata state " + std::to_string(info.extent.voxels() * info.volumes) + " voxels");
    const auto written = files_written(array);
    if (written && chunks.stored < *written)
        throw Error(ErrorKind::truncated_file, store.name_of(chosen.path),
                    std::to_string(*written - chunks.stored) + " of the " + std::to_string(*written) + " " + unit +
                        " that were written are missing");
    const bool is_complete = written == chunks.stored;  // the voxels of all other chunks are 0
    if (missing == MissingChunks::refuse && !is_complete && chunks.stored < chunks.total)
        throw Error(ErrorKind::truncated_file, store.name_of(chosen.path),
                    std::to_string(chunks.total - chunks.stored) + " of " + std::to_string(chunks.total) + " " + unit + " are not stored");
    if (chunks.stored == 0 && !is_complete) info.warnings.push_back("has no " + unit + "; all voxels have " + fill);
    else if (chunks.stored < chunks.total && !is_complete)
        info.warnings.push_back(std::to_string(chunks.total - chunks.stored) + " of " + std::to_string(chunks.total) + " " + unit +
                                " are not stored; their voxels have " + fill);
    std::get<ZarrDetails>(info.details).chunks = std::move(chunks);
}

/// A store, its chosen array, and the description of its volumes.
struct Opened {
    std::unique_ptr<Store> store;
    ChosenArray chosen;
    ArrayVolumes volumes;
    VolumeInfo info;
};

/// Checks the folders of an array against the journals of the folders that contain them. The metadata of the groups above the array are
/// not checked, because an array can be read while labels beside it are replaced.
void require_published_in(const Store& store, const std::string& array) {
    for (std::size_t end = array.find('/'); !array.empty(); end = array.find('/', end + 1)) {
        require_published(store.name_of(array.substr(0, end)));
        if (end == std::string::npos) return;
    }
}

/// Takes the store of a place. @return empty if several arrays are possible; the place then keeps its store
std::optional<Opened> open_array(Place& place, const std::string& path, const OpenOptions& options) {
    auto chosen = choose_array(*place.store, dataset_in(place, options));
    if (!chosen) return {};
    require_published_in(*place.store, chosen->path);
    Opened opened{std::move(place.store), std::move(*chosen), {}, {}};
    opened.volumes = volumes_of(opened.chosen, opened.store->name_of(opened.chosen.path));
    opened.info = describe_array(opened.chosen, opened.volumes);
    opened.info.path = path;
    add_chunks(*opened.store, opened.chosen, options.missing_chunks, opened.info);
    return opened;
}

std::string details_of(const ArrayVolumes& volumes) {
    std::string text;
    for (const std::size_t axis : volumes.volumes) {
        const ZarrAxis& a = volumes.axes[axis];
        if (a.size > 1)
            text +=
                (text.empty() ? ": axis " : ", axis ") + (a.name.empty() ? std::to_string(axis) : a.name) + " of " + std::to_string(a.size);
    }
    return text;
}

class ZarrReader final : public ChunkedReader {
public:
    ZarrReader(Opened opened, const OpenOptions& options)
        : opened_(std::move(opened)),
          chunks_(*opened_.store, opened_.chosen.path, opened_.chosen.array,
                  volume_axes(opened_.volumes, chosen_volume(opened_.info, options, details_of(opened_.volumes)))) {
        info_ = opened_.info;
        read_by_chunks(step_of(info_.extent.nx * size_of(info_.type)), step_of((info_.extent.nx + 63) / 64 * 8));
    }
    void use_threads(int threads) override { chunks_.use_threads(int(std::min<std::int64_t>(threads, chunks_together()))); }
    std::int64_t bytes_for_threads(int threads) const override {
        return std::max<std::int64_t>(std::min<std::int64_t>(threads, chunks_together()) - 1, 0) * chunks_.thread_bytes();
    }

private:
    std::int64_t chunks_per_layer() const {
        return ((info_.extent.nx - 1) / chunks_.width() + 1) * ((info_.extent.ny - 1) / chunks_.height() + 1);
    }
    std::int64_t chunks_together() const {
        const std::int64_t slices = std::max<std::int64_t>(rows_per_read() / info_.extent.ny, 1);
        return chunks_per_layer() * ((slices - 1) / chunks_.depth() + 1);
    }
    /// Flat chunks are read in several layers, so that all threads have chunks to decode.
    Step step_of(std::int64_t row_bytes) const {
        constexpr std::int64_t chunks_wanted = 32, most_bytes = std::int64_t{16} << 20;
        const std::int64_t layer_bytes = chunks_.depth() * info_.extent.ny * row_bytes;
        const std::int64_t layers =
            std::min((chunks_wanted - 1) / chunks_per_layer() + 1, most_bytes / std::max<std::int64_t>(layer_bytes, 1));
        return {chunks_.depth() * std::max<std::int64_t>(layers, 1), chunks_.height()};
    }

    void read_box(const Box& box, std::byte* to) override { chunks_.read(box, to); }
    std::optional<std::int64_t> bytes_of_parts() const override { return chunks_.first_thread_bytes(); }
    void visit_box(const Box& box, const PartVisitor& visit, Visits visits) override { chunks_.visit(box, visit, visits); }
    std::int64_t first_column(std::int64_t x) const override { return x; }

    Opened opened_;
    VolumeChunks chunks_;
};

/// The levels of the image with their shapes. A level that cannot be read has no shape.
std::vector<ResolutionLevel> levels_of(const Opened& opened, std::vector<std::string>& warnings) {
    std::vector<ResolutionLevel> levels;
    if (!opened.chosen.image) return levels;
    for (const Level& level : opened.chosen.image->levels) {
        const std::string path = joined(opened.chosen.group, level.path);
        try {
            const auto node = read_node(*opened.store, path);
            if (!node || !node->is_array) throw Error(ErrorKind::missing_part, path, "is missing");
            levels.push_back({"/" + path, array_of(*node).shape, level.scale});
        } catch (const Error& error) {
            if (!is_about_content(error.kind()) && error.kind() != ErrorKind::missing_part) throw;
            warnings.push_back("level " + level.path + ": " + error.cause());
        }
    }
    return levels;
}

void add_files(const Store& store, const std::string& folder, std::vector<std::string>& files) {
    std::vector<std::string> folders;
    store.each_entry(folder, [&](const Entry& entry) {
        if (entry.is_folder) folders.push_back(joined(folder, entry.name));
        else files.push_back(store.name_of(joined(folder, entry.name)));
        return true;
    });
    for (const std::string& below : folders) add_files(store, below, files);
}

}  // namespace

bool has_zarr() { return true; }
std::string blosc_version() { return BLOSC_VERSION_STRING; }

std::unique_ptr<VolumeReader> open_zarr(const std::string& path, const OpenOptions& options) {
    refuse_itk(path, options);
    Place place = open_place(path, options.external);
    auto opened = open_array(place, path, options);
    if (!opened) throw Error(ErrorKind::several_datasets, path, "holds several images", to_text(list_arrays(*place.store).choices));
    return std::make_unique<ZarrReader>(std::move(*opened), options);
}

VolumeInfo describe_zarr(const std::string& path, const OpenOptions& options) {
    refuse_itk(path, options);
    Place place = open_place(path, options.external);
    const Listing listing = list_arrays(*place.store);
    VolumeInfo info;
    info.path = path;
    info.format = "Zarr";
    if (auto opened = open_array(place, path, options)) {
        info = std::move(opened->info);
        std::get<ZarrDetails>(info.details).levels = levels_of(*opened, info.warnings);
    }
    const bool is_single_array = !place.dataset.empty() || (listing.datasets.size() == 1 && listing.datasets.front().path == "/");
    if (!is_single_array) info.datasets = listing.datasets;
    info.warnings.insert(info.warnings.end(), listing.warnings.begin(), listing.warnings.end());
    return info;
}

std::vector<std::string> files_of_zarr(const std::string& path, const OpenOptions& options) {
    std::error_code ignored;
    Place place = open_place(path, options.external);
    if (!std::filesystem::is_directory(place.store->path(), ignored)) return {path};
    const auto chosen = choose_array(*place.store, dataset_in(place, options));
    std::vector<std::string> files{path};
    if (!chosen) return files;
    add_files(*place.store, chosen->path, files);
    if (!chosen->image) return files;
    for (const char* metadata : {"zarr.json", ".zattrs", ".zgroup"})
        if (place.store->open(joined(chosen->group, metadata))) files.push_back(place.store->name_of(joined(chosen->group, metadata)));
    return files;
}

}  // namespace voxcc::io
