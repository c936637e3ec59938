#include "kernels3d/base/resident_memory.h"

#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>

namespace voxcc {

ResidentMemory::ResidentMemory(std::span<const std::byte> memory)
    : first_(reinterpret_cast<std::uintptr_t>(memory.data()) % unit), units_((first_ + memory.size() + unit - 1) / unit) {
    const auto page = std::size_t(sysconf(_SC_PAGESIZE));
    const std::uintptr_t base = reinterpret_cast<std::uintptr_t>(memory.data()) - first_;
    for (std::size_t i = 0; i < units_.size(); ++i) {
        // The middle of the part of the unit that belongs to the array: its first page may also hold data of others.
        const std::size_t begin = std::max(i * unit, first_), end = std::min((i + 1) * unit, first_ + memory.size());
        unsigned char state = 0;
        const std::uintptr_t middle = (base + begin + (end - begin) / 2) / page * page;
        // mincore() fails for memory that a process cannot page, such as memory of a device. Such memory is resident.
        units_[i] = mincore(reinterpret_cast<void*>(middle), page, &state) != 0 || (state & 1) != 0;
    }
}

}  // namespace voxcc
