// The tables of `voxcc match`: pairs of objects, objects, and one row per pair of volumes.
#pragma once
#include "io/files/checked_file.h"
#include "src/pipeline/match_values.h"
#include "src/pipeline/matched_objects.h"
#include "src/pipeline/side_tables.h"

#include <optional>
#include <string>

namespace voxcc {

/// The paths of the tables; empty: none.
struct MatchTablePaths {
    std::string pairs, stats, summary;
};

/// A pair of volumes, and where its rows come from.
struct MatchedPair {
    const MatchedVolumes& volumes;
    const MatchValues& values;
    Units units;
    std::string a, b;  // the names of the volumes, as they were typed
};

/// Tables of one pair, or of all pairs of a run. They begin with the first pair, which decides the unit of the tables of objects.
class MatchTables {
public:
    /// @param origin columns of the tables of pairs and objects @param outputs must outlive this object
    MatchTables(MatchTablePaths paths, OriginColumns origin, MatchOptions::Changes changes, io::OutputFiles& outputs)
        : paths_(std::move(paths)), origin_(std::move(origin)), changes_(changes), outputs_(outputs) {}
    /// Checks, before any work, whether the tables can be written. @throw the exceptions of io::OutputFiles::check()
    void check() const;
    /// @throw ProgramError invalid_file if a table of objects has another unit, or if it has volumes and the pair is a pair of images
    void add(const MatchedPair& pair);
    void finish();
    bool uses_stdout() const { return paths_.pairs == "-" || paths_.stats == "-" || paths_.summary == "-"; }

private:
    struct Form {
        Units units;
        Space space;
        bool operator==(const Form&) const = default;
    };
    void begin(const Form& form, const MatchValues& values);

    const MatchTablePaths paths_;
    const OriginColumns origin_;
    const MatchOptions::Changes changes_;
    io::OutputFiles& outputs_;
    std::optional<Form> form_;
    std::optional<io::TableWriter> pairs_, stats_, summary_;
};

}  // namespace voxcc
