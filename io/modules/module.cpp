#include "io/modules/module.h"

#include <voxcc/error.h>

#include <dlfcn.h>
#include <cerrno>
#include <filesystem>

namespace voxcc::io {
namespace {

// Path of the module: beside the program (build folder, copied program), else in the folder of an installation.
// Both places are relative to the program, so a moved installation works.
// Without /proc the path is the file name alone, and dlopen searches the folders of the system.
std::filesystem::path find_module(const std::string& file) {
    std::error_code ignored;
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    if (folder.empty()) return file;
    const std::filesystem::path beside = folder / file, installed = folder / VOXCC_MODULE_FOLDER / file;
    return !std::filesystem::exists(beside, ignored) && std::filesystem::exists(installed, ignored) ? installed : beside;
}

}  // namespace

const void* load_module(const Module& module, const std::string& subject) {
    const std::string file = module.name + "-" VOXCC_VERSION ".so", path = find_module(file).string();
    // NOW: a symbol that a library lacks is an error here; later it would end the process.
    errno = 0;
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    const bool no_memory = errno == ENOMEM;  // dlerror() states the step that failed, and often not the reason
    void* const exported = library ? ::dlsym(library, module.name.c_str()) : nullptr;
    if (exported) return exported;
    const char* const stated = ::dlerror();
    const std::string cause = module.purpose + " cannot be loaded: " + (stated ? stated : "out of memory");
    if (no_memory || !stated || cause.find("failed to map segment") != std::string::npos)
        throw Error(ErrorKind::out_of_memory, subject, cause + "; raise the limit on address space (ulimit -v)");
    throw Error(ErrorKind::internal, subject,
                cause + "; " + module.remedy + " put " + file + " beside the program or into " VOXCC_MODULE_FOLDER);
}

}  // namespace voxcc::io
