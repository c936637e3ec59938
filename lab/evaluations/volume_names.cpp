// The names of volumes: "random-50-g4", or with * in place of a number.
#include "lab/evaluations/value_images.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>

namespace voxcc::bench {
namespace {

/// What the number at a place of a name means.
enum class Meaning { density, granularity, order, level, factor, subdivisions, probability, values, scale };

/// A binary volume, or a volume with values.
struct Recipe {
    TestVolumeRecipe binary;
    std::optional<ValueRecipe> values = {};
};

/// A form of names.
struct Form {
    std::string_view text;  // # stands for a number
    Recipe recipe;
    std::vector<Meaning> numbers = {};  // one per #
    enum class Draws { none, seeded } draws = Draws::none;
};

Recipe ridge(RidgeFamily family) { return {{.kind = TestVolumeKind::ridge, .ridge = {.family = family}}}; }

/// The two forms of volumes with values of a type: "random-rgb-#-g#", "smooth-rgb-#".
void add_value_forms(std::vector<Form>& forms, std::string_view random, std::string_view smooth, int channels) {
    const auto add = [&](std::string_view text, ValueRecipe::Kind kind, std::vector<Meaning> numbers) {
        const Recipe recipe{{.kind = TestVolumeKind::solid}, ValueRecipe{.kind = kind, .channels = channels, .extent = {}}};
        forms.push_back({text, recipe, std::move(numbers), Form::Draws::seeded});
    };
    add(random, ValueRecipe::Kind::random, {Meaning::values, Meaning::granularity});
    add(smooth, ValueRecipe::Kind::smooth, {Meaning::scale});
}

std::vector<Form> all_forms() {
    using M = Meaning;
    using K = TestVolumeKind;
    constexpr auto seeded = Form::Draws::seeded;
    std::vector<Form> forms{
        {"random-#-g#", {{.kind = K::random}}, {M::density, M::granularity}, seeded},
        {"random-#-g#-mt19937", {{.kind = K::random, .generator = Generator::mt19937}}, {M::density, M::granularity}, seeded},
        {"blobs-#", {{.kind = K::blobs}}, {M::density}, seeded},
        {"dry-earth", {{.kind = K::dry_earth}}, {}, seeded},
        {"hilbert-#", {{.kind = K::hilbert}}, {M::order}},
        {"spiral", {{.kind = K::spiral}}},
        {"zigzag-spiral", {{.kind = K::zigzag_spiral}}},
        {"checkerboard", {{.kind = K::checkerboard}}},
        {"solid", {{.kind = K::solid}}},
        {"leveling-#", ridge(RidgeFamily::leveling), {M::level}},
        {"scaling-#-#", ridge(RidgeFamily::scaling), {M::level, M::factor}},
        {"subdivision-#-#", ridge(RidgeFamily::subdivision), {M::level, M::subdivisions}},
        {"random-instancing-#-#-#", ridge(RidgeFamily::random_instancing), {M::level, M::subdivisions, M::probability}, seeded},
        {"random-merging-#-#-#", ridge(RidgeFamily::random_merging), {M::level, M::subdivisions, M::probability}, seeded}};
    add_value_forms(forms, "random-grey-#-g#", "smooth-grey-#", 1);
    add_value_forms(forms, "random-rgb-#-g#", "smooth-rgb-#", 3);
    add_value_forms(forms, "random-rgba-#-g#", "smooth-rgba-#", 4);
    return forms;
}

const std::vector<Form>& forms() {
    static const std::vector<Form> all = all_forms();
    return all;
}

using Numbers = std::vector<std::optional<int>>;  // one per number of a name; empty for *

/// The numbers of a name of this form; nothing if the name has another form.
// "random-#-g#", "random-50-g*"  ->  [50, empty]
std::optional<Numbers> numbers_of(std::string_view form, std::string_view name) {
    Numbers numbers;
    const char* at = name.data();
    const char* const end = at + name.size();
    for (const char c : form) {
        if (at == end) return {};
        if (c != '#') {
            if (*at++ != c) return {};
        } else if (*at == '*') {
            numbers.push_back({});
            ++at;
        } else {
            int value = 0;
            const auto [after, error] = std::from_chars(at, end, value);
            if (error != std::errc{} || value < 0) return {};
            numbers.push_back(value);
            at = after;
        }
    }
    return at == end ? std::optional(numbers) : std::nullopt;
}

std::vector<int> range(int first, int last, int step) {
    std::vector<int> values;
    for (int value = first; value <= last; value += step) values.push_back(value);
    return values;
}

/// The values that * stands for.
std::vector<int> values_of(Meaning meaning, const Recipe& all, const Sampling& sampling) {
    const TestVolumeRecipe& recipe = all.binary;
    const int n = std::bit_width(std::uint64_t(recipe.extent.nx)) - 1;  // ridge images have edges of 2^n voxels, curves need 2^order
    switch (meaning) {
        case Meaning::density:
        case Meaning::factor:
        case Meaning::probability: return range(0, 100, sampling.density_step);
        case Meaning::granularity: return range(1, 16, 1);
        case Meaning::order: return range(1, std::min(n, 6), 1);
        case Meaning::level: return range(1, n - 1, 1);
        case Meaning::subdivisions: return range(0, std::min(n - recipe.ridge.level - 1, 15), 1);
        case Meaning::values:
        case Meaning::scale:
            throw Error(ErrorKind::invalid_argument, "--volumes", "* cannot stand for a number of values or a scale; give the number");
    }
    return {};
}

/// Sets the member of the recipe that a number stands for. @return the parameter, as "density=50"
std::string set_number(Recipe& all, Meaning meaning, int value) {
    TestVolumeRecipe& recipe = all.binary;
    const std::string text = std::to_string(value);
    switch (meaning) {
        case Meaning::density: recipe.density = value / 100.0; return "density=" + text;
        case Meaning::granularity: (all.values ? all.values->edge : recipe.granularity) = value; return "granularity=" + text;
        case Meaning::order: recipe.order = value; return "order=" + text;
        case Meaning::level: recipe.ridge.level = value; return "level=" + text;
        case Meaning::subdivisions: recipe.ridge.subdivisions = value; return "subdivisions=" + text;
        case Meaning::factor: recipe.ridge.factor = value / 100.0; return "factor=" + share_text(value);
        case Meaning::probability: recipe.ridge.probability = value / 100.0; return "probability=" + share_text(value);
        case Meaning::values: all.values->values = value; return "values=" + text;
        case Meaning::scale: all.values->edge = value; return "scale=" + text;
    }
    return {};
}

/// The form with the numbers in place of #.
std::string name_of(std::string_view form, std::span<const int> numbers) {
    std::string name;
    for (const char c : form) {
        if (c != '#') name += c;
        else name += std::to_string(numbers.front()), numbers = numbers.subspan(1);
    }
    return name;
}

/// Appends the volumes with these numbers, one per seed.
void add_volumes(std::vector<Volume>& volumes, const Form& form, Recipe all, std::span<const int> numbers, const Sampling& sampling) {
    TestVolumeRecipe& recipe = all.binary;
    std::string parameters;
    const auto add = [&](const std::string& parameter) { parameters += (parameters.empty() ? "" : " ") + parameter; };
    for (std::size_t i = 0; i < numbers.size(); ++i) add(set_number(all, form.numbers[i], numbers[i]));
    if (recipe.generator == Generator::mt19937) add("generator=mt19937");
    check_test_volume(recipe);
    const std::string name = name_of(form.text, numbers), before = parameters;
    const int images = form.draws == Form::Draws::seeded ? sampling.images : 1;
    for (int seed = 1; seed <= images; ++seed) {
        recipe.seed = std::uint64_t(seed);
        if (all.values) all.values->seed = recipe.seed, all.values->extent = recipe.extent;
        parameters = before;
        if (images > 1) add("seed=" + std::to_string(seed));
        volumes.push_back(all.values ? value_volume(name, parameters, *all.values) : volume_of(name, parameters, recipe));
        if (images > 1) volumes.back().data_set = name;
        if (recipe.kind == TestVolumeKind::hilbert) volumes.back().data_set = "hilbert";
    }
}

}  // namespace

std::string share_text(int percent) {
    std::array<char, 16> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), percent / 100.0).ptr};
}

Volume volume_of(std::string name, std::string parameters, const TestVolumeRecipe& recipe) {
    const auto make = [recipe] {
        const Extent& e = recipe.extent;
        std::vector<std::uint8_t> voxels(std::size_t(e.voxels()));
        const auto volume = make_test_volume(recipe);
        for (std::int64_t r = 0; r < e.rows(); ++r)
            volume->fill_row(r % e.ny, r / e.ny, std::span(voxels).subspan(std::size_t(r * e.nx), std::size_t(e.nx)));
        return voxels;
    };
    const bool path =
        recipe.kind == TestVolumeKind::hilbert || recipe.kind == TestVolumeKind::spiral || recipe.kind == TestVolumeKind::zigzag_spiral;
    return {std::move(name), std::move(parameters), recipe.extent, make, path ? Volume::Form::path : Volume::Form::any};
}

std::vector<Volume> named_volumes(const std::string& name, const Extent& extent, const Sampling& sampling) {
    for (const Form& form : forms()) {
        const std::optional<Numbers> given = numbers_of(form.text, name);
        if (!given) continue;
        std::vector<std::vector<int>> names(1);  // the numbers of each name
        for (std::size_t i = 0; i < given->size(); ++i) {
            std::vector<std::vector<int>> longer;
            for (const std::vector<int>& numbers : names) {
                Recipe recipe = form.recipe;
                recipe.binary.extent = extent;
                for (std::size_t k = 0; k < i; ++k) set_number(recipe, form.numbers[k], numbers[k]);
                const std::vector<int> values = (*given)[i] ? std::vector{*(*given)[i]} : values_of(form.numbers[i], recipe, sampling);
                for (const int value : values) {
                    longer.push_back(numbers);
                    longer.back().push_back(value);
                }
            }
            names = std::move(longer);
        }
        std::vector<Volume> volumes;
        Recipe recipe = form.recipe;
        recipe.binary.extent = extent;
        for (const std::vector<int>& numbers : names) add_volumes(volumes, form, recipe, numbers, sampling);
        return volumes;
    }
    throw Error(ErrorKind::invalid_argument, "--volumes",
                "'" + name + "' is not a volume; use a name such as random-50-g1, blobs-50, hilbert-6, spiral");
}

}  // namespace voxcc::bench
