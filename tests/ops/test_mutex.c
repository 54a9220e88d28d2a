/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: mutexes. What waits for one is in tests/unit/runtime/test_waits.c. */
#include "op_script.h"

static const struct op_script scripts[] = {
    {.ops = "MutexV2 MutexLock ConsumeMutexLock",
     .nodes = {"m = MutexV2() shared_name='m'", "lock = MutexLock(m)",
               "free = ConsumeMutexLock(lock)", "lock2 = MutexLock(m, ^free)",
               "free2 = ConsumeMutexLock(lock2)", "same = Identity(lock)",
               "free3 = ConsumeMutexLock(same)"},
     .runs = {"free", "free", "free3", "free free3"}},
    {.ops = "MutexLock ConsumeMutexLock",
     .nodes = {"m = MutexV2()", "a = MutexLock(m)", "b = MutexLock(m, ^a)",
               "free = ConsumeMutexLock(b)"},
     .runs = {"free"},
     .note = "a lock that nobody holds is free at once"},
    {.ops = "MutexLock ConsumeMutexLock",
     .nodes = {"q = FIFOQueueV2() component_types=[float]", "lock = MutexLock(q)",
               "l = EmptyTensorList({int32 [0]}, {int32 [] 3}) element_dtype=float",
               "free = ConsumeMutexLock(l)"},
     .runs = {"lock ! INVALID_ARGUMENT: Trying to access resource using the wrong type. Expected "
              "N10tensorflow14QueueInterfaceE got N10tensorflow12_GLOBAL__N_15MutexE",
              "free ! INVALID_ARGUMENT: Expected input to contain a SharedLockReleaser object, but "
              "saw variant"}},
};

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, sizeof scripts / sizeof *scripts, argc, argv);
}
