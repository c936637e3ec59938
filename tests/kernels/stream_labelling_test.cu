// Tests label_on_stream() with voxels, labels and stream of the caller, on the device of --device.
#include <voxcc/device.h>
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/request.h"

#include "device.h"
#include "kernels/device_array.h"
#include "kernels/oracle.h"
#include "kernels/sums.h"

#include <optional>
#include <random>

using namespace voxcc;

namespace {

/// Labels values 0..2 of type T by both rules; compares labels and count with the flood fill.
template <class T, class Label>
void check(const Extent& extent, int neighbours, int device, cudaStream_t stream) {
    INFO(extent.nx << "x" << extent.ny << "x" << extent.nz << " connectivity " << neighbours << " type " << name_of(scalar_type_of<T>()));
    const auto size = std::size_t(extent.voxels());
    std::mt19937 random(unsigned(size) + unsigned(neighbours));
    std::vector<T> voxels(size);
    for (T& voxel : voxels) voxel = T(random() % 3);
    const oracle::Shape shape{long(extent.nx), long(extent.ny), long(extent.nz)};
    for (const Rule rule : {Rule::foreground, Rule::equal_values}) {
        const DeviceArray<T> in(size);
        const DeviceArray<Label> out(size);
        // The test does not wait for the copy; the labelling runs after it.
        REQUIRE(cudaMemcpyAsync(in.data, voxels.data(), size * sizeof(T), cudaMemcpyHostToDevice, stream) == cudaSuccess);
        const StreamVolume volume{in.data, scalar_type_of<T>(), extent, device, stream};
        const Question question{.connectivity = *connectivity_of(neighbours), .rule = rule};
        auto labelling = label_on_stream(volume, question);
        labelling->paint(out.data, scalar_type_of<Label>());
        const auto count = labelling->send_count();
        labelling.reset();  // the count and the labels are complete without it
        const auto right = oracle::flood_fill_by(
            shape, neighbours, {}, [&](long i) { return voxels[std::size_t(i)] != T{}; },
            [&](long i, long j) { return rule == Rule::foreground || voxels[std::size_t(i)] == voxels[std::size_t(j)]; });
        CHECK(count->value() == right.count);
        std::vector<Label> labels(size);
        REQUIRE(cudaMemcpyAsync(labels.data(), out.data, size * sizeof(Label), cudaMemcpyDeviceToHost, stream) == cudaSuccess);
        REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
        CHECK(std::vector<std::uint64_t>(labels.begin(), labels.end()) == right.of);
        const DeviceArray<Label> out_with_sums(size);
        const SumTable sums = label_on_stream(volume, question)->paint_and_measure(out_with_sums.data, scalar_type_of<Label>());
        REQUIRE(cudaMemcpy(labels.data(), out_with_sums.data, size * sizeof(Label), cudaMemcpyDeviceToHost) == cudaSuccess);
        CHECK(std::vector<std::uint64_t>(labels.begin(), labels.end()) == right.of);
        CHECK(oracle::equal(sums, oracle::sums_of(right, shape)));
    }
}

}  // namespace

TEST_CASE("label on stream: types, labels, and streams of the caller") {
    if (test_device().kind != Device::Kind::cuda) return;
    const int device = test_device().numbers.front();
    REQUIRE(cudaSetDevice(device) == cudaSuccess);
    cudaStream_t own = nullptr;
    REQUIRE(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking) == cudaSuccess);
    for (const cudaStream_t stream : {own, cudaStream_t(nullptr), cudaStreamLegacy, cudaStreamPerThread})
        for (const Extent& extent : {Extent{1, 1, 1}, Extent{65, 7, 5}, Extent{64, 33, 18}, Extent{130, 66, 1}})
            for (const int neighbours : {4, 8, 6, 18, 26}) {
                check<std::uint8_t, std::uint32_t>(extent, neighbours, device, stream);
                check<std::int16_t, std::int64_t>(extent, neighbours, device, stream);
                check<std::int64_t, std::int32_t>(extent, neighbours, device, stream);
                check<float, std::uint64_t>(extent, neighbours, device, stream);
            }
    cudaStreamDestroy(own);
    release_stream_memory();
}

TEST_CASE("label on stream: shape and contacts equal those of the CPU") {
    if (test_device().kind != Device::Kind::cuda) return;
    std::mt19937 random(5);
    for (const Extent& extent : {Extent{1, 1, 1}, Extent{65, 7, 5}, Extent{64, 33, 18}, Extent{130, 66, 1}})
        for (const Connectivity connectivity : {Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c18, Connectivity::c26})
            for (const Rule rule : {Rule::foreground, Rule::equal_values}) {
                INFO(extent.nx << "x" << extent.ny << "x" << extent.nz << " connectivity " << number_of(connectivity));
                std::vector<std::uint8_t> voxels(std::size_t(extent.voxels()));
                for (std::uint8_t& voxel : voxels) voxel = std::uint8_t(random() % 4);
                const auto buffer = stream_buffer(test_device().numbers.front(), voxels.size());
                buffer->upload(voxels.data(), 0, voxels.size());
                const auto labelling =
                    label_on_stream({buffer->data(), ScalarType::u8, extent, test_device().numbers.front(), buffer->stream()},
                                    {.connectivity = connectivity, .rule = rule});
                ThreadPool pool(2);
                const ForegroundPacker packer(ScalarType::u8, {});
                MemorySource source(reinterpret_cast<const std::byte*>(voxels.data()), extent, packer);
                block_runs::Request request;
                request.extent = extent, request.connectivity = connectivity, request.rule = rule;
                const auto right = block_runs::label(request, source, pool);
                const ShapeTable table =
                    measure_shape(*right, {{.connectivity = connectivity, .rule = rule}, extent}, right->measure(), pool);
                const std::vector<ShapeCounts> shape = labelling->shape();
                REQUIRE(shape.size() == table.size());
                for (std::size_t row = 0; row < shape.size(); ++row) REQUIRE(shape[row] == table.counts(row));
                std::vector<std::uint32_t> labels(voxels.size());
                right->prepare_paint(ScalarType::u32, {});
                right->paint({0, extent.rows()}, reinterpret_cast<std::byte*>(labels.data()), Stores::cached);
                const ForegroundPacker label_packer(ScalarType::u32, {});
                MemorySource label_source(reinterpret_cast<const std::byte*>(labels.data()), extent, label_packer);
                REQUIRE(labelling->contacts(connectivity) == label_contacts(label_source, extent, connectivity, pool));
            }
    release_stream_memory();
}

TEST_CASE("label on stream: masks, windows of labels, and rows") {
    if (test_device().kind != Device::Kind::cuda) return;
    const int device = test_device().numbers.front();
    REQUIRE(cudaSetDevice(device) == cudaSuccess);
    const Extent extent{96, 300, 310};  // more than one window of labels
    const auto size = std::size_t(extent.voxels());
    std::mt19937 random(5);
    std::vector<std::uint8_t> voxels(size);
    std::vector<float> mask(size);
    for (std::size_t i = 0; i < size; ++i) voxels[i] = random() % 3 == 0, mask[i] = float(random() % 5 != 0);
    const auto right = oracle::flood_fill_by(
        {long(extent.nx), long(extent.ny), long(extent.nz)}, 26, {},
        [&](long i) { return voxels[std::size_t(i)] != 0 && mask[std::size_t(i)] != 0; }, [](long, long) { return true; });
    const auto voxel_buffer = stream_buffer(device, size), mask_buffer = stream_buffer(device, size * sizeof(float));
    voxel_buffer->upload(voxels.data(), 0, size);
    mask_buffer->upload(mask.data(), 0, size * sizeof(float));
    const StreamVolume volume{voxel_buffer->data(), ScalarType::u8, extent, device, voxel_buffer->stream()};
    const auto labelling = label_on_stream(volume, {}, {mask_buffer->data(), ScalarType::f32});
    const auto first = labelling->send_count(), second = labelling->send_count();
    CHECK(first->value() == right.count);
    CHECK(second->value() == right.count);
    std::vector<std::uint64_t> labels;
    int windows = 0;
    labelling->visit_sections([&](RowRange rows, const std::uint32_t* of_rows) {
        CHECK(rows.first * extent.nx == std::int64_t(labels.size()));
        labels.insert(labels.end(), of_rows, of_rows + rows.count * extent.nx);
        ++windows;
    });
    CHECK(windows > 1);
    CHECK(labels == right.of);

    const auto rows = rows_on_stream(volume);
    std::vector<std::byte> buffer;
    const auto equal = [&](RowRange range) {
        const std::byte* const fetched = rows->fetch(range, buffer);
        const auto* const want = reinterpret_cast<const std::byte*>(voxels.data() + range.first * extent.nx);
        return std::equal(want, want + range.count * extent.nx, rows->values(fetched, range, 0));
    };
    bool all = true;
    for (std::int64_t row = 0; row < extent.rows(); ++row) all = all && equal({row, 1});
    CHECK(all);
    CHECK(equal({0, extent.rows()}));
    CHECK(equal({77, 5}));
    CHECK(equal({extent.rows() - 3, 3}));
    CHECK(equal({10, rows->rows_per_fetch()}));
}

TEST_CASE("label on stream: memory of a buffer") {
    if (test_device().kind != Device::Kind::cuda) return;
    const int device = test_device().numbers.front();
    const std::vector<std::uint8_t> voxels{1, 1, 0, 1, 0, 0, 0, 1};
    const auto buffer = stream_buffer(device, 256 + 8 * sizeof(std::int32_t));
    auto* const labels = static_cast<std::byte*>(buffer->data()) + 256;
    CHECK(device_of_address(labels) == device);
    buffer->upload(voxels.data(), 0, voxels.size());
    const auto labelling = label_on_stream({buffer->data(), ScalarType::u8, {4, 2, 1}, device, buffer->stream()});
    labelling->paint(labels, ScalarType::i32);
    std::vector<std::int32_t> got(8);
    buffer->download(got.data(), 256, 8 * sizeof(std::int32_t));
    CHECK(got == std::vector<std::int32_t>{1, 1, 0, 2, 0, 0, 0, 2});
    const std::vector<std::uint64_t> numbers{0, 1};
    labelling->paint(labels, ScalarType::i32, numbers);
    buffer->download(got.data(), 256, 8 * sizeof(std::int32_t));
    CHECK(got == std::vector<std::int32_t>{0, 0, 0, 1, 0, 0, 0, 1});
    CHECK(labelling->count() == 2);
    CHECK(labelling->measure().voxels(0) == 2);
    buffer->upload(std::vector<std::byte>(got.size() * sizeof(std::int32_t)).data(), 256, got.size() * sizeof(std::int32_t));
    const SumTable sums = labelling->paint_and_measure(labels, ScalarType::i32);
    buffer->download(got.data(), 256, 8 * sizeof(std::int32_t));
    CHECK(got == std::vector<std::int32_t>{1, 1, 0, 2, 0, 0, 0, 2});
    REQUIRE(sums.size() == 2);
    CHECK(sums.voxels(1) == 2);
    CHECK_THROWS_AS(labelling->paint_and_measure(labels, ScalarType::f32), Error);
    std::uint8_t on_host = 0;
    CHECK_THROWS_AS(device_of_address(&on_host), Error);
}

TEST_CASE("label on stream: invalid requests are errors") {
    const auto kind = [](const StreamVolume& volume, const Question& question) -> std::optional<ErrorKind> {
        try {
            label_on_stream(volume, question);
        } catch (const Error& error) {
            return error.kind();
        }
        return std::nullopt;
    };
    CHECK(kind({.extent = {4, 4, 4}, .device = 1023}, {}) == ErrorKind::no_device);
    CHECK(kind({.extent = {4, 4, 4}, .device = -1}, {}) == ErrorKind::no_device);
    CHECK(kind({.extent = {0, 4, 4}}, {}) == ErrorKind::invalid_extent);
    if (test_device().kind != Device::Kind::cuda) return;
    const int device = test_device().numbers.front();
    CHECK(kind({.extent = {4, 4, 4}, .device = device}, {.rule = Rule::colour}) == ErrorKind::unsupported_by_device);
    CHECK(kind({.extent = {1 << 11, 1 << 11, 1 << 10}, .device = device}, {}) == ErrorKind::unsupported_by_device);
}
