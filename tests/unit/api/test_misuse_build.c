/* SPDX-License-Identifier: Apache-2.0 */
/* Misuse while a graph is built: ops, attrs, inputs, names, GraphDefs, shapes, gradients. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "misuse.h"

static void unknown_op(struct bench *b)
{
    m_op1(b, "MatMull", "y", m_scalar(b, "x", 1));
}

static void wrong_type(struct bench *b)
{
    int32_t one = 1;
    m_op2(b, "Mul", "y", m_scalar(b, "x", 1), m_const(b, "i", TF_INT32, NULL, 0, &one, 4));
}

static void type_not_allowed(struct bench *b)
{
    m_op1(b, "Exp", "y", m_bool(b, "x", true));
}

static void missing_attr(struct bench *b)
{
    m_op(b, "Placeholder", "y", 0, NULL);
}

static void unknown_attr(struct bench *b)
{
    TF_OperationDescription *d = TF_NewOperation(b->g, "Placeholder", "y");
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_SetAttrInt(d, "shap", 1);
    TF_FinishOperation(d, b->st);
}

static void attr_of_another_kind(struct bench *b)
{
    TF_OperationDescription *d = TF_NewOperation(b->g, "Placeholder", "y");
    TF_SetAttrInt(d, "dtype", 1);
    TF_FinishOperation(d, b->st);
}

static void attr_out_of_range(struct bench *b)
{
    TF_Output x = m_scalar(b, "x", 1);
    TF_OperationDescription *d = TF_NewOperation(b->g, "PreventGradient", "y");
    TF_AddInput(d, x);
    TF_SetAttrType(d, "T", (TF_DataType)99);
    TF_FinishOperation(d, b->st);
}

static void const_of_another_type(struct bench *b)
{
    TF_Tensor *t = m_tensor(1);
    TF_OperationDescription *d = TF_NewOperation(b->g, "Const", "y");
    TF_SetAttrTensor(d, "value", t, b->st);
    TF_SetAttrType(d, "dtype", TF_INT32);
    TF_DeleteTensor(t);
    TF_Output y = {TF_FinishOperation(d, b->st), 0};
    m_fetch(b, y);
}

static void too_few_inputs(struct bench *b)
{
    m_op1(b, "Mul", "y", m_scalar(b, "x", 1));
}

static void too_many_inputs(struct bench *b)
{
    TF_Output x = m_scalar(b, "x", 1);
    m_op(b, "Mul", "y", 3, (TF_Output[]){x, x, x});
}

static void one_where_a_list_belongs(struct bench *b)
{
    m_op1(b, "AddN", "y", m_scalar(b, "x", 1));
}

static void a_list_where_one_belongs(struct bench *b)
{
    TF_Output x = m_scalar(b, "x", 1);
    TF_OperationDescription *d = TF_NewOperation(b->g, "Neg", "y");
    TF_AddInputList(d, (TF_Output[]){x, x}, 2);
    TF_FinishOperation(d, b->st);
}

static void too_short_a_list(struct bench *b)
{
    TF_OperationDescription *d = TF_NewOperation(b->g, "AddN", "y");
    TF_AddInputList(d, NULL, 0);
    TF_SetAttrType(d, "T", TF_FLOAT);
    TF_FinishOperation(d, b->st);
}

static void input_that_is_no_output(struct bench *b)
{
    TF_Output x = m_scalar(b, "x", 1);
    m_op1(b, "Neg", "y", (TF_Output){x.oper, 3});
}

static void same_name_twice(struct bench *b)
{
    m_scalar(b, "x", 1);
    m_scalar(b, "x", 2);
}

static void ranks_that_contradict(struct bench *b)
{
    int64_t three = 3;
    m_op2(b, "MatMul", "y", m_in(b, "x", &three, 1), m_in(b, "z", &three, 1));
}

static void cycle_without_loop(struct bench *b)
{
    /* node { name: "a" op: "Identity" input: "b" attr { T: float } } and the same with b, a */
    static const char def[] =
        "\012\031\012\001\141\022\010\111\144\145\156\164\151\164\171\032\001\142\052\007\012\001"
        "\124\022\002\060\001\012\031\012\001\142\022\010\111\144\145\156\164\151\164\171\032\001"
        "\141\052\007\012\001\124\022\002\060\001";
    m_import(b, def, sizeof def - 1);
}

static void graph_def_of_garbage(struct bench *b)
{
    m_import(b, "\xff\xff\xff\xff garbage", 12);
}

static void unknown_shape_read(struct bench *b)
{
    int64_t dims[1];
    TF_Output x = m_in(b, "x", (int64_t[]){2, 3}, 2);
    TF_GraphGetTensorShape(b->g, x, dims, 1, b->st);
}

static void shape_of_no_output(struct bench *b)
{
    TF_Output x = m_in(b, "x", NULL, 0);
    TF_GraphGetTensorNumDims(b->g, (TF_Output){x.oper, 7}, b->st);
}

static void shape_that_contradicts(struct bench *b)
{
    TF_Output x = m_in(b, "x", (int64_t[]){2, 3}, 2);
    TF_GraphSetTensorShape(b->g, x, (int64_t[]){2, 4}, 2, b->st);
}

static void attr_read_that_is_not_there(struct bench *b)
{
    int64_t v;
    TF_OperationGetAttrInt(m_scalar(b, "x", 1).oper, "nothing", &v, b->st);
}

static void attr_read_as_another_kind(struct bench *b)
{
    int64_t v;
    TF_OperationGetAttrInt(m_scalar(b, "x", 1).oper, "dtype", &v, b->st);
}

static void string_read_that_is_not_there(struct bench *b)
{
    char s[4];
    TF_OperationGetAttrString(m_scalar(b, "x", 1).oper, "nothing", s, sizeof s, b->st);
}

static void list_read_that_is_not_there(struct bench *b)
{
    int64_t v;
    TF_OperationGetAttrIntList(m_scalar(b, "x", 1).oper, "nothing", &v, 1, b->st);
}

static void tensor_read_that_is_not_there(struct bench *b)
{
    TF_Tensor *t;
    TF_OperationGetAttrTensor(m_scalar(b, "x", 1).oper, "nothing", &t, b->st);
}

static void list_of_no_argument(struct bench *b)
{
    TF_OperationInputListLength(m_scalar(b, "x", 1).oper, "nothing", b->st);
}

static void gradient_of_no_output(struct bench *b)
{
    int32_t one = 1;
    TF_Output x = m_const(b, "x", TF_INT32, NULL, 0, &one, sizeof one), dy;
    TF_Output y = {x.oper, 4};
    TF_AddGradients(b->g, &y, 1, &x, 1, NULL, b->st, &dy);
}

static void op_def_of_no_op(struct bench *b)
{
    TF_Buffer *def = TF_NewBuffer();
    TF_GraphGetOpDef(b->g, "NoSuchOp", def, b->st);
    TF_DeleteBuffer(def);
}

static void bad_attr_proto(struct bench *b)
{
    TF_OperationDescription *d = TF_NewOperation(b->g, "NoOp", "y");
    TF_SetAttrValueProto(d, "a", "\xff\xff", 2, b->st);
    TF_Status *st = TF_NewStatus();
    TF_FinishOperation(d, st);
    TF_DeleteStatus(st);
}

static void torn_string(struct bench *b)
{
    const char *dst;
    size_t n;
    TF_StringDecode("\x7f"
                    "abc",
                    4, &dst, &n, b->st);
}

static void string_without_room(struct bench *b)
{
    char room[2];
    TF_StringEncode("abc", 3, room, sizeof room, b->st);
}

static void device_that_cannot_be(struct bench *b)
{
    TF_Output x = m_scalar(b, "x", 1);
    TF_OperationDescription *d = TF_NewOperation(b->g, "Neg", "y");
    TF_AddInput(d, x);
    TF_SetDevice(d, "/cpu:0/what?");
    TF_Output y = {TF_FinishOperation(d, b->st), 0};
    m_fetch(b, y);
}

static const struct misuse rows[] = {
    {"unknown op", unknown_op, TF_INVALID_ARGUMENT, "Did you mean 'MatMul'?"},
    {"wrong type", wrong_type, TF_INVALID_ARGUMENT, "y"},
    {"type not allowed", type_not_allowed, TF_INVALID_ARGUMENT, "bool"},
    {"missing attr", missing_attr, TF_INVALID_ARGUMENT, "dtype"},
    {"unknown attr", unknown_attr, TF_INVALID_ARGUMENT, "Did you mean 'shape'?"},
    {"attr of another kind", attr_of_another_kind, TF_INVALID_ARGUMENT, "dtype"},
    {"attr out of range", attr_out_of_range, TF_INVALID_ARGUMENT, "T"},
    {"const of another type", const_of_another_type, TF_INVALID_ARGUMENT, ""},
    {"too few inputs", too_few_inputs, TF_INVALID_ARGUMENT, "y"},
    {"too many inputs", too_many_inputs, TF_INVALID_ARGUMENT, "3"},
    {"one where a list belongs", one_where_a_list_belongs, TF_INVALID_ARGUMENT, "inputs"},
    {"a list where one belongs", a_list_where_one_belongs, TF_INVALID_ARGUMENT, "x"},
    {"too short a list", too_short_a_list, TF_INVALID_ARGUMENT, "N"},
    {"input that is no output", input_that_is_no_output, TF_INVALID_ARGUMENT, "3"},
    {"same name twice", same_name_twice, TF_INVALID_ARGUMENT, "x"},
    {"ranks that contradict", ranks_that_contradict, TF_INVALID_ARGUMENT, "rank 2"},
    {"cycle without loop", cycle_without_loop, TF_INVALID_ARGUMENT, "cycle"},
    {"GraphDef of garbage", graph_def_of_garbage, TF_INVALID_ARGUMENT, "GraphDef"},
    {"shape read without room", unknown_shape_read, TF_INVALID_ARGUMENT, "1"},
    {"shape of no output", shape_of_no_output, TF_OUT_OF_RANGE, "7"},
    {"shape that contradicts", shape_that_contradicts, TF_INVALID_ARGUMENT, "3"},
    {"attr read that is not there", attr_read_that_is_not_there, TF_NOT_FOUND, "nothing"},
    {"string read that is not there", string_read_that_is_not_there, TF_INVALID_ARGUMENT,
     "no attr"},
    {"list read that is not there", list_read_that_is_not_there, TF_INVALID_ARGUMENT, "no attr"},
    {"tensor read that is not there", tensor_read_that_is_not_there, TF_NOT_FOUND, "nothing"},
    {"attr read as another kind", attr_read_as_another_kind, TF_INVALID_ARGUMENT, "dtype"},
    {"list of no argument", list_of_no_argument, TF_INVALID_ARGUMENT, "nothing"},
    {"gradient of no output", gradient_of_no_output, TF_OUT_OF_RANGE, "4"},
    {"op def of no op", op_def_of_no_op, TF_NOT_FOUND, "NoSuchOp"},
    {"bad attr proto", bad_attr_proto, TF_INVALID_ARGUMENT, "AttrValue"},
    {"torn string", torn_string, TF_INVALID_ARGUMENT, ""},
    {"string without room", string_without_room, TF_INVALID_ARGUMENT, ""},
    {"device that cannot be", device_that_cannot_be, TF_INVALID_ARGUMENT, "what?"},
};

static void test_misuse__of_building_is_a_status(void **state)
{
    (void)state;
    assert_int_equal(misuse_check(rows, sizeof rows / sizeof rows[0]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_misuse__of_building_is_a_status)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
