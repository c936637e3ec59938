#include "io/itk/itk.h"

#include <dlfcn.h>
#include <filesystem>

namespace voxcc::io {
namespace {

// The file name contains the version of voxcc, so a program never loads a module with other struct layouts.
const ItkModule* load(const std::string& path) {
    std::error_code ignored;  // without /proc, dlopen() searches the folders of the system
    const std::string module = std::filesystem::read_symlink("/proc/self/exe", ignored).replace_filename(VOXCC_ITK_MODULE).string();
    // RTLD_NOW: a missing symbol of ITK is an error here. Later it would end the child process, and the file would be reported as corrupt.
    void* const library = ::dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const exported = library ? ::dlsym(library, "voxcc_itk") : nullptr;
    if (!exported) {
        const std::string reason = ::dlerror(), cause = "ITK, which reads this format, cannot be loaded: " + reason;
        for (const char* no_memory : {"failed to map segment", "Cannot allocate memory"})
            if (reason.find(no_memory) != std::string::npos)
                throw Error(ExitCode::out_of_memory, path, cause, "raise the limit on address space (ulimit -v)");
        throw Error(ExitCode::internal, path, cause, "install ITK, and put " VOXCC_ITK_MODULE " beside the program");
    }
    return static_cast<const ItkModule*>(exported);
}

}  // namespace

const ItkModule& itk_module(const std::string& path) {
    static const ItkModule* const module = load(path);
    return *module;
}

}  // namespace voxcc::io
