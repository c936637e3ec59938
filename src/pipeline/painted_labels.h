// The final numbers of a labelling as rows of the engine.
#pragma once
#include "src/pipeline/contacts.h"
#include "src/pipeline/file_labels.h"

namespace voxcc {

/// Paints final numbers, in the order of the axes of the engine.
class PaintedLabels : public LabelSource {
public:
    PaintedLabels(const PaintableLabels& labels, ScalarType type)
        : LabelSource(type, exchanged(labels.stored, labels.slices).nx, labels.access), labelling_(labels.labelling) {
        labelling_.prepare_paint(type, labels.selection.final_numbers);
    }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
        buffer.resize(std::size_t(rows.count * row_bytes()));
        labelling_.paint(rows, buffer.data(), Stores::cached);
        return buffer.data();
    }

private:
    Labelling& labelling_;
};

}  // namespace voxcc
