#include "record/pins.h"

#include <errno.h>

#include <cstring>

#include "base/setting_values.h"
#include "base/text.h"
#include "os/syscall.h"
#include "record/process.h"

namespace tl::record {

namespace {

struct Rule {
  char pattern[kMaxPinPatternBytes + 1];  // empty: by serial
  std::uint64_t serial;
  CpuSet cpus;
};

constinit Rule rules[kMaxPinRules]{};
constinit unsigned rule_count = 0;
constinit CpuSet allowed{};
constinit CpuSet pinned{};
constinit std::atomic<std::uint32_t> applications{0};

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
    for (std::uint32_t i = 0; i < kMaxCpus / 64; ++i)
      if (rule.cpus.words[i] != 0) __atomic_fetch_or(&pinned.words[i], rule.cpus.words[i], __ATOMIC_RELAXED);
    applications.fetch_add(1, std::memory_order_relaxed);
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

std::uint32_t pins_applied() { return applications.load(std::memory_order_relaxed); }
const CpuSet& pinned_cpus() { return pinned; }

void set_pins(std::string_view text) {
  os::call(SYS_sched_getaffinity, 0, sizeof allowed, &allowed);
  PinRule parsed;
  for (rule_count = 0; !text.empty() && take_pin_rule(text, parsed) == nullptr; ++rule_count) {
    Rule& rule = rules[rule_count];
    rule.serial = parsed.serial;
    TextBuilder(rule.pattern, sizeof rule.pattern).add(parsed.pattern);
    parse_cpus(parsed.cpus, [&](std::uint64_t cpu) { rule.cpus.add(cpu); });
  }
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
