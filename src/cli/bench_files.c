/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of `leat bench` that write and read files: checkpoints of 1 GB of random bytes, which
 * no disk can make smaller, and of 4,000 small variables; TFRecords out of the page cache, every
 * checksum compared. Their folder is made in --folder and removed at the end. A save is durable
 * (fsync), takes the place of the one before, and writes no MetaGraph and no state file. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/bench.h"
#include "leat/leat.h"
#include "leat/record.h"

enum {
    BIG_VARIABLES = 16,
    BIG_ELEMS = 1000 * (1 << 20) / 4 / BIG_VARIABLES,
    MANY_VARIABLES = 4000,
    MANY_ELEMS = 10,
    RECORD_FILE_BYTES = 1 << 28,
};

struct files {
    char *folder, *prefix; /* prefix: of the checkpoint, or the path of the records */
    TF_Session *session;
    leat_saver *saver;
};

static void files_free(struct bench_part *p)
{
    static const char *const tails[] = {"", ".index", ".data-00000-of-00001"};
    struct files *f = p->own;
    for (size_t i = 0; f->prefix && i < ARRAY_LEN(tails); i++) {
        char *path = mem_printf("%s%s", f->prefix, tails[i]);
        unlink(path);
        mem_free(path);
    }
    if (f->folder)
        rmdir(f->folder);
    leat_session_close(f->session);
    leat_saver_free(f->saver);
    mem_free(f->folder);
    mem_free(f->prefix);
    mem_free(f);
}

/* NULL with the status set when no folder can be made. */
static struct files *files_of(struct bench_part *p)
{
    struct files *f = mem_new(struct files);
    p->own = f;
    p->release = files_free;
    char *folder = mem_printf("%s/leat-bench-XXXXXX", p->folder);
    if (!mkdtemp(folder)) {
        TF_SetStatus(p->m.s, TF_PERMISSION_DENIED, "no folder can be made there: --folder DIR");
        mem_free(folder);
        return NULL;
    }
    f->folder = folder;
    f->prefix = mem_printf("%s/file", folder);
    return f;
}

/* --- checkpoints --- */

static bool save(struct bench_part *p, struct status *st)
{
    const struct files *f = p->own;
    char *name = leat_saver_save(f->saver, f->session, f->prefix, p->m.s, .write_meta_graph = 0,
                                 .write_state = 0);
    leat_free(name);
    p->runs++;
    return cli_ok(p->m.s, st);
}

static bool restore(struct bench_part *p, struct status *st)
{
    const struct files *f = p->own;
    leat_saver_restore(f->saver, f->session, f->prefix, p->m.s);
    p->runs++;
    return cli_ok(p->m.s, st);
}

/* Variables of random integers, all of them, so that every byte is. */
static void build_model(struct bench_part *p, int num, int64_t elems)
{
    struct files *f = files_of(p);
    TF_Graph *g = p->m.graph;
    if (!f)
        return;
    TF_Output least = leat_const_int(g, INT32_MIN), most = leat_const_int(g, INT32_MAX);
    TF_Output shape = leat_const_array(g, TF_INT64, &elems, leat_shape(1));
    for (int i = 0; i < num; i++) {
        char name[32];
        snprintf(name, sizeof name, "layer%d/w", i);
        TF_Output first = leat_random_uniform_int(g, shape, least, most, .seed = 1, .seed2 = i + 1);
        (void)leat_variable(g, name, first);
    }
    f->saver = leat_saver_new(g);
    TF_Operation *init = leat_global_variables_initializer(g);
    f->session = leat_session_new(g, p->m.s);
    if (f->session)
        leat_run_op(f->session, init, leat_no_feeds(), p->m.s);
}

static void build_checkpoint(struct bench_part *p, int num, int64_t elems, bool restores)
{
    struct status st = {0};
    build_model(p, num, elems);
    p->call = restores ? restore : save;
    if (restores && TF_GetCode(p->m.s) == TF_OK && !save(p, &st))
        status_clear(&st); /* p->m.s has it */
    p->runs = 0;
}

static void checkpoint_name(int part, char *name, size_t size)
{
    snprintf(name, size, "%s", part ? "restore" : "save");
}

static void build_big(struct bench_part *p, int part)
{
    p->work = BIG_VARIABLES * (double)BIG_ELEMS * 4e-9;
    build_checkpoint(p, BIG_VARIABLES, BIG_ELEMS, part == 1);
}

static void build_many(struct bench_part *p, int part)
{
    p->work = 1;
    build_checkpoint(p, MANY_VARIABLES, MANY_ELEMS, part == 1);
}

/* --- records --- */

static const size_t record_sizes[] = {200, 1000, 10000, 1000000};

static bool read_records(struct bench_part *p, struct status *st)
{
    const struct files *f = p->own;
    const void *record;
    size_t n;
    leat_record_reader *r = leat_record_reader_open(f->prefix, NULL, p->m.s);
    while (r && leat_record_reader_next(r, &record, &n, p->m.s) > 0)
        continue;
    leat_record_reader_close(r);
    p->runs++;
    return cli_ok(p->m.s, st);
}

static void records_name(int part, char *name, size_t size)
{
    snprintf(name, size, "%zu bytes each", record_sizes[part]);
}

static void build_records(struct bench_part *p, int part)
{
    enum { FRAME_BYTES = 16 }; /* a length and two checksums */
    struct files *f = files_of(p);
    if (!f)
        return;
    const size_t size = record_sizes[part];
    uint64_t *data = mem_new_array(uint64_t, (int64_t)size / 8 + 1), seed = 7, bytes = 0;
    for (size_t i = 0; i <= size / 8; i++)
        data[i] = maker_random(&seed);
    leat_record_writer *w = leat_record_writer_open(f->prefix, NULL, p->m.s);
    for (; w && bytes < RECORD_FILE_BYTES; bytes += size + FRAME_BYTES)
        if (!leat_record_writer_add(w, data, size, p->m.s))
            break;
    leat_record_writer_close(w, TF_GetCode(p->m.s) == TF_OK ? p->m.s : NULL);
    mem_free(data);
    p->call = read_records;
    p->work = (double)bytes * 1e-9;
}

const struct bench_case bench_file_cases[] = {
    {"checkpoint", BENCH_GBS, "1,000 MiB of random bytes, saved with fsync, restored", 2,
     checkpoint_name, build_big},
    {"checkpoint_many", BENCH_NS, "4,000 variables, saved with fsync, restored", 2, checkpoint_name,
     build_many},
    {"records", BENCH_GBS, "TFRecords from the page cache, checksums compared", 4, records_name,
     build_records},
    {0},
};
