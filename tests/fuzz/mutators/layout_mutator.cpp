// Changes numbers of headers whose fields have fixed positions, and often makes the length of the file fit the header afterwards.
#include "tests/fuzz/mutators/bytes.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/mutators/random.h"

#include <array>
#include <span>

namespace voxcc::fuzz {
namespace {

/// `count` numbers of `width` bytes from byte `at` on.
struct Field {
    std::uint16_t at;
    std::uint8_t width, count;
};

/// A header, and the length of a complete file with it: 0 if it is not known.
struct Layout {
    std::uint64_t header_bytes;
    std::span<const Field> fields;
    std::uint64_t (*file_bytes)(const FileBytes&);
};

void change_field(FileBytes& file, const Layout& layout, Choices& choices) {
    const Field& field = layout.fields[choices.below(layout.fields.size())];
    const std::uint64_t at = field.at + choices.below(field.count) * field.width;
    file.put(at, field.width, choices.one_in(3) ? 1 + choices.below(9) : choices.value(file.get(at, field.width), file.size()));
}

std::uint64_t product(const FileBytes& file, std::uint64_t at, unsigned width, unsigned count) {
    std::uint64_t voxels = 1;
    for (unsigned i = 0; i < count; ++i)
        voxels = std::min<std::uint64_t>(1 << 20, voxels * std::max<std::uint64_t>(1, file.get(at + i * width, width)));
    return voxels;
}

constexpr std::array mrc_fields{Field{0, 4, 4},   Field{16, 4, 6},  Field{40, 4, 6},  Field{64, 4, 3},  Field{76, 4, 3}, Field{88, 4, 2},
                                Field{104, 4, 2}, Field{152, 4, 2}, Field{196, 4, 3}, Field{208, 4, 2}, Field{220, 4, 1}};

std::uint64_t bytes_of_mrc(const FileBytes& file) {
    constexpr std::uint64_t header = 1024;
    constexpr std::array<std::uint64_t, 13> bytes{1, 2, 4, 4, 8, 0, 2, 0, 0, 0, 0, 0, 2};
    const std::uint64_t mode = file.get(12, 4), extended = file.get(92, 4);
    if (mode >= bytes.size() || extended > 4096) return 0;
    return header + extended + product(file, 0, 4, 3) * bytes[mode];
}

constexpr std::array gipl_fields{Field{0, 2, 4},    Field{8, 2, 1},   Field{10, 4, 4},  Field{26, 1, 80},
                                 Field{106, 4, 20}, Field{188, 8, 2}, Field{204, 8, 4}, Field{252, 4, 1}};

std::uint64_t bytes_of_gipl(const FileBytes& file) {
    constexpr std::uint64_t header = 256;
    const std::uint64_t type = file.get(8, 2);
    return header + product(file, 0, 2, 4) * (type < 10 ? 1 : type < 20 ? 2 : type == 65 ? 8 : 4);
}

constexpr std::array nifti1_fields{Field{0, 4, 1},    Field{40, 2, 8},  Field{56, 4, 3},  Field{68, 2, 3},  Field{76, 4, 8},
                                   Field{108, 4, 3},  Field{120, 2, 1}, Field{122, 1, 2}, Field{252, 2, 2}, Field{256, 4, 6},
                                   Field{280, 4, 12}, Field{344, 4, 1}, Field{348, 4, 3}};
constexpr std::array nifti2_fields{Field{0, 4, 1},    Field{4, 4, 2},   Field{12, 2, 2},  Field{16, 8, 8},
                                   Field{104, 8, 8},  Field{168, 8, 3}, Field{344, 4, 2}, Field{352, 8, 6},
                                   Field{400, 8, 12}, Field{496, 4, 3}, Field{540, 4, 3}};

bool is_nifti2(const FileBytes& file) { return file.get(0, 4) == 540; }

std::uint64_t bytes_of_nifti(const FileBytes& file) {
    const bool is_two = is_nifti2(file);
    const std::uint64_t bits = is_two ? file.get(14, 2) : file.get(72, 2);
    const std::uint64_t voxels = is_two ? product(file, 24, 8, 4) : product(file, 42, 2, 4);
    return (is_two ? 544 : 352) + voxels * (bits / 8);
}

constexpr Layout mrc{1024, mrc_fields, bytes_of_mrc}, gipl{256, gipl_fields, bytes_of_gipl}, nifti1{352, nifti1_fields, bytes_of_nifti},
    nifti2{544, nifti2_fields, bytes_of_nifti};

std::size_t mutate_layout(const Layout& layout, FileBytes file, std::uint8_t* data, std::size_t most, Choices& choices) {
    for (std::uint64_t changes = 1 + choices.below(3); changes > 0; --changes) change_field(file, layout, choices);
    if (choices.one_in(2))
        if (const std::uint64_t bytes = layout.file_bytes(file); bytes >= layout.header_bytes && bytes <= most) file.bytes.resize(bytes, 5);
    return file.store(data, most);
}

bool is_small(const FileBytes& file, std::uint64_t at, unsigned width) { return file.get(at, width) < 1 << 16; }

}  // namespace

std::size_t mutate_mrc(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    FileBytes file(data, size);
    if (size < mrc.header_bytes || choices.one_in(4)) return mutate_bytes(data, size, most);
    file.order = is_small(file, 12, 4) ? std::endian::little : std::endian::big;
    return mutate_layout(mrc, file, data, most, choices);
}

std::size_t mutate_gipl(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    FileBytes file(data, size);
    if (size < gipl.header_bytes || choices.one_in(4)) return mutate_bytes(data, size, most);
    file.order = std::endian::big;
    return mutate_layout(gipl, file, data, most, choices);
}

std::size_t mutate_nifti(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    FileBytes file(data, size);
    if (size < nifti1.header_bytes || choices.one_in(4)) return mutate_bytes(data, size, most);
    file.order = is_small(file, 0, 4) ? std::endian::little : std::endian::big;
    return mutate_layout(is_nifti2(file) && size >= nifti2.header_bytes ? nifti2 : nifti1, file, data, most, choices);
}

}  // namespace voxcc::fuzz
