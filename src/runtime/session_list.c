/* SPDX-License-Identifier: Apache-2.0 */
/* All sessions of the process, for TF_Reset, which ends them. */
#include "op/resource.h"
#include "runtime/session_impl.h"

static struct lock list_lock = LOCK_INIT("sessions", LOCK_RANK_SERVER);
static struct session *all; /* guarded by list_lock */

void session_list_add(struct session *s)
{
    lock_take(&list_lock);
    s->next_of_all = all;
    s->link_of_all = &all;
    if (all)
        all->link_of_all = &s->next_of_all;
    all = s;
    lock_drop(&list_lock);
}

void session_list_remove(struct session *s)
{
    lock_take(&list_lock);
    if (s->link_of_all) {
        *s->link_of_all = s->next_of_all;
        if (s->next_of_all)
            s->next_of_all->link_of_all = s->link_of_all;
        s->link_of_all = NULL;
    }
    lock_drop(&list_lock);
}

/* The lock is held throughout, so that no session goes meanwhile: who frees one waits. */
void sessions_reset(const char *const *containers, int n)
{
    lock_take(&list_lock);
    for (struct session *s = all; s; s = s->next_of_all) {
        struct status st = {0};
        (void)!session_close(s, &st); /* running steps end first */
        status_clear(&st);
        for (int i = 0; i < n; i++)
            resource_clear_container(s->container, containers[i]);
        if (n == 0)
            resource_clear_container(s->container, "localhost");
    }
    lock_drop(&list_lock);
}
