/* SPDX-License-Identifier: Apache-2.0 */
/* The training cases of `leat bench`: dense layers and their optimizers. */
#include "cli/bench.h"

const struct bench_case bench_model_cases[] = {
    {0},
};
