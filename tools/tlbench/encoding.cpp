#include "tlbench/encoding.h"

#include <iterator>
#include <numeric>

#include "base/bytes.h"
#include "base/limits.h"
#include "clock/step.h"
#include "clock/tsc.h"
#include "tlbench/slices.h"
#include "tlbench/undrained.h"

namespace tl::tlbench {

namespace {

constexpr std::size_t kRecordsOfEach = std::size_t{1} << 17;  // 2 MiB
constexpr std::uint32_t kAtOnce = 256;                        // items between two looks at a signal
static_assert(kBatch % kRecordsPerBlock == 0 && kRecordsOfEach % kBatch == 0);

// The next ones, from the start again when all have been.
const dump::RingRecord* take(Encoding& encoding, std::uint32_t count) {
  if (encoding.next == encoding.records.size()) encoding.next = 0;
  const dump::RingRecord* out = encoding.records.data() + encoding.next;
  encoding.next += count;
  return out;
}

void encode(Work& work, std::uint32_t records, const dump::LaneCode& lanes) {
  Encoding& encoding = *work.encoding;
  for (; records >= kRecordsPerBlock; records -= kRecordsPerBlock) {
    ByteWriter out(encoding.payload, sizeof encoding.payload);
    const std::uint64_t sequence = encoding.next;
    const dump::RingRecord* const block = take(encoding, kRecordsPerBlock);
    encoding.steps.learn(block, kRecordsPerBlock);
    if (encoding.steps.expected()) {
      const dump::StepFactors steps = encoding.steps.factors();
      encode_records(block, kRecordsPerBlock, sequence, &steps, encoding.memory, out, lanes);
    } else {
      encode_records(block, kRecordsPerBlock, sequence, nullptr, encoding.memory, out, lanes);
    }
    encoding.sum += out.size();
  }
}

}  // namespace

void record_what_to_encode(Work& work, Encoding& encoding) {
  std::iota(std::begin(work.ids), std::end(work.ids), 1);  // without the library nobody registers any
  for (const Operation operation : {undrained_stages, undrained_ids1000}) {
    empty_undrained_ring();
    for (std::size_t done = 0; done < kRecordsOfEach / kNestedStages && !stop_asked; done += kAtOnce)
      operation(work, kAtOnce);
    const std::vector<dump::RingRecord> records = undrained_records();
    encoding.records.insert(encoding.records.end(), records.begin(), records.end());
  }
  encoding.records.resize(encoding.records.size() / kBatch * kBatch);

  std::vector<std::uint64_t> room(2048);
  const std::uint64_t step = clock::measured_step(clock::ticks, room.data(), room.size());
  encoding.steps = dump::measured_steps(step, clock::ticks);
}

void encode_avx2(Work& work, std::uint32_t records) { encode(work, records, *work.encoding->avx2); }
void encode_baseline(Work& work, std::uint32_t records) { encode(work, records, dump::kBaselineLanes); }

void read_once(Work& work, std::uint32_t records) {
  std::uint64_t sum = 0;
  const dump::RingRecord* const first = take(*work.encoding, records);
  for (std::uint32_t i = 0; i < records; ++i) sum += first[i].ticks ^ first[i].word;
  work.encoding->sum += sum;
}

}  // namespace tl::tlbench
