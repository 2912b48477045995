#include "drain/leftovers.h"

#include <string_view>

#include "base/text.h"
#include "clock/tsc.h"
#include "os/file.h"
#include "shm/salvage.h"

namespace tl::drain {

namespace {

bool has_launcher(const shm::Control& control) {
  char path[64], name[16];
  TextBuilder(path, sizeof path).add("/proc/").number(control.parent_pid).add("/comm");
  const long bytes = os::read_file(path, name, sizeof name);
  return bytes > 0 && std::string_view(name, static_cast<std::size_t>(bytes)) == "tlrun\n";
}

bool visit(void*, shm::Leftover& leftover) {
  const shm::Control& control = leftover.control();
  const auto clock = clock::ticks_are_tsc ? dump::ClockSource::tsc : dump::ClockSource::clock_gettime;
  if (control.clock_source != static_cast<std::uint32_t>(clock)) return true;  // ours is not to be changed
  if (!leftover.process_is_alive() && !has_launcher(control)) shm::salvage(leftover, dump::EndReason::killed, 0);
  return true;
}

}  // namespace

void write_what_the_dead_left() { shm::for_each_leftover(visit, nullptr); }

}  // namespace tl::drain
