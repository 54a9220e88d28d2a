/* SPDX-License-Identifier: Apache-2.0 */
/* What graphs of newer masters become before they are imported, as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dist/forward.h"

static struct arena arena;

static int tear_down(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

static const struct pb_graph_def *graph(const char *text)
{
    struct status st = {0};
    void *def = NULL;
    assert_true(pb_text_parse(&arena, &pb_graph_def_desc, text, strlen(text), &def, &st));
    return def;
}

static void expect(const struct pb_graph_def *got, const char *want)
{
    struct status st = {0};
    struct strbuf a = {0}, b = {0};
    assert_true(pb_text_print(got, &a, &st) && pb_text_print(graph(want), &b, &st));
    assert_string_equal(strbuf_text(&a), strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
}

#define FLOAT_T "attr { key: 'T' value { type: DT_FLOAT } } "
#define FUSED(ops) "attr { key: 'fused_ops' value { list { " ops " } } } "

static void test_forward__a_fused_product(void **state)
{
    (void)state;
    const struct pb_graph_def *def = graph(
        "node { name: 'x' op: '_FusedMatMul' input: 'a' input: 'b:1' input: 'c' input: '^d' "
        "device: '/job:w' " FLOAT_T FUSED(
            "s: 'BiasAdd' s: 'LeakyRelu'") "attr { key: 'transpose_b' value { b: true } } "
                                           "attr { key: 'leakyrelu_alpha' value { f: 0 } } "
                                           "attr { key: 'num_args' value { i: 1 } } }"
                                           "node { name: 'y' op: 'Neg' input: 'x' " FLOAT_T "}");
    expect(forward_unfused(&arena, def),
           "node { name: 'x/unfused_0' op: 'MatMul' input: 'a' input: 'b:1' input: '^d' "
           "device: '/job:w' " FLOAT_T "attr { key: 'transpose_b' value { b: true } } }"
           "node { name: 'x/unfused_1' op: 'BiasAdd' input: 'x/unfused_0' input: 'c' "
           "device: '/job:w' " FLOAT_T "}"
           "node { name: 'x' op: 'LeakyRelu' input: 'x/unfused_1' device: '/job:w' " FLOAT_T
           "attr { key: 'alpha' value { f: 0 } } }"
           "node { name: 'y' op: 'Neg' input: 'x' " FLOAT_T "}");
}

static void test_forward__a_fused_convolution(void **state)
{
    (void)state;
    const struct pb_graph_def *def = graph(
        "node { name: 'x' op: '_FusedConv2D' input: 'a' input: 'b' input: 's' input: 'o' "
        "input: 'm' input: 'v' " FLOAT_T FUSED(
            "s: 'FusedBatchNorm' s: 'Relu'") "attr { key: 'data_format' value { s: 'NHWC' } } "
                                             "attr { key: 'filter_format' value { s: 'HWIO' } } "
                                             "attr { key: 'epsilon' value { f: 0.5 } } }");
    expect(forward_unfused(&arena, def),
           "node { name: 'x/unfused_0' op: 'Conv2D' input: 'a' input: 'b' " FLOAT_T
           "attr { key: 'data_format' value { s: 'NHWC' } } }"
           "node { name: 'x/unfused_1' op: 'FusedBatchNorm' input: 'x/unfused_0' input: 's' "
           "input: 'o' input: 'm' input: 'v' " FLOAT_T
           "attr { key: 'data_format' value { s: 'NHWC' } } "
           "attr { key: 'epsilon' value { f: 0.5 } } "
           "attr { key: 'is_training' value { b: false } } }"
           "node { name: 'x' op: 'Relu' input: 'x/unfused_1' " FLOAT_T "}");
}

/* Unknown followers, too few or too many inputs, none, lists of another kind. */
static void test_forward__what_stays(void **state)
{
    static const char *const texts[] = {
        "node { name: 'x' op: '_FusedMatMul' input: 'a' input: 'b' " FUSED("s: 'Mystery'") "}",
        "node { name: 'x' op: '_FusedMatMul' input: 'a' input: 'b' " FUSED("s: 'BiasAdd'") "}",
        "node { name: 'x' op: '_FusedMatMul' input: 'a' input: 'b' input: 'c' " FUSED(
            "s: 'Relu'") "}",
        "node { name: 'x' op: '_FusedMatMul' input: '^a' input: 'b' " FUSED("s: 'Relu'") "}",
        "node { name: 'x' op: '_FusedMatMul' " FUSED("s: 'Relu'") "}",
        "node { name: 'x' op: '_FusedMatMul' input: 'a' input: 'b' " FUSED("i: 3") "}",
        "node { name: 'x' op: '_FusedMatMul' input: 'a' input: 'b' " FUSED(
            "s: 'Relu' s: 'Relu' s: 'Relu' s: 'Relu' s: 'Relu'") "}",
        "node { name: 'x' op: 'MatMul' input: 'a' input: 'b' " FUSED("s: 'Relu'") "}",
        "node { op: '_FusedMatMul' attr { key: 'fused_ops' } }",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        const struct pb_graph_def *def = graph(texts[i]);
        assert_ptr_equal(forward_unfused(&arena, def), def);
    }
    assert_null(forward_unfused(&arena, NULL));
}

static void test_forward__attrs(void **state)
{
    (void)state;
    const struct pb_graph_def *def =
        graph("node { name: 'v' op: 'VarHandleOp' "
              "attr { key: 'allowed_devices' value { list { } } } "
              "attr { key: 'debug_name' value { s: 'v' } } attr { key: 'none' } "
              "attr { key: 'says' value { i: 7 } } "
              "attr { key: '_input_shapes' value { list { shape { dim { size: -5 } } } } } "
              "attr { key: '_marked' value { shape { dim { size: -2 } } } } "
              "attr { key: '_output_shapes' value { list { shape { dim { size: -1 } } } } } }"
              "node { name: 'u' op: 'Unheard' attr { key: 'x' value { i: 0 } } }");
    forward_drop_unknown(def);
    expect(def, "node { name: 'v' op: 'VarHandleOp' attr { key: 'says' value { i: 7 } } "
                "attr { key: '_output_shapes' value { list { shape { dim { size: -1 } } } } } }"
                "node { name: 'u' op: 'Unheard' attr { key: 'x' value { i: 0 } } }");
    forward_drop_unknown(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forward__a_fused_product),
        cmocka_unit_test(test_forward__a_fused_convolution),
        cmocka_unit_test(test_forward__what_stays),
        cmocka_unit_test(test_forward__attrs),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
