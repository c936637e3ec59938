// Completions for fish.
#include "src/cli/help/formats.h"
#include "src/cli/help/wrap.h"

namespace voxcc::cli {
namespace {

constexpr const char* fish_start = R"(# fish completion for voxcc. Made by: voxcc help --format fish
function __voxcc_command
    set -l words (commandline -opc)
    if test (count $words) -gt 1
        test "$words[2]" = "$argv[1]"
    else
        test -z "$argv[1]"
    end
end
complete -c voxcc -f
)";

/// In single quotes, fish reads a backslash before a quote or a backslash as an escape.
std::string in_fish_quotes(const std::string& text) {
    return quoted(replaced(text, [](char c) { return c == '\\' ? "\\\\" : std::string(1, c); }), "\\'");
}

// "complete -c voxcc -n '__voxcc_command label'"
std::string line_for(const HelpPage& page) { return "complete -c voxcc -n '__voxcc_command " + page.command + "'"; }

std::string value(const HelpEntry& entry) {
    if (entry.value == HelpEntry::Value::file) return " -r -F";
    if (entry.value == HelpEntry::Value::word) return " -x -a '" + joined(entry.words, " ") + "'";
    return entry.value == HelpEntry::Value::text ? " -x" : "";
}

std::string line_of(const HelpPage& page, const HelpEntry& entry) {
    std::string text = line_for(page);
    if (entry.is_operand()) return text + (entry.value == HelpEntry::Value::file ? " -F" : " -a '" + joined(entry.words, " ") + "'") + "\n";
    for (const std::string& name : entry.names) text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    return text + value(entry) + " -d " + in_fish_quotes(entry.text) + "\n";
}

std::string lines_of(const HelpPage& page) {
    std::string text;
    for (const HelpEntry& entry : page.entries()) text += line_of(page, entry);
    return text;
}

}  // namespace

std::string fish_completion(const HelpBook& book) {
    std::string text = fish_start;
    for (const HelpPage& page : book.commands)
        text += line_for(book.program) + " -a " + page.command + " -d " + in_fish_quotes(page.summary) + "\n";
    text += lines_of(book.program);
    for (const HelpPage& page : book.commands) text += lines_of(page);
    return text;
}

}  // namespace voxcc::cli
