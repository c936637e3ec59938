// Instantiates label_bits() for connectivities 18 and 8.
#include "kernels3d/engine/cpu/label_bits.h"
#include "kernels3d/engine/request.h"

namespace voxcc::block_runs {
template std::unique_ptr<Labelling> label_bits<Connectivity::c18, uint32_t>(const Request&, RowSource&, ThreadPool&);
template std::unique_ptr<Labelling> label_bits<Connectivity::c18, uint64_t>(const Request&, RowSource&, ThreadPool&);
template std::unique_ptr<Labelling> label_bits<Connectivity::c8, uint32_t>(const Request&, RowSource&, ThreadPool&);
template std::unique_ptr<Labelling> label_bits<Connectivity::c8, uint64_t>(const Request&, RowSource&, ThreadPool&);
}  // namespace voxcc::block_runs
