// An example: messages pass through three stages, each of which ends where the next begins. What waits in between is a
// span, begun by who sends and ended by who receives; hard stamps time the few instructions of a checksum. How far a
// message came behind its schedule is the response time of "message".
#include <stdio.h>

#include <telemetry/telemetry.hpp>

namespace {

struct Message {
  unsigned char bytes[64];
  unsigned size;
  telemetry::Span waiting;
};

unsigned checksum(const Message& message) {
  TL_SCOPE_HARD("checksum");
  unsigned sum = 0;
  for (unsigned i = 0; i < message.size; ++i) sum = sum * 31 + message.bytes[i];
  return sum;
}

unsigned handle(Message& message, uint64_t intended_ticks) {
  message.waiting.end();
  TL_SCOPE_AT("message", intended_ticks);
  telemetry::Chain stages(TL_ID("decode"));
  unsigned fields = 0;
  for (unsigned i = 0; i < message.size; ++i) fields += message.bytes[i] == ',';
  stages.next(TL_ID("verify"));
  const unsigned sum = checksum(message);
  stages.next(TL_ID("route"));
  tl_value(TL_ID("fields [count]"), fields);
  return sum % 16 + fields;
}

}  // namespace

int main() {
  constexpr int kMessages = 1000;
  const uint64_t start = tl_ticks(), gap = tl_ticks_from_ns(2000);
  unsigned routed = 0;
  for (int i = 0; i < kMessages; ++i) {
    Message message{};
    message.size = static_cast<unsigned>(
        snprintf(reinterpret_cast<char*>(message.bytes), sizeof message.bytes, "order,%d,%d", i, i * 7));
    message.waiting = telemetry::Span::begin(TL_ID("waiting"));
    routed += handle(message, start + static_cast<uint64_t>(i) * gap);
  }
  printf("%d messages, %u\n", kMessages, routed);
}
