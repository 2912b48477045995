// Dumps made by hand, for tests: well-formed by the writer's own code, or wrong in one chosen way.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dump/block.h"
#include "dump/records_codec.h"

namespace tl::test {

// A common record; most are scopes.
struct Scope {
  std::uint64_t end, duration;
  std::uint16_t id;
  dump::RecordKind kind = dump::RecordKind::scope;
};

inline dump::RingRecord event(std::uint64_t ticks, std::uint32_t id, dump::RecordKind kind, std::uint64_t number = 0) {
  return {ticks, dump::record_word(id, kind, number)};
}

// The records of a mark.
inline std::vector<dump::RingRecord> mark(std::uint64_t ticks, const std::string& text) {
  std::vector<dump::RingRecord> out = {event(ticks, 0, dump::RecordKind::mark, text.size())};
  for (std::size_t at = 0; at < text.size(); at += dump::kMarkBytesPerRecord) {
    std::uint64_t words[2] = {};
    std::memcpy(words, text.data() + at, std::min(dump::kMarkBytesPerRecord, text.size() - at));
    out.push_back(event(words[0], 0, dump::RecordKind::mark_text, words[1]));
  }
  return out;
}

// The two records of what takes more than 40 bits: a duration from `from` on, or a value that is `from` itself.
inline std::vector<dump::RingRecord> wide(std::uint64_t from, std::uint64_t to, std::uint32_t id,
                                          dump::RecordKind kind) {
  return {event(from, id, dump::RecordKind::wide_from),
          event(to, id, dump::RecordKind::wide_to, static_cast<std::uint8_t>(kind))};
}

class DumpBuilder {
 public:
  explicit DumpBuilder(std::uint32_t version = dump::kVersion) {
    dump::FileHeader header{{}, version, 0};
    std::memcpy(header.signature, dump::kSignature, sizeof header.signature);
    append(&header, sizeof header);
  }

  // Any block; `fill` writes the payload.
  DumpBuilder& block(dump::BlockType type, std::uint32_t thread, std::uint32_t count, std::uint64_t ticks,
                     const std::function<void(ByteWriter&)>& fill) {
    if (buffer_.empty()) buffer_.resize(sizeof(dump::BlockHeader) + dump::kMaxPayloadBytes);
    dump::BlockWriter writer(buffer_.data(), buffer_.size());
    fill(writer.begin(type, thread, count, ticks));
    if (!writer.end()) throw std::runtime_error("a test's block does not fit");
    append(writer.data(), writer.size());
    return *this;
  }
  DumpBuilder& process(dump::ClockSource source = dump::ClockSource::clock_gettime, std::uint32_t alloc_mode = 3,
                       const std::string& program = "demo") {
    return block(dump::BlockType::process, dump::kNoThread, 0, 0, [&](ByteWriter& out) {
      out.fixed(std::uint32_t{4321});
      out.fixed(std::uint32_t{1});
      out.fixed(std::uint32_t{1000});
      out.fixed(alloc_mode);
      out.fixed(std::uint64_t{1700000000000000000});
      out.fixed(std::uint64_t{77});
      const unsigned char boot[16] = {};
      out.raw(boot, sizeof boot);
      out.fixed(static_cast<std::uint8_t>(source));
      out.fixed(std::uint8_t{1});
      out.fixed(std::uint16_t{0});
      out.text(program.data(), program.size());
      out.text("/usr/bin/demo");
      out.text("host");
      out.text("");
      out.fixed(std::uint8_t{0});
      out.fixed(std::uint16_t{2});
      out.text("demo");
      out.text("two words");
    });
  }
  DumpBuilder& anchor(std::uint64_t ticks, std::uint64_t raw_ns, std::uint32_t bracket = 40) {
    return block(dump::BlockType::anchor, dump::kNoThread, 0, ticks, [&](ByteWriter& out) {
      out.fixed(ticks);
      out.fixed(raw_ns);
      out.fixed(std::uint64_t{0});
      out.fixed(bracket);
    });
  }
  DumpBuilder& names(const std::vector<std::string>& names, std::uint16_t first_id = 1) {
    return block(dump::BlockType::names, dump::kNoThread, static_cast<std::uint32_t>(names.size()), 0,
                 [&](ByteWriter& out) {
                   std::uint16_t id = first_id;
                   for (const std::string& name : names) {
                     out.fixed(id++);
                     out.fixed(static_cast<std::uint8_t>(name.size()));
                     out.raw(name.data(), name.size());
                   }
                 });
  }
  DumpBuilder& thread(std::uint32_t serial, const std::string& name, std::uint64_t start = 0, std::uint64_t end = 0,
                      std::uint8_t flags = 0, const std::string& asked = "", const std::string& applied = "",
                      std::int32_t error = 0) {
    return block(dump::BlockType::thread, serial, 0, start, [&](ByteWriter& out) {
      out.fixed(std::uint32_t{1000 + serial});
      out.fixed(start);
      out.fixed(end);
      out.fixed(flags);
      out.text(name.data(), name.size());
      out.text(asked.data(), asked.size());
      out.text(applied.data(), applied.size());
      out.fixed(error);
    });
  }
  // As many blocks as it takes.
  DumpBuilder& scopes(std::uint32_t serial, std::uint64_t sequence, const std::vector<Scope>& records) {
    for (std::size_t at = 0; at < records.size(); at += kRecordsPerBlock) {
      dump::RecordColumns columns;
      dump::EncoderMemory memory;
      columns.first_sequence = sequence + at;
      for (std::size_t i = at; i < records.size() && columns.count < kRecordsPerBlock; ++i) {
        columns.ticks[columns.count] = records[i].end;
        columns.number[columns.count] = records[i].duration;
        columns.kind[columns.count] = records[i].kind;
        columns.id[columns.count++] = records[i].id;
      }
      block(dump::BlockType::records, serial, columns.count, columns.ticks[0],
            [&](ByteWriter& out) { dump::encode_records(columns, memory, out); });
    }
    return *this;
  }
  DumpBuilder& events(std::uint32_t serial, std::uint64_t sequence, const std::vector<dump::RingRecord>& records) {
    return block(dump::BlockType::events, serial, static_cast<std::uint32_t>(records.size()),
                 records.empty() ? 0 : records[0].ticks, [&](ByteWriter& out) {
                   out.fixed(sequence);
                   for (const dump::RingRecord& record : records) out.fixed(record);
                 });
  }
  struct Call {
    std::uint8_t call, size_class;
    std::uint64_t calls;
  };
  DumpBuilder& counters(std::uint32_t serial, std::uint32_t snapshot, std::uint64_t records, std::uint64_t scopes,
                        const std::vector<std::uint64_t>& lost, std::uint64_t failed, std::uint64_t bytes,
                        const std::vector<Call>& calls) {
    return block(dump::BlockType::counters, serial, 0, 0, [&](ByteWriter& out) {
      out.fixed(snapshot);
      out.fixed(records);
      out.fixed(scopes);
      out.fixed(static_cast<std::uint8_t>(lost.size()));
      for (const std::uint64_t n : lost) out.fixed(n);
      out.fixed(failed);
      out.fixed(bytes);
      out.fixed(static_cast<std::uint16_t>(calls.size()));
      for (const Call& row : calls) {
        out.fixed(row.call);
        out.fixed(row.size_class);
        out.varint(row.calls);
      }
    });
  }
  // `buckets`: bucket index of base/log_linear.h and count, ascending.
  DumpBuilder& latency(std::uint32_t serial, std::uint32_t snapshot, std::uint8_t call, std::uint8_t size_class,
                       std::uint64_t sum, std::uint64_t min, std::uint64_t max,
                       const std::vector<std::pair<std::uint32_t, std::uint64_t>>& buckets,
                       std::uint64_t unbinned = 0) {
    return block(dump::BlockType::latency, serial, 0, 0, [&](ByteWriter& out) {
      std::uint64_t samples = unbinned;
      for (const auto& [index, times] : buckets) samples += times;
      out.fixed(snapshot);
      out.fixed(call);
      out.fixed(size_class);
      out.fixed(static_cast<std::uint16_t>(buckets.size()));
      out.fixed(samples);
      out.fixed(sum);
      out.fixed(min);
      out.fixed(max);
      out.fixed(unbinned);
      std::uint32_t before = 0;
      for (const auto& [index, times] : buckets) {
        out.varint(index - before);
        out.varint(times);
        before = index;
      }
    });
  }
  struct Open {
    std::uint64_t begin;
    std::uint32_t id, flags = 0;
  };
  DumpBuilder& open_scopes(std::uint32_t serial, const std::vector<Open>& open) {
    return block(dump::BlockType::open_scopes, serial, static_cast<std::uint32_t>(open.size()), 0,
                 [&](ByteWriter& out) {
                   for (const Open& one : open) {
                     out.fixed(one.begin);
                     out.fixed(one.id);
                     out.fixed(one.flags);
                   }
                 });
  }
  struct Cost {  // `what`: a scope's kind, dump::kCostNext or dump::kCostPulse
    std::uint8_t what;
    std::uint64_t min, p50, p90, p99, max, whole;
    std::uint32_t samples = 1000;
  };
  DumpBuilder& cost(std::uint64_t step, const std::vector<Cost>& rows) {
    return block(dump::BlockType::cost, dump::kNoThread, static_cast<std::uint32_t>(rows.size()), 0,
                 [&](ByteWriter& out) {
                   out.fixed(step);
                   for (const Cost& row : rows) {
                     out.fixed(row.what);
                     out.fixed(row.samples);
                     for (const std::uint64_t ticks : {row.min, row.p50, row.p90, row.p99, row.max, row.whole})
                       out.fixed(ticks);
                   }
                 });
  }
  DumpBuilder& warning(const std::string& code, const std::string& text) {
    return block(dump::BlockType::warning, dump::kNoThread, 0, 0, [&](ByteWriter& out) {
      out.text(code.data(), code.size());
      out.text(text.data(), text.size());
    });
  }
  DumpBuilder& part(std::uint32_t number, std::uint32_t files, std::uint64_t ticks = 0,
                    std::optional<std::uint64_t> records_before = {}) {
    return block(dump::BlockType::part, dump::kNoThread, 0, ticks, [&](ByteWriter& out) {
      out.fixed(number);
      out.fixed(files);
      if (records_before) out.fixed(*records_before);
    });
  }
  DumpBuilder& end(std::uint64_t ticks, std::uint64_t records, dump::EndReason reason = dump::EndReason::exit,
                   std::int32_t signal_number = 0) {
    return block(dump::BlockType::end, dump::kNoThread, 0, ticks, [&](ByteWriter& out) {
      out.fixed(static_cast<std::uint8_t>(reason));
      out.fixed(std::uint8_t{0});
      out.fixed(std::uint16_t{0});
      out.fixed(signal_number);
      out.fixed(records);
    });
  }
  DumpBuilder& raw(const std::string& bytes) {
    append(bytes.data(), bytes.size());
    return *this;
  }

  const std::string& bytes() const { return bytes_; }
  // What was made since the last time: for dumps that do not fit into memory.
  std::string take() { return std::exchange(bytes_, {}); }

 private:
  void append(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  std::string bytes_;
  std::vector<unsigned char> buffer_;
};

// A file of its own in the build's temporary directory, gone with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes) {
    const char* directory = std::getenv("TMPDIR");
    path_ = std::string(directory != nullptr ? directory : "/tmp") + "/tl-test-XXXXXX";
    const int fd = ::mkstemp(path_.data());
    if (fd < 0) throw std::runtime_error("no temporary file");
    ::close(fd);
    write(bytes);
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // A new file each time: ext4 flushes one that was cut to nothing and written again, which took 4 ms a variant.
  void write(const std::string& bytes) {
    ::unlink(path_.c_str());
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tl::test
