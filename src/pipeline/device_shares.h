// Distributes the devices of a run among the volumes that are labelled at the same time.
#pragma once
#include <voxcc/device.h>

#include <chrono>
#include <future>
#include <mutex>
#include <utility>
#include <vector>

namespace voxcc {

/// What the first volumes do while CUDA devices start, which takes about 0.3 s: they wait, or they are labelled by the CPU. With use_cpu,
/// the CPU also labels volumes while each group of devices has as many volumes as keep it busy.
enum class DuringStart : std::uint8_t { wait, use_cpu };

/// The devices of a run, in groups. Each volume uses the devices of one group. Thread-safe.
// cuda:0,1,2,3, two volumes  ->  the groups 0,1 and 2,3
// cuda:0,1, six volumes  ->  the groups 0 and 1, each for three volumes; with use_cpu, each for two volumes
class DeviceShares {
    struct Group {
        Device device;
        int volumes = 0;  // that use it now
    };

public:
    /// Starts CUDA devices on a thread of its own, so that their start does not delay the reading of the first volumes.
    /// @param device must be a result of require_device(). With use_cpu it may also be the list of all devices, which is empty
    /// @param volumes number of volumes that are labelled at the same time; at least 1
    DeviceShares(const Device& device, int volumes, DuringStart during_start);

    /// The devices of one volume, as long as this object exists.
    class Share {
    public:
        Share(Share&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)), group_(other.group_) {}
        Share& operator=(Share&&) = delete;
        ~Share();
        const Device& device() const { return group_->device; }

    private:
        friend class DeviceShares;
        Share(DeviceShares& owner, Group& group) : owner_(&owner), group_(&group) {}
        DeviceShares* owner_;  // null: moved from
        Group* group_;
    };
    /// The group with the fewest volumes. With DuringStart::use_cpu, the CPU if the devices have not started or all have enough volumes.
    /// @throw Error no_device, device_failure if the devices could not be started, with DuringStart::use_cpu. Otherwise label() throws it
    Share take();

    /// Waits until the devices have started, so that a device that cannot be used is an error also if the CPU has labelled all volumes.
    /// @throw as take()
    void require_started() const {
        if (during_start_ == DuringStart::use_cpu && start_.valid()) start_.get();
    }

    /// The number of volumes that share a device at the same time.
    int volumes_per_device() const { return volumes_per_group_; }

private:
    void make_groups(const Device& device, int volumes);
    bool has_started() const { return start_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

    std::vector<Group> groups_;  // with use_cpu: empty until the devices have started
    Group cpu_;
    int volumes_per_group_ = 1;
    DuringStart during_start_;
    std::mutex mutex_;
    std::shared_future<void> start_;  // of CUDA devices; its destructor waits
};

}  // namespace voxcc
