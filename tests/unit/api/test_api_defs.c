/* SPDX-License-Identifier: Apache-2.0 */
/* ApiDef maps, the lists of ops and kernels, the log listener and the servers that are not there.
 * Codes and words are TensorFlow 1.15.5's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "misuse.h"
#include "proto/leat_proto.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

static TF_Status *s;
static struct arena arena;
static struct status st;

static int set_up(void **state)
{
    (void)state;
    s = TF_NewStatus();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    TF_DeleteStatus(s);
    arena_release(&arena);
    status_clear(&st);
    return 0;
}

static void expect(TF_Code code, const char *words)
{
    if (TF_GetCode(s) != code || !strstr(TF_Message(s), words))
        fail_msg("wanted %d '%s', got %d '%s'", (int)code, words, (int)TF_GetCode(s),
                 TF_Message(s));
}

/* --- maps --- */

static const char zed[] =
    "op { name: 'Zed' "
    "input_arg { name: 'a' description: 'the `a` and `b`' type_attr: 'T' } "
    "input_arg { name: 'b' type: DT_FLOAT } "
    "output_arg { name: 'o' type_attr: 'T' description: 'oo `a`' } "
    "attr { name: 'T' type: 'type' default_value { type: DT_FLOAT } description: 'tee `o`' } "
    "attr { name: 'n' type: 'int' } summary: 'Sum `Zed` `T`a`b`.' description: 'Desc.' } "
    "op { name: 'Bare' }";

static TF_ApiDefMap *new_map(void)
{
    struct pb_op_list *list;
    struct strbuf bytes = {0};
    assert_true(pb_op_list_parse(&arena, zed, strlen(zed), &list, &st));
    assert_true(pb_encode(list, &bytes, &st));
    TF_Buffer *b = TF_NewBufferFromString(bytes.p, bytes.n);
    TF_ApiDefMap *map = TF_NewApiDefMap(b, s);
    expect(TF_OK, "");
    TF_DeleteBuffer(b); /* it is not kept */
    strbuf_release(&bytes);
    return map;
}

static void put(TF_ApiDefMap *map, const char *text)
{
    TF_ApiDefMapPut(map, text, strlen(text), s);
}

/* The ApiDef as text, in memory of the test. */
static const char *get(TF_ApiDefMap *map, const char *name)
{
    struct pb_api_def *def;
    struct strbuf text = {0};
    TF_Buffer *b = TF_ApiDefMapGet(map, name, strlen(name), s);
    expect(TF_OK, "");
    if (!b)
        return NULL;
    assert_true(pb_api_def_decode(&arena, b->data, b->length, 0, &def, &st));
    assert_true(pb_text_print(def, &text, &st));
    TF_DeleteBuffer(b);
    const char *copy = arena_strdup(&arena, strbuf_text(&text));
    strbuf_release(&text);
    return copy;
}

static void has(const char *text, const char *piece)
{
    if (!text || !strstr(text, piece))
        fail_msg("wanted \"%s\" in:\n%s", piece, text ? text : "(nothing)");
}

static void test_map_of_definitions(void **state)
{
    (void)state;
    TF_ApiDefMap *map = new_map();
    const char *zed_def = get(map, "Zed");
    has(zed_def, "graph_op_name: \"Zed\"\nvisibility: VISIBLE\nendpoint {\n  name: \"Zed\"\n}\n"
                 "in_arg {\n  name: \"a\"\n  rename_to: \"a\"\n");
    has(zed_def, "arg_order: \"a\"\narg_order: \"b\"\n");
    has(zed_def, "default_value {\n    type: DT_FLOAT\n  }");
    assert_string_equal(get(map, "Bare"), "graph_op_name: \"Bare\"\nvisibility: VISIBLE\n"
                                          "endpoint {\n  name: \"Bare\"\n}\n");
    assert_null(get(map, "None"));
    assert_null(TF_ApiDefMapGet(map, NULL, 0, s));
    expect(TF_INVALID_ARGUMENT, "NULL");
    put(map, "op { graph_op_name: 'Zed' summary: 'later' }");
    expect(TF_FAILED_PRECONDITION,
           "TF_ApiDefMapPut cannot be called after TF_ApiDefMapGet has been called.");
    TF_DeleteApiDefMap(map);
}

static void test_overlays(void **state)
{
    (void)state;
    TF_ApiDefMap *map = new_map();
    put(map, "op { graph_op_name: 'Zed' in_arg { name: 'a' rename_to: 'aa' } "
             "out_arg { name: 'o' rename_to: 'b' } attr { name: 'T' rename_to: 'TT' "
             "default_value { type: DT_INT32 } } in_arg { name: 'b' rename_to: 'a' } "
             "endpoint { name: 'Zwo' } description_suffix: 'x `a`' description_prefix: 'pre' "
             "visibility: HIDDEN arg_order: 'b' arg_order: 'a' } "
             "op { graph_op_name: 'Bare' description_prefix: 'only' } "
             "op { graph_op_name: 'NotThere' summary: 'passed over' }");
    expect(TF_OK, "");
    const char *text = get(map, "Zed");
    has(text, "visibility: HIDDEN\nendpoint {\n  name: \"Zwo\"\n}\nin_arg");
    has(text, "rename_to: \"aa\"\n  description: \"the `aa` and `a`\"\n");
    has(text, "rename_to: \"b\"\n  description: \"oo `aa`\"\n");
    has(text, "rename_to: \"TT\"\n  default_value {\n    type: DT_INT32\n  }\n"
              "  description: \"tee `b`\"\n");
    has(text, "summary: \"Sum `Zwo` `TT`aa`a`.\"\ndescription: \"pre\\nDesc.\\nx `aa`\"\n"
              "arg_order: \"b\"\narg_order: \"a\"\n");
    has(get(map, "Bare"), "description: \"only\\n\"");
    TF_DeleteApiDefMap(map);
}

static void test_wrong_overlays(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        TF_Code code;
        const char *words;
    } rows[] = {
        {"op {", TF_INVALID_ARGUMENT, ""},
        {"zz", TF_INVALID_ARGUMENT, ""},
        {"op { graph_op_name: 'Zed' bogus: 3 }", TF_INVALID_ARGUMENT, "bogus"},
        {"op { graph_op_name: 'Zed' in_arg { name: 'zz' } }", TF_FAILED_PRECONDITION,
         "Argument zz not defined in base api for Zed"},
        {"op { graph_op_name: 'Zed' out_arg { name: 'a' } }", TF_FAILED_PRECONDITION,
         "Argument a not defined in base api for Zed"},
        {"op { graph_op_name: 'Zed' attr { name: 'zz' } }", TF_FAILED_PRECONDITION,
         "Attribute zz not defined in base api for Zed"},
        {"op { graph_op_name: 'Zed' arg_order: 'b' }", TF_FAILED_PRECONDITION,
         "Invalid number of arguments 1 for Zed. Expected: 2"},
        {"op { graph_op_name: 'Zed' arg_order: 'b' arg_order: 'zz' }", TF_FAILED_PRECONDITION,
         "Invalid arg_order: b, zz for Zed. All elements in arg_order override must match base "
         "arg_order: a, b"},
        {"op { graph_op_name: 'Zed' arg_order: 'b' arg_order: 'b' }", TF_FAILED_PRECONDITION,
         "Invalid arg_order: b, b for Zed."},
        {"op {\nsummary: <<END\nno end\n}", TF_INVALID_ARGUMENT, "has no end"},
        {"op {\nsummary: <<\nno delimiter\n}", TF_INVALID_ARGUMENT, "has no end"},
    };
    TF_ApiDefMap *map = new_map();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        put(map, rows[i].text);
        expect(rows[i].code, rows[i].words);
    }
    has(get(map, "Zed"), "summary: \"Sum `Zed` `T`a`b`.\"");
    TF_ApiDefMapPut(NULL, "", 0, s);
    expect(TF_INVALID_ARGUMENT, "NULL");
    TF_ApiDefMapPut(map, NULL, 3, s);
    expect(TF_INVALID_ARGUMENT, "NULL");
    TF_DeleteApiDefMap(map);
    TF_DeleteApiDefMap(NULL);
    assert_null(TF_NewApiDefMap(NULL, s));
    expect(TF_INVALID_ARGUMENT, "Unparseable OpList");
    TF_Buffer *b = TF_NewBufferFromString("\xff\xff\xff", 3);
    assert_null(TF_NewApiDefMap(b, s));
    expect(TF_INVALID_ARGUMENT, "Unparseable OpList");
    TF_DeleteBuffer(b);
}

static void test_texts_over_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text, *summary;
    } rows[] = {
        {"summary: <<END\nmulti\nline\nEND\n", "summary: \"multi\\nline\"\n"},
        {"summary: <<END\n  multi \\ \"q\"'s\n\n  END\nEND\n",
         "summary: \"  multi \\\\ \\\"q\\\"\\'s\\n\\n  END\"\n"},
        {"  summary:<<E2\nm\nE2\n", "summary: \"m\"\n"},
        {"summary: <<END\nm\nEND visibility: SKIP\n", "visibility: SKIP\n"},
        {"summary: <<END\nEND\n", "summary: \"Sum `Zed` `T`a`b`.\"\n"},
        {"summary: <<END\na \xc3\xa9 b\nEND\n", "summary: \"a "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        TF_ApiDefMap *map = new_map();
        put(map, arena_printf(&arena, "op {\n graph_op_name: \"Zed\"\n%s}", rows[i].text));
        expect(TF_OK, "");
        has(get(map, "Zed"), rows[i].summary);
        TF_DeleteApiDefMap(map);
    }
}

static void test_renames_that_feed_each_other(void **state)
{
    (void)state;
    struct strbuf ops = {0}, more = {0};
    strbuf_puts(&ops, "op { name: 'Zed' description: '`x0`' ");
    strbuf_puts(&more, "op { graph_op_name: 'Zed' ");
    for (int i = 0; i < 60; i++) {
        strbuf_printf(&ops, "input_arg { name: 'x%d' type: DT_FLOAT } ", i);
        strbuf_printf(&more, "in_arg { name: 'x%d' rename_to: 'x%d``x%d' } ", i, i + 1, i + 1);
    }
    strbuf_putc(&ops, '}');
    strbuf_putc(&more, '}');
    struct pb_op_list *list;
    struct strbuf bytes = {0};
    assert_true(pb_op_list_parse(&arena, ops.p, ops.n, &list, &st));
    assert_true(pb_encode(list, &bytes, &st));
    TF_Buffer b = {.data = bytes.p, .length = bytes.n};
    TF_ApiDefMap *map = TF_NewApiDefMap(&b, s);
    put(map, strbuf_text(&more));
    expect(TF_OK, "");
    assert_non_null(get(map, "Zed"));
    TF_DeleteApiDefMap(map);
    strbuf_release(&ops);
    strbuf_release(&more);
    strbuf_release(&bytes);
}

/* --- lists --- */

static void test_all_ops(void **state)
{
    (void)state;
    TF_OpDefinitionBuilder *d = TF_NewOpDefinitionBuilder("AdListed");
    TF_OpDefinitionBuilderAddInput(d, "input1: uint8");
    TF_OpDefinitionBuilderAddAttr(d, "foo1: int >= 2");
    TF_OpDefinitionBuilderAddAttr(d, "foo2: string=\"my string\"");
    TF_OpDefinitionBuilderSetIsAggregate(d, false);
    TF_OpDefinitionBuilderDeprecated(d, 4, "use something else instead");
    TF_RegisterOpDefinition(d, s);
    expect(TF_OK, "");
    TF_Buffer *b = TF_GetAllOpList();
    struct pb_op_list *list;
    struct pb_op_def *found = NULL, *identity = NULL;
    assert_true(pb_op_list_decode(&arena, b->data, b->length, PB_BORROW, &list, &st));
    for (int64_t i = 0; i < list->op.n; i++) {
        assert_int_equal(list->op.v[i]->summary.n, 0);
        if (str_is(list->op.v[i]->name, "AdListed"))
            found = list->op.v[i];
        if (str_is(list->op.v[i]->name, "Identity"))
            identity = list->op.v[i];
    }
    assert_non_null(found);
    assert_non_null(identity);
    assert_int_equal(found->input_arg.v[0]->type, TF_UINT8);
    assert_int_equal(found->attr.v[0]->minimum, 2);
    assert_true(str_is(found->attr.v[1]->default_value->s, "my string"));
    assert_true(found->is_aggregate && !found->is_commutative);
    assert_int_equal(found->deprecation->version, 4);
    TF_DeleteBuffer(b);
}

static struct pb_kernel_list *kernels_of(TF_Buffer *b)
{
    struct pb_kernel_list *list;
    expect(TF_OK, "");
    assert_non_null(b->data);
    assert_true(pb_kernel_list_decode(&arena, b->data, b->length, 0, &list, &st));
    TF_DeleteBuffer(b);
    return list;
}

static void nothing(void *made, TF_OpKernelContext *c)
{
    (void)made;
    (void)c;
}

static void test_kernel_lists(void **state)
{
    (void)state;
    TF_KernelBuilder *k = TF_NewKernelBuilder("AdKernel", "Dev", NULL, nothing, NULL);
    TF_KernelBuilder_HostMemory(k, "input2");
    TF_KernelBuilder_HostMemory(k, "output1");
    TF_KernelBuilder_TypeConstraint(k, "T", TF_INT32, s);
    TF_RegisterKernelBuilder("k", k, s);
    struct strbuf text = {0};
    assert_true(pb_text_print(kernels_of(TF_GetRegisteredKernelsForOp("AdKernel", s)), &text, &st));
    assert_string_equal(strbuf_text(&text),
                        "kernel {\n  op: \"AdKernel\"\n  device_type: \"Dev\"\n  constraint {\n"
                        "    name: \"T\"\n    allowed_values {\n      list {\n"
                        "        type: DT_INT32\n      }\n    }\n  }\n"
                        "  host_memory_arg: \"input2\"\n  host_memory_arg: \"output1\"\n}\n");
    strbuf_release(&text);
    assert_int_equal(kernels_of(TF_GetRegisteredKernelsForOp("Nope", s))->kernel.n, 0);
    assert_int_equal(kernels_of(TF_GetRegisteredKernelsForOp(NULL, s))->kernel.n, 0);
    assert_true(kernels_of(TF_GetRegisteredKernelsForOp("MatMul", s))->kernel.n > 0);
    assert_true(kernels_of(TF_GetAllRegisteredKernels(s))->kernel.n > 100);
}

/* --- what graphs print, and servers --- */

static char heard[64];

static void listen(const char *text)
{
    snprintf(heard, sizeof heard, "%s", text);
}

static void test_log_listener(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    TF_RegisterLogListener(NULL);
    TF_RegisterLogListener(listen);
    char bytes[32];
    memset(bytes, 0, 8);
    size_t n = 8 + TF_StringEncode("hello", 5, bytes + 8, sizeof bytes - 8, b.st);
    TF_Output text = m_const(&b, "text", TF_STRING, NULL, 0, bytes, n);
    TF_Operation *print = m_op1(&b, "PrintV2", "print", text).oper;
    const TF_Operation *targets[] = {print};
    TF_SessionRun(b.s, NULL, NULL, NULL, 0, NULL, NULL, 0, targets, 1, NULL, b.st);
    assert_int_equal(TF_GetCode(b.st), TF_OK);
    assert_string_equal(heard, "hello\n");
    bench_close(&b);
}

static void test_servers(void **state)
{
    (void)state;
    assert_null(TF_NewServer("\xff\xff", 2, s));
    expect(TF_INVALID_ARGUMENT, "Could not parse provided bytes into a ServerDef protocol buffer");
    assert_null(TF_NewServer(NULL, 0, s));
    expect(TF_NOT_FOUND, "No server factory registered for the given ServerDef");
    static const char grpc[] = "\x2a\x04grpc";
    assert_null(TF_NewServer(grpc, sizeof grpc - 1, s));
    expect(TF_INTERNAL, "Job \"\" was not defined in cluster");
    TF_ServerStart(NULL, s);
    expect(TF_INVALID_ARGUMENT, "TF_ServerStart: no server");
    TF_ServerStop(NULL, s);
    expect(TF_INVALID_ARGUMENT, "TF_ServerStop: no server");
    TF_ServerJoin(NULL, s);
    expect(TF_INVALID_ARGUMENT, "TF_ServerJoin: no server");
    assert_string_equal(TF_ServerTarget(NULL), "");
    TF_DeleteServer(NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_map_of_definitions),
        TEST(test_overlays),
        TEST(test_wrong_overlays),
        TEST(test_texts_over_lines),
        TEST(test_all_ops),
        TEST(test_renames_that_feed_each_other),
        TEST(test_kernel_lists),
        TEST(test_log_listener),
        TEST(test_servers),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
