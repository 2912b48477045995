// big_dump FILE RECORDS: a whole dump of so many scope records on four threads, of any size, without holding it. Chains
// of an outer scope and three inside it, 40 names.
#include <cstdio>
#include <cstdlib>

#include "../dump_builder.h"

namespace {

using tl::test::DumpBuilder;
using tl::test::Scope;

constexpr std::uint32_t kThreads = 4;
constexpr std::uint64_t kRound = 4096;  // records of a thread before the next one's

struct Writer {
  std::FILE* file;
  void write(DumpBuilder& dump) {
    const std::string bytes = dump.take();
    if (std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) throw std::runtime_error("cannot write");
  }
};

void generate(Writer& out, std::uint64_t records) {
  DumpBuilder dump;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("scope " + std::to_string(i));
  dump.process().anchor(0, 1000).names(names);
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) dump.thread(thread, "t" + std::to_string(thread), 1);
  std::uint64_t made[kThreads] = {}, scopes[kThreads] = {}, ticks = 1000, left = records, random = 1;
  std::vector<Scope> round;
  for (std::uint32_t thread = 0; left > 0; thread = (thread + 1) % kThreads) {
    round.clear();
    while (left > 0 && round.size() < kRound) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const std::uint64_t length = 200 + (random >> 40) % 300;
      const bool inner = left % 4 != 1;  // the last of four encloses the others
      ticks += inner ? length + 20 : 15;
      round.push_back({ticks, inner ? length : 1500, static_cast<std::uint16_t>(1 + (random >> 33) % 40)});
      --left;
    }
    dump.scopes(thread, made[thread], round);
    made[thread] += round.size();
    scopes[thread] += round.size();
    out.write(dump);
  }
  for (std::uint32_t thread = 0; thread < kThreads; ++thread)
    dump.counters(thread, 1, made[thread], scopes[thread], std::vector<std::uint64_t>(7), 0, 0, {});
  dump.anchor(ticks + 1000, ticks + 2000).end(ticks + 1000, records);
  out.write(dump);
}

}  // namespace

int main(int argc, char** argv) {
  Writer out{argc == 3 ? std::fopen(argv[1], "wbx") : nullptr};
  if (out.file == nullptr) {
    std::fprintf(stderr, "usage: big_dump FILE RECORDS; FILE must not exist yet\n");
    return 2;
  }
  try {
    generate(out, std::strtoull(argv[2], nullptr, 10));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "big_dump: %s\n", error.what());
    return 1;
  }
  return std::fclose(out.file) == 0 ? 0 : 1;
}
