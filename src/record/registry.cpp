#include "record/registry.h"

#include <sys/mman.h>

#include <atomic>
#include <cstring>

#include "os/futex.h"
#include "os/syscall.h"
#include "record/gate.h"
#include "record/process.h"

namespace tl::record {

namespace {

constexpr std::uint32_t kTableSize = 131072;  // a power of two, twice the ids at least

// Names are kept in private memory (a fork child needs its parent's) as length and bytes; ids count from 1.
struct Registry {
  std::atomic<std::uint32_t> count;  // ids given so far; release by who registers
  std::atomic<std::uint32_t> lock;   // 0 free, 1 held, 2 held and waited for. Leaf: nothing else is locked under it.
  const unsigned char* names[kMaxScopeIds + 1];
  std::uint16_t table[kTableSize];  // ids by hash, linear probing; 0: free
  unsigned char* arena;
  std::size_t arena_left;
  std::uint32_t shared_chunk, shared_at;  // where the next name goes in shared memory
};
constinit Registry registry{};

void lock() {
  std::uint32_t expected = 0;
  if (registry.lock.compare_exchange_strong(expected, 1, std::memory_order_acquire)) return;
  while (registry.lock.exchange(2, std::memory_order_acquire) != 0) os::futex_wait(registry.lock, 2, 1000000000);
}
void unlock() {
  if (registry.lock.exchange(0, std::memory_order_release) == 2) os::futex_wake(registry.lock);
}

std::uint32_t hash_of(const char* name, std::size_t size) {  // FNV-1a, folded
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<unsigned char>(name[i])) * 0x100000001b3u;
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

unsigned char* keep(const char* name, std::size_t size) {
  if (registry.arena_left < size + 1) {
    const long mapped = os::call(SYS_mmap, 0, kChunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped < 0 && mapped > -4096) return nullptr;
    registry.arena = reinterpret_cast<unsigned char*>(mapped);
    registry.arena_left = kChunkBytes;
  }
  unsigned char* kept = registry.arena;
  kept[0] = static_cast<unsigned char>(size);
  std::memcpy(kept + 1, name, size);
  registry.arena += size + 1;
  registry.arena_left -= size + 1;
  return kept;
}

// Under the lock. Without memory for it the name stays unknown to the reader, who then shows the id.
void publish_name(std::uint32_t id) {
  shm::Control* control = process.control;
  if (control == nullptr) return;
  const unsigned char* name = registry.names[id];
  const std::uint32_t size = name[0] + 1u;
  if (registry.shared_at + size > kChunkBytes && registry.shared_chunk + 1 < kMaxNameChunks) {
    ++registry.shared_chunk;
    registry.shared_at = 0;
  }
  std::uint32_t& place = control->name_chunks[registry.shared_chunk];
  if (place == 0) place = take_chunk();
  unsigned char* chunk = view().chunk(place);
  if (chunk == nullptr || registry.shared_at + size > kChunkBytes) return;
  std::memcpy(chunk + registry.shared_at, name, size);
  registry.shared_at += size;
  control->names_count.store(id, std::memory_order_release);  // pairs with the collector
}

}  // namespace

std::uint32_t register_scope(const char* name) {
  if (name == nullptr) return 0;
  const std::size_t size = strnlen(name, kMaxNameBytes + 1);
  if (size == 0 || size > kMaxNameBytes) return 0;
  lock();
  std::uint32_t at = hash_of(name, size) % kTableSize;
  for (; registry.table[at] != 0; at = (at + 1) % kTableSize) {
    const unsigned char* known = registry.names[registry.table[at]];
    if (known[0] != size || std::memcmp(known + 1, name, size) != 0) continue;
    const std::uint32_t id = registry.table[at];
    unlock();
    return id;
  }
  std::uint32_t id = registry.count.load(std::memory_order_relaxed) + 1;
  const unsigned char* kept = id <= kMaxScopeIds ? keep(name, size) : nullptr;
  if (kept != nullptr) {
    registry.names[id] = kept;
    registry.table[at] = static_cast<std::uint16_t>(id);
    publish_name(id);
    registry.count.store(id, std::memory_order_release);
    update_gate();
  } else {
    id = 0;
  }
  unlock();
  return id;
}

std::uint32_t registered_scopes() { return registry.count.load(std::memory_order_acquire); }

bool is_registered(std::uint32_t id) { return id - 1u < registered_scopes(); }

void publish_names() {
  registry.shared_chunk = registry.shared_at = 0;
  const std::uint32_t count = registry.count.load(std::memory_order_acquire);
  for (std::uint32_t id = 1; id <= count; ++id) publish_name(id);
}

void reset_registry_lock() {
  if (registry.lock.exchange(0, std::memory_order_relaxed) == 0) return;
  // The holder was half-way in: the table may lack the last name, so it is made again.
  std::memset(registry.table, 0, sizeof registry.table);
  for (std::uint32_t id = 1; id <= registry.count.load(std::memory_order_relaxed); ++id) {
    const unsigned char* name = registry.names[id];
    std::uint32_t at = hash_of(reinterpret_cast<const char*>(name + 1), name[0]) % kTableSize;
    while (registry.table[at] != 0) at = (at + 1) % kTableSize;
    registry.table[at] = static_cast<std::uint16_t>(id);
  }
}

}  // namespace tl::record
