// The formatter that CLI11 calls for -h and --help.
#pragma once
#include <CLI/App.hpp>

namespace voxcc::cli {

class HelpFormatter : public CLI::FormatterBase {
public:
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace voxcc::cli
