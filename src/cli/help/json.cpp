// The options of the commands as JSON, for programs such as wrappers/generator.
#include "src/cli/help/formats.h"

#include <nlohmann/json.hpp>

namespace voxcc::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int indentation = 2;

Json json_of(const HelpEntry& entry) {
    return {{"names", entry.names}, {"metavar", entry.metavar}, {"type", entry.type}, {"text", entry.text}, {"default", entry.fallback}};
}

Json json_of(const HelpGroup& group) {
    Json options = Json::array();
    for (const HelpEntry& entry : group.entries) options.push_back(json_of(entry));
    return {{"title", group.title}, {"options", options}};
}

Json exit_codes_of(const HelpPage& page) {
    Json codes = Json::array();
    const auto add = [&codes](ExitCode code, std::string_view meaning) { codes.push_back({{"code", int(code)}, {"meaning", meaning}}); };
    for (const ExitText& exit : exit_texts()) {
        add(exit.code, exit.meaning);
        if (exit.code == ExitCode::ok && !page.prose.code_1.word.empty()) add(ExitCode::differs, page.prose.code_1.meaning);
    }
    return codes;
}

Json json_of(const HelpPage& page) {
    Json groups = Json::array(), examples = Json::array();
    for (const HelpGroup& group : page.groups) groups.push_back(json_of(group));
    for (const Example& example : page.prose.examples) examples.push_back({{"purpose", example.purpose}, {"command", example.command}});
    return {{"command", page.command},
            {"summary", page.summary},
            {"usage", page.usage},
            {"description", page.prose.description},
            {"groups", groups},
            {"examples", examples},
            {"exit_codes", exit_codes_of(page)}};
}

}  // namespace

std::string json_of_command(const HelpPage& page, const std::string& version) {
    Json json{{"version", version}};
    json.update(json_of(page));
    return json.dump(indentation) + "\n";
}

std::string json_of_program(const HelpBook& book, const std::string& version) {
    Json commands = Json::array();
    for (const HelpPage& page : book.commands) commands.push_back(json_of(page));
    return Json{{"version", version}, {"program", json_of(book.program)}, {"commands", commands}}.dump(indentation) + "\n";
}

}  // namespace voxcc::cli
