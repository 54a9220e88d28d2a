/* SPDX-License-Identifier: Apache-2.0 */
/* AsString: numbers as text, with C's formats. */
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/text/text.h"

enum { MAX_FIELD = 1 << 20 }; /* the widest number; TensorFlow has no bound */

struct as_string {
    char format[40]; /* of one number */
    int dtype;
};

static bool is_real(int dtype)
{
    return dtype == DT_FLOAT || dtype == DT_DOUBLE || dtype == DT_COMPLEX64 ||
           dtype == DT_COMPLEX128;
}

static bool check_attrs(const struct attrs *a, int dtype, struct status *st)
{
    bool scientific = attrs_bool(a, "scientific"), shortest = attrs_bool(a, "shortest");
    struct str fill = attrs_string(a, "fill");
    if (!is_real(dtype) && (scientific || shortest))
        return status_invalid(st, "scientific and shortest format not supported for datatype %s",
                              dtype_name(dtype));
    if (!is_real(dtype) && attrs_int(a, "precision") > -1)
        return status_invalid(st, "precision not supported for datatype %s", dtype_name(dtype));
    if (fill.n > 1)
        return status_invalid(st, "Fill string must be one or fewer characters");
    if (scientific && shortest)
        return status_invalid(st, "Cannot select both scientific and shortest notation");
    if (fill.n && !memchr(" +-0#", fill.p[0], 5))
        return status_invalid(st, "Fill argument not supported: \"%c\"", fill.p[0]);
    if (attrs_int(a, "width") > MAX_FIELD || attrs_int(a, "precision") > MAX_FIELD)
        return status_invalid(st, "width and precision may be at most %d", MAX_FIELD);
    return true;
}

static bool as_string_init(struct kernel *k, void *state, struct status *st)
{
    struct as_string *s = state;
    const struct attrs *a = k->attrs;
    struct str fill = attrs_string(a, "fill");
    struct strbuf b = {0};
    s->dtype = attrs_type(a, "T");
    if (!check_attrs(a, s->dtype, st))
        return false;
    strbuf_putc(&b, '%');
    strbuf_add(&b, fill.p, fill.n);
    if (attrs_int(a, "width") > -1)
        strbuf_printf(&b, "%d", (int)attrs_int(a, "width"));
    if (attrs_int(a, "precision") > -1)
        strbuf_printf(&b, ".%d", (int)attrs_int(a, "precision"));
    strbuf_puts(&b, !is_real(s->dtype)            ? "lld"
                    : attrs_bool(a, "shortest")   ? "g"
                    : attrs_bool(a, "scientific") ? "e"
                                                  : "f");
    memcpy(s->format, b.p, b.n + 1);
    strbuf_release(&b);
    return true;
}

static int64_t integer_at(const struct tensor *t, int64_t i)
{
    switch (t->dtype) {
    case DT_INT8:
        return ((const int8_t *)t->data)[i];
    case DT_INT16:
        return ((const int16_t *)t->data)[i];
    default:
        return tensor_index(t, i);
    }
}

static double real_at(const struct tensor *t, int64_t i)
{
    bool single = t->dtype == DT_FLOAT || t->dtype == DT_COMPLEX64;
    return single ? (double)((const float *)t->data)[i] : ((const double *)t->data)[i];
}

static void print_number(const struct as_string *s, const struct tensor *t, int64_t i,
                         struct strbuf *b)
{
    if (s->dtype == DT_BOOL) {
        strbuf_puts(b, tensor_bool(t)[i] ? "true" : "false");
    } else if (s->dtype == DT_COMPLEX64 || s->dtype == DT_COMPLEX128) {
        strbuf_putc(b, '(');
        strbuf_printf(b, s->format, real_at(t, 2 * i));
        strbuf_putc(b, ',');
        strbuf_printf(b, s->format, real_at(t, 2 * i + 1));
        strbuf_putc(b, ')');
    } else if (is_real(s->dtype)) {
        strbuf_printf(b, s->format, real_at(t, i));
    } else {
        strbuf_printf(b, s->format, (long long)integer_at(t, i));
    }
}

static bool as_string_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    struct strbuf b = {0};
    bool ok = out != NULL;
    for (int64_t i = 0; ok && i < in->num_elems; i++) {
        strbuf_clear(&b);
        print_number(kernel_state(c), in, i, &b);
        ok = text_set(&tensor_str(out)[i], str_make(b.p, b.n), st);
    }
    strbuf_release(&b);
    return ok;
}

OP_DEF(as_string) = {
    .name = "AsString",
    .summary = "Numbers as text.",
    .inputs = {"input: T"},
    .outputs = {"output: string"},
    .attrs = {"T: {int8, int16, int32, int64, complex64, complex128, float, double, bool}",
              "precision: int = -1", "scientific: bool = false", "shortest: bool = false",
              "width: int = -1", "fill: string = ''"},
    .shape = infer_unchanged,
    .no_grad = "strings have no gradient",
};
KERNEL_DEF(as_string_cpu) = {.op = "AsString",
                             .device = "CPU",
                             .state_bytes = sizeof(struct as_string),
                             .init = as_string_init,
                             .run = as_string_run};
