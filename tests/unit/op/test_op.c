/* SPDX-License-Identifier: Apache-2.0 */
/* Op definitions: the spec parser and its errors, the registry, types from attrs, attr checks in
 * TensorFlow's words. */
#include <pthread.h>

#include "base/arena.h"
#include "op/op.h"
#include "op_fixture.h"

static struct status st;

static const struct op_def add_def = {
    .name = "TestAdd",
    .inputs = {"x: T", "y: T"},
    .outputs = {"z: T"},
    .attrs = {"T: {bfloat16, half, float}"},
    .flags = OP_COMMUTATIVE | OP_AGGREGATE | OP_STATEFUL | OP_UNINIT_OK,
};
static const struct op_def pool_def = {
    .name = "TestPool",
    .inputs = {"input: T", "more: N * T", "mixed: Tl", "ref: Ref(T)", "refs: Ref(N * T)",
               "label: string"},
    .outputs = {"output: float", "list: Tl", "n: N * int64"},
    .attrs = {"T: {half, float} = DT_FLOAT", "N: int >= 1", "Tl: list({int32, int64}) >= 0",
              "ksize: list(int) >= 4 = [1, 2, 2, 1]", "padding: {'SAME', 'VALID'} = 'SAME'",
              "s: shape = { unknown_rank: true }", "f: float = 1e-4", "b: bool = true",
              "fn: func = { name: 'id' }", "end: string = '\\n'", "t: list(type) = [DT_INT32]",
              "v: tensor = { dtype: DT_UINT8 tensor_shape { dim { size: 4 } } int_val: 255 "
              "int_val: 0 }"},
};
static const struct op_def any_number_def = {
    .name = "TestNumbers",
    .inputs = {"x: T"},
    .attrs = {"T: numbertype", "S: realnumbertype", "Q: {quantizedtype, float}"}};

static struct op *parse(const struct op_def *def)
{
    struct op *op = op_parse(def, &st);
    assert_no_error(&st);
    assert_non_null(op);
    return op;
}

static void test_op__parses_arguments(void **state UNUSED)
{
    struct op *op = parse(&pool_def);
    assert_int_equal(op->num_inputs, 6);
    assert_int_equal(op->num_outputs, 3);
    assert_int_equal(op->num_attrs, 12);
    assert_int_equal(op->inputs[0].type_attr, 0);
    assert_int_equal(op->inputs[1].number_attr, 1);
    assert_true(op->inputs[2].is_list_type);
    assert_true(op->inputs[3].is_ref);
    assert_true(op->inputs[4].is_ref && op->inputs[4].number_attr == 1);
    assert_int_equal(op->inputs[5].type, DT_STRING);
    assert_int_equal(op->outputs[2].type, DT_INT64);
    op_free(op);
    op_free(NULL);
}

static void test_op__parses_attrs_and_defaults(void **state UNUSED)
{
    struct op *op = parse(&pool_def);
    const struct op_attr *a = op_attr_find(op, "T");
    assert_int_equal(a->types, DTYPE_BIT(HALF) | DTYPE_BIT(FLOAT));
    assert_int_equal(a->type_list[0], DT_HALF);
    assert_int_equal(a->default_value.type, DT_FLOAT);
    a = op_attr_find(op, "N");
    assert_true(a->has_min && a->min == 1 && a->default_value.kind == ATTR_NONE);
    a = op_attr_find(op, "Tl");
    assert_true(a->is_list && a->kind == ATTR_TYPE && a->has_min && a->min == 0);
    a = op_attr_find(op, "ksize");
    assert_true(a->default_value.is_list && a->default_value.n == 4);
    assert_int_equal(a->default_value.is[1], 2);
    a = op_attr_find(op, "padding");
    assert_int_equal(a->num_strings, 2);
    assert_true(str_is(a->strings[1], "VALID"));
    assert_true(str_is(a->default_value.s, "SAME"));
    assert_int_equal(op_attr_find(op, "s")->default_value.shape.rank, -1);
    assert_true(op_attr_find(op, "f")->default_value.f == 1e-4f);
    assert_true(op_attr_find(op, "b")->default_value.b);
    assert_string_equal(op_attr_find(op, "fn")->default_value.func->name, "id");
    assert_true(str_is(op_attr_find(op, "end")->default_value.s, "\n"));
    a = op_attr_find(op, "v");
    assert_int_equal(a->default_value.tensor.num_elems, 4);
    assert_memory_equal(a->default_value.tensor.data, "\377\0\0\0", 4);
    assert_null(op_attr_find(op, "nope"));
    op_free(op);
}

static void test_op__type_groups(void **state UNUSED)
{
    struct op *op = parse(&any_number_def);
    assert_int_equal(op->attrs[0].num_types, 17);
    assert_int_equal(op->attrs[1].num_types, 12);
    assert_int_equal(op->attrs[2].num_types, 6);
    assert_true(op->attrs[2].types & DTYPE_BIT(QUINT16));
    assert_false(op->attrs[1].types & DTYPE_BIT(COMPLEX64));
    op_free(op);
}

static void test_op__says_where_a_spec_is_wrong(void **state UNUSED)
{
    static const struct {
        const char *attr, *input, *message;
    } cases[] = {
        {"T", NULL, "Op 'Bad': ':' expected at column 2 of 'T'"},
        {"", NULL, "an attr name expected"},
        {"T: typ", NULL, "unknown attr type 'typ' at column 4 of 'T: typ'"},
        {"T: {floot}", NULL, "unknown type 'floot' at column 5"},
        {"T: {float", NULL, "'}' expected at column 10"},
        {"T: {}", NULL, "unknown type ''"},
        {"p: {'a', b}", NULL, "a quoted text expected"},
        {"p: {'a}", NULL, "the text has no end"},
        {"N: int > 3", NULL, "'>=' expected"},
        {"N: int >= x", NULL, "an integer expected"},
        {"N: int >= 99999999999999999999", NULL, "an integer expected"},
        {"T: type >= 3", NULL, "only ints and lists have a minimum"},
        {"N: int >= 1 = 0", NULL, "the default is not among the allowed values"},
        {"T: {float} = DT_INT32", NULL, "the default is not among the allowed values"},
        {"p: {'a'} = 'b'", NULL, "the default is not among the allowed values"},
        {"N: int = 3 4", NULL, "unexpected text at column 12"},
        {"N: int = ", NULL, "an integer expected"},
        {"b: bool = maybe", NULL, "true or false expected"},
        {"f: float = x", NULL, "a number expected"},
        {"l: list(int) = 3", NULL, "'[' expected"},
        {"l: list(int) = [3, ]", NULL, "an integer expected"},
        {"l: list(int", NULL, "')' expected"},
        {"s: shape = 3", NULL, "a shape expected"},
        {"s: shape = { dim { } }", NULL, "'{ size' expected"},
        {"s: list(shape) = [[1,2,3,4,5,6], 3]", NULL, "a shape expected"},
        {"v: tensor = { int_val: 1 }", NULL, "the tensor has no dtype"},
        {"v: tensor = { dtype: DT_STRING tensor_shape { } x_val: 1 }", NULL, "no default tensors"},
        {"v: tensor = { dtype: DT_INT32 tensor_shape { dim { size: 9999999999 } } int_val: 1 }",
         NULL, "a known shape of at most"},
        {"s: list(string) = ['a', 'b', 3]", NULL, "a quoted text expected"},
        {"T: type", "x T", "':' expected"},
        {"T: type", "x: S", "'S' is neither a type nor an attr"},
        {"T: type", "x: T * T", "'T' is no int attr"},
        {"T: type", "x: N * T", "'N' is no int attr"},
        {"T: type", "x: Ref(T", "')' expected"},
        {"T: type", "x: Ref(Ref(T))", "'Ref' is neither a type nor an attr"},
        {"N: int", "x: N", "attr 'N' is no type"},
        {"T: type", "x: T extra", "unexpected text"},
        {"T: type", "x: float_ref", "neither a type nor an attr"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct op_def def = {.name = "Bad", .inputs = {cases[i].input}, .attrs = {cases[i].attr}};
        struct op *op = op_parse(&def, &st);
        if (op)
            fail_msg("parsed: %s, %s", cases[i].attr, cases[i].input);
        assert_failed_with(&st, STATUS_INVALID_ARGUMENT, cases[i].message);
    }
    struct op_def twice = {.name = "Bad", .attrs = {"T: type", "T: int"}};
    assert_null(op_parse(&twice, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "attr 'T' is declared twice");
    struct op_def same = {.name = "Bad", .outputs = {"x: float", "x: int32"}};
    assert_null(op_parse(&same, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "argument 'x' is declared twice");
    struct op_def nameless = {.name = ""};
    assert_null(op_parse(&nameless, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "without a name");
}

/* Every prefix of a long spec either parses or fails cleanly. */
static void test_op__truncated_specs(void **state UNUSED)
{
    for (int a = 0; pool_def.attrs[a]; a++) {
        size_t n = strlen(pool_def.attrs[a]);
        for (size_t len = 0; len < n; len++) {
            char *text = mem_strndup(pool_def.attrs[a], len);
            struct op_def def = {.name = "Cut", .attrs = {text}};
            struct op *op = op_parse(&def, &st);
            assert_true((op != NULL) == status_ok(&st));
            op_free(op);
            status_clear(&st);
            mem_free(text);
        }
    }
}

static bool count_ops(const struct op *op, void *arg)
{
    const char **last = arg;
    assert_true(!*last || strcmp(*last, op->name) < 0);
    *last = op->name;
    return true;
}

static void test_op__registry(void **state UNUSED)
{
    assert_null(op_find("TestNoSuchOp"));
    assert_null(op_find(NULL));
    assert_null(op_get("TestNoSuchOp", &st));
    assert_failed_with(&st, STATUS_NOT_FOUND,
                       "Op type not registered 'TestNoSuchOp' in binary running on ");
    const struct op *op = fixture_op(&add_def);
    assert_ptr_equal(op, op_find("TestAdd"));
    assert_ptr_equal(op, op_get("TestAdd", &st));
    assert_false(op_register(&add_def, &st));
    assert_failed_with(&st, STATUS_ALREADY_EXISTS, "Op with name TestAdd");
    struct op_def bad = {.name = "TestBad", .attrs = {"T"}};
    assert_false(op_register(&bad, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "Op 'TestBad'");
    fixture_op(&pool_def);
    const char *last = NULL;
    op_each(count_ops, &last);
    assert_non_null(last);
}

static void *find_often(void *arg)
{
    for (int i = 0; i < 1000; i++) {
        if (!op_find(arg))
            return arg;
    }
    return NULL;
}

static void test_op__registry_from_many_threads(void **state UNUSED)
{
    static const struct op_def def = {.name = "TestThreads", .outputs = {"x: float"}};
    static char name[] = "TestThreads";
    fixture_op(&def);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, find_often, name), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

static void test_op__text_is_tensorflows(void **state UNUSED)
{
    struct strbuf b = {0};
    struct op *op = parse(&add_def);
    op_print(op, &b);
    assert_string_equal(strbuf_text(&b),
                        "Op<name=TestAdd; signature=x:T, y:T -> z:T; "
                        "attr=T:type,allowed=[DT_BFLOAT16, DT_HALF, DT_FLOAT]; is_commutative=true;"
                        " is_aggregate=true; is_stateful=true; allows_uninitialized_input=true>");
    op_free(op);
    strbuf_clear(&b);
    op = parse(&pool_def);
    op_print(op, &b);
    assert_non_null(strstr(strbuf_text(&b),
                           "signature=input:T, more:N*T, mixed:, ref:Ref(T), "
                           "refs:Ref(N*T), label:string -> output:float, list:, "
                           "n:N*int64; attr=T:type,default=DT_FLOAT,"
                           "allowed=[DT_HALF, DT_FLOAT]; attr=N:int,min=1; "
                           "attr=Tl:list(type),min=0,allowed=[DT_INT32, DT_INT64]; "
                           "attr=ksize:list(int),default=[1, 2, 2, 1],min=4; "
                           "attr=padding:string,default=\"SAME\",allowed=[\"SAME\","
                           " \"VALID\"]; attr=s:shape,default=<unknown>; "
                           "attr=f:float,default=0.0001; attr=b:bool,default=true; "
                           "attr=fn:func,default=id[]; "
                           "attr=end:string,default=\"\\n\""));
    op_free(op);
    op = parse(&any_number_def);
    strbuf_clear(&b);
    op_print(op, &b);
    assert_non_null(strstr(strbuf_text(&b),
                           "attr=T:type,allowed=[DT_FLOAT, DT_DOUBLE, DT_INT32, DT_UINT8, DT_INT16,"
                           " ..., DT_UINT16, DT_COMPLEX128, DT_HALF, DT_UINT32, DT_UINT64]"));
    op_free(op);
    strbuf_release(&b);
}

static void test_op__types_follow_from_attrs(void **state UNUSED)
{
    struct op *op = parse(&pool_def);
    struct attrs a = {0};
    int *types, n;
    attrs_set(&a, "N", attr_int(2));
    attrs_set(&a, "Tl", attr_list(ATTR_TYPE, (int[]){DT_INT32, DT_INT64}, 2));
    assert_true(op_input_types(op, &a, &types, &n, &st)); /* T from its default */
    static const int wanted[] = {DT_FLOAT,          DT_FLOAT,          DT_FLOAT,
                                 DT_INT32,          DT_INT64,          DT_FLOAT + DT_REF,
                                 DT_FLOAT + DT_REF, DT_FLOAT + DT_REF, DT_STRING};
    assert_int_equal(n, 9);
    assert_memory_equal(types, wanted, sizeof wanted);
    mem_free(types);
    assert_true(op_output_types(op, &a, &types, &n, &st));
    assert_int_equal(n, 5);
    mem_free(types);
    attrs_set(&a, "N", attr_int(INT64_C(1) << 40));
    assert_false(op_input_types(op, &a, &types, &n, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "1099511627776 values");
    attrs_set(&a, "N", attr_int(-1));
    assert_false(op_input_types(op, &a, &types, &n, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "-1 values");
    attrs_set(&a, "N", attr_type(DT_FLOAT));
    assert_false(op_output_types(op, &a, &types, &n, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "attr 'N' must be a int");
    attrs_set(&a, "N", attr_int(1));
    attrs_set(&a, "T", attr_type(77));
    assert_false(op_input_types(op, &a, &types, &n, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "invalid type 77");
    attrs_remove(&a, "Tl");
    assert_false(op_output_types(op, &a, &types, &n, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "No attr named 'Tl'");
    attrs_clear(&a);
    op_free(op);
}

/* A function's signature may have more arguments than a definition has room for. */
static void test_op__signatures_may_be_long(void **state UNUSED)
{
    enum { MANY = 1000 };
    static const struct op_def def = {.name = "TestLong"};
    struct op *op = parse(&def);
    op->inputs = arena_array(op->arena, struct op_arg, MANY);
    op->num_inputs = MANY;
    for (int i = 0; i < MANY; i++)
        op->inputs[i] =
            (struct op_arg){.name = "x", .type = DT_FLOAT, .type_attr = -1, .number_attr = -1};
    struct attrs none = {0};
    int *types, n;
    assert_true(op_input_types(op, &none, &types, &n, &st));
    assert_int_equal(n, MANY);
    assert_int_equal(types[MANY - 1], DT_FLOAT);
    mem_free(types);
    op_free(op);
}

static void check_attr(const struct op *op, const char *name, struct attr_value v,
                       const char *message)
{
    struct attrs a = {0};
    attrs_set(&a, "N", attr_int(1));
    attrs_set(&a, "Tl", attr_list(ATTR_TYPE, NULL, 0));
    attrs_set(&a, name, v);
    bool ok = op_check_attrs(op, &a, "a", &st);
    if (message) {
        assert_false(ok);
        assert_failed_with(&st, STATUS_INVALID_ARGUMENT, message);
    } else {
        assert_no_error(&st);
        assert_true(ok);
    }
    attrs_clear(&a);
}

static void test_op__attr_checks_speak_tensorflow(void **state UNUSED)
{
    const struct op *op = fixture_op(&pool_def);
    check_attr(op, "T", attr_type(DT_HALF), NULL);
    check_attr(op, "_private", attr_int(3), NULL);
    check_attr(op, "T", attr_int(3),
               "AttrValue had value with type 'int' when 'type' expected\n\t for attr 'T'\n\t; "
               "NodeDef: {{node a}}; Op<name=TestPool;");
    check_attr(op, "T", attr_type(DT_BOOL),
               "Value for attr 'T' of bool is not in the list of allowed values: half, float\n\t; "
               "NodeDef: {{node a}}; Op<");
    check_attr(op, "T", attr_type(DT_FLOAT + DT_REF),
               "AttrValue must not have reference type value of float_ref\n\t for attr 'T'");
    check_attr(op, "T", attr_type(DT_INVALID), "AttrValue has invalid DataType\n\t for attr 'T'");
    check_attr(op, "T", attr_type(200), "AttrValue has invalid DataType enum: 200\n");
    check_attr(op, "T", (struct attr_value){.kind = ATTR_NONE},
               "AttrValue missing value with expected type 'type'\n\t for attr 'T'");
    check_attr(op, "T", attr_list(ATTR_TYPE, NULL, 0),
               "AttrValue missing value with expected type 'type'");
    check_attr(op, "T", attr_list(ATTR_TYPE, (int[]){DT_HALF}, 1),
               "AttrValue had value with type 'list(type)' when 'type' expected");
    check_attr(op, "N", attr_int(0),
               "Value for attr 'N' of 0 must be at least minimum 1\n\t; NodeDef");
    check_attr(op, "ksize", attr_list(ATTR_INT, (int64_t[]){1, 2}, 2),
               "Length for attr 'ksize' of 2 must be at least minimum 4");
    check_attr(op, "ksize", attr_int(1), "type 'int' when 'list(int)' expected");
    check_attr(op, "padding", attr_string(str_of("QQ")),
               "Value for attr 'padding' of \"QQ\" is not in the list of allowed values: \"SAME\", "
               "\"VALID\"");
    check_attr(op, "Tl", attr_list(ATTR_TYPE, (int[]){DT_INT32, DT_BOOL}, 2),
               "Value for attr 'Tl' of bool is not in the list of allowed values: int32, int64");
    check_attr(op, "Tl", attr_list(ATTR_TYPE, (int[]){DT_INT32, 0}, 2),
               "AttrValue contains invalid DataType\n\t for attr 'Tl'");
    check_attr(op, "zz", attr_int(1), "NodeDef mentions attr 'zz' not in Op<name=TestPool;");
    struct attrs a = {0};
    assert_false(op_check_attrs(op, &a, "a", &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "NodeDef missing attrs 'N', 'Tl' from Op<");
    attrs_set(&a, "N", attr_int(1));
    assert_false(op_check_attrs(op, &a, "a", &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "NodeDef missing attr 'Tl' from Op<");
    attrs_clear(&a);
}

static void test_op__defaults_are_filled_in(void **state UNUSED)
{
    const struct op *op = fixture_op(&pool_def);
    struct attrs a = {0};
    attrs_set(&a, "T", attr_type(DT_HALF));
    op_fill_defaults(op, &a);
    assert_int_equal(attrs_type(&a, "T"), DT_HALF);
    assert_true(attrs_float(&a, "f") == 1e-4f);
    assert_null(attrs_find(&a, "N"));
    assert_int_equal(attrs_list(&a, "ksize")->n, 4);
    attrs_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_op__parses_arguments),
        cmocka_unit_test(test_op__parses_attrs_and_defaults),
        cmocka_unit_test(test_op__type_groups),
        cmocka_unit_test(test_op__says_where_a_spec_is_wrong),
        cmocka_unit_test(test_op__truncated_specs),
        cmocka_unit_test(test_op__registry),
        cmocka_unit_test(test_op__registry_from_many_threads),
        cmocka_unit_test(test_op__text_is_tensorflows),
        cmocka_unit_test(test_op__types_follow_from_attrs),
        cmocka_unit_test(test_op__signatures_may_be_long),
        cmocka_unit_test(test_op__attr_checks_speak_tensorflow),
        cmocka_unit_test(test_op__defaults_are_filled_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
