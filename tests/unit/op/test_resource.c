/* SPDX-License-Identifier: Apache-2.0 */
/* Resource maps, handles, and the names that kernels give their resources. */
#include <pthread.h>

#include "op_fixture.h"

static struct status st;

struct thing {
    struct resource base;
    int *num_alive;
};

static void release_thing(struct resource *r)
{
    __atomic_fetch_sub(((struct thing *)r)->num_alive, 1, __ATOMIC_RELAXED);
    mem_free(r);
}

static const struct resource_type thing_type = {.name = "5Thing", .release = release_thing};
static const struct resource_type twin_type = {.name = "4Twin", .release = release_thing};

static int alive;

static struct resource *thing_new(const struct resource_type *type)
{
    struct thing *t = mem_new(struct thing);
    resource_init(&t->base, type);
    t->num_alive = &alive;
    __atomic_fetch_add(&alive, 1, __ATOMIC_RELAXED);
    return &t->base;
}

static void test_resource__map_finds_by_container_type_and_name(void **state UNUSED)
{
    struct resource_map *m = resource_map_new("localhost");
    struct resource *a = thing_new(&thing_type), *b = thing_new(&twin_type), *r;
    assert_null(resource_get(m, "", &thing_type, "x", &st));
    assert_failed_with(
        &st, STATUS_NOT_FOUND,
        "Container localhost does not exist. (Could not find resource: localhost/x)");
    assert_true(resource_create(m, "", "x", a, &st));
    assert_true(resource_create(m, "localhost", "x", b, &st)); /* another type: another object */
    r = resource_get(m, "localhost", &thing_type, "x", &st);
    assert_ptr_equal(r, a);
    resource_unref(r);
    r = resource_find(m, "", &twin_type, "x");
    assert_ptr_equal(r, b);
    resource_unref(r);
    assert_null(resource_find(m, "other", &twin_type, "x"));
    assert_null(resource_get(m, "", &thing_type, "y", &st));
    assert_failed_with(&st, STATUS_NOT_FOUND, "Resource localhost/y/5Thing does not exist.");
    struct resource *again = thing_new(&thing_type);
    assert_false(resource_create(m, "", "x", again, &st));
    assert_failed_with(&st, STATUS_ALREADY_EXISTS, "Resource localhost/x/5Thing");
    resource_unref(again);
    assert_int_equal(alive, 2);
    resource_map_free(m);
    assert_int_equal(alive, 0);
    resource_map_free(NULL);
    resource_unref(NULL);
}

static void test_resource__removal_drops_the_maps_reference_only(void **state UNUSED)
{
    struct resource_map *m = resource_map_new("localhost");
    assert_true(resource_create(m, "c", "x", thing_new(&thing_type), &st));
    assert_true(resource_create(m, "c", "x", thing_new(&twin_type), &st));
    struct resource *r = resource_find(m, "c", &thing_type, "x");
    assert_true(resource_remove(m, "c", &thing_type, "x", &st));
    assert_int_equal(alive, 2);
    resource_unref(r);
    assert_int_equal(alive, 1);
    assert_false(resource_remove(m, "c", &thing_type, "x", &st));
    assert_failed_with(&st, STATUS_NOT_FOUND, "Resource c/x/5Thing does not exist.");
    assert_true(resource_remove_named(m, "c", "4Twin", "x", &st));
    assert_int_equal(alive, 0);
    assert_false(resource_remove_named(m, "d", "4Twin", "x", &st));
    assert_failed_with(&st, STATUS_NOT_FOUND, "Container d does not exist.");
    assert_true(resource_create(m, "c", "x", thing_new(&thing_type), &st));
    assert_true(resource_create(m, "", "x", thing_new(&thing_type), &st));
    resource_clear_container(m, "c");
    assert_int_equal(alive, 1);
    resource_clear_container(m, "");
    assert_int_equal(alive, 0);
    resource_clear_container(m, "never");
    resource_map_free(m);
}

static struct resource *make_thing(void *arg, struct status *error)
{
    if (!arg)
        return status_invalid(error, "cannot be made") ? NULL : NULL;
    return thing_new(&thing_type);
}

struct maker {
    struct resource_map *m;
    struct resource *got;
};

static void *find_or_make(void *arg)
{
    struct maker *w = arg;
    struct status error = {0};
    for (int i = 0; i < 200; i++) {
        struct resource *r =
            resource_find_or_make(w->m, "", &thing_type, "one", make_thing, w, &error);
        w->got = r;
        resource_unref(r);
    }
    status_clear(&error);
    return NULL;
}

static void test_resource__many_threads_make_one(void **state UNUSED)
{
    struct resource_map *m = resource_map_new("localhost");
    assert_null(resource_find_or_make(m, "", &thing_type, "one", make_thing, NULL, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "cannot be made");
    struct maker makers[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        makers[i] = (struct maker){.m = m};
        assert_int_equal(pthread_create(&threads[i], NULL, find_or_make, &makers[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++)
        assert_ptr_equal(makers[i].got, makers[0].got);
    assert_int_equal(alive, 1);
    resource_map_free(m);
    assert_int_equal(alive, 0);
}

static void test_resource__without_a_map(void **state UNUSED)
{
    struct resource *r = thing_new(&thing_type);
    assert_null(resource_find(NULL, "", &thing_type, "x"));
    assert_null(resource_get(NULL, "", &thing_type, "x", &st));
    assert_failed_with(&st, STATUS_FAILED_PRECONDITION, "cannot be used here");
    assert_false(resource_create(NULL, "", "x", r, &st));
    status_clear(&st);
    assert_false(resource_remove(NULL, "", &thing_type, "x", &st));
    status_clear(&st);
    assert_null(resource_find_or_make(NULL, "", &thing_type, "x", make_thing, r, &st));
    status_clear(&st);
    resource_unref(r);
}

/* --- handles --- */

static bool run_nothing(struct kctx *c UNUSED, struct status *error UNUSED)
{
    return true;
}

static const struct op_def holder_def = {
    .name = "TestHolder",
    .inputs = {"h: resource"},
    .outputs = {"o: resource"},
    .attrs = {"container: string = ''", "shared_name: string = ''"},
};
static const struct kernel_def holder_kernel = {
    .op = "TestHolder", .device = "CPU", .run = run_nothing};

struct call {
    struct kernel *k;
    struct tensor handle;
    struct tensor *in[1];
    struct kernel_env env;
    struct kctx c;
};

static void begin(struct call *call, const char *container, const char *shared_name)
{
    struct attrs a = {0};
    attrs_set(&a, "container", attr_string(str_of(container)));
    attrs_set(&a, "shared_name", attr_string(str_of(shared_name)));
    *call = (struct call){
        .k = kernel_new(&holder_kernel, fixture_op(&holder_def), "node", &a, "/device:CPU:0", &st)};
    attrs_clear(&a);
    call->in[0] = &call->handle;
    call->env.container_resources = resource_map_new("localhost");
    call->env.step_resources = resource_map_new("");
    call->env.process_resources = resource_process_map();
    call->c = (struct kctx){.kernel = call->k, .in = call->in, .env = &call->env};
}

static void end(struct call *call)
{
    tensor_clear(&call->handle);
    resource_map_free(call->env.container_resources);
    resource_map_free(call->env.step_resources);
    resource_clear_container(call->env.process_resources, "");
    kernel_free(call->k);
}

static void check_scope(struct call *call, struct resource_map *m)
{
    const char *container = resource_map_default(m);
    struct resource *made = thing_new(&thing_type), *got;
    assert_true(resource_create(m, "", "x", made, &st));
    tensor_clear(&call->handle);
    assert_true(resource_make_handle(&call->c, container, "x", &thing_type, &call->handle, &st));
    got = resource_from_input(&call->c, 0, &thing_type, &st);
    assert_no_error(&st);
    assert_ptr_equal(got, made);
    resource_unref(got);
}

static void test_resource__handles_lead_back_in_each_scope(void **state UNUSED)
{
    struct call call;
    begin(&call, "", "");
    check_scope(&call, call.env.container_resources);
    check_scope(&call, call.env.step_resources);
    check_scope(&call, call.env.process_resources);
    assert_int_equal(alive, 3);
    tensor_clear(&call.handle);
    assert_true(resource_make_handle(&call.c, "", "gone", &thing_type, &call.handle, &st));
    const struct handle *h = *(struct handle **)call.handle.data;
    assert_string_equal(h->container, "localhost");
    assert_string_equal(h->device, "/device:CPU:0");
    assert_string_equal(h->type_name, "5Thing");
    assert_null(resource_from_input(&call.c, 0, &thing_type, &st));
    assert_failed_with(&st, STATUS_NOT_FOUND, "Resource localhost/gone/5Thing does not exist.");
    end(&call);
    assert_int_equal(alive, 0);
}

static void test_resource__wrong_handles_are_refused(void **state UNUSED)
{
    struct call call;
    begin(&call, "", "");
    assert_true(resource_make_handle(&call.c, "", "x", &twin_type, &call.handle, &st));
    assert_null(resource_from_input(&call.c, 0, &thing_type, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT,
                       "Trying to access resource using the wrong type. Expected 4Twin got 5Thing");
    struct handle **element = call.handle.data;
    handle_unref(*element);
    *element = handle_new("/device:CPU:1", "", "x", "5Thing", 0);
    assert_null(resource_from_input(&call.c, 0, &thing_type, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT,
                       "Trying to access resource x located in device /device:CPU:1 from device "
                       "/device:CPU:0");
    handle_unref(*element);
    *element = NULL;
    assert_null(resource_from_input(&call.c, 0, &thing_type, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "stands for nothing");
    tensor_clear(&call.handle);
    call.handle = fixture_floats((float[]){1}, 1);
    assert_null(resource_from_input(&call.c, 0, &thing_type, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "must be a resource scalar, not float");
    end(&call);
}

static void unref_object(void *object)
{
    resource_unref(object);
}

static void test_resource__anonymous_objects_live_with_their_handle(void **state UNUSED)
{
    struct call call;
    begin(&call, "", "");
    assert_true(resource_make_handle(&call.c, "", "anon", &thing_type, &call.handle, &st));
    struct handle *h = *(struct handle **)call.handle.data;
    h->object = thing_new(&thing_type);
    h->object_unref = unref_object;
    struct resource *r = resource_from_input(&call.c, 0, &thing_type, &st);
    assert_ptr_equal(r, h->object);
    resource_unref(r);
    assert_int_equal(alive, 1);
    end(&call);
    assert_int_equal(alive, 0);
}

static void check_names(const char *attr_container, const char *attr_name, bool use_node_name,
                        const char *wanted_container, const char *wanted_name)
{
    struct call call;
    const char *container, *name;
    begin(&call, attr_container, attr_name);
    resource_names(&call.c, use_node_name, &container, &name);
    assert_string_equal(container, wanted_container);
    if (wanted_name)
        assert_string_equal(name, wanted_name);
    else
        assert_true(name[0] == '_' && strstr(name, "_node"));
    end(&call);
}

static void test_resource__names(void **state UNUSED)
{
    check_names("", "", true, "", "node");
    check_names("c", "s", true, "c", "s");
    check_names("c", "s", false, "c", "s");
    check_names("", "", false, "", NULL);
    struct call a, b;
    const char *container, *name_a, *name_b;
    begin(&a, "", "");
    begin(&b, "", "");
    resource_names(&a.c, false, &container, &name_a);
    resource_names(&b.c, false, &container, &name_b);
    assert_string_not_equal(name_a, name_b);
    end(&a);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resource__map_finds_by_container_type_and_name),
        cmocka_unit_test(test_resource__removal_drops_the_maps_reference_only),
        cmocka_unit_test(test_resource__many_threads_make_one),
        cmocka_unit_test(test_resource__without_a_map),
        cmocka_unit_test(test_resource__handles_lead_back_in_each_scope),
        cmocka_unit_test(test_resource__wrong_handles_are_refused),
        cmocka_unit_test(test_resource__anonymous_objects_live_with_their_handle),
        cmocka_unit_test(test_resource__names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
