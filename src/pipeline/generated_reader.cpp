#include "src/pipeline/generated_reader.h"

#include <voxcc/threads.h>
#include "io/chunked_reader.h"
#include "io/orientation.h"
#include "src/errors/program_error.h"
#include "src/options/test_volume_options.h"

#include <algorithm>

namespace voxcc {
namespace {

constexpr std::int64_t bytes_per_layer = 1 << 20;

class GeneratedReader : public io::ChunkedReader {
public:
    GeneratedReader(const std::string& input, const io::OpenOptions& options) : recipe_(recipe_of_input(input)) {
        info_ = describe_generated(input, options);
        const Extent& e = info_.extent;
        const Step step{1, std::clamp(bytes_per_layer / e.nx, std::int64_t{1}, e.ny)};
        read_by_chunks(step, step);
    }

protected:
    void read_box(const io::Box& box, std::byte* to) override {
        auto* row = reinterpret_cast<std::uint8_t*>(to);
        for (std::int64_t z = box.z; z < box.z + box.nz; ++z)
            for (std::int64_t y = box.y; y < box.y + box.ny; ++y, row += box.nx)
                volume().fill(box.x, y, z, std::span(row, std::size_t(box.nx)));
    }
    std::optional<std::int64_t> bytes_of_parts() const override { return test_volume_bytes(recipe_) + info_.extent.nx; }
    void visit_box(const io::Box& box, const io::PartVisitor& visit, io::Visits) override {
        std::vector<std::byte> row(static_cast<std::size_t>(box.nx));
        for (std::int64_t z = box.z; z < box.z + box.nz; ++z)
            for (std::int64_t y = box.y; y < box.y + box.ny; ++y) {
                read_box({z, 1, y, 1, box.x, box.nx}, row.data());
                visit({z * info_.extent.ny + y, box.x, box.nx, row.data()});
            }
    }
    std::int64_t first_column(std::int64_t x) const override { return x; }

private:
    TestVolume& volume() {
        if (!volume_) volume_ = make_within_memory(recipe_, info_.path);
        return *volume_;
    }

    TestVolumeRecipe recipe_;
    std::unique_ptr<TestVolume> volume_;  // made when the first voxel is read
};

}  // namespace

io::VolumeInfo info_of_test_volume(const TestVolumeRecipe& recipe) {
    io::VolumeInfo info;
    info.extent = recipe.extent;
    info.dimensions = recipe.extent.nz == 1 ? 2 : 3;
    info.geometry = {.spacing = io::Vector3{1, 1, 1}, .unit = io::LengthUnit::mm, .source = "the test volume"};
    return info;
}

std::unique_ptr<TestVolume> make_within_memory(const TestVolumeRecipe& recipe, const std::string& subject) {
    check_test_volume(recipe);
    const std::int64_t bytes = test_volume_bytes(recipe);
    if (const auto available = machine_memory(); available && bytes > *available)
        throw ProgramError(
            ErrorKind::out_of_memory, subject,
            "needs " + std::to_string((bytes >> 20) + 1) + " MiB of memory, and " + std::to_string(*available >> 20) + " MiB are available",
            "use a smaller volume, or another kind or option: see docs/develop/test-volumes.md");
    return make_test_volume(recipe);
}

io::VolumeInfo describe_generated(const std::string& input, const io::OpenOptions& options) {
    const TestVolumeRecipe recipe = recipe_of_input(input);
    if (options.volume.value_or(0) != 0)
        throw Error(ErrorKind::no_such_volume, input, "has no volume " + std::to_string(*options.volume) + ", because it is one volume");
    if (options.reader == io::ReaderChoice::itk) throw Error(ErrorKind::unsupported_by_reader, input, "is computed by voxcc", "voxcc");
    if (options.raw) throw ProgramError(ErrorKind::invalid_argument, input, "is computed, and --raw describes a file", "leave --raw out");
    io::VolumeInfo info = info_of_test_volume(recipe);
    info.path = input;
    info.format = "generated";
    info.compression = "none";
    info.stored_type = "uint8";
    if (options.size) info.geometry = io::with_size(info.geometry, *options.size);
    return info;
}

std::unique_ptr<io::VolumeReader> open_generated(const std::string& input, const io::OpenOptions& options) {
    return std::make_unique<GeneratedReader>(input, options);
}

}  // namespace voxcc
