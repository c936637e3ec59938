#include "tests/fuzz/mutators/bytes.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/mutators/random.h"

#include <array>
#include <cstring>
#include <string_view>

// The checksum of the structures of version 2. libhdf5 exports the function, but does not declare it in its public headers.
extern "C" std::uint32_t H5_checksum_metadata(const void* data, std::size_t size, std::uint32_t start);

namespace voxcc::fuzz {
namespace {

using namespace std::string_view_literals;

/// A structure of the file: its position, its length as far as it is known, and whether a checksum follows.
struct Structure {
    enum class Checksum { none, follows };
    std::uint64_t at = 0, bytes = 0;
    Checksum checksum = Checksum::none;
};

constexpr std::uint64_t unknown_length = 96;  // the fields of most structures are in their first bytes

struct Signature {
    std::string_view text;
    std::uint64_t bytes;  // before the checksum, with addresses of 8 bytes; 0: unknown
};
constexpr std::array signatures{Signature{"SNOD"sv, 0}, Signature{"HEAP"sv, 0},  Signature{"OCHK"sv, 0},  Signature{"FRHP"sv, 0},
                                Signature{"FHDB"sv, 0}, Signature{"FHIB"sv, 0},  Signature{"BTHD"sv, 34}, Signature{"BTLF"sv, 0},
                                Signature{"BTIN"sv, 0}, Signature{"FAHD"sv, 24}, Signature{"FADB"sv, 0},  Signature{"EAHD"sv, 68},
                                Signature{"EAIB"sv, 0}, Signature{"EASB"sv, 0},  Signature{"EADB"sv, 0},  Signature{"GCOL"sv, 0},
                                Signature{"SMTB"sv, 0}};

// The keys of a B-tree of chunks follow its first 24 bytes: stored size, filters that were skipped, and the position of the chunk.
constexpr std::uint64_t tree_header = 24, most_tree_bytes = 1024;
std::uint64_t tree_bytes(const FileBytes& file, std::uint64_t at) {
    return std::min(most_tree_bytes, file.size() - at) / tree_header * tree_header;
}

bool starts_with(const FileBytes& file, std::uint64_t at, std::string_view text) {
    return file.contains(at, text.size()) && std::memcmp(&file.bytes[at], text.data(), text.size()) == 0;
}

Structure superblock(const FileBytes& file) {
    if (file.get(8, 1) < 2) return {0, unknown_length};
    return {0, 44, Structure::Checksum::follows};
}

// The object header of version 2: its flags state which fields precede the size of its first chunk.
Structure object_header(const FileBytes& file, std::uint64_t at) {
    const std::uint64_t flags = file.get(at + 5, 1);
    const std::uint64_t size_at = at + 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
    const unsigned size_bytes = 1u << (flags & 3);
    return {at, size_at - at + size_bytes + file.get(size_at, size_bytes), Structure::Checksum::follows};
}

// @return whether an object header of version 1 seems to start here: it has no signature, but one reference and a small size
bool is_old_object_header(const FileBytes& file, std::uint64_t at) {
    return file.get(at, 2) == 1 && file.get(at + 4, 4) == 1 && file.get(at + 8, 4) >= 24 && file.contains(at, 16 + file.get(at + 8, 4));
}

std::vector<Structure> structures_of(const FileBytes& file) {
    std::vector<Structure> found;
    if (starts_with(file, 0, "\x89HDF\r\n\x1a\n"sv)) found.push_back(superblock(file));
    for (std::uint64_t at = 8; at + 16 <= file.size(); ++at) {
        if (starts_with(file, at, "OHDR"sv)) found.push_back(object_header(file, at));
        else if (at % 8 == 0 && is_old_object_header(file, at)) found.push_back({at, 16 + file.get(at + 8, 4)});
        if (starts_with(file, at, "TREE"sv)) found.push_back({at, tree_bytes(file, at)});
        for (const Signature& signature : signatures)
            if (starts_with(file, at, signature.text))
                found.push_back({at, signature.bytes ? signature.bytes : unknown_length,
                                 signature.bytes ? Structure::Checksum::follows : Structure::Checksum::none});
    }
    std::erase_if(found, [&](const Structure& s) { return !file.contains(s.at, s.bytes); });
    return found;
}

void correct_checksums(FileBytes& file, const std::vector<Structure>& structures) {
    for (const Structure& s : structures)
        if (s.checksum == Structure::Checksum::follows) file.put(s.at + s.bytes, 4, H5_checksum_metadata(&file.bytes[s.at], s.bytes, 0));
}

void change_field(FileBytes& file, const std::vector<Structure>& structures, Choices& choices) {
    const Structure& structure = choices.of(structures);
    const unsigned width = 1u << choices.below(4);
    const std::uint64_t aligned = choices.one_in(3) ? 1 : std::min(4u, width);
    const std::uint64_t at = structure.at + choices.below(structure.bytes) / aligned * aligned;
    const std::uint64_t value = choices.one_in(5) ? choices.of(structures).at : choices.value(file.get(at, width), file.size());
    file.put(at, width, value);
}

}  // namespace

std::size_t mutate_hdf5(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    FileBytes file(data, size);
    std::vector<Structure> structures = structures_of(file);
    if (structures.empty() || choices.one_in(6)) {
        file = FileBytes(data, mutate_bytes(data, size, most));
        structures = structures_of(file);
    } else {
        for (std::uint64_t changes = 1 + choices.below(3); changes > 0; --changes) change_field(file, structures, choices);
    }
    if (choices.one_in(2)) correct_checksums(file, structures_of(file));
    return file.store(data, most);
}

}  // namespace voxcc::fuzz
