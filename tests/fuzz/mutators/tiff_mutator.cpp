#include "tests/fuzz/mutators/bytes.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/mutators/random.h"
#include "tests/fuzz/mutators/zlib_bytes.h"

#include <array>

namespace voxcc::fuzz {
namespace {

// Tags that the reader or libtiff uses.
const std::vector<std::uint64_t> tags{254, 256, 257, 258, 259, 262, 266, 270, 273, 277, 278, 279, 282, 283,   284,   292,   293,  296,
                                      317, 320, 322, 323, 324, 325, 330, 338, 339, 340, 341, 347, 530, 33629, 50674, 50838, 50839};
const std::vector<std::uint64_t> compressions{1, 2, 3, 4, 5, 7, 8, 32771, 32773, 32946, 34887, 34925, 50000};
constexpr std::uint64_t compression_tag = 259, strip_offsets = 273, strip_counts = 279, tile_offsets = 324, tile_counts = 325;

/// A TIFF file: the positions of its directories and of their entries.
class TiffBytes {
public:
    TiffBytes(const std::uint8_t* data, std::size_t size) : file(data, size) {
        if (size < 16) return;
        if (data[0] == 'M') file.order = std::endian::big;
        big_ = file.get(2, 2) == 43;
        std::uint64_t link = big_ ? 8 : 4;
        for (constexpr std::size_t most_directories = 16; links.size() < most_directories;) {
            links.push_back(link);
            const std::uint64_t directory = file.get(link, offset_bytes());
            const std::uint64_t count = file.get(directory, count_bytes());
            if (directory == 0 || count == 0 || count > size / entry_bytes()) break;
            if (!file.contains(directory, count_bytes() + count * entry_bytes())) break;
            for (std::uint64_t i = 0; i < count; ++i) entries.push_back(directory + count_bytes() + i * entry_bytes());
            link = directory + count_bytes() + count * entry_bytes();
        }
    }
    unsigned offset_bytes() const { return big_ ? 8 : 4; }
    unsigned count_bytes() const { return big_ ? 8 : 2; }
    unsigned entry_bytes() const { return big_ ? 20 : 12; }
    std::uint64_t count_at(std::uint64_t entry) const { return entry + 4; }
    std::uint64_t value_at(std::uint64_t entry) const { return entry + 4 + offset_bytes(); }
    std::uint64_t tag(std::uint64_t entry) const { return file.get(entry, 2); }
    unsigned value_bytes(std::uint64_t entry) const {
        constexpr std::array<unsigned, 19> widths{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
        const std::uint64_t type = file.get(entry + 2, 2);
        return type < widths.size() ? std::min(8u, widths[type]) : 0;
    }
    /// @return position of value `i` of an entry
    std::uint64_t value_at(std::uint64_t entry, std::uint64_t i) const {
        const std::uint64_t bytes = file.get(count_at(entry), offset_bytes()) * value_bytes(entry);
        return (bytes <= offset_bytes() ? value_at(entry) : file.get(value_at(entry), offset_bytes())) + i * value_bytes(entry);
    }

    FileBytes file;
    std::vector<std::uint64_t> links;    // positions of the offsets of directories
    std::vector<std::uint64_t> entries;  // positions of the entries of all directories

private:
    bool big_ = false;
};

void change_entry(TiffBytes& tiff, Choices& choices) {
    const std::uint64_t entry = choices.of(tiff.entries), size = tiff.file.size();
    const auto change = [&](std::uint64_t at, unsigned width) { tiff.file.put(at, width, choices.value(tiff.file.get(at, width), size)); };
    switch (choices.below(8)) {
        case 0: return tiff.file.put(entry, 2, choices.of(tags));
        case 1: return tiff.file.put(entry + 2, 2, choices.below(19));
        case 2: return change(tiff.count_at(entry), tiff.offset_bytes());
        case 3: return change(tiff.value_at(entry), tiff.offset_bytes());
        case 4: {  // replaces the entry by another one
            const std::uint64_t other = choices.of(tiff.entries);
            std::copy_n(tiff.file.bytes.begin() + std::ptrdiff_t(other), tiff.entry_bytes(),
                        tiff.file.bytes.begin() + std::ptrdiff_t(entry));
            return;
        }
        default: {
            if (tiff.tag(entry) == compression_tag) return tiff.file.put(tiff.value_at(entry), 2, choices.of(compressions));
            const std::uint64_t count = std::min<std::uint64_t>(64, tiff.file.get(tiff.count_at(entry), tiff.offset_bytes()));
            return change(tiff.value_at(entry, choices.below(count)), tiff.value_bytes(entry));
        }
    }
}

void change_link(TiffBytes& tiff, Choices& choices) {
    const std::uint64_t at = choices.of(tiff.links), old = tiff.file.get(at, tiff.offset_bytes());
    const std::uint64_t target =
        choices.one_in(2) ? tiff.file.get(choices.of(tiff.links), tiff.offset_bytes()) : choices.value(old, tiff.file.size());
    tiff.file.put(at, tiff.offset_bytes(), target);
}

// Changes the content of a deflate strip or tile. The new strip, which has a correct checksum, is appended to the file.
void change_strip(TiffBytes& tiff, Choices& choices) {
    const std::size_t first = choices.below(tiff.entries.size());
    for (std::size_t i = first; i + 1 < tiff.entries.size(); ++i) {
        const std::uint64_t offsets = tiff.entries[i];
        if (tiff.tag(offsets) != strip_offsets && tiff.tag(offsets) != tile_offsets) continue;
        const std::uint64_t wanted = tiff.tag(offsets) == strip_offsets ? strip_counts : tile_counts;
        const auto counts = std::find_if(tiff.entries.begin() + std::ptrdiff_t(i), tiff.entries.end(),
                                         [&](std::uint64_t entry) { return tiff.tag(entry) == wanted; });
        if (counts == tiff.entries.end()) return;
        const std::uint64_t strip = choices.below(std::min<std::uint64_t>(64, tiff.file.get(tiff.count_at(offsets), tiff.offset_bytes())));
        const std::uint64_t offset_at = tiff.value_at(offsets, strip), count_at = tiff.value_at(*counts, strip);
        const std::uint64_t offset = tiff.file.get(offset_at, tiff.value_bytes(offsets)),
                            count = tiff.file.get(count_at, tiff.value_bytes(*counts));
        if (!tiff.file.contains(offset, count)) return;
        const auto changed = with_changed_content(Input(tiff.file.bytes).subspan(offset, count), Wrapper::zlib, int(choices.below(10)),
                                                  unsigned(choices.below(1u << 31)));
        if (changed.empty()) return;
        tiff.file.put(offset_at, tiff.value_bytes(offsets), tiff.file.size());
        tiff.file.put(count_at, tiff.value_bytes(*counts), changed.size());
        tiff.file.bytes.insert(tiff.file.bytes.end(), changed.begin(), changed.end());
        return;
    }
}

}  // namespace

std::size_t mutate_tiff(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    TiffBytes tiff(data, size);
    if (tiff.entries.empty() || choices.one_in(4)) return mutate_bytes(data, size, most);
    for (std::uint64_t changes = 1 + choices.below(3); changes > 0; --changes) {
        if (choices.one_in(8)) change_link(tiff, choices);
        else if (choices.one_in(4)) change_strip(tiff, choices);
        else change_entry(tiff, choices);
    }
    return tiff.file.store(data, most);
}

}  // namespace voxcc::fuzz
