#include "tlbench/looper.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <telemetry/telemetry.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "os/file.h"
#include "tlbench/child.h"

namespace tl::tlbench {

namespace {

constexpr std::size_t kVersionBytes = 64;
// After a thread's first call, so that what the library does at its start is done.
constexpr timespec kSettles{0, 50'000'000};

// One of the threads whose calls are counted. What it needs is made before it starts: it allocates nothing itself, and
// it is no std::thread, which would free something.
struct Served {
  int socket = -1;
  std::size_t index = 0;
  Plan plan;
  Work work;
  std::unique_ptr<std::uint64_t[]> ticks{new std::uint64_t[kMostBatches]};  // not written: pages come when needed
  pthread_t thread = {};
};

bool read_all(int descriptor, void* to, std::size_t bytes) {
  for (char* at = static_cast<char*>(to); bytes > 0;) {
    const ssize_t n = ::read(descriptor, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

void* serve(void* argument) {
  Served& served = *static_cast<Served*>(argument);
  allocate_64(served.work, 1);
  nanosleep(&kSettles, nullptr);
  pin(served.plan, served.index);  // only now: what the library starts at its start may inherit it
  for (std::uint32_t batches; read_all(served.socket, &batches, sizeof batches) && batches <= kMostBatches;) {
    const Times times = run_batches(allocate_64, served.work, {served.ticks.get(), batches});
    if (os::write_all(served.socket, &times, sizeof times) < 0 ||
        os::write_all(served.socket, served.ticks.get(), batches * sizeof(std::uint64_t)) < 0)
      break;
  }
  return nullptr;
}

Looper::Under what_is_under() {
  if (dlsym(RTLD_DEFAULT, "tl_version") != nullptr) return Looper::Under::library;
  return dlsym(RTLD_DEFAULT, "tlbench_forwarder") != nullptr ? Looper::Under::forwarder : Looper::Under::nothing;
}

}  // namespace

int loop(const std::vector<std::string>& arguments) {
  // It ends with the process that asked for it, in order: its sockets are closed then.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
  const auto asked = nlohmann::json::parse(arguments.at(1));
  if (asked.at("under").get<int>() != static_cast<int>(what_is_under()))
    throw std::runtime_error("what is preloaded is not what this case wants");
  std::vector<std::unique_ptr<Served>> all;
  char version[kVersionBytes] = {};
  std::strncpy(version, tl_version(), sizeof version - 1);  // empty without the library
  for (const int socket : asked.at("sockets").get<std::vector<int>>()) {
    Served& one = *all.emplace_back(std::make_unique<Served>());
    one.socket = socket;
    one.index = all.size() - 1;
    if (one.index == 0 && os::write_all(socket, version, sizeof version) < 0) return 1;
    one.plan.cpus = asked.at("cpus").get<std::vector<int>>();
  }
  for (const auto& one : all)
    if (const int error = pthread_create(&one->thread, nullptr, serve, one.get()))
      throw std::system_error(error, std::generic_category(), "cannot create a thread");
  for (const auto& one : all) pthread_join(one->thread, nullptr);
  return 0;
}

Looper::Looper(Under under, unsigned threads, const std::vector<int>& cpus, std::vector<std::string> environment) {
  std::vector<int> theirs;
  for (unsigned i = 0; i < threads; ++i) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw std::system_error(errno, std::generic_category(), "cannot make a socket");
    sockets_.push_back(ends[0]);
    theirs.push_back(ends[1]);
  }
  const nlohmann::json asked = {{"under", static_cast<int>(under)}, {"sockets", theirs}, {"cpus", cpus}};
  pid_ = start({.program = "/proc/self/exe",
                .arguments = {"tlbench", kLooperArgument, asked.dump()},
                .environment = std::move(environment),
                .descriptors = theirs,
                .watched_alone = true});
  for (const int descriptor : theirs) close(descriptor);
  operations_ = threads;
  char version[kVersionBytes];
  if (read_all(sockets_[0], version, sizeof version)) version_ = version;
}

Looper::~Looper() { end(); }

Times Looper::take(std::vector<std::uint64_t>& ticks) {
  const auto batches = static_cast<std::uint32_t>(ticks.size());
  bool alive = true;
  for (const int socket : sockets_)
    alive = alive && send(socket, &batches, sizeof batches, MSG_NOSIGNAL) == ssize_t{sizeof batches};
  Times mean;
  std::vector<std::uint64_t> others(ticks.size());
  for (std::size_t i = 0; alive && i < sockets_.size(); ++i) {
    Times times;
    alive = read_all(sockets_[i], &times, sizeof times) &&
            read_all(sockets_[i], (i == 0 ? ticks : others).data(), batches * sizeof(std::uint64_t));
    mean.wall += times.wall / static_cast<double>(sockets_.size());
    mean.cpu += times.cpu / static_cast<double>(sockets_.size());
  }
  if (!alive) throw std::runtime_error("a process that was to call the allocator has ended");
  operations_ += std::uint64_t{batches} * kBatch * sockets_.size();
  return mean;
}

std::string Looper::end() {
  for (const int socket : sockets_) close(socket);
  sockets_.clear();
  if (pid_ < 0) return {};
  const int status = wait_for(pid_);
  pid_ = -1;
  return why_bad(status);
}

}  // namespace tl::tlbench
