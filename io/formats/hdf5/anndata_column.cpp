#include "io/formats/hdf5/anndata_column.h"

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace voxcc::io::hdf5 {
namespace {

constexpr std::uint64_t largest_i64 = std::uint64_t(std::numeric_limits<std::int64_t>::max());
constexpr const char* missing_text = "n/a";

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace

std::string in_utf8(const std::string& text) {
    using Json = nlohmann::json;
    return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

AnnDataColumn::Kind AnnDataColumn::kind_of(const Cell& cell) {
    if (std::holds_alternative<std::string>(cell)) return Kind::text;
    if (std::holds_alternative<Numeral>(cell)) throw Error(ErrorKind::internal, "AnnData", "a number of another table");
    if (const auto* natural = std::get_if<std::uint64_t>(&cell)) return *natural > largest_i64 ? Kind::u64 : Kind::i64;
    if (std::holds_alternative<std::int64_t>(cell)) return Kind::i64;
    const auto* real = std::get_if<double>(&cell);
    return real && !std::isnan(*real) ? Kind::f64 : Kind::none;
}

/// The kind of the column with one more cell.
AnnDataColumn::Kind AnnDataColumn::joined(Kind of_cell) const {
    const auto is_whole = [](Kind kind) { return kind == Kind::i64 || kind == Kind::u64; };
    if (of_cell == kind_) return kind_;
    if (of_cell == Kind::none) return is_whole(kind_) ? Kind::f64 : kind_;
    if (kind_ == Kind::none) return has_missing_ && is_whole(of_cell) ? Kind::f64 : of_cell;
    if (kind_ == Kind::text || of_cell == Kind::text) throw Error(ErrorKind::internal, path_, "has texts and numbers");
    if (kind_ == Kind::f64 || of_cell == Kind::f64) return Kind::f64;
    return has_negative_ ? Kind::f64 : Kind::u64;
}

void AnnDataColumn::add(const Cell& cell) {
    const Kind of_cell = kind_of(cell);
    const auto* whole = std::get_if<std::int64_t>(&cell);
    has_negative_ = has_negative_ || (whole && *whole < 0);
    if (const Kind kind = joined(of_cell); kind != kind_) convert(kind);
    has_missing_ = has_missing_ || of_cell == Kind::none;
    if (kind_ == Kind::text) {
        const auto* text = std::get_if<std::string>(&cell);
        texts_.push_back(text ? in_utf8(*text) : missing_text);
    } else if (of_cell == Kind::none) {
        bits_.push_back(bits_of(std::numeric_limits<double>::quiet_NaN()));
    } else if (const auto* real = std::get_if<double>(&cell)) {
        bits_.push_back(bits_of(*real + 0.0));  // -0 + 0 is 0
    } else {
        const auto* natural = std::get_if<std::uint64_t>(&cell);
        bits_.push_back(converted(natural ? *natural : std::uint64_t(*whole), of_cell, kind_));
    }
}

AnnDataType AnnDataColumn::type_of(Kind kind) {
    switch (kind) {
        case Kind::i64: return AnnDataType::i64;
        case Kind::u64: return AnnDataType::u64;
        case Kind::text: return AnnDataType::text;
        case Kind::none:
        case Kind::f64: return AnnDataType::f64;
    }
    throw Error(ErrorKind::internal, "HDF5", "an unknown type");
}

/// @param bits of a number, not of a text
std::uint64_t AnnDataColumn::converted(std::uint64_t bits, Kind from, Kind to) {
    if (to != Kind::f64) return bits;
    if (from == Kind::i64) return bits_of(double(std::int64_t(bits)));
    return from == Kind::u64 ? bits_of(double(bits)) : bits;
}

void AnnDataColumn::convert(Kind to) {
    if (stored_) convert_stored(to);
    if (to == Kind::text) {
        texts_.assign(bits_.size(), missing_text);
        bits_.clear();
    }
    for (std::uint64_t& bits : bits_) bits = converted(bits, kind_, to);
    kind_ = to;
}

void AnnDataColumn::convert_stored(Kind to) {
    if (type_of(kind_) == type_of(to)) return;
    const Lock lock;
    GrowingDataset changed("/_changed", type_of(to), std::nullopt, rows_per_flush_);
    std::vector<std::uint64_t> values(rows_per_flush_);
    const std::vector<const char*> missing(to == Kind::text ? rows_per_flush_ : 0, missing_text);
    for (std::uint64_t first = 0; first < stored_->rows(); first += rows_per_flush_) {
        if (to == Kind::text) {
            changed.append(*file_, missing.data(), rows_per_flush_, GrowingDataset::Rows::some);
            continue;
        }
        stored_->read(*file_, first, rows_per_flush_, values.data());
        for (std::uint64_t& bits : values) bits = converted(bits, kind_, to);
        changed.append(*file_, values.data(), rows_per_flush_, GrowingDataset::Rows::some);
    }
    stored_->remove(*file_);
    changed.rename(*file_, path_);
    stored_.emplace(std::move(changed));
}

void AnnDataColumn::flush(GrowingDataset::Rows which) {
    if (!stored_) stored_.emplace(path_, type_of(kind_), std::nullopt, rows_per_flush_);
    if (kind_ == Kind::text) {
        std::vector<const char*> texts;
        for (const std::string& text : texts_) texts.push_back(text.c_str());
        stored_->append(*file_, texts.data(), texts.size(), which);
    } else {
        stored_->append(*file_, bits_.data(), bits_.size(), which);
    }
    bits_.clear();
    texts_.clear();
}

}  // namespace voxcc::io::hdf5
