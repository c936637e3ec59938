#include "src/pipeline/device_shares.h"

#include <voxcc/error.h>

#include <algorithm>

namespace voxcc {
namespace {

// While the results of one volume are copied from a device, the next volume is labelled. More volumes would only need more pinned memory,
// whose allocation takes about 1 ms per MiB.
constexpr int enough_volumes = 2;

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
    if (device.kind == Device::Kind::cpu || during_start == DuringStart::wait) make_groups(device, volumes);
    else volumes_per_group_ = std::min(volumes, enough_volumes);
    if (device.kind == Device::Kind::cpu) return;
    start_ = std::async(std::launch::async, [this, device, volumes] {
                 const Device found = require_device(device, "device " + name_of(device));
                 start_device(found);
                 if (during_start_ == DuringStart::use_cpu) make_groups(found, volumes);
             }).share();
}

void DeviceShares::make_groups(const Device& device, int volumes) {
    const std::lock_guard lock(mutex_);
    for (Device& group : groups_of(device, std::size_t(volumes))) groups_.push_back({std::move(group)});
    if (during_start_ == DuringStart::wait) volumes_per_group_ = (volumes + int(groups_.size()) - 1) / int(groups_.size());
}

DeviceShares::Share DeviceShares::take() {
    const bool may_use_cpu = during_start_ == DuringStart::use_cpu && start_.valid();
    if (may_use_cpu && has_started()) start_.get();
    const std::lock_guard lock(mutex_);
    const auto free = std::ranges::min_element(groups_, {}, &Group::volumes);
    const bool use_cpu = may_use_cpu && (free == groups_.end() || free->volumes >= enough_volumes);
    Group& group = use_cpu ? cpu_ : *free;
    ++group.volumes;
    return {*this, group};
}

DeviceShares::Share::~Share() {
    if (!owner_) return;
    const std::lock_guard lock(owner_->mutex_);
    --group_->volumes;
}

}  // namespace voxcc
