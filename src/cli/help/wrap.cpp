#include "src/cli/help/wrap.h"

#include <sstream>

namespace voxcc::cli {

std::string wrapped(const std::string& text, std::size_t width) {
    std::istringstream words(text);
    std::string lines, line;
    for (std::string word; words >> word;) {
        if (!line.empty() && line.size() + 1 + word.size() > width) {
            lines += line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    return line.empty() ? lines : lines + line + "\n";
}

std::string replaced(const std::string& text, const std::function<std::string(char)>& replacement) {
    std::string result;
    for (const char c : text) result += replacement(c);
    return result;
}

std::string joined(const std::vector<std::string>& texts, const std::string& separator) {
    std::string result;
    for (const std::string& text : texts) result += (result.empty() ? "" : separator) + text;
    return result;
}

std::string as_code(const std::vector<std::string_view>& words, const std::string& separator) {
    std::vector<std::string> texts;
    for (const std::string_view word : words) texts.push_back("`" + std::string(word) + "`");
    return joined(texts, separator);
}

std::string quoted(const std::string& text, const std::string& quote) {
    return "'" + replaced(text, [&](char c) { return c == '\'' ? quote : std::string(1, c); }) + "'";
}

}  // namespace voxcc::cli
