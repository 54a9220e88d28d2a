/* SPDX-License-Identifier: Apache-2.0 */
/* StringFormat: a template with the printed values of tensors in its gaps. Rows are printed as
 * numpy does, with "..." where a dimension is longer than twice what is shown at either end. */
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/text/text.h"

/* Cuts the text in front of the next placeholder off *rest; false: there is none. An empty
 * placeholder stands between any two bytes. */
static bool next_gap(struct str *rest, struct str placeholder, struct str *text)
{
    size_t at = 1;
    if (placeholder.n) {
        const char *p = rest->n ? memmem(rest->p, rest->n, placeholder.p, placeholder.n) : NULL;
        if (!p)
            return false;
        at = (size_t)(p - rest->p);
    } else if (rest->n < 2) {
        return false;
    }
    *text = str_make(rest->p, at);
    at += placeholder.n;
    *rest = str_make(rest->p + at, rest->n - at);
    return true;
}

static void print_string(struct str s, struct strbuf *b)
{
    static const char special[] = "\n\r\t\"'\\", shown[] = "nrt\"'\\";
    strbuf_putc(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        const char *p = s.p[i] ? strchr(special, s.p[i]) : NULL;
        if (p)
            strbuf_printf(b, "\\%c", shown[p - special]);
        else if (s.p[i] >= ' ' && s.p[i] < 127)
            strbuf_putc(b, s.p[i]);
        else
            strbuf_printf(b, "\\%03o", (unsigned)(unsigned char)s.p[i]);
    }
    strbuf_putc(b, '"');
}

struct printer {
    const struct tensor *t;
    int64_t ends; /* elements shown at either end */
    struct strbuf *b;
};

static void print_one(const struct printer *p, int64_t i)
{
    if (p->t->dtype == DT_STRING) {
        print_string(tstr_view(&tensor_str(p->t)[i]), p->b);
        return;
    }
    struct tensor one = *p->t;
    one.shape = (struct shape){0};
    one.num_elems = 1;
    one.data = (char *)p->t->data + (size_t)i * dtype_size(p->t->dtype);
    tensor_summarize(&one, 1, p->b);
}

static void print_gap(const struct printer *p, int dim)
{
    int rank = tensor_rank(p->t);
    for (int i = dim + 1; i < rank; i++)
        strbuf_putc(p->b, '\n');
    for (int i = 0; i <= (dim + 1 < rank ? dim : 0); i++)
        strbuf_putc(p->b, ' ');
}

/* The part of the tensor under one index of the dimensions before dim, whose elements begin at
 * `at` and are n. */
static void print_dim(const struct printer *p, int dim, int64_t at, int64_t n)
{
    if (dim == tensor_rank(p->t)) {
        print_one(p, at);
        return;
    }
    int64_t count = tensor_dim(p->t, dim), step = count ? n / count : 0;
    int64_t tail = count - p->ends > p->ends ? count - p->ends : p->ends;
    strbuf_putc(p->b, '[');
    for (int64_t i = 0; i < count && i < p->ends; i++) {
        if (i)
            print_gap(p, dim);
        print_dim(p, dim + 1, at + i * step, step);
    }
    if (tail > p->ends) {
        print_gap(p, dim);
        strbuf_puts(p->b, "...");
    }
    for (int64_t i = tail; i < count; i++) {
        print_gap(p, dim);
        print_dim(p, dim + 1, at + i * step, step);
    }
    strbuf_putc(p->b, ']');
}

static void print_tensor(const struct tensor *t, int64_t summarize, struct strbuf *b)
{
    int64_t most = summarize < 0 || summarize > t->num_elems ? t->num_elems : summarize;
    int dt = t->dtype;
    if (dt != DT_COMPLEX64 && dt != DT_COMPLEX128 && dt != DT_BFLOAT16 && dt != DT_VARIANT &&
        dt != DT_RESOURCE) {
        if (tensor_rank(t) == 0 && most == 0)
            strbuf_puts(b, "...");
        else
            print_dim(&(struct printer){t, most, b}, 0, 0, t->num_elems);
        return;
    }
    strbuf_putc(b, '['); /* types that TensorFlow has no text for */
    for (int64_t i = 0; i < most; i++)
        strbuf_puts(b, i ? " ?" : "?");
    strbuf_puts(b, most < t->num_elems ? "...]" : "]");
}

static bool format_run(struct kctx *c, struct status *st)
{
    struct str rest = attrs_string(kernel_attrs(c), "template"), text;
    struct str placeholder = attrs_string(kernel_attrs(c), "placeholder");
    int64_t summarize = attrs_int(kernel_attrs(c), "summarize");
    struct strbuf b = {0};
    struct shape scalar = {0};
    struct tensor *out = kernel_out(c, 0, &scalar, st);
    for (int i = 0; out && next_gap(&rest, placeholder, &text); i++) {
        strbuf_add(&b, text.p, text.n);
        print_tensor(kernel_in(c, i), summarize, &b);
    }
    strbuf_add(&b, rest.p, rest.n);
    bool ok = out && text_set(tensor_str(out), str_make(b.p, b.n), st);
    strbuf_release(&b);
    return ok;
}

static bool check_gaps(const struct attrs *a, int num_inputs, struct status *st)
{
    struct str rest = attrs_string(a, "template"), text;
    struct str placeholder = attrs_string(a, "placeholder");
    int n = 0;
    while (n < INT32_MAX && next_gap(&rest, placeholder, &text))
        n++;
    return n == num_inputs ||
           status_invalid(st, "num placeholders in template and num inputs must match: %d vs. %d",
                          n, num_inputs);
}

static bool format_init(struct kernel *k, void *state, struct status *st)
{
    (void)state;
    return check_gaps(k->attrs, k->num_inputs, st);
}

static bool format_shape(struct infer_ctx *c, struct status *st)
{
    return check_gaps(infer_attrs(c), infer_num_inputs(c), st) && infer_scalars(c, st);
}

OP_DEF(string_format) = {
    .name = "StringFormat",
    .summary = "A template in which printed tensors take the places of placeholders.",
    .inputs = {"inputs: T"},
    .outputs = {"output: string"},
    .attrs = {"T: list(type) >= 0", "template: string = '%s'", "placeholder: string = '%s'",
              "summarize: int = 3"},
    .shape = format_shape,
    .no_grad = "undefined: strings have no gradient",
};
KERNEL_DEF(string_format_cpu) = {
    .op = "StringFormat", .device = "CPU", .init = format_init, .run = format_run};
