#include "src/pipeline/device_shares.h"

#include <voxcc/error.h>

#include <algorithm>

namespace voxcc {
namespace {

/// Divides the devices into groups of about equal size.
std::vector<Device> groups_of(const Device& device, std::size_t volumes) {
    const std::size_t devices = device.numbers.size(), count = std::min(devices, volumes);
    if (device.kind == Device::Kind::cpu) return {device};
    std::vector<Device> groups;
    for (std::size_t g = 0; g < count; ++g) {
        const auto first = device.numbers.begin() + std::ptrdiff_t(g * devices / count);
        const auto end = device.numbers.begin() + std::ptrdiff_t((g + 1) * devices / count);
        groups.push_back({device.kind, {first, end}});
    }
    return groups;
}

}  // namespace

DeviceShares::DeviceShares(const Device& device, int volumes, DuringStart during_start) : during_start_(during_start) {
    for (Device& group : groups_of(device, std::size_t(volumes))) groups_.push_back({std::move(group)});
    const int count = int(groups_.size());
    volumes_per_group_ = (volumes + count - 1) / count;
    if (device.kind == Device::Kind::cuda) start_ = std::async(std::launch::async, [device] { start_device(device); }).share();
}

DeviceShares::Share DeviceShares::take() {
    bool use_cpu = false;
    if (during_start_ == DuringStart::use_cpu && start_.valid()) {
        use_cpu = start_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
        if (!use_cpu) start_.get();
    }
    const std::lock_guard lock(mutex_);
    Group& group = use_cpu ? cpu_ : *std::ranges::min_element(groups_, {}, &Group::volumes);
    ++group.volumes;
    return {*this, group};
}

DeviceShares::Share::~Share() {
    if (!owner_) return;
    const std::lock_guard lock(owner_->mutex_);
    --group_->volumes;
}

}  // namespace voxcc
