// Assembles the page from its template, its styles, its scripts and its data.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace voxcc::report {

/// The files of src/report, and Chart.js, that the build embeds into the program.
struct PageFiles {
    std::string_view html, css;
    std::vector<std::string_view> scripts;  // in the order of the page
    std::string_view licences;
};
const PageFiles& page_files();

/// The complete page. A Content-Security-Policy permits only the styles and scripts of the program, and no network access.
/// @param title any text @param data result of script_text()
std::string page(const std::string& title, const std::string& data);

/// Text with & < > " ' as character references.
// "<b>" -> "&lt;b&gt;"
std::string html_text(std::string_view text);

}  // namespace voxcc::report
