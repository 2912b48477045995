// A thread's life: Unborn -> Live -> Closing -> Drained -> Free. The thread itself goes as far as Closing; the rest is
// the drain's (or, where none runs, waits for the process's end). Serials: main 0, then the order of pthread_create
// calls.
#pragma once

#include <cstdint>

#include "record/tls.h"

namespace tl::record {

// Slot 0: calls by threads past their own end, and by threads for which there was no memory.
bool create_rest_slot();
shm::ThreadSlot& rest_slot();
void forget_slots();  // in a fork child

// Makes the key whose destructor closes threads. Once, at start, while the key is sure to be one of the first 32 (whose
// pthread_setspecific never allocates).
void create_thread_key();

// For pthread_create: numbers the thread and takes its slot, on the creator's side, before the real call. Null: no
// memory; the thread will be met as a foreign one.
shm::ThreadSlot* prepare_thread();
void cancel_thread(shm::ThreadSlot& slot);  // the real call failed

// On the new thread, first of all.
void enter_prepared(shm::ThreadSlot& slot);
// On a thread that nobody prepared: main, foreign ones, the one that a fork left. True: it is live now.
bool enter_unprepared();

// How many records a segment that has room for `most` takes: at most half of TL_RING, so that one can fill while
// another is being emptied.
std::uint32_t segment_records(std::uint32_t most);

// The thread writes into `segment` from now on. A handler in between finds no room in either.
void use_segment(ThreadState& thread, shm::Segment& segment);

// Gives this thread a ring and sees to it that a drain runs. False: no memory, or the thread may not record.
// Signal-safe; `thread` is the caller's own.
bool acquire_ring(ThreadState& thread);

void set_name(shm::ThreadSlot& slot, const char* name);
// The slot of a thread of this process by the kernel's id; null: not known.
shm::ThreadSlot* find_slot(std::uint32_t tid);

// By the drain, once all of a closing slot is written.
void free_slot(std::uint32_t index);

}  // namespace tl::record
