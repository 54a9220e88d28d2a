/* SPDX-License-Identifier: Apache-2.0 */
/* Restoring and saving take at most one tensor's memory above the model's, by the allocator's own
 * account; a restore that fails leaves no variable with half of a value, and says which assignment
 * it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "graph_text.h"
#include "io/bundle.h"

#include "base/mem.h"

enum { NUM = 12, SLACK = 600 << 10 }; /* bytes that accounts may be late by, and small things */

static struct status none;

/* 600 KB to 1.7 MB: all of other sizes. */
static int64_t elems_of(int i)
{
    return 150000 + 25000 * i;
}

struct rig {
    struct made *m;
    char *folder, *prefix;
    TF_Output v[NUM];
    leat_saver *saver;
    TF_Session *session;
};

static void rig_open(struct rig *r, struct made *m, bool resource)
{
    char name[16];
    const char *at = getenv("TMPDIR");
    *r = (struct rig){.m = m, .folder = mem_printf("%s/leat-restore-XXXXXX", at ? at : "/tmp")};
    assert_non_null(mkdtemp(r->folder));
    r->prefix = mem_printf("%s/ckpt", r->folder);
    for (int i = 0; i < NUM; i++) {
        snprintf(name, sizeof name, "v%02d", i);
        r->v[i] = leat_variable(m->g, name, leat_zeros(m->g, leat_shape(elems_of(i))),
                                .resource = resource);
    }
    r->saver = leat_saver_new(m->g);
    assert_no_error(m);
    r->session = leat_session_new(m->g, m->st);
    assert_non_null(r->session);
}

static void rig_close(struct rig *r)
{
    char *files[] = {bundle_index_path(r->prefix), bundle_data_path(r->prefix, 0, 1)};
    for (int i = 0; i < 2; i++) {
        unlink(files[i]);
        mem_free(files[i]);
    }
    assert_int_equal(rmdir(r->folder), 0);
    leat_session_close(r->session);
    leat_saver_free(r->saver);
    mem_free(r->folder);
    mem_free(r->prefix);
}

/* The checkpoint, variable i full of i + plus; `longer` has one element more. */
static void put_checkpoint(const struct rig *r, int plus, int longer)
{
    struct bundle_writer w;
    char name[16];
    assert_true(bundle_writer_open(&w, r->prefix, &none));
    for (int i = 0; i < NUM; i++) {
        struct tensor t;
        struct shape shape = shape_1(elems_of(i) + (i == longer));
        assert_true(tensor_new(&t, DT_FLOAT, &shape, &none));
        for (int64_t k = 0; k < t.num_elems; k++)
            tensor_f32(&t)[k] = (float)(i + plus);
        snprintf(name, sizeof name, "v%02d", i);
        assert_true(bundle_write(&w, str_of(name), &t, &none));
        tensor_clear(&t);
    }
    assert_true(bundle_writer_finish(&w, &none));
}

/* Every element of variable i. */
static float value_of(struct rig *r, int i)
{
    int64_t n = elems_of(i);
    float *v = mem_new_array(float, n), first;
    assert_int_equal(
        leat_run(r->session, r->m->st, .fetches = leat_fetches(leat_fetch(r->v[i], v, (int)n))), 1);
    first = v[0];
    for (int64_t k = 0; k < n; k++)
        assert_true(v[k] == first);
    mem_free(v);
    return first;
}

static void check_memory(struct made *m, bool resource)
{
    struct rig r;
    struct buffer_stats before, now;
    int64_t model = 0;
    const int64_t largest = elems_of(NUM - 1) * (int64_t)sizeof(float);
    for (int i = 0; i < NUM; i++)
        model += elems_of(i) * (int64_t)sizeof(float);
    rig_open(&r, m, resource);
    put_checkpoint(&r, 1, -1);
    buffer_trim(); /* what is kept would serve with blocks somewhat larger */
    buffer_stats(&before);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(leat_saver_restore(r.saver, r.session, r.prefix, m->st), 1);
        buffer_stats(&now);
        assert_true(now.in_use - before.in_use >= model - SLACK);
        assert_true(now.peak - before.in_use <= model + largest + SLACK);
    }
    char *saved = leat_saver_save(r.saver, r.session, r.prefix, m->st, .write_meta_graph = 0,
                                  .write_state = 0);
    assert_non_null(saved);
    leat_free(saved);
    buffer_stats(&now);
    assert_true(now.peak - before.in_use <= model + largest + SLACK);
    for (int i = 0; i < NUM; i += 5)
        assert_true(value_of(&r, i) == (float)(i + 1));
    rig_close(&r);
}

static void test_restore__takes_one_tensor_more(void **state)
{
    check_memory(*state, false);
}

static void test_restore__takes_one_tensor_more_for_resources(void **state)
{
    check_memory(*state, true);
}

/* What the index tells is known before the first variable changes. */
static void test_restore__asks_for_shapes_first(void **state)
{
    struct rig r;
    rig_open(&r, *state, false);
    put_checkpoint(&r, 1, -1);
    assert_int_equal(leat_saver_restore(r.saver, r.session, r.prefix, r.m->st), 1);
    put_checkpoint(&r, 50, NUM - 2);
    assert_int_equal(leat_saver_restore(r.saver, r.session, r.prefix, r.m->st), 0);
    assert_int_equal(TF_GetCode(r.m->st), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(r.m->st),
                           "Assign requires shapes of both tensors to match. lhs shape= [400000] "
                           "rhs shape= [400001]"));
    assert_non_null(strstr(TF_Message(r.m->st), "{{node save/Assign_10}}"));
    for (int i = 0; i < NUM; i += 3)
        assert_true(value_of(&r, i) == (float)(i + 1));
    rig_close(&r);
}

/* A tensor whose checksum is wrong: its variable keeps the old value. */
static void test_restore__keeps_values_whole(void **state)
{
    struct rig r;
    rig_open(&r, *state, false);
    put_checkpoint(&r, 1, -1);
    assert_int_equal(leat_saver_restore(r.saver, r.session, r.prefix, r.m->st), 1);
    put_checkpoint(&r, 50, -1);
    char *data = bundle_data_path(r.prefix, 0, 1);
    int64_t at = 0;
    for (int i = 0; i < 6; i++)
        at += elems_of(i) * (int64_t)sizeof(float);
    FILE *f = fopen(data, "r+");
    assert_non_null(f);
    assert_int_equal(fseek(f, (long)at - 8, SEEK_SET), 0);
    assert_int_equal(fputc('x', f), 'x');
    assert_int_equal(fclose(f), 0);
    mem_free(data);
    assert_int_equal(leat_saver_restore(r.saver, r.session, r.prefix, r.m->st), 0);
    assert_int_equal(TF_GetCode(r.m->st), TF_DATA_LOSS);
    for (int i = 0; i < NUM; i++) {
        float value = value_of(&r, i);
        assert_true(value == (float)(i + 1) || (i < 5 && value == (float)(i + 50)));
    }
    rig_close(&r);
}

/* A graph whose restored values are read besides goes the plain way. */
static void test_restore__values_that_are_read_too(void **state)
{
    struct rig r;
    rig_open(&r, *state, false);
    put_checkpoint(&r, 1, -1);
    TF_Operation *restore = TF_GraphOperationByName(r.m->g, "save/RestoreV2");
    TF_Operation *all = TF_GraphOperationByName(r.m->g, "save/restore_all");
    TF_Output name = {TF_GraphOperationByName(r.m->g, "save/Const"), 0};
    TF_Output sum = leat_reduce_sum(r.m->g, leat_output_of(restore, 2));
    TF_Tensor *prefix = leat_string_tensor((const char *const *)&r.prefix, NULL, NULL, 0, r.m->st);
    TF_Tensor *got = NULL;
    const TF_Operation *target = all;
    assert_no_error(r.m);
    TF_SessionRun(r.session, NULL, &name, &prefix, 1, &sum, &got, 1, &target, 1, NULL, r.m->st);
    assert_int_equal(TF_GetCode(r.m->st), TF_OK);
    assert_true(*(float *)TF_TensorData(got) == 3 * (float)elems_of(2));
    assert_true(value_of(&r, 2) == 3 && value_of(&r, 11) == 12);
    TF_DeleteTensor(prefix);
    TF_DeleteTensor(got);
    rig_close(&r);
}

/* The optimiser's own node, written by hand with attrs that do not fit. */
static void test_restore__hand_written_nodes_are_checked(void **state)
{
    struct made *m = *state;
    const TF_DataType types[] = {TF_FLOAT};
    const unsigned char validate = 0;
    const int64_t at = 5;
    const void *texts[] = {""};
    const size_t lens[] = {0};
    TF_OperationDescription *d = TF_NewOperation(m->g, "_RestoreInto", "by_hand");
    for (int i = 0; i < 3; i++)
        TF_AddInput(d, leat_const_string(m->g, "x"));
    TF_AddInputList(d, NULL, 0);
    TF_Output v = leat_variable(m->g, "v", leat_const_float(m->g, 1), .resource = 1);
    TF_AddInputList(d, &v, 1);
    TF_SetAttrTypeList(d, "dtypes", types, 1);
    TF_SetAttrTypeList(d, "ref_types", types, 0);
    TF_SetAttrInt(d, "num_handles", 1);
    TF_SetAttrIntList(d, "at", &at, 1);
    TF_SetAttrBoolList(d, "validate_shape", &validate, 1);
    TF_SetAttrStringList(d, "names", texts, lens, 1);
    TF_SetAttrStringList(d, "made", texts, lens, 1);
    TF_Operation *op = TF_FinishOperation(d, m->st);
    assert_int_equal(TF_GetCode(m->st), TF_OK);
    TF_Session *session = leat_session_new(m->g, m->st);
    assert_int_equal(leat_run_op(session, op, leat_no_feeds(), m->st), 0);
    assert_non_null(strstr(TF_Message(m->st), "its attrs do not fit each other"));
    TF_SetStatus(m->st, TF_OK, "");
    leat_session_close(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)
        T(test_restore__takes_one_tensor_more),
        T(test_restore__takes_one_tensor_more_for_resources),
        T(test_restore__asks_for_shapes_first),
        T(test_restore__keeps_values_whole),
        T(test_restore__values_that_are_read_too),
        T(test_restore__hand_written_nodes_are_checked),
#undef T
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
