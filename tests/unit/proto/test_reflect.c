/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and reflection: lookups, values through fields, copies, merges, comparison. */
#include "proto_test.h"

static void test_reflect__tables_are_sorted_and_complete(void **state UNUSED)
{
    for (int i = 0; i < pb_num_descs; i++) {
        const struct pb_desc *d = pb_all_descs[i];
        assert_ptr_equal(pb_find_desc(str_of(d->full_name)), d);
        for (int k = 0; k < d->num_fields; k++) {
            const struct pb_field *f = &d->fields[k];
            assert_true(k == 0 || f[-1].number < f->number);
            assert_ptr_equal(pb_find_number(d, f->number), f);
            assert_ptr_equal(pb_find_field(d, str_of(f->name)), f);
            assert_true((f->type == PB_TYPE_MESSAGE) == (f->message != NULL));
            assert_true((f->type == PB_TYPE_ENUM) == (f->enumeration != NULL));
            assert_true(f->offset >= sizeof(struct pb_base) && f->offset < d->struct_bytes);
            assert_true(f->oneof < d->num_oneofs);
        }
    }
    for (int i = 0; i < pb_num_enums; i++) {
        assert_ptr_equal(pb_find_enum(str_of(pb_all_enums[i]->full_name)), pb_all_enums[i]);
        assert_int_equal(pb_all_enums[i]->values[0].number, 0);
    }
}

static void test_reflect__names_and_numbers(void **state UNUSED)
{
    assert_ptr_equal(pb_find_desc(str_of("tensorflow.GraphDef")), &pb_graph_def_desc);
    assert_ptr_equal(pb_find_desc(str_of("tensorflow.TensorShapeProto.Dim")),
                     &pb_tensor_shape_proto_dim_desc);
    assert_ptr_equal(pb_find_desc(str_of("google.protobuf.Any")), &pb_any_desc);
    assert_ptr_equal(pb_find_desc(str_of("tensorflow.NodeDef.AttrEntry")),
                     &pb_node_def_attr_entry_desc);
    assert_null(pb_find_desc(str_of("tensorflow.GraphDe")));
    assert_null(pb_find_desc(str_of("")));
    assert_null(pb_find_field(&pb_graph_def_desc, str_of("nodes")));
    assert_null(pb_find_number(&pb_op_def_desc, 7));
    assert_int_equal(pb_find_field(&pb_op_def_desc, str_of("control_output"))->number, 20);
    assert_int_equal(pb_enum_by_name(&pb_data_type_enum, str_of("DT_HALF"))->number, 19);
    assert_string_equal(pb_enum_by_number(&pb_error_code_enum, 16)->name, "UNAUTHENTICATED");
    assert_null(pb_enum_by_number(&pb_data_type_enum, 99));
    assert_int_equal(PB_OPTIMIZER_OPTIONS_LEVEL_L0, -1);
}

static const struct pb_field *field(const struct pb_desc *d, const char *name)
{
    const struct pb_field *f = pb_find_field(d, str_of(name));
    assert_non_null(f);
    return f;
}

static void test_reflect__values_by_type(void **state UNUSED)
{
    struct arena a = {0};
    const struct pb_desc *d = &pb_device_attributes_desc;
    struct pb_device_attributes *m = pb_device_attributes_new(&a);
    assert_int_equal(pb_count(m, field(d, "name")), 0);
    pb_set(m, field(d, "name"), 0, (struct pb_value){.s = str_of("/cpu:0")});
    pb_set(m, field(d, "memory_limit"), 0, (struct pb_value){.i = -5});
    pb_set(m, field(d, "incarnation"), 0, (struct pb_value){.u = UINT64_MAX});
    assert_str(m->name, "/cpu:0");
    assert_true(m->memory_limit == -5 && m->incarnation == UINT64_MAX);
    assert_true(pb_get(m, field(d, "memory_limit"), 0).i == -5);
    assert_true(pb_get(m, field(d, "incarnation"), 0).u == UINT64_MAX);
    assert_int_equal(pb_count(m, field(d, "incarnation")), 1);
    assert_null(pb_get(m, field(d, "locality"), 0).m);
    struct pb_device_locality *l = pb_mutable(&a, m, field(d, "locality"));
    assert_ptr_equal(m->locality, l);
    assert_ptr_equal(pb_mutable(&a, m, field(d, "locality")), l);
    pb_set(l, field(&pb_device_locality_desc, "numa_node"), 0, (struct pb_value){.i = -1});
    assert_int_equal(l->numa_node, -1);
    pb_clear_field(m, field(d, "locality"));
    assert_null(m->locality);

    const struct pb_desc *td = &pb_tensor_proto_desc;
    struct pb_tensor_proto *t = pb_tensor_proto_new(&a);
    for (int i = 0; i < 5; i++) {
        pb_append(&a, t, field(td, "float_val"), (struct pb_value){.d = i * 0.5});
        pb_append(&a, t, field(td, "bool_val"), (struct pb_value){.b = i % 2});
        pb_append(&a, t, field(td, "int_val"), (struct pb_value){.i = -i});
    }
    assert_int_equal(pb_count(t, field(td, "float_val")), 5);
    assert_true(t->float_val.v[3] == 1.5f && t->bool_val.v[3] && !t->bool_val.v[4]);
    assert_true(pb_get(t, field(td, "int_val"), 4).i == -4);
    pb_set(t, field(td, "int_val"), 4, (struct pb_value){.i = 9});
    assert_int_equal(t->int_val.v[4], 9);
    arena_release(&a);
}

static void test_reflect__oneofs(void **state UNUSED)
{
    struct arena a = {0};
    const struct pb_desc *d = &pb_attr_value_desc;
    struct pb_attr_value *v = pb_attr_value_new(&a);
    assert_null(pb_which(v, &d->oneofs[0]));
    pb_set(v, field(d, "i"), 0, (struct pb_value){.i = 0});
    assert_ptr_equal(pb_which(v, &d->oneofs[0]), field(d, "i"));
    assert_int_equal(pb_count(v, field(d, "i")), 1);
    pb_set(v, field(d, "s"), 0, (struct pb_value){.s = str_of("x")});
    assert_int_equal(v->which_value, 2);
    (void)pb_mutable(&a, v, field(d, "shape"));
    assert_int_equal(v->which_value, 7);
    assert_int_equal(v->s.n, 0);
    pb_clear_field(v, field(d, "i")); /* not the set one: nothing happens */
    assert_int_equal(v->which_value, 7);
    pb_clear_field(v, field(d, "shape"));
    assert_int_equal(v->which_value, 0);
    arena_release(&a);
}

static void test_reflect__copies_merges_and_comparison(void **state UNUSED)
{
    struct arena a = {0}, b = {0};
    static const char text[] =
        "node { name: 'n' input: ['a', 'b'] attr { key: 'T' value { type: DT_INT8 } } } "
        "versions { producer: 5 bad_consumers: [1, 2] }";
    struct pb_graph_def *g;
    void *copy;
    bool equal;
    ASSERT_OK(pb_graph_def_parse(&a, BYTES(text), &g, st));
    ASSERT_OK(pb_merge_bytes(&a, g, BYTES("\xa0\x06\x01"), 0, st));
    ASSERT_OK(pb_dup(&b, g, &copy, st));
    ASSERT_OK(pb_equal(g, copy, &equal, st));
    assert_true(equal);
    arena_release(&a); /* the copy shares nothing */
    struct pb_graph_def *c = copy;
    assert_str(c->node.v[0]->name, "n");
    assert_int_equal(c->base.unknown->n, 3);

    struct pb_node_def *more;
    ASSERT_OK(pb_node_def_parse(
        &a, BYTES("op: 'Q' input: 'c' attr { key: 'T' value { i: 7 } } attr { key: 'U' }"), &more,
        st));
    ASSERT_OK(pb_merge(&b, c->node.v[0], more, st));
    assert_str(c->node.v[0]->name, "n");
    assert_str(c->node.v[0]->op, "Q");
    assert_int_equal(c->node.v[0]->input.n, 3);
    assert_int_equal(c->node.v[0]->attr.n, 2);
    struct pb_node_def_attr_entry *e = pb_map_find(&c->node.v[0]->attr, str_of("T"));
    assert_int_equal(e->value->i, 7);
    assert_int_equal(e->value->type, 0);
    ASSERT_FAILS(pb_merge(&b, c, more, st), STATUS_INVALID_ARGUMENT, "cannot be merged");
    ASSERT_FAILS(pb_merge(&b, c, c, st), STATUS_INVALID_ARGUMENT, "into itself");
    ASSERT_OK(pb_equal(c->node.v[0], more, &equal, st));
    assert_false(equal);
    arena_release(&a);
    arena_release(&b);
}

static void test_reflect__maps_compare_without_order(void **state UNUSED)
{
    struct arena a = {0};
    void *x, *y;
    bool equal;
    ASSERT_OK(
        pb_text_parse(&a, &pb_job_def_desc, BYTES("tasks{key:1 value:'a'} tasks{key:-1}"), &x, st));
    ASSERT_OK(
        pb_text_parse(&a, &pb_job_def_desc, BYTES("tasks{key:-1} tasks{key:1 value:'a'}"), &y, st));
    ASSERT_OK(pb_equal(x, y, &equal, st));
    assert_true(equal);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reflect__tables_are_sorted_and_complete),
        cmocka_unit_test(test_reflect__names_and_numbers),
        cmocka_unit_test(test_reflect__values_by_type),
        cmocka_unit_test(test_reflect__oneofs),
        cmocka_unit_test(test_reflect__copies_merges_and_comparison),
        cmocka_unit_test(test_reflect__maps_compare_without_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
