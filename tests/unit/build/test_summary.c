/* SPDX-License-Identifier: Apache-2.0 */
/* Summary nodes against those of TensorFlow 1.15.5's Python, and the event files of a program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "graph_text.h"
#include "io/event.h"

static void test_summary__nodes(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .name = "x");
    TF_Output t = leat_placeholder(g, .dtype = TF_STRING, .name = "t");
    TF_Output a = leat_summary_scalar(g, "loss", x);
    TF_Output b = leat_summary_scalar(g, "loss", x, .family = "fam");
    leat_summary_histogram(g, "/h h", x);
    leat_with_scope(g, "sc") {
        leat_summary_image(g, "im", x, .max_outputs = 2);
        leat_summary_audio(g, "au", x, .sample_rate = 8000);
    }
    leat_summary_text(g, "txt", t);
    leat_summary_tensor(g, "ts", x, .collection = "", .display_name = "d");
    leat_summary_merge(g, leat_outputs(a, b), NULL);
    leat_summary_merge(g, leat_outputs(a), "mm");
    assert_true(leat_valid(leat_summary_merge_all(g)));
    assert_no_error(m);
    assert_graph(g, "x Placeholder\n"
                    "t Placeholder\n"
                    "loss/tags Const\n"
                    "loss ScalarSummary(loss/tags, x)\n"
                    "fam/loss/tags Const\n"
                    "fam/loss ScalarSummary(fam/loss/tags, x)\n"
                    "h_h/tag Const\n"
                    "h_h HistogramSummary(h_h/tag, x)\n"
                    "sc/im/tag Const\n"
                    "sc/im ImageSummary(sc/im/tag, x)\n"
                    "sc/au/sample_rate Const\n"
                    "sc/au/tag Const\n"
                    "sc/au AudioSummaryV2(sc/au/tag, x, sc/au/sample_rate)\n"
                    "txt/tag Const\n"
                    "txt/serialized_summary_metadata Const\n"
                    "txt TensorSummaryV2(txt/tag, t, txt/serialized_summary_metadata)\n"
                    "ts/tag Const\n"
                    "ts/serialized_summary_metadata Const\n"
                    "ts TensorSummaryV2(ts/tag, x, ts/serialized_summary_metadata)\n"
                    "Merge/MergeSummary MergeSummary(loss, fam/loss)\n"
                    "mm/mm MergeSummary(loss)\n"
                    "Merge_1/MergeSummary MergeSummary(loss, fam/loss, h_h, sc/im, sc/au, txt)\n");
}

static void test_summary__errors(void **state)
{
    struct made *m = *state;
    TF_Output x = leat_placeholder(m->g, .dtype = TF_FLOAT, .name = "x");
    assert_false(leat_valid(leat_summary_merge_all(m->g)));
    assert_no_error(m);
    assert_false(leat_valid(leat_summary_scalar(m->g, NULL, x)));
    assert_error(m, "there is no name");
    assert_false(leat_valid(leat_summary_text(m->g, "t", x)));
    assert_error(m, "no string type");
}

/* ---- files ---- */

static char folder[64];

/* The serialized Summary of tag `tag`, 2.5. */
static TF_Tensor *summary_of(struct made *m, const char *family)
{
    TF_Output x = leat_const_float(m->g, 2.5f);
    TF_Output y = leat_summary_scalar(m->g, "loss", x, .family = family, .collection = "");
    TF_Session *session = leat_session_new(m->g, m->st);
    TF_Tensor *t = NULL;
    TF_SessionRun(session, NULL, NULL, NULL, 0, &y, &t, 1, NULL, 0, NULL, m->st);
    assert_int_equal(TF_GetCode(m->st), TF_OK);
    leat_session_close(session);
    return t;
}

static void write_events(struct made *m, leat_file_writer *w)
{
    TF_Tensor *loss = summary_of(m, NULL), *family = summary_of(m, "fam");
    TF_Buffer metadata = {.data = "", .length = 0};
    assert_true(leat_add_summary_tensor(w, loss, 7, m->st));
    assert_true(leat_add_summary_tensor(w, family, 8, m->st));
    assert_true(leat_add_scalar(w, "acc", 0.5, 9, m->st));
    assert_true(leat_add_session_log(w, LEAT_SESSION_CHECKPOINT, "/model", NULL, 10, m->st));
    assert_true(leat_add_run_metadata(w, &metadata, "step1", 11, m->st));
    assert_false(leat_add_run_metadata(w, &metadata, "step1", 12, m->st));
    assert_int_equal(TF_GetCode(m->st), TF_ALREADY_EXISTS);
    assert_false(leat_add_session_log(w, 9, NULL, NULL, 0, m->st));
    assert_int_equal(TF_GetCode(m->st), TF_INVALID_ARGUMENT);
    assert_false(leat_add_summary(w, "abc", 3, 0, m->st));
    TF_DeleteTensor(loss);
    TF_DeleteTensor(family);
}

static void check_events(const char *path, const char *const *want, int n)
{
    struct status st = {0};
    struct arena a = {0};
    struct pb_event *e;
    bool end;
    struct record_reader *r = record_reader_open(path, RECORD_PLAIN, &st);
    assert_non_null(r);
    for (int i = 0; i < n; i++) {
        assert_true(event_next(r, &a, &e, &end, &st) && !end);
        struct str is = e->file_version;
        if (e->which_what == 5)
            is = e->summary->value.v[0]->tag;
        if (e->which_what == 4)
            is = str_of("graph");
        if (e->which_what == 9)
            is = str_of("meta graph");
        if (e->which_what == 7)
            is = e->session_log->checkpoint_path;
        if (e->which_what == 8)
            is = e->tagged_run_metadata->tag;
        if (!str_is(is, want[i]))
            fail_msg("event %d is %.*s, wanted %s", i, (int)is.n, is.p, want[i]);
        assert_true(i < 3 || e->step == i + 4);
    }
    assert_true(event_next(r, &a, &e, &end, &st) && end);
    record_reader_free(r);
    arena_release(&a);
}

static void test_file_writer__writes_what_it_was_given(void **state)
{
    static const char *const want[] = {"brain.Event:2", "graph", "meta graph", "loss",
                                       "fam/fam/loss",  "acc",   "/model",     "step1"};
    struct made *m = *state;
    char first[256], logs[128];
    snprintf(folder, sizeof(folder), "/tmp/leat_writer_XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(logs, sizeof(logs), "%s/a", folder);
    leat_file_writer *w =
        leat_file_writer_open(logs, m->st, .graph = m->g, .suffix = ".v", .own_thread = true);
    assert_non_null(w);
    snprintf(first, sizeof(first), "%s", leat_file_writer_path(w));
    assert_string_equal(first + strlen(first) - 2, ".v");
    write_events(m, w);
    assert_true(leat_file_writer_close(w, m->st) && leat_file_writer_close(w, m->st));
    check_events(first, want, 8);
    assert_false(leat_add_scalar(w, "late", 1, 0, m->st));
    assert_int_equal(TF_GetCode(m->st), TF_FAILED_PRECONDITION);
    assert_true(leat_file_writer_reopen(w, m->st) && leat_file_writer_reopen(w, m->st));
    assert_string_not_equal(first, leat_file_writer_path(w));
    assert_true(leat_add_scalar(w, "more", 1, 5, m->st));
    assert_true(leat_file_writer_flush(w, m->st));
    check_events(leat_file_writer_path(w), (const char *const[]){"brain.Event:2", "more"}, 2);
    unlink(leat_file_writer_path(w));
    unlink(first);
    leat_file_writer_free(w);
    rmdir(logs);
    rmdir(folder);
}

static void test_file_writer__errors(void **state)
{
    struct made *m = *state;
    assert_null(leat_file_writer_open("/proc/self/no/such", m->st));
    assert_int_not_equal(TF_GetCode(m->st), TF_OK);
    assert_null(leat_file_writer_open(NULL, m->st));
    assert_int_equal(TF_GetCode(m->st), TF_INVALID_ARGUMENT);
    assert_false(leat_file_writer_flush(NULL, m->st));
    assert_false(leat_add_scalar(NULL, "a", 1, 1, m->st));
    leat_file_writer_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_summary__nodes, made_setup, made_teardown),
        cmocka_unit_test_setup_teardown(test_summary__errors, made_setup, made_teardown),
        cmocka_unit_test_setup_teardown(test_file_writer__writes_what_it_was_given, made_setup,
                                        made_teardown),
        cmocka_unit_test_setup_teardown(test_file_writer__errors, made_setup, made_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
