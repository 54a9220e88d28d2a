/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions that run elsewhere: what a kind of them offers. struct session is then a shell around
 * what open gave, and each function of session.h hands on to it. A kind is a constant named by
 * SESSION_KIND_DEF in any file; the build finds it, and the session's target chooses it. */
#ifndef LEAT_RUNTIME_SESSION_KIND_H
#define LEAT_RUNTIME_SESSION_KIND_H

#include "runtime/session.h"

struct session_kind_def {
    const char *prefix; /* of the targets that it opens: "grpc://" */
    /* The graph and config outlive what is opened. */
    void *(*open)(struct graph *g, const struct config *config, struct status *st);
    void (*free)(void *s);                     /* closed */
    bool (*close)(void *s, struct status *st); /* running steps are cancelled and waited for */
    /* Feeds were checked against the graph; fetch_values are cleared. */
    bool (*run)(void *s, const struct run_args *a, struct status *st);
    char *(*partial_setup)(void *s, const struct run_args *signature, struct status *st);
    bool (*partial_run)(void *s, const char *handle, const struct run_args *a, struct status *st);
    bool (*devices)(void *s, struct session_device_info **out, int *n, struct status *st);
    bool (*reset)(const struct config *config, const char *const *containers, int n,
                  struct status *st);
};

#define SESSION_KIND_DEF(id)                                                                       \
    extern const struct session_kind_def leat_session_kind_def_##id;                               \
    const struct session_kind_def leat_session_kind_def_##id

extern const struct session_kind_def
    *const leat_all_session_kind_defs[]; /* NULL at the end; made by the build */

/* NULL: sessions with this target run here. */
const struct session_kind_def *session_kind_find(const char *target);

#endif
