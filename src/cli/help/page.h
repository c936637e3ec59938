// The commands and their options as plain data. Help screens, Markdown pages, manual pages and completions are written from it.
#pragma once
#include "src/cli/help/texts.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace voxcc::cli {

/// An option, or an operand (an argument without dashes).
// --sort: {{"--sort"}, "raster|size", "number by first voxel ...", "raster", {"raster", "size"}, Value::word}
struct HelpEntry {
    std::vector<std::string> names;  // {"-o", "--output"}; an operand has one name: {"IN..."}
    std::string metavar;             // "PATH"; empty for switches and operands
    std::string text;                // without the default
    std::string fallback;            // the default; empty if the option has none
    std::vector<std::string> words;  // words that the value may have, for completions
    enum class Value { none, text, word, file } value = Value::none;
    std::string type = {};  // "auto|cpu|cuda[:N,...]|all", "0..9", "PATH"; the metavar can be shorter. Empty for switches

    bool is_operand() const { return !names.front().starts_with('-'); }
    // "-o, --output PATH"
    std::string synopsis() const;
    /// The words of the value, if the text and the metavar do not state all of them; else empty.
    std::vector<std::string> unstated_words() const;
};

struct HelpGroup {
    std::string title;
    std::vector<HelpEntry> entries;
};

/// What the help says about one command, or about the program.
struct HelpPage {
    std::string command;  // "label"; empty: the program
    std::string summary;  // lower case, without a full stop
    std::string usage;    // "voxcc label [options] IN..."
    std::vector<HelpGroup> groups;
    CommandText prose;

    // "voxcc label"
    std::string title() const { return command.empty() ? "voxcc" : "voxcc " + command; }
    std::vector<HelpEntry> entries() const;   // of all groups, in order
    std::vector<HelpEntry> operands() const;  // the entries that are operands
};

/// The title of each group, in the order of the help. Every command has some of them.
namespace help_group {
inline constexpr const char* input = "Input";
inline constexpr const char* output = "Output";
inline constexpr const char* foreground = "Foreground";
inline constexpr const char* connectivity = "Connectivity";
inline constexpr const char* selection = "Selection";
inline constexpr const char* measures = "Measures";
inline constexpr const char* resources = "Resources";
inline constexpr const char* messages = "Messages";
inline constexpr const char* none = "";  // options that help pages leave out
}  // namespace help_group

/// The page of a command or of the program.
HelpPage page_of(const CLI::App& app);

/// The pages of all commands, in the order of their definition.
std::vector<HelpPage> pages_of_commands(const CLI::App& program);

}  // namespace voxcc::cli
