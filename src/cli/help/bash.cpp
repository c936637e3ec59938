// Completions for bash. They need no bash-completion package.
#include "src/cli/help/formats.h"
#include "src/cli/help/wrap.h"

namespace voxcc::cli {
namespace {

// COMP_WORDS holds "--sort", "=", "size" for --sort=size. `compopt` fails outside a completion, for example in tests.
constexpr const char* bash_start = R"(# bash completion for voxcc. Made by: voxcc help --format bash
# shellcheck shell=bash
_voxcc() {
    local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words='' files=''
    if [[ $current == = ]]; then
        current=''
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == 1)); then command='' option=''; fi
    case $command:$option in
)";
constexpr const char* bash_end = R"(    esac
    if [[ $files ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    fi
}
complete -F _voxcc voxcc
)";

std::string assignment(const HelpEntry& entry) {
    if (entry.value == HelpEntry::Value::file) return "files=yes";
    return entry.value == HelpEntry::Value::word ? "words='" + joined(entry.words, " ") + "'" : "words=''";
}

/// The case for the word after an option with a value.
// "    label:-o | label:--output) files=yes ;;"
std::string value_case(const std::string& command, const HelpEntry& entry) {
    std::vector<std::string> patterns;
    for (const std::string& name : entry.names) patterns.push_back(command + ":" + name);
    return "    " + joined(patterns, " | ") + ") " + assignment(entry) + " ;;\n";
}

std::string option_names(const HelpPage& page) {
    std::vector<std::string> names;
    for (const HelpEntry& entry : page.entries())
        if (!entry.is_operand()) names.insert(names.end(), entry.names.begin(), entry.names.end());
    return joined(names, " ");
}

std::string cases_of(const HelpPage& page) {
    std::string text;
    for (const HelpEntry& entry : page.entries())
        if (!entry.metavar.empty()) text += value_case(page.command, entry);
    text += "    " + page.command + ":*)\n        if [[ $current == -* ]]; then words='" + option_names(page) + "'";
    const std::vector<HelpEntry> operands = page.operands();
    if (!operands.empty()) text += "; else " + assignment(operands.front());
    return text + "; fi ;;\n";
}

}  // namespace

std::string bash_completion(const HelpBook& book) {
    std::vector<std::string> first;
    for (const HelpPage& page : book.commands) first.push_back(page.command);
    std::string text = bash_start;
    text += "    :) words='" + joined(first, " ") + " " + option_names(book.program) + "' ;;\n";
    for (const HelpPage& page : book.commands) text += cases_of(page);
    return text + bash_end;
}

}  // namespace voxcc::cli
