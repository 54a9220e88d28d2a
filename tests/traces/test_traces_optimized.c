/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 300 */
/* tier: full */
/* The same conversations as test_traces, without the optimiser switches of their configs: most
 * tests turn the optimiser off, and its passes have to keep the recorded values too. */
#include "traces/trace.h"

int main(int argc, char **argv)
{
    return replay_main(argc, argv, true);
}
