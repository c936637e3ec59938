// The steps from a voxel to its neighbours, by connectivity.
#pragma once
#include <voxcc/connectivity.h>
#include "kernels3d/base/host_device.h"

namespace voxcc {

/// Calls f.template operator()<K>() with the connectivity as a constant.
template <class F>
decltype(auto) visit_connectivity(Connectivity c, const F& f) {
    switch (c) {
        case Connectivity::c4: return f.template operator()<Connectivity::c4>();
        case Connectivity::c8: return f.template operator()<Connectivity::c8>();
        case Connectivity::c6: return f.template operator()<Connectivity::c6>();
        case Connectivity::c18: return f.template operator()<Connectivity::c18>();
        default: return f.template operator()<Connectivity::c26>();
    }
}

/// Whether a step of (dx, dy, dz), each -1..1, leads to a neighbour. Example: is_neighbour(Connectivity::c6, 1, 1, 0) is false.
VOXCC_HD constexpr bool is_neighbour(Connectivity c, int dx, int dy, int dz) {
    const int axes = (dx != 0) + (dy != 0) + (dz != 0);
    switch (c) {
        case Connectivity::c4: return dz == 0 && axes == 1;
        case Connectivity::c8: return dz == 0 && axes >= 1;
        case Connectivity::c6: return axes == 1;
        case Connectivity::c18: return axes == 1 || axes == 2;
        default: return axes >= 1;
    }
}

/// Whether a step leads to a voxel that comes earlier in raster order.
VOXCC_HD constexpr bool is_earlier(int dx, int dy, int dz) { return dz < 0 || (dz == 0 && (dy < 0 || (dy == 0 && dx < 0))); }

}  // namespace voxcc
