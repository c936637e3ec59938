#include "io/codecs/zip/zip_directory.h"
#include "io/codecs/zip/zip_member_reader.h"
#include "io/formats/zarr/stores.h"

#include <algorithm>

namespace voxcc::io::zarr {
namespace {

constexpr ZipLimits limits{.members = std::int64_t{1} << 22, .directory_bytes = std::int64_t{1} << 30};

class MemberBlob final : public Blob {
public:
    MemberBlob(std::string name, const InputFile& file, const ZipMember& member) : name_(std::move(name)), file_(file), member_(member) {}
    const std::string& name() const override { return name_; }
    std::int64_t size() const override { return member_.size; }
    void read_all(std::span<std::byte> to) const override {
        const auto decoder = open_zip_member(file_, member_);
        if (decoder->read_some(to) < to.size()) throw Error(ErrorKind::truncated_file, name_, "has fewer bytes than the archive states");
    }
    void check() const override {
        if (member_.method != 0)
            throw Error(ErrorKind::unsupported_file, name_,
                        "is a compressed member of the archive, and shards cannot be compressed twice; unpack the archive");
        open_zip_member(file_, member_)->drain();
    }
    void read(std::int64_t offset, std::span<std::byte> to) const override { file_.read(member_.offset + offset, to); }

private:
    std::string name_;
    const InputFile& file_;
    const ZipMember& member_;
};

/// Whether a name is the metadata of the root of a store.
bool is_root(std::string_view name) { return name == "zarr.json" || name == ".zgroup" || name == ".zarray" || name == ".zattrs"; }

class ArchiveStore final : public Store {
public:
    explicit ArchiveStore(const std::string& path) : Store(path), file_(path), members_(read_zip_directory(file_, limits)) {
        std::ranges::sort(members_, {}, &ZipMember::name);
        if (std::ranges::none_of(members_, [](const ZipMember& m) { return is_root(m.name); })) folder_ = common_folder();
    }

    std::unique_ptr<Blob> open(const std::string& key) const override {
        const std::string name = folder_ + key;
        const auto found = std::ranges::lower_bound(members_, name, {}, &ZipMember::name);
        if (found == members_.end() || found->name != name) return nullptr;
        return std::make_unique<MemberBlob>(name_of(key), file_, *found);
    }

    void each_entry(const std::string& folder, const std::function<bool(const Entry&)>& use) const override {
        const std::string prefix = folder_ + (folder.empty() ? "" : folder + "/");
        for (auto at = std::ranges::lower_bound(members_, prefix, {}, &ZipMember::name);
             at != members_.end() && at->name.starts_with(prefix);) {
            const std::string_view rest = std::string_view(at->name).substr(prefix.size());
            const std::size_t slash = rest.find('/');
            const std::string name(rest.substr(0, slash));
            if (!name.empty() && !use({name, slash != std::string_view::npos})) return;
            if (slash == std::string_view::npos) ++at;
            else at = std::ranges::lower_bound(members_, prefix + name + char('/' + 1), {}, &ZipMember::name);  // after the folder
        }
    }

private:
    /// "a.zarr/" if the archive holds one folder with the store.
    std::string common_folder() const {
        for (const ZipMember& member : members_) {
            const std::size_t slash = member.name.find('/');
            if (slash == std::string::npos || !is_root(std::string_view(member.name).substr(slash + 1))) continue;
            const std::string folder = member.name.substr(0, slash + 1);
            if (std::ranges::all_of(members_, [&](const ZipMember& m) { return m.name.starts_with(folder); })) return folder;
        }
        throw Error(ErrorKind::invalid_file, path(),
                    "is a ZIP archive without the metadata of a Zarr store (zarr.json, .zgroup or .zarray)");
    }

    InputFile file_;
    std::vector<ZipMember> members_;  // sorted by name
    std::string folder_;              // before each key
};

}  // namespace

std::unique_ptr<Store> open_archive(const std::string& path) { return std::make_unique<ArchiveStore>(path); }

}  // namespace voxcc::io::zarr
