// A temporary folder with files laid out as in /proc and /sys.
#pragma once
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

/// The destructor removes the folder and its content.
class SystemFiles {
public:
    SystemFiles() {
        std::string name = (std::filesystem::temp_directory_path() / "voxcc_system_XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        root_ = name;
    }
    ~SystemFiles() { std::filesystem::remove_all(root_); }
    SystemFiles(const SystemFiles&) = delete;
    SystemFiles& operator=(const SystemFiles&) = delete;

    const std::filesystem::path& root() const { return root_; }
    /// Creates missing folders. Replaces a file that has the name of the parent folder.
    void write(const std::filesystem::path& path, const std::string& text) {
        const std::filesystem::path folder = (root_ / path).parent_path();
        if (std::filesystem::is_regular_file(folder)) std::filesystem::remove(folder);
        std::filesystem::create_directories(folder);
        std::ofstream file(root_ / path);
        file << text;
        REQUIRE(file.flush());
    }

private:
    std::filesystem::path root_;
};
