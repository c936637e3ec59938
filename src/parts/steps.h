// The steps of a labelling in parts. Each step can be repeated: what is complete is not done again.
#pragma once
#include <voxcc/threads.h>
#include "src/messages/report.h"
#include "src/parts/part_files.h"

namespace voxcc::parts {

/// Reads a part of the input, labels its foreground or its background, and writes its state.
/// @param inputs see open_inputs(); they are rewound
void label_part(const Plan& plan, const std::string& state, std::int64_t part, PlannedInputs& inputs, ThreadPool& pool,
                const Reporter& reporter);

/// Whether fill_part() reads the inputs.
bool filling_reads_inputs(const Plan& plan);

/// Fills the holes of a part, labels it and writes its state.
/// @param folders of the states of the background and of their merge
/// @param inputs as for label_part(); not used unless filling_reads_inputs()
void fill_part(const Plan& plan, const Folders& folders, std::int64_t part, PlannedInputs& inputs, ThreadPool& pool,
               const Reporter& reporter);

/// Joins the states of all parts. @return the number of components that are kept
std::uint64_t merge_states(const Plan& plan, const Folders& folders, const Reporter& reporter);

/// Paints a part, and writes its rows of the table.
void relabel_part(const Plan& plan, const Folders& folders, std::int64_t part, ThreadPool& pool, const Reporter& reporter);

}  // namespace voxcc::parts
