#include "tlrun/findings.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>
#include <tuple>

#include "dump/block.h"
#include "read/payloads.h"
#include "shm/salvage.h"

namespace tlrun {

namespace {

// TL_OUTPUT's own pattern as one of glob(3).
std::string glob_of(const std::string& output) {
  std::string pattern;
  for (std::size_t i = 0; i < output.size(); ++i) {
    char c = output[i];
    if (c == '%' && i + 1 < output.size()) {
      c = output[++i];
      if (c != '%') {
        pattern += '*';
        continue;
      }
    }
    if (std::strchr("*?[]\\", c) != nullptr) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

// False: no dump of a process.
bool read_identity(Dump& dump) {
  const int file = open(dump.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  struct stat status {};
  std::vector<unsigned char> bytes(std::size_t{256} << 10);  // a process block with a long command line fits
  const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const ssize_t n = regular ? pread(file, bytes.data(), bytes.size(), 0) : -1;
  close(file);
  tl::dump::BlockView block;
  constexpr std::size_t kHeader = sizeof(tl::dump::FileHeader);
  if (n < static_cast<ssize_t>(kHeader) ||
      std::memcmp(bytes.data(), tl::dump::kSignature, sizeof tl::dump::kSignature) != 0)
    return false;
  if (tl::dump::read_block(bytes.data() + kHeader, static_cast<std::size_t>(n) - kHeader, block) !=
          tl::dump::BlockStatus::whole ||
      block.header.type != static_cast<std::uint16_t>(tl::dump::BlockType::process))
    return false;
  tl::ByteReader reader(block.payload, block.header.payload_bytes);
  dump.bytes = static_cast<std::uint64_t>(status.st_size);
  dump.pid = reader.fixed<std::uint32_t>();
  dump.parent_pid = reader.fixed<std::uint32_t>();
  reader.raw(8);  // user, allocation mode
  dump.start_unix_ns = reader.fixed<std::uint64_t>();
  if (reader.failed()) return false;
  // Another block may stand between the process and its run.
  for (std::size_t at = kHeader + block.bytes, i = 0; i < 2; ++i, at += block.bytes) {
    tl::read::Run run;
    if (tl::dump::read_block(bytes.data() + at, static_cast<std::size_t>(n) - at, block) !=
        tl::dump::BlockStatus::whole)
      break;
    if (block.header.type != static_cast<std::uint16_t>(tl::dump::BlockType::run) || !tl::read::decode_run(block, run))
      continue;
    dump.run_pid = run.pid;
    dump.run_start = run.process_start;
  }
  return true;
}

std::vector<Dump> dumps_like(const std::string& output, std::uint64_t since_unix_ns) {
  std::vector<Dump> dumps;
  const std::string pattern = glob_of(output);
  std::set<std::string> paths;
  for (const std::string& each : {pattern, pattern + ".[0-9]*"}) {
    glob_t found{};
    if (glob(each.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
      paths.insert(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
  }
  for (const std::string& path : paths) {
    Dump dump;
    dump.path = path;
    if (read_identity(dump) && dump.start_unix_ns >= since_unix_ns) dumps.push_back(std::move(dump));
  }
  return dumps;
}

struct Visit {
  const Ended& ended;
  std::vector<Dump> alive, not_written;
};

Dump identity_of(const tl::shm::Control& control) {
  Dump dump;
  dump.path = control.created.load(std::memory_order_acquire) != 0 ? control.created_path : control.output;
  dump.pid = control.pid;
  dump.parent_pid = control.parent_pid;
  dump.start_unix_ns = control.start_unix_ns;
  dump.run_pid = control.run_pid;
  dump.run_start = control.run_start;
  return dump;
}

bool visit_leftover(void* context, tl::shm::Leftover& leftover) {
  Visit& visit = *static_cast<Visit*>(context);
  const Dump identity = identity_of(leftover.control());
  if (leftover.process_is_alive()) {
    if (identity.start_unix_ns >= visit.ended.start_unix_ns) visit.alive.push_back(identity);
    return true;
  }
  const bool own = identity.pid == static_cast<std::uint32_t>(visit.ended.pid) &&
                   identity.start_unix_ns >= visit.ended.start_unix_ns;
  const bool by_signal = own && WIFSIGNALED(visit.ended.status);
  const auto reason = by_signal ? tl::dump::EndReason::signal : tl::dump::EndReason::killed;
  const tl::shm::Salvaged salvaged = tl::shm::salvage(leftover, reason, by_signal ? WTERMSIG(visit.ended.status) : 0);
  if (salvaged == tl::shm::Salvaged::unwritable) visit.not_written.push_back(identity);
  return true;
}

// Keeps of `all` what is of this run: by its own word, or as the child of a process in `family`, which grows on the
// way. (A daemon's parent has gone; a process that another tlrun started has that one's word.)
std::vector<Dump> of_run(std::vector<Dump> all, const Ended& ended, std::set<std::uint32_t>& family) {
  const auto pid = static_cast<std::uint32_t>(ended.pid);
  for (bool grown = true; grown;) {
    grown = false;
    for (const Dump& dump : all)
      if ((dump.run_pid == pid && dump.run_start == ended.process_start) || family.count(dump.parent_pid) != 0)
        grown |= family.insert(dump.pid).second;
  }
  all.erase(std::remove_if(all.begin(), all.end(), [&](const Dump& d) { return family.count(d.pid) == 0; }), all.end());
  return all;
}

}  // namespace

Findings look_for(const std::string& output, const Ended& ended) {
  Findings findings;
  Visit visit{ended, {}, {}};
  tl::shm::for_each_leftover(visit_leftover, &visit);

  const auto own = static_cast<std::uint32_t>(ended.pid);
  std::set<std::uint32_t> family{own};
  findings.dumps = of_run(dumps_like(output, ended.start_unix_ns), ended, family);
  std::sort(findings.dumps.begin(), findings.dumps.end(), [own](const Dump& a, const Dump& b) {
    if ((a.pid == own) != (b.pid == own)) return a.pid == own;
    const auto place = [](const Dump& dump) {  // of one process: x.tl, x.tl.2, x.tl.10
      return std::tuple(dump.start_unix_ns, dump.pid, dump.path.size(), std::string_view(dump.path));
    };
    return place(a) < place(b);
  });
  findings.running = of_run(visit.alive, ended, family);
  visit.not_written.erase(std::remove_if(visit.not_written.begin(), visit.not_written.end(),
                                         [&](const Dump& d) { return d.start_unix_ns < ended.start_unix_ns; }),
                          visit.not_written.end());
  for (const Dump& dump : of_run(visit.not_written, ended, family)) findings.unwritable.push_back(dump.path);
  return findings;
}

}  // namespace tlrun
