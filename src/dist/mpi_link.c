/* SPDX-License-Identifier: Apache-2.0 */
/* needs: mpi */
/* Opening libmpi, its two binary interfaces, and bytes from rank to rank. */
#include "dist/mpi_link.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

typedef uint64_t handle; /* wide enough for either interface */

#define MPI_TABLE(X)                                                                               \
    X(MPI_Initialized, (int *flag))                                                                \
    X(MPI_Init_thread, (int *argc, char ***argv, int wanted, int *got))                            \
    X(MPI_Query_thread, (int *got))                                                                \
    X(MPI_Finalized, (int *flag))                                                                  \
    X(MPI_Finalize, (void))                                                                        \
    X(MPI_Comm_rank, (handle comm, int *rank))                                                     \
    X(MPI_Comm_size, (handle comm, int *size))                                                     \
    X(MPI_Comm_dup, (handle comm, handle * out))                                                   \
    X(MPI_Comm_free, (handle * comm))                                                              \
    X(MPI_Comm_set_errhandler, (handle comm, handle what))                                         \
    X(MPI_Isend, (const void *p, int n, handle type, int to, int tag, handle comm, void *request)) \
    X(MPI_Irecv, (void *p, int n, handle type, int from, int tag, handle comm, void *request))     \
    X(MPI_Test, (void *request, int *over, void *status))                                          \
    X(MPI_Iprobe, (int from, int tag, handle comm, int *flag, void *status))                       \
    X(MPI_Error_string, (int code, char *text, int *n))

enum { THREAD_FUNNELED = 1, THREAD_MULTIPLE = 3, MAX_ERROR = 1024, PIECE = 1 << 22 };

static struct {
#define X(name, args) int(*name) args;
    MPI_TABLE(X)
#undef X
    handle world, byte, errors_return, comm;
    int any_source, source_at; /* where an int of a status says who sent */
    bool started_here;
    char *library;
} mpi;

/* --- which library --- */

/* What a program that uses MPI itself has loaded comes first: there may be only one. */
static void *open_library(struct status *st)
{
    static const char *const open_mpi[] = {"libmpi.so.40", "libmpi.so.12", "libmpich.so.12",
                                           "libmpi.so"};
    static const char *const mpich[] = {"libmpi.so.12", "libmpich.so.12", "libmpi.so.40",
                                        "libmpi.so"};
    const char *wanted = getenv("LEAT_MPI");
    void *lib = dlsym(RTLD_DEFAULT, "MPI_Init_thread") ? dlopen(NULL, RTLD_NOW) : NULL;
    if (lib)
        return lib;
    if (wanted && strcmp(wanted, "none") == 0) {
        status_unimplemented(st, "LEAT_MPI=none turns MPI off");
        return NULL;
    }
    if (wanted && wanted[0]) {
        lib = dlopen(wanted, RTLD_NOW | RTLD_GLOBAL);
        if (!lib)
            status_not_found(st, "the MPI library that LEAT_MPI names cannot be opened: %s",
                             dlerror());
        return lib;
    }
    const bool pmi = getenv("PMI_SIZE") && !getenv("OMPI_COMM_WORLD_SIZE");
    const char *const *names = pmi ? mpich : open_mpi;
    for (size_t i = 0; !lib && i < ARRAY_LEN(mpich); i++)
        lib = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
    if (!lib)
        status_not_found(st,
                         "no MPI library can be opened (Debian: libopenmpi3 or libmpich12; "
                         "LEAT_MPI names another): %s",
                         dlerror());
    return lib;
}

static handle address(void *lib, const char *name)
{
    return (handle)(uintptr_t)dlsym(lib, name);
}

/* The numbers are of mpi.h of Open MPI 4 and 5, and of MPICH's ABI initiative. */
static bool choose_interface(void *lib, struct status *st)
{
    mpi.world = address(lib, "ompi_mpi_comm_world");
    if (mpi.world) {
        mpi.byte = address(lib, "ompi_mpi_byte");
        mpi.errors_return = address(lib, "ompi_mpi_errors_return");
        mpi.any_source = -1;
        mpi.source_at = 0;
        return (mpi.byte && mpi.errors_return) ||
               status_precondition(st, "the MPI library is an Open MPI that lacks ompi_mpi_byte");
    }
    mpi.world = 0x44000000;
    mpi.byte = 0x4c00010d;
    mpi.errors_return = 0x54000001;
    mpi.any_source = -2;
    mpi.source_at = 2;
    return true;
}

bool mpi_link_open(struct status *st)
{
    void *lib = open_library(st);
    if (!lib)
        return false;
    const char *absent = NULL;
#define X(name, args)                                                                              \
    *(void **)&mpi.name = dlsym(lib, #name);                                                       \
    absent = mpi.name ? absent : #name;
    MPI_TABLE(X)
#undef X
    if (absent)
        return status_not_found(st, "the MPI library has no %s", absent);
    return choose_interface(lib, st);
}

/* --- errors --- */

static bool check(int code, const char *what, struct status *st)
{
    char text[MAX_ERROR] = "";
    int n = 0;
    if (code == 0)
        return true;
    mpi.MPI_Error_string(code, text, &n);
    text[MAX_ERROR - 1] = 0;
    return status_fail(st, STATUS_UNAVAILABLE, "MPI: %s: %s", what, text);
}

/* --- begin and end --- */

static bool start_library(struct status *st)
{
    int there = 0, got = 0;
    if (!check(mpi.MPI_Initialized(&there), "MPI_Initialized", st))
        return false;
    if (!there) {
        mpi.started_here = true;
        return check(mpi.MPI_Init_thread(NULL, NULL, THREAD_FUNNELED, &got), "MPI_Init_thread", st);
    }
    return check(mpi.MPI_Query_thread(&got), "MPI_Query_thread", st) &&
           (got == THREAD_MULTIPLE ||
            status_precondition(st, "this program has started MPI without MPI_THREAD_MULTIPLE, so "
                                    "that no other thread may use it"));
}

bool mpi_link_start(int *rank, int *size, struct status *st)
{
    if (!start_library(st))
        return false;
    mpi.comm = 0;
    if (!check(mpi.MPI_Comm_dup(mpi.world, &mpi.comm), "MPI_Comm_dup", st))
        return false;
    mpi.MPI_Comm_set_errhandler(mpi.comm, mpi.errors_return);
    return check(mpi.MPI_Comm_rank(mpi.comm, rank), "MPI_Comm_rank", st) &&
           check(mpi.MPI_Comm_size(mpi.comm, size), "MPI_Comm_size", st);
}

bool mpi_link_stop(struct status *st)
{
    int gone = 0;
    mpi.MPI_Finalized(&gone);
    if (gone)
        return true;
    bool ok = check(mpi.MPI_Comm_free(&mpi.comm), "MPI_Comm_free", st);
    if (mpi.started_here)
        ok &= check(mpi.MPI_Finalize(), "MPI_Finalize", st);
    return ok;
}

/* --- bytes --- */

bool mpi_link_send(struct mpi_request *r, const void *p, size_t n, int to, int tag,
                   struct status *st)
{
    *r = (struct mpi_request){{0}};
    return check(mpi.MPI_Isend(p, (int)n, mpi.byte, to, tag, mpi.comm, r->handle), "MPI_Isend", st);
}

bool mpi_link_recv(struct mpi_request *r, void *p, size_t n, int from, int tag, struct status *st)
{
    *r = (struct mpi_request){{0}};
    return check(mpi.MPI_Irecv(p, (int)n, mpi.byte, from, tag, mpi.comm, r->handle), "MPI_Irecv",
                 st);
}

bool mpi_link_test(struct mpi_request *r, bool *over, struct status *st)
{
    uint64_t status[16] = {0};
    int flag = 0;
    bool ok = check(mpi.MPI_Test(r->handle, &flag, status), "MPI_Test", st);
    *over = flag != 0;
    return ok;
}

bool mpi_link_probe(int tag, int *from, struct status *st)
{
    int status[32] = {0}, flag = 0;
    *from = -1;
    if (!check(mpi.MPI_Iprobe(mpi.any_source, tag, mpi.comm, &flag, status), "MPI_Iprobe", st))
        return false;
    if (flag)
        *from = status[mpi.source_at];
    return true;
}

/* Others may need the core: a look, then the others, then a short sleep. */
static void pause_a_little(int turn)
{
    static const struct timespec nap = {.tv_nsec = 20000};
    if (turn < 200)
        sched_yield();
    else
        nanosleep(&nap, NULL);
}

struct flow { /* one direction: a piece is on its way, or all is done */
    char *p;
    size_t left;
    int peer;
    bool sends, busy;
    struct mpi_request request;
};

/* *moved: something happened. */
static bool advance(struct flow *f, bool *moved, struct status *st)
{
    if (f->busy) {
        bool over = false;
        if (!mpi_link_test(&f->request, &over, st))
            return false;
        if (!over)
            return true;
        f->busy = false;
        *moved = true;
    }
    if (f->left == 0)
        return true;
    const size_t n = f->left < PIECE ? f->left : PIECE;
    bool ok = f->sends ? mpi_link_send(&f->request, f->p, n, f->peer, MPI_TAG_DATA, st)
                       : mpi_link_recv(&f->request, f->p, n, f->peer, MPI_TAG_DATA, st);
    f->p += n;
    f->left -= n;
    f->busy = ok;
    *moved = true;
    return ok;
}

bool mpi_link_exchange(const struct mpi_exchange *x, struct status *st)
{
    struct flow out = {
        (char *)(uintptr_t)x->out, x->to < 0 ? 0 : x->out_bytes, x->to, true, false, {{0}}};
    struct flow in = {x->in, x->from < 0 ? 0 : x->in_bytes, x->from, false, false, {{0}}};
    int turn = 0;
    do {
        bool moved = false;
        if (!advance(&in, &moved, st) || !advance(&out, &moved, st))
            return false;
        turn = moved ? 0 : turn + 1;
        if (turn > 0)
            pause_a_little(turn);
    } while (out.busy || in.busy || out.left || in.left);
    return true;
}
