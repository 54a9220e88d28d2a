/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs that TensorFlow made: each is read, written, read again and written to the same bytes.
 * Graphs with ops that this build lacks are counted apart. Skips where the data is absent. */
#include "graph_fixture.h"

#include <ftw.h>
#include <stdio.h>

static int num_same, num_missing, num_refused;

static char *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");

    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *n = (size_t)ftell(f);
    rewind(f);
    char *bytes = mem_alloc(*n + 1);

    assert_int_equal(fread(bytes, 1, *n, f), *n);
    fclose(f);
    return bytes;
}

static void check_again(struct graph *g, const char *path)
{
    struct graph *h = graph_new();
    struct strbuf once = {0}, twice = {0};
    struct status st = {0};

    if (!graph_export(g, &once, &st) || !graph_import(h, once.p, once.n, NULL, NULL, &st) ||
        !graph_export(h, &twice, &st))
        fail_msg("%s: %s", path, status_message(&st));
    assert_int_equal(once.n, twice.n);
    assert_memory_equal(once.p, twice.p, once.n);
    assert_true(graph_check_cycles(g, 0, &st));
    num_same++;
    strbuf_release(&once);
    strbuf_release(&twice);
    graph_unref(h);
}

static bool ends(const char *path, const char *with)
{
    return str_ends(str_of(path), with) && !strstr(path, "saved_model");
}

static int visit(const char *path, const struct stat *info UNUSED, int kind, struct FTW *at UNUSED)
{
    struct status st = {0};
    size_t n;

    if (kind != FTW_F || !(ends(path, ".pb") || ends(path, ".pbtxt")))
        return 0;
    char *bytes = read_file(path, &n);
    struct graph *g = graph_new();

    if (graph_import(g, bytes, n, NULL, NULL, &st))
        check_again(g, path);
    else if (strstr(status_message(&st), "not registered"))
        num_missing++;
    else
        num_refused++; /* eleven or so have values where references must stand */
    if (!status_ok(&st) && g->num_nodes != 0)
        fail_msg("%s: refused, but nodes stay", path);
    status_clear(&st);
    graph_unref(g);
    mem_free(bytes);
    return 0;
}

static void test_graph_files__round_trip(void **state UNUSED)
{
    static const char *const folders[] = {"conformance/graphs", "models"};
    const char *shared = getenv("LEAT_SHARED");

    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        char *path = mem_printf("%s/%s", shared ? shared : "../shared", folders[i]);
        int failed = nftw(path, visit, 16, FTW_PHYS);

        mem_free(path);
        if (failed) {
            print_message("skipped: no folder of given data (LEAT_SHARED)\n");
            skip();
        }
    }
    print_message("%d graphs the same again, %d with missing ops, %d refused\n", num_same,
                  num_missing, num_refused);
    assert_true(num_same + num_missing > 0);
    assert_true(num_refused <= 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_graph_files__round_trip)};
    return cmocka_run_group_tests(tests, graph_fixture_ops, NULL);
}
