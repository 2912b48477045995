// orders [N]: an example. Two threads take N orders each apart and book them; TL_BEGIN and TL_END name what is timed. A
// scope may lie inside another; every hundredth order is large, which is what the tail of the percentiles shows.
#define _GNU_SOURCE  // pthread_setname_np
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <telemetry/telemetry.h>

enum { BOOKS = 512 };

static int orders = 20000;

struct worker {
  pthread_t thread;
  const char* name;
  uint64_t seed, booked, books[BOOKS];
};

static uint64_t next_random(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

static void write_order(char* text, size_t size, struct worker* worker, int lines) {
  size_t at = 0;
  for (int i = 0; i < lines && at + 32 < size; ++i) {
    const uint64_t random = next_random(&worker->seed);
    at += (size_t)snprintf(text + at, size - at, "%d:%d ", (int)(random % BOOKS), (int)(random >> 40 & 0xffff));
  }
}

static void parse_and_book(struct worker* worker, const char* order) {
  TL_BEGIN("parse");
  char* copy = strdup(order);
  char* rest = NULL;
  for (char* line = strtok_r(copy, " ", &rest); line != NULL; line = strtok_r(NULL, " ", &rest)) {
    TL_BEGIN("book");
    char* amount = NULL;
    const unsigned long book = strtoul(line, &amount, 10);
    worker->books[book % BOOKS] += strtoul(amount + 1, NULL, 10);
    ++worker->booked;
    TL_END("book");
  }
  free(copy);
  TL_END("parse");
}

static void* work(void* argument) {
  struct worker* worker = argument;
  char order[8192];
  pthread_setname_np(pthread_self(), worker->name);
  for (int i = 0; i < orders; ++i) {
    TL_BEGIN("order");
    write_order(order, sizeof order, worker, i % 100 == 99 ? 200 : 4);
    parse_and_book(worker, order);
    TL_END("order");
  }
  return NULL;
}

int main(int argc, char** argv) {
  static struct worker workers[] = {{.name = "orders-a", .seed = 1}, {.name = "orders-b", .seed = 2}};
  uint64_t booked = 0;
  if (argc > 1) orders = atoi(argv[1]);
  for (int i = 0; i < 2; ++i) pthread_create(&workers[i].thread, NULL, work, &workers[i]);
  for (int i = 0; i < 2; ++i) {
    pthread_join(workers[i].thread, NULL);
    booked += workers[i].booked;
  }
  printf("%d orders, %lu lines booked\n", 2 * orders, (unsigned long)booked);
  return 0;
}
