#include "io/formats/tiff/stored_directory.h"

#include <tiffio.h>
#include <limits>

namespace voxcc::io {

std::uint64_t StoredEntry::bytes() const {
    const auto width = std::uint64_t(std::max(0, TIFFDataWidth(TIFFDataType(type))));
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return width == 0 || count > most / width ? most : count * width;
}

std::optional<StoredDirectory> StoredDirectory::read(const InputFile& file, const TiffForm& form, std::uint64_t begin) {
    constexpr std::uint64_t common_bytes = 512;  // most directories are smaller, so that one read is enough
    if (begin > std::uint64_t(file.size())) return std::nullopt;
    StoredDirectory directory(form, begin);
    const auto read_up_to = [&](std::uint64_t most) {  // fewer bytes only at the end of the file
        directory.bytes_.resize(std::size_t(most));
        directory.bytes_.resize(file.read_some(std::int64_t(begin), directory.bytes_));
        return directory.bytes_.size();
    };
    if (read_up_to(common_bytes) < directory.count_bytes()) return std::nullopt;
    if (directory.bytes_.size() < directory.size() && read_up_to(directory.size()) < directory.size()) return std::nullopt;
    return directory;
}

std::uint64_t StoredDirectory::entries() const {
    constexpr std::uint64_t most_entries = 4096;  // limit of libtiff for one directory
    return std::min(most_entries, form_.is_big ? number<std::uint64_t>(0) : std::uint64_t(number<std::uint16_t>(0)));
}

StoredEntry StoredDirectory::entry(std::uint64_t i) const {
    const std::uint64_t at = count_bytes() + i * entry_bytes(), value = at + 4 + offset_bytes();
    StoredEntry entry{number<std::uint16_t>(at), number<std::uint16_t>(at + 2), offset(at + 4), begin_ + value};
    if (entry.bytes() > offset_bytes()) entry.value_at = offset(value);
    return entry;
}

}  // namespace voxcc::io
