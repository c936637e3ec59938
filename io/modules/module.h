// Loads modules of the program: shared objects that only some runs need, and that an installation can leave out.
#pragma once
#include <string>

namespace voxcc::io {

/// A module and the texts of the error that reports its absence:
/// "PURPOSE cannot be loaded: CAUSE; REMEDY put NAME-VERSION.so beside the program or into FOLDER".
struct Module {
    std::string name;     // of the exported object and, with the version of voxcc, of the file
    std::string purpose;  // "ITK, which reads this format,"
    std::string remedy;   // "install ITK, and"
};

/// Loads a module from the folder of the program or of the installation. The file name contains the version of voxcc, because the structs
/// of program and module must be the same. Thread-safe.
/// @param subject file or option that needs the module, named in errors
/// @return the exported object; the module stays in the process
/// @throw Error internal if the module or a library that it needs is missing; out_of_memory
const void* load_module(const Module& module, const std::string& subject);

}  // namespace voxcc::io
