// Targets for the texts of options and for the configuration file.
#include "src/cli/settings.h"
#include "src/cli/values.h"
#include "src/errors/remedies.h"
#include "src/options/test_volume_options.h"
#include "src/options/threshold.h"
#include "src/pipeline/selector.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/registry.h"
#include "tests/fuzz/scratch.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cmath>

namespace voxcc::fuzz {
namespace {

// Every error must have a one-line message with a remedy.
void parse(const std::function<void()>& action) {
    accepts([&] {
        try {
            action();
        } catch (const Error& error) {
            const ErrorMessage message = message_of(error);
            if (message.remedy.empty() || message.exit != exit_code_of(error.kind())) fault("an error has no remedy");
            throw;
        }
    });
}

void check_threshold(const std::string& text) {
    const ThresholdRule threshold = parse_threshold(text);
    const ForegroundRule& rule = threshold.rule;
    const auto is_nan = [](const Bound& value) { return std::isnan(value.real); };
    if (is_nan(rule.low) || is_nan(rule.high) || std::ranges::any_of(rule.values, is_nan)) fault("a threshold is not a number");
    if (rule.kind == ForegroundRule::Kind::range && rule.low > rule.high) fault("a range is empty");
    if (threshold.level && !(threshold.level->percent >= 0 && threshold.level->percent <= 100)) fault("a percentage is out of range");
}

void check_selector(const std::string& text) {
    const std::string name = name_of_selector(text);
    if (name.find_first_of("/%{}[]") != std::string::npos) fault("a selector leads to another file");
    const Selector selector = parse_selector(text, "a.h5" + text);
    std::vector<NumberRange> ranges;
    if (selector.volumes) ranges.push_back(*selector.volumes);
    for (const AxisPositions& axis : selector.axes) ranges.push_back(axis.positions);
    for (const NumberRange& range : ranges)
        if (range.first < 0 || range.last.value_or(range.first) < range.first) fault("a range is not ascending");
    if (selector.volumes && !selector.axes.empty()) fault("a selector has numbers and axes");
}

void run_arguments(Input input) {
    const Argument argument{"--option", std::string(input.begin(), input.end())};
    parse([&] { check_threshold(argument.text); });
    parse([&] {
        if (const auto n = parse_whole(argument, {-5, 70'000}); n < -5 || n > 70'000) fault("a whole number is out of range");
    });
    parse([&] {
        if (const double x = parse_real(argument, {0, 1}); !(x >= 0 && x <= 1)) fault("a number is out of range");
    });
    parse([&] { parse_path(argument); });
    parse([&] { check_test_volume(recipe_of_input("generate:" + argument.text)); });
    parse([&] {
        for (const double step : parse_spacing(argument).steps)
            if (!(step > 0) || std::isinf(step)) fault("a spacing is not positive");
    });
    parse([&] {
        const auto [nx, ny, nz] = parse_shape(argument);
        if (nx < 1 || ny < 1 || nz < 1 || nx * ny * nz > std::int64_t{1} << 40) fault("a shape is out of range");
    });
    parse([&] {
        if (parse_bytes(argument) < 1) fault("an amount of memory is not positive");
    });
    parse([&] {
        if (!(parse_size_limit(argument).amount >= 0)) fault("a size is negative");
    });
    parse([&] {
        if (!(parse_distance(argument).amount >= 0)) fault("a distance is negative");
    });
    parse([&] { parse_volume(argument); });
    parse([&] { parse_axes(argument); });
    parse([&] { check_selector(argument.text); });
    parse([&] { parse_device(argument); });
    parse([&] { parse_choice(argument, {"auto", "raster", "size"}); });
}

void run_config(Input input) {
    const std::string path = put_scratch("voxcc.toml", input);
    parse([&] {
        CLI::App program;
        CLI::App& command = *program.add_subcommand("label");
        std::string output, threshold;
        std::int64_t threads = 0;
        bool force = false;
        io::VoxelSize spacing;
        command.add_option("-o,--output", output);
        command.add_option("--threshold", threshold);
        command.add_flag("-f,--force", force);
        command.add_option_function<std::string>("-t,--threads", [&](const auto& text) {
            threads = parse_whole({"--threads", text}, {1, 4096});
        });
        command.add_option_function<std::string>("--spacing", [&](const auto& text) { spacing = parse_spacing({"--spacing", text}); });
        cli::apply_config(command, path);
        if (threads < 0 || threads > 4096) fault("a setting is out of range");
    });
}

const Registered arguments(
    {.name = "arguments", .run = run_arguments, .longest = 64, .mutate = mutate_text, .dictionary = "arguments.dict"});
const Registered config({.name = "config", .run = run_config, .longest = 1024, .mutate = mutate_text, .dictionary = "config.dict"});

}  // namespace
}  // namespace voxcc::fuzz
