// Five chains of 3,000 stages each, all of them inside a span by stamps taken just before and just after.
#include <stdio.h>

#include <telemetry/telemetry.h>

int main(void) {
  for (int chain = 0; chain < 5; chain++) {
    tl_scope_id ids[4];
    char name[20];
    for (int i = 0; i < 4; i++) {
      snprintf(name, sizeof name, i < 3 ? "stage %d.%d" : "whole %d", chain, i);
      ids[i] = tl_scope_register(name);
    }
    for (int i = 0; i < 100; i++) tl_scope_begin(ids[3]), tl_scope_end(ids[3]);  // so that all of it is warm
    const uint64_t begin = tl_ticks();
    for (int i = 0; i < 3000; i++) tl_scope_next(ids[i % 3]);
    tl_scope_next(0);
    const uint64_t end = tl_ticks();
    snprintf(name, sizeof name, "span %d", chain);
    tl_span(tl_scope_register(name), begin, end);
  }
  return 0;
}
