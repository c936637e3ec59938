// Reader of HDF5 volumes: any dataset of numbers, read in chunk layers.
#include "io/chunked_reader.h"
#include "io/formats/hdf5/hdf5.h"
#include "io/formats/hdf5/hdf5_voxels.h"

namespace voxcc::io {
namespace {

using namespace hdf5;

class Hdf5Reader final : public ChunkedReader {
public:
    Hdf5Reader(const std::string& path, const OpenOptions& options) : input_(path), process_(input_, options), voxels_(input_, process_) {
        info_ = process_.info();
        const Step step{voxels_.chunk_depth(), voxels_.chunk_height()};
        if (voxels_.is_chunked()) read_by_chunks(step, step);
    }

private:
    void read_box(const Box& box, std::byte* to) override { voxels_.read(box, to); }
    std::optional<std::int64_t> bytes_of_parts() const override {
        return voxels_.has_own_chunks() ? std::optional(voxels_.bytes_of_parts()) : std::nullopt;
    }
    void visit_box(const Box& box, const PartVisitor& visit, Visits) override { voxels_.read_parts(box, visit); }
    std::int64_t first_column(std::int64_t x) const override { return x - x % voxels_.columns_of_parts(); }

    InputFile input_;
    Hdf5Process process_;
    Voxels voxels_;
};

}  // namespace

std::unique_ptr<VolumeReader> open_hdf5(const std::string& path, const OpenOptions& options) {
    return std::make_unique<Hdf5Reader>(path, options);
}

VolumeInfo describe_hdf5(const std::string& path, const OpenOptions& options) { return describe_in_process(InputFile(path), options); }

std::vector<std::string> files_of_hdf5(const std::string& path, const OpenOptions& options) {
    return files_in_process(InputFile(path), options);
}

}  // namespace voxcc::io
