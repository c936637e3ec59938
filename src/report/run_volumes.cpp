#include "src/report/run_volumes.h"

#include "src/pipeline/naming.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace voxcc::report {
namespace {

/// The volume of a run that belongs to a table without the column `file`; null if several can.
const RunVolume* volume_of_table(const std::vector<RunVolume>& run, const TableVolume& volume) {
    std::vector<const RunVolume*> found;
    for (const RunVolume& entry : run)
        if (entry.volume == volume.volume) found.push_back(&entry);
    const std::string stem = std::filesystem::path(volume.table).stem().string();
    if (found.size() > 1) std::erase_if(found, [&](const RunVolume* entry) { return stem_of(entry->input) != stem; });
    return found.size() == 1 ? found.front() : nullptr;
}

const RunVolume* volume_in(const std::vector<RunVolume>& run, const TableVolume& volume) {
    if (!volume.file) return volume_of_table(run, volume);
    const auto found =
        std::ranges::find_if(run, [&](const RunVolume& entry) { return entry.input == *volume.file && entry.volume == volume.volume; });
    return found == run.end() ? nullptr : &*found;
}

TableVolume volume_without_rows(const RunVolume& run, const TableVolume& model) {
    TableVolume volume = empty_volume(model.table, model.columns);
    volume.file = run.input;
    volume.volume = run.volume;
    volume.foreground = run.foreground;
    volume.voxels_in_volume = run.voxels;
    return volume;
}

}  // namespace

void add_counts(const std::vector<RunVolume>& run, TableVolume& volume) {
    const RunVolume* const found = volume_in(run, volume);
    if (!found || found->components != volume.sizes.size()) return;
    volume.foreground = found->foreground;
    volume.voxels_in_volume = found->voxels;
}

void insert_volumes_without_rows(const std::vector<RunVolume>& run, std::vector<TableVolume>& volumes) {
    using Key = std::pair<std::string, std::optional<std::int64_t>>;  // file, number of the volume
    std::map<Key, std::size_t> places;
    for (std::size_t i = 0; i < volumes.size(); ++i) places.emplace(Key{volumes[i].file.value_or(""), volumes[i].volume}, i);
    std::vector<std::vector<TableVolume>> before(volumes.size() + 1);  // by the place of the volume that follows
    std::vector<const RunVolume*> waiting;
    const auto insert_before = [&](std::size_t place) {
        for (const RunVolume* const empty : waiting) before[place].push_back(volume_without_rows(*empty, volumes.front()));
        waiting.clear();
    };
    std::size_t end = volumes.size();
    for (const RunVolume& entry : run) {
        const auto found = places.find({entry.input, entry.volume});
        if (found == places.end()) {
            if (entry.components == 0u) waiting.push_back(&entry);
            continue;
        }
        insert_before(found->second);
        end = found->second + 1;
    }
    insert_before(end);
    std::vector<TableVolume> all;
    for (std::size_t i = 0; i <= volumes.size(); ++i) {
        std::ranges::move(before[i], std::back_inserter(all));
        if (i < volumes.size()) all.push_back(std::move(volumes[i]));
    }
    volumes = std::move(all);
}

}  // namespace voxcc::report
