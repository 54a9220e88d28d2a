/* SPDX-License-Identifier: Apache-2.0 */
/* leat_op_spec: its lines, and that every definition can be made again of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "leat/info.h"
#include "leat/scope.h"
#include "op/op.h"
#include "tensorflow/c/ops.h"

static void assert_spec(const char *op, const char *text)
{
    char *spec = leat_op_spec(op);
    assert_non_null(spec);
    assert_string_equal(spec, text);
    leat_free(spec);
}

static void test_op_spec__lines(void **state)
{
    (void)state;
    assert_null(leat_op_spec(NULL));
    assert_null(leat_op_spec("NoSuchOp"));
    char *spec = leat_op_spec("Conv2D");
    assert_non_null(strstr(spec, "in input: T\nin filter: T\nout output: T\n"
                                 "attr T: {half, bfloat16, float, double}\n"
                                 "attr strides: list(int)\n"));
    assert_non_null(strstr(spec, "attr use_cudnn_on_gpu: bool = true\n"));
    assert_non_null(strstr(spec, "attr data_format: {\"NHWC\", \"NCHW\"} = \"NHWC\"\n"));
    assert_non_null(strstr(spec, "attr dilations: list(int) = [1, 1, 1, 1]\n"));
    leat_free(spec);
    spec = leat_op_spec("Assign");
    assert_true(str_starts(str_of(spec), "in ref: Ref(T)\nin value: T\nout output_ref: Ref(T)\n"
                                         "attr T: type\nattr validate_shape: bool = true\n"
                                         "attr use_locking: bool = true\nuninitialized\n"));
    leat_free(spec);
    spec = leat_op_spec("AddN");
    assert_true(str_starts(str_of(spec), "in inputs: N * T\nout sum: T\nattr N: int >= 1\n"));
    assert_non_null(strstr(spec, "\naggregate\ncommutative\nsummary "));
    leat_free(spec);
    spec = leat_op_spec("FusedBatchNorm");
    assert_non_null(strstr(spec, "attr epsilon: float = 0.0001\n"));
    leat_free(spec);
}

static void test_op_spec__ops_made_at_run_time(void **state)
{
    (void)state;
    TF_Status *st = TF_NewStatus();
    TF_OpDefinitionBuilder *b = TF_NewOpDefinitionBuilder("OpSpecTest");
    TF_OpDefinitionBuilderAddInput(b, "ref: Ref(T)");
    TF_OpDefinitionBuilderAddInput(b, "rest: Tin");
    TF_OpDefinitionBuilderAddOutput(b, "y: N * float");
    TF_OpDefinitionBuilderAddAttr(b, "T: {float, int32} = DT_INT32");
    TF_OpDefinitionBuilderAddAttr(b, "Tin: list(type) >= 0 = [DT_HALF, DT_STRING]");
    TF_OpDefinitionBuilderAddAttr(b, "N: int >= 2 = 3");
    TF_OpDefinitionBuilderAddAttr(b, "names: list(string) = ['a, \"b\"', ']', '\\001\\n']");
    TF_OpDefinitionBuilderAddAttr(b, "s: shape = { dim { size: 2 } dim { size: -1 } }");
    TF_OpDefinitionBuilderAddAttr(b, "ss: list(shape) = [{unknown_rank: true}, {}]");
    TF_OpDefinitionBuilderAddAttr(
        b, "t: tensor = { dtype: DT_INT32 tensor_shape { dim { size: 3 } } int_val: 7 }");
    TF_OpDefinitionBuilderAddAttr(b, "f: func = { name: \"g\" }");
    TF_OpDefinitionBuilderAddAttr(b, "x: list(float) = [0.1, 1e30, inf]");
    TF_OpDefinitionBuilderSetIsStateful(b, true);
    TF_OpDefinitionBuilderDeprecated(b, 12, "Use\nanother.");
    TF_RegisterOpDefinition(b, st);
    assert_string_equal(TF_Message(st), "");
    TF_DeleteStatus(st);
    assert_spec("OpSpecTest",
                "in ref: Ref(T)\nin rest: Tin\nout y: N * float\n"
                "attr T: {float, int32} = int32\n"
                "attr Tin: list(type) >= 0 = [half, string]\n"
                "attr N: int >= 2 = 3\n"
                "attr names: list(string) = [\"a, \\\"b\\\"\", \"]\", \"\\001\\n\"]\n"
                "attr s: shape = [2,-1]\n"
                "attr ss: list(shape) = [<unknown>, []]\n"
                "attr t: tensor = { dtype: int32 tensor_shape { dim { size: 3 } } int_val: 7 "
                "int_val: 7 int_val: 7 }\n"
                "attr f: func = { name: \"g\" }\n"
                "attr x: list(float) = [0.1, 1e+30, inf]\n"
                "stateful\ndeprecated 12 Use another.\nsummary \n");
}

/* Cuts the lines that begin with title into specs. */
static void collect(char *text, const char *title, const char **specs, int max)
{
    int n = 0;
    for (char *p = text; *p;) {
        char *end = strchr(p, '\n');
        assert_non_null(end);
        if (strncmp(p, title, strlen(title)) == 0) {
            assert_in_range(n, 0, max - 1);
            specs[n++] = mem_strndup(p + strlen(title), (size_t)(end - p) - strlen(title));
        }
        p = end + 1;
    }
}

static void free_specs(const char **specs, int max)
{
    for (int i = 0; i < max; i++)
        mem_free((void *)(uintptr_t)specs[i]);
}

static bool check_again(const struct op *op, void *count)
{
    char *text = leat_op_spec(op->name);
    struct op_def def = {.name = op->name,
                         .summary = "",
                         .no_grad = "none",
                         .flags = op->def->flags,
                         .deprecated_at = op->def->deprecated_at,
                         .deprecated_why = op->def->deprecated_why};
    struct status st = {0};
    struct strbuf was = {0}, is = {0};
    collect(text, "in ", def.inputs, OP_MAX_INPUTS);
    collect(text, "out ", def.outputs, OP_MAX_OUTPUTS);
    collect(text, "attr ", def.attrs, OP_MAX_ATTRS);
    struct op *again = op_parse(&def, &st);
    if (!again)
        fail_msg("%s: %s", op->name, status_message(&st));
    op_print(op, &was);
    op_print(again, &is);
    assert_string_equal(strbuf_text(&was), strbuf_text(&is));
    for (int i = 0; i < op->num_attrs; i++)
        assert_true(attr_value_equal(&op->attrs[i].default_value, &again->attrs[i].default_value));
    op_free(again);
    strbuf_release(&was);
    strbuf_release(&is);
    free_specs(def.inputs, OP_MAX_INPUTS);
    free_specs(def.outputs, OP_MAX_OUTPUTS);
    free_specs(def.attrs, OP_MAX_ATTRS);
    leat_free(text);
    ++*(int *)count;
    return true;
}

static void test_op_spec__definitions_come_back(void **state)
{
    (void)state;
    int count = 0;
    op_each(check_again, &count);
    assert_int_not_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_op_spec__lines),
        cmocka_unit_test(test_op_spec__ops_made_at_run_time),
        cmocka_unit_test(test_op_spec__definitions_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
