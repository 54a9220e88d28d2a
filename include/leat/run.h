/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions and steps with C arrays in and out.
 *
 *     TF_Session *session = leat_session_new(g, s);
 *     leat_run_op(session, leat_global_variables_initializer(g), leat_no_feeds(), s);
 *     float loss;
 *     leat_run(session, s, .feeds = leat_feeds(leat_feed(x, pixels, leat_shape(100, 784))),
 *              .fetches = leat_fetches(leat_fetch(cost, &loss, 1)), .targets = leat_opers(step));
 *
 * The TF_Session is the C API's. Functions return 1, or 0 with the status set; outputs mean
 * something only after 1. The status may be NULL: then the return value alone tells. Any thread. */
#ifndef LEAT_RUN_H
#define LEAT_RUN_H

#include "leat/op.h"

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* functions that are called like a struct */
#endif

/* A value given to an output for one step. */
struct leat_feed {
    TF_Output output;
    const void *data; /* the elements of output's type; borrowed for the step */
    struct leat_shape shape;
    TF_Tensor *tensor; /* or: a tensor, which stays the caller's */
    double number;     /* or: a scalar, converted to output's type */
    int kind;          /* 0 data, 1 tensor, 2 number */
};
/* A value asked for. */
struct leat_fetch {
    TF_Output output;
    void *data; /* gets the n elements, which must be as many as there are; */
    int64_t n;  /* they are of type `type`, which must be the output's */
    TF_DataType type;
    TF_Tensor **tensor; /* or: gets a tensor; the caller frees with TF_DeleteTensor */
};
struct leat_feeds {
    const struct leat_feed *v;
    int n;
};
struct leat_fetches {
    const struct leat_fetch *v;
    int n;
};
struct leat_opers {
    TF_Operation *const *v;
    int n;
};

static inline struct leat_feed leat_feed_none_(TF_Output y)
{
    struct leat_feed f;
    f.output = y;
    f.data = NULL;
    f.shape.dims = NULL;
    f.shape.rank = 0;
    f.tensor = NULL;
    f.number = 0;
    f.kind = 0;
    return f;
}
/* y is fed an array of its type and of this shape, which is read during the run only. */
static inline struct leat_feed leat_feed(TF_Output y, const void *data, struct leat_shape shape)
{
    struct leat_feed f = leat_feed_none_(y);
    f.data = data;
    f.shape = shape;
    return f;
}
/* y is fed a tensor, which stays the caller's. */
static inline struct leat_feed leat_feed_tensor(TF_Output y, TF_Tensor *tensor)
{
    struct leat_feed f = leat_feed_none_(y);
    f.tensor = tensor;
    f.kind = 1;
    return f;
}
/* Floating, integer and bool types. */
static inline struct leat_feed leat_feed_number(TF_Output y, double number)
{
    struct leat_feed f = leat_feed_none_(y);
    f.number = number;
    f.kind = 2;
    return f;
}
static inline struct leat_fetch leat_fetch_typed(TF_Output y, TF_DataType type, void *data,
                                                 int64_t n)
{
    struct leat_fetch f;
    f.output = y;
    f.data = data;
    f.n = n;
    f.type = type;
    f.tensor = NULL;
    return f;
}
static inline struct leat_fetch leat_fetch_float(TF_Output y, float *data, int64_t n)
{
    return leat_fetch_typed(y, TF_FLOAT, data, n);
}
static inline struct leat_fetch leat_fetch_double(TF_Output y, double *data, int64_t n)
{
    return leat_fetch_typed(y, TF_DOUBLE, data, n);
}
static inline struct leat_fetch leat_fetch_int(TF_Output y, int32_t *data, int64_t n)
{
    return leat_fetch_typed(y, TF_INT32, data, n);
}
static inline struct leat_fetch leat_fetch_int64(TF_Output y, int64_t *data, int64_t n)
{
    return leat_fetch_typed(y, TF_INT64, data, n);
}
static inline struct leat_fetch leat_fetch_bool(TF_Output y, bool *data, int64_t n)
{
    return leat_fetch_typed(y, TF_BOOL, data, n);
}
static inline struct leat_fetch leat_fetch_tensor(TF_Output y, TF_Tensor **tensor)
{
    struct leat_fetch f = leat_fetch_typed(y, (TF_DataType)0, NULL, 0);
    f.tensor = tensor;
    return f;
}
static inline struct leat_feeds leat_no_feeds(void)
{
    struct leat_feeds f = {NULL, 0};
    return f;
}

#define LEAT_SESSION_FIELDS_                                                                       \
    const char *made_at; /* not used */                                                            \
    const char *target;  /* NULL: in this process */                                               \
    int threads;         /* at most this many compute; 0: as many as the process may use */        \
    int cpu_devices;     /* so many /cpu:N; 0: one */                                              \
    int soft_placement;  /* 1: what cannot run where it should runs elsewhere */                   \
    const char *config;  /* a ConfigProto as text, merged over all else; may be NULL */            \
    int no_optimizer;    /* 1: graphs run as they were built */                                    \
    int64_t timeout_ms   /* a step that takes longer ends, DEADLINE_EXCEEDED; 0: no limit */
struct leat_session_args {
    LEAT_SESSION_FIELDS_;
};
/* A session on the graph. NULL after an error, which is the graph's own (leat_graph_status) where
 * there is one on this thread. args NULL: the defaults. */
LEAT_EXPORT TF_Session *leat_session_new_fn(TF_Graph *g, TF_Status *status,
                                            const struct leat_session_args *args);
/* Closes and deletes it; NULL is fine. */
LEAT_EXPORT void leat_session_close(TF_Session *session);

#define LEAT_RUN_FIELDS_                                                                           \
    const char *made_at; /* not used */                                                            \
    struct leat_feeds feeds;                                                                       \
    struct leat_fetches fetches;                                                                   \
    struct leat_opers targets; /* operations to run besides */                                     \
    int64_t timeout_ms;        /* of this step; 0: the session's */                                \
    const char *options;       /* RunOptions as text, merged over all else; may be NULL */         \
    TF_Buffer *metadata        /* an empty buffer for the step's RunMetadata; may be NULL */
struct leat_run_args {
    LEAT_RUN_FIELDS_;
};
/* One step. Fetching a variable gives its value. Errors: those of TF_SessionRun; of an invalid
 * output the error that made it so; INVALID_ARGUMENT for a fetch of another type or size. */
LEAT_EXPORT int leat_run_fn(TF_Session *session, TF_Status *status,
                            const struct leat_run_args *args);
/* What ran when in a step, as JSON for chrome://tracing and Perfetto. run_metadata: as
 * TF_SessionRun filled it in, with RunOptions.trace_level FULL_TRACE (the bytes 8, 3). The caller
 * deletes the buffer; NULL after an error: INVALID_ARGUMENT for what is no RunMetadata. */
LEAT_EXPORT TF_Buffer *leat_chrome_trace(const TF_Buffer *run_metadata, TF_Status *status);
/* Runs one operation. Errors: those of TF_SessionRun. */
LEAT_EXPORT int leat_run_op(TF_Session *session, TF_Operation *op, struct leat_feeds feeds,
                            TF_Status *status);
/* The value of a scalar (or of one element) of any real type; NaN after an error. */
LEAT_EXPORT double leat_run_number(TF_Session *session, TF_Output y, struct leat_feeds feeds,
                                   TF_Status *status);
static inline float leat_run_float(TF_Session *session, TF_Output y, struct leat_feeds feeds,
                                   TF_Status *status)
{
    return (float)leat_run_number(session, y, feeds, status);
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#else

/* Lists in place, as long as their block lives. */
#define LEAT_STRUCTS_(list, item, ...)                                                             \
    ((struct list){(const item[]){__VA_ARGS__},                                                    \
                   (int)(sizeof((const item[]){__VA_ARGS__}) / sizeof(item))})
#define leat_feeds(...) LEAT_STRUCTS_(leat_feeds, struct leat_feed, __VA_ARGS__)
#define leat_fetches(...) LEAT_STRUCTS_(leat_fetches, struct leat_fetch, __VA_ARGS__)
#define leat_opers(...)                                                                            \
    ((struct leat_opers){                                                                          \
        (TF_Operation *const[]){__VA_ARGS__},                                                      \
        (int)(sizeof((TF_Operation *const[]){__VA_ARGS__}) / sizeof(TF_Operation *))})
/* By the type of the pointer. */
#define leat_fetch(y, data, n)                                                                     \
    _Generic((data),                                                                               \
        float *: leat_fetch_float,                                                                 \
        double *: leat_fetch_double,                                                               \
        int32_t *: leat_fetch_int,                                                                 \
        int64_t *: leat_fetch_int64,                                                               \
        bool *: leat_fetch_bool)(y, data, n)

struct leat_session_new_call {
    TF_Graph *g;
    TF_Status *status;
    union {
        struct {
            LEAT_SESSION_FIELDS_;
        };
        struct leat_session_args args;
    };
};
struct leat_run_call {
    TF_Session *session;
    TF_Status *status;
    union {
        struct {
            LEAT_RUN_FIELDS_;
        };
        struct leat_run_args args;
    };
};
static inline TF_Session *leat_session_new_call(const struct leat_session_new_call *c)
{
    return leat_session_new_fn(c->g, c->status, &c->args);
}
static inline int leat_run_call(const struct leat_run_call *c)
{
    return leat_run_fn(c->session, c->status, &c->args);
}
#define LEAT_SESSION_DEFAULTS_
/* (g, status, .threads, .cpu_devices, .soft_placement, .no_optimizer, .timeout_ms, .config,
 * .target)
 */
#define leat_session_new(...)                                                                      \
    LEAT_CALL_(leat_session_new_call, leat_session_new_call, LEAT_SESSION_DEFAULTS_, .g,           \
               __VA_ARGS__)
/* (session, status, .feeds, .fetches, .targets, .timeout_ms, .options, .metadata) */
#define leat_run(...)                                                                              \
    LEAT_CALL_(leat_run_call, leat_run_call, LEAT_SESSION_DEFAULTS_, .session, __VA_ARGS__)

#endif

#endif
