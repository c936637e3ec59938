// Arguments of the module as arguments of the engine.
#pragma once
#include <voxcc/foreground.h>

namespace voxcc::python {

/// @param kind number of a ForegroundRule::Kind
inline ForegroundRule foreground_of(int kind, double low, double high, bool complement, bool nan) {
    ForegroundRule rule;
    rule.kind = ForegroundRule::Kind(kind);
    rule.low = low, rule.high = high;
    if (complement) rule.take = ForegroundRule::Take::complement;
    if (nan) rule.nan = ForegroundRule::Nan::foreground;
    return rule;
}

}  // namespace voxcc::python
