/* SPDX-License-Identifier: Apache-2.0 */
/* needs: grpc */
/* Opening gRPC core, the threads that pop its events, and messages in its form. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/lock.h"
#include "base/log.h"
#include "dist/rpc_grpc_api.h"

/* The version whose header Leat is compiled with: structs of gRPC core are shared by value. */
#define LIBRARY "libgrpc.so.29"

enum { MAX_THREADS = 4, INLINE_BYTES = 64 };

static struct rpc_grpc grpc;
static char *grpc_missing; /* why it is not there; NULL: it is */
static pid_t grpc_pid;
static pthread_once_t grpc_once = PTHREAD_ONCE_INIT;
static __thread bool on_network_thread;

static void grpc_log(gpr_log_func_args *args)
{
    if (log_debug_level() >= 1)
        log_write(args->severity == GPR_LOG_SEVERITY_ERROR ? LOG_WARNING : LOG_INFO, args->file,
                  args->line, "gRPC: %s", args->message);
}

static bool begun(const struct net_tag *tag)
{
    return __atomic_load_n(&tag->begun, __ATOMIC_ACQUIRE);
}

/* --- many bytes on their way ---
 *
 * What fills a socket comes 64 KiB or so at a time, and where the reader has gone to sleep before
 * each, waking it costs the sender a fifth of its time. So where one thread serves the network
 * (with several, the one that waits in epoll is woken anyway), and many bytes are to come, it looks
 * for them again and again instead: until nothing was finished for LOOK_NS, and not while the other
 * threads of the process have work, whose processor it is too. */

enum { LOOK_NS = 500000, BUSY_SHARE = 8 };

static int num_expected; /* atomic */

struct looker {        /* a thread's */
    int64_t until_ns;  /* 0: it sleeps */
    int64_t since_ns;  /* of the last event; 0: nothing was expected then */
    int64_t others_ns; /* the processor time of the other threads then */
};

void rpc_expect_bytes(int change)
{
    __atomic_add_fetch(&num_expected, change, __ATOMIC_RELAXED);
}

static int64_t others_ran_ns(void)
{
    struct timespec all, own;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all) != 0 ||
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own) != 0)
        return 0;
    return (all.tv_sec - own.tv_sec) * (int64_t)1000000000 + (all.tv_nsec - own.tv_nsec);
}

/* Something was finished: whether to look for more. */
static void looker_decide(struct looker *k)
{
    if (__atomic_load_n(&num_expected, __ATOMIC_RELAXED) == 0) {
        *k = (struct looker){0};
        return;
    }
    const int64_t now = clock_now_ns(), others = others_ran_ns();
    const bool busy = k->since_ns && (others - k->others_ns) * BUSY_SHARE > now - k->since_ns;
    *k = (struct looker){busy ? 0 : now + LOOK_NS, now, others};
}

static bool looker_looks(const struct looker *k)
{
    return k->until_ns && __atomic_load_n(&num_expected, __ATOMIC_RELAXED) > 0 &&
           clock_now_ns() < k->until_ns;
}

static void *grpc_thread(void *arg)
{
    const bool alone = arg != NULL;
    struct looker looker = {0};
    on_network_thread = true;
    const gpr_timespec never = grpc.gpr_inf_future(GPR_CLOCK_MONOTONIC);
    const gpr_timespec at_once = grpc.gpr_inf_past(GPR_CLOCK_MONOTONIC);
    for (;;) {
        grpc_event e = grpc.grpc_completion_queue_next(
            grpc.queue, looker_looks(&looker) ? at_once : never, NULL);
        if (e.type == GRPC_QUEUE_SHUTDOWN)
            return NULL;
        if (e.type != GRPC_OP_COMPLETE)
            continue;
        if (begun(e.tag))
            ((struct net_tag *)e.tag)->fire(e.tag, e.success != 0);
        if (alone)
            looker_decide(&looker);
    }
}

/* No more than there are processors: who takes an event wakes another thread to look for the next,
 * and on a single processor that costs several switches a message. */
static bool grpc_start_threads(void)
{
    int64_t wanted = min_i64(MAX_THREADS, cpu_num_usable()), num = 0;
    for (int64_t i = 0; i < wanted; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, grpc_thread, wanted == 1 ? &grpc : NULL) != 0)
            break;
        pthread_setname_np(t, "leat-net");
        pthread_detach(t);
        num++;
    }
    return num > 0;
}

/* gRPC takes the memory of each message it receives by malloc, and the C library would give it back
 * to the system after each. Once it has seen a block of the size below it keeps twice as much (and
 * where the environment says what it is to keep, this changes nothing). */
static void keep_freed_memory(void)
{
    enum { LARGEST_HEAP_BLOCK = 16 << 20, ROOM = 64 << 10 };
    void *volatile block = malloc(LARGEST_HEAP_BLOCK - ROOM);
    free(block);
}

static void grpc_open(void)
{
    const char *unwanted = getenv("LEAT_GRPC");
    if (unwanted && strcmp(unwanted, "none") == 0) {
        grpc_missing = mem_strdup("LEAT_GRPC=none turns gRPC off");
        return;
    }
    void *lib = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        grpc_missing = mem_printf("gRPC core cannot be opened (Debian: libgrpc29): %s", dlerror());
        return;
    }
    const char *absent = NULL;
#define X(name)                                                                                    \
    *(void **)&grpc.name = dlsym(lib, #name);                                                      \
    absent = grpc.name ? absent : #name;
    RPC_GRPC_TABLE(X)
#undef X
    if (absent) {
        grpc_missing = mem_printf("%s has no %s", LIBRARY, absent);
        return;
    }
    if (!getenv("GRPC_VERBOSITY"))
        grpc.gpr_set_log_function(grpc_log);
    keep_freed_memory();
    grpc.grpc_init();
    grpc.queue = grpc.grpc_completion_queue_create_for_next(NULL);
    grpc_pid = getpid();
    if (!grpc_start_threads())
        grpc_missing = mem_strdup("no thread can be started for the network");
}

const struct rpc_grpc *rpc_grpc_start(struct status *st)
{
    pthread_once(&grpc_once, grpc_open);
    if (grpc_missing) {
        status_unimplemented(st, "rpc: %s", grpc_missing);
        return NULL;
    }
    if (getpid() != grpc_pid) {
        status_precondition(st, "rpc: the network was in use before this process was forked; "
                                "fork before the first server or remote session");
        return NULL;
    }
    return &grpc;
}

bool rpc_available(struct status *st)
{
    return rpc_grpc_start(st) != NULL;
}

bool rpc_grpc_on_network_thread(void)
{
    return on_network_thread;
}

gpr_timespec rpc_grpc_deadline(int64_t timeout_ms)
{
    if (timeout_ms <= 0)
        return grpc.gpr_inf_future(GPR_CLOCK_MONOTONIC);
    return grpc.gpr_time_add(grpc.gpr_now(GPR_CLOCK_MONOTONIC),
                             grpc.gpr_time_from_millis(timeout_ms, GPR_TIMESPAN));
}

/* --- messages --- */

static grpc_slice piece_to_slice(struct rpc_piece *p)
{
    if (p->n <= INLINE_BYTES) {
        grpc_slice s = grpc.grpc_slice_from_copied_buffer((const char *)p->p, p->n);
        if (p->release)
            p->release(p->owner);
        return s;
    }
    if (!p->release)
        return grpc.grpc_slice_from_static_buffer(p->p, p->n);
    return grpc.grpc_slice_new_with_user_data((void *)(uintptr_t)p->p, p->n, p->release, p->owner);
}

grpc_byte_buffer *rpc_grpc_pack(struct rpc_msg *m)
{
    grpc_slice few[16];
    grpc_slice *slices =
        m->n <= (int64_t)ARRAY_LEN(few) ? few : mem_alloc((size_t)m->n * sizeof *slices);
    for (int64_t i = 0; i < m->n; i++)
        slices[i] = piece_to_slice(&m->v[i]);
    grpc_byte_buffer *b = grpc.grpc_raw_byte_buffer_create(slices, (size_t)m->n);
    for (int64_t i = 0; i < m->n; i++)
        grpc.grpc_slice_unref(slices[i]);
    if (slices != few)
        mem_free(slices);
    mem_free(m->v);
    *m = (struct rpc_msg){0};
    return b;
}

struct received { /* counted by the pieces that point into it */
    int refs;     /* atomic */
    grpc_byte_buffer *buffer;
};

static void received_release(void *owner)
{
    struct received *r = owner;
    if (__atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    grpc.grpc_byte_buffer_destroy(r->buffer);
    mem_free(r);
}

void rpc_grpc_unpack(grpc_byte_buffer *buffer, struct rpc_msg *m)
{
    if (!buffer)
        return;
    struct received *r = mem_new(struct received);
    r->buffer = buffer;
    r->refs = 1;
    grpc_byte_buffer_reader reader;
    if (grpc.grpc_byte_buffer_reader_init(&reader, buffer)) {
        grpc_slice *s;
        while (grpc.grpc_byte_buffer_reader_peek(&reader, &s)) {
            if (GRPC_SLICE_LENGTH(*s) == 0)
                continue;
            m->v = vec_reserve(m->v, &m->cap, m->n + 1, sizeof *m->v);
            m->v[m->n++] = (struct rpc_piece){.p = GRPC_SLICE_START_PTR(*s),
                                              .n = GRPC_SLICE_LENGTH(*s),
                                              .owner = r,
                                              .release = received_release};
            m->bytes += GRPC_SLICE_LENGTH(*s);
            __atomic_fetch_add(&r->refs, 1, __ATOMIC_RELAXED);
        }
        grpc.grpc_byte_buffer_reader_destroy(&reader);
    }
    received_release(r);
}

/* --- arguments --- */

void rpc_grpc_arg_int(struct rpc_grpc_args *args, const char *key, int value)
{
    ASSERT(args->n < RPC_GRPC_MAX_ARGS);
    args->v[args->n++] =
        (grpc_arg){.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)key, .value.integer = value};
}

void rpc_grpc_common_args(struct rpc_grpc_args *args)
{
    rpc_grpc_arg_int(args, GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, RPC_HARD_MAX);
    rpc_grpc_arg_int(args, GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, RPC_HARD_MAX);
    rpc_grpc_arg_int(args, GRPC_ARG_MAX_METADATA_SIZE, 64 << 10);
    rpc_grpc_arg_int(args, GRPC_ARG_ENABLE_CHANNELZ, 0);
    /* A sender may be so far ahead of the reader: the windows of streams that grow by probing start
     * too small for messages of many megabytes (bench/dist/rpc.c). The window of the connection
     * grows by that alone: without it each message above 64 KiB waits for the reader once. */
    rpc_grpc_arg_int(args, GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 16 << 20);
    rpc_grpc_arg_int(args, GRPC_ARG_HTTP2_BDP_PROBE, 1);
    rpc_grpc_arg_int(args, GRPC_ARG_HTTP2_MAX_FRAME_SIZE, 1 << 20);
}
