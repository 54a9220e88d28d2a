/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 300 */
/* Replays what TensorFlow's own tests asked of a session, and with the config that they had. */
#include "traces/trace.h"

int main(int argc, char **argv)
{
    return replay_main(argc, argv, false);
}
