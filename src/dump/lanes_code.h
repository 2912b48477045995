// The source of lanes.h's loops. Included by lanes_avx2.cpp and lanes_baseline.cpp alone, which say for what:
//   TL_LANES         attributes of every function here: it may not come from elsewhere or serve elsewhere, since inline
//                    code built for AVX2 must never be what the linker keeps for all
//   TL_VECTOR_BYTES  of a vector that the processor adds in one go
//   TL_PRODUCT(a, b) of Halves of which only the lower 32 bits are set
#include "dump/lanes.h"

namespace tl::dump {
namespace {

typedef std::uint32_t Words __attribute__((vector_size(TL_VECTOR_BYTES), aligned(4), may_alias));
typedef std::int32_t SignedWords __attribute__((vector_size(TL_VECTOR_BYTES), aligned(4), may_alias));
typedef std::uint64_t Halves __attribute__((vector_size(TL_VECTOR_BYTES), aligned(8), may_alias));  // two lanes in one
constexpr std::uint32_t kNative = TL_VECTOR_BYTES / sizeof(std::uint32_t);                          // lanes in a vector

// Four records are taken apart at a time, whatever vectors are native: wider ones only add crossings.
typedef std::uint64_t Pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef std::uint32_t Four __attribute__((vector_size(16), aligned(4), may_alias));
typedef std::int32_t SignedFour __attribute__((vector_size(16), aligned(4), may_alias));

#define TL_LOAD(Vector, address) (*reinterpret_cast<const Vector*>(address))
#define TL_STORE(Vector, address) (*reinterpret_cast<Vector*>(address))
#define TL_LESSER(a, b) reinterpret_cast<Four>((SignedFour)(a) < (SignedFour)(b) ? (SignedFour)(a) : (SignedFour)(b))

struct Seen {  // of all records so far
  std::uint32_t upper_gaps = 0, uppers = 0, other_uppers = 0;
  std::uint32_t least_gap = kMaxLaneValue, least_number = kMaxLaneValue, least_id = kMaxLaneValue;
};

TL_LANES inline std::uint32_t lesser(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
}

TL_LANES inline void split_one(const RingRecord* records, std::uint32_t i, std::uint32_t first_upper, SplitRecords& out,
                               Seen& seen) {
  const std::uint64_t word = records[i].word;
  const auto number = static_cast<std::uint32_t>(word), upper = static_cast<std::uint32_t>(word >> 32);
  out.number.at[i] = number;
  out.id.at[i] = upper >> 16;
  seen.uppers |= upper;
  seen.other_uppers |= upper ^ first_upper;
  seen.least_number = lesser(seen.least_number, number);
  seen.least_id = lesser(seen.least_id, upper >> 16);
  if (i == 0) return;
  const std::uint64_t gap = records[i].ticks - records[i - 1].ticks;
  out.gap.at[i] = static_cast<std::uint32_t>(gap);
  seen.upper_gaps |= static_cast<std::uint32_t>(gap >> 32);
  seen.least_gap = lesser(seen.least_gap, static_cast<std::uint32_t>(gap));
}

TL_LANES void split(const RingRecord* records, std::uint32_t count, SplitRecords& out) {
  Seen seen;
  const auto first_upper = static_cast<std::uint32_t>(records[0].word >> 32);
  split_one(records, 0, first_upper, out, seen);
  std::uint32_t i = 1;
  if (count > 4) {
    Four upper_gaps{}, uppers{}, other_uppers{};
    Four least_gap = Four{} + kMaxLaneValue, least_number = least_gap, least_id = least_gap;
    Pair before = TL_LOAD(Pair, records);
    for (; i + 4 <= count; i += 4) {
      const Pair a = TL_LOAD(Pair, records + i), b = TL_LOAD(Pair, records + i + 1);
      const Pair c = TL_LOAD(Pair, records + i + 2), d = TL_LOAD(Pair, records + i + 3);
      const Four gaps_ab = reinterpret_cast<Four>(__builtin_shufflevector(a - before, b - a, 0, 2));
      const Four gaps_cd = reinterpret_cast<Four>(__builtin_shufflevector(c - b, d - c, 0, 2));
      const Four words_ab = reinterpret_cast<Four>(__builtin_shufflevector(a, b, 1, 3));
      const Four words_cd = reinterpret_cast<Four>(__builtin_shufflevector(c, d, 1, 3));
      before = d;
      const Four gap = __builtin_shufflevector(gaps_ab, gaps_cd, 0, 2, 4, 6);
      const Four number = __builtin_shufflevector(words_ab, words_cd, 0, 2, 4, 6);
      const Four upper = __builtin_shufflevector(words_ab, words_cd, 1, 3, 5, 7);
      const Four id = upper >> 16;
      TL_STORE(Four, out.gap.at + i) = gap;
      TL_STORE(Four, out.number.at + i) = number;
      TL_STORE(Four, out.id.at + i) = id;
      upper_gaps |= __builtin_shufflevector(gaps_ab, gaps_cd, 1, 3, 5, 7);
      uppers |= upper;
      other_uppers |= upper ^ first_upper;
      least_gap = TL_LESSER(gap, least_gap);
      least_number = TL_LESSER(number, least_number);
      least_id = TL_LESSER(id, least_id);
    }
    for (unsigned lane = 0; lane < 4; ++lane) {
      seen.upper_gaps |= upper_gaps[lane];
      seen.uppers |= uppers[lane];
      seen.other_uppers |= other_uppers[lane];
      seen.least_gap = lesser(seen.least_gap, least_gap[lane]);
      seen.least_number = lesser(seen.least_number, least_number[lane]);
      seen.least_id = lesser(seen.least_id, least_id[lane]);
    }
  }
  for (; i < count; ++i) split_one(records, i, first_upper, out, seen);
  // As signed numbers the least are: a larger one than kMaxLaneValue shows as a negative least.
  out.least_gap = count == 1 ? 0 : seen.least_gap;
  out.least_number = seen.least_number;
  out.least_id = seen.least_id;
  out.wide_gap = seen.upper_gaps != 0 || out.least_gap > kMaxLaneValue;
  out.wide_number = (seen.uppers & 0xff) != 0 || out.least_number > kMaxLaneValue;
  out.mixed_kinds = (seen.other_uppers & 0xff00) != 0;
}

TL_LANES std::uint32_t reduce(const std::uint32_t* values, std::uint32_t rows, std::uint32_t least,
                              const LaneDivisor& divisor, std::uint32_t* reduced) {
  Words all{};
  if (divisor.value == 1) {
    for (std::uint32_t i = 0; i < rows * kLanes; i += kNative) {
      const Words value = TL_LOAD(Words, values + i) - least;
      TL_STORE(Words, reduced + i) = value;
      all |= value;
    }
  } else {
    const unsigned left = (32 - divisor.twos) & 31;  // by 0 both ways gives the value twice
    for (std::uint32_t i = 0; i < rows * kLanes; i += kNative) {
      const Words product = (TL_LOAD(Words, values + i) - least) * divisor.inverse;
      const Words value = product >> divisor.twos | product << left;
      TL_STORE(Words, reduced + i) = value;
      all |= value;
    }
  }
  std::uint32_t any = 0;
  for (unsigned lane = 0; lane < kNative; ++lane) any |= all[lane];
  return any;
}

// Products of 32 by 32 bits lie in every other lane's place: once of the even lanes, once of the odd ones.
TL_LANES inline Halves rounded(Halves lanes, std::uint32_t factor, unsigned shift) {
  return (TL_PRODUCT(lanes, Halves{} + factor) + (std::uint64_t{1} << (shift - 1))) >> shift;
}

TL_LANES Stepped to_steps(const std::uint32_t* values, std::uint32_t rows, const StepFactors& given,
                          std::uint32_t* stepped) {
  const StepFactors factors = given;  // which nothing that is stored here can change
  Words off{}, uneven{};
  SignedWords least = SignedWords{} + static_cast<std::int32_t>(kMaxLaneValue);
  for (std::uint32_t i = 0; i < rows * kLanes; i += kNative) {
    const Words value = TL_LOAD(Words, values + i);
    const Halves even = rounded((Halves)value & 0xffffffff, factors.inverse, factors.inverse_shift);
    const Halves odd = rounded((Halves)value >> 32, factors.inverse, factors.inverse_shift);
    const Halves even_ticks = rounded(even, factors.step, factors.shift);
    const Halves odd_ticks = rounded(odd, factors.step, factors.shift);
    const Words steps = (Words)(even | odd << 32), rest = value - (Words)(even_ticks | odd_ticks << 32) + 1;
    const Words result = steps + steps + steps + rest;
    TL_STORE(Words, stepped + i) = result;
    off |= (Words)((SignedWords)rest > 2) | (Words)((SignedWords)rest < 0);
    uneven |= rest ^ 1;
    least = (SignedWords)result < least ? (SignedWords)result : least;
  }
  Stepped all{kMaxLaneValue, true, false};
  for (unsigned lane = 0; lane < kNative; ++lane) {
    all.least = lesser(all.least, static_cast<std::uint32_t>(least[lane]));
    all.holds = all.holds && off[lane] == 0;
    all.uneven = all.uneven || uneven[lane] != 0;
  }
  return all;
}

TL_LANES std::uint32_t count_above(const std::uint32_t* values, std::uint32_t rows, std::uint32_t bound) {
  SignedWords minus_count{};
  const SignedWords bounds = SignedWords{} + static_cast<std::int32_t>(bound);
  for (std::uint32_t i = 0; i < rows * kLanes; i += kNative) minus_count += TL_LOAD(SignedWords, values + i) > bounds;
  std::uint32_t count = 0;
  for (unsigned lane = 0; lane < kNative; ++lane) count -= static_cast<std::uint32_t>(minus_count[lane]);
  return count;
}

TL_LANES void find_above(const std::uint32_t* values, std::uint32_t rows, std::uint32_t bound, std::uint32_t* found) {
  const SignedWords bounds = SignedWords{} + static_cast<std::int32_t>(bound);
  for (std::uint32_t lane = 0; lane < kLanes; lane += kNative) {
    Words above{}, row_bit = Words{} + 1;
    for (std::uint32_t row = 0; row < rows; ++row, row_bit += row_bit)
      above |= (Words)(TL_LOAD(SignedWords, values + row * kLanes + lane) > bounds) & row_bit;
    TL_STORE(Words, found + lane) = above;
  }
}

TL_LANES void pack(const std::uint32_t* values, std::uint32_t rows, unsigned width, std::uint32_t* words) {
  const std::uint32_t mask = (std::uint32_t{1} << width) - 1;
  for (std::uint32_t lane = 0; lane < kLanes; lane += kNative) {
    const std::uint32_t* from = values + lane;
    std::uint32_t* to = words + lane;
    Words word{};
    unsigned filled = 0;  // bits of `word`
    for (std::uint32_t row = 0; row < rows; ++row, from += kLanes) {
      const Words value = TL_LOAD(Words, from) & mask;
      word |= value << filled;
      filled += width;
      if (filled < 32) continue;
      TL_STORE(Words, to) = word;
      to += kLanes;
      filled -= 32;
      word = value >> (width - filled);
    }
    TL_STORE(Words, to) = word;
  }
}

TL_LANES void unpack(const std::uint32_t* words, std::uint32_t rows, unsigned width, std::uint32_t* values) {
  const std::uint32_t mask = (std::uint32_t{1} << width) - 1;
  for (std::uint32_t lane = 0; lane < kLanes; lane += kNative) {
    const std::uint32_t* from = words + lane;
    std::uint32_t* to = values + lane;
    Words word = TL_LOAD(Words, from);
    unsigned used = 0;  // bits of `word`
    for (std::uint32_t row = 0; row < rows; ++row, to += kLanes) {
      Words value = word >> used;
      used += width;
      if (used >= 32) {
        word = TL_LOAD(Words, from += kLanes);
        used -= 32;
        value |= word << (width - used);
      }
      TL_STORE(Words, to) = value & mask;
    }
  }
}

TL_LANES void expand(const std::uint32_t* values, std::uint32_t count, std::uint64_t least, std::uint32_t factor,
                     std::uint64_t* out) {
  if (factor == 1) {
    for (std::uint32_t i = 0; i < count; ++i) out[i] = least + values[i];
  } else {
    for (std::uint32_t i = 0; i < count; ++i) out[i] = least + std::uint64_t{values[i]} * factor;
  }
}

TL_LANES std::uint64_t from_steps(std::uint64_t* values, std::uint32_t count, std::uint32_t step, unsigned shift) {
  std::uint64_t any = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    any |= values[i];
    const auto value = static_cast<std::uint32_t>(values[i]);
    const std::uint64_t steps = value / kRests, rest = value % kRests;
    values[i] = ticks_of(step, shift, steps) + rest - 1;
  }
  return any;
}

TL_LANES std::uint32_t expand_ids(const std::uint32_t* values, std::uint32_t count, std::uint32_t least,
                                  std::uint16_t* out) {
  std::uint32_t any = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t id = least + values[i];
    out[i] = static_cast<std::uint16_t>(id);
    any |= id | (id - 1);
  }
  return any;
}

TL_LANES std::uint32_t expand_kinds(const std::uint32_t* values, std::uint32_t count, std::uint32_t least,
                                    RecordKind* out) {
  std::uint32_t any = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t kind = least + values[i];
    out[i] = static_cast<RecordKind>(kind);
    any |= kind;
  }
  return any;
}

constexpr LaneCode kCode = {split,  reduce, to_steps,   count_above, find_above,  pack,
                            unpack, expand, from_steps, expand_ids,  expand_kinds};

}  // namespace
}  // namespace tl::dump
