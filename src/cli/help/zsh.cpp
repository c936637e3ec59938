// Completions for zsh, with the function _arguments.
#include "src/cli/help/formats.h"
#include "src/cli/help/wrap.h"

namespace voxcc::cli {
namespace {

constexpr const char* zsh_start = R"(#compdef voxcc
# zsh completion for voxcc. Made by: voxcc help --format zsh
_voxcc() {
    local context state state_descr line
    typeset -A opt_args
)";
constexpr const char* zsh_end = R"(        esac ;;
    esac
}
if [[ $funcstack[1] == _voxcc ]]; then
    _voxcc "$@"
else
    compdef _voxcc voxcc
fi
)";

std::string in_zsh_quotes(const std::string& text) { return quoted(text, "'\\''"); }

/// _arguments ends a description at "]" and a message at ":".
std::string escaped(const std::string& text) {
    return replaced(text, [](char c) -> std::string { return (c == ']' || c == '[' || c == ':' ? "\\" : "") + std::string(1, c); });
}

std::string action(const HelpEntry& entry) {
    if (entry.value == HelpEntry::Value::file) return "_files";
    return entry.value == HelpEntry::Value::word ? "(" + joined(entry.words, " ") + ")" : " ";
}

/// The arguments of _arguments for an option: one per name. An option that has been given is not offered again.
// '(-o --output)-o+[label volume]:PATH:_files' '(-o --output)--output=[label volume]:PATH:_files'
std::string specification(const HelpEntry& entry) {
    if (entry.is_operand()) {
        const bool repeated = entry.names.front().ends_with("...");
        return " \\\n                " + in_zsh_quotes((repeated ? "*:" : ":") + escaped(entry.names.front()) + ":" + action(entry));
    }
    std::string text;
    for (const std::string& name : entry.names) {
        const std::string value = entry.metavar.empty() ? "" : ":" + escaped(entry.metavar) + ":" + action(entry);
        const std::string mark = entry.metavar.empty() ? "" : name.starts_with("--") ? "=" : "+";
        text += " \\\n                " +
                in_zsh_quotes("(" + joined(entry.names, " ") + ")" + name + mark + "[" + escaped(entry.text) + "]" + value);
    }
    return text;
}

std::string specifications(const HelpPage& page) {
    std::string text;
    for (const HelpEntry& entry : page.entries()) text += specification(entry);
    return text;
}

}  // namespace

std::string zsh_completion(const HelpBook& book) {
    std::string text = zsh_start;
    text += "    _arguments -C" + specifications(book.program) + " \\\n                '1:command:->command' '*::argument:->argument'\n";
    text += "    case $state in\n    command)\n        local -a commands=(\n";
    for (const HelpPage& page : book.commands) text += "            " + in_zsh_quotes(page.command + ":" + escaped(page.summary)) + "\n";
    text += "        )\n        _describe command commands ;;\n    argument)\n        case $words[1] in\n";
    for (const HelpPage& page : book.commands)
        text += "        " + page.command + ")\n            _arguments" + specifications(page) + " ;;\n";
    return text + zsh_end;
}

}  // namespace voxcc::cli
