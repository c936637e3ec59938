// The store of a Zarr hierarchy: keys with bytes, in a folder or in a ZIP archive.
//
// A key is the path of a file relative to the folder: "0/.zarray", "0/c/1/2/3". Keys come from untrusted metadata, so every part of a key
// is checked (node_path.h). A symbolic link or a special file below the folder is an error, and not a missing key.
#pragma once
#include "io/io.h"

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace voxcc::io::zarr {

/// The bytes of one key. The functions are thread-safe.
class Blob {
public:
    virtual ~Blob() = default;
    virtual const std::string& name() const = 0;  // for errors
    virtual std::int64_t size() const = 0;
    /// Reads all size() bytes, and checks the checksum that the store has for them. @throw Error about the content, io_error
    virtual void read_all(std::span<std::byte> to) const = 0;
    /// Checks the checksum that the store has for all bytes, before a use of read(). @throw Error as read_all(); unsupported_file if the
    /// bytes cannot be read in parts
    virtual void check() const = 0;
    /// Reads exactly to.size() bytes from `offset` on. @throw Error as read_all()
    virtual void read(std::int64_t offset, std::span<std::byte> to) const = 0;
};

struct Entry {
    std::string name;
    bool is_folder = false;
};

class Store {
public:
    virtual ~Store() = default;
    /// The path that the user gave.
    const std::string& path() const { return path_; }
    /// The name of a key in errors: "a.zarr/0/.zarray".
    std::string name_of(const std::string& key) const { return key.empty() ? path_ : path_ + "/" + key; }
    /// Opens a key. Thread-safe. @return null if the store does not have it
    /// @throw Error external_file for a symbolic link, not_a_file for a special file; no_permission, io_error
    virtual std::unique_ptr<Blob> open(const std::string& key) const = 0;
    /// Calls `use` for each entry of a folder, in any order, until it returns false. Does nothing if the folder does not exist.
    virtual void each_entry(const std::string& folder, const std::function<bool(const Entry&)>& use) const = 0;

protected:
    explicit Store(std::string path) : path_(std::move(path)) {}

private:
    std::string path_;
};

/// Opens the folder or the archive at `path`. @param external allow: symbolic links are followed
/// @throw Error missing_file, no_permission; about the content of an archive
std::unique_ptr<Store> open_store(const std::string& path, ExternalFiles external);

/// @return "0/c" from "0" and "c"; "c" from "" and "c"
inline std::string joined(const std::string& folder, const std::string& name) { return folder.empty() ? name : folder + "/" + name; }

}  // namespace voxcc::io::zarr
