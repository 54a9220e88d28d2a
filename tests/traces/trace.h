/* SPDX-License-Identifier: Apache-2.0 */
/* One recorded conversation and one step of it, on TF_* calls. Whatever differs from the recording
 * goes to the verdict; functions that return bool return false then. */
#ifndef LEAT_TESTS_TRACES_TRACE_H
#define LEAT_TESTS_TRACES_TRACE_H

#include "common/graphs.h"
#include "common/harness.h"

struct trace_case {
    char *name;    /* "folder/test.0", with "#gradients.2" for line 2 of its .gradients */
    char *path;    /* of the .tfrecord, without the ending */
    int gradients; /* the line, from 1; 0: the steps */
    bool random;   /* only status, types and shapes count */
};

struct trace {
    const struct trace_case *what;
    struct verdict *verdict;
    struct text file, config;
    struct bytes graph_def; /* in file */
    struct bytes rest;      /* the records that were not yet taken, in file */
    int num_steps;          /* taken */
    struct graph_scan scan;
    TF_Graph *graph;
    TF_Session *session; /* NULL until trace_start */
    TF_Status *status;
};

struct step {
    int number;
    struct bytes request, response;
    TF_Output *feeds, *fetches;
    TF_Tensor **fed, **fetched;
    TF_Operation **targets;
    struct bytes *fetch_names;
    int num_feeds, num_fetches, num_targets;
};

/* Reads the recording and its graph. */
bool trace_open(struct trace *t, const struct trace_case *what, const struct harness_options *o,
                struct verdict *v);
/* Imports the graph. */
bool trace_import(struct trace *t);
/* Makes the session. */
bool trace_start(struct trace *t);
void trace_close(struct trace *t);
/* t->status is an error that the recording does not have; a gradient that is not there counts as op
 * missing where `gradient`. Always false. */
bool trace_error(struct trace *t, const char *where, bool gradient);

/* Takes the next step; false after the last one too. */
bool step_next(struct trace *t, struct step *s);
/* Finds in the graph what the request names. */
bool step_prepare(struct trace *t, struct step *s);
void step_run(struct trace *t, struct step *s);
int step_recorded_code(const struct step *s);
/* The status, then, when that is OK, the values are the recorded ones. */
bool step_check(struct trace *t, struct step *s);
/* Value i is what was recorded under its name. */
bool step_check_value(struct trace *t, const struct step *s, int i);
void step_release(struct step *s);

/* The target of a server in another process, started when first asked for, once per process; what
 * begins with '!' says why there is none. */
const char *target_of_server(void);
/* Adds to a ConfigProto that the session's state is its own. */
void target_isolate(struct text *config);
extern bool replay_on_server; /* sessions go there; set before replay_main */

/* The program: replays all traces, or those that the arguments name, and prints the tables. */
int replay_main(int argc, char **argv, bool drop_optimizer);

/* The case of one line of a .gradients file; the trace is open. */
void gradients_replay(struct trace *t);

#endif
