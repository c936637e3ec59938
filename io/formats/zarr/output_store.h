// Where the files of a Zarr output are written: a folder or an archive.
#pragma once
#include "io/files/checked_file.h"
#include "io/formats/zarr/store.h"

#include <string_view>

namespace voxcc::io::zarr {

class OutputStore {
public:
    virtual ~OutputStore() = default;
    /// Writes a file. Each key may be written once. Thread-safe. @throw Error io_error, disk_full
    virtual void write(const std::string& key, std::span<const std::byte> bytes) = 0;
    void write(const std::string& key, std::string_view text) { write(key, std::as_bytes(std::span(text.data(), text.size()))); }
    /// Whether the bytes of the output do not depend on the order of the calls of write().
    virtual bool order_free() const = 0;
    /// Opens the files that are written so far. Later calls of write() do not change them.
    virtual std::unique_ptr<Store> read_back() = 0;
    /// The path of the folder or archive until it is published.
    virtual const std::string& temporary() const = 0;
    /// Completes and syncs the output. Must be called once, after the last file.
    virtual void complete() = 0;
};

/// @param target a folder without '/' at its end; checked by OutputFiles::create_zarr_folder()
std::unique_ptr<OutputStore> create_folder_store(const std::string& target, OutputFiles& outputs);

/// An archive whose members are stored without compression, in the order of the calls of write(). Its directory lists metadata first.
/// @param comment of the archive
std::unique_ptr<OutputStore> create_archive_store(const std::string& target, const std::string& comment, OutputFiles& outputs);

}  // namespace voxcc::io::zarr
