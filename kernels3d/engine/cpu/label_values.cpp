// Instantiates label_values() for all connectivities.
#include "kernels3d/engine/cpu/label_values.h"
#include "kernels3d/engine/request.h"

namespace voxcc::block_runs {

#define VOXCC_LABEL_VALUES(K)                                                                                             \
    template std::unique_ptr<Labelling> label_values<Connectivity::K, uint32_t>(const Request&, RowSource&, ThreadPool&); \
    template std::unique_ptr<Labelling> label_values<Connectivity::K, uint64_t>(const Request&, RowSource&, ThreadPool&);
VOXCC_LABEL_VALUES(c4)
VOXCC_LABEL_VALUES(c8)
VOXCC_LABEL_VALUES(c6)
VOXCC_LABEL_VALUES(c18)
VOXCC_LABEL_VALUES(c26)
#undef VOXCC_LABEL_VALUES

}  // namespace voxcc::block_runs
