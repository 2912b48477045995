// What a thread could not record: counted by cause, and with its place in time.
#pragma once

#include <cstdint>

#include "record/tls.h"

namespace tl::record {

void count_loss(shm::ThreadSlot& slot, LossCause cause);
// Without a slot of its own a thread's losses count for the rest.
void count_loss(ThreadState& thread, LossCause cause);

// Puts down, as `forked`, what was lost while there was nothing yet to count in.
void count_lost_while_starting();

// The loss and when: an episode lasts until a record finds its way into the ring again.
void lose(ThreadState& thread, LossCause cause, std::uint64_t ticks);
// The episode so far, as records of the ring, if it has room for them.
void put_loss_episode(ThreadState& thread);

}  // namespace tl::record
