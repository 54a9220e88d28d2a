/* SPDX-License-Identifier: Apache-2.0 */
/* The SavedModels of ../shared/models: loaded through both APIs, run by signature, with the values
 * that TensorFlow 1.15.5 gave; and what is wrong with a folder is told as it tells it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/files.h"
#include "leat/leat.h"

static TF_Status *status;
static char scratch[64];

static int set_up(void **state)
{
    (void)state;
    status = TF_NewStatus();
    snprintf(scratch, sizeof scratch, "/tmp/leat-models-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    TF_DeleteStatus(status);
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    return system(command);
}

static const char *model_path(const char *name, struct text *path)
{
    char what[256];
    snprintf(what, sizeof what, "models/%s", name);
    if (!shared_find(what, path))
        skip();
    return path->p;
}

static leat_saved_model *load(const char *name, struct leat_strings tags)
{
    struct text path = {0};
    leat_saved_model *m = leat_saved_model_load(model_path(name, &path), tags, status);
    if (TF_GetCode(status) != TF_OK)
        fail_msg("%s: %s", name, TF_Message(status));
    assert_non_null(m);
    text_release(&path);
    return m;
}

static TF_Tensor *floats(const float *v, int64_t n, int rank, const int64_t *dims)
{
    TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, dims, rank, (size_t)n * sizeof *v);
    memcpy(TF_TensorData(t), v, (size_t)n * sizeof *v);
    return t;
}

static TF_Tensor *text_tensor(const char *const *v, const size_t *sizes, int n, int rank,
                              const int64_t *dims)
{
    size_t total = 0;
    for (int i = 0; i < n; i++)
        total += 8 + TF_StringEncodedSize(sizes[i]);
    TF_Tensor *t = TF_AllocateTensor(TF_STRING, dims, rank, total);
    char *base = TF_TensorData(t), *at = base + 8 * n;
    for (int i = 0; i < n; i++) {
        uint64_t offset = (uint64_t)(at - (base + 8 * n));
        memcpy(base + 8 * i, &offset, sizeof offset);
        at += TF_StringEncode(v[i], sizes[i], at, (size_t)(base + total - at), status);
        assert_int_equal(TF_GetCode(status), TF_OK);
    }
    return t;
}

/* Feeds one input, fetches one output, and compares with want. */
static void signature_gives(leat_saved_model *m, const char *signature, const char *in,
                            TF_Tensor *value, const char *out, const float *want, int64_t n)
{
    leat_named_tensor x = {in, value}, y = {out, NULL};
    leat_saved_model_run(m, signature, &x, 1, &y, 1, status);
    if (TF_GetCode(status) != TF_OK)
        fail_msg("%s", TF_Message(status));
    assert_int_equal(TF_TensorType(y.tensor), TF_FLOAT);
    assert_int_equal(TF_TensorByteSize(y.tensor), (size_t)n * sizeof(float));
    const float *got = TF_TensorData(y.tensor);
    for (int64_t i = 0; i < n; i++)
        assert_true(fabsf(got[i] - want[i]) <= 1e-6f * fabsf(want[i]) + 1e-7f);
    TF_DeleteTensor(y.tensor);
    TF_DeleteTensor(value);
}

/* An Example with the float feature x = 3. */
static const char example[] = "\x0a\x0f\x0a\x0d\x0a\x01x\x12\x08\x12\x06\x0a\x04\x00\x00\x40\x40";

static void test_half_plus_three(void **state)
{
    (void)state;
    leat_saved_model *m = load("saved_model_half_plus_three/00000123", leat_strings("serve"));
    const struct leat_signature *list;
    assert_int_equal(leat_saved_model_signatures(m, &list), 2);
    assert_string_equal(list[0].name, "serving_default");
    assert_string_equal(list[0].method, "tensorflow/serving/predict");
    assert_string_equal(list[0].inputs[0].name, "x");
    assert_int_equal(list[0].inputs[0].dtype, TF_FLOAT);
    assert_string_equal(list[1].name, "tensorflow/serving/regress");
    TF_Status *s = TF_NewStatus();
    assert_ptr_equal(leat_saved_model_signature(m, list[1].name, s), &list[1]);
    assert_null(leat_saved_model_signature(m, "regress", s));
    assert_int_equal(TF_GetCode(s), TF_NOT_FOUND);
    assert_non_null(strstr(TF_Message(s), "serving_default, tensorflow/serving/regress"));
    assert_null(leat_saved_model_signature(m, NULL, s));
    assert_null(leat_saved_model_signature(NULL, "x", s));
    assert_int_equal(TF_GetCode(s), TF_INVALID_ARGUMENT);
    TF_DeleteStatus(s);
    float x[] = {0, 2, -8, 1e6f}, y[4];
    for (int i = 0; i < 4; i++)
        y[i] = x[i] / 2 + 3;
    signature_gives(m, NULL, "x", floats(x, 4, 2, (int64_t[]){4, 1}), "y", y, 4);
    leat_saved_model_free(m);
}

static void test_half_plus_two_with_snappy(void **state)
{
    (void)state;
    leat_saved_model *m = load("saved_model_half_plus_two_snappy/00000123", leat_strings("serve"));
    float x[] = {2, 4};
    signature_gives(m, NULL, "x", floats(x, 2, 2, (int64_t[]){2, 1}), "y", (float[]){3, 4}, 2);
    signature_gives(m, "regress_x2_to_y3", "inputs", floats(x, 2, 2, (int64_t[]){2, 1}), "outputs",
                    (float[]){4, 5}, 2);
    TF_Tensor *e = text_tensor((const char *const[]){example}, (size_t[]){sizeof example - 1}, 1, 1,
                               (int64_t[]){1});
    signature_gives(m, "regress_x_to_y2", "inputs", e, "outputs", (float[]){4.5f}, 1);
    leat_saved_model_free(m);
}

static void test_mnist_lr(void **state)
{
    (void)state;
    leat_saved_model *m = load("saved_model_mnist_lr", leat_strings("serve"));
    float x[784], y[10];
    for (int i = 0; i < 784; i++)
        x[i] = (float)(i % 7) / 10;
    for (int i = 0; i < 10; i++)
        y[i] = 0.1f;
    signature_gives(m, NULL, "Features", floats(x, 784, 2, (int64_t[]){1, 784}), "Prediction", y,
                    10);
    leat_saved_model_free(m);
}

static void test_regression(void **state)
{
    (void)state;
    leat_saved_model *m = load("saved_model_regression", leat_strings("train", "serve"));
    float x[] = {0, 1, 2, 10}, y[] = {0, -0.85786223f, -1.7157245f, -8.578623f};
    signature_gives(m, "tensorflow/serving/regress", "x", floats(x, 4, 1, (int64_t[]){4}), "out", y,
                    4);
    /* its variables are known */
    assert_int_equal(
        leat_get_collection(leat_saved_model_graph(m), LEAT_TRAINABLE_VARIABLES, NULL, NULL, 0), 2);
    TF_Output w;
    assert_int_equal(
        leat_get_collection(leat_saved_model_graph(m), LEAT_GLOBAL_VARIABLES, NULL, &w, 1), 2);
    float value = (float)leat_run_number(leat_saved_model_session(m), w, leat_no_feeds(), status);
    assert_true(fabsf(value + 0.85786223f) < 1e-6f);
    leat_saved_model_free(m);
}

/* Strings cut at blanks and joined again, and some that pass as they are. */
static void test_strings(void **state)
{
    (void)state;
    leat_saved_model *m = load("saved_model_strings", leat_strings("serve"));
    TF_Tensor *a = text_tensor((const char *const[]){"a b", "c", "d", "e f g"},
                               (size_t[]){3, 1, 1, 5}, 4, 2, (int64_t[]){2, 2});
    TF_Tensor *b =
        text_tensor((const char *const[]){"x", "y z"}, (size_t[]){1, 3}, 2, 1, (int64_t[]){2});
    TF_Tensor *joined =
        text_tensor((const char *const[]){"x y z"}, (size_t[]){5}, 1, 1, (int64_t[]){1});
    TF_Tensor *want[] = {a, joined};
    leat_named_tensor x[] = {{"A", a}, {"B", b}};
    leat_named_tensor y[] = {{"Original_A", NULL}, {"Joined_Splited_Text", NULL}};
    leat_saved_model_run(m, NULL, x, 2, y, 2, status);
    if (TF_GetCode(status) != TF_OK)
        fail_msg("%s", TF_Message(status));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(TF_TensorByteSize(y[i].tensor), TF_TensorByteSize(want[i]));
        assert_memory_equal(TF_TensorData(y[i].tensor), TF_TensorData(want[i]),
                            TF_TensorByteSize(want[i]));
        TF_DeleteTensor(y[i].tensor);
        TF_DeleteTensor(want[i]);
    }
    TF_DeleteTensor(b);
    leat_saved_model_free(m);
}

/* --- the C API, and what is wrong --- */

static TF_Session *tf_load(const char *dir, const char *const *tags, int n, TF_Graph *g,
                           TF_Buffer *meta)
{
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_Session *s = TF_LoadSessionFromSavedModel(o, NULL, dir, tags, n, g, meta, status);
    TF_DeleteSessionOptions(o);
    return s;
}

static void is_empty(TF_Graph *g)
{
    size_t pos = 0;
    assert_null(TF_GraphNextOperation(g, &pos));
    assert_int_equal(TF_GraphNumFunctions(g), 0);
    assert_int_equal(leat_get_collection(g, LEAT_GLOBAL_VARIABLES, NULL, NULL, 0), 0);
    TF_Buffer *def = TF_NewBuffer();
    TF_GraphToGraphDef(g, def, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_Graph *fresh = TF_NewGraph();
    TF_Buffer *wanted = TF_NewBuffer();
    TF_GraphToGraphDef(fresh, wanted, status);
    assert_int_equal(def->length, wanted->length);
    assert_memory_equal(def->data, wanted->data, def->length);
    TF_DeleteBuffer(def);
    TF_DeleteBuffer(wanted);
    TF_DeleteGraph(fresh);
}

static void fails(const char *dir, const char *const *tags, int n, TF_Code code, const char *why)
{
    TF_Graph *g = TF_NewGraph();
    assert_null(tf_load(dir, tags, n, g, NULL));
    assert_int_equal(TF_GetCode(status), code);
    if (!strstr(TF_Message(status), why))
        fail_msg("wanted \"%s\" in: %s", why, TF_Message(status));
    is_empty(g);
    TF_DeleteGraph(g);
}

static void test_c_api(void **state)
{
    (void)state;
    struct text path = {0};
    const char *dir = model_path("saved_model_half_plus_three/00000123", &path);
    const char *tags[] = {"serve", "x"};
    TF_Graph *g = TF_NewGraph();
    TF_Buffer *meta = TF_NewBuffer();
    TF_Session *s = tf_load(dir, tags, 1, g, meta);
    if (TF_GetCode(status) != TF_OK)
        fail_msg("%s", TF_Message(status));
    assert_non_null(s);
    assert_non_null(TF_GraphOperationByName(g, "save/restore_all"));
    TF_Graph *again = TF_NewGraph(); /* the MetaGraphDef is one */
    assert_true(leat_import_meta_graph(again, meta, "in", status));
    assert_non_null(TF_GraphOperationByName(again, "in/save/restore_all"));
    TF_Output v;
    assert_true(leat_get_collection(again, LEAT_GLOBAL_VARIABLES, NULL, &v, 1) > 0);
    assert_true(strncmp(TF_OperationName(v.oper), "in/", 3) == 0);
    assert_true(leat_find_variable(again, v, NULL));
    TF_DeleteGraph(again);
    assert_null(tf_load(dir, tags, 1, g, NULL));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_string_equal(TF_Message(status), "Graph is non-empty.");
    TF_DeleteBuffer(meta);
    leat_session_close(s);
    TF_DeleteGraph(g);
    fails(dir, tags, 2, TF_NOT_FOUND,
          "Could not find meta graph def matching supplied tags: { serve x }");
    fails(dir, NULL, 0, TF_NOT_FOUND, "Could not find meta graph def");
    fails(NULL, tags, 1, TF_INVALID_ARGUMENT, "no folder");
    text_release(&path);
}

static void write_bytes(const char *name, const void *bytes, size_t n)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void test_broken(void **state)
{
    (void)state;
    const char *tags[] = {"serve"};
    fails(scratch, tags, 1, TF_NOT_FOUND,
          "Could not find SavedModel .pb or .pbtxt at supplied export directory path: ");
    write_bytes("saved_model.pbtxt", "junk {", 6);
    fails(scratch, tags, 1, TF_DATA_LOSS, "Can't parse ");
    static const char two[] = "meta_graphs { meta_info_def { tags: 'serve' } collection_def { key: "
                              "'legacy_init_op' value { node_list { value: 'a' value: 'b' } } } }";
    write_bytes("saved_model.pbtxt", two, sizeof two - 1);
    fails(scratch, tags, 1, TF_FAILED_PRECONDITION, "Expected exactly one main op in : ");
    static const char absent[] =
        "meta_graphs { meta_info_def { tags: 'serve' } collection_def { "
        "key: 'saved_model_main_op' value { node_list { value: 'no' } } } }";
    write_bytes("saved_model.pbtxt", absent, sizeof absent - 1);
    fails(scratch, tags, 1, TF_NOT_FOUND, "no");
    write_bytes("saved_model.pb", "\xff\xffjunk", 6);
    fails(scratch, tags, 1, TF_DATA_LOSS, "Can't parse ");
    write_bytes("saved_model.pb", "", 0);
    fails(scratch, tags, 1, TF_NOT_FOUND, "no meta graph at all");
}

/* The variables cannot be restored, after the graph was made and a step began: as in TensorFlow the
 * graph is empty again, and takes another model. */
static void test_failed_load_leaves_an_empty_graph(void **state)
{
    (void)state;
    struct text path = {0}, good = {0}, bytes = {0};
    const char *tags[] = {"serve"};
    model_path("saved_model_half_plus_three/00000123", &good);
    model_path("saved_model_half_plus_three/00000123/saved_model.pb", &path);
    assert_true(file_read(path.p, &bytes));
    write_bytes("saved_model.pb", bytes.p, bytes.n);
    char folder[200];
    snprintf(folder, sizeof folder, "%s/variables", scratch);
    assert_int_equal(mkdir(folder, 0777), 0);
    write_bytes("variables/variables.index", "no table", 8);
    TF_Graph *g = TF_NewGraph();
    assert_null(tf_load(scratch, tags, 1, g, NULL));
    assert_int_not_equal(TF_GetCode(status), TF_OK);
    is_empty(g);
    TF_Session *s = tf_load(good.p, tags, 1, g, NULL);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_Output v;
    assert_true(leat_get_collection(g, LEAT_GLOBAL_VARIABLES, NULL, &v, 1) > 0);
    assert_true(leat_find_variable(g, v, NULL));
    leat_session_close(s);
    TF_DeleteGraph(g);
    text_release(&bytes);
    text_release(&path);
    text_release(&good);
}

/* A collection that does not fit the graph: nodes, functions and collections stay as they were. */
static void test_failed_meta_graph_adds_nothing(void **state)
{
    (void)state;
    static const char text[] =
        "graph_def { node { name: 'a' op: 'NoOp' } library { function { signature { name: 'f' } } "
        "} "
        "versions { producer: 20 min_consumer: 12 bad_consumers: 3 } } "
        "collection_def { key: 'k' value { node_list { value: 'a' value: 'b' } } } "
        "collection_def { key: 'new' value { node_list { value: 'a' } } } "
        "collection_def { key: 'old' value { int64_list { value: 4 } } }";
    TF_Graph *g = TF_NewGraph();
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .name = "x");
    leat_add_to_collection(g, "k", x);
    leat_add_to_collection(g, "old", x);
    TF_Buffer *before = leat_export_meta_graph(g, NULL, status);
    TF_Buffer meta = {text, sizeof text - 1, NULL};
    assert_false(leat_import_meta_graph(g, &meta, NULL, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "collection old"));
    TF_Buffer *after = leat_export_meta_graph(g, NULL, status);
    assert_int_equal(before->length, after->length);
    assert_memory_equal(before->data, after->data, after->length);
    TF_DeleteBuffer(before);
    TF_DeleteBuffer(after);
    TF_DeleteGraph(g);
}

static void test_truncated_everywhere(void **state)
{
    (void)state;
    struct text path = {0}, bytes = {0};
    model_path("saved_model_strings/saved_model.pb", &path);
    assert_true(file_read(path.p, &bytes));
    const char *tags[] = {"serve"};
    for (size_t n = 0; n < bytes.n; n += 7) { /* each is refused, or is a smaller model */
        write_bytes("saved_model.pb", bytes.p, n);
        TF_Graph *g = TF_NewGraph();
        leat_session_close(tf_load(scratch, tags, 1, g, NULL));
        TF_DeleteGraph(g);
    }
    text_release(&bytes);
    text_release(&path);
}

/* --- MetaGraphs of our own --- */

static void test_meta_graph_round_trip(void **state)
{
    (void)state;
    TF_Graph *g = TF_NewGraph(), *h = TF_NewGraph();
    TF_Output w = leat_variable(g, "w", leat_const_float(g, 3)), r;
    r = leat_variable(g, "r", leat_const_float(g, 4), .resource = 1, .trainable = 0);
    leat_add_to_collection(g, LEAT_LOSSES, leat_mul(g, w, r));
    TF_Operation *init = leat_global_variables_initializer(g);
    leat_add_to_collection(g, "init_op", leat_output_of(init, 0));
    TF_Buffer *meta = leat_export_meta_graph(g, NULL, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_true(leat_import_meta_graph(h, meta, NULL, status));
    TF_Output loss;
    assert_int_equal(leat_get_collection(h, LEAT_LOSSES, NULL, &loss, 1), 1);
    assert_int_equal(leat_get_collection(h, LEAT_TRAINABLE_VARIABLES, NULL, NULL, 0), 1);
    assert_int_equal(leat_get_collection(h, LEAT_GLOBAL_VARIABLES, NULL, NULL, 0), 2);
    TF_Session *s = leat_session_new(h, status);
    leat_run_op(s, TF_GraphOperationByName(h, "init"), leat_no_feeds(), status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_true(leat_run_number(s, loss, leat_no_feeds(), status) == 12);
    leat_session_close(s);
    TF_Buffer *again = leat_export_meta_graph(h, NULL, status); /* and says the same */
    assert_int_equal(again->length, meta->length);
    TF_DeleteBuffer(again);
    TF_DeleteBuffer(meta);
    TF_Buffer junk = {"\xff\xff", 2, NULL};
    assert_false(leat_import_meta_graph(h, &junk, NULL, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_DeleteGraph(g);
    TF_DeleteGraph(h);
}

static void test_written_and_loaded(void **state)
{
    (void)state;
    char dir[100], asset[160];
    snprintf(dir, sizeof dir, "%s/model", scratch);
    snprintf(asset, sizeof asset, "%s/words.txt.gz", scratch);
    write_bytes("words.txt.gz", "\x1f\x8b not really", 14);
    TF_Graph *g = TF_NewGraph();
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(-1), .name = "x");
    TF_Output w = leat_variable(g, "w", leat_const_float(g, 3));
    TF_Output b = leat_variable(g, "b", leat_const_float(g, 4), .resource = 1);
    TF_Output y = leat_add(g, leat_mul(g, x, w), b, .name = "y");
    TF_Output words = leat_variable(g, "words", leat_const_string(g, "none"), .trainable = 0,
                                    .collection = LEAT_LOCAL_VARIABLES);
    TF_Output path = leat_const_string(g, "", .name = "path");
    TF_Operation *init = leat_assign(g, words, path, .name = "set_words").oper;
    TF_Session *s = leat_session_new(g, status);
    leat_run_op(s, leat_global_variables_initializer(g), leat_no_feeds(), status);
    leat_run_op(s, leat_assign(g, w, leat_const_float(g, 5)).oper, leat_no_feeds(), status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    leat_named_output in = {"x", x}, out = {"y", y};
    struct leat_signature_def sig = {
        .inputs = &in, .num_inputs = 1, .outputs = &out, .num_outputs = 1};
    struct leat_asset file = {path, asset};
    if (!leat_saved_model_save(g, s, dir, status, .signatures = &sig, .num_signatures = 1,
                               .assets = &file, .num_assets = 1, .init_op = init))
        fail_msg("%s", TF_Message(status));
    assert_false(leat_saved_model_save(g, s, dir, status)); /* is there already */
    assert_int_equal(TF_GetCode(status), TF_ALREADY_EXISTS);
    leat_session_close(s);
    TF_DeleteGraph(g);
    leat_saved_model *m = leat_saved_model_load(dir, (struct leat_strings){NULL, 0}, status);
    if (!m)
        fail_msg("%s", TF_Message(status));
    float v[] = {0, 2}, want[] = {4, 14};
    signature_gives(m, NULL, "x", floats(v, 2, 1, (int64_t[]){2}), "y", want, 2);
    TF_Tensor *got = NULL; /* the init op ran, with the asset's new path */
    TF_Output at = {TF_GraphOperationByName(leat_saved_model_graph(m), "words"), 0};
    assert_true(leat_run(leat_saved_model_session(m), status,
                         .fetches = leat_fetches(leat_fetch_tensor(at, &got))));
    const char *text;
    size_t n;
    assert_true(leat_tensor_string_at(got, 0, &text, &n, status));
    snprintf(asset, sizeof asset, "%s/assets/words.txt.gz", dir);
    assert_int_equal(n, strlen(asset));
    assert_memory_equal(text, asset, n);
    assert_int_equal(access(asset, R_OK), 0);
    TF_DeleteTensor(got);
    leat_saved_model_free(m);
}

static void test_failed_saves_leave_nothing(void **state)
{
    (void)state;
    char dir[128];
    snprintf(dir, sizeof dir, "%s/none", scratch);
    TF_Graph *g = TF_NewGraph();
    leat_variable(g, "w", leat_const_float(g, 3));
    TF_Session *s = leat_session_new(g, status);
    assert_false(leat_saved_model_save(g, s, dir, status)); /* w has no value */
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    leat_named_output bad = {"x", {NULL, 0}};
    struct leat_signature_def sig = {.inputs = &bad, .num_inputs = 1};
    leat_run_op(s, leat_global_variables_initializer(g), leat_no_feeds(), status);
    assert_false(leat_saved_model_save(g, s, dir, status, .signatures = &sig, .num_signatures = 1));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_int_not_equal(access(dir, F_OK), 0);
    assert_false(leat_saved_model_save(NULL, s, dir, status));
    snprintf(dir, sizeof dir, "ls %s | grep -q none", scratch);
    assert_int_not_equal(system(dir), 0); /* no temporary folder either */
    leat_session_close(s);
    TF_DeleteGraph(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_plus_three),
        cmocka_unit_test(test_half_plus_two_with_snappy),
        cmocka_unit_test(test_mnist_lr),
        cmocka_unit_test(test_regression),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_c_api),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_truncated_everywhere),
        cmocka_unit_test(test_failed_load_leaves_an_empty_graph),
        cmocka_unit_test(test_failed_meta_graph_adds_nothing),
        cmocka_unit_test(test_meta_graph_round_trip),
        cmocka_unit_test(test_written_and_loaded),
        cmocka_unit_test(test_failed_saves_leave_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
