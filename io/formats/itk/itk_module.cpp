#include "io/failed_allocation.h"
#include "io/formats/itk/itk.h"
#include "io/modules/module.h"
#include "io/optional_libraries.h"

namespace voxcc::io {
namespace {

const ItkModule* load(const std::string& path) {
    // ITK loads libhdf5, which allocates memory at once. If this fails, libhdf5 recurses until the stack is full.
    const CrashStack stack;
    return static_cast<const ItkModule*>(load_module({"voxcc_itk", "ITK, which reads this format,", "install ITK, and"}, path));
}

}  // namespace

bool has_itk() { return true; }
std::string itk_version() { return VOXCC_ITK_VERSION; }

const ItkModule& itk_module(const std::string& path) {
    static const ItkModule* const module = load(path);
    return *module;
}

}  // namespace voxcc::io
