#include "io/formats/zarr/output_store.h"

#include "io/codecs/zip/zip_records.h"
#include "io/files/zarr_tree.h"
#include "io/formats/zarr/stores.h"

#include <libdeflate.h>
#include <algorithm>
#include <mutex>

namespace voxcc::io::zarr {
namespace {

class FolderOutput final : public OutputStore {
public:
    explicit FolderOutput(OutputFolder& folder) : folder_(folder) {}
    void write(const std::string& key, std::span<const std::byte> bytes) override { folder_.write(key, bytes); }
    bool order_free() const override { return true; }
    std::unique_ptr<Store> read_back() override { return open_folder(folder_.temporary(), ExternalFiles::refuse); }
    const std::string& temporary() const override { return folder_.temporary(); }
    void complete() override { folder_.complete(); }

private:
    OutputFolder& folder_;
};

/// Metadata precede chunks, and the metadata of a group precede the metadata of its members.
bool precedes(const ZipMember& a, const ZipMember& b) {
    const auto rank = [](const ZipMember& member) {
        const bool is_metadata = is_metadata_name(std::string_view(member.name).substr(member.name.rfind('/') + 1));
        return std::pair(!is_metadata, is_metadata ? std::ranges::count(member.name, '/') : 0);
    };
    return rank(a) < rank(b);
}

class ArchiveOutput final : public OutputStore {
public:
    ArchiveOutput(OutputFile& file, std::string comment) : file_(file), comment_(std::move(comment)) {}

    void write(const std::string& key, std::span<const std::byte> bytes) override {
        const std::uint32_t crc = libdeflate_crc32(0, bytes.data(), bytes.size());
        const std::lock_guard lock(mutex_);
        const auto size = std::int64_t(bytes.size());
        members_.push_back({.name = key, .method = 0, .crc = crc, .stored = size, .size = size, .header_at = file_.position()});
        file_.write(zip::local_header(members_.back()));
        file_.write(bytes);
    }
    bool order_free() const override { return false; }

    /// The next file is written over the directory.
    std::unique_ptr<Store> read_back() override {
        const std::string directory = zip::directory_of(members_, file_.position());
        file_.write_at(file_.position(), std::as_bytes(std::span(directory)));
        return open_archive(file_.temporary());
    }

    const std::string& temporary() const override { return file_.temporary(); }

    void complete() override {
        std::ranges::stable_sort(members_, precedes);
        file_.write(zip::directory_of(members_, file_.position(), comment_));
        file_.require_length(file_.position());
        file_.close();
    }

private:
    OutputFile& file_;
    std::string comment_;
    std::mutex mutex_;  // of the file and the members
    std::vector<ZipMember> members_;
};

}  // namespace

std::unique_ptr<OutputStore> create_folder_store(const std::string& target, OutputFiles& outputs) {
    return std::make_unique<FolderOutput>(outputs.create_zarr_folder(target));
}

std::unique_ptr<OutputStore> create_archive_store(const std::string& target, const std::string& comment, OutputFiles& outputs) {
    return std::make_unique<ArchiveOutput>(outputs.create(target), comment);
}

}  // namespace voxcc::io::zarr
