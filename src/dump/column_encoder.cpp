#include "dump/column_codec.h"

namespace tl::dump {

namespace {

constexpr std::uint32_t kExceptionBytes = 2;  // its place, and mostly one byte of what does not fit

unsigned bits_of(std::uint64_t value) { return value == 0 ? 0 : 64u - static_cast<unsigned>(__builtin_clzll(value)); }

template <class Integer>
Integer common_divisor(Integer a, Integer b) {
  while (b != 0) {
    const Integer rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// What may divide all: the counters of many processors move in steps of some ten ticks, which would take five bits of
// each value. A guess from a few of them; reduce() tells whether it holds.
LaneDivisor guess_divisor(const std::uint32_t* values, std::uint32_t count, std::uint32_t least) {
  constexpr std::uint32_t kAsked = 8;
  const std::uint32_t step = count > kAsked ? count / kAsked : 1;
  std::uint32_t common = 0;
  for (std::uint32_t i = 0; i < count && common != 1; i += step) common = common_divisor(common, values[i] - least);
  if (common < 2) return kNoDivisor;
  const auto twos = static_cast<unsigned>(__builtin_ctz(common));
  const std::uint32_t odd = common >> twos;
  std::uint32_t inverse = odd;  // modulo 2^3, and twice the bits with each round
  for (int round = 0; round < 4; ++round) inverse *= 2 - odd * inverse;
  return {common, inverse, twos};
}

// From `width` on down to where fewer bits only make more exceptions; `cost` is what `width` takes, in bytes.
unsigned best_width(const std::uint32_t* values, std::uint32_t rows, unsigned width, std::uint32_t cost,
                    const LaneCode& lanes) {
  constexpr int kPatience = 2;
  unsigned best = width;
  for (int misses = 0; width > 0 && misses < kPatience;) {
    --width;
    const std::uint32_t above = lanes.count_above(values, rows, (std::uint32_t{1} << width) - 1);
    const std::uint32_t cost_here = rows * width + kExceptionBytes * above;
    if (cost_here < cost) {
      cost = cost_here;
      best = width;
      misses = 0;
    } else {
      ++misses;
    }
  }
  return best;
}

// What a column's values were made of beside the packed bits.
struct Base {
  std::uint64_t least, divisor = 1;
  const StepFactors* steps = nullptr;
};

void put_header(unsigned width, std::uint32_t exceptions, const Base& base, ByteWriter& out) {
  const auto encoding = base.steps == nullptr ? ColumnEncoding::lanes : ColumnEncoding::steps;
  const std::uint8_t head[3] = {static_cast<std::uint8_t>(encoding), static_cast<std::uint8_t>(width),
                                static_cast<std::uint8_t>(exceptions)};
  out.raw(head, sizeof head);
  out.varint(base.least);
  if (base.steps == nullptr) return out.varint(base.divisor);
  out.fixed(static_cast<std::uint8_t>(base.steps->shift));
  out.fixed(base.steps->step);
}

// `exact`: the values where some do not fit `reduced`, which then holds kMaxLaneValue; null: all fit.
void put_reduced(LaneWords& reduced, const std::uint64_t* exact, std::uint32_t count, unsigned width, bool patched,
                 const Base& base, LaneWords& packed, ByteWriter& out, const LaneCode& lanes) {
  const std::uint32_t rows = lane_rows(count), mask = (std::uint32_t{1} << width) - 1;
  std::uint8_t places[kRecordsPerBlock], short_rests[kRecordsPerBlock];
  std::uint64_t rests[kRecordsPerBlock], all_rests = 0;
  std::uint32_t exceptions = 0, found[kLanes] = {};
  if (patched) lanes.find_above(reduced.at, rows, mask, found);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    for (std::uint32_t left = found[lane]; left != 0; left &= left - 1) {
      const LanePlace place{lane, static_cast<std::uint32_t>(__builtin_ctz(left))};
      std::uint32_t& value = reduced.at[place.index()];
      const std::uint64_t whole = exact != nullptr ? exact[place.index()] : value;
      value = static_cast<std::uint32_t>(whole);
      places[exceptions] = place.byte();
      rests[exceptions] = whole >> width;
      short_rests[exceptions++] = static_cast<std::uint8_t>(whole >> width);
      all_rests |= whole >> width;
    }
  }
  put_header(width, exceptions, base, out);
  if (width != 0) {
    lanes.pack(reduced.at, rows, width, packed.at);
    const LaneSize size(rows, width);
    out.raw(packed.at, std::size_t{size.whole_words} * kLanes * sizeof(std::uint32_t));
    const std::uint32_t* last = packed.at + size.whole_words * kLanes;
    for (std::uint32_t byte = 0; byte < size.last_bytes; ++byte) {
      std::uint8_t bytes[kLanes];
      for (std::uint32_t lane = 0; lane < kLanes; ++lane)
        bytes[lane] = static_cast<std::uint8_t>(last[lane] >> 8 * byte);
      out.raw(bytes, sizeof bytes);
    }
  }
  out.raw(places, exceptions);
  if (all_rests < 0x80) return out.raw(short_rests, exceptions);
  for (std::uint32_t i = 0; i < exceptions; ++i) out.varint(rests[i]);
}

void put_plain_column(const std::uint64_t* values, std::uint32_t count, ByteWriter& out) {
  std::uint64_t least = values[0], most = values[0];
  for (std::uint32_t i = 1; i < count; ++i) {
    least = values[i] < least ? values[i] : least;
    most = values[i] > most ? values[i] : most;
  }
  const unsigned width = bits_of(most - least);
  out.fixed(ColumnEncoding::plain);
  out.fixed(static_cast<std::uint8_t>(width));
  out.fixed(least);
  unsigned __int128 pending = 0;  // bits that do not fill eight bytes yet, lowest first
  unsigned bits = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    pending |= static_cast<unsigned __int128>(values[i] - least) << bits;
    bits += width;
    if (bits < 64) continue;
    out.fixed(static_cast<std::uint64_t>(pending));
    pending >>= 64;
    bits -= 64;
  }
  const auto rest = static_cast<std::uint64_t>(pending);
  out.raw(&rest, (bits + 7) / 8);
}

// The least of the values as signed numbers if many are negative, else the least of all others: then the few are
// exceptions and cost the rest nothing.
std::uint64_t least_of(const std::uint64_t* values, std::uint32_t count, Column what) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  std::uint32_t negative = 0;
  for (std::uint32_t i = 0; i < count; ++i) negative += values[i] >= kSign;
  const std::uint64_t turn = what == Column::differences && negative > count / 16 ? kSign : 0;
  std::uint64_t least = values[0] ^ turn;
  for (std::uint32_t i = 1; i < count; ++i) least = (values[i] ^ turn) < least ? values[i] ^ turn : least;
  return least ^ turn;
}

}  // namespace

void put_constant_column(std::uint32_t value, ByteWriter& out) { put_header(0, 0, {value}, out); }

void put_lane_column(LaneWords& values, std::uint32_t count, std::uint32_t least, bool patched, ColumnMemory& memory,
                     ByteWriter& out, const LaneCode& lanes) {
  const std::uint32_t rows = lane_rows(count);
  for (std::uint32_t i = count; i < rows * kLanes; ++i) values.at[i] = least;
  Base base{least};
  unsigned width = 0;
  const auto reduced = [&](const std::uint32_t* from, const LaneDivisor& divisor) {  // all of them
    width = bits_of(lanes.reduce(from, rows, static_cast<std::uint32_t>(base.least), divisor, memory.reduced.at));
    base.divisor = divisor.value;
    return width <= bits_of(kMaxLaneValue / divisor.value);
  };
  const auto in_steps = [&] {
    if (memory.steps == nullptr) return false;
    const Stepped stepped = lanes.to_steps(values.at, rows, *memory.steps, memory.packed.at);
    if (!stepped.holds || !stepped.uneven) return false;
    base = {stepped.least, 1, memory.steps};
    return reduced(memory.packed.at, kNoDivisor);
  };
  const auto divided = [&] {
    if (memory.divisor.value != 1 && reduced(values.at, memory.divisor)) return true;
    memory.divisor = guess_divisor(values.at, count, least);
    return memory.divisor.value != 1 && reduced(values.at, memory.divisor);
  };
  if (!patched || !(in_steps() || divided())) {
    if (patched) memory.divisor = kNoDivisor;
    reduced(values.at, kNoDivisor);
  }
  if (patched) width = best_width(memory.reduced.at, rows, width, rows * width, lanes);
  put_reduced(memory.reduced, nullptr, count, width, patched, base, memory.packed, out, lanes);
}

void put_wide_column(std::uint64_t* values, std::uint32_t count, Column what, ColumnMemory& memory, ByteWriter& out,
                     const LaneCode& lanes) {
  const std::uint32_t first = what == Column::differences ? 1 : 0;
  if (first == count) values[0] = 0;
  const std::uint64_t least = first == count ? 0 : least_of(values + first, count - first, what);
  if (first == 1) values[0] = least;
  std::uint64_t highest = 0, common = 0;
  for (std::uint32_t i = 0; i < count; ++i) highest = values[i] > highest ? values[i] : highest;
  if (highest <= kMaxLaneValue) {
    for (std::uint32_t i = 0; i < count; ++i) memory.values.at[i] = static_cast<std::uint32_t>(values[i]);
    return put_lane_column(memory.values, count, static_cast<std::uint32_t>(least), true, memory, out, lanes);
  }
  for (std::uint32_t i = 0; i < count && common != 1; ++i) common = common_divisor(common, values[i] - least);
  if (common == 0 || common > kMaxLaneValue) common = 1;
  std::uint32_t far = 0;
  for (std::uint32_t i = 0; i < count; ++i) far += (values[i] - least) / common > kMaxLaneValue;
  if (far > count / 8) {
    for (std::uint32_t i = 0; first == 1 && i < count; ++i) values[i] = zigzag(values[i]);
    return put_plain_column(values, count, out);
  }
  const std::uint32_t rows = lane_rows(count);
  for (std::uint32_t i = 0; i < rows * kLanes; ++i) {
    std::uint64_t reduced = 0;
    if (i < count) reduced = values[i] = (values[i] - least) / common;
    memory.reduced.at[i] = reduced > kMaxLaneValue ? kMaxLaneValue : static_cast<std::uint32_t>(reduced);
  }
  constexpr unsigned kWidest = kMaxLaneBits - 1;  // so that what is far off is an exception
  const std::uint32_t above = lanes.count_above(memory.reduced.at, rows, (std::uint32_t{1} << kWidest) - 1);
  const unsigned width = best_width(memory.reduced.at, rows, kWidest, rows * kWidest + kExceptionBytes * above, lanes);
  put_reduced(memory.reduced, values, count, width, true, {least, common}, memory.packed, out, lanes);
}

}  // namespace tl::dump
