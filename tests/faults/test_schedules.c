/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 900 */
/* Random faults, by seed: processes that are killed and started again, frozen and thawed, links
 * that are cut, refused, one-way or slow, while clients count on a replicated ps. After each fault
 * steps go well again, and in the end no update that was acknowledged is lost or done twice. A
 * failure says its seed: LEAT_TEST_SEED runs it alone. 200 seeds in the full tier, a few otherwise.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"

enum { FAULTS = 5 };

static struct faults_cluster c;
static struct faults_task *witness, *worker;

static uint64_t next_random(uint64_t *s)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int choose(uint64_t *s, int n)
{
    return (int)(next_random(s) % (uint64_t)n);
}

/* One of those whose loss is to be borne: either process of the ps, or the witness. */
static struct faults_task *victim(uint64_t *s)
{
    struct faults_task *all[] = {faults_task(&c, "ps", 0), faults_standby(&c, 0), witness};
    return all[choose(s, 3)];
}

/* The next fault comes upon a pair that can bear it; t is frozen, if it is one of them. */
static void catch (struct faults_task *t)
{
    if (t != witness)
        faults_catch(&c, t);
}

static void let_go(struct faults_task *t)
{
    if (t != witness)
        faults_signal(t, SIGCONT);
}

static void kill_and_start(struct faults_task *t, uint64_t *s)
{
    catch (t);
    faults_kill(t);
    counting_wait(choose(s, 30));
    faults_start(&c, t);
}

static void freeze_and_thaw(struct faults_task *t, uint64_t *s)
{
    catch (t);
    if (t == witness)
        faults_signal(t, SIGSTOP);
    counting_wait(1 + choose(s, 30));
    faults_signal(t, SIGCONT);
}

/* Between two of the three: with all of a pair's links cut somebody else must be reachable. */
static void break_link(struct faults_task *t, uint64_t *s)
{
    static const char *const names[RELAY_NUM_MODES] = {"pass",  "drop", "reject",
                                                       "there", "back", "slow"};
    struct faults_task *others[] = {faults_task(&c, "ps", 0), faults_standby(&c, 0), witness};
    struct faults_task *other = NULL;
    while (!other || other == t)
        other = others[choose(s, 3)];
    const enum relay_mode mode = (enum relay_mode)(1 + choose(s, RELAY_NUM_MODES - 1));
    print_message("  a link is %s\n", names[mode]);
    catch (t);
    faults_set_links(&c, t, other, mode);
    let_go(t);
    counting_wait(1 + choose(s, 30));
    faults_set_links(&c, t, other, RELAY_PASS);
}

static void cut_off(struct faults_task *t, uint64_t *s)
{
    const enum relay_mode mode = (enum relay_mode)(1 + choose(s, RELAY_NUM_MODES - 1));
    catch (t);
    faults_set_links(&c, t, NULL, mode);
    let_go(t);
    counting_wait(1 + choose(s, 30));
    faults_set_links(&c, t, NULL, RELAY_PASS);
}

static void one_fault(uint64_t *s)
{
    static const struct {
        const char *name;
        void (*fn)(struct faults_task *t, uint64_t *s);
    } faults[] = {{"killed", kill_and_start},
                  {"frozen", freeze_and_thaw},
                  {"a link broken", break_link},
                  {"cut off", cut_off}};
    struct faults_task *t = victim(s);
    const int i = choose(s, 4);
    print_message("  %s%s:%d %s\n", t->standby ? "standby of " : "", t->job, t->index,
                  faults[i].name);
    faults[i].fn(t, s);
    counting_wait(1 + choose(s, 30));
    faults_wait_in_sync(&c, 0);
}

static void schedule(uint64_t seed)
{
    uint64_t s = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    faults_init_standby(&c, 1, 2);
    faults_use_relay(&c, seed);
    witness = faults_task(&c, "worker", 0);
    worker = faults_task(&c, "worker", 1);
    faults_start_all(&c);
    counting_start(worker);
    faults_wait_in_sync(&c, 0);
    for (int i = 0; i < FAULTS; i++)
        one_fault(&s);
    counting_check();
    faults_clear(&c);
}

static void test_schedules__random_faults(void **state)
{
    const char *seed = getenv("LEAT_TEST_SEED"), *tier = getenv("LEAT_TIER");
    (void)state;
    if (!faults_available())
        skip();
    const uint64_t n = seed ? 1 : tier && strcmp(tier, "full") == 0 ? 200 : 3;
    for (uint64_t i = 0; i < n; i++)
        schedule(seed ? strtoull(seed, NULL, 10) : i + 1);
}

static int tear_down(void **state)
{
    (void)state;
    faults_clear(&c);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_schedules__random_faults, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
