/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints beside what the disk gives: 1 GB of variables saved and restored, against the same
 * bytes written with fsync and read plainly, in turn; and 4,000 small variables, in seconds.
 *
 *     build/bench/io-ckpt [FOLDER [MEGABYTES]]
 *
 * The goals: 0.7 of the disk, and one second. Files stay in the page cache: reading is memory. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/mem.h"
#include "base/str.h"
#include "leat/leat.h"

enum { ROUNDS = 3, NUM_BIG = 16, NUM_SMALL = 4000, PIECE = 1 << 20 };

static double seconds(void)
{
    return (double)clock_now_ns() * 1e-9;
}

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "ckpt: %s failed\n", what);
    exit(1);
}

/* As dd bs=1M conv=fsync. */
static double plain_write(const char *path, int64_t bytes)
{
    char *piece = mem_zalloc(PIECE);
    memset(piece, 7, PIECE);
    double start = seconds();
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    must(fd >= 0, "open");
    for (int64_t i = 0; i < bytes / PIECE; i++)
        must(write(fd, piece, PIECE) == PIECE, "write");
    must(fsync(fd) == 0, "fsync");
    close(fd);
    double took = seconds() - start;
    mem_free(piece);
    return took;
}

/* As dd bs=1M of=/dev/null. */
static double plain_read(const char *path)
{
    char *piece = mem_alloc(PIECE);
    double start = seconds();
    int fd = open(path, O_RDONLY);
    must(fd >= 0, "open");
    while (read(fd, piece, PIECE) > 0)
        continue;
    close(fd);
    double took = seconds() - start;
    mem_free(piece);
    return took;
}

struct model {
    TF_Graph *g;
    TF_Status *st;
    TF_Session *session;
    leat_saver *saver;
};

static struct model model_new(int num, int64_t elems)
{
    struct model m = {.g = TF_NewGraph(), .st = TF_NewStatus()};
    for (int i = 0; i < num; i++) {
        char name[32];
        snprintf(name, sizeof name, "layer%d/w", i);
        (void)leat_variable(m.g, name, leat_ones(m.g, leat_shape(elems)));
    }
    m.saver = leat_saver_new(m.g);
    TF_Operation *init = leat_global_variables_initializer(m.g);
    must(leat_graph_ok(m.g), "building");
    m.session = leat_session_new(m.g, m.st);
    must(m.session && leat_run_op(m.session, init, leat_no_feeds(), m.st), "starting");
    return m;
}

static void model_free(struct model *m)
{
    leat_session_close(m->session);
    leat_saver_free(m->saver);
    TF_DeleteGraph(m->g);
    TF_DeleteStatus(m->st);
}

static double save(struct model *m, const char *prefix)
{
    double start = seconds();
    char *name = leat_saver_save(m->saver, m->session, prefix, m->st, .write_meta_graph = 0,
                                 .write_state = 0);
    double took = seconds() - start;
    if (!name)
        fprintf(stderr, "%s\n", TF_Message(m->st));
    must(name != NULL, "save");
    leat_free(name);
    return took;
}

static double restore(struct model *m, const char *prefix)
{
    double start = seconds();
    must(leat_saver_restore(m->saver, m->session, prefix, m->st), "restore");
    return seconds() - start;
}

static void remove_checkpoint(const char *prefix)
{
    static const char *const tails[] = {".index", ".data-00000-of-00001"};
    for (int i = 0; i < 2; i++) {
        char *path = mem_printf("%s%s", prefix, tails[i]);
        unlink(path);
        mem_free(path);
    }
}

static void big(const char *prefix, int64_t bytes)
{
    struct model m = model_new(NUM_BIG, bytes / NUM_BIG / (int64_t)sizeof(float));
    char *plain = mem_printf("%s.plain", prefix);
    double gb = (double)bytes * 1e-9;
    for (int i = 0; i < ROUNDS; i++) {
        double w0 = plain_write(plain, bytes), w1 = save(&m, prefix);
        double r0 = plain_read(plain), r1 = restore(&m, prefix);
        printf("save    %7.3f GB/s, plain write and fsync %7.3f GB/s, ratio %.2f\n"
               "restore %7.3f GB/s, plain read            %7.3f GB/s, ratio %.2f\n",
               gb / w1, gb / w0, w0 / w1, gb / r1, gb / r0, r0 / r1);
        remove_checkpoint(prefix);
    }
    unlink(plain);
    mem_free(plain);
    model_free(&m);
}

static void small(const char *prefix)
{
    struct model m = model_new(NUM_SMALL, 10);
    for (int i = 0; i < ROUNDS; i++) {
        double w = save(&m, prefix), r = restore(&m, prefix);
        printf("%d variables: saved in %.3f s, restored in %.3f s\n", NUM_SMALL, w, r);
        remove_checkpoint(prefix);
    }
    model_free(&m);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    int64_t megabytes = 1000;
    must(argc < 3 || (str_to_i64(str_of(argv[2]), &megabytes) && megabytes >= NUM_BIG),
         "reading the size");
    char *prefix = mem_printf("%s/leat-bench-ckpt", folder);
    small(prefix);
    big(prefix, megabytes * PIECE);
    mem_free(prefix);
    return 0;
}
