#include "io/formats/tiff/ome_xml.h"

#include <expat.h>
#include <charconv>
#include <limits>
#include <memory>

namespace voxcc::io {
namespace {

constexpr std::size_t most_channels = 65536;

struct State {
    OmeXml ome;
    XML_Parser parser;
    bool is_in_uuid = false;
    bool is_in_pixels = false;  // annotations of other programs can have elements Channel, too
    bool has_document_type = false;
};

// Element names are "prefix:Name" or "Name". The prefix is ignored.
std::string_view local_name(std::string_view qualified) {
    const std::size_t colon = qualified.find(':');
    return colon == std::string_view::npos ? qualified : qualified.substr(colon + 1);
}

void XMLCALL start_element(void* to, const XML_Char* qualified, const XML_Char** pairs) {
    auto& state = *static_cast<State*>(to);
    OmeXml& ome = state.ome;
    const std::string_view name = local_name(qualified);
    Attributes attributes;
    for (; *pairs; pairs += 2) attributes[pairs[0]] = pairs[1];
    if (name == "OME") ome.uuid = attributes["UUID"];
    else if (name == "BinaryOnly") ome.metadata_file = attributes["MetadataFile"];
    else if (name == "Pixels") {
        ome.pixels.push_back(std::move(attributes));
        state.is_in_pixels = true;
    } else if (name == "Channel" && state.is_in_pixels && ome.channel_names.size() < most_channels)
        ome.channel_names.push_back(std::move(attributes["Name"]));
    else if (name == "TiffData") ome.tiff_data.push_back({std::move(attributes), {}});
    else if (name == "UUID" && !ome.tiff_data.empty()) {
        ome.tiff_data.back().file = {attributes["FileName"], ""};
        state.is_in_uuid = true;
    }
}

void XMLCALL end_element(void* to, const XML_Char* qualified) {
    auto& state = *static_cast<State*>(to);
    state.is_in_uuid = false;
    if (local_name(qualified) == "Pixels") state.is_in_pixels = false;
}

void XMLCALL add_text(void* to, const XML_Char* text, int length) {
    auto& state = *static_cast<State*>(to);
    if (!state.is_in_uuid) return;
    for (const char c : std::string_view(text, std::size_t(length)))
        if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) state.ome.tiff_data.back().file.uuid += c;
}

void XMLCALL start_document_type(void* to, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    auto& state = *static_cast<State*>(to);
    state.has_document_type = true;
    XML_StopParser(state.parser, XML_FALSE);
}

}  // namespace

void refuse_ome(const std::string& path, const std::string& cause, ErrorKind kind) { throw Error(kind, path, "OME-XML: " + cause); }

OmeXml parse_ome_xml(const std::string& path, const std::string& text) {
    const std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser(XML_ParserCreate(nullptr), XML_ParserFree);
    if (!parser) throw Error(ErrorKind::out_of_memory, path, "cannot parse its OME-XML");
    if (text.size() > std::size_t(std::numeric_limits<int>::max())) refuse_ome(path, "longer than 2 GiB");
    State state{{}, parser.get()};
    XML_SetUserData(parser.get(), &state);
    XML_SetElementHandler(parser.get(), start_element, end_element);
    XML_SetCharacterDataHandler(parser.get(), add_text);
    XML_SetStartDoctypeDeclHandler(parser.get(), start_document_type);
    const bool is_parsed = XML_Parse(parser.get(), text.data(), int(text.size()), XML_TRUE) == XML_STATUS_OK;
    if (state.has_document_type) refuse_ome(path, "has a document type declaration, which OME-XML does not have");
    if (!is_parsed) refuse_ome(path, std::string("not well-formed: ") + XML_ErrorString(XML_GetErrorCode(parser.get())));
    return std::move(state.ome);
}

std::string uuid_of_ome(const std::string& path, const std::string& text) {
    return is_ome(text) ? parse_ome_xml(path, text).uuid : std::string();
}

std::optional<std::int64_t> whole_number(const std::string& path, const Attributes& attributes, std::string_view name) {
    const auto found = attributes.find(name);
    if (found == attributes.end()) return std::nullopt;
    std::int64_t value = 0;
    const char *begin = found->second.data(), *end = begin + found->second.size();
    if (std::from_chars(begin, end, value).ptr != end || value < 0)
        refuse_ome(path, std::string(name) + " is '" + found->second + "', not a whole number");
    return value;
}

}  // namespace voxcc::io
