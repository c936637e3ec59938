#include "src/report/page.h"

#include "io/failed_allocation.h"
#include "src/errors/program_error.h"

#include <openssl/evp.h>
#include <array>
#include <map>
#include <new>

namespace voxcc::report {
namespace {

/// A source of a Content-Security-Policy that permits exactly this text.
// "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='" for the empty text
std::string policy_source(std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    io::forget_failed_allocations();
    if (!EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr)) {
        if (io::allocation_failed()) throw std::bad_alloc();
        throw ProgramError(ErrorKind::internal, "libcrypto", "could not compute a checksum");
    }
    std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> base64;
    const int length = EVP_EncodeBlock(base64.data(), digest.data(), int(size));
    return "'sha256-" + std::string(reinterpret_cast<const char*>(base64.data()), std::size_t(length)) + "'";
}

std::string policy() {
    std::string scripts;
    for (const std::string_view script : page_files().scripts) scripts += " " + policy_source(script);
    return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + policy_source(page_files().css) + "; script-src" +
           scripts;
}

std::string script_elements() {
    std::string elements;
    for (const std::string_view script : page_files().scripts) elements += "<script>" + std::string(script) + "</script>\n";
    return elements;
}

/// Replaces each {{name}} of a template. Inserted texts are not searched.
std::string filled(std::string_view html, const std::map<std::string_view, std::string>& texts) {
    std::string result;
    for (;;) {
        const std::size_t open = html.find("{{"), close = html.find("}}", open);
        if (close == std::string_view::npos) return result.append(html);
        result.append(html.substr(0, open)).append(texts.at(html.substr(open + 2, close - open - 2)));
        html.remove_prefix(close + 2);
    }
}

}  // namespace

std::string html_text(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        switch (c) {
            case '&': safe += "&amp;"; break;
            case '<': safe += "&lt;"; break;
            case '>': safe += "&gt;"; break;
            case '"': safe += "&quot;"; break;
            case '\'': safe += "&#39;"; break;
            default: safe += c;
        }
    }
    return safe;
}

std::string page(const std::string& title, const std::string& data) {
    const PageFiles& files = page_files();
    return filled(files.html, {{"policy", policy()},
                               {"title", html_text(title)},
                               {"style", std::string(files.css)},
                               {"licences", html_text(files.licences)},
                               {"data", data},
                               {"scripts", script_elements()}});
}

}  // namespace voxcc::report
