// The options of test volumes, for `voxcc generate` and for inputs such as "generate:blobs?shape=64,64,64&scale=3".
#pragma once
#include <voxcc/source.h>
#include "src/options/arguments.h"

#include <functional>

namespace voxcc {

/// The names of the kinds, as users write them.
const std::vector<std::string>& test_volume_kinds();
/// @param kind.text one of test_volume_kinds(). @throw ProgramError invalid_argument for another text
TestVolumeKind test_volume_kind(const Argument& kind);

/// The recipe without options: the defaults of `voxcc generate`.
TestVolumeRecipe default_test_volume(TestVolumeKind kind);

/// An option that sets members of a recipe.
struct TestVolumeOption {
    std::string name;                                             // without dashes
    std::string metavar, help;                                    // see add_value()
    std::string shown_metavar;                                    // in the help; empty: metavar
    std::function<void(TestVolumeRecipe&, const Argument&)> set;  // @throw ProgramError invalid_argument
    std::vector<std::string> kinds;                               // that use it; empty: all
    std::vector<std::string> families;                            // of ridge that use it; empty: all
};
/// In the order of the help.
const std::vector<TestVolumeOption>& test_volume_options();

/// @param given the name of an option as in errors, and the option
/// @throw ProgramError invalid_argument if the kind or the family of the recipe does not use an option, or if both size and shape are given
void check_given(const TestVolumeRecipe& recipe, const std::vector<std::pair<std::string, const TestVolumeOption*>>& given);

/// Whether an input is a test volume that is computed and not read. A file of this name wins.
// "generate:solid?size=64" -> true
bool is_generated(const std::string& input);

/// @param input must be is_generated(). @throw ProgramError invalid_argument, whose subject is the input
// "generate:checkerboard?shape=9,9,1&granularity=3" -> {.kind = checkerboard, .extent = {9, 9, 1}, .granularity = 3}
TestVolumeRecipe recipe_of_input(const std::string& input);

}  // namespace voxcc
