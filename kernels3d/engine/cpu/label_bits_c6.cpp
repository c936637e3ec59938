// Instantiates label_bits() for connectivities 6 and 4.
#include "kernels3d/engine/cpu/label_bits.h"
#include "kernels3d/engine/request.h"

namespace voxcc::block_runs {
template std::unique_ptr<Labelling> label_bits<Connectivity::c6, uint32_t>(const Request&, RowSource&, ThreadPool&);
template std::unique_ptr<Labelling> label_bits<Connectivity::c6, uint64_t>(const Request&, RowSource&, ThreadPool&);
template std::unique_ptr<Labelling> label_bits<Connectivity::c4, uint32_t>(const Request&, RowSource&, ThreadPool&);
template std::unique_ptr<Labelling> label_bits<Connectivity::c4, uint64_t>(const Request&, RowSource&, ThreadPool&);
}  // namespace voxcc::block_runs
