/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that call functions, in graphs as a client gives them: results, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "misuse.h"

#define T(f) cmocka_unit_test(f)
#define FLOAT(n) " attr{key:'" n "' value{type:DT_FLOAT}}"
#define TYPES(n, t) " attr{key:'" n "' value{list{type:" t "}}}"
#define FUNC(n, f) " attr{key:'" n "' value{func{name:'" f "'}}}"
#define CONST(name, v)                                                                             \
    " node{name:'" name "' op:'Const'" FLOAT("dtype") " attr{key:'value' value{tensor{dtype:"      \
                                                      "DT_FLOAT tensor_shape{} float_val:" v       \
                                                      "}}}}"
#define INT(name, v)                                                                               \
    " node{name:'" name "' op:'Const' attr{key:'dtype' value{type:DT_INT32}} attr{key:'value' "    \
    "value{tensor{dtype:DT_INT32 tensor_shape{} int_val:" v "}}}}"
#define BODY_CONST(name, v)                                                                        \
    " node_def{name:'" name "' op:'Const'" FLOAT("dtype") " attr{key:'value' value{tensor{dtype:"  \
                                                          "DT_FLOAT tensor_shape{} float_val:" v   \
                                                          "}}}}"
#define SIGNATURE(name, in, out)                                                                   \
    "signature{name:'" name "' input_arg{name:'x' type:" in "} output_arg{name:'y' type:" out "}}"
#define ONE_OP(name, op, k)                                                                        \
    " function{" SIGNATURE(name, "DT_FLOAT", "DT_FLOAT")                                           \
        BODY_CONST("k", k) " node_def{name:'o' "                                                   \
                           "op:'" op "' input:'x' input:'k:output:0'" FLOAT(                       \
                               "T") "} ret{key:'y' value:'o:z:0'}}"
#define BELOW(name, k)                                                                             \
    " function{" SIGNATURE(name, "DT_FLOAT", "DT_BOOL")                                            \
        BODY_CONST("k", k) " node_def{name:'o' "                                                   \
                           "op:'Less' input:'x' input:'k:output:0'" FLOAT(                         \
                               "T") "} ret{key:'y' value:'o:z:0'}}"
#define SQUARE                                                                                     \
    " function{" SIGNATURE("square", "DT_FLOAT",                                                   \
                           "DT_FLOAT") " node_def{name:'o' op:'Mul' "                              \
                                       "input:'x' input:'x'" FLOAT(                                \
                                           "T") "} ret{key:'y' value:'o:z:0'}}"
/* down(x) = x > 0 ? down(x - 1) + 1 : x, by way of two more functions. */
#define RECURSION                                                                                  \
    " function{" SIGNATURE("down", "DT_FLOAT", "DT_FLOAT") BODY_CONST(                             \
        "zero",                                                                                    \
        "0") " node_def{name:'c' op:'Greater' input:'x' "                                          \
             "input:'zero:output:0'" FLOAT(                                                        \
                 "T") "}"                                                                          \
                      " node_def{name:'i' op:'If' input:'c:z:0' input:'x' "                        \
                      "attr{key:'Tcond' value{type:DT_BOOL}}" TYPES("Tin", "DT_FLOAT")             \
                          TYPES("Tout", "DT_FLOAT") FUNC("then_branch", "further") FUNC(           \
                              "else_branch",                                                       \
                              "same") "} ret{key:'y' value:'i:output:0'}}"                         \
                                      " function{" SIGNATURE("further", "DT_FLOAT", "DT_FLOAT")    \
                                          BODY_CONST(                                              \
                                              "one",                                               \
                                              "1") " node_def{name:'s' "                           \
                                                   "op:'Sub' input:'x' "                           \
                                                   "input:'one:output:"                            \
                                                   "0'" FLOAT(                                     \
                                                       "T") "}"                                    \
                                                            " node_def{"                           \
                                                            "name:'d' "                            \
                                                            "op:'down' "                           \
                                                            "input:'s:"                            \
                                                            "z:0'}"                                \
                                                            " node_def{"                           \
                                                            "name:'a' "                            \
                                                            "op:'AddV2'"                           \
                                                            " input:'d:"                           \
                                                            "y:0' "                                \
                                                            "input:'"                              \
                                                            "one:"                                 \
                                                            "output:"                              \
                                                            "0'" FLOAT(                            \
                                                                "T") "}"                           \
                                                                     " "                           \
                                                                     "r"                           \
                                                                     "e"                           \
                                                                     "t"                           \
                                                                     "{"                           \
                                                                     "k"                           \
                                                                     "e"                           \
                                                                     "y"                           \
                                                                     ":"                           \
                                                                     "'"                           \
                                                                     "y"                           \
                                                                     "'"                           \
                                                                     " "                           \
                                                                     "v"                           \
                                                                     "a"                           \
                                                                     "l"                           \
                                                                     "u"                           \
                                                                     "e"                           \
                                                                     ":"                           \
                                                                     "'"                           \
                                                                     "a"                           \
                                                                     ":"                           \
                                                                     "z"                           \
                                                                     ":"                           \
                                                                     "0"                           \
                                                                     "'"                           \
                                                                     "}"                           \
                                                                     "}"                           \
                                                                     " "                           \
                                                                     "f"                           \
                                                                     "u"                           \
                                                                     "n"                           \
                                                                     "c"                           \
                                                                     "t"                           \
                                                                     "i"                           \
                                                                     "o"                           \
                                                                     "n"                           \
                                                                     "{" SIGNATURE(                \
                                                                         "same", "DT_FLOAT",       \
                                                                         "DT_FLOAT") " ret{key:'"  \
                                                                                     "y' "         \
                                                                                     "value:'x'}}"
#define FOR_EVER                                                                                   \
    " function{" SIGNATURE("ever", "DT_FLOAT",                                                     \
                           "DT_FLOAT") " node_def{name:'e' op:'ever' "                             \
                                       "input:'x'} ret{key:'y' value:'e:y:0'}}"
#define CALL(op, f, in)                                                                            \
    " node{name:'y' op:'" op "' input:'" in "'" TYPES("Tin", "DT_FLOAT") TYPES("Tout", "DT_FLOAT") \
        FUNC("f", f) "}"
#define IF_NODE(cond, type)                                                                        \
    " node{name:'y' op:'If' input:'" cond "' input:'x' attr{key:'Tcond' value{type:" type          \
    "}}" TYPES("Tin", "DT_FLOAT") TYPES("Tout", "DT_FLOAT") FUNC("then_branch", "twice")           \
        FUNC("else_branch", "more") "}"
#define CASE_NODE                                                                                  \
    " node{name:'y' op:'Case' input:'i' input:'x'" TYPES("Tin", "DT_FLOAT")                        \
        TYPES("Tout", "DT_FLOAT") " attr{key:'branches' value{list{func{name:'twice'} "            \
                                  "func{name:'more'}}}}}"
#define WHILE_NODE(cond, body)                                                                     \
    " node{name:'y' op:'While' input:'x'" TYPES("T", "DT_FLOAT") FUNC("cond", cond)                \
        FUNC("body", body) "}"
#define LIBRARY                                                                                    \
    "library{" SQUARE ONE_OP("twice", "Mul", "2") ONE_OP("more", "AddV2", "1")                     \
        BELOW("small", "100") RECURSION FOR_EVER "}"

static float result(const char *graph, struct bench *b)
{
    TF_Tensor *t = NULL;
    m_import(b, graph, strlen(graph));
    if (TF_GetCode(b->st) != TF_OK)
        fail_msg("%s in %s", TF_Message(b->st), graph);
    TF_Output y = {TF_GraphOperationByName(b->g, "y"), 0};
    TF_SessionRun(b->s, NULL, NULL, NULL, 0, &y, &t, 1, NULL, 0, NULL, b->st);
    if (TF_GetCode(b->st) != TF_OK)
        return -1;
    assert_int_equal(TF_TensorType(t), TF_FLOAT);
    float v = *(float *)TF_TensorData(t);
    TF_DeleteTensor(t);
    return v;
}

static void gives(const char *graph, float want)
{
    struct bench b;
    bench_open(&b);
    float v = result(graph, &b);
    if (TF_GetCode(b.st) != TF_OK || v != want)
        fail_msg("%s: %g instead of %g for %s", TF_Message(b.st), (double)v, (double)want, graph);
    bench_close(&b);
}

static void fails(const char *graph, TF_Code code, const char *words)
{
    struct bench b;
    bench_open(&b);
    result(graph, &b);
    if (TF_GetCode(b.st) != code || !strstr(TF_Message(b.st), words))
        fail_msg("code %d, %s, for %s", TF_GetCode(b.st), TF_Message(b.st), graph);
    bench_close(&b);
}

static void test_function_ops__calls(void **state)
{
    (void)state;
    gives(LIBRARY CONST("x", "3") CALL("PartitionedCall", "twice", "x"), 6);
    gives(LIBRARY CONST("x", "3") CALL("StatefulPartitionedCall", "more", "x"), 4);
    gives(LIBRARY CONST("x", "3") " node{name:'y' op:'twice' input:'x'}", 6);
}

static void test_function_ops__branches(void **state)
{
    (void)state;
    gives(LIBRARY CONST("x", "3") CONST("c", "1") IF_NODE("c", "DT_FLOAT"), 6);
    gives(LIBRARY CONST("x", "3") CONST("c", "0") IF_NODE("c", "DT_FLOAT"), 4);
    gives(LIBRARY CONST("x", "3") INT("c", "-1") IF_NODE("c", "DT_INT32"), 6);
    gives(LIBRARY CONST("x", "3") INT("i", "0") CASE_NODE, 6);
    gives(LIBRARY CONST("x", "3") INT("i", "1") CASE_NODE, 4);
    gives(LIBRARY CONST("x", "3") INT("i", "2") CASE_NODE, 4);
    gives(LIBRARY CONST("x", "3") INT("i", "-7") CASE_NODE, 4);
}

static void test_function_ops__loops(void **state)
{
    (void)state;
    gives(LIBRARY CONST("x", "3") WHILE_NODE("small", "twice"), 192);
    gives(LIBRARY CONST("x", "-20000") WHILE_NODE("small", "more"), 100);
    gives(LIBRARY CONST("x", "1000") WHILE_NODE("small", "twice"), 1000);
}

/* dy/dx of the graph at the x that it has, in the session that has run it. */
static void slope(const char *graph, float want)
{
    struct bench b;
    bench_open(&b);
    (void)result(graph, &b);
    TF_Output y = {TF_GraphOperationByName(b.g, "y"), 0}, dx;
    TF_Output x = {TF_GraphOperationByName(b.g, "x"), 0};
    TF_Tensor *t = NULL;
    TF_AddGradients(b.g, &y, 1, &x, 1, NULL, b.st, &dx);
    if (TF_GetCode(b.st) == TF_OK)
        TF_SessionRun(b.s, NULL, NULL, NULL, 0, &dx, &t, 1, NULL, 0, NULL, b.st);
    if (TF_GetCode(b.st) != TF_OK)
        fail_msg("%s for %s", TF_Message(b.st), graph);
    float v = *(float *)TF_TensorData(t);
    if (v != want)
        fail_msg("%g instead of %g for %s", (double)v, (double)want, graph);
    TF_DeleteTensor(t);
    bench_close(&b);
}

static void test_function_ops__gradients(void **state)
{
    (void)state;
    slope(LIBRARY CONST("x", "3") " node{name:'y' op:'twice' input:'x'}", 2);
    slope(LIBRARY CONST("x", "3") CALL("PartitionedCall", "twice", "x"), 2);
    slope(LIBRARY CONST("x", "3") CONST("c", "1") IF_NODE("c", "DT_FLOAT"), 2);
    slope(LIBRARY CONST("x", "3") CONST("c", "0") IF_NODE("c", "DT_FLOAT"), 1);
    slope(LIBRARY CONST("x", "3") INT("i", "0") CASE_NODE, 2);
    slope(LIBRARY CONST("x", "3") WHILE_NODE("small", "twice"), 64);
    slope(LIBRARY CONST("x", "3") WHILE_NODE("small", "square"), 8 * 2187);
    slope(LIBRARY CONST("x", "1000") WHILE_NODE("small", "twice"), 1);
}

/* What would draw other numbers when it runs again has no gradient. */
static void test_function_ops__no_gradient_of_random_bodies(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    float v = result(
        "library{function{" SIGNATURE(
            "noise", "DT_FLOAT",
            "DT_FLOAT") " node_def{name:'s' op:'Shape' "
                        "input:'x'" FLOAT(
                            "T") " attr{key:'out_type' "
                                 "value{type:DT_INT32}}}"
                                 " node_def{name:'r' "
                                 "op:'RandomUniform' "
                                 "input:'s:output:"
                                 "0'" FLOAT(
                                     "dtype") " attr{"
                                              "key:'T' "
                                              "value{"
                                              "type:DT_"
                                              "INT32}}}"
                                              " node_"
                                              "def{name:"
                                              "'m' "
                                              "op:'Mul' "
                                              "input:'x'"
                                              " input:'"
                                              "r:output:"
                                              "0'" FLOAT(
                                                  "T") "} ret{key:'y' value:'m:z:0'}}}" CONST("x",
                                                                                              "3")
                                                  CALL("S"
                                                       "t"
                                                       "a"
                                                       "t"
                                                       "e"
                                                       "f"
                                                       "u"
                                                       "l"
                                                       "P"
                                                       "a"
                                                       "r"
                                                       "t"
                                                       "i"
                                                       "t"
                                                       "i"
                                                       "o"
                                                       "n"
                                                       "e"
                                                       "d"
                                                       "C"
                                                       "a"
                                                       "l"
                                                       "l",
                                                       "n"
                                                       "o"
                                                       "i"
                                                       "s"
                                                       "e",
                                                       "x"),
        &b);
    assert_true(v >= 0 && v < 3);
    TF_Output y = {TF_GraphOperationByName(b.g, "y"), 0}, dx;
    TF_Output x = {TF_GraphOperationByName(b.g, "x"), 0};
    TF_AddGradients(b.g, &y, 1, &x, 1, NULL, b.st, &dx);
    assert_int_equal(TF_GetCode(b.st), TF_UNIMPLEMENTED);
    bench_close(&b);
}

static void test_function_ops__no_gradient_without_end(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    const char *graph = "library{function{" SIGNATURE("f", "DT_FLOAT", "DT_FLOAT") BODY_CONST(
        "c", "0") " node_def{name:'i' op:'If' input:'c:output:0' input:'x'" FLOAT("Tcond")
        TYPES("Tin", "DT_FLOAT") TYPES("Tout", "DT_FLOAT") FUNC("then_branch", "f") FUNC(
            "else_branch", "square") "} ret{key:'y' value:'i:output:0'}}" SQUARE "}" CONST("x", "3")
            CONST("c", "1") " node{name:'y' op:'If' input:'c' input:'x'" FLOAT("Tcond")
                TYPES("Tin", "DT_FLOAT") TYPES("Tout", "DT_FLOAT") FUNC("then_branch", "f")
                    FUNC("else_branch", "f") "}";
    assert_true(result(graph, &b) == 9);
    TF_Output y = {TF_GraphOperationByName(b.g, "y"), 0}, dx;
    TF_Output x = {TF_GraphOperationByName(b.g, "x"), 0};
    TF_AddGradients(b.g, &y, 1, &x, 1, NULL, b.st, &dx);
    assert_int_equal(TF_GetCode(b.st), TF_UNIMPLEMENTED);
    bench_close(&b);
}

/* --- lists --- */

#define DTYPE " attr{key:'element_dtype' value{type:DT_FLOAT}}"
#define EMPTY(most)                                                                                \
    INT("any", "-1")                                                                               \
    INT("most", most)                                                                              \
    " node{name:'l0' op:'EmptyTensorList' input:'any' "                                            \
    "input:'most'" DTYPE " attr{key:'shape_type' value{type:DT_INT32}}}"
#define PUSH(name, list)                                                                           \
    " node{name:'" name "' op:'TensorListPushBack' input:'" list "' input:'x'" DTYPE "}"
#define POP(name, list)                                                                            \
    " node{name:'" name "' op:'TensorListPopBack' input:'" list "' input:'any'" DTYPE "}"
#define ITEM(name, list, index)                                                                    \
    INT("at", index)                                                                               \
    " node{name:'" name "' op:'TensorListGetItem' input:'" list "' input:'at' "                    \
    "input:'any'" DTYPE "}"

static void test_function_ops__lists(void **state)
{
    (void)state;
    gives(CONST("x", "3") EMPTY("-1") PUSH("l1", "l0") ITEM("y", "l1", "0"), 3);
    slope(CONST("x", "3") EMPTY("-1") PUSH("l1", "l0") ITEM("y", "l1", "0"), 1);
    gives(CONST("x", "3") EMPTY("-1") PUSH("l1", "l0") PUSH("l2", "l1")
              POP("p", "l2") " node{name:'y' op:'AddV2' input:'p:1' input:'x'" FLOAT("T") "}",
          6);
    fails(CONST("x", "3") EMPTY("-1") PUSH("l1", "l0") ITEM("y", "l1", "1"), TF_INVALID_ARGUMENT,
          "Trying to access element 1 in a list with 1 elements.");
    fails(CONST("x", "3") EMPTY("-1") PUSH("l1", "l0") ITEM("y", "l1", "-1"), TF_INVALID_ARGUMENT,
          "Trying to access element -1 in a list with 1 elements.");
    fails(CONST("x", "3") EMPTY("0") PUSH("l1", "l0") ITEM("y", "l1", "0"), TF_INVALID_ARGUMENT,
          "Tried to push item into a full list");
    fails(CONST("x", "3") EMPTY("-1") POP("p", "l0") " node{name:'y' op:'Identity' "
                                                     "input:'p:1'" FLOAT("T") "}",
          TF_INVALID_ARGUMENT, "Trying to pop from an empty list.");
    fails(" node{name:'o' op:'OptionalNone'}" CONST("x", "3") INT("any", "-1") ITEM("y", "o", "0"),
          TF_INVALID_ARGUMENT, "Input handle is not a list. Saw: 'tensorflow::data::Optional'");
}

static void test_function_ops__optionals(void **state)
{
    (void)state;
#define GET(from)                                                                                  \
    " node{name:'y' op:'OptionalGetValue' input:'" from                                            \
    "'" TYPES("output_types", "DT_FLOAT") " attr{key:'output_shapes' value{list{shape{}}}}}"
    gives(CONST("x", "3") " node{name:'o' op:'OptionalFromValue' input:'x'" TYPES(
              "Toutput_types", "DT_FLOAT") "}" GET("o"),
          3);
    fails(" node{name:'o' op:'OptionalNone'}" GET("o"), TF_INVALID_ARGUMENT,
          "The given optional does not have a value.");
}

static void test_function_ops__recursion_is_bounded(void **state)
{
    (void)state;
    gives(LIBRARY CONST("x", "3") " node{name:'y' op:'down' input:'x'}", 3);
    gives(LIBRARY CONST("x", "500") " node{name:'y' op:'down' input:'x'}", 500);
    fails(LIBRARY CONST("x", "1e9") " node{name:'y' op:'down' input:'x'}", TF_RESOURCE_EXHAUSTED,
          "calls are nested more than");
    fails(LIBRARY CONST("x", "3") " node{name:'y' op:'ever' input:'x'}", TF_RESOURCE_EXHAUSTED,
          "calls are nested more than");
    fails(LIBRARY CONST("x", "3") CALL("PartitionedCall", "ever", "x"), TF_RESOURCE_EXHAUSTED,
          "calls are nested more than");
}

static void test_function_ops__what_does_not_fit_is_refused(void **state)
{
    (void)state;
    fails(LIBRARY CONST("x", "3") CALL("PartitionedCall", "nobody", "x"), TF_NOT_FOUND,
          "Function nobody is not defined.");
    fails(LIBRARY CONST("x", "3") " node{name:'y' op:'PartitionedCall' input:'x' input:'x'" TYPES(
              "Tin", "[DT_FLOAT,DT_FLOAT]") TYPES("Tout", "DT_FLOAT") FUNC("f", "twice") "}",
          TF_INVALID_ARGUMENT, "Expects 1 arguments, but 2 is provided");
    fails(LIBRARY INT("x", "3") " node{name:'y' op:'PartitionedCall' input:'x'" TYPES(
              "Tin", "DT_INT32") TYPES("Tout", "DT_FLOAT") FUNC("f", "twice") "}",
          TF_INVALID_ARGUMENT, "Expects arg[0] to be float but int32 is provided");
    fails(LIBRARY CONST("x", "3") " node{name:'y' op:'PartitionedCall' input:'x'" TYPES(
              "Tin", "DT_FLOAT") TYPES("Tout", "DT_INT32") FUNC("f", "twice") "}",
          TF_INTERNAL, "Output 0 of type float does not match declared output type int32");
    fails(LIBRARY CONST("x", "3") WHILE_NODE("small", "small"), TF_INVALID_ARGUMENT,
          "Expects arg[0] to be float but bool is provided");
    fails(LIBRARY CONST("x", "3") " node{name:'y' op:'PartitionedCall' input:'x'" TYPES(
              "Tin", "DT_FLOAT") TYPES("Tout", "[DT_FLOAT,DT_FLOAT]") FUNC("f", "twice") "}",
          TF_INTERNAL, "Missing 1-th output");
}

/* Ends of a run that are written into a graph by hand read no memory that is not there. */
static void test_function_ops__arguments_outside_of_functions(void **state)
{
    (void)state;
    fails("node{name:'y' op:'_Arg' attr{key:'T' value{type:DT_FLOAT}} attr{key:'index' "
          "value{i:0}}}",
          TF_INVALID_ARGUMENT, "");
    fails("library{function{" SIGNATURE(
              "f", "DT_FLOAT",
              "DT_FLOAT") " node_def{name:'a' op:'_Arg'" FLOAT("T") " attr{key:'index' value{i:7}}}"
                                                                    " ret{key:'y' "
                                                                    "value:'a:output:0'}}}" CONST(
                                                                        "x", "3")
                                                                        CALL("PartitionedCall", "f",
                                                                             "x"),
          TF_INVALID_ARGUMENT, "");
    fails(
        "library{function{" SIGNATURE(
            "f", "DT_FLOAT",
            "DT_STRING") " node_def{name:'a' op:'_Arg' attr{key:'T' value{type:DT_STRING}} "
                         "attr{key:'index' "
                         "value{i:0}}} ret{key:'y' value:'a:output:0'}}}" CONST(
                             "x",
                             "3") " node{name:'y' op:'PartitionedCall' input:'x'" TYPES("Tin",
                                                                                        "DT_FLOAT")
                             TYPES("Tout", "DT_STRING") FUNC("f", "f") "}",
        TF_INVALID_ARGUMENT, "");
}

/* --- each kind of call --- */

#define SHAPES(s) " attr{key:'output_shapes' value{list{" s "}}}"
#define ROWS(name, v)                                                                              \
    " node{name:'" name                                                                            \
    "' op:'Const'" FLOAT("dtype") " attr{key:'value' value{tensor{dtype:DT_FLOAT "                 \
                                  "tensor_shape{dim{size:3}} float_val:" v "}}}}"
#define MAP(in, shapes)                                                                            \
    " node{name:'m' op:'MapDefun' input:'" in "'" TYPES("Targuments", "DT_FLOAT")                  \
        TYPES("output_types", "DT_FLOAT") SHAPES(shapes) FUNC("f", "twice") "}" INT(               \
            "axis", "0") " node{name:'y' op:'Sum' input:'m' "                                      \
                         "input:'axis'" FLOAT("T") " attr{key:'Tidx' value{type:DT_INT32}}}"

static void test_function_ops__maps(void **state)
{
    (void)state;
    gives(LIBRARY ROWS("x", "[1,2,4]") MAP("x", "shape{}"), 14);
    fails(LIBRARY ROWS("x", "[1,2,4]") MAP("x", "shape{dim{size:2}}"), TF_INVALID_ARGUMENT,
          "Mismatch in function retval shape");
}

/* step(i, x) = x + i */
#define STEP                                                                                       \
    "library{function{signature{name:'step' input_arg{name:'i' type:DT_INT32} "                    \
    "input_arg{name:'x' type:DT_FLOAT} output_arg{name:'y' type:DT_FLOAT}} "                       \
    "node_def{name:'c' op:'Cast' input:'i' attr{key:'SrcT' value{type:DT_INT32}} "                 \
    "attr{key:'DstT' value{type:DT_FLOAT}}} "                                                      \
    "node_def{name:'a' op:'AddV2' input:'x' input:'c:y:0'" FLOAT(                                  \
        "T") "} "                                                                                  \
             "ret{key:'y' value:'a:z:0'}}}"
#define COUNT(from, to, by)                                                                        \
    CONST("x", "3")                                                                                \
    INT("from", from)                                                                              \
    INT("to", to)                                                                                  \
    INT("by", by)                                                                                  \
    " node{name:'y' op:'For' input:'from' input:'to' input:'by' "                                  \
    "input:'x'" TYPES("T", "DT_FLOAT") FUNC("body", "step") "}"

static void test_function_ops__counted_loops(void **state)
{
    (void)state;
    gives(STEP COUNT("0", "4", "1"), 9);
    gives(STEP COUNT("5", "0", "-2"), 12);
    gives(STEP COUNT("4", "4", "1"), 3);
    fails(STEP COUNT("0", "4", "0"), TF_INVALID_ARGUMENT, "");
}

static void test_function_ops__without_state(void **state)
{
    (void)state;
#define BRANCH(cond)                                                                               \
    CONST("x", "3")                                                                                \
    INT("c", cond)                                                                                 \
    " node{name:'y' op:'StatelessIf' input:'c' input:'x' attr{key:'Tcond' "                        \
    "value{type:DT_INT32}}" TYPES("Tin", "DT_FLOAT") TYPES("Tout", "DT_FLOAT")                     \
        FUNC("then_branch", "twice") FUNC("else_branch", "more") "}"
    gives(LIBRARY BRANCH("1"), 6);
    gives(LIBRARY BRANCH("0"), 4);
    slope(LIBRARY BRANCH("1"), 2);
    gives(LIBRARY CONST("x", "3") " node{name:'y' op:'StatelessWhile' input:'x'" TYPES(
              "T", "DT_FLOAT") FUNC("cond", "small") FUNC("body", "twice") "}",
          192);
    gives(" node{name:'f' op:'FakeParam'" FLOAT(
              "dtype") " attr{key:'shape' "
                       "value{shape{}}}} node{name:'s' op:'Size' input:'f'" FLOAT(
                           "T") " attr{key:'out_type' "
                                "value{type:DT_INT32}}} node{name:'y' op:'Cast' input:'s' "
                                "attr{key:'SrcT' "
                                "value{type:DT_INT32}}" FLOAT("DstT") "}",
          1);
}

static void test_function_ops__remote_calls(void **state)
{
    (void)state;
#define TARGET(device)                                                                             \
    CONST("x", "3")                                                                                \
    " node{name:'d' op:'Const' attr{key:'dtype' value{type:DT_STRING}} attr{key:'value' "          \
    "value{tensor{dtype:DT_STRING tensor_shape{} string_val:'" device "'}}}}"                      \
    " node{name:'y' op:'RemoteCall' input:'d' input:'x'" TYPES("Tin", "DT_FLOAT")                  \
        TYPES("Tout", "DT_FLOAT") FUNC("f", "twice") "}"
    gives(LIBRARY TARGET("/job:localhost/replica:0/task:0/device:CPU:0"), 6);
    gives(LIBRARY TARGET("/device:CPU:0"), 6);
    fails(LIBRARY TARGET("nowhere"), TF_INVALID_ARGUMENT, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_function_ops__calls),
        T(test_function_ops__branches),
        T(test_function_ops__loops),
        T(test_function_ops__gradients),
        T(test_function_ops__no_gradient_of_random_bodies),
        T(test_function_ops__no_gradient_without_end),
        T(test_function_ops__maps),
        T(test_function_ops__counted_loops),
        T(test_function_ops__without_state),
        T(test_function_ops__remote_calls),
        T(test_function_ops__lists),
        T(test_function_ops__optionals),
        T(test_function_ops__recursion_is_bounded),
        T(test_function_ops__what_does_not_fit_is_refused),
        T(test_function_ops__arguments_outside_of_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
