#include "clock/anchor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <elf.h>
#include <sys/auxv.h>

#include <string_view>

#include "clock/tsc.h"
#include "os/file.h"
#include "os/identity.h"
#include "os/syscall.h"

namespace tl::clock {

bool ticks_are_tsc = false;

namespace {

using ClockGettime = int (*)(clockid_t, timespec*);
ClockGettime vdso_clock_gettime = nullptr;

// The vDSO is an ELF image that the kernel maps; its symbols are found by its own dynamic section (vdso(7)).
ClockGettime find_in_vdso(std::string_view wanted) {
  const unsigned long base = getauxval(AT_SYSINFO_EHDR);
  if (base == 0) return nullptr;
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(base);
  const auto* segments = reinterpret_cast<const Elf64_Phdr*>(base + header->e_phoff);
  const Elf64_Dyn* dynamic = nullptr;
  unsigned long shift = 0;
  bool loaded = false;
  for (int i = 0; i < header->e_phnum; ++i) {
    if (segments[i].p_type == PT_LOAD && !loaded) {
      shift = base + segments[i].p_offset - segments[i].p_vaddr;
      loaded = true;
    }
    if (segments[i].p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const Elf64_Dyn*>(base + segments[i].p_offset);
  }
  if (dynamic == nullptr || !loaded) return nullptr;
  const char* names = nullptr;
  const Elf64_Sym* symbols = nullptr;
  const Elf64_Word* hash = nullptr;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    const unsigned long address = dynamic->d_un.d_ptr + shift;
    if (dynamic->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(address);
    if (dynamic->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const Elf64_Sym*>(address);
    if (dynamic->d_tag == DT_HASH) hash = reinterpret_cast<const Elf64_Word*>(address);
  }
  if (names == nullptr || symbols == nullptr || hash == nullptr) return nullptr;
  for (Elf64_Word i = 0; i < hash[1]; ++i)
    if (symbols[i].st_shndx != SHN_UNDEF && wanted == names + symbols[i].st_name)
      return reinterpret_cast<ClockGettime>(symbols[i].st_value + shift);
  return nullptr;
}

bool counter_is_invariant() {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & 1u << 8) != 0;
#else
  return false;
#endif
}

}  // namespace

std::uint64_t raw_ns() {
  timespec now{};
  if (vdso_clock_gettime == nullptr || vdso_clock_gettime(CLOCK_MONOTONIC_RAW, &now) != 0)
    os::call(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

const char* why_unfit(bool invariant, std::string_view clocksource) {
  if (!invariant) return "the processor has no invariant time stamp counter";
  if (clocksource.substr(0, clocksource.find('\n')) != "tsc")
    return "the kernel does not keep time by the time stamp counter (its clocksource is another)";
  return nullptr;
}

const char* choose_clock(bool want_tsc) {
#if defined(__x86_64__)
  vdso_clock_gettime = find_in_vdso("__vdso_clock_gettime");
#else
  vdso_clock_gettime = find_in_vdso("__kernel_clock_gettime");
#endif
  ticks_are_tsc = false;
  if (!want_tsc) return nullptr;
  char source[32];
  const long n =
      os::read_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", source, sizeof source);
  const char* why = why_unfit(counter_is_invariant(), {source, n > 0 ? static_cast<std::size_t>(n) : 0});
  ticks_are_tsc = why == nullptr;
  return why;
}

AnchorSample take_anchor() {
  AnchorSample best{};
  best.bracket_ticks = UINT32_MAX;
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = ticks();
    const std::uint64_t ns = raw_ns();
    const std::uint64_t width = ticks() - before;
    if (width < best.bracket_ticks) best = {before + width / 2, ns, 0, static_cast<std::uint32_t>(width)};
  }
  best.real_ns = os::realtime_ns();
  return best;
}

}  // namespace tl::clock
