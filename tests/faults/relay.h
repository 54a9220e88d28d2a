/* SPDX-License-Identifier: Apache-2.0 */
/* A network that can be broken: each link is a port of the loopback whose connections are passed on
 * to another port, as its mode says. One thread of the test's process moves the bytes. Modes may be
 * set by any thread at any time, and hold for connections that are there too. */
#ifndef LEAT_TESTS_FAULTS_RELAY_H
#define LEAT_TESTS_FAULTS_RELAY_H

#include <stdint.h>

enum relay_mode {
    RELAY_PASS,
    RELAY_DROP,   /* nothing arrives, in either direction; nobody is told */
    RELAY_REJECT, /* connections are closed, new ones too */
    RELAY_THERE,  /* only what the connecting side sends arrives */
    RELAY_BACK,   /* only what it is sent arrives */
    RELAY_SLOW,   /* late by delay_ms; one piece in twenty by thrice that, and all behind it */
    RELAY_NUM_MODES
};
struct relay;
struct relay *relay_new(int delay_ms, uint64_t seed);
/* A link to a port of the loopback: its number; *port: where it listens. At most 64. */
int relay_add(struct relay *r, int target, int *port);
void relay_set(struct relay *r, int link, enum relay_mode mode);
void relay_free(struct relay *r); /* NULL is fine */

#endif
