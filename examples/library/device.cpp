// Labels a volume in the memory of a CUDA device. Without a device, the program states why and ends.
#include <voxcc/device.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

int main() {
    const std::string reason = voxcc::has_cuda_driver() ? voxcc::why_no_cuda(0) : "no CUDA driver is present";
    if (!reason.empty()) {
        std::printf("no GPU is used: %s\n", reason.c_str());
        return 0;
    }
    const std::vector<std::int16_t> voxels{5, 5, 0, 7, 0, 0, 0, 7};  // 4 x 2 x 1 voxels, x fastest
    std::vector<std::int32_t> labels(voxels.size());
    const auto voxels_there = voxcc::stream_buffer(0, voxels.size() * sizeof(voxels[0]));
    const auto labels_there = voxcc::stream_buffer(0, labels.size() * sizeof(labels[0]));
    voxels_there->upload(voxels.data(), 0, voxels.size() * sizeof(voxels[0]));
    const auto labelling = voxcc::label_on_stream({voxels_there->data(), voxcc::ScalarType::i16, {4, 2, 1}, 0, voxels_there->stream()});
    labelling->paint(labels_there->data(), voxcc::ScalarType::i32);
    std::printf("%d components\n", int(labelling->count()));  // waits for the stream
    labels_there->download(labels.data(), 0, labels.size() * sizeof(labels[0]));
    for (const std::int32_t label : labels) std::printf("%d ", label);
    std::printf("\n");
}
