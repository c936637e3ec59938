#include "io/failed_allocation.h"
#include "io/formats/itk/itk.h"
#include "io/optional_libraries.h"

#include <dlfcn.h>
#include <cerrno>
#include <filesystem>

namespace voxcc::io {
namespace {

// Path of the module: beside the program (build folder, copied program), else in the folder of an installation.
// Both places are relative to the program, so a moved installation works.
// Without /proc the path is the file name alone, and dlopen searches the folders of the system.
std::filesystem::path find_module() {
    std::error_code ignored;
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    if (folder.empty()) return VOXCC_ITK_MODULE;
    const std::filesystem::path beside = folder / VOXCC_ITK_MODULE, installed = folder / VOXCC_ITK_FOLDER / VOXCC_ITK_MODULE;
    return !std::filesystem::exists(beside, ignored) && std::filesystem::exists(installed, ignored) ? installed : beside;
}

// The file name contains the version of voxcc, because the structs of program and module must be the same.
const ItkModule* load(const std::string& path) {
    const std::string module = find_module().string();
    // ITK loads libhdf5, which allocates memory at once. If this fails, libhdf5 recurses until the stack is full.
    const CrashStack stack;
    // NOW: a symbol that ITK lacks is an error here; later it would end the process that reads, and the file would be blamed.
    errno = 0;
    void* const library = ::dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    const bool no_memory = errno == ENOMEM;  // dlerror() states the step that failed, and often not the reason
    void* const exported = library ? ::dlsym(library, "voxcc_itk") : nullptr;
    if (!exported) {
        const char* const stated = ::dlerror();
        const std::string cause = std::string("ITK, which reads this format, cannot be loaded: ") + (stated ? stated : "out of memory");
        if (no_memory || !stated || cause.find("failed to map segment") != std::string::npos)
            throw Error(ErrorKind::out_of_memory, path, cause + "; raise the limit on address space (ulimit -v)");
        throw Error(ErrorKind::internal, path,
                    cause + "; install ITK, and put " VOXCC_ITK_MODULE " beside the program or into " VOXCC_ITK_FOLDER);
    }
    return static_cast<const ItkModule*>(exported);
}

}  // namespace

bool has_itk() { return true; }
std::string itk_version() { return VOXCC_ITK_VERSION; }

const ItkModule& itk_module(const std::string& path) {
    static const ItkModule* const module = load(path);
    return *module;
}

}  // namespace voxcc::io
