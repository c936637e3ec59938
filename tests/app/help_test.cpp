// Tests the writers of help pages on a small page with characters that are special in each format.
#include "io/format_names.h"
#include "src/cli/help/formats.h"
#include "src/cli/help/wrap.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace voxcc::cli;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A command "find" with an operand, a file, words and a switch.
HelpBook small_book() {
    using Value = HelpEntry::Value;
    HelpPage find;
    find.command = "find";
    find.summary = "find it's [x]: a|b";
    find.usage = "voxcc find [options] IN...";
    find.groups = {
        {"Input",
         {{{"IN..."}, "", "files", "", {}, Value::file}, {{"-m", "--mode"}, "a|b", "it's [1]: 50 % * 2", "a", {"a", "b"}, Value::word}}},
        {"Messages", {{{"-q"}, "", "say less", "", {}, Value::none}, {{"--size"}, "N", "back\\slash", "3", {}, Value::text}}}};
    find.prose = {.name = "find",
                  .description = {".nii files: `--mode`"},
                  .examples = {{"all", "voxcc find 'a b' ~/c"}},
                  .daily = {{"--mode"}, {"--size", "a size"}},
                  .code_1 = {},
                  .errors = {voxcc::ExitCode::usage},
                  .commands = {},
                  .pages = {"table.md"}};
    HelpPage program;
    program.summary = "test";
    program.usage = "voxcc COMMAND";
    program.prose.examples = {
        {"a long line", "voxcc find a-long-name-of-a-file.nii.gz other-long-name-of-a-file.nii.gz --mode a --size 3 -q"}};
    return {program, {find}};
}

}  // namespace

TEST_CASE("help: lines are broken between words") {
    CHECK(wrapped("one two three", 7) == "one two\nthree\n");
    CHECK(wrapped("one two three", 6) == "one\ntwo\nthree\n");
    CHECK(wrapped("incomprehensible a", 4) == "incomprehensible\na\n");
    CHECK(wrapped("  ", 4).empty());
    CHECK(joined({"a", "b", "c"}, ", ") == "a, b, c");
    CHECK(quoted("it's", "'\\''") == "'it'\\''s'");
}

TEST_CASE("help: operands of a page, and words that a text does not state") {
    const HelpPage find = small_book().commands.front();
    REQUIRE(find.operands().size() == 1);
    CHECK(find.entries().size() == 4);
    CHECK(find.entries()[1].synopsis() == "-m, --mode a|b");
    CHECK(find.entries()[1].unstated_words().empty());
    HelpEntry entry = find.entries()[1];
    entry.metavar = "MODE";
    entry.text = "a mode";
    CHECK(entry.unstated_words() == std::vector<std::string>{"a", "b"});
}

TEST_CASE("help: screen") {
    const std::string screen = screen_of_command(small_book().commands.front());
    CHECK(contains(screen, "Usage: voxcc find [options] IN...\n\nInput:\n"));
    CHECK(contains(screen, "\n  IN...                       files\n"));
    CHECK(contains(screen, "\n  -m, --mode a|b              it's [1]: 50 % * 2 (default: a)\n"));
    CHECK(contains(screen, "\n      --size N                back\\slash (default: 3)\n"));
    CHECK(contains(screen, "\nExit codes: 0 ok; error: 64 usage\n"));
}

TEST_CASE("help: short screen") {
    const std::string screen = short_screen_of_command(small_book().commands.front());
    CHECK(contains(screen,
                   "\nDaily options:\n"
                   "  -m, --mode a|b            it's [1]: 50 % * 2 (default: a)\n"
                   "      --size N              a size\n\n"
                   "Example:\n  voxcc find 'a b' ~/c\n\nAll options: voxcc find --help\n"));
    CHECK(contains(short_screen_of_program(small_book()), "\nDaily commands:\n  find        find it's [x]: a|b\n"));
}

TEST_CASE("help: a long example is continued below") {
    CHECK(contains(screen_of_program(small_book()),
                   "  voxcc find a-long-name-of-a-file.nii.gz other-long-name-of-a-file.nii.gz \\\n      --mode a --size 3 -q\n"));
}

TEST_CASE("help: special characters are escaped in each format") {
    const HelpBook book = small_book();
    const HelpPage& find = book.commands.front();
    CHECK(contains(markdown_of_command(find), "| `-m, --mode a\\|b` | it's [1]: 50 % \\* 2 | a |\n"));
    const std::string man = man_of_command(find, "1.2.3");
    CHECK(man.starts_with(".TH VOXCC-FIND 1 \"\" \"voxcc 1.2.3\""));
    CHECK(contains(man, "\n\\&.nii files: \\fB\\-\\-mode\\fR\n"));
    CHECK(contains(man, "voxcc find \\(aqa b\\(aq \\(ti/c\n"));
    CHECK(contains(man, "back\\eslash (default: 3)"));
    CHECK(contains(zsh_completion(book), "'(-m --mode)--mode=[it'\\''s \\[1\\]\\: 50 % * 2]:a|b:(a b)'"));
    CHECK(contains(zsh_completion(book), "'*:IN...:_files'"));
    CHECK(contains(fish_completion(book),
                   "complete -c voxcc -n '__voxcc_command find' -s m -l mode -x -a 'a b' -d 'it\\'s [1]: 50 % * 2'\n"));
    CHECK(contains(bash_completion(book), "    find:-m | find:--mode) words='a b' ;;\n"));
}

TEST_CASE("help: a backslash is escaped for fish") { CHECK(contains(fish_completion(small_book()), "-l size -x -d 'back\\\\slash'\n")); }

TEST_CASE("help: JSON holds the texts unchanged") {
    const HelpBook book = small_book();
    const auto page = nlohmann::json::parse(json_of_command(book.commands.front(), "1.2.3"));
    CHECK(page["version"] == "1.2.3");
    const auto& mode = page["groups"][0]["options"][1];
    CHECK(mode["names"] == nlohmann::json({"-m", "--mode"}));
    CHECK(mode["text"] == "it's [1]: 50 % * 2");
    CHECK(mode["default"] == "a");
    CHECK(page["examples"][0]["command"] == "voxcc find 'a b' ~/c");
    CHECK(nlohmann::json::parse(json_of_program(book, "1.2.3"))["commands"][0]["groups"] == page["groups"]);
}

TEST_CASE("names with the extension of a volume") {
    for (const char* name : {"a.nii", "b/a.NII.GZ", "a.tif", "a.h5"}) CHECK(voxcc::io::has_volume_extension(name));
    for (const char* name : {"label", "a.txt", ".nii", "nii"}) CHECK_FALSE(voxcc::io::has_volume_extension(name));
}
