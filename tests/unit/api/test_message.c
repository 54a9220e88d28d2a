/* SPDX-License-Identifier: Apache-2.0 */
/* leat/message.h: types by name, messages made, read and written without knowing them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "leat/leat.h"
#include "leat/message.h"

#define UNUSED __attribute__((unused))

static void test_message__types_and_fields(void **state UNUSED)
{
    const struct leat_message_type *attr = leat_message_type_named("tensorflow.AttrValue");
    assert_non_null(attr);
    assert_string_equal(leat_message_type_name(attr), "tensorflow.AttrValue");
    assert_ptr_equal(leat_message_type_at(leat_message_type_index(attr)), attr);
    struct leat_message_field f;
    int at = leat_message_field_named(attr, "type");
    assert_int_equal(leat_message_field_at(attr, at, &f), 1);
    assert_int_equal(f.number, 6);
    assert_int_equal(f.type, 14);
    assert_string_equal(f.oneof, "value");
    assert_string_equal(leat_message_enum_name(f.enumeration), "tensorflow.DataType");
    const char *name;
    int number;
    assert_int_equal(leat_message_enum_value(f.enumeration, 1, &name, &number), 1);
    assert_string_equal(name, "DT_FLOAT");
    assert_int_equal(number, 1);

    const struct leat_message_type *node = leat_message_type_named("tensorflow.NodeDef");
    at = leat_message_field_named(node, "attr");
    assert_int_equal(leat_message_field_at(node, at, &f), 1);
    assert_int_equal(f.label, LEAT_MESSAGE_MAP);
    assert_true(leat_message_is_map_entry(f.message));
}

static void test_message__what_there_is_not(void **state UNUSED)
{
    const struct leat_message_type *node = leat_message_type_named("tensorflow.NodeDef");
    struct leat_message_field f;
    union leat_message_value v;
    assert_null(leat_message_type_named("tensorflow.Nothing"));
    assert_null(leat_message_type_named(NULL));
    assert_null(leat_message_type_at(-1));
    assert_null(leat_message_type_at(leat_message_num_types()));
    assert_null(leat_message_enum_named("tensorflow.Nothing"));
    assert_null(leat_message_enum_at(leat_message_num_enums()));
    assert_int_equal(leat_message_field_named(node, "nothing"), -1);
    assert_int_equal(leat_message_field_at(node, 1000, &f), 0);
    struct leat_message *m = leat_message_new(node);
    struct leat_part *root = leat_message_root(m);
    assert_int_equal(leat_part_count(root, 1000), 0);
    assert_int_equal(leat_part_get(root, 1000, 0, &v), 0);
    assert_int_equal(leat_part_get(root, leat_message_field_named(node, "input"), 0, &v), 0);
    assert_int_equal(leat_part_put(m, root, leat_message_field_named(node, "attr"), v, 1), 0);
    assert_null(leat_part_add(m, root, leat_message_field_named(node, "name")));
    leat_message_delete(m);
    leat_message_delete(NULL);
}

static void put_text(struct leat_message *m, struct leat_part *part, const char *field,
                     const char *text)
{
    union leat_message_value v = {.s = {text, strlen(text)}};
    assert_int_equal(
        leat_part_put(m, part, leat_message_field_named(leat_part_type(part), field), v, 1), 1);
}

static void test_message__made_and_written(void **state UNUSED)
{
    const struct leat_message_type *node = leat_message_type_named("tensorflow.NodeDef");
    TF_Status *st = TF_NewStatus();
    struct leat_message *m = leat_message_new(node);
    struct leat_part *root = leat_message_root(m);
    put_text(m, root, "name", "n");
    put_text(m, root, "input", "a");
    put_text(m, root, "input", "b");
    struct leat_part *entry = leat_part_add(m, root, leat_message_field_named(node, "attr"));
    put_text(m, entry, "key", "T");
    struct leat_part *value = leat_part_add(m, entry, 1);
    const struct leat_message_type *attr = leat_part_type(value);
    leat_part_put(m, value, leat_message_field_named(attr, "type"),
                  (union leat_message_value){.i = 1}, 0);
    size_t n;
    char *text = leat_message_print(m, 0, &n, st);
    assert_string_equal(text, "name: \"n\"\ninput: \"a\"\ninput: \"b\"\nattr {\n  key: \"T\"\n"
                              "  value {\n    type: DT_FLOAT\n  }\n}\n");
    TF_Buffer *bytes = leat_message_encode(m, 1, st);
    struct leat_message *again = leat_message_decode(node, bytes->data, bytes->length, 0, st);
    assert_non_null(again);
    union leat_message_value got;
    assert_int_equal(leat_part_get(leat_message_root(again), 2, 1, &got), 1);
    assert_int_equal(got.s.n, 1);
    assert_memory_equal(got.s.p, "b", 1);
    leat_message_delete(again);
    again = leat_message_parse(node, text, n, st);
    assert_non_null(again);
    TF_DeleteBuffer(bytes);
    leat_message_delete(again);
    leat_message_delete(m);
    leat_free(text);
    TF_DeleteStatus(st);
}

static void test_message__unknown_fields_are_kept(void **state UNUSED)
{
    const struct leat_message_type *node = leat_message_type_named("tensorflow.NodeDef");
    TF_Status *st = TF_NewStatus();
    static const char bytes[] = "\x0a\x01n\xf8\x7f\x05";
    struct leat_message *m = leat_message_decode(node, bytes, sizeof bytes - 1, 1, st);
    struct leat_message_text unknown = leat_part_unknown(leat_message_root(m));
    assert_int_equal(unknown.n, 3);
    struct leat_message *other = leat_message_new(node);
    struct leat_part *root = leat_message_root(other);
    assert_int_equal(leat_part_unknown(root).n, 0);
    assert_int_equal(leat_part_merge(other, root, unknown.p, unknown.n, st), 1);
    TF_Buffer *out = leat_message_encode(other, 0, st);
    assert_int_equal(out->length, 3);
    assert_memory_equal(out->data, "\xf8\x7f\x05", 3);
    TF_DeleteBuffer(out);
    leat_message_delete(other);
    leat_message_delete(m);
    TF_DeleteStatus(st);
}

static void test_message__broken_input(void **state UNUSED)
{
    const struct leat_message_type *node = leat_message_type_named("tensorflow.NodeDef");
    TF_Status *st = TF_NewStatus();
    assert_null(leat_message_decode(node, "\x0a\x7f", 2, 0, st));
    assert_int_equal(TF_GetCode(st), TF_INVALID_ARGUMENT);
    assert_null(leat_message_parse(node, "name: 1", 7, st));
    assert_int_equal(TF_GetCode(st), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(st), "1:7"));
    struct leat_message *m = leat_message_new(node);
    assert_int_equal(leat_part_merge(m, leat_message_root(m), "\xff", 1, st), 0);
    leat_message_delete(m);
    TF_DeleteStatus(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message__types_and_fields),
        cmocka_unit_test(test_message__what_there_is_not),
        cmocka_unit_test(test_message__made_and_written),
        cmocka_unit_test(test_message__unknown_fields_are_kept),
        cmocka_unit_test(test_message__broken_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
