/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the op wrappers: `gen_ops --header` leat/leat_ops.h, `gen_ops --source` their bodies.
 *
 * Each op with a name of letters gets struct leat_NAME_args, leat_NAME_args_init, leat_NAME_fn and,
 * in C, a macro leat_NAME. NAME is the op's name in lower case, with an underscore before each
 * word: before a capital that follows a small letter, before one that a small letter follows, and
 * before a closing version ("V2"). "MatMul" counts as one word. What another part of leat.h is
 * called is listed in taken[]: such an op's functions are leat_op_NAME. Fields and parameters that
 * are words of C or C++ get an underscore at the end. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op/op.h"

/* Names that composites and helpers have; the op's own wrapper is leat_op_NAME. */
static const char *const taken[] = {
    "assign",
    "assign_add",
    "assign_sub",
    "begin",
    "case",
    "const",
    "constant",
    "dtype",
    "fail",
    "finish",
    "for",
    "free",
    "if",
    "ints",
    "output",
    "outputs",
    "pop",
    "random_uniform",
    "run",
    "save",
    "shape",
    "strings",
    "truncated_normal",
    "types",
    "valid",
    "variable",
    "while",
};

static const char *const keywords[] = {
    "alignas",
    "alignof",
    "and",
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "not",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
    "xor",
    /* and what a call has besides */
    "args",
    "g",
    "made_at",
    "name",
};

struct names {
    char op[128];
    char c[160];
    char up[160];
};

static bool listed(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(word, list[i]) == 0)
            return true;
    }
    return false;
}

/* A field's or parameter's name. Static, several at once. */
static const char *field(const char *name)
{
    static char text[8][128];
    static int next;
    char *out = text[next++ % 8];
    snprintf(out, sizeof text[0], "%s%s", name,
             listed(name, keywords, ARRAY_LEN(keywords)) ? "_" : "");
    for (char *p = out; *p; p++) {
        if (!isalnum((unsigned char)*p))
            *p = '_';
    }
    return out;
}

static bool is_version(const char *p)
{
    if (*p++ != 'V' || !isdigit((unsigned char)*p))
        return false;
    while (isdigit((unsigned char)*p))
        p++;
    return *p == '\0';
}

static void snake(const char *op, char *out)
{
    char text[128], *p = text;
    snprintf(text, sizeof text, "%s", op);
    for (char *m = strstr(text, "MatMul"); m; m = strstr(m, "MatMul"))
        m[3] = 'm';
    for (; *p; p++) {
        bool up = isupper((unsigned char)*p), begin = false;
        if (up && p > text && p[-1] != '_')
            begin = islower((unsigned char)p[-1]) || islower((unsigned char)p[1]) || is_version(p);
        if (begin)
            *out++ = '_';
        *out++ = (char)tolower((unsigned char)*p);
    }
    *out = '\0';
}

static void make_names(const struct op *op, struct names *n)
{
    char s[140];
    snprintf(n->op, sizeof n->op, "%s", op->name);
    snake(n->op, s);
    snprintf(n->c, sizeof n->c, "leat_%s%s", listed(s, taken, ARRAY_LEN(taken)) ? "op_" : "", s);
    snprintf(n->up, sizeof n->up, "%s", n->c);
    for (char *p = n->up; *p; p++)
        *p = (char)toupper((unsigned char)*p);
}

static bool wrapped(const struct op *op)
{
    if (!isalpha((unsigned char)op->name[0]) || strlen(op->name) > 60)
        return false;
    for (const char *p = op->name; *p; p++) {
        if (!isalnum((unsigned char)*p) && *p != '_')
            return false;
    }
    return true;
}

static bool is_list(const struct op_arg *a)
{
    return a->number_attr >= 0 || a->is_list_type;
}

/* Whether the inputs always tell the attr. Of an empty list the length is known, the type not. */
static bool told_by_inputs(const struct op *op, int attr)
{
    for (int i = 0; i < op->num_inputs; i++) {
        const struct op_arg *a = &op->inputs[i];
        if (a->number_attr == attr)
            return true;
        if (a->type_attr == attr && (a->is_list_type || a->number_attr < 0))
            return true;
    }
    return false;
}

/* A type that only lists tell. */
static bool told_by_lists(const struct op *op, int attr)
{
    for (int i = 0; i < op->num_inputs; i++) {
        if (op->inputs[i].type_attr == attr)
            return true;
    }
    return false;
}

static bool required(const struct op *op, int i)
{
    return op->attrs[i].default_value.kind == ATTR_NONE && !told_by_lists(op, i);
}

static const char *c_type(const struct op_attr *a)
{
    static const char *const scalars[] = {
        [ATTR_STRING] = "const char *", [ATTR_INT] = "int64_t ",
        [ATTR_FLOAT] = "float ",        [ATTR_BOOL] = "int ",
        [ATTR_TYPE] = "TF_DataType ",   [ATTR_SHAPE] = "struct leat_shape ",
        [ATTR_TENSOR] = "TF_Tensor *",  [ATTR_FUNC] = "const char *"};
    static const char *const lists[] = {
        [ATTR_STRING] = "struct leat_strings ", [ATTR_INT] = "struct leat_ints ",
        [ATTR_FLOAT] = "struct leat_floats ",   [ATTR_BOOL] = "struct leat_bools ",
        [ATTR_TYPE] = "struct leat_types ",     [ATTR_SHAPE] = "struct leat_shapes ",
        [ATTR_TENSOR] = "struct leat_tensors ", [ATTR_FUNC] = "struct leat_strings "};
    return a->is_list ? lists[a->kind] : scalars[a->kind];
}

/* --- texts --- */

/* Without what would end a comment. */
static void put_comment(const char *s)
{
    for (; *s; s++) {
        putchar(*s);
        if ((s[0] == '*' && s[1] == '/') || (s[0] == '/' && s[1] == '*'))
            putchar(' ');
    }
}

static void put_c_string(struct str s)
{
    putchar('"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 32 || c > 126)
            printf("\\%03o", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void put_float(float f)
{
    char text[64];
    if (isnan(f) || isinf(f)) {
        printf("%s", isnan(f) ? "__builtin_nanf(\"\")"
                     : f > 0  ? "__builtin_inff()"
                              : "-__builtin_inff()");
        return;
    }
    snprintf(text, sizeof text, "%.9g", (double)f);
    printf("%s%sf", text, strpbrk(text, ".e") ? "" : ".0");
}

/* The values that a field must be set to to mean its default, where that is not 0: "x = v" with
 * before and after around it. */
static void put_default(const struct op *op, int i, const char *before, const char *after)
{
    const struct op_attr *a = &op->attrs[i];
    const struct attr_value *v = &a->default_value;
    const char *f = field(a->name);
    bool none = v->kind == ATTR_NONE;
    if (a->is_list) {
        printf("%s%s.n = LEAT_NOT_GIVEN%s", before, f, after);
        return;
    }
    switch (a->kind) {
    case ATTR_INT:
        if (none)
            printf("%s%s = LEAT_INT_NOT_GIVEN%s", before, f, after);
        else if (v->i == INT64_MIN)
            break;
        else if (v->i != 0)
            printf("%s%s = %lld%s", before, f, (long long)v->i, after);
        break;
    case ATTR_FLOAT:
        if (none) {
            printf("%s%s = LEAT_FLOAT_NOT_GIVEN%s", before, f, after);
        } else if (v->f != 0 || signbit(v->f)) {
            printf("%s%s = ", before, f);
            put_float(v->f);
            printf("%s", after);
        }
        break;
    case ATTR_BOOL:
        if (none)
            printf("%s%s = LEAT_BOOL_NOT_GIVEN%s", before, f, after);
        else if (v->b)
            printf("%s%s = 1%s", before, f, after);
        break;
    case ATTR_TYPE:
        if (!none)
            printf("%s%s = (TF_DataType)%d%s", before, f, v->type, after);
        break;
    case ATTR_SHAPE:
        printf("%s%s.rank = LEAT_NOT_GIVEN%s", before, f, after);
        break;
    case ATTR_STRING:
        if (!none && !memchr(v->s.p ? v->s.p : "", 0, v->s.n)) {
            printf("%s%s = ", before, f);
            put_c_string(v->s);
            printf("%s", after);
        }
        break;
    default:
        break;
    }
}

static void put_attr_comment(const struct op *op, int i)
{
    const struct op_attr *a = &op->attrs[i];
    printf(" *   .%s: ", field(a->name));
    put_comment(op->def->attrs[i] + strlen(a->name) + 2);
    if (required(op, i))
        printf(" (must be given)");
    else if (a->default_value.kind == ATTR_NONE)
        printf(" (for empty lists)");
    putchar('\n');
}

/* Which types the inputs may have: "T: {float, double}". */
static void put_input_types(const struct op *op)
{
    for (int i = 0; i < op->num_attrs; i++) {
        if (!told_by_inputs(op, i) || op->attrs[i].num_types == 0)
            continue;
        printf(" * with ");
        put_comment(op->def->attrs[i]);
        putchar('\n');
    }
}

static void put_comment_of(const struct op *op, const struct names *n)
{
    const struct op_def *def = op->def;
    printf("\n/* %s: ", op->name);
    put_comment(def->summary ? def->summary : "");
    putchar('\n');
    if (def->description) {
        printf(" * ");
        for (const char *p = def->description; *p; p++) {
            char one[2] = {*p, 0};
            put_comment(one);
            if (*p == '\n')
                printf(" * ");
        }
        putchar('\n');
    }
    printf(" *   %s(g", n->c);
    for (int i = 0; i < op->num_inputs; i++) {
        const char *f = field(op->inputs[i].name);
        printf(is_list(&op->inputs[i]) ? ", %s, num_%s" : ", %s", f, f);
    }
    printf(", ...)%s\n", op->num_outputs == 0 ? " -> TF_Operation *" : "");
    for (int i = 0; i < op->num_inputs; i++) {
        printf(" * input ");
        put_comment(def->inputs[i]);
        putchar('\n');
    }
    for (int i = 0; i < op->num_outputs; i++) {
        printf(" * output %d ", i);
        put_comment(def->outputs[i]);
        putchar('\n');
    }
    put_input_types(op);
    bool any = false;
    for (int i = 0; i < op->num_attrs; i++) {
        if (told_by_inputs(op, i))
            continue;
        if (!any)
            puts(" * besides .name:");
        any = true;
        put_attr_comment(op, i);
    }
    puts(" */");
}

static void put_params(const struct op *op, const struct names *n)
{
    printf("%s_fn(TF_Graph *g", n->c);
    for (int i = 0; i < op->num_inputs; i++) {
        const char *f = field(op->inputs[i].name);
        if (is_list(&op->inputs[i]))
            printf(", const TF_Output *%s, int num_%s", f, f);
        else
            printf(", TF_Output %s", f);
    }
    printf(", const struct %s_args *args)", n->c);
}

/* The members of the call struct that come after the inputs, as a macro for both structs. */
static void put_fields(const struct op *op, const struct names *n)
{
    printf("struct %s_args {\n    const char *name;\n    const char *made_at;\n", n->c);
    for (int i = 0; i < op->num_attrs; i++) {
        if (!told_by_inputs(op, i))
            printf("    %s%s;\n", c_type(&op->attrs[i]), field(op->attrs[i].name));
    }
    puts("};");
}

static const char *result(const struct op *op)
{
    return op->num_outputs == 0 ? "TF_Operation *" : "TF_Output ";
}

static void put_macro(const struct op *op, const struct names *n)
{
    puts("#ifndef __cplusplus");
    printf("struct %s_call {\n    TF_Graph *g;\n", n->c);
    for (int i = 0; i < op->num_inputs; i++) {
        const char *f = field(op->inputs[i].name);
        if (is_list(&op->inputs[i]))
            printf("    const TF_Output *%s;\n    int num_%s;\n", f, f);
        else
            printf("    TF_Output %s;\n", f);
    }
    printf("    union {\n        struct {\n            const char *name;\n            const char "
           "*made_at;\n");
    for (int i = 0; i < op->num_attrs; i++) {
        if (!told_by_inputs(op, i))
            printf("            %s%s;\n", c_type(&op->attrs[i]), field(op->attrs[i].name));
    }
    printf("        };\n        struct %s_args args;\n    };\n};\n", n->c);
    printf("static inline %s%s_call(const struct %s_call *c)\n{\n    return %s_fn(c->g", result(op),
           n->c, n->c, n->c);
    for (int i = 0; i < op->num_inputs; i++) {
        const char *f = field(op->inputs[i].name);
        printf(is_list(&op->inputs[i]) ? ", c->%s, c->num_%s" : ", c->%s", f, f);
    }
    printf(", &c->args);\n}\n#define %s_DEFAULTS_", n->up);
    for (int i = 0; i < op->num_attrs; i++) {
        if (!told_by_inputs(op, i))
            put_default(op, i, " .", ",");
    }
    printf("\n#define %s(...) \\\n    LEAT_CALL_(%s_call, %s_call, %s_DEFAULTS_, .g, "
           "__VA_ARGS__)\n#endif\n",
           n->c, n->c, n->c, n->up);
}

static bool put_declaration(const struct op *op, void *arg)
{
    (void)arg;
    struct names n;
    if (!wrapped(op))
        return true;
    make_names(op, &n);
    put_comment_of(op, &n);
    put_fields(op, &n);
    printf("LEAT_EXPORT void %s_args_init(struct %s_args *args);\nLEAT_EXPORT %s", n.c, n.c,
           result(op));
    put_params(op, &n);
    puts(";");
    put_macro(op, &n);
    return true;
}

static int put_table(const struct op *op, const struct names *n)
{
    int count = 0;
    for (int i = 0; i < op->num_attrs; i++) {
        if (told_by_inputs(op, i))
            continue;
        if (count++ == 0)
            printf("static const struct leat_wrap_field fields_%s[] = {\n", n->op);
        printf("    {%d, offsetof(struct %s_args, %s)},\n", i, n->c, field(op->attrs[i].name));
    }
    if (count > 0)
        puts("};");
    return count;
}

static void put_init(const struct op *op, const struct names *n)
{
    printf("void %s_args_init(struct %s_args *args)\n{\n    memset(args, 0, sizeof *args);\n", n->c,
           n->c);
    for (int i = 0; i < op->num_attrs; i++) {
        if (!told_by_inputs(op, i))
            put_default(op, i, "    args->", ";\n");
    }
    puts("}");
}

static bool put_body(const struct op *op, void *arg)
{
    (void)arg;
    struct names n;
    if (!wrapped(op))
        return true;
    make_names(op, &n);
    int count = put_table(op, &n);
    printf("static const struct leat_wrap wrap_%s = {\"%s\", ", n.op, n.op);
    printf(count > 0 ? "fields_%s" : "0", n.op);
    printf(", %d, %d};\n", count, op->num_inputs);
    put_init(op, &n);
    printf("%s", result(op));
    put_params(op, &n);
    puts("\n{");
    if (op->num_inputs > 0)
        puts("    const struct leat_wrap_input in[] = {");
    for (int i = 0; i < op->num_inputs; i++) {
        const char *f = field(op->inputs[i].name);
        if (is_list(&op->inputs[i]))
            printf("        {%s, num_%s < 0 ? -2 : num_%s},\n", f, f, f);
        else
            printf("        {&%s, -1},\n", f);
    }
    if (op->num_inputs > 0)
        puts("    };");
    const char *in = op->num_inputs > 0 ? "in" : "0";
    if (op->num_outputs == 0)
        printf("    return wrap_call(&wrap_%s, g, %s, args);\n}\n", n.op, in);
    else
        printf("    return leat_output_of(wrap_call(&wrap_%s, g, %s, args), 0);\n}\n", n.op, in);
    return true;
}

static void print_header(void)
{
    puts(
        "/* SPDX-License-Identifier: Apache-2.0 */\n"
        "/* A function for each op, made by tools/gen_ops.c from the ops' definitions.\n"
        " *\n"
        " *     TF_Output y = leat_matmul(g, a, b, .transpose_b = true, .name = \"y\");\n"
        " *\n"
        " * C has the macro leat_NAME(g, inputs..., .attr = value...), which fills in defaults and "
        "the\n"
        " * calling line. Others call leat_NAME_fn(g, inputs..., args), args made by "
        "leat_NAME_args_init\n"
        " * and then changed, or NULL for the defaults. A list is a pointer and a count. Types "
        "that the\n"
        " * inputs tell are not asked for.\n"
        " *\n"
        " * Returned is output 0 (leat_output(y, 1) is the next), or the TF_Operation * of an op "
        "without\n"
        " * outputs; the graph owns it. After an error it is invalid, {NULL, 0} or NULL, and the "
        "error is\n"
        " * recorded (leat_graph_status); calls with an invalid input do nothing more. Names, "
        "devices and\n"
        " * control dependencies follow leat/scope.h. Strings and arrays are copied. Any thread. "
        "*/\n"
        "#ifndef LEAT_LEAT_OPS_H\n#define LEAT_LEAT_OPS_H\n\n#include \"leat/op.h\"\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif");
    op_each(put_declaration, NULL);
    puts("\n#ifdef __cplusplus\n}\n#endif\n\n#endif");
}

static void print_source(void)
{
    puts("/* SPDX-License-Identifier: Apache-2.0 */\n"
         "/* Bodies of leat/leat_ops.h, made by tools/gen_ops.c. */\n"
         "#include <stddef.h>\n#include <string.h>\n\n#include \"api/leat_wrap.h\"\n"
         "#include \"leat/leat_ops.h\"\n");
    op_each(put_body, NULL);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--header") == 0)
        print_header();
    else if (argc == 2 && strcmp(argv[1], "--source") == 0)
        print_source();
    else
        return fprintf(stderr, "usage: gen_ops --header | --source\n"), 2;
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
