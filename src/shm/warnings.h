// Messages into the dump: the page of warnings in shared memory, from which they are written.
#pragma once

#include <cstring>
#include <string_view>

#include "shm/layout.h"

namespace tl::shm {

// One writer at a time. Dropped where the page is full.
inline void add_warning(Control& control, std::string_view code, std::string_view text) {
  const std::uint32_t at = control.warnings_bytes.load(std::memory_order_relaxed);
  const std::size_t size = code.size() + text.size() + 2;
  if (at + size > sizeof control.warnings) return;
  char* out = control.warnings + at;
  std::memcpy(out, code.data(), code.size());
  std::memcpy(out + code.size() + 1, text.data(), text.size());
  control.warnings_bytes.store(at + static_cast<std::uint32_t>(size),
                               std::memory_order_release);  // pairs with the collector
}

}  // namespace tl::shm
