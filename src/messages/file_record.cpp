#include "src/messages/file_record.h"

#include "io/failed_allocation.h"
#include "io/files/checked_file.h"
#include "io/files/zarr_tree.h"
#include "src/errors/program_error.h"

#include <openssl/evp.h>
#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace voxcc {
namespace {

std::string hexadecimal(const unsigned char* digest, unsigned size) {
    std::string text;
    for (unsigned i = 0; i < size; ++i)
        for (const int nibble : {digest[i] >> 4, digest[i] & 15}) text += "0123456789abcdef"[nibble];
    return text;
}

}  // namespace

FileRecord record_of(const std::string& path, const Hashed& hashed) {
    FileRecord record{path, 0, {}};
    const io::InputFile file(path, io::Pipes::read);
    io::forget_failed_allocations();
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    bool works = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
    std::vector<std::byte> buffer(1 << 20);
    while (works && (!hashed || hashed(record.bytes))) {
        const std::size_t n = file.read_some(record.bytes, buffer);
        if (n == 0) break;
        works = EVP_DigestUpdate(context.get(), buffer.data(), n);
        record.bytes += std::int64_t(n);
    }
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    works = works && EVP_DigestFinal_ex(context.get(), digest, &size);
    if (!works && io::allocation_failed()) throw std::bad_alloc();
    if (!works) throw ProgramError(ErrorKind::internal, path, "libcrypto could not hash it");
    record.sha256 = hexadecimal(digest, size);
    return record;
}

FileRecord record_of_folder(const std::string& folder) {
    std::vector<std::string> files;
    io::for_each_file(folder, [&](const std::string& file) { files.push_back(file); });
    std::ranges::sort(files);
    FileRecord record{folder, 0, {}};
    std::string listing;
    for (const std::string& path : files) {
        const FileRecord file = record_of(path);
        record.bytes += file.bytes;
        listing += file.sha256 + "  " + path.substr(folder.size() + 1) + "\n";
    }
    record.sha256 = sha256_of(listing);
    return record;
}

std::string sha256_of(std::string_view text) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (!EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr))
        throw ProgramError(ErrorKind::internal, "text", "libcrypto could not hash it");
    return hexadecimal(digest, size);
}

}  // namespace voxcc
