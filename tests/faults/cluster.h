/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster of real processes for tests of faults: `leat serve` per task, on ports of the kernel's
 * choice, which die with the test. LEAT_TEST_DEADLINE_MS scales all deadlines: it is the failure
 * deadline of the tasks and of this process (1,000; more where sanitizers make things slow). One
 * thread. What goes wrong in here fails the test. */
#ifndef LEAT_TESTS_FAULTS_CLUSTER_H
#define LEAT_TESTS_FAULTS_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "relay.h"

enum { FAULTS_MAX_TASKS = 8 };

struct faults_task {
    const char *job;
    int index, port;
    bool standby;     /* the process that stands by for the task */
    const char *host; /* 127.0.0.1, or of its namespace */
    bool apart;       /* in network namespace ns (netns.h) */
    int ns;
    pid_t pid; /* 0: not running */
};
struct faults_cluster {
    struct faults_task v[FAULTS_MAX_TASKS];
    int n;
    char spec[600];     /* "ps=127.0.0.1:...;worker=..." */
    char standbys[300]; /* "/job:ps/task:0=127.0.0.1:..." */
    /* Between each two processes a link of its own; NULL: they are connected directly. */
    struct relay *relay;
    int links[FAULTS_MAX_TASKS][FAULTS_MAX_TASKS], ports[FAULTS_MAX_TASKS][FAULTS_MAX_TASKS];
};

/* False, with a line that says so: there is no gRPC here. */
bool faults_available(void);
int64_t faults_deadline_ms(void);
/* Chooses ports; starts nothing. */
void faults_init(struct faults_cluster *c, int ps, int workers);
/* The same with a process that stands by for each ps; the witness is worker 0. */
void faults_init_standby(struct faults_cluster *c, int ps, int workers);
/* The same, each process in a network namespace of its own, in the order of c->v; netns_open was
 * called for as many or more. */
void faults_init_apart(struct faults_cluster *c, int ps, int workers);
/* Before they are started: all processes see each other by links that can be broken. */
void faults_use_relay(struct faults_cluster *c, uint64_t seed);
/* The links between two processes, in both directions; b NULL: between a and all others. */
void faults_set_links(struct faults_cluster *c, const struct faults_task *a,
                      const struct faults_task *b, enum relay_mode mode);
struct faults_task *faults_standby(struct faults_cluster *c, int index);
/* Waits until the witness knows that who stands by for the ps has everything. */
void faults_wait_in_sync(struct faults_cluster *c, int index);
struct faults_task *faults_task(struct faults_cluster *c, const char *job, int index);
/* Starts the task and returns when it says that it serves. */
void faults_start(struct faults_cluster *c, struct faults_task *t);
void faults_start_all(struct faults_cluster *c);
/* kill -9, and waits for its end. */
void faults_kill(struct faults_task *t);
/* SIGSTOP to one of a ps's two processes, at an instant at which the other one has everything: so
 * what is done to it next is the only fault there is, however slow the machine. */
void faults_catch(struct faults_cluster *c, struct faults_task *t);
/* SIGTERM; its exit code, 128 + n after a signal. */
int faults_end(struct faults_task *t);
void faults_signal(struct faults_task *t, int sig); /* SIGSTOP, SIGCONT */
/* Kills what still runs. */
void faults_clear(struct faults_cluster *c);
/* "grpc://HOST:PORT"; replaced by the next call. */
const char *faults_target(const struct faults_task *t);

#endif
