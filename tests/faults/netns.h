/* SPDX-License-Identifier: Apache-2.0 */
/* A network of its own for a test: this process and each of its tasks in a network namespace, with
 * an interface each (TUN) whose packets a thread of this process passes on. Cuts are made by nft
 * inside a namespace, so kernels answer, or do not, as they do on a broken network; delay and loss
 * are the relay's. Needs root, /dev/net/tun and nft. Nothing is left behind: the namespaces end
 * with the processes that are in them. What goes wrong in here fails the test. */
#ifndef LEAT_TESTS_FAULTS_NETNS_H
#define LEAT_TESTS_FAULTS_NETNS_H

#include <stdbool.h>
#include <stdint.h>

enum netns_mode {
    NETNS_PASS,
    NETNS_DROP,   /* nothing goes in or out; nobody is told */
    NETNS_REJECT, /* connections are reset, new ones refused */
    NETNS_DEAF,   /* one-way: what it sends arrives, what it is sent does not */
    NETNS_MUTE,   /* one-way: what it is sent arrives, what it sends does not */
    NETNS_SLOW,   /* all is late, and one packet in twenty is lost */
    NETNS_NUM_MODES
};

/* False, with a line that says why. Then this thread is in a namespace of its own, as are those
 * that it starts; call it before any other. Once in a process. */
bool netns_open(int num, int delay_ms, uint64_t seed);
/* Of namespace i, [0, num); -1: this process's. A text that stays. */
const char *netns_address(int i);
/* This process, a child of the test, goes into namespace i. False: it could not. */
bool netns_enter(int i);
void netns_set(int i, enum netns_mode mode);
void netns_close(void); /* joins the thread; the namespace stays */

#endif
