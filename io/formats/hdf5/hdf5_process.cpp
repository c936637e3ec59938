#include "io/formats/hdf5/hdf5_process.h"

#include "io/formats/hdf5/hdf5_library.h"
#include "io/process/sandbox.h"
#include "io/shared_by_formats.h"

#include <algorithm>

namespace voxcc::io::hdf5 {
namespace {

constexpr std::uint64_t most_sent_axes = 32, most_sent_filters = 32, most_sent_values = 32, most_sent_fill = 64;
constexpr std::int64_t copies_of_file = 4;                // in memory, at most
constexpr std::int64_t unpacked_per_second = 10'000'000;  // bytes: a tenth of the speed of the slowest filter

// ---- protocol

enum class Question : std::uint8_t { locate, read };

void put_layout(Channel& channel, const Layout& l) {
    channel.put_text(l.dataset);
    channel.put(l.storage);
    channel.put(l.element.voxel), channel.put(l.element.conversion), channel.put(l.element.bytes);
    for (const auto* list : {&l.shape, &l.chunk, &l.start}) channel.put_list(*list);
    channel.put_bool(l.z.has_value());
    for (const std::size_t axis : {l.z.value_or(0), l.y, l.x}) channel.put(std::uint64_t(axis));
    channel.put(std::uint64_t(l.filters.size()));
    for (const Filter& filter : l.filters) channel.put(filter.id), channel.put_list(filter.values);
    channel.put_list(l.fill);
    channel.put(l.offset);
}

Layout get_layout(Channel& channel) {
    Layout l;
    l.dataset = channel.get_text();
    l.storage = channel.get_enum(Storage::library);
    l.element.voxel = channel.get_enum(ScalarType::f64);
    l.element.conversion = channel.get_enum(Conversion::swapped_half);
    l.element.bytes = channel.get<std::int64_t>();
    for (auto* list : {&l.shape, &l.chunk, &l.start}) *list = channel.get_list<std::int64_t>(most_sent_axes);
    const bool has_z = channel.get_bool();
    const auto z = channel.get<std::uint64_t>();
    if (has_z) l.z = z;
    l.y = channel.get<std::uint64_t>(), l.x = channel.get<std::uint64_t>();
    for (std::size_t n = channel.get_count(most_sent_filters); n > 0; --n) {
        Filter& filter = l.filters.emplace_back();
        filter.id = channel.get<int>();
        filter.values = channel.get_list<unsigned>(most_sent_values);
    }
    for (const std::uint8_t byte : channel.get_list<std::uint8_t>(most_sent_fill)) l.fill.push_back(std::byte{byte});
    l.offset = channel.get<std::int64_t>();
    return l;
}

// ---- child process

// The values of a MINC image are scaled by other datasets of the file, which are not read.
void refuse_minc(const File& file, const Listing& listing) {
    const auto image =
        std::ranges::find_if(listing.candidates, [](const std::string& path) { return path.starts_with("/minc-2.0/image/"); });
    if (image == listing.candidates.end()) return;
    throw Error(ErrorKind::unsupported_file, file.path(),
                "is a MINC image, whose values are scaled and have a position; convert it with 'mnc2nii', or choose its dataset " + *image +
                    " to read the values as they are stored");
}

/// The datasets that can be the volume, for a choice.
std::string candidates_text(const Listing& listing) {
    constexpr std::size_t most = 10;
    std::vector<Dataset> candidates;
    for (const Dataset& dataset : listing.datasets)
        if (std::ranges::find(listing.candidates, dataset.path) != listing.candidates.end()) candidates.push_back(dataset);
    return to_text(candidates, most);
}

void require_readable(const File& file, const Listing& listing) {
    if (listing.datasets.empty() && !listing.warnings.empty())
        throw Error(ErrorKind::invalid_file, file.path(), "holds no dataset that can be read: " + listing.warnings.front());
}

std::string choose(const File& file, const Listing& listing) {
    refuse_minc(file, listing);
    if (listing.candidates.size() == 1) return listing.candidates.front();
    if (!listing.candidates.empty())
        throw Error(ErrorKind::several_datasets, file.path(), "holds several datasets that could be the volume", candidates_text(listing));
    require_readable(file, listing);
    throw Error(ErrorKind::invalid_file, file.path(),
                "holds no dataset that could be a volume: " + to_text(listing.datasets) +
                    (listing.warnings.empty() ? "" : ", not readable: " + listing.warnings.front()) +
                    "; store the volume as a dataset of numbers with 2 to 4 axes");
}

/// Adds the warnings about the file, which do not depend on the dataset.
void add_warnings(const File& file, const Listing& listing, VolumeInfo& info) {
    if (const std::int64_t bytes = file.bytes_after_end()) info.warnings.push_back(ignored_bytes(bytes, "the end of the HDF5 data"));
    info.warnings.insert(info.warnings.end(), listing.warnings.begin(), listing.warnings.end());
}

VolumeInfo info_of(const File& file, const StoredDataset& dataset, const Axes& axes) {
    VolumeInfo info;
    info.path = file.path();
    info.format = "HDF5";
    info.compression = compression_of(dataset.filters);
    info.extent = axes.extent(dataset);
    info.type = *dataset.element.voxel;
    checked_bytes(info.extent, size_of(info.type), file.path());
    info.stored_type = dataset.element.name;
    info.dimensions = info.extent.nz == 1 ? 2 : 3;
    info.volumes = axes.count(dataset);
    info.geometry = geometry_of(file, dataset);
    info.dataset = dataset.path;
    info.datasets = {{dataset.path, dataset.element.name, {dataset.shape.begin(), dataset.shape.end()}}};
    return info;
}

std::int64_t chosen_volume(const File& file, const StoredDataset& dataset, const Axes& axes, const OpenOptions& options) {
    const std::int64_t count = axes.count(dataset);
    if (!options.volume && count > 1)
        throw Error(ErrorKind::several_volumes, file.path(),
                    dataset.path + " holds " + std::to_string(count) + " volumes along " + axes.volumes_text(dataset),
                    volume_numbers(count));
    const std::int64_t volume = options.volume.value_or(0);
    if (volume < 0 || volume >= count)
        throw Error(ErrorKind::no_such_volume, file.path(), dataset.path + " has no volume " + std::to_string(volume),
                    volume_numbers(count));
    return volume;
}

void answer_read(Channel& channel, const LibraryVoxels& voxels) {
    const std::vector<std::byte> read = voxels.read(channel.get<Box>());
    put_done(channel);
    channel.send(read);
}

void serve_volume(Channel& channel, const InputFile& input, const OpenOptions& options) {
    Lock::renew_after_fork();
    const Lock lock;
    const File file(input, options.external);
    const Listing listing = options.dataset.empty() ? list_datasets(file) : Listing();
    StoredDataset dataset = open_dataset(file, options.dataset.empty() ? choose(file, listing) : options.dataset, options.external);
    const Axes axes = axes_of(file, dataset);
    const std::int64_t volume = chosen_volume(file, dataset, axes, options);
    VolumeInfo info = info_of(file, dataset, axes);
    if (!listing.datasets.empty()) info.datasets = listing.datasets;
    add_warnings(file, listing, info);
    const LibraryVoxels voxels(file, std::move(dataset), axes, volume);
    put_done(channel);
    put_info(channel, info);
    put_layout(channel, voxels.layout());
    for (;;) {
        const auto question = channel.get_enum(Question::read);
        if (question == Question::read) {
            answer_read(channel, voxels);
            continue;
        }
        const std::vector<ChunkLocation> locations = voxels.locate(channel.get<ChunkNumbers>());
        put_done(channel);
        channel.put_list(locations);
    }
}

void serve_description(Channel& channel, const InputFile& input, const OpenOptions& options) {
    Lock::renew_after_fork();
    const Lock lock;
    const File file(input, options.external);
    Listing listing = list_datasets(file);
    if (options.dataset.empty()) require_readable(file, listing);
    VolumeInfo info;
    if (!options.dataset.empty() || listing.candidates.size() == 1) {
        const std::string chosen = options.dataset.empty() ? listing.candidates.front() : options.dataset;
        const StoredDataset dataset = open_dataset(file, chosen, options.external);
        info = info_of(file, dataset, axes_of(file, dataset));
    }
    info.path = input.path();
    info.format = "HDF5";
    info.datasets = std::move(listing.datasets);
    add_warnings(file, listing, info);
    put_done(channel);
    put_info(channel, info);
}

void serve_files(Channel& channel, const InputFile& input, const OpenOptions& options) {
    Lock::renew_after_fork();
    const Lock lock;
    const File file(input, options.external);
    open_dataset(file, options.dataset.empty() ? choose(file, list_datasets(file)) : options.dataset, options.external);
    put_done(channel);
    put_texts(channel, file.further_files());
}

// The library keeps the metadata of the file.
ChildLimits limits_for(const InputFile& input) { return {.memory = ChildLimits::base_memory + copies_of_file * input.size()}; }

using Serve = void (*)(Channel&, const InputFile&, const OpenOptions&);

// Starts the child process. This process writes with the library; the lock ensures that no call is active during the fork.
std::unique_ptr<ChildProcess> start(const InputFile& input, const OpenOptions& options, Serve serve) {
    lock_shared(input);
    const Lock lock;
    ChildInputs inputs{.descriptor = input.descriptor(), .readable = {}};
    if (options.external == ExternalFiles::allow) inputs.readable = folders_without_processes();
    return std::make_unique<ChildProcess>(input.path(), limits_for(input), inputs,
                                          [&](Channel& channel) { serve(channel, input, options); });
}

}  // namespace

Hdf5Process::Hdf5Process(const InputFile& input, const OpenOptions& options) : input_(input), child_(start(input, options, serve_volume)) {
    child_->ask([&](Channel& channel) {
        expect_done(channel);
        info_ = get_info(channel);
        layout_ = get_layout(channel);
        if (info_.type != layout_.element.voxel || !is_consistent(layout_, info_.extent, input_.size())) throw Channel::Invalid();
    });
}

std::vector<ChunkLocation> Hdf5Process::locate(const ChunkNumbers& chunks) {
    return child_->ask([&](Channel& channel) {
        channel.put(Question::locate);
        channel.put(chunks);
        expect_done(channel);
        std::vector<ChunkLocation> locations = channel.get_list<ChunkLocation>(std::uint64_t(chunks.count));
        if (locations.size() != std::size_t(chunks.count)) throw Channel::Invalid();
        for (const ChunkLocation& chunk : locations)
            if (chunk.is_stored() && (chunk.bytes < 1 || chunk.bytes > input_.size() || chunk.offset > input_.size() - chunk.bytes))
                throw Error(ErrorKind::damaged_file, input_.path(),
                            "a chunk of " + layout_.dataset + " claims " + std::to_string(chunk.bytes) + " bytes from byte " +
                                std::to_string(chunk.offset) + " on, the file has " + std::to_string(input_.size()));
        return locations;
    });
}

void Hdf5Process::read(const Box& box, std::byte* to) {
    const std::int64_t bytes = std::int64_t(box.voxels()) * size_of(info_.type), chunk = std::min(layout_.chunk_bytes(), largest_chunk);
    const ChildLimits limits = limits_for(input_);
    child_->allow(limits.memory + 2 * bytes + 3 * chunk, limits.processor_seconds + int((bytes + chunk) / unpacked_per_second));
    child_->ask([&](Channel& channel) {
        channel.put(Question::read);
        channel.put(box);
        expect_done(channel);
        channel.receive({to, std::size_t(bytes)});
    });
    child_->allow(limits.memory, limits.processor_seconds);
}

VolumeInfo describe_in_process(const InputFile& input, const OpenOptions& options) {
    return start(input, options, serve_description)->ask([](Channel& channel) {
        expect_done(channel);
        return get_info(channel);
    });
}

std::vector<std::string> files_in_process(const InputFile& input, const OpenOptions& options) {
    std::vector<std::string> files{input.path()};
    if (options.external == ExternalFiles::refuse) return files;
    const auto further = start(input, options, serve_files)->ask([](Channel& channel) {
        expect_done(channel);
        return get_texts(channel);
    });
    files.insert(files.end(), further.begin(), further.end());
    return files;
}

}  // namespace voxcc::io::hdf5
