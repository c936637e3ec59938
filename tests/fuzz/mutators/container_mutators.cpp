// Mutators of files that consist of parts with checksums: ZIP archives, PNG images and Zarr shards.
#include "tests/fuzz/mutators/bytes.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/mutators/random.h"

#include <zlib.h>
#include <cstring>

namespace voxcc::fuzz {
namespace {

constexpr std::uint32_t local = 0x04034b50, central = 0x02014b50, end_of_archive = 0x06054b50;

struct Part {
    std::uint64_t at = 0, bytes = 0;  // without data
    std::uint32_t signature = 0;
};

std::vector<Part> zip_records(const FileBytes& file) {
    std::vector<Part> found;
    for (std::uint64_t at = 0; at + 4 <= file.size(); ++at) {
        const auto signature = std::uint32_t(file.get(at, 4));
        const std::uint64_t bytes = signature == local ? 30 : signature == central ? 46 : signature == end_of_archive ? 22 : 0;
        if (bytes > 0 && file.contains(at, bytes)) found.push_back({at, bytes, signature});
    }
    return found;
}

// Corrects the checksums of members that are stored without compression.
void correct_zip(FileBytes& file) {
    for (const Part& record : zip_records(file)) {
        if (record.signature != central || file.get(record.at + 10, 2) != 0) continue;
        const std::uint64_t header = file.get(record.at + 42, 4), bytes = file.get(record.at + 20, 4);
        const std::uint64_t data = header + 30 + file.get(header + 26, 2) + file.get(header + 28, 2);
        if (!file.contains(data, bytes) || bytes == 0) continue;
        const std::uint64_t sum = crc32(0, &file.bytes[data], uInt(bytes));
        file.put(record.at + 16, 4, sum);
        file.put(header + 14, 4, sum);
    }
}

void change_number(FileBytes& file, const Part& part, Choices& choices) {
    const unsigned width = 1u << (1 + choices.below(2));
    const std::uint64_t at = part.at + choices.below(part.bytes / 2) * 2;
    file.put(at, width, choices.value(file.get(at, width), file.size()));
}

constexpr std::uint64_t png_from = 1, png_signature = 8;  // the first byte of an input of itk_headers is not in the file

std::vector<Part> png_chunks(const FileBytes& file) {
    std::vector<Part> found;
    for (std::uint64_t at = png_from + png_signature; file.contains(at, 12);) {
        const std::uint64_t bytes = file.get(at, 4);
        if (!file.contains(at, bytes + 12)) break;
        found.push_back({at, bytes + 12});
        at += bytes + 12;
    }
    return found;
}

void change_chunk(FileBytes& file, Choices& choices) {
    const std::vector<Part> chunks = png_chunks(file);
    if (chunks.empty()) return;
    const Part chunk = choices.of(chunks), other = choices.of(chunks);
    const auto begin = file.bytes.begin() + std::ptrdiff_t(chunk.at);
    switch (choices.below(5)) {
        case 0: file.bytes.erase(begin, begin + std::ptrdiff_t(chunk.bytes)); return;
        case 1: {
            const auto from = file.bytes.begin() + std::ptrdiff_t(other.at);
            const std::vector<std::uint8_t> copy(from, from + std::ptrdiff_t(other.bytes));
            file.bytes.insert(begin, copy.begin(), copy.end());
            return;
        }
        case 2: std::memcpy(&file.bytes[chunk.at + 4], choices.one_in(2) ? "PLTE" : "tRNS", 4); return;
        default: change_number(file, {chunk.at + (chunk.bytes > 12 ? 8 : 0), chunk.bytes > 12 ? chunk.bytes - 12 : 8}, choices);
    }
}

}  // namespace

std::size_t mutate_zip(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    FileBytes file(data, size);
    const std::vector<Part> records = zip_records(file);
    if (records.empty() || choices.one_in(3)) file = FileBytes(data, mutate_bytes(data, size, most));
    else
        for (std::uint64_t changes = 1 + choices.below(3); changes > 0; --changes) change_number(file, choices.of(records), choices);
    if (!choices.one_in(4)) correct_zip(file);
    return file.store(data, most);
}

std::size_t mutate_png(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    FileBytes file(data, size);
    file.order = std::endian::big;
    if (png_chunks(file).empty() || file.bytes[1] != 0x89) return mutate_fields(data, size, most, seed);
    if (choices.one_in(4)) return mutate_bytes(data, size, most);
    for (std::uint64_t changes = 1 + choices.below(3); changes > 0; --changes) change_chunk(file, choices);
    if (!choices.one_in(4))
        for (const Part& chunk : png_chunks(file))
            file.put(chunk.at + chunk.bytes - 4, 4, crc32(0, &file.bytes[chunk.at + 4], uInt(chunk.bytes - 8)));
    return file.store(data, most);
}

std::size_t mutate_shard(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    constexpr std::uint64_t entries = 8, entry_bytes = 16;
    Choices choices(seed);
    FileBytes file(data, size);
    if (size < 1 + entries * entry_bytes || choices.one_in(4)) return mutate_bytes(data, size, most);
    const std::uint64_t index = file.bytes[0] % 2 == 0 ? size - entries * entry_bytes : 1;
    for (std::uint64_t changes = 1 + choices.below(3); changes > 0; --changes) {
        const std::uint64_t at = index + choices.below(2 * entries) * 8, other = index + choices.below(2 * entries) * 8;
        file.put(at, 8, choices.one_in(3) ? file.get(other, 8) : choices.value(file.get(at, 8), size - 1));
    }
    return file.store(data, most);
}

}  // namespace voxcc::fuzz
