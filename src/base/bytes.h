// Bounded reading and writing of little-endian bytes: the only way in which blocks are made and taken apart. Neither
// class allocates or throws; a step over the end sets a flag that is checked once, at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tl {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "dumps and shared memory are little-endian");

class ByteWriter {
 public:
  constexpr ByteWriter(unsigned char* data, std::size_t capacity) : data_(data), capacity_(capacity) {}

  void raw(const void* bytes, std::size_t n) {
    if (n > capacity_ - size_) {
      full_ = true;
      return;
    }
    if (n != 0) std::memcpy(data_ + size_, bytes, n);
    size_ += n;
  }
  template <class Integer>
  void fixed(Integer value) {
    raw(&value, sizeof value);
  }
  // LEB128: seven bits a byte, lowest first, at most ten bytes.
  void varint(std::uint64_t value) {
    unsigned char bytes[10];
    std::size_t n = 0;
    for (; value >= 0x80; value >>= 7) bytes[n++] = static_cast<unsigned char>(value | 0x80);
    bytes[n++] = static_cast<unsigned char>(value);
    raw(bytes, n);
  }
  // A length of two bytes, then the text without its zero; longer text is cut at 65,535 bytes.
  void text(const char* bytes, std::size_t n) {
    if (n > 0xffff) n = 0xffff;
    fixed(static_cast<std::uint16_t>(n));
    raw(bytes, n);
  }
  void text(const char* zero_terminated) { text(zero_terminated, std::strlen(zero_terminated)); }

  std::size_t size() const { return size_; }
  std::size_t room() const { return capacity_ - size_; }
  bool full() const { return full_; }  // true: something did not fit, and was left out

 private:
  unsigned char* data_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  bool full_ = false;
};

class ByteReader {
 public:
  ByteReader(const void* data, std::size_t size) : data_(static_cast<const unsigned char*>(data)), size_(size) {}

  const unsigned char* raw(std::size_t n) {
    if (n > size_ - at_) {
      failed_ = true;
      return nullptr;
    }
    const unsigned char* here = data_ + at_;
    at_ += n;
    return here;
  }
  template <class Integer>
  Integer fixed() {
    Integer value{};
    if (const unsigned char* bytes = raw(sizeof value)) std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const unsigned char* byte = raw(1);
      if (byte == nullptr) return 0;
      if (shift == 63 && *byte > 1) break;
      value |= static_cast<std::uint64_t>(*byte & 0x7f) << shift;
      if (*byte < 0x80) return value;
    }
    failed_ = true;
    return 0;
  }
  // Points into the data; length 0 and a null pointer after a failure.
  const char* text(std::size_t& n) {
    n = fixed<std::uint16_t>();
    const unsigned char* bytes = raw(n);
    if (bytes == nullptr) n = 0;
    return reinterpret_cast<const char*>(bytes);
  }

  std::size_t left() const { return size_ - at_; }
  bool failed() const { return failed_; }

 private:
  const unsigned char* data_;
  std::size_t size_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace tl
