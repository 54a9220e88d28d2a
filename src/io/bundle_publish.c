/* SPDX-License-Identifier: Apache-2.0 */
/* How data files and an index become a checkpoint in one instant.
 *
 * The index is renamed into place last; what it names is durable by then. Where a checkpoint of
 * that very prefix and number of shards is there already, its data files may not be replaced while
 * its index still stands: the new ones first get the names of one shard more, an index that says so
 * takes over, and then, as the old names are free, the files are linked under these and a second
 * index takes over. Killed at any instant, the index in place and its files belong together. */
#include <errno.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/bundle.h"
#include "io/os_error.h"

static int by_key(const void *a, const void *b)
{
    return str_compare(((const struct bundle_item *)a)->key, ((const struct bundle_item *)b)->key);
}

static bool sort_items(struct bundle_items *items, struct status *st)
{
    if (items->n > 0)
        qsort(items->v, (size_t)items->n, sizeof *items->v, by_key);
    for (int64_t i = 1; i < items->n; i++)
        if (str_eq(items->v[i - 1].key, items->v[i].key))
            return status_invalid(st, "Adding duplicate key: %.*s",
                                  (int)min_i64((int64_t)items->v[i].key.n, 1000),
                                  items->v[i].key.p);
    return true;
}

static bool add_message(struct table_writer *w, struct str key, const void *message,
                        struct strbuf *scratch, struct status *st)
{
    strbuf_clear(scratch);
    return pb_encode(message, scratch, st) &&
           table_add(w, key, str_make(scratch->p, scratch->n), st);
}

static bool put_table(struct output *out, const struct bundle_items *items, int num_shards,
                      struct status *st)
{
    struct table_writer w;
    struct arena a = {0};
    struct strbuf scratch = {0};
    struct pb_bundle_header_proto *header = pb_bundle_header_proto_new(&a);
    header->num_shards = num_shards;
    header->version = pb_version_def_new(&a);
    header->version->producer = 1;
    table_writer_init(&w, out);
    bool ok = add_message(&w, str_of(""), header, &scratch, st);
    for (int64_t i = 0; ok && i < items->n; i++)
        ok = add_message(&w, items->v[i].key, items->v[i].entry, &scratch, st);
    ok = ok && table_finish(&w, st);
    table_writer_release(&w);
    strbuf_release(&scratch);
    arena_release(&a);
    return ok;
}

/* PREFIX.index, durable. */
static bool put_index(const char *prefix, const struct bundle_items *items, int num_shards,
                      struct status *st)
{
    struct output out;
    char *path = bundle_index_path(prefix);
    bool ok = output_open(&out, path, st);
    mem_free(path);
    if (!ok)
        return false;
    if (!put_table(&out, items, num_shards, st)) {
        output_abandon(&out);
        return false;
    }
    return output_commit(&out, st);
}

/* The shards of the checkpoint that is there; 0: none that can be read. */
static int shards_there(const char *prefix)
{
    struct bundle b;
    struct status st = {0};
    int num = 0;
    if (bundle_open(&b, prefix, NULL, &st)) {
        num = b.num_shards;
        bundle_close(&b);
    }
    status_clear(&st);
    return num;
}

/* Gives the files the names of shards, durably. */
static bool name_files(const char *prefix, char *const *files, int num, int of, struct status *st)
{
    bool ok = true;
    for (int i = 0; ok && i < num; i++) {
        char *path = bundle_data_path(prefix, i, of);
        ok = folder_rename(files[i], path, st);
        mem_free(path);
    }
    return ok && folder_sync_of(prefix, st);
}

/* The same by links, under names that may be taken. False, without an error: the file system has no
 * links. */
static bool link_files(const char *prefix, int num, int from_of, int to_of)
{
    bool ok = true;
    for (int i = 0; ok && i < num; i++) {
        char *from = bundle_data_path(prefix, i, from_of), *to = bundle_data_path(prefix, i, to_of);
        char *temp = mem_printf("%s.tempstate", to);
        unlink(temp);
        io_step();
        ok = link(from, temp) == 0;
        io_step();
        ok = ok && rename(temp, to) == 0;
        if (!ok)
            unlink(temp);
        mem_free(from);
        mem_free(to);
        mem_free(temp);
    }
    return ok;
}

static void remove_files(const char *prefix, int num, int of)
{
    for (int i = 0; i < num; i++) {
        char *path = bundle_data_path(prefix, i, of);
        io_step();
        unlink(path);
        mem_free(path);
    }
}

bool bundle_publish(const char *prefix, char *const *temps, int num_shards,
                    struct bundle_items *items, struct status *st)
{
    int first_of = num_shards;
    bool ok = sort_items(items, st);
    if (ok && shards_there(prefix) == num_shards)
        first_of = num_shards + 1;
    ok = ok && name_files(prefix, temps, num_shards, first_of, st);
    if (!ok) {
        for (int i = 0; i < num_shards; i++)
            unlink(temps[i]);
        return false;
    }
    if (!put_index(prefix, items, first_of, st)) {
        remove_files(prefix, num_shards, first_of);
        return false;
    }
    if (first_of == num_shards || !link_files(prefix, num_shards, first_of, num_shards))
        return true;
    if (!folder_sync_of(prefix, st) || !put_index(prefix, items, num_shards, st))
        return false; /* what is in place is whole */
    remove_files(prefix, num_shards, first_of);
    return true;
}
