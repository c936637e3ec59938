// Instantiates label_gradient() for both widths of run ids.
#include "kernels3d/block_runs/cpu/label_gradient.h"

namespace voxcc::block_runs {

template std::unique_ptr<Labelling> label_gradient<uint32_t>(const Request&, RowSource&, ThreadPool&);
template std::unique_ptr<Labelling> label_gradient<uint64_t>(const Request&, RowSource&, ThreadPool&);

}  // namespace voxcc::block_runs
