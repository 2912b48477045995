// `tlreport check` as text and as JSON.
#pragma once

#include <string>

#include "analyze/check.h"
#include "render/table.h"

namespace tl::render {

std::string check_text(const analyze::Check& check, const Style& style);
std::string check_json(const std::vector<analyze::Check>& checks);

}  // namespace tl::render
