/* SPDX-License-Identifier: Apache-2.0 */
/* TF_LoadLibrary from outside: the example's plug-in, and small ones that the compiler makes here:
 * ops of constructors, ops that are refused, objects without ops, files that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "program.h"
#include <pthread.h>

#include "tensorflow/c/c_api.h"

static char path[4400];
static TF_Status *s;

static void expect(TF_Code code, const char *words)
{
    if (TF_GetCode(s) != code || !strstr(TF_Message(s), words))
        fail_msg("wanted %d '%s', got %d '%s'", (int)code, words, (int)TF_GetCode(s),
                 TF_Message(s));
}

/* Whether the library's op list, and the process's, has the op. */
static void has_op(TF_Library *lib, const char *op)
{
    TF_Buffer own = TF_GetOpList(lib), *all = TF_GetAllOpList();
    assert_non_null(memmem(own.data, own.length, op, strlen(op)));
    assert_non_null(memmem(all->data, all->length, op, strlen(op)));
    TF_DeleteBuffer(all);
}

/* A shared object of that C text in the scratch folder; its path is in `path`. */
static void compile(const char *name, const char *text)
{
    static const char head[] = "typedef struct B B; typedef struct S S;\n"
                               "B *TF_NewOpDefinitionBuilder(const char *);\n"
                               "void TF_OpDefinitionBuilderAddOutput(B *, const char *);\n"
                               "void TF_RegisterOpDefinition(B *, S *);\n"
                               "S *TF_NewStatus(void); void TF_DeleteStatus(S *);\n"
                               "static void op(const char *name) { S *s = TF_NewStatus();\n"
                               "    B *b = TF_NewOpDefinitionBuilder(name); "
                               "TF_OpDefinitionBuilderAddOutput(b, \"y: float\");\n"
                               "    TF_RegisterOpDefinition(b, s); TF_DeleteStatus(s); }\n"
                               "void use(void); void use(void) { op(\"Unused\"); }\n";
    char command[9100], source[200];
    snprintf(source, sizeof source, "%s/%s.c", program_scratch, name);
    snprintf(path, sizeof path, "%s/%s.so", program_scratch, name);
    FILE *f = fopen(source, "w");
    assert_non_null(f);
    fprintf(f, "%s%s", head, text);
    assert_int_equal(fclose(f), 0);
    snprintf(command, sizeof command, "cc -shared -fPIC -o '%s' '%s'", path, source);
    if (system("command -v cc > /dev/null") != 0)
        skip();
    assert_int_equal(system(command), 0);
}

static TF_Library *load(void)
{
    return TF_LoadLibrary(path, s);
}

static void test_example(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s", program_path("../examples/op_moving_mean.so"));
    if (access(path, R_OK) != 0)
        skip();
    TF_Library *one = load();
    expect(TF_OK, "");
    TF_Library *two = load();
    expect(TF_OK, "");
    has_op(one, "MovingMean");
    assert_ptr_not_equal(one, two);
    assert_int_equal(TF_GetOpList(one).length, TF_GetOpList(two).length);
    TF_DeleteLibraryHandle(one);
    has_op(two, "MovingMean");
    TF_DeleteLibraryHandle(two);
    TF_Buffer *kernels = TF_GetRegisteredKernelsForOp("MovingMean", s);
    assert_non_null(memmem(kernels->data, kernels->length, "CPU", 3));
    TF_DeleteBuffer(kernels);

    char quoted[4500];
    snprintf(quoted, sizeof quoted, "'%s'", path);
    assert_int_equal(program_run("../examples/load_plugin", quoted), 0);
    program_says("MovingMean: 1 1.5 2.5 3.5 7 15\n");
}

static void test_constructor(void **state)
{
    (void)state;
    compile("ctor", "__attribute__((constructor)) static void start(void) { op(\"PlCtor\"); }");
    TF_Library *lib = load();
    expect(TF_OK, "");
    has_op(lib, "PlCtor");
    char link[100]; /* the same file by another name */
    snprintf(link, sizeof link, "%s/link.so", program_scratch);
    assert_int_equal(symlink(path, link), 0);
    TF_Library *again = TF_LoadLibrary(link, s);
    expect(TF_OK, "");
    has_op(again, "PlCtor");
    TF_DeleteLibraryHandle(again);
    TF_DeleteLibraryHandle(lib);
}

static void test_refused_op(void **state)
{
    (void)state;
    compile("taken", "void TF_InitKernel(void); void TF_InitKernel(void) { op(\"PlBefore\"); "
                     "op(\"MatMul\"); op(\"no good\"); }");
    for (int i = 0; i < 2; i++) { /* the second time too */
        assert_null(load());
        expect(TF_ALREADY_EXISTS, "Op with name MatMul");
    }
}

static void test_no_ops(void **state)
{
    (void)state;
    compile("bare", "");
    TF_Library *lib = load();
    expect(TF_OK, "");
    assert_int_equal(TF_GetOpList(lib).length, 0);
    TF_DeleteLibraryHandle(lib);
}

static void test_what_cannot_be_loaded(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/none.so", program_scratch);
    assert_null(load());
    expect(TF_NOT_FOUND, "none.so: cannot open shared object file: No such file or directory");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("hello", f);
    assert_int_equal(fclose(f), 0);
    assert_null(load());
    expect(TF_NOT_FOUND, "none.so: file too short");
    assert_null(TF_LoadLibrary(program_scratch, s));
    expect(TF_NOT_FOUND, program_scratch);
    assert_null(TF_LoadLibrary(NULL, s));
    expect(TF_INVALID_ARGUMENT, "no file");
    assert_null(TF_LoadLibrary("", s));
    expect(TF_INVALID_ARGUMENT, "no file");
    TF_DeleteLibraryHandle(NULL);
    assert_int_equal(TF_GetOpList(NULL).length, 0);
}

static void test_what_leat_lacks(void **state)
{
    (void)state;
    compile("cxx", "void _ZN10tensorflow8OpKernelC2Ev(void); void call(void); "
                   "void call(void) { _ZN10tensorflow8OpKernelC2Ev(); }");
    assert_null(load());
    expect(TF_NOT_FOUND, "undefined symbol: _ZN10tensorflow8OpKernelC2Ev (the file was built "
                         "against TensorFlow's C++ classes");
    compile("tfe", "void TFE_Execute(void); void call(void); void call(void) { TFE_Execute(); }");
    assert_null(load());
    expect(TF_NOT_FOUND, "undefined symbol: TFE_Execute (Leat has no such function)");
}

/* One plug-in whose initialisation loads another. */
static void test_nested(void **state)
{
    (void)state;
    char text[6000];
    compile("inner", "void TF_InitKernel(void); void TF_InitKernel(void) { op(\"PlInner\"); }");
    snprintf(text, sizeof text,
             "void *TF_LoadLibrary(const char *, S *); void TF_DeleteLibraryHandle(void *); "
             "void TF_InitKernel(void); void TF_InitKernel(void) { S *s = TF_NewStatus(); "
             "op(\"PlOuter\"); TF_DeleteLibraryHandle(TF_LoadLibrary(\"%s\", s)); "
             "TF_DeleteStatus(s); op(\"PlOuterTwo\"); }",
             path);
    compile("outer", text);
    TF_Library *lib = load();
    expect(TF_OK, "");
    has_op(lib, "PlOuter");
    has_op(lib, "PlOuterTwo");
    assert_null(memmem(TF_GetOpList(lib).data, TF_GetOpList(lib).length, "PlInner", 7));
    TF_DeleteLibraryHandle(lib);
}

static void *load_in_thread(void *arg)
{
    TF_Status *mine = TF_NewStatus();
    *(TF_Library **)arg = TF_LoadLibrary(path, mine);
    TF_DeleteStatus(mine);
    return NULL;
}

static void test_many_threads(void **state)
{
    (void)state;
    enum { NUM = 4 };
    pthread_t threads[NUM];
    TF_Library *libs[NUM];
    compile("many", "void TF_InitKernel(void); void TF_InitKernel(void) { op(\"PlMany\"); }");
    for (int i = 0; i < NUM; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load_in_thread, &libs[i]), 0);
    for (int i = 0; i < NUM; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < NUM; i++) {
        assert_non_null(libs[i]);
        has_op(libs[i], "PlMany");
        TF_DeleteLibraryHandle(libs[i]);
    }
}

static int set_up(void **state)
{
    s = TF_NewStatus();
    return program_set_up(state);
}

static int tear_down(void **state)
{
    TF_DeleteStatus(s);
    return program_tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_constructor),
        cmocka_unit_test(test_refused_op),
        cmocka_unit_test(test_no_ops),
        cmocka_unit_test(test_what_cannot_be_loaded),
        cmocka_unit_test(test_what_leat_lacks),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_many_threads),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
