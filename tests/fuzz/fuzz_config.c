/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes ConfigProto and RunOptions, binary and text: the message that an accepted configuration
 * keeps is accepted again and means the same. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what, const struct status *st)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, status_message(st));
    abort();
}

static void require_same(const struct config *x, const struct config *y)
{
    static const struct status none;
    require(x->cpu_devices == y->cpu_devices && x->intra_threads == y->intra_threads &&
                x->inter_threads == y->inter_threads && x->soft_placement == y->soft_placement &&
                x->operation_timeout_ms == y->operation_timeout_ms &&
                x->passes.fold == y->passes.fold && x->passes.cse == y->passes.cse &&
                x->passes.max_folded_bytes == y->passes.max_folded_bytes &&
                x->num_device_filters == y->num_device_filters,
            "another configuration", &none);
    require(x->cpu_devices >= 1 && x->intra_threads >= 0 && x->inter_threads >= 0, "negative",
            &none);
    for (int i = 0; i < x->num_device_filters; i++)
        require(strcmp(x->device_filters[i], y->device_filters[i]) == 0, "another filter", &none);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status st = {0};
    struct config c, again;
    struct run_options o;

    config_init(&c);
    config_init(&again);
    if (config_parse(&c, data, size, &st)) {
        require(config_parse(&again, c.proto, c.proto_bytes, &st), "the message it keeps", &st);
        require_same(&c, &again);
        struct config copy = config_dup(&c);
        require_same(&c, &copy);
        config_clear(&copy);
    } else {
        require(st.code == STATUS_INVALID_ARGUMENT || st.code == STATUS_RESOURCE_EXHAUSTED,
                "an error that is none", &st);
    }
    status_clear(&st);
    if (!run_options_parse(&o, data, size, &st))
        require(st.code != STATUS_OK, "an error that is none", &st);
    status_clear(&st);
    config_clear(&again);
    config_clear(&c);
    return 0;
}
