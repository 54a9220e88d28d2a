/* SPDX-License-Identifier: Apache-2.0 */
/* Attr values: ownership, comparison, sets, getters, and their text. */
#include "op/attr_print.h"
#include "op_fixture.h"

static struct status st;

static struct attr_value sample(int kind)
{
    struct shape wide = shape_make((int64_t[]){1, 2, 3, 4, -1, 6}, 6);
    struct attr_value v = {.kind = ATTR_NONE};
    struct attrs inner = {0};
    struct tensor t = fixture_floats((float[]){1, 2.5f}, 2);
    switch (kind) {
    case ATTR_STRING:
        v = attr_string(str_make("a\0b", 3));
        break;
    case ATTR_INT:
        v = attr_int(INT64_MIN);
        break;
    case ATTR_FLOAT:
        v = attr_float(0.1f);
        break;
    case ATTR_BOOL:
        v = attr_bool(true);
        break;
    case ATTR_TYPE:
        v = attr_type(DT_HALF);
        break;
    case ATTR_SHAPE:
        v = attr_shape(&wide);
        break;
    case ATTR_TENSOR:
        v = attr_tensor(&t);
        break;
    case ATTR_FUNC:
        attrs_set(&inner, "T", attr_type(DT_INT32));
        attrs_set(&inner, "S", attr_type(DT_INT32));
        v = attr_func("ff", &inner);
        break;
    }
    attrs_clear(&inner);
    tensor_clear(&t);
    shape_clear(&wide);
    return v;
}

static void test_attr__copies_are_equal_and_own(void **state UNUSED)
{
    for (int kind = ATTR_STRING; kind <= ATTR_FUNC; kind++) {
        if (kind == ATTR_PLACEHOLDER)
            continue;
        struct attr_value v = sample(kind), d = attr_value_dup(&v);
        assert_true(attr_value_equal(&v, &d));
        attr_value_clear(&v);
        attr_value_clear(&v); /* harmless: kind NONE */
        struct attr_value again = sample(kind);
        assert_true(attr_value_equal(&again, &d));
        attr_value_clear(&again);
        attr_value_clear(&d);
    }
}

static void test_attr__lists_copy_their_items(void **state UNUSED)
{
    for (int kind = ATTR_STRING; kind <= ATTR_FUNC; kind++) {
        if (kind == ATTR_PLACEHOLDER)
            continue;
        struct attr_value one = sample(kind), list = attr_list(kind, &one.i, 1);
        assert_true(list.is_list);
        assert_int_equal(list.n, 1);
        struct attr_value copy = attr_value_dup(&list);
        assert_true(attr_value_equal(&list, &copy));
        assert_false(attr_value_equal(&list, &one));
        attr_value_clear(&one);
        attr_value_clear(&list);
        struct attr_value empty = attr_list(kind, NULL, 0);
        assert_false(attr_value_equal(&empty, &copy));
        attr_value_clear(&copy);
        attr_value_clear(&empty);
    }
    struct attr_value a = attr_list(ATTR_INT, NULL, 0), b = attr_list(ATTR_STRING, NULL, 0);
    assert_true(attr_value_equal(&a, &b)); /* as on the wire: an empty list has no kind */
    attr_value_clear(&a);
    attr_value_clear(&b);
}

static void test_attr__sets_stay_sorted(void **state UNUSED)
{
    static const char *const names[] = {"m", "b", "z", "a", "q", "_x"};
    struct attrs a = {0};
    for (int i = 0; i < 6; i++)
        attrs_set(&a, names[i], attr_int(i));
    for (int i = 0; i < 6; i++)
        assert_int_equal(attrs_int(&a, names[i]), i);
    for (int i = 1; i < 6; i++)
        assert_true(strcmp(a.items[i - 1].name, a.items[i].name) < 0);
    attrs_set(&a, "m", attr_string(str_of("new")));
    assert_int_equal(a.n, 6);
    assert_true(str_is(attrs_string(&a, "m"), "new"));
    assert_true(attrs_remove(&a, "z"));
    assert_false(attrs_remove(&a, "z"));
    assert_null(attrs_find(&a, "z"));
    struct attrs d = attrs_dup(&a);
    attrs_clear(&a);
    assert_int_equal(a.n, 0);
    assert_int_equal(d.n, 5);
    assert_true(str_is(attrs_string(&d, "m"), "new"));
    attrs_clear(&d);
}

static void test_attr__getters_name_what_is_wrong(void **state UNUSED)
{
    struct attrs a = {0};
    attrs_set(&a, "i", attr_int(3));
    attrs_set(&a, "li", attr_list(ATTR_INT, (int64_t[]){1, 2}, 2));
    attrs_set(&a, "empty", attr_list(ATTR_NONE, NULL, 0));
    int64_t i;
    float f;
    int type;
    const struct attr_value *list;
    assert_true(attrs_get_int(&a, "i", &i, &st));
    assert_int_equal(i, 3);
    assert_false(attrs_get_int(&a, "j", &i, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "No attr named 'j'");
    assert_false(attrs_get_type(&a, "i", &type, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT,
                       "AttrValue had value with type 'int' when 'type' expected\n\t for attr 'i'");
    assert_false(attrs_get_float(&a, "li", &f, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "type 'list(int)' when 'float' expected");
    assert_false(attrs_get_list(&a, "li", ATTR_TYPE, &list, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "'list(int)' when 'list(type)' expected");
    assert_true(attrs_get_list(&a, "empty", ATTR_TYPE, &list, &st));
    assert_int_equal(list->n, 0);
    assert_int_equal(attrs_list(&a, "none")->n, 0);
    assert_int_equal(attrs_list(&a, "li")->is[1], 2);
    assert_int_equal(attrs_type(&a, "i"), DT_INVALID);
    attrs_clear(&a);
}

static void check_text(struct attr_value v, const char *wanted)
{
    struct strbuf b = {0};
    attr_value_print(&v, &b);
    assert_string_equal(strbuf_text(&b), wanted);
    strbuf_release(&b);
    attr_value_clear(&v);
}

static void test_attr__text_is_tensorflows(void **state UNUSED)
{
    check_text(attr_string(str_make("b\n\001\377q\"", 6)), "\"b\\n\\001\\377q\\\"\"");
    check_text(attr_int(-7), "-7");
    check_text(attr_float(1e-5f), "1e-05");
    check_text(attr_float(1e10f), "1e+10");
    check_text(attr_float(0.1f), "0.1");
    check_text(attr_float(16777217.0f), "16777216");
    check_text(attr_bool(true), "true");
    check_text(attr_type(DT_FLOAT), "DT_FLOAT");
    check_text(attr_type(DT_FLOAT + DT_REF), "DT_FLOAT_REF");
    check_text(sample(ATTR_SHAPE), "[1,2,3,4,?,6]");
    check_text(sample(ATTR_TENSOR), "Tensor<type: float shape: [2] values: 1 2.5>");
    check_text(sample(ATTR_FUNC), "ff[S=DT_INT32, T=DT_INT32]");
    check_text((struct attr_value){.kind = ATTR_NONE}, "<Unknown AttrValue type>");
    int64_t items[17];
    for (int i = 0; i < 17; i++)
        items[i] = i + 1;
    check_text(attr_list(ATTR_INT, items, 0), "[]");
    check_text(attr_list(ATTR_INT, items, 14), "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]");
    check_text(attr_list(ATTR_INT, items, 15), "[1, 2, 3, 4, 5, ..., 11, 12, 13, 14, 15]");
    check_text(attr_list(ATTR_INT, items, 17), "[1, 2, 3, 4, 5, ..., 13, 14, 15, 16, 17]");
    char text[81];
    memset(text, 'x', sizeof text);
    text[0] = 'a';
    text[80] = 'z';
    check_text(attr_string(str_make(text, 81)), "\"axxxxxxxxx...xxxxxxxxxz\"");
}

/* A chain of functions in attrs of functions, deeper than anything the printer shows. */
static void test_attr__deep_functions_print(void **state UNUSED)
{
    struct attr_value v = attr_func("leaf", NULL);
    for (int i = 0; i < 60; i++) {
        struct attrs a = {0};
        attrs_set(&a, "f", v);
        v = attr_func("g", &a);
        attrs_clear(&a);
    }
    struct strbuf b = {0};
    attr_value_print(&v, &b);
    assert_non_null(strstr(strbuf_text(&b), "..."));
    strbuf_release(&b);
    struct attr_value d = attr_value_dup(&v);
    assert_true(attr_value_equal(&v, &d));
    attr_value_clear(&v);
    attr_value_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attr__copies_are_equal_and_own),
        cmocka_unit_test(test_attr__lists_copy_their_items),
        cmocka_unit_test(test_attr__sets_stay_sorted),
        cmocka_unit_test(test_attr__getters_name_what_is_wrong),
        cmocka_unit_test(test_attr__text_is_tensorflows),
        cmocka_unit_test(test_attr__deep_functions_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
