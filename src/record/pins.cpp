#include "record/pins.h"

#include <errno.h>

#include <cstring>

#include "base/text.h"
#include "os/syscall.h"
#include "record/process.h"

namespace tl::record {

namespace {

constexpr unsigned kMaxRules = 64;
constexpr unsigned kMaxCpus = 8192;

struct CpuSet {
  std::uint64_t words[kMaxCpus / 64];
  void add(std::uint64_t cpu) { words[cpu / 64] |= std::uint64_t{1} << cpu % 64; }
  bool has(std::uint64_t cpu) const { return (words[cpu / 64] >> cpu % 64 & 1) != 0; }
};

struct Rule {
  char pattern[96];  // empty: by serial
  std::uint64_t serial;
  CpuSet cpus;
};

constinit Rule rules[kMaxRules]{};
constinit unsigned rule_count = 0;
constinit CpuSet allowed{};

// `2`, `2-3`, `2+4`, and sums of them.
bool parse_cpus(std::string_view text, CpuSet& cpus) {
  for (;;) {
    std::uint64_t first, last;
    if (!parse_decimal(text, first)) return false;
    last = first;
    if (!text.empty() && text[0] == '-') {
      text.remove_prefix(1);
      if (!parse_decimal(text, last)) return false;
    }
    if (last < first || last >= kMaxCpus) return false;
    for (std::uint64_t cpu = first; cpu <= last; ++cpu) cpus.add(cpu);
    if (text.empty()) return true;
    if (text[0] != '+') return false;
    text.remove_prefix(1);
  }
}

void print_cpus(const CpuSet& cpus, TextBuilder& out, char separator) {
  bool first = true;
  for (std::uint64_t cpu = 0; cpu < kMaxCpus; ++cpu) {
    if (!cpus.has(cpu)) continue;
    std::uint64_t last = cpu;
    while (last + 1 < kMaxCpus && cpus.has(last + 1)) ++last;
    if (!first) out.add(separator);
    first = false;
    out.number(cpu);
    if (last > cpu) out.add('-').number(last);
    cpu = last;
  }
}

std::size_t find_unescaped(std::string_view text, char wanted) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == wanted)
      return i;
  }
  return std::string_view::npos;
}

void apply(shm::ThreadSlot& slot, const Rule& rule) {
  TextBuilder asked(slot.pin_asked, sizeof slot.pin_asked);
  print_cpus(rule.cpus, asked, '+');
  bool inside = true;
  for (std::uint64_t cpu = 0; cpu < kMaxCpus; ++cpu) inside = inside && (!rule.cpus.has(cpu) || allowed.has(cpu));
  const std::uint32_t tid = slot.tid.load(std::memory_order_relaxed);
  const long result = inside ? os::call(SYS_sched_setaffinity, tid, sizeof rule.cpus, &rule.cpus) : -EINVAL;
  slot.pin_error = static_cast<std::int32_t>(result < 0 ? -result : 0);
  TextBuilder applied(slot.pin_applied, sizeof slot.pin_applied);
  if (result >= 0) {
    print_cpus(rule.cpus, applied, '+');
  } else {
    char text[320];
    TextBuilder line(text, sizeof text);
    line.add("thread ").number(slot.serial).add(" was not pinned to CPU ").add(slot.pin_asked).add(": ");
    line.add(result == -EINVAL ? "EINVAL" : result == -EPERM ? "EPERM" : "the kernel refused").add(", allowed ");
    print_cpus(allowed, line, ',');
    warn("pin_failed", line.view());
  }
  slot.version.fetch_add(1, std::memory_order_release);  // pairs with the drain
}

}  // namespace

const char* set_pins(std::string_view text) {
  rule_count = 0;
  std::memset(&allowed, 0, sizeof allowed);
  os::call(SYS_sched_getaffinity, 0, sizeof allowed, &allowed);
  while (!text.empty()) {
    const std::size_t comma = find_unescaped(text, ',');
    std::string_view item = head(text, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    const std::size_t equals = find_unescaped(item, '=');
    if (equals == std::string_view::npos || equals == 0) return "pattern=cpus is missing";
    if (rule_count == kMaxRules) return "more than 64 patterns";
    Rule& rule = rules[rule_count];
    rule = Rule{};
    std::string_view pattern = head(item, equals);
    if (pattern[0] == '@') return "@ patterns are not available in this version";
    if (pattern[0] == '#') {
      pattern.remove_prefix(1);
      if (!parse_decimal(pattern, rule.serial) || !pattern.empty())
        return "# is followed by something that is no number";
    } else {
      TextBuilder kept(rule.pattern, sizeof rule.pattern);
      if (kept.add(pattern).cut()) return "a pattern has more than 95 bytes";
    }
    if (!parse_cpus(tail(item, equals + 1), rule.cpus)) return "CPUs are not like 2, 2-3 or 2+4";
    ++rule_count;
  }
  return nullptr;
}

void apply_pin_at_birth(shm::ThreadSlot& slot, bool name_is_own) {
  for (unsigned i = 0; i < rule_count; ++i) {
    const Rule& rule = rules[i];
    const std::string_view pattern = rule.pattern;
    const bool matches = pattern.empty() ? rule.serial == slot.serial
                         : name_is_own   ? glob_matches(pattern, slot.name)
                                         : pattern == "*";
    if (matches) return apply(slot, rule);
  }
}

void apply_pin_at_naming(shm::ThreadSlot& slot) {
  for (unsigned i = 0; i < rule_count; ++i) {
    const Rule& rule = rules[i];
    if (rule.pattern[0] == 0 && rule.serial == slot.serial) return;  // it has its CPUs since its birth
    if (rule.pattern[0] != 0 && glob_matches(rule.pattern, slot.name)) return apply(slot, rule);
  }
}

}  // namespace tl::record
