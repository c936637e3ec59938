#include "src/options/test_volume_options.h"

#include "src/errors/program_error.h"
#include "src/options/nearest.h"

#include <algorithm>
#include <filesystem>
#include <limits>

namespace voxcc {
namespace {

constexpr std::string_view generated_prefix = "generate:";

template <class T>
struct Word {
    std::string word;
    T value;
};

const std::vector<Word<TestVolumeKind>> kinds{{"hilbert", TestVolumeKind::hilbert},     {"random", TestVolumeKind::random},
                                              {"spiral", TestVolumeKind::spiral},       {"zigzag-spiral", TestVolumeKind::zigzag_spiral},
                                              {"dry-earth", TestVolumeKind::dry_earth}, {"ridge", TestVolumeKind::ridge},
                                              {"blobs", TestVolumeKind::blobs},         {"checkerboard", TestVolumeKind::checkerboard},
                                              {"solid", TestVolumeKind::solid}};
const std::vector<Word<RidgeFamily>> families{{"leveling", RidgeFamily::leveling},
                                              {"scaling", RidgeFamily::scaling},
                                              {"subdivision", RidgeFamily::subdivision},
                                              {"random-instancing", RidgeFamily::random_instancing},
                                              {"random-merging", RidgeFamily::random_merging}};
const std::vector<Word<Generator>> generators{
    {"mt19937", Generator::mt19937}, {"mt19937-64", Generator::mt19937_64}, {"splitmix64", Generator::splitmix64}};

template <class T>
std::vector<std::string> words_of(const std::vector<Word<T>>& choices) {
    std::vector<std::string> words;
    for (const Word<T>& choice : choices) words.push_back(choice.word);
    return words;
}
template <class T>
std::string metavar_of(const std::vector<Word<T>>& choices) {
    std::string metavar;
    for (const Word<T>& choice : choices) metavar += (metavar.empty() ? "" : "|") + choice.word;
    return metavar;
}
template <class T>
T value_of(const std::vector<Word<T>>& choices, const Argument& argument) {
    return choices[parse_choice(argument, words_of(choices))].value;
}
template <class T>
std::string word_of(const std::vector<Word<T>>& choices, T value) {
    return std::ranges::find(choices, value, &Word<T>::value)->word;
}

/// An option with a whole or a real number.
TestVolumeOption whole(const std::string& name, const std::string& metavar, const std::string& help, WholeRange range,
                       std::function<void(TestVolumeRecipe&, std::int64_t)> set, std::vector<std::string> of_kinds,
                       std::vector<std::string> of_families = {}) {
    return {name,
            metavar,
            help,
            "",
            [=](TestVolumeRecipe& recipe, const Argument& argument) { set(recipe, parse_whole(argument, range)); },
            std::move(of_kinds),
            std::move(of_families)};
}
TestVolumeOption real(const std::string& name, const std::string& metavar, const std::string& help, RealRange range,
                      std::function<void(TestVolumeRecipe&, double)> set, std::vector<std::string> of_kinds,
                      std::vector<std::string> of_families = {}) {
    return {name,
            metavar,
            help,
            "",
            [=](TestVolumeRecipe& recipe, const Argument& argument) { set(recipe, parse_real(argument, range)); },
            std::move(of_kinds),
            std::move(of_families)};
}

std::vector<TestVolumeOption> all_options() {
    using Recipe = TestVolumeRecipe;
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return {whole("size", "N", "edge of a cube in voxels; not with --shape (default: 128)", {1, 10000},
                  [](Recipe& r, std::int64_t n) {
                      r.extent = {n, n, n};
                  },
                  {}),
            {"shape",
             "X,Y,Z",
             "voxels along each axis; X,Y for an image; not with --size",
             "",
             [](Recipe& r, const Argument& argument) {
                 const auto [x, y, z] = parse_shape(argument);
                 r.extent = {x, y, z};
             },
             {},
             {}},
            whole("order", "1..10", "hilbert: order of the curve (default: 6)", {1, 10},
                  [](Recipe& r, std::int64_t n) { r.order = int(n); }, {"hilbert"}),
            real("density", "0..1", "random, blobs: fraction of foreground voxels (default: 0.5)", {0, 1},
                 [](Recipe& r, double d) { r.density = d; }, {"random", "blobs"}),
            whole("granularity", "N", "random, checkerboard: edge of blocks of equal voxels, to 1024 (default: 1)", {1, 1024},
                  [](Recipe& r, std::int64_t n) { r.granularity = int(n); }, {"random", "checkerboard"}),
            real("scale", "S", "blobs: standard deviation of the smoothing, in voxels (default: 8)", {0.1, 1000},
                 [](Recipe& r, double s) { r.scale = s; }, {"blobs"}),
            whole("tile", "N", "blobs: repeat the volume after N voxels along each axis", {1, 100000},
                  [](Recipe& r, std::int64_t n) { r.tile = n; }, {"blobs"}),
            {"generator",
             metavar_of(generators),
             "random: mt19937, mt19937-64 or splitmix64 (default: mt19937-64)",
             "NAME",
             [](Recipe& r, const Argument& argument) { r.generator = value_of(generators, argument); },
             {"random"},
             {}},
            whole("seed", "N", "random, dry-earth, blobs, ridge random-*: random seed (default: 1)", {0, most},
                  [](Recipe& r, std::int64_t n) { r.seed = std::uint64_t(n); }, {"random", "dry-earth", "blobs", "ridge"},
                  {"random-instancing", "random-merging"}),
            {"family",
             metavar_of(families),
             "ridge: family of images, see docs/develop/test-volumes.md (default: leveling)",
             "FAMILY",
             [](Recipe& r, const Argument& argument) { r.ridge.family = value_of(families, argument); },
             {"ridge"},
             {}},
            whole("level", "L", "ridge: passes of label equivalence (default: 3)", {1, 30},
                  [](Recipe& r, std::int64_t n) { r.ridge.level = int(n); }, {"ridge"}),
            real("factor", "0..1", "ridge scaling: size relative to the largest pattern (default: 0.5)", {0, 1},
                 [](Recipe& r, double f) { r.ridge.factor = f; }, {"ridge"}, {"scaling"}),
            whole("subdivisions", "S", "ridge subdivision, random-*: 4^S patterns (default: 2)", {0, 15},
                  [](Recipe& r, std::int64_t n) { r.ridge.subdivisions = int(n); }, {"ridge"},
                  {"subdivision", "random-instancing", "random-merging"}),
            real("probability", "0..1", "ridge random-*: probability of a pattern, or of a join (default: 0.5)", {0, 1},
                 [](Recipe& r, double p) { r.ridge.probability = p; }, {"ridge"}, {"random-instancing", "random-merging"})};
}

bool uses(const std::vector<std::string>& users, const std::string& user) {
    return users.empty() || std::ranges::find(users, user) != users.end();
}

/// Sets the options of "size=64&order=3".
void set_options(TestVolumeRecipe& recipe, std::string_view text) {
    const auto refuse = [](const std::string& option, const std::string& cause, const std::string& remedy) {
        throw ProgramError(ErrorKind::invalid_argument, option, cause, remedy);
    };
    const std::vector<TestVolumeOption>& options = test_volume_options();
    std::vector<std::pair<std::string, const TestVolumeOption*>> given;
    while (true) {
        const std::string part(text.substr(0, text.find('&')));
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos || equals == 0) refuse("'" + part + "'", "is not an option", "write OPTION=VALUE, as in size=64");
        const std::string name = part.substr(0, equals);
        const auto option = std::ranges::find(options, name, &TestVolumeOption::name);
        if (option == options.end()) {
            std::vector<std::string> names;
            for (const TestVolumeOption& other : options) names.push_back(other.name);
            refuse("'" + name + "'", "is not an option of test volumes" + nearest_hint(name, names), "see 'voxcc generate --help'");
        }
        if (std::ranges::any_of(given, [&](const auto& earlier) { return earlier.second == &*option; }))
            refuse(name, "is given twice", "give each option once");
        option->set(recipe, {name, part.substr(equals + 1)});
        given.emplace_back(name, &*option);
        if (part.size() == text.size()) break;
        text.remove_prefix(part.size() + 1);
    }
    check_given(recipe, given);
}

}  // namespace

const std::vector<std::string>& test_volume_kinds() {
    static const std::vector<std::string> words = words_of(kinds);
    return words;
}

TestVolumeKind test_volume_kind(const Argument& kind) { return value_of(kinds, kind); }

TestVolumeRecipe default_test_volume(TestVolumeKind kind) { return {.kind = kind, .extent = {128, 128, 128}, .order = 6}; }

const std::vector<TestVolumeOption>& test_volume_options() {
    static const std::vector<TestVolumeOption> options = all_options();
    return options;
}

void check_given(const TestVolumeRecipe& recipe, const std::vector<std::pair<std::string, const TestVolumeOption*>>& given) {
    const std::string kind = word_of(kinds, recipe.kind), family = word_of(families, recipe.ridge.family);
    std::string extent;
    for (const auto& [name, option] : given) {
        const bool is_of_family = kind != "ridge" || uses(option->families, family);
        if (!uses(option->kinds, kind) || !is_of_family)
            throw ProgramError(ErrorKind::invalid_argument, name, "is not used by '" + (uses(option->kinds, kind) ? family : kind) + "'",
                               "leave it out");
        if (option->name != "size" && option->name != "shape") continue;
        if (!extent.empty()) throw ProgramError(ErrorKind::invalid_argument, name, "excludes " + extent, "leave out one of them");
        extent = name;
    }
}

bool is_generated(const std::string& input) {
    std::error_code unknown;
    return input.starts_with(generated_prefix) && !std::filesystem::exists(input, unknown);
}

TestVolumeRecipe recipe_of_input(const std::string& input) {
    const std::string_view text = std::string_view(input).substr(generated_prefix.size());
    const std::size_t end = text.find('?');
    try {
        TestVolumeRecipe recipe = default_test_volume(test_volume_kind({"kind", std::string(text.substr(0, end))}));
        if (end != std::string_view::npos) set_options(recipe, text.substr(end + 1));
        check_test_volume(recipe);
        return recipe;
    } catch (const ProgramError& error) {
        throw ProgramError(error.kind(), input, error.subject() + ": " + error.cause(), error.remedy());
    } catch (const Error& error) {
        throw ProgramError(error.kind(), input, error.subject() + ": " + error.cause(),
                           error.choices().empty() ? "see docs/develop/test-volumes.md" : "use " + error.choices());
    }
}

}  // namespace voxcc
