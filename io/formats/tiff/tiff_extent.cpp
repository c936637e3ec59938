#include "io/formats/tiff/tiff_extent.h"

#include "io/formats/tiff/stored_directory.h"

#include <tiffio.h>
#include <set>

namespace voxcc::io {
namespace {

constexpr std::uint64_t classic_version = 42, micro_manager_index = 54773648;  // the second: at offset 8 of files of Micro-Manager
constexpr std::array<std::uint16_t, 4> directory_tags{TIFFTAG_SUBIFD, TIFFTAG_EXIFIFD, TIFFTAG_GPSIFD, 40965};  // last: interoperability
// Old JPEG, FluoView and Zeiss LSM: values that are offsets of blocks.
constexpr std::array<std::uint16_t, 3> private_blocks{TIFFTAG_JPEGIFOFFSET, 34361, 34412};

bool contains(std::span<const std::uint16_t> tags, std::uint16_t tag) { return std::ranges::find(tags, tag) != tags.end(); }

/// The end of the used bytes of a file, as far as its structures are read.
class UsedBytes {
public:
    UsedBytes(const InputFile& file, std::int64_t known_end)
        : file_(file), size_(std::uint64_t(file.size())), end_(std::uint64_t(known_end)), budget_(2 * size_ + 4096) {}

    /// @return offset after the last used byte; the size of the file if it is not known
    std::uint64_t find() {
        read_header();
        for (std::size_t i = 0; i < directories_.size() && end_ < size_; ++i) read_directory(directories_[i]);
        // Values are read after all directories. Most files end with a directory, so that this is not necessary.
        for (std::size_t i = 0; i < chunks_.size() && end_ < size_; ++i) read_chunks(chunks_[i]);
        if (end_ < size_) use_copies();
        return end_;
    }

private:
    static constexpr std::uint64_t longest_list = 256 << 20;  // bytes

    struct Chunks {
        std::optional<StoredEntry> offsets, sizes;
    };

    void give_up() { end_ = size_; }

    void use(std::uint64_t begin, std::uint64_t bytes) {
        if (begin > size_ || bytes > size_ - begin) return give_up();
        end_ = std::max(end_, begin + bytes);
    }

    void read_header() {
        std::array<std::byte, 16> header{};
        if (file_.read_some(0, header) < header.size()) return give_up();
        form_.is_swapped = (header[0] == std::byte('I')) != (std::endian::native == std::endian::little);
        form_.is_big = load<std::uint16_t>(&header[2], form_.is_swapped) != classic_version;
        const std::uint64_t first =
            form_.is_big ? load<std::uint64_t>(&header[8], form_.is_swapped) : load<std::uint32_t>(&header[4], form_.is_swapped);
        if (!form_.is_big && load<std::uint32_t>(&header[8], form_.is_swapped) == micro_manager_index) return give_up();
        add_directory(first);
    }

    void add_directory(std::uint64_t begin) {
        constexpr std::size_t most_directories = 1 << 21;
        if (begin == 0 || !known_.insert(begin).second) return;
        if (known_.size() > most_directories) return give_up();
        directories_.push_back(begin);
    }

    void read_directory(std::uint64_t begin) {
        const auto directory = StoredDirectory::read(file_, form_, begin);
        if (!directory) return give_up();
        use(begin, directory->end() - begin);
        Chunks chunks;
        for (std::uint64_t i = 0; i < directory->entries(); ++i) {
            const StoredEntry entry = directory->entry(i);
            if (contains(private_blocks, entry.tag)) return give_up();
            use(entry.value_at, entry.bytes());
            if (end_ == size_) return;
            if (contains(directory_tags, entry.tag)) for_each_value(entry, [this](std::uint64_t offset) { add_directory(offset); });
            if (entry.tag == TIFFTAG_STRIPOFFSETS || entry.tag == TIFFTAG_TILEOFFSETS) chunks.offsets = entry;
            if (entry.tag == TIFFTAG_STRIPBYTECOUNTS || entry.tag == TIFFTAG_TILEBYTECOUNTS) chunks.sizes = entry;
        }
        if (chunks.offsets) chunks_.push_back(chunks);
        add_directory(directory->next());
    }

    /// Strips or tiles of one directory. Old files can lack their sizes.
    void read_chunks(const Chunks& chunks) {
        if (!chunks.sizes || chunks.sizes->count < chunks.offsets->count) return give_up();
        std::vector<std::uint64_t> offsets;
        for_each_value(*chunks.offsets, [&](std::uint64_t offset) { offsets.push_back(offset); });
        std::size_t i = 0;
        for_each_value(*chunks.sizes, [&](std::uint64_t bytes) {
            if (i < offsets.size()) use(offsets[i++], bytes);
        });
    }

    /// tifffile writes the values of each directory after it. If an earlier directory has the same values, the new directory refers to the
    /// earlier values, but the copies remain. They follow the last directory in the order of its entries.
    void use_copies() {
        const std::uint64_t begin = *known_.rbegin();
        const auto directory = StoredDirectory::read(file_, form_, begin);
        for (std::uint64_t i = 0; directory && i < directory->entries(); ++i) {
            const StoredEntry entry = directory->entry(i);
            if (entry.value_at > begin || entry.bytes() > std::min({size_ - end_, longest_list, budget_})) continue;
            budget_ -= entry.bytes();
            if (bytes_at(entry.value_at, entry.bytes()) == bytes_at(end_, entry.bytes())) end_ += entry.bytes();
        }
    }

    std::vector<std::byte> bytes_at(std::uint64_t begin, std::uint64_t bytes) const {
        std::vector<std::byte> read(std::size_t{bytes});
        file_.read(std::int64_t(begin), read);
        return read;
    }

    /// Calls f with all values of an entry of whole numbers. The values of all entries together must not exceed the file, because the lists
    /// of a hostile file can overlap.
    template <class F>
    void for_each_value(const StoredEntry& entry, F&& f) {
        if (entry.value_at > size_ || entry.bytes() > size_ - entry.value_at) return give_up();
        if (entry.bytes() > std::min(budget_, longest_list)) return give_up();
        budget_ -= entry.bytes();
        const std::vector<std::byte> bytes = bytes_at(entry.value_at, entry.bytes());
        const std::size_t width = entry.count > 0 ? bytes.size() / std::size_t(entry.count) : 1;
        if (width != 2 && width != 4 && width != 8) return give_up();
        for (std::size_t at = 0; at < bytes.size(); at += width) {
            if (width == 2) f(load<std::uint16_t>(&bytes[at], form_.is_swapped));
            if (width == 4) f(load<std::uint32_t>(&bytes[at], form_.is_swapped));
            if (width == 8) f(load<std::uint64_t>(&bytes[at], form_.is_swapped));
        }
    }

    const InputFile& file_;
    TiffForm form_;
    std::uint64_t size_, end_;
    std::uint64_t budget_;  // bytes of lists that may still be read
    std::set<std::uint64_t> known_;
    std::vector<std::uint64_t> directories_;  // offsets, in the order in which they were found
    std::vector<Chunks> chunks_;
};

bool are_zeros(const InputFile& file, std::uint64_t begin) {
    std::vector<std::byte> bytes(std::size_t(std::uint64_t(file.size()) - begin));
    file.read(std::int64_t(begin), bytes);
    return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{}; });
}

}  // namespace

std::int64_t unused_bytes_at_end(const InputFile& file, std::int64_t known_end) {
    constexpr std::uint64_t most_padding = 31;  // strips and directories can be aligned; voxcc writes up to 27 zeros after a directory
    const std::uint64_t end = UsedBytes(file, known_end).find(), unused = std::uint64_t(file.size()) - end;
    if (unused <= most_padding && are_zeros(file, end)) return 0;
    return std::int64_t(unused);
}

}  // namespace voxcc::io
