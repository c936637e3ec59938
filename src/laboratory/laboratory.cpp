#include "src/laboratory/laboratory.h"

#include "io/modules/module.h"

namespace voxcc {
namespace {

const LabModule* load(const std::string& subject) {
    const auto* const module = static_cast<const LabModule*>(io::load_module(
        {"voxcc_lab", "the laboratory, which contains the published algorithms,", "install the package voxcc-lab, or"}, subject));
    add_algorithms(module->algorithms());
    return module;
}

}  // namespace

const LabModule& lab_module(const std::string& subject) {
    static const LabModule* const module = load(subject);
    return *module;
}

std::string why_no_lab() {
    try {
        lab_module("laboratory");
        return {};
    } catch (const Error& error) {
        return error.cause();
    }
}

const Algorithm* find_or_load_algorithm(const std::string& name, const std::string& option) {
    if (const Algorithm* const algorithm = find_algorithm(name)) return algorithm;
    lab_module(option);
    return find_algorithm(name);
}

}  // namespace voxcc
