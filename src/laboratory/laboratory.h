// The module voxcc_lab with the published algorithms and the evaluations of `voxcc bench`. It is loaded only when needed.
#pragma once
#include "lab/interface/module.h"

namespace voxcc {

/// Loads the module, once per process, and adds its algorithms to all_algorithms(). Thread-safe.
/// @param subject option or command that needs the module, named in errors
/// @throw Error internal if the module is missing; out_of_memory
const LabModule& lab_module(const std::string& subject);

/// Loads the module if it is there.
/// @return the reason why it cannot be loaded; empty if it is loaded
std::string why_no_lab();

/// The algorithm with this name. Loads the module unless the library contains the algorithm.
/// @param option that needs the algorithm, named in errors
/// @return null if no algorithm has this name
/// @throw the errors of lab_module()
const Algorithm* find_or_load_algorithm(const std::string& name, const std::string& option);

}  // namespace voxcc
