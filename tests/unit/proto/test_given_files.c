/* SPDX-License-Identifier: Apache-2.0 */
/* Files that TensorFlow wrote: they come back byte for byte, through the text form too, and text
 * means what the binary beside it means. Skips where the given data are absent. */
#include <stdio.h>
#include <stdlib.h>

#include "common/files.h"
#include "proto_test.h"

static bool load(const char *what, struct text *out)
{
    struct text path = {0};
    bool there = shared_find(what, &path) && file_read(text_str(&path), out);
    text_release(&path);
    return there;
}

static void need_data(void)
{
    struct text path = {0};
    bool there = shared_find("models", &path);
    if (!there)
        printf("skipped: the given data are not at %s\n", text_str(&path));
    text_release(&path);
    if (!there)
        skip();
}

/* Decoded and encoded: the same bytes. Printed, parsed and encoded by key: the same as encoded so.
 */
static void expect_round_trip(const struct pb_desc *d, const void *bytes, size_t n,
                              const char *name)
{
    struct arena a = {0};
    struct strbuf same = {0}, sorted = {0}, text = {0}, from_text = {0};
    void *m, *parsed;
    ASSERT_OK(pb_decode(&a, d, bytes, n, PB_BORROW, &m, st));
    ASSERT_OK(pb_encode(m, &same, st));
    if (same.n != n || (n > 0 && memcmp(same.p, bytes, n) != 0))
        fail_msg("%s: %zu bytes come back as other %zu", name, n, same.n);
    assert_int_equal(((struct pb_base *)m)->unknown != NULL, false);
    ASSERT_OK(pb_text_print(m, &text, st));
    ASSERT_OK(pb_text_parse(&a, d, strbuf_text(&text), text.n, &parsed, st));
    ASSERT_OK(pb_encode_with(m, PB_DETERMINISTIC, &sorted, st));
    ASSERT_OK(pb_encode_with(parsed, PB_DETERMINISTIC, &from_text, st));
    if (sorted.n != from_text.n || (sorted.n > 0 && memcmp(sorted.p, from_text.p, sorted.n) != 0))
        fail_msg("%s: its text means something else", name);
    strbuf_release(&same);
    strbuf_release(&sorted);
    strbuf_release(&text);
    strbuf_release(&from_text);
    arena_release(&a);
}

static void expect_file(const struct pb_desc *d, const char *what)
{
    struct text file = {0};
    if (!load(what, &file))
        fail_msg("%s cannot be read", what);
    expect_round_trip(d, file.p, file.n, what);
    text_release(&file);
}

static void test_given_files__models(void **state UNUSED)
{
    need_data();
    expect_file(&pb_graph_def_desc, "models/frozen_lstm/lstm.pb");
    expect_file(&pb_graph_def_desc, "models/frozen_lstm/load.pb");
    expect_file(&pb_graph_def_desc, "models/graph_regression/model.pb");
    expect_file(&pb_graph_def_desc, "models/checkpoint_v1_mnist/MNIST.pb");
    expect_file(&pb_saved_model_desc, "models/saved_model_mnist_lr/saved_model.pb");
    expect_file(&pb_saved_model_desc, "models/saved_model_regression/saved_model.pb");
    expect_file(&pb_saved_model_desc, "models/saved_model_strings/saved_model.pb");
    expect_file(&pb_saved_model_desc, "models/saved_model_half_plus_three/00000123/saved_model.pb");
    expect_file(&pb_meta_graph_def_desc,
                "models/checkpoint_v2_linear_regression/linear-regression.meta");
}

static void test_given_files__text_beside_binary(void **state UNUSED)
{
    need_data();
    struct arena a = {0};
    struct text binary = {0}, text = {0};
    struct pb_graph_def *x, *y;
    bool equal;
    assert_true(load("models/frozen_lstm/lstm.pb", &binary));
    assert_true(load("models/frozen_lstm/lstm.pbtxt", &text));
    ASSERT_OK(pb_graph_def_decode(&a, binary.p, binary.n, 0, &x, st));
    ASSERT_OK(pb_graph_def_parse(&a, text.p, text.n, &y, st));
    ASSERT_OK(pb_equal(x, y, &equal, st));
    assert_true(equal);
    assert_true(x->node.n > 10);

    struct pb_checkpoint_state *c;
    assert_true(load("models/checkpoint_v2_linear_regression/checkpoint", &text));
    ASSERT_OK(pb_checkpoint_state_parse(&a, text.p, text.n, &c, st));
    assert_true(str_ends(c->model_checkpoint_path, "linear-regression"));
    text_release(&binary);
    text_release(&text);
    arena_release(&a);
}

static void expect_records(const char *path, const struct pb_desc *const *kinds, int num_kinds)
{
    struct text file = {0};
    assert_true(file_read(path, &file));
    struct bytes rest = text_bytes(&file), record;
    int num = 0;
    for (; record_next(&rest, &record); num++) {
        /* the first record is of the first kind, then the others take turns */
        int kind = num == 0 || num_kinds == 1 ? 0 : 1 + (num - 1) % (num_kinds - 1);
        expect_round_trip(kinds[kind], record.p, record.n, path);
    }
    assert_true(num > 0);
    text_release(&file);
}

static void test_given_files__events(void **state UNUSED)
{
    need_data();
    struct text path = {0};
    const struct pb_desc *const kinds[] = {&pb_event_desc};
    assert_true(shared_find("models/events/events.out.tfevents.1585769947.cvp", &path));
    expect_records(text_str(&path), kinds, 1);
    text_release(&path);
}

static void test_given_files__graphs(void **state UNUSED)
{
    need_data();
    struct text folder = {0}, path = {0};
    assert_true(shared_find("conformance/graphs", &folder));
    struct names cases = folder_names(text_str(&folder));
    int num = 0;
    for (size_t i = 0; i < cases.num; i += 5) {
        text_clear(&path);
        text_printf(&path, "%s/%s/frozen_model.pb", text_str(&folder), cases.items[i]);
        struct text file = {0};
        if (file_read(text_str(&path), &file)) {
            expect_round_trip(&pb_graph_def_desc, file.p, file.n, text_str(&path));
            num++;
        }
        text_release(&file);
    }
    names_free(&cases);
    text_release(&path);
    text_release(&folder);
    assert_true(num > 0);
}

static void test_given_files__traces(void **state UNUSED)
{
    need_data();
    const struct pb_desc *const kinds[] = {&pb_create_session_request_desc,
                                           &pb_run_step_request_desc, &pb_run_step_response_desc};
    struct text folder = {0}, path = {0};
    assert_true(shared_find("conformance/traces", &folder));
    struct names groups = folder_names(text_str(&folder));
    int num = 0;
    for (size_t i = 0; i < groups.num; i += 15) {
        text_clear(&path);
        text_printf(&path, "%s/%s", text_str(&folder), groups.items[i]);
        struct names files = folder_names(text_str(&path));
        size_t length = path.n;
        for (size_t k = 0; k < files.num && k < 5; k++) {
            if (!str_ends(str_of(files.items[k]), ".tfrecord"))
                continue;
            path.n = length;
            text_printf(&path, "/%s", files.items[k]);
            expect_records(text_str(&path), kinds, ARRAY_LEN(kinds));
            num++;
        }
        names_free(&files);
    }
    names_free(&groups);
    text_release(&path);
    text_release(&folder);
    assert_true(num > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given_files__models),
        cmocka_unit_test(test_given_files__text_beside_binary),
        cmocka_unit_test(test_given_files__events),
        cmocka_unit_test(test_given_files__graphs),
        cmocka_unit_test(test_given_files__traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
