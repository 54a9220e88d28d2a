/* SPDX-License-Identifier: Apache-2.0 */
/* needs: onednn */
/* GFLOP/s of math_conv (NHWC, the filter's reordered copy reused) beside bare oneDNN in the layouts
 * that it picks by itself. A part is "BATCHxHxW IN-OUT FxF PASS": stride 1, same size out. */
#include <dlfcn.h>

#include "bare.h"
#include "math/conv.h"
#include "math/conv_dnnl_api.h"
#include "math/libs.h"
#include "tensor/dtype.h"

enum { FORWARD, DATA, FILTER };

static struct {
    struct math_conv *plan;
    struct math_conv_args args;
    float *x, *y, *w;
    void *scratch;
    dnnl_primitive_t primitive;
    dnnl_memory_t memory[3]; /* x, filter, y */
    float *data[3];
    dnnl_exec_arg_t exec[3];
    int pass;
} c;
static const struct dnnl_api *api;
static dnnl_stream_t stream;
static void (*omp_threads)(int);

static void release(void)
{
    math_conv_free(c.plan);
    free(c.x);
    free(c.y);
    free(c.w);
    free(c.scratch);
    if (c.primitive)
        api->primitive_destroy(c.primitive);
    for (int i = 0; i < 3; i++) {
        if (c.memory[i])
            api->memory_destroy(c.memory[i]);
        free(c.data[i]);
    }
    memset(&c, 0, sizeof c);
}

static void run_math(void)
{
    struct pool *pool = bare_threads > 1 ? bare_pool : NULL;
    struct status st = {0};
    bool ok = c.pass == FORWARD ? math_conv_forward(c.plan, pool, &c.args, &st)
              : c.pass == DATA  ? math_conv_backward_data(c.plan, pool, &c.args, &st)
                                : math_conv_backward_filter(c.plan, pool, &c.args, &st);
    if (!ok)
        abort();
}

static void run_dnnl(void)
{
    if (omp_threads)
        omp_threads(bare_threads);
    if (api->primitive_execute(c.primitive, stream, 3, c.exec) != dnnl_success)
        abort();
}

static bool prepare_math(const struct math_conv_shape *s)
{
    struct status st = {0};
    if (!math_conv_new(s, &c.plan, &st)) {
        status_clear(&st);
        return false;
    }
    const int64_t images = s->batch * s->in_h * s->in_w;
    c.x = bare_array(images * s->in_c, sizeof(float), false);
    c.y = bare_array(images * s->out_c, sizeof(float), false);
    c.w = bare_array(s->filter_h * s->filter_w * s->in_c * s->out_c, sizeof(float), false);
    const int64_t bytes = c.pass == FORWARD ? math_conv_forward_scratch_bytes(c.plan)
                          : c.pass == DATA  ? math_conv_backward_data_scratch_bytes(c.plan)
                                            : math_conv_backward_filter_scratch_bytes(c.plan);
    c.scratch = bare_array(bytes / 4 + 16, sizeof(float), false);
    c.args = (struct math_conv_args){.x = c.x,
                                     .filter = c.w,
                                     .y = c.y,
                                     .dy = c.y,
                                     .dx = c.x,
                                     .dfilter = c.w,
                                     .scratch = c.scratch,
                                     .filter_version = 1};
    return true;
}

static dnnl_status_t describe(const struct math_conv_shape *s, int pass,
                              dnnl_convolution_desc_t *out)
{
    const dnnl_dims_t x = {s->batch, s->in_c, s->in_h, s->in_w};
    const dnnl_dims_t y = {s->batch, s->out_c, s->out_h, s->out_w};
    const dnnl_dims_t w = {s->out_c, s->in_c, s->filter_h, s->filter_w};
    const dnnl_dims_t one = {1, 1}, none = {0, 0};
    const dnnl_dims_t before = {s->pad_top, s->pad_left};
    const dnnl_dims_t after = {s->filter_h - 1 - s->pad_top, s->filter_w - 1 - s->pad_left};
    dnnl_memory_desc_t mx, mw, my;
    if (api->memory_desc_init_by_tag(&mx, 4, x, dnnl_f32, dnnl_format_tag_any) != dnnl_success ||
        api->memory_desc_init_by_tag(&mw, 4, w, dnnl_f32, dnnl_format_tag_any) != dnnl_success ||
        api->memory_desc_init_by_tag(&my, 4, y, dnnl_f32, dnnl_format_tag_any) != dnnl_success)
        return dnnl_invalid_arguments;
    if (pass == FORWARD)
        return api->dilated_convolution_forward_desc_init(out, dnnl_forward_training,
                                                          dnnl_convolution_direct, &mx, &mw, NULL,
                                                          &my, one, none, before, after);
    if (pass == DATA)
        return api->dilated_convolution_backward_data_desc_init(out, dnnl_convolution_direct, &mx,
                                                                &mw, &my, one, none, before, after);
    return api->dilated_convolution_backward_weights_desc_init(
        out, dnnl_convolution_direct, &mx, &mw, NULL, &my, one, none, before, after);
}

/* The memory of x, filter or y in the layout that the primitive wants. */
static bool bind(dnnl_primitive_desc_t pd, int i)
{
    static const struct {
        dnnl_query_t query;
        int arg;
    } at[3][3] = {
        {{dnnl_query_src_md, DNNL_ARG_SRC},
         {dnnl_query_weights_md, DNNL_ARG_WEIGHTS},
         {dnnl_query_dst_md, DNNL_ARG_DST}},
        {{dnnl_query_diff_src_md, DNNL_ARG_DIFF_SRC},
         {dnnl_query_weights_md, DNNL_ARG_WEIGHTS},
         {dnnl_query_diff_dst_md, DNNL_ARG_DIFF_DST}},
        {{dnnl_query_src_md, DNNL_ARG_SRC},
         {dnnl_query_diff_weights_md, DNNL_ARG_DIFF_WEIGHTS},
         {dnnl_query_diff_dst_md, DNNL_ARG_DIFF_DST}},
    };
    const dnnl_memory_desc_t *md = api->primitive_desc_query_md(pd, at[c.pass][i].query, 0);
    c.data[i] = bare_array((int64_t)api->memory_desc_get_size(md) / 4 + 1, sizeof(float), false);
    if (api->memory_create(&c.memory[i], md, api->engine, c.data[i]) != dnnl_success)
        return false;
    c.exec[i] = (dnnl_exec_arg_t){at[c.pass][i].arg, c.memory[i]};
    return true;
}

static bool prepare_dnnl(const struct math_conv_shape *s)
{
    dnnl_convolution_desc_t forward, own;
    dnnl_primitive_desc_t hint = NULL, pd = NULL;
    if (!api || describe(s, FORWARD, &forward) != dnnl_success ||
        describe(s, c.pass, &own) != dnnl_success)
        return false;
    if (omp_threads)
        omp_threads(bare_threads);
    bool ok =
        api->primitive_desc_create(&hint, &forward, NULL, api->engine, NULL) == dnnl_success &&
        api->primitive_desc_create(&pd, &own, NULL, api->engine, c.pass == FORWARD ? NULL : hint) ==
            dnnl_success;
    for (int i = 0; ok && i < 3; i++)
        ok = bind(pd, i);
    ok = ok && api->primitive_create(&c.primitive, pd) == dnnl_success;
    if (hint)
        api->primitive_desc_destroy(hint);
    if (pd)
        api->primitive_desc_destroy(pd);
    return ok;
}

static double prepare(const char *part, struct bare_code codes[BARE_MAX_CODES])
{
    static const char *const passes[] = {"forward", "data", "filter"};
    int b, h, w, in, out, f, f2;
    char pass[16];
    if (sscanf(part, "%dx%dx%d %d-%d %dx%d %15s", &b, &h, &w, &in, &out, &f, &f2, pass) != 8 ||
        b < 1 || h < 1 || w < 1 || in < 1 || out < 1 || f < 1 || f2 < 1)
        return 0;
    release();
    while (c.pass < 3 && strcmp(passes[c.pass], pass) != 0)
        c.pass++;
    if (c.pass == 3)
        return 0;
    const struct math_conv_shape s = {.dtype = DT_FLOAT,
                                      .batch = b,
                                      .in_h = h,
                                      .in_w = w,
                                      .in_c = in,
                                      .out_h = h,
                                      .out_w = w,
                                      .out_c = out,
                                      .filter_h = f,
                                      .filter_w = f2,
                                      .stride_h = 1,
                                      .stride_w = 1,
                                      .dilation_h = 1,
                                      .dilation_w = 1,
                                      .pad_top = (f - 1) / 2,
                                      .pad_left = (f2 - 1) / 2};
    if (prepare_math(&s))
        codes[0] = (struct bare_code){"math", run_math};
    if (prepare_dnnl(&s))
        codes[1] = (struct bare_code){"oneDNN", run_dnnl};
    return 2e-9 * b * h * w * f * f2 * in * out;
}

int main(int argc, char **argv)
{
    api = dnnl_api_find();
    if (api) {
        *(void **)&omp_threads = dlsym(math_lib_dnnl(), "omp_set_num_threads");
        if (api->stream_create(&stream, api->engine, dnnl_stream_default_flags) != dnnl_success)
            api = NULL;
    }
    const struct bare program = {"GFLOP/s", prepare};
    const int code = bare_main(&program, argc, argv);
    release();
    if (api)
        api->stream_destroy(stream);
    return code;
}
