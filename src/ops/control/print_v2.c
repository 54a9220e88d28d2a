/* SPDX-License-Identifier: Apache-2.0 */
/* PrintV2: a string to one of the process's streams, its log, or the end of a file. */
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "op/infer.h"
#include "op/kernel.h"

enum stream { TO_STDERR, TO_STDOUT, TO_INFO, TO_WARNING, TO_ERROR, TO_FILE };

struct print_state {
    enum stream stream;
    char *path; /* owned; NULL unless TO_FILE */
};

static bool stream_is(struct str s, const char *name)
{
    return s.n == strlen(name) && memcmp(s.p, name, s.n) == 0;
}

static bool print_v2_init(struct kernel *k, void *state, struct status *st)
{
    static const char *const names[] = {"stderr", "stdout", "log(info)", "log(warning)",
                                        "log(error)"};
    static const char file[] = "file://";
    struct print_state *p = state;
    struct str s = attrs_string(k->attrs, "output_stream");
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (stream_is(s, names[i])) {
            p->stream = (enum stream)i;
            return true;
        }
    }
    size_t prefix = sizeof(file) - 1;
    if (s.n > prefix && memcmp(s.p, file, prefix) == 0) {
        struct strbuf path = {0};
        strbuf_add(&path, s.p + prefix, s.n - prefix);
        p->stream = TO_FILE;
        p->path = strbuf_take(&path);
        return true;
    }
    return status_invalid(st,
                          "Unknown output stream: %.*s, Valid streams are: stdout stderr "
                          "log(info) log(warning) log(error)",
                          (int)s.n, s.p);
}

static void print_v2_release(void *state)
{
    mem_free(((struct print_state *)state)->path);
}

static bool append_to_file(const char *path, const struct strbuf *text, struct status *st)
{
    FILE *f = fopen(path, "ae");
    if (!f)
        return status_not_found(st, "%s: cannot be opened for appending", path);
    bool ok = fwrite(strbuf_text(text), 1, text->n, f) == text->n;
    ok = fclose(f) == 0 && ok;
    return ok || status_internal(st, "%s: cannot be written to", path);
}

static bool put(const struct print_state *p, const struct strbuf *text, struct status *st)
{
    if (p->stream == TO_FILE)
        return append_to_file(p->path, text, st);
    if (log_to_listeners(strbuf_text(text)))
        return true;
    if (p->stream == TO_STDERR || p->stream == TO_STDOUT) {
        FILE *f = p->stream == TO_STDERR ? stderr : stdout;
        (void)fwrite(strbuf_text(text), 1, text->n, f);
        (void)fflush(f);
    } else if (p->stream == TO_INFO) {
        log_info("%s", strbuf_text(text));
    } else if (p->stream == TO_WARNING) {
        log_warning("%s", strbuf_text(text));
    } else {
        log_error("%s", strbuf_text(text));
    }
    return true;
}

static bool print_v2_run(struct kctx *c, struct status *st)
{
    if (!kernel_want_scalar(c, 0, st))
        return false;
    struct str s = tstr_view(tensor_str(kernel_in(c, 0)));
    struct str end = attrs_string(kernel_attrs(c), "end");
    struct strbuf text = {0};
    strbuf_add(&text, s.p, s.n);
    strbuf_add(&text, end.p, end.n);
    bool ok = put(kernel_state(c), &text, st);
    strbuf_release(&text);
    return ok;
}

static bool print_v2_shape(struct infer_ctx *c, struct status *st)
{
    const int rank = infer_input(c, 0)->rank;
    return rank <= 0 || status_invalid(st, "input must be a scalar, but has rank: %d", rank);
}

OP_DEF(print_v2) = {
    .name = "PrintV2",
    .summary = "Writes a string to a stream, the log or a file.",
    .inputs = {"input: string"},
    .attrs = {"output_stream: string = 'stderr'", "end: string = '\n'"},
    .flags = OP_STATEFUL,
    .shape = print_v2_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(print_v2_cpu) = {.op = "PrintV2",
                            .device = "CPU",
                            .flags = KERNEL_BLOCKING,
                            .state_bytes = sizeof(struct print_state),
                            .init = print_v2_init,
                            .release = print_v2_release,
                            .run = print_v2_run};
