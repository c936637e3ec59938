// Helpers for tests of binary formats: files that are made field by field.
#pragma once
#include "tests/io/files.h"
#include "tests/io/gzip_files.h"
#include "tests/io/label_files.h"

#include <algorithm>
#include <bit>
#include <initializer_list>

namespace voxcc::test {

/// The content of a binary file, which grows field by field.
struct Bytes {
    std::string content;
    std::endian order = std::endian::little;

    template <class T>
    Bytes& put(std::size_t offset, std::initializer_list<T> numbers) {
        for (const T number : numbers) {
            std::string one(sizeof(T), '\0');
            std::memcpy(one.data(), &number, sizeof(T));
            if (order != std::endian::native) std::ranges::reverse(one);
            if (content.size() < offset + sizeof(T)) content.resize(offset + sizeof(T));
            content.replace(offset, sizeof(T), one);
            offset += sizeof(T);
        }
        return *this;
    }
};

/// Writes the files of a test, and reads them.
class BinaryFile {
public:
    explicit BinaryFile(std::string name) : name_(std::move(name)) {}
    BinaryFile& put(const Bytes& file) {
        put_file(path(), file.content);
        return *this;
    }
    std::string path() const { return folder_ / name_; }
    std::unique_ptr<io::VolumeReader> open(std::optional<std::int64_t> volume = {}) const {
        return io::open_volume(path(), {.volume = volume});
    }
    template <class T>
    std::vector<T> values(std::optional<std::int64_t> volume = {}) const {
        const auto bytes = read_all(*open(volume), 1);
        std::vector<T> values(bytes.size() / sizeof(T));
        std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
    std::optional<ErrorKind> fault() const {
        return kind_of([&] { read_all(*open(0), 3); });
    }
    io::VolumeInfo info() const { return io::describe_volume(path()); }

private:
    TemporaryFolder folder_;
    std::string name_;
};

/// Checks that a file, and its content in a gzip file, is an error of its content if it is truncated at any byte.
inline void check_truncation(const std::string& name, const Bytes& complete) {
    BinaryFile file(name), packed_file(name + ".gz");
    const std::string packed = zlib_member(complete.content);
    for (const auto& [tested, content] : {std::pair{&file, complete.content}, {&packed_file, packed}}) {
        CHECK_FALSE(tested->put({content}).fault());
        for (std::size_t size = 0; size < content.size(); ++size) {
            CAPTURE(size);
            CHECK(about_content(tested->put({content.substr(0, size)}).fault()));
        }
    }
    CHECK(about_content(packed_file.put({zlib_member(complete.content.substr(0, complete.content.size() - 1))}).fault()));
}

}  // namespace voxcc::test
