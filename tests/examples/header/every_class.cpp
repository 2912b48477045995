// Uses every class and macro of telemetry.hpp, one on a line that it names first.
#include <stdio.h>
#include <telemetry/telemetry.hpp>

#define STEP(name) printf("- %s\n", name)

static telemetry::Span carried(tl_scope_id id) { return telemetry::Span::begin(id); }

int main() {
  {
    STEP("scopes, left by the end of the block");
    TL_SCOPE("A");
    TL_SCOPE_MID("B");
    TL_SCOPE_HARD("C");
    TL_SCOPE_AT("D", 0xabc);
    STEP("end");
  }
  {
    STEP("modes that differ");
    const telemetry::BasicScope<telemetry::Mode::fast, telemetry::Mode::hard> scope(TL_ID("A"));
    const telemetry::BasicScope<telemetry::Mode::hard, telemetry::Mode::mid> other(telemetry::register_scope("B"));
    const telemetry::BasicScope<telemetry::Mode::fast, telemetry::Mode::mid> late(TL_ID("C"), 0xdef);
  }
  for (int i = 0; i < 2; ++i) {
    STEP("left early");
    TL_SCOPE("A");
    if (i == 0) continue;
    break;
  }
  {
    STEP("a chain inside a scope");
    TL_SCOPE("A");
    telemetry::Chain stages(TL_ID("B"));
    stages.next(TL_ID("C"));
    stages.next(0);
    stages.next(0);
    stages.next(TL_ID("D"));
    STEP("end");
  }
  {
    STEP("a chain with names that can have no id");
    telemetry::Chain stages;
    for (int i = 0; i < 2; ++i) stages.next(TL_ID(""));
    stages.next(TL_ID("B"));
    stages.next(TL_ID(""));
  }
  STEP("a span");
  const telemetry::Span copy = carried(TL_ID("S"));
  copy.end();
  {
    STEP("a pause");
    const telemetry::Pause pause;
    const telemetry::Pause inside;
  }
  STEP("a count");
  const telemetry::AllocationCount allocations;
  printf("%ld", static_cast<long>(allocations.count()));
  printf(" %ld\n", static_cast<long>(allocations.bytes()));
  return 0;
}
