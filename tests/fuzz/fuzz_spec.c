/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes cluster specifications: TF_CONFIG, the text of flags, lists of hosts. What is accepted is
 * accepted again as a message, and names each task once. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "dist/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void check(bool ok, struct spec *s, struct status *st)
{
    if (!ok) {
        require(!status_ok(st) && st->message, "an error that is none");
        status_clear(st);
        return;
    }
    struct arena a = {0};
    struct spec again;
    require(spec_from_cluster_def(spec_to_cluster_def(s, &a), &again, st), status_message(st));
    require(again.num_tasks == s->num_tasks, "another number of tasks");
    for (int i = 0; i < s->num_tasks; i++)
        require(spec_find(s, s->tasks[i].job, s->tasks[i].index) == &s->tasks[i], "a task twice");
    spec_clear(&again);
    spec_clear(s);
    arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status st = {0};
    struct spec s;
    char **hosts;
    int n;
    if (size > 2000)
        return 0;
    char *text = mem_strndup((const char *)data, size);
    check(spec_from_tf_config(text, &s, &st), &s, &st);
    check(spec_from_text(text, &s, &st), &s, &st);
    if (spec_expand_hosts(text, &hosts, &n, &st)) {
        for (int i = 0; i < n; i++)
            mem_free(hosts[i]);
        mem_free(hosts);
    }
    status_clear(&st);
    mem_free(text);
    return 0;
}
