#include "src/report/page_data.h"

#include "io/json_numbers.h"
#include "src/errors/program_error.h"

#include <openssl/evp.h>
#include <zlib.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace voxcc::report {
namespace {

constexpr std::int64_t linear_bins = 40;
constexpr std::int64_t exact_limit = std::int64_t{1} << 53;  // JavaScript rounds larger integers, so they become text

// 12.3456789 -> 12.3457
double rounded(double value) {
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6).ptr;
    double result = value;
    std::from_chars(text.data(), end, result);
    return result;
}

Json json_of(const io::Cell& cell) {
    if (const auto* real = std::get_if<double>(&cell)) return rounded(*real);
    if (const auto* whole = std::get_if<std::uint64_t>(&cell)) return *whole <= exact_limit ? Json(*whole) : Json(std::to_string(*whole));
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) return *whole >= -exact_limit ? Json(*whole) : Json(std::to_string(*whole));
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    return nullptr;
}

Json json_of(const Histogram& histogram) { return {{"edges", histogram.edges}, {"counts", histogram.counts}}; }

/// Columns that are the same in all rows of a volume, and are not part of its rows on the page.
bool is_shown(const std::string& column) { return column != "file" && column != "volume"; }

void add_rows(const TableVolume& volume, Json& json) {
    json["columns"] = Json::array();
    json["rows"] = Json::array();
    for (const std::string& column : volume.columns)
        if (is_shown(column)) json["columns"].push_back(column);
    for (const auto& row : volume.rows) {
        Json cells = Json::array();
        for (std::size_t i = 0; i < row.size(); ++i)
            if (is_shown(volume.columns[i])) cells.push_back(json_of(row[i]));
        json["rows"].push_back(std::move(cells));
    }
}

std::string base64(std::span<const unsigned char> bytes) {
    std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // EVP_EncodeBlock ends the text with a zero
    text.resize(std::size_t(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes.data(), int(bytes.size()))));
    return text;
}

std::string packed(std::span<const std::byte> raw) {
    uLongf size = compressBound(uLong(raw.size()));
    std::vector<unsigned char> bytes(size);
    if (compress2(bytes.data(), &size, reinterpret_cast<const Bytef*>(raw.data()), uLong(raw.size()), 6) != Z_OK)
        throw ProgramError(ErrorKind::internal, "zlib", "could not compress a picture");
    return base64(std::span(bytes).first(size));
}

template <class T>
std::string packed_as(const std::vector<std::uint32_t>& numbers) {
    const std::vector<T> narrow(numbers.begin(), numbers.end());
    return packed(std::as_bytes(std::span(narrow)));
}

/// @param bytes per number: 1, 2 or 4
Json packed_numbers(const std::vector<std::uint32_t>& numbers, int bytes) {
    if (numbers.empty()) return nullptr;
    return bytes == 1   ? packed_as<std::uint8_t>(numbers)
           : bytes == 2 ? packed_as<std::uint16_t>(numbers)
                        : packed_as<std::uint32_t>(numbers);
}

Json list_of(const Extent& e) { return {e.nx, e.ny, e.nz}; }

}  // namespace

Json json_of(const TableVolume& volume, const VolumeName& name) {
    const std::vector<double>& sizes = volume.sizes;
    Json json{{"name", name.name},
              {"anchor", name.anchor},
              {"source", volume.file.value_or(volume.table)},
              {"volume", volume.volume ? Json(*volume.volume) : Json()},
              {"components", sizes.size()},
              {"total", std::accumulate(sizes.begin(), sizes.end(), 0.0)},
              {"largest", sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end())},
              {"median", median(sizes)},
              {"size_per_voxel", volume.size_per_voxel},
              {"size_unit", volume.size_unit},
              {"histogram", {{"log", json_of(logarithmic_histogram(sizes))}, {"linear", json_of(linear_histogram(sizes, linear_bins))}}},
              {"picture", nullptr}};
    add_rows(volume, json);
    return json;
}

Json json_of(const Picture& picture, std::size_t rows) {
    Json patient;
    if (picture.patient)
        for (const PatientAxis& axis : *picture.patient) patient.push_back(Json::array({axis.stored, axis.reverse}));
    const int label_bytes = rows + 1 <= 0xff ? 1 : rows + 1 <= 0xffff ? 2 : 4;
    Json json{{"extent", list_of(picture.extent)},
              {"reduced", list_of(picture.reduced)},
              {"step", picture.step},
              {"spacing", picture.spacing},
              {"unit", picture.unit},
              {"patient", patient},
              {"window", {rounded(picture.window[0]), rounded(picture.window[1])}},
              {"rows", rows},
              {"label_bytes", label_bytes},
              {"image", nullptr},
              {"labels", packed_numbers(picture.labels.numbers, label_bytes)},
              {"labels_file", picture.labels.path},
              {"beside", packed_numbers(picture.beside.numbers, label_bytes)},
              {"beside_file", picture.beside.path}};
    if (!picture.image.empty()) json["image"] = packed(std::as_bytes(std::span(picture.image)));
    return json;
}

void add_scores(Json& volumes) {
    for (const char* name : {"components", "total", "largest"}) {
        std::vector<double> values;
        for (const Json& volume : volumes) values.push_back(volume[name].get<double>());
        const std::vector<double> scores = robust_z(values);
        for (std::size_t i = 0; i < scores.size(); ++i) volumes[i]["z"][name] = std::round(scores[i] * 100) / 100;
    }
}

std::string script_text(const Json& data) {
    std::string safe;
    for (const char c : io::with_written_numbers(data).dump(-1, ' ', true, Json::error_handler_t::replace)) {
        if (c == '<') safe += "\\u003c";
        else safe += c;
    }
    return safe;
}

}  // namespace voxcc::report
