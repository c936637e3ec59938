// The file and page of each plane of an OME-TIFF.
#include "io/formats/tiff/ome_xml.h"

#include <algorithm>
#include <filesystem>

namespace voxcc::io {
namespace {

// Consecutive planes in consecutive pages of one file.
struct Stretch {
    std::int64_t plane = 0;
    PlanePlace first;
    std::int64_t count = 0;
};

// The files of a set, in the order of PlanePlace::file. The file itself is the first.
class Files {
public:
    Files(const TiffDescription& description, const OmeXml& ome) : description_(description), uuid_(ome.uuid), pages_{description.pages} {
        is_alone_ = std::ranges::all_of(ome.tiff_data, [&](const TiffData& data) { return data.file == ome.tiff_data.front().file; });
    }

    /// @return the number of the file
    std::int64_t number_of(const NamedFile& file) {
        if (is_itself(file)) return 0;
        const auto known = std::ranges::find(further_, file);
        if (known != further_.end()) return 1 + (known - further_.begin());
        pages_.push_back(description_.open_further_file(file));
        further_.push_back(file);
        return std::int64_t(further_.size());
    }
    std::int64_t pages_of(std::int64_t number) const { return pages_[std::size_t(number)]; }
    std::int64_t count() const { return std::int64_t(pages_.size()); }
    std::string name_of(std::int64_t number) const { return number == 0 ? "the file" : "'" + further_[std::size_t(number - 1)].name + "'"; }

private:
    // A single file can have been renamed. In a set, the UUID or the name tells which file this is.
    bool is_itself(const NamedFile& file) const {
        if (is_alone_ || file == NamedFile{}) return true;
        if (!file.uuid.empty() && !uuid_.empty()) return file.uuid == uuid_;
        return file.name == std::filesystem::path(description_.path).filename().string();
    }

    const TiffDescription& description_;
    std::string uuid_;
    bool is_alone_ = false;
    std::vector<NamedFile> further_;
    std::vector<std::int64_t> pages_;  // of each file
};

// TiffData: PlaneCount planes, starting at (FirstZ, FirstC, FirstT), are in the pages from IFD on.
Stretch stretch_of(const TiffDescription& d, const PageStack& stack, const TiffData& data, Files& files) {
    Stretch stretch;
    std::int64_t stride = 1;
    for (const PageAxis& axis : stack.axes) {
        const std::int64_t first = whole_number(d.path, data.attributes, std::string("First") + axis.name).value_or(0);
        if (first >= axis.size) refuse_ome(d.path, std::string("First") + axis.name + " is beyond the last plane");
        stretch.plane += first * stride;
        stride *= axis.size;
    }
    const auto page = whole_number(d.path, data.attributes, "IFD"), count = whole_number(d.path, data.attributes, "PlaneCount");
    stretch.first = {files.number_of(data.file), page.value_or(0)};
    const std::int64_t pages = files.pages_of(stretch.first.file);
    stretch.count = count.value_or(page ? 1 : pages);
    if (stretch.first.page > pages || stretch.count > pages - stretch.first.page)
        refuse_ome(d.path, "names page " + std::to_string(stretch.first.page) + " (from 0) and following ones, but " +
                               files.name_of(stretch.first.file) + " has " + std::to_string(pages) + (pages == 1 ? " page" : " pages"));
    if (stretch.count > stack.planes() - stretch.plane) refuse_ome(d.path, "TiffData names planes beyond the last one");
    return stretch;
}

}  // namespace

std::vector<PlanePlace> places_of_planes(const TiffDescription& d, const PageStack& stack, const OmeXml& ome) {
    if (ome.tiff_data.empty()) return {};
    Files files(d, ome);
    std::vector<Stretch> stretches;
    for (const TiffData& data : ome.tiff_data) stretches.push_back(stretch_of(d, stack, data, files));

    // The tables below are not larger than the pages of all files.
    std::int64_t pages = 0, missing = stack.planes();
    for (std::int64_t file = 0; file < files.count(); ++file) pages += files.pages_of(file);
    if (missing > pages)
        refuse_ome(d.path, "tells of " + std::to_string(missing) + " planes, but there are " + std::to_string(pages) +
                               (pages == 1 ? " page" : " pages"));
    std::vector<PlanePlace> places(std::size_t(missing), PlanePlace{-1, -1});
    std::vector<std::vector<char>> is_used;
    for (std::int64_t file = 0; file < files.count(); ++file) is_used.emplace_back(std::size_t(files.pages_of(file)), 0);
    for (const Stretch& stretch : stretches)
        for (std::int64_t i = 0; i < stretch.count; ++i) {
            const PlanePlace place{stretch.first.file, stretch.first.page + i};
            if (is_used[std::size_t(place.file)][std::size_t(place.page)]++)
                refuse_ome(d.path, "two planes in page " + std::to_string(place.page) + " (from 0) of " + files.name_of(place.file));
            if (places[std::size_t(stretch.plane + i)].file >= 0)
                refuse_ome(d.path, "two pages for plane " + std::to_string(stretch.plane + i) + " (from 0)");
            places[std::size_t(stretch.plane + i)] = place;
            --missing;
        }
    if (missing > 0) refuse_ome(d.path, "TiffData leaves out " + std::to_string(missing) + (missing == 1 ? " plane" : " planes"));
    return places;
}

}  // namespace voxcc::io
