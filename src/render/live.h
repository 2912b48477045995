// A view of a dump that is being written: a block of text, or one line of JSON.
#pragma once

#include <string>

#include "analyze/live.h"
#include "render/table.h"

namespace tl::render {

// `rows`: of the table, at most; what is left out is counted.
std::string live_text(const analyze::LiveView& view, const Style& style, unsigned rows);
// What stands at the end: how the program ended and what was recorded.
std::string live_end_text(const analyze::LiveView& view, const Style& style);
std::string live_json(const analyze::LiveView& view);

}  // namespace tl::render
