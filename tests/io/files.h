// Helpers for tests that create and read files.
#pragma once
#include <doctest/doctest.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "io/io.h"

namespace voxcc::test {

/// A new folder. The destructor removes it and its content, unless VOXCC_KEEP_TEST_FILES is set (tests/fuzz/collect_seeds.py).
struct TemporaryFolder {
    std::filesystem::path path;
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "voxcc-test-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~TemporaryFolder() {
        if (!std::getenv("VOXCC_KEEP_TEST_FILES")) std::filesystem::remove_all(path);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    std::string operator/(const std::string& name) const { return (path / name).string(); }
    std::size_t entries() const {
        return std::size_t(std::distance(std::filesystem::directory_iterator(path), std::filesystem::directory_iterator()));
    }
};

inline std::string content_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    REQUIRE(in);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void put_file(const std::string& path, const std::string& content) {
    std::filesystem::remove(path);  // faster: closing a file that was truncated and rewritten flushes it to disk
    std::ofstream out(path, std::ios::binary);
    out << content;
    out.close();
    REQUIRE(out);
}

/// The voxcc::Error that `action` throws; none if it does not throw.
template <class F>
std::optional<Error> error_of(F&& action) {
    try {
        action();
    } catch (const Error& error) {
        return error;
    }
    return {};
}

/// The kind of the error that `action` throws; none if it does not throw.
template <class F>
std::optional<ErrorKind> kind_of(F&& action) {
    const auto error = error_of(action);
    return error ? std::optional(error->kind()) : std::nullopt;
}

/// @return whether there is an error and the content of a file causes it
inline bool about_content(const std::optional<ErrorKind>& kind) { return kind && is_about_content(*kind); }

/// The choices() of the error that `action` throws; "" if it does not throw.
template <class F>
std::string choices_of(F&& action) {
    const auto error = error_of(action);
    return error ? error->choices() : "";
}

/// The text of the error that `action` throws; "" if it does not throw.
template <class F>
std::string message_of(F&& action) {
    const auto error = error_of(action);
    return error ? error->what() : "";
}

}  // namespace voxcc::test

/// Lets failed checks print the number of a kind.
template <>
struct doctest::StringMaker<std::optional<voxcc::ErrorKind>> {
    static String convert(const std::optional<voxcc::ErrorKind>& kind) { return kind ? toString(int(*kind)) : String("none"); }
};
