#include "src/cli/help/page.h"

#include <voxcc/device.h>
#include "src/laboratory/laboratory.h"

#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <sstream>

namespace voxcc::cli {
namespace {

constexpr std::array group_order{help_group::input,     help_group::output,   help_group::foreground, help_group::connectivity,
                                 help_group::selection, help_group::measures, help_group::resources,  help_group::messages};

std::vector<std::string> parts_of(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
}

/// Takes the values that an option accepts from its type name. ALGORITHM stands for the names of all algorithms.
// "auto|cpu|cuda[:N,...]" -> {"auto", "cpu", "cuda"}, "0..9" -> {}, "SIZE" -> {}
std::vector<std::string> words_of(const std::string& type_name) {
    std::vector<std::string> words;
    for (const std::string& part : parts_of(type_name, '|')) {
        const std::string word = part.substr(0, part.find('['));
        if (word == "ALGORITHM") {
            why_no_lab();  // without the module, the list is shorter
            for (const Algorithm& algorithm : all_algorithms()) words.emplace_back(algorithm.name);
        } else if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos) words.push_back(word);
    }
    return words;
}

bool names_a_file(const std::string& type_name) { return type_name == "PATH" || type_name == "FILE"; }

std::vector<std::string> names_of(const CLI::Option& option) {
    if (option.get_positional()) return {option.get_name(true) + (option.get_items_expected_max() > 1 ? "..." : "")};
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

/// Divides "text (default: X)" into the text and X.
HelpEntry entry_of(const CLI::Option& option) {
    HelpEntry entry;
    entry.names = names_of(option);
    entry.text = option.get_description();
    constexpr std::string_view start = " (default: ";
    const std::size_t at = entry.text.rfind(start);
    if (at != std::string::npos && entry.text.ends_with(')')) {
        entry.fallback = entry.text.substr(at + start.size(), entry.text.size() - at - start.size() - 1);
        entry.text.resize(at);
    }
    const std::string type_name = option.get_type_name();
    if (option.get_items_expected_max() == 0) return entry;
    entry.type = type_name;
    entry.words = words_of(type_name);
    entry.value = names_a_file(type_name) ? HelpEntry::Value::file : entry.words.empty() ? HelpEntry::Value::text : HelpEntry::Value::word;
    if (!entry.is_operand()) entry.metavar = option.get_option_text().empty() ? type_name : option.get_option_text();
    return entry;
}

bool asks_for_help(const CLI::App& app, const CLI::Option& option) {
    return &option == app.get_help_ptr() || &option == app.get_help_all_ptr();
}

/// -h, --help and --version belong to the messages. CLI11 creates them, so they have no group.
std::string group_of(const CLI::App& app, const CLI::Option& option) {
    if (asks_for_help(app, option) || option.check_name("--version")) return help_group::messages;
    return option.get_positional() ? help_group::input : option.get_group();
}

/// The groups of the app, each with its operands first. Groups that are not in group_order come last.
std::vector<HelpGroup> groups_of(const CLI::App& app) {
    std::vector<HelpGroup> groups;
    for (const char* title : group_order) groups.push_back({title, {}});
    const auto add = [&](const CLI::Option& option) {
        const std::string title = group_of(app, option);
        if (title == help_group::none) return;
        auto group = std::ranges::find(groups, title, &HelpGroup::title);
        if (group == groups.end()) group = groups.insert(groups.end(), HelpGroup{title, {}});
        group->entries.push_back(entry_of(option));
    };
    const std::vector<const CLI::Option*> options = app.get_options();
    for (const CLI::Option* option : options)
        if (option->get_positional()) add(*option);
    for (const CLI::Option* option : options)
        if (!option->get_positional() && !asks_for_help(app, *option)) add(*option);
    for (const CLI::Option* option : {app.get_help_ptr(), app.get_help_all_ptr()})
        if (option) add(*option);
    std::erase_if(groups, [](const HelpGroup& group) { return group.entries.empty(); });
    return groups;
}

std::string usage_of(const CLI::App& app, const HelpPage& page) {
    if (page.command.empty()) return "voxcc COMMAND [options]";
    std::string usage = page.title() + " [options]";
    for (const CLI::Option* option : app.get_options())
        if (option->get_positional()) {
            const std::string name = names_of(*option).front();
            usage += option->get_required() || !option->get_option_text().empty() ? " " + name : " [" + name + "]";
        }
    return usage;
}

}  // namespace

std::string HelpEntry::synopsis() const {
    std::string all_names;
    for (const std::string& name : names) all_names += (all_names.empty() ? "" : ", ") + name;
    return metavar.empty() ? all_names : all_names + " " + metavar;
}

std::vector<std::string> HelpEntry::unstated_words() const {
    const std::string stated = metavar + " " + text;
    const bool complete = std::ranges::all_of(words, [&](const std::string& word) { return stated.find(word) != std::string::npos; });
    return complete ? std::vector<std::string>{} : words;
}

std::vector<HelpEntry> HelpPage::entries() const {
    std::vector<HelpEntry> all;
    for (const HelpGroup& group : groups) all.insert(all.end(), group.entries.begin(), group.entries.end());
    return all;
}

std::vector<HelpEntry> HelpPage::operands() const {
    std::vector<HelpEntry> found = entries();
    std::erase_if(found, [](const HelpEntry& entry) { return !entry.is_operand(); });
    return found;
}

HelpPage page_of(const CLI::App& app) {
    HelpPage page;
    page.command = app.get_parent() ? app.get_name() : "";
    page.summary = app.get_description();
    page.groups = groups_of(app);
    page.prose = text_of_command(page.command);
    page.usage = usage_of(app, page);
    return page;
}

std::vector<HelpPage> pages_of_commands(const CLI::App& program) {
    std::vector<HelpPage> pages;
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) pages.push_back(page_of(*command));
    return pages;
}

}  // namespace voxcc::cli
