/* SPDX-License-Identifier: Apache-2.0 */
/* Savers: the nodes are those that TensorFlow 1.15.5 makes; what is saved comes back; the state
 * file and what is kept follow its rules; nothing is half done when something fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "graph_text.h"
#include "io/file.h"
#include "io/folder.h"

#include "base/mem.h"

static char *temp_folder(void)
{
    const char *at = getenv("TMPDIR");
    char *path = mem_printf("%s/leat-saver-XXXXXX", at ? at : "/tmp");
    assert_non_null(mkdtemp(path));
    return path;
}

static void remove_folder(char *folder)
{
    struct path_list files;
    struct status st = {0};
    char *pattern = mem_printf("%s/*", folder);
    assert_true(path_glob(pattern, &files, &st));
    for (int64_t i = 0; i < files.n; i++)
        if (folder_exists(files.v[i]))
            remove_folder(mem_strdup(files.v[i]));
        else
            unlink(files.v[i]);
    assert_int_equal(rmdir(folder), 0);
    path_list_release(&files);
    mem_free(pattern);
    mem_free(folder);
}

/* --- nodes --- */

static void test_saver__nodes(void **state)
{
    struct made *m = *state;
    (void)leat_variable(m->g, "b", leat_const_float(m->g, 1));
    (void)leat_variable(m->g, "a", leat_const_float(m->g, 2));
    (void)leat_variable(m->g, "c", leat_const_int64(m->g, 3), .resource = 1);
    leat_saver *s = leat_saver_new(m->g);
    assert_no_error(m);
    char *text = graph_text(m->g, 0);
    const char *at = strstr(text, "save/");
    assert_non_null(at);
    assert_string_equal(
        at, "save/filename/input Const\n"
            "save/filename PlaceholderWithDefault(save/filename/input)\n"
            "save/Const PlaceholderWithDefault(save/filename)\n"
            "save/SaveV2/tensor_names Const\n"
            "save/SaveV2/shape_and_slices Const\n"
            "save/SaveV2 SaveV2(save/Const, save/SaveV2/tensor_names, "
            "save/SaveV2/shape_and_slices, a, b, c/Read/ReadVariableOp)\n"
            "save/control_dependency Identity(save/Const, ^save/SaveV2) loc:save/Const\n"
            "save/RestoreV2/tensor_names Const @/device:CPU:0\n"
            "save/RestoreV2/shape_and_slices Const @/device:CPU:0\n"
            "save/RestoreV2 RestoreV2(save/Const, save/RestoreV2/tensor_names, "
            "save/RestoreV2/shape_and_slices) @/device:CPU:0\n"
            "save/Assign Assign(a, save/RestoreV2) loc:a\n"
            "save/Assign_1 Assign(b, save/RestoreV2:1) loc:b\n"
            "save/Identity Identity(save/RestoreV2:2)\n"
            "save/AssignVariableOp AssignVariableOp(c, save/Identity)\n"
            "save/restore_all NoOp(^save/Assign, ^save/Assign_1, ^save/AssignVariableOp)\n");
    leat_free(text);
    leat_saver_free(s);
}

static void test_saver__nodes_of_shards(void **state)
{
    struct made *m = *state;
    leat_with_device(m->g, "/job:ps/task:0")
        (void)leat_variable(m->g, "b", leat_const_float(m->g, 1));
    leat_with_device(m->g, "/job:ps/task:1")
        (void)leat_variable(m->g, "a", leat_const_float(m->g, 2), .resource = 1);
    leat_saver *s = leat_saver_new(m->g, .sharded = 1);
    assert_no_error(m);
    char *text = graph_text(m->g, 0);
    const char *at = strstr(text, "save/StringJoin");
    assert_non_null(at);
#define PS0 " @/job:ps/task:0/device:CPU:0\n"
#define PS1 " @/job:ps/task:1/device:CPU:0\n"
    const char *want =
        "save/StringJoin/inputs_1 Const\n"
        "save/StringJoin StringJoin(save/Const, save/StringJoin/inputs_1)\n"
        "save/num_shards Const\n"
        "save/ShardedFilename/shard Const" PS0
        "save/ShardedFilename ShardedFilename(save/StringJoin, save/ShardedFilename/shard, "
        "save/num_shards)" PS0 "save/SaveV2/tensor_names Const" PS0
        "save/SaveV2/shape_and_slices Const" PS0
        "save/SaveV2 SaveV2(save/ShardedFilename, save/SaveV2/tensor_names, "
        "save/SaveV2/shape_and_slices, b)" PS0
        "save/control_dependency Identity(save/ShardedFilename, ^save/SaveV2) "
        "@/job:ps/task:0/device:CPU:0 loc:save/ShardedFilename\n"
        "save/ShardedFilename_1/shard Const" PS1;
    assert_int_equal(strncmp(at, want, strlen(want)), 0);
    assert_non_null(strstr(text, "save/restore_all/NoOp NoOp(^save/restore_shard) "
                                 "@/job:ps/task:0\n"
                                 "save/restore_all/NoOp_1 NoOp(^save/restore_shard_1) "
                                 "@/job:ps/task:1\n"
                                 "save/restore_all NoOp(^save/restore_all/NoOp, "
                                 "^save/restore_all/NoOp_1)\n"));
    leat_free(text);
    leat_saver_free(s);
}

static void test_saver__refuses(void **state)
{
    struct made *m = *state;
    assert_null(leat_saver_new(m->g));
    assert_error(m, "No variables to save");
    TF_Output a = leat_variable(m->g, "a", leat_const_float(m->g, 1));
    TF_Output b = leat_variable(m->g, "b", leat_const_float(m->g, 1));
    assert_null(
        leat_saver_new(m->g, .variables = leat_outputs(a, b), .names = leat_strings("x", "x")));
    assert_error(m, "At least two variables have the same name: x");
    assert_null(leat_saver_new(m->g, .variables = leat_outputs(a, b), .names = leat_strings("x")));
    assert_error(m, "not as many names");
    assert_null(leat_saver_new(m->g, .variables = leat_outputs(leat_const_float(m->g, 1))));
    assert_error(m, "is not a variable");
}

/* --- files --- */

struct model {
    struct made *m;
    TF_Output v, r, step;
    TF_Session *session;
    char *folder, *prefix;
};

static struct model model_new(struct made *m)
{
    struct model x = {.m = m, .folder = temp_folder()};
    x.prefix = mem_printf("%s/ckpt", x.folder);
    x.v = leat_variable(m->g, "v", leat_const_floats(m->g, ((float[]){1, 2, 3}), leat_shape(3)));
    x.r = leat_variable(m->g, "r", leat_const_int64(m->g, 7), .resource = 1);
    return x;
}

static void model_start(struct model *x)
{
    TF_Operation *init = leat_global_variables_initializer(x->m->g);
    assert_no_error(x->m);
    x->session = leat_session_new(x->m->g, x->m->st);
    assert_int_equal(leat_run_op(x->session, init, leat_no_feeds(), x->m->st), 1);
}

static void model_end(struct model *x)
{
    leat_session_close(x->session);
    mem_free(x->prefix);
    remove_folder(x->folder);
}

static void expect_values(struct model *x, float v0, int64_t r)
{
    float v[3];
    int64_t got;
    assert_int_equal(
        leat_run(x->session, x->m->st,
                 .fetches = leat_fetches(leat_fetch(x->v, v, 3), leat_fetch(x->r, &got, 1))),
        1);
    assert_true(v[0] == v0 && v[1] == v0 + 1 && v[2] == v0 + 2);
    assert_int_equal(got, r);
}

static void set_values(struct model *x, TF_Output set_v, TF_Output set_r)
{
    assert_int_equal(leat_run(x->session, x->m->st, .targets = leat_opers(set_v.oper, set_r.oper)),
                     1);
}

static char *state_text(const struct model *x)
{
    char *bytes, *path = mem_printf("%s/checkpoint", x->folder);
    size_t n;
    struct status st = {0};
    assert_true(file_read(path, 1 << 20, &bytes, &n, &st));
    mem_free(path);
    char *text = mem_strndup(bytes, n);
    mem_free(bytes);
    return text;
}

static void test_saver__brings_values_back(void **state)
{
    struct made *m = *state;
    struct model x = model_new(m);
    static const int versions[] = {LEAT_SAVER_V2, LEAT_SAVER_V1};
    TF_Output set_v =
        leat_assign(m->g, x.v, leat_const_floats(m->g, ((float[]){9, 9, 9}), leat_shape(3)));
    TF_Output set_r = leat_assign(m->g, x.r, leat_const_int64(m->g, 9));
    leat_saver *savers[4];
    for (int i = 0; i < 4; i++)
        savers[i] = leat_saver_new(m->g, .version = versions[i / 2], .sharded = i % 2);
    model_start(&x);
    for (int i = 0; i < 4; i++) {
        char *saved = leat_saver_save(savers[i], x.session, x.prefix, m->st, .global_step = 10 + i);
        assert_non_null(saved);
        set_values(&x, set_v, set_r);
        assert_int_equal(leat_saver_restore(savers[i], x.session, saved, m->st), 1);
        expect_values(&x, 1, 7);
        assert_int_equal(leat_checkpoint_exists(saved), 1);
        char *latest = leat_latest_checkpoint(x.folder, NULL);
        assert_string_equal(latest, saved);
        leat_free(latest);
        leat_free(saved);
        leat_saver_free(savers[i]);
    }
    model_end(&x);
}

static void test_saver__keeps_the_last(void **state)
{
    struct made *m = *state;
    struct model x = model_new(m);
    leat_saver *s = leat_saver_new(m->g, .max_to_keep = 2, .save_relative_paths = 1);
    model_start(&x);
    for (int i = 1; i <= 4; i++)
        leat_free(leat_saver_save(s, x.session, x.prefix, m->st, .global_step = i));
    const char *last[4];
    assert_int_equal(leat_saver_last_checkpoints(s, last, 4), 2);
    assert_string_equal(last[1] + strlen(x.prefix), "-4");
    char *text = state_text(&x);
    assert_string_equal(text, "model_checkpoint_path: \"ckpt-4\"\n"
                              "all_model_checkpoint_paths: \"ckpt-3\"\n"
                              "all_model_checkpoint_paths: \"ckpt-4\"\n");
    mem_free(text);
    struct path_list files;
    struct status st = {0};
    char *pattern = mem_printf("%s/*", x.folder);
    assert_true(path_glob(pattern, &files, &st));
    assert_int_equal(files.n, 7); /* the state; of two checkpoints the index, data and graph */
    path_list_release(&files);
    mem_free(pattern);
    /* after a restart the new saver goes on where that one ended */
    leat_saver_free(s);
    s = leat_saver_new(m->g, .max_to_keep = 2, .save_relative_paths = 1, .name = "again");
    assert_int_equal(leat_saver_recover_last_checkpoints(s, x.folder, NULL, 0, m->st), 1);
    leat_free(leat_saver_save(s, x.session, x.prefix, m->st, .global_step = 5));
    assert_int_equal(leat_saver_last_checkpoints(s, last, 4), 2);
    char *gone = mem_printf("%s-3", x.prefix);
    assert_int_equal(leat_checkpoint_exists(gone), 0);
    mem_free(gone);
    leat_saver_free(s);
    model_end(&x);
}

static void test_saver__keeps_one_in_n_hours(void **state)
{
    struct made *m = *state;
    struct model x = model_new(m);
    leat_saver *s = leat_saver_new(m->g, .max_to_keep = 1, .keep_every_n_hours = -1);
    model_start(&x);
    for (int i = 1; i <= 3; i++)
        leat_free(leat_saver_save(s, x.session, x.prefix, m->st, .global_step = i));
    for (int i = 1; i <= 3; i++) { /* each is later than an hour ago */
        char *path = mem_printf("%s-%d", x.prefix, i);
        assert_int_equal(leat_checkpoint_exists(path), 1);
        mem_free(path);
    }
    leat_saver_free(s);
    model_end(&x);
}

static void test_saver__by_other_names(void **state)
{
    struct made *m = *state;
    struct model x = model_new(m);
    TF_Output w = leat_variable(m->g, "w", leat_zeros(m->g, leat_shape(3)));
    leat_saver *s = leat_saver_new(m->g, .variables = leat_outputs(x.v, x.r),
                                   .names = leat_strings("old/v", "old/r"));
    leat_saver *t =
        leat_saver_new(m->g, .variables = leat_outputs(w), .names = leat_strings("old/v"));
    model_start(&x);
    char *saved = leat_saver_save(s, x.session, x.prefix, m->st, .write_meta_graph = 0);
    assert_string_equal(saved, x.prefix);
    assert_int_equal(leat_saver_restore(t, x.session, saved, m->st), 1);
    float v[3];
    assert_int_equal(leat_run(x.session, m->st, .fetches = leat_fetches(leat_fetch(w, v, 3))), 1);
    assert_true(v[0] == 1 && v[2] == 3);
    leat_free(saved);
    /* a saver of the same graph by its SaverDef */
    TF_Buffer *def = leat_saver_def(t);
    leat_saver *again = leat_saver_from_def(m->g, def, m->st);
    assert_non_null(again);
    assert_int_equal(leat_saver_restore(again, x.session, x.prefix, m->st), 1);
    TF_DeleteBuffer(def);
    leat_saver_free(again);
    leat_saver_free(s);
    leat_saver_free(t);
    model_end(&x);
}

static void test_saver__partitioned(void **state)
{
    struct made *m = *state;
    struct model x = model_new(m);
    TF_Output p0 =
        leat_variable(m->g, "p/part_0", leat_const_floats(m->g, ((float[]){1, 2}), leat_shape(2)));
    TF_Output p1 =
        leat_variable(m->g, "p/part_1", leat_const_floats(m->g, ((float[]){3}), leat_shape(1)));
    leat_saver *s =
        leat_saver_new(m->g, .variables = leat_outputs(p0, p1), .names = leat_strings("p", "p"),
                       .slices = leat_strings("3 0,2", "3 2,1"));
    leat_saver *t =
        leat_saver_new(m->g, .variables = leat_outputs(x.v), .names = leat_strings("p"));
    assert_no_error(m);
    model_start(&x);
    leat_free(leat_saver_save(s, x.session, x.prefix, m->st));
    assert_int_equal(leat_saver_restore(t, x.session, x.prefix, m->st), 1);
    expect_values(&x, 1, 7);
    leat_saver_free(s);
    leat_saver_free(t);
    model_end(&x);
}

/* Rows of p [5, 2] that begin with 10 times their number, in parts of so many rows. */
static void make_parts(struct made *m, const int *rows, int n)
{
    int64_t begin = 0;
    for (int i = 0; i < n; i++) {
        float values[10] = {0};
        char name[16], spec[32];
        for (int64_t k = 0; k < rows[i]; k++)
            values[2 * k] = (float)(10 * (begin + k));
        snprintf(name, sizeof name, "p/part_%d", i);
        snprintf(spec, sizeof spec, "5 2 %d,%d:-", (int)begin, rows[i]);
        TF_Output v = leat_variable(
            m->g, name, leat_const_floats(m->g, values, leat_shape(rows[i], 2)), .resource = i % 2);
        assert_int_equal(leat_set_variable_slice(m->g, v, "p", spec), 1);
        begin += rows[i];
    }
}

/* What a graph says of its partitioned variable decides, not how it is cut; a MetaGraph says it. */
static void test_saver__partitioned_otherwise(void **state)
{
    struct made *m = *state, *n;
    char *folder = temp_folder(), *prefix = mem_printf("%s/ckpt", folder), *spec, *name;
    make_parts(m, (const int[]){2, 3}, 2);
    leat_saver *s = leat_saver_new(m->g);
    TF_Operation *init = leat_global_variables_initializer(m->g);
    assert_no_error(m);
    TF_Session *session = leat_session_new(m->g, m->st);
    assert_int_equal(leat_run_op(session, init, leat_no_feeds(), m->st), 1);
    leat_free(leat_saver_save(s, session, prefix, m->st, .write_meta_graph = 0));
    leat_saver_free(s);
    TF_Buffer *meta = leat_export_meta_graph(m->g, NULL, m->st);
    assert_non_null(meta);
    leat_session_close(session);

    void *other;
    assert_int_equal(made_setup(&other), 0);
    n = other;
    make_parts(n, (const int[]){1, 3, 1}, 3);
    s = leat_saver_new(n->g);
    assert_no_error(n);
    session = leat_session_new(n->g, n->st);
    assert_int_equal(leat_saver_restore(s, session, prefix, n->st), 1);
    for (int i = 0; i < 3; i++) {
        static const int rows[] = {1, 3, 1}, first[] = {0, 10, 40};
        float got[6];
        char *part = mem_printf("p/part_%d", i);
        struct leat_variable_parts v;
        assert_int_equal(leat_find_variable_named(n->g, part, &v), 1);
        assert_int_equal(
            leat_run(session, n->st, .fetches = leat_fetches(leat_fetch(v.ref, got, 2 * rows[i]))),
            1);
        assert_true(got[0] == (float)first[i] && got[1] == 0);
        mem_free(part);
    }
    leat_saver_free(s);
    leat_session_close(session);
    (void)made_teardown(&other);

    assert_int_equal(made_setup(&other), 0);
    n = other;
    assert_int_equal(leat_import_meta_graph(n->g, meta, NULL, n->st), 1);
    struct leat_variable_parts v;
    assert_int_equal(leat_find_variable_named(n->g, "p/part_1", &v), 1);
    assert_int_equal(leat_variable_slice(n->g, v.ref, &name, &spec), 1);
    assert_string_equal(name, "p");
    assert_string_equal(spec, "5 2 2,3:0,2");
    assert_int_equal(leat_set_variable_slice(n->g, v.ref, "p", "5 2 3,3:-"), 0);
    assert_error(n, "leat_set_variable_slice");
    assert_int_equal(leat_set_variable_slice(n->g, v.ref, "p", "5 2 1,2:-"), 0);
    assert_error(n, "the slice has not the shape of 'p/part_1'");
    leat_free(name);
    leat_free(spec);
    (void)made_teardown(&other);
    TF_DeleteBuffer(meta);
    mem_free(prefix);
    remove_folder(folder);
}

static void test_saver__says_what_is_wrong(void **state)
{
    struct made *m = *state;
    struct model x = model_new(m);
    leat_saver *s = leat_saver_new(m->g);
    leat_saver *v = leat_saver_new(m->g, .variables = leat_outputs(x.v));
    model_start(&x);
    char *deep = mem_printf("%s/no/such/ckpt", x.folder);
    assert_null(leat_saver_save(s, x.session, deep, m->st));
    assert_int_equal(TF_GetCode(m->st), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(m->st), "doesn't exist, can't save."));
    assert_int_equal(leat_saver_restore(s, x.session, deep, m->st), 0);
    assert_non_null(strstr(TF_Message(m->st), "is not a valid checkpoint"));
    mem_free(deep);
    char *state_name = mem_printf("%s/checkpoint", x.folder);
    assert_null(leat_saver_save(s, x.session, state_name, m->st));
    assert_non_null(strstr(TF_Message(m->st), "collides"));
    mem_free(state_name);
    leat_free(leat_saver_save(v, x.session, x.prefix, m->st));
    assert_int_equal(leat_saver_restore(s, x.session, x.prefix, m->st), 0);
    assert_int_equal(TF_GetCode(m->st), TF_NOT_FOUND);
    assert_non_null(strstr(TF_Message(m->st), "Key r not found in checkpoint"));
    assert_null(leat_latest_checkpoint("/no/such/folder", NULL));
    TF_SetStatus(m->st, TF_OK, "");
    leat_saver_free(s);
    leat_saver_free(v);
    model_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)
        T(test_saver__nodes),
        T(test_saver__nodes_of_shards),
        T(test_saver__refuses),
        T(test_saver__brings_values_back),
        T(test_saver__keeps_the_last),
        T(test_saver__keeps_one_in_n_hours),
        T(test_saver__by_other_names),
        T(test_saver__partitioned),
        T(test_saver__partitioned_otherwise),
        T(test_saver__says_what_is_wrong),
#undef T
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
