// Instantiates label_gradient() for all connectivities.
#include "kernels3d/engine/cpu/label_gradient.h"
#include "kernels3d/engine/request.h"

namespace voxcc::block_runs {

#define VOXCC_LABEL_GRADIENT(K)                                                                                             \
    template std::unique_ptr<Labelling> label_gradient<Connectivity::K, uint32_t>(const Request&, RowSource&, ThreadPool&); \
    template std::unique_ptr<Labelling> label_gradient<Connectivity::K, uint64_t>(const Request&, RowSource&, ThreadPool&);
VOXCC_LABEL_GRADIENT(c4)
VOXCC_LABEL_GRADIENT(c8)
VOXCC_LABEL_GRADIENT(c6)
VOXCC_LABEL_GRADIENT(c18)
VOXCC_LABEL_GRADIENT(c26)
#undef VOXCC_LABEL_GRADIENT

}  // namespace voxcc::block_runs
