/* SPDX-License-Identifier: Apache-2.0 */
/* Every op of the registry has what a reader of the tests expects of it: a row in a case table or a
 * script; for inputs that are numbers a row with an empty tensor; for floating inputs one with a
 * NaN or an infinity; for a gradient in double a row that checks it. What cannot be had stands in
 * `excused` with the reason, and in the place of a row the test that covers the op: it must be
 * there and name the op. The tables are asked themselves: each program beside this one is run
 * with --list. */
#include <ctype.h>
#include <dirent.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "op/op.h"
#include "op_case.h"

enum { ROW = 1, EMPTY = 2, SPECIAL = 4, GRADIENT = 8, ALL = 15 };
enum { DEMANDED = ALL };

struct excuse {
    const char *op; /* or a prefix of names, with a * at its end */
    int what;       /* what may be missing */
    const char *why;
    const char *test; /* for a missing row: the source of the test that covers the op; NULL: none
                         yet, which counts as skipped */
};

static const char CALLS[] = "calls functions, which scripts have no words for";
static const char CALLED[] = "tests/unit/api/test_function_ops.c";
static const char LOOPS[] = "what it hands on: tests/unit/runtime/test_loop_gradients.c";
static const char WRITES[] = "what it does is in a file";
static const char WRITTEN[] = "tests/unit/ops/test_summary_writer.c";
static const char KEPT[] = "tests/unit/runtime/test_waits.c";
static const char NO_KERNEL[] = "is a definition alone, as in TensorFlow";
static const char FILES[] = "what it wrote is read by tests/interop/checkpoints.py";

static const struct excuse excused[] = {
    {"_Arg", ALL, "a function's", "tests/unit/graph/test_function.c"},
    {"_Retval", ALL, "a function's", "tests/unit/graph/test_function.c"},
    {"_FusedEwise", ALL, "holds other nodes", "tests/unit/graph/test_fuse_outputs.c"},
    {"_FusedMatMul", ALL, "holds other nodes", "tests/unit/graph/test_fuse_outputs.c"},
    {"_MatMulAdd", ALL, "holds other nodes", "tests/unit/graph/test_fuse_outputs.c"},
    {"_MatMulSlice", ALL, "holds other nodes", "tests/unit/graph/test_fuse_outputs.c"},
    {"Case", ALL, CALLS, CALLED},
    {"FakeParam", ALL, CALLS, CALLED},
    {"For", ALL, CALLS, CALLED},
    {"If", ALL, CALLS, CALLED},
    {"PartitionedCall", ALL, CALLS, CALLED},
    {"MapDefun", ALL, CALLS, CALLED},
    {"RemoteCall", ALL, CALLS, CALLED},
    {"StatefulPartitionedCall", ALL, CALLS, CALLED},
    {"StatelessIf", ALL, CALLS, CALLED},
    {"StatelessWhile", ALL, CALLS, CALLED},
    {"While", ALL, CALLS, CALLED},
    {"SymbolicGradient", ALL, CALLS, "tests/unit/api/test_function.c"},
    {"SaveV2", EMPTY | SPECIAL, FILES, NULL},
    {"Abort", ALL, "ends the process", "tests/unit/ops/test_abort.c"},
    {"_FusedConv2D", ALL, "holds other nodes", "tests/unit/graph/test_fuse_conv.c"},
    {"_FusedUpdate", ALL, "holds other nodes", "tests/unit/graph/test_fuse_updates.c"},
    {"QuantizedReluX", EMPTY | SPECIAL, NO_KERNEL, NULL},
    {"RequantizePerChannel", EMPTY | SPECIAL, NO_KERNEL, NULL},
    {"RequantizationRangePerChannel", EMPTY | SPECIAL, NO_KERNEL, NULL},
    {"MaxPoolGradGradWithArgmax", EMPTY | SPECIAL, NO_KERNEL, NULL},
    {"Enter", GRADIENT, LOOPS, NULL},
    {"Exit", GRADIENT, LOOPS, NULL},
    {"NextIteration", GRADIENT, LOOPS, NULL},
    {"Ref*", GRADIENT, "a variable is no function of anything", NULL},
    {"TruncateDiv", SPECIAL, "has kernels for integers alone", NULL},
    {"PreventGradient", GRADIENT, "its gradient is an error", NULL},
    {"Cholesky", GRADIENT, "it is the one of a symmetric matrix: no element can move alone", NULL},
    {"ConcatOffset", EMPTY, "takes shapes", NULL},
    {"CountUpTo", EMPTY, "counts in a scalar", NULL},
    {"LinSpace", EMPTY, "takes scalars, and makes one number or more", NULL},
    {"ShardedFile*", EMPTY, "takes scalars", NULL},
    {"RandomPoisson", SPECIAL, "TensorFlow does not come back from a rate of NaN", NULL},
    {"Parse*", SPECIAL, "floats are what absent features get", NULL},
    {"Batch*", SPECIAL, "as the op without Batch", NULL},
    {"Stateful*", SPECIAL, "the numbers it takes are a shape and integers", NULL},
    {"NonDeterministicInts", SPECIAL, "the numbers it takes are a shape", NULL},
    {"RngSkip", EMPTY, "the numbers it takes are scalars", NULL},
    {"CloseSummaryWriter", ALL, WRITES, WRITTEN},
    {"CreateSummaryDbWriter", ALL, WRITES, WRITTEN},
    {"CreateSummaryFileWriter", ALL, WRITES, WRITTEN},
    {"FlushSummaryWriter", ALL, WRITES, WRITTEN},
    {"ImportEvent", ALL, WRITES, WRITTEN},
    {"SummaryWriter", ALL, WRITES, WRITTEN},
    {"WriteAudioSummary", ALL, WRITES, WRITTEN},
    {"WriteGraphSummary", ALL, WRITES, WRITTEN},
    {"WriteHistogramSummary", ALL, WRITES, WRITTEN},
    {"WriteImageSummary", ALL, WRITES, WRITTEN},
    {"WriteRawProtoSummary", ALL, WRITES, WRITTEN},
    {"WriteScalarSummary", ALL, WRITES, WRITTEN},
    {"WriteSummary", ALL, WRITES, WRITTEN},
    {"_MaxPoolReluGrad", ALL, "made by the optimiser", "tests/unit/graph/test_fuse_pool.c"},
    {"_RestoreInto", ALL, "made by the optimiser", "tests/unit/build/test_restore.c"},
    {"Save", EMPTY | SPECIAL, FILES, NULL},
    {"GetSessionHandle", ALL, "a handle is fetched, then fed", KEPT},
    {"GetSessionHandleV2", ALL, "a handle is fetched, then fed", KEPT},
    {"GetSessionTensor", ALL, "a handle is fetched, then fed", KEPT},
    {"DeleteSessionTensor", ALL, "a handle is fetched, then fed", KEPT},
    {"SaveSlices", EMPTY | SPECIAL, FILES, NULL},
};

struct seen {
    int what;
};

struct checks {
    int passed, failed, skipped;
    struct strmap ops; /* name -> struct seen, mem_alloc'd */
};

/* --- what the tables have --- */

static bool has_word(struct str text, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= text.n; i++) {
        if (memcmp(text.p + i, word, n) == 0)
            return true;
    }
    return false;
}

/* "[0]", "[2,0,3]": a dimension of 0 in the first brackets of a tensor's text. */
static bool has_empty_shape(struct str text)
{
    bool inside = false, fresh = false;
    for (size_t i = 0; i < text.n; i++) {
        char ch = text.p[i], next = i + 1 < text.n ? text.p[i + 1] : 0;
        if (inside && fresh && ch == '0' && (next == ',' || next == ']'))
            return true;
        fresh = ch == '[' || ch == ',';
        inside = ch == '[' || (inside && ch != ']');
    }
    return false;
}

static int traits_of(struct str field)
{
    static const char *const values[] = {"in=", "out=", "node=", "run="};
    int what = 0;
    if (str_starts(field, "grad="))
        return GRADIENT;
    for (int i = 0; i < (int)ARRAY_LEN(values); i++) {
        if (!str_starts(field, values[i]))
            continue;
        what |= has_empty_shape(field) ? EMPTY : 0;
        what |= has_word(field, " nan") || has_word(field, " inf") || has_word(field, " -inf") ||
                        has_word(field, "+inf") || has_word(field, "+nan")
                    ? SPECIAL
                    : 0;
        what |= has_word(field, " = Gradient(") ? GRADIENT : 0;
    }
    return what;
}

static void note(struct checks *k, struct str op, int what)
{
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)op.n, op.p);
    struct seen *s = strmap_find(&k->ops, name);
    if (!s) {
        s = mem_alloc(sizeof *s);
        *s = (struct seen){0};
        mem_free(strmap_put(&k->ops, name, s));
    }
    s->what |= what;
}

/* A row is "row<tab>Op<tab>field...", a script "script<tab>Op Op<tab>field...". */
static void read_line(struct checks *k, struct str line)
{
    struct str kind, ops, field, op;
    int what = ROW;
    if (!str_split(&line, '\t', &kind) || (!str_is(kind, "row") && !str_is(kind, "script")) ||
        !str_split(&line, '\t', &ops))
        return;
    while (line.n && str_split(&line, '\t', &field))
        what |= traits_of(field);
    while (ops.n && str_split(&ops, ' ', &op))
        note(k, op, what);
}

static bool read_tables(struct checks *k)
{
    char self[PATH_MAX] = "", command[PATH_MAX + 300];
    static char line[1 << 16];
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0)
        return false;
    const char *folder = dirname(self);
    DIR *dir = opendir(folder);
    int num = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (strncmp(e->d_name, "ops-test_", 9) != 0 || strchr(e->d_name, '.') ||
            strcmp(e->d_name, "ops-test_coverage") == 0 ||
            strcmp(e->d_name, "ops-test_registry") == 0)
            continue;
        snprintf(command, sizeof command, "'%s/%s' --list", folder, e->d_name);
        FILE *f = popen(command, "r");
        while (f && fgets(line, sizeof line, f))
            read_line(k, str_trim(str_of(line)));
        num += f && pclose(f) == 0;
    }
    if (dir)
        closedir(dir);
    return num > 0;
}

/* --- what an op needs --- */

static bool arg_allows(const struct op *op, const struct op_arg *arg, dtype_set types)
{
    if (arg->type)
        return types & ((dtype_set)1 << arg->type);
    if (arg->type_attr < 0)
        return false;
    dtype_set allowed = op->attrs[arg->type_attr].types;
    return allowed == 0 || (allowed & types);
}

static bool inputs_allow(const struct op *op, dtype_set types)
{
    for (int i = 0; i < op->num_inputs; i++) {
        if (arg_allows(op, &op->inputs[i], types))
            return true;
    }
    return false;
}

static bool outputs_allow(const struct op *op, dtype_set types)
{
    for (int i = 0; i < op->num_outputs; i++) {
        if (arg_allows(op, &op->outputs[i], types))
            return true;
    }
    return false;
}

static int needs_of(const struct op *op)
{
    const dtype_set floats = DTYPE_BIT(FLOAT) | DTYPE_BIT(DOUBLE);
    const dtype_set numbers = floats | DTYPE_BIT(HALF) | DTYPE_BIT(BFLOAT16) |
                              DTYPE_BIT(COMPLEX64) | DTYPE_BIT(COMPLEX128) | DTYPE_BIT(INT32) |
                              DTYPE_BIT(INT64) | DTYPE_BIT(INT8) | DTYPE_BIT(UINT8);
    int needs = ROW;
    if (inputs_allow(op, numbers))
        needs |= EMPTY;
    if (inputs_allow(op, floats))
        needs |= SPECIAL;
    if (op->def->grad && inputs_allow(op, DTYPE_BIT(DOUBLE)) &&
        outputs_allow(op, DTYPE_BIT(DOUBLE)))
        needs |= GRADIENT;
    return needs;
}

static const struct excuse *excuse_of(const char *op)
{
    for (int i = 0; i < (int)ARRAY_LEN(excused); i++) {
        size_t n = strlen(excused[i].op);
        bool prefix = excused[i].op[n - 1] == '*';
        if (prefix ? strncmp(op, excused[i].op, n - 1) == 0 : strcmp(op, excused[i].op) == 0)
            return &excused[i];
    }
    return NULL;
}

static bool is_word(char ch)
{
    return isalnum((unsigned char)ch) || ch == '_';
}

/* Whether the file of the project is there and says the op's name. */
static bool names_op(const char *path, const char *op)
{
    const char *root = getenv("LEAT_ROOT");
    char *full = mem_printf("%s/%s", root ? root : ".", path);
    const size_t n = strlen(op);
    FILE *f = fopen(full, "r");
    bool found = false;
    static char line[4096];
    while (f && !found && fgets(line, sizeof line, f)) {
        for (const char *at = line; !found && (at = strstr(at, op)); at++)
            found = !is_word(at[n]) && (at == line || !is_word(at[-1]));
    }
    if (f)
        fclose(f);
    mem_free(full);
    return found;
}

static const struct {
    int what;
    const char *text;
} wants[] = {
    {ROW,
     "no row in any table of tests/ops: write one (op_case.h; op_script.h for what makes sense "
     "in company alone), or say in test_coverage.c's `excused` why not and which test covers it"},
    {EMPTY, "takes numbers, but no row has a tensor without elements (a 0 in a shape): what does "
            "TensorFlow give for [0], for [2,0]?"},
    {SPECIAL, "takes floats, but no row has nan or inf among its values"},
    {GRADIENT, "has a gradient, but no row checks it: .grad with inputs in double, or Gradient(y, "
               "x) in a script"},
};

static bool check(const struct op *op, void *arg)
{
    struct checks *k = arg;
    const struct excuse *e = excuse_of(op->name);
    const struct seen *s = strmap_find(&k->ops, op->name);
    int have = s ? s->what : 0, needs = needs_of(op), failed = k->failed;
    int missing = needs & DEMANDED & ~have & ~(e ? e->what : 0);
    if (missing & ROW) /* the rest follows */
        missing = ROW;
    for (int i = 0; i < (int)ARRAY_LEN(wants); i++) {
        if (!(missing & wants[i].what))
            continue;
        printf("FAILED %s: %s\n", op->name, wants[i].text);
        k->failed++;
    }
    bool elsewhere = e && (e->what & ROW) && !(have & ROW);
    if (elsewhere && e->test && !names_op(e->test, op->name)) {
        printf("FAILED %s: excused from a row, but %s is no test that names \"%s\"\n", op->name,
               e->test, op->name);
        k->failed++;
    }
    if (elsewhere && !e->test) {
        printf("skipped %s: %s\n", op->name, e->why);
        k->skipped++;
    } else {
        k->passed += k->failed == failed;
    }
    return true;
}

int main(void)
{
    struct checks k = {0};
    if (getenv("LEAT_EMULATED")) {
        printf("skipped: the programs beside this one cannot be started here\n"
               "0 passed, 0 failed, 1 skipped\n");
        return 0;
    }
    if (!read_tables(&k)) {
        printf("FAILED: no case table answers --list\n");
        k.failed++;
    }
    op_each(check, &k);
    const char *key;
    void *value;
    for (int64_t i = 0; strmap_next(&k.ops, &i, &key, &value);)
        mem_free(value);
    strmap_release(&k.ops);
    printf("%d passed, %d failed, %d skipped\n", k.passed, k.failed, k.skipped);
    return k.failed > 0;
}
