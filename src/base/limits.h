// Every fixed size of the recorder, with its unit and its reason. Limits that users see are promised in telemetry.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tl {

constexpr std::uint32_t kMaxScopeIds = 65535;    // ids are 16 bits in a record; 0 means "no scope"
constexpr std::size_t kMaxNameBytes = 255;       // a scope's name; the length fits one byte
constexpr std::size_t kMaxOpenScopes = 1024;     // open at once on a thread; deeper ones are counted, not kept
constexpr std::size_t kMaxDisplacedScopes = 16;  // begins that a wrong end pushed aside, still waiting for their end
constexpr std::size_t kThreadNameBytes = 16;     // the kernel's comm, with its zero
constexpr std::size_t kProgramNameBytes = 64;    // %e in TL_OUTPUT
constexpr std::size_t kMaxPathBytes = 4096;
constexpr unsigned kMaxCpus = 8192;  // what TL_PIN can name
constexpr unsigned kMaxPinRules = 64;
constexpr std::size_t kMaxPinPatternBytes = 95;

constexpr std::size_t kChunkBytes = 65536;   // shared memory grows by chunks of this size
constexpr std::uint32_t kMaxChunks = 65536;  // 4 GiB of shared memory a process
constexpr std::size_t kSlotBytes = 8192;     // identity and counters of one thread
constexpr std::uint32_t kSlotsPerChunk = kChunkBytes / kSlotBytes;
constexpr std::uint32_t kMaxSlots = 65536;     // threads alive at once
constexpr std::uint32_t kMaxNameChunks = 256;  // 65,535 names of 255 bytes and their lengths

constexpr std::uint32_t kMaxRingsAhead = 1024;  // up to so many threads get a ring at birth, 64 KiB each

constexpr std::uint32_t kDefaultRingRecords =
    1048576;                                     // TL_RING: 16 MiB, what a flat-out thread needs beside a busy drain
constexpr std::uint32_t kMinRingRecords = 1024;  // TL_RING's lower end, and what each thread has in any case
constexpr std::uint64_t kDefaultRingPoolBytes = 64u << 20;  // TL_RING_POOL

constexpr std::uint64_t kMinSizeLimitBytes = 65536;  // TL_SIZE
constexpr std::uint32_t kMaxRotateFiles = 128;       // TL_ROTATE

constexpr std::size_t kWriteBytes = 65536;     // a larger write holds the core in the kernel for milliseconds
constexpr std::size_t kRecordsPerBlock = 256;  // scope records in one block of a dump

}  // namespace tl
