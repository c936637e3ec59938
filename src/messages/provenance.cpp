#include "src/messages/provenance.h"

#include "io/failed_allocation.h"
#include "src/commands/version.h"
#include "src/messages/program_error.h"
#include "src/pipeline/input.h"

#include <openssl/evp.h>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <new>

namespace voxcc {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const StageSeconds& s) {
    return {{"open", s.open},       {"hold", s.hold},     {"pack", s.pack},           {"unite", s.unite}, {"number", s.number},
            {"measure", s.measure}, {"select", s.select}, {"intensity", s.intensity}, {"write", s.write}};
}

ordered_json json_of(const ForegroundRule& r) {
    ordered_json json;
    switch (r.kind) {
        case ForegroundRule::Kind::nonzero: json["rule"] = "nonzero"; break;
        case ForegroundRule::Kind::above: json = {{"rule", ">"}, {"low", r.low}}; break;
        case ForegroundRule::Kind::at_least: json = {{"rule", ">="}, {"low", r.low}}; break;
        case ForegroundRule::Kind::range: json = {{"rule", "range"}, {"low", r.low}, {"high", r.high}}; break;
    }
    json["invert"] = r.take == ForegroundRule::Take::complement;
    return json;
}

ordered_json joined_by(const LabelOptions& options) {
    ordered_json json{{"rule", name_of(rule_of(options))}};
    if (options.gradient) json["at_most"] = *options.gradient;
    if (options.colour) json["at_most"] = *options.colour;
    return json;
}

ordered_json text_or_null(const std::string& text) { return text.empty() ? ordered_json() : ordered_json(text); }

}  // namespace

std::string sha256(const std::string& path) {
    const io::InputFile file(path);
    io::forget_failed_allocations();
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    bool good = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
    std::vector<std::byte> buffer(1 << 20);
    for (std::int64_t at = 0; good;) {
        const std::size_t n = file.read_some(at, buffer);
        if (n == 0) break;
        good = EVP_DigestUpdate(context.get(), buffer.data(), n);
        at += std::int64_t(n);
    }
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    good = good && EVP_DigestFinal_ex(context.get(), digest, &size);
    if (!good && io::allocation_failed()) throw std::bad_alloc();
    if (!good) throw ProgramError(ErrorKind::internal, path, "libcrypto could not hash it");
    std::string text;
    for (unsigned i = 0; i < size; ++i)
        for (const int nibble : {digest[i] >> 4, digest[i] & 15}) text += "0123456789abcdef"[nibble];
    return text;
}

Provenance::Provenance(const LabelOptions& options, const Choice& choice, int threads) : options_(options) {
    summary_ = {{"program", "voxcc"},
                {"version", version()},
                {"argv", options.arguments},
                {"device", name_of(choice.device)},
                {"algorithm", choice.algorithm->name},
                {"instructions", block_runs::name_of(block_runs::best_isa())},
                {"threads", threads},
                {"joined_by", joined_by(options)},
                {"count", 0},
                {"inputs", ordered_json::array()},
                {"volumes", ordered_json::array()},
                {"failed", ordered_json::array()},
                {"seconds", json_of(StageSeconds{})}};
}

void Provenance::add(const LabelledVolume& v) {
    for (const std::string& file : io::files_of_volume(v.job.input, open_options(options_.input)))
        if (std::filesystem::is_regular_file(file))  // skips the path of a folder or template, which is listed beside its slices
            summary_["inputs"].push_back({{"path", file}, {"bytes", std::filesystem::file_size(file)}, {"sha256", sha256(file)}});
    const ordered_json seconds = json_of(v.seconds);
    for (const auto& [stage, s] : seconds.items()) summary_["seconds"][stage] = summary_["seconds"][stage].get<double>() + s.get<double>();
    summary_["count"] = summary_["count"].get<std::uint64_t>() + v.selection.count;
    summary_["volumes"].push_back({{"input", v.job.input},
                                   {"volume", v.job.volume ? ordered_json(*v.job.volume) : ordered_json()},
                                   {"dataset", text_or_null(v.info.dataset)},
                                   {"format", v.info.format},
                                   {"shape", {v.info.extent.nx, v.info.extent.ny, v.info.extent.nz}},
                                   {"type", v.info.stored_type},
                                   {"connectivity", number_of(v.connectivity)},
                                   {"per_slice", v.slices ? ordered_json(std::string(1, "xyz"[std::size_t(*v.slices)])) : ordered_json()},
                                   {"foreground", json_of(v.rule)},
                                   {"foreground_voxels", v.foreground},
                                   {"nan_voxels", v.nan_voxels},
                                   {"nan_voxels_of_mask", v.nan_voxels_of_mask},
                                   {"nan_voxels_of_components", v.intensity ? v.intensity->nan_voxels() : 0},
                                   {"components", v.components},
                                   {"count", v.selection.count},
                                   {"output", text_or_null(v.job.output)},
                                   {"dtype", v.job.output.empty() ? ordered_json() : ordered_json(std::string(name_of(v.label_type)))},
                                   {"warnings", v.info.warnings},
                                   {"seconds", seconds}});
}

void Provenance::add(const Failure& failure) {
    summary_["failed"].push_back({{"input", failure.input}, {"error", failure.error}, {"exit", int(failure.code)}});
}

std::string Provenance::text() const { return summary_.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n"; }

}  // namespace voxcc
