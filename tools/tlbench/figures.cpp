#include "tlbench/figures.h"

#include "tlbench/paired.h"

namespace tl::tlbench {

namespace {

void add_times(const Measured& measured, Figures& out) {
  const auto compare = measured.in_turn ? paired_ratio : unpaired_ratio;
  const PairedRatio ratio = compare(measured.times(measured.part), measured.times(measured.reference));
  out.ns = median(measured.times(measured.part));
  out.reference_ns = median(measured.times(measured.reference));
  if (measured.batch_operations > 0) {  // else there are too few
    out.p50_ns = measured.part.p50_ns;
    out.p99_ns = measured.part.p99_ns;
    out.reference_p50_ns = measured.reference.p50_ns;
    out.reference_p99_ns = measured.reference.p99_ns;
  }
  out.ratio = ratio.median;
  out.ratio_p10 = ratio.p10;
  out.ratio_p90 = ratio.p90;
  if (measured.in_turn) out.pairs = ratio.pairs;
  if (!measured.part.cpu_ns.empty()) out.cpu_ratio = compare(measured.part.cpu_ns, measured.reference.cpu_ns).median;
  if (measured.floor.ns.empty()) return;
  out.floor_ns = median(measured.times(measured.floor));
  out.floor_ratio = compare(measured.times(measured.part), measured.times(measured.floor)).median;
}

// All that is lost counts against the stretch: what was begun outside it, one record, is waited for.
double share_of_flat_out(const Row& row) {
  const Measured& measured = row.outcome.measured;
  const double kept = static_cast<double>(measured.stretch_begun) - static_cast<double>(row.outcome.counts->lost);
  const double flat_out = row.of->part.threads * 1e9 / median(measured.times(measured.reference));  // records a second
  return kept / measured.stretch_seconds / flat_out;
}

}  // namespace

Figures figures_of(const Row& row) {
  Figures out;
  const Measured& measured = row.outcome.measured;
  if (!measured.part.ns.empty()) add_times(measured, out);
  if (row.of->encodes && out.ns) out.records_per_s = 1e9 / *out.ns;
  if (!row.outcome.counts) return out;
  const Counts& counts = *row.outcome.counts;
  if (measured.stretch_seconds > 0) out.share_of_flat_out = share_of_flat_out(row);
  if (row.of->sized && counts.recorded > 0)
    out.bytes_per_record = static_cast<double>(counts.bytes) / static_cast<double>(counts.recorded);
  return out;
}

}  // namespace tl::tlbench
