// The steps of a labelling in parts. Each step can be repeated: what is complete is not done again.
#pragma once
#include <voxcc/threads.h>
#include "src/messages/report.h"
#include "src/parts/part_files.h"

namespace voxcc::parts {

/// The folders of the steps. `merged` is empty for the step label.
struct Folders {
    std::string state, merged;
};

/// Reads a part of the input, labels it and writes its state.
/// @param inputs see open_inputs(); they are rewound
void label_part(const Plan& plan, const std::string& state, std::int64_t part, PlannedInputs& inputs, ThreadPool& pool,
                const Reporter& reporter);

/// Joins the states of all parts. @return the number of components
std::uint64_t merge_states(const Plan& plan, const Folders& folders, const Reporter& reporter);

/// Paints a part, and writes its rows of the table.
void relabel_part(const Plan& plan, const Folders& folders, std::int64_t part, ThreadPool& pool, const Reporter& reporter);

}  // namespace voxcc::parts
