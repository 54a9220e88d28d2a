/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 300 */
/* tier: full */
/* Replays what TensorFlow's own tests asked of a session on a server, over gRPC. Skipped without
 * gRPC. */
#include <stdio.h>

#include "traces/trace.h"

int main(int argc, char **argv)
{
    const char *target = target_of_server();
    replay_on_server = true;
    if (target[0] == '!') {
        printf("no server: %s\n0 passed, 0 failed, 1 skipped\n", target + 1);
        return 0;
    }
    return replay_main(argc, argv, false);
}
