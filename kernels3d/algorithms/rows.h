// The published algorithms and our variants of them, one row each. The registry, the tests and the bench take their rows from this list,
// for every device. `source` is the publication; for our own algorithms it begins with "voxcc: " and says what differs from the
// publication.
#pragma once
#include "kernels3d/algorithms/be.h"
#include "kernels3d/algorithms/bke.h"
#include "kernels3d/algorithms/buf.h"
#include "kernels3d/algorithms/dlp.h"
#include "kernels3d/algorithms/ha.h"
#include "kernels3d/algorithms/ke.h"
#include "kernels3d/algorithms/lbuf.h"
#include "kernels3d/algorithms/le.h"
#include "kernels3d/algorithms/ole.h"
#include "kernels3d/algorithms/shibata.h"
#include "kernels3d/algorithms/tm.h"
#include "kernels3d/algorithms/uf.h"
#include "kernels3d/algorithms/ziegler.h"

#include <array>
#include <cstddef>

namespace voxcc::algorithms {

template <class... Row>
struct RowList {
    static constexpr std::size_t size = sizeof...(Row);
    /// f(Row{})..., in order, as an array.
    template <class F>
    static constexpr auto map(const F& f) {
        return std::array{f(Row{})...};
    }
};
using Rows =
    RowList<Buf, BufIc, Bke, BkeIc, Uf, UfIc, Be, Ke, Ole, Lbuf, Dlp, LeHle, LeKle, LeKleF4, LeKleP4, LeHybrid, LeHybridF8, LeHybridP4,
            LeHybridGlobal, Tm, Tm32x8, Tm32x32, Ha4, Ha4x64, Ha8, ZieglerGather, ZieglerLinks, ZieglerMasterSlave, Shibata>;

}  // namespace voxcc::algorithms
