/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the caller's own (kernels.h): a builder is a struct kernel_def that grows, and stays
 * for ever once it is registered; and the making and ending of such a kernel's state. What a
 * running one calls is in tf_kernel_ctx.c. */
#include <string.h>

#include "api/kernel_call.h"
#include "api/plugin.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"

struct TF_KernelBuilder {
    struct kernel_def def; /* its texts lie in the arena */
    struct arena arena;
    char *host_memory; /* "a, b", or NULL */
    int num_types;
    bool bad_types, registered;
    void *(*create)(TF_OpKernelConstruction *);
    void (*compute)(void *, TF_OpKernelContext *);
    void (*end)(void *);
};

struct TF_OpKernelConstruction {
    const struct kernel *kernel;
    struct status st;
};

struct state { /* of a kernel */
    const struct TF_KernelBuilder *builder;
    void *made; /* what create returned */
};

static const struct TF_KernelBuilder *builder_of(const struct kernel_def *def)
{
    return (const struct TF_KernelBuilder *)def;
}

/* --- what the registry calls --- */

static bool init(struct kernel *k, void *state, struct status *st)
{
    struct state *s = state;
    struct TF_OpKernelConstruction c = {.kernel = k};
    s->builder = builder_of(k->def);
    if (s->builder->create)
        s->made = s->builder->create(&c);
    bool ok = status_ok(&c.st);
    status_move(st, &c.st);
    return ok;
}

static void release(void *state)
{
    struct state *s = state;
    if (s && s->builder && s->builder->end)
        s->builder->end(s->made);
}

static bool run(struct kctx *c, struct status *st)
{
    const struct state *s = kernel_state(c);
    struct TF_OpKernelContext call = {.c = c};
    s->builder->compute(s->made, &call);
    return kernel_call_end(&call, st);
}

/* --- builders --- */

TF_KernelBuilder *TF_NewKernelBuilder(const char *op_name, const char *device_name,
                                      void *(*create_func)(TF_OpKernelConstruction *),
                                      void (*compute_func)(void *, TF_OpKernelContext *),
                                      void (*delete_func)(void *))
{
    TF_KernelBuilder *b = mem_new(struct TF_KernelBuilder);
    b->create = create_func;
    b->compute = compute_func;
    b->end = delete_func;
    b->def =
        (struct kernel_def){.op = op_name ? arena_strdup(&b->arena, op_name) : NULL,
                            .device = device_name ? arena_strdup(&b->arena, device_name) : NULL,
                            .flags = KERNEL_EXPENSIVE,
                            .state_bytes = sizeof(struct state),
                            .init = init,
                            .release = release,
                            .run = run};
    return b;
}

static void free_builder(TF_KernelBuilder *b)
{
    arena_release(&b->arena);
    mem_free(b->host_memory);
    mem_free(b);
}

void TF_DeleteKernelBuilder(TF_KernelBuilder *builder)
{
    if (builder && !builder->registered)
        free_builder(builder);
}

/* The types that 1.15 takes: not those of quantised values. */
static bool can_constrain(int type)
{
    return dtype_valid(type) && !dtype_is_ref(type) && type != DT_QINT8 && type != DT_QUINT8 &&
           type != DT_QINT32 && type != DT_QINT16 && type != DT_QUINT16;
}

void TF_KernelBuilder_TypeConstraint(TF_KernelBuilder *kernel_builder, const char *attr_name,
                                     const TF_DataType type, TF_Status *status)
{
    struct status st = {0};
    TF_KernelBuilder *b = kernel_builder;
    if (!b || b->registered)
        status_invalid(&st, "TF_KernelBuilder_TypeConstraint: the builder is NULL or registered");
    else if (!can_constrain((int)type))
        status_unimplemented(&st, "Unexpected type %d", (int)type);
    else if (!attr_name || b->num_types == KERNEL_MAX_TYPES)
        b->bad_types = true;
    else
        b->def.types[b->num_types++] =
            arena_printf(&b->arena, "%s: {%s}", attr_name, dtype_name((int)type));
    api_return(status, &st);
}

void TF_KernelBuilder_HostMemory(TF_KernelBuilder *kernel_builder, const char *arg_name)
{
    TF_KernelBuilder *b = kernel_builder;
    if (!b || b->registered || !arg_name)
        return;
    char *all = b->host_memory ? mem_printf("%s, %s", b->host_memory, arg_name)
                               : mem_printf("%s", arg_name);
    mem_free(b->host_memory);
    b->host_memory = all;
    b->def.host_memory = all;
}

static bool register_builder(TF_KernelBuilder *b, struct status *st)
{
    if (!b || b->registered)
        return status_invalid(st, "TF_RegisterKernelBuilder: the builder is NULL or registered");
    if (!b->def.op || !b->def.device || !b->compute)
        return status_invalid(st, "A kernel needs an op, a device and a function to run");
    if (b->bad_types)
        return status_invalid(st,
                              "The kernel of op '%s' has a type constraint without an attr, or "
                              "more than %d",
                              b->def.op, KERNEL_MAX_TYPES);
    return kernel_register(&b->def, st);
}

void TF_RegisterKernelBuilder(const char *kernel_name UNUSED, TF_KernelBuilder *builder,
                              TF_Status *status)
{
    struct status st = {0};
    bool ok = register_builder(builder, &st);
    if (ok) {
        builder->registered = true;
    } else {
        plugin_note_op("", &st);
        TF_DeleteKernelBuilder(builder);
    }
    api_return(status, &st);
}

/* --- in create --- */

void TF_OpKernelConstruction_Failure(TF_OpKernelConstruction *ctx, TF_Status *status)
{
    if (ctx && status && status_ok(&ctx->st))
        status_copy(&ctx->st, &status->s);
}

static const struct attr_value *attr(const TF_OpKernelConstruction *ctx, const char *name, int kind,
                                     const void *val, struct status *st)
{
    if (ctx && val)
        return plugin_attr(ctx->kernel->attrs, name, kind, ctx->kernel->node_name, st);
    status_invalid(st, "TF_OpKernelConstruction_GetAttr: an argument is NULL");
    return NULL;
}

void TF_OpKernelConstruction_GetAttrType(TF_OpKernelConstruction *ctx, const char *attr_name,
                                         TF_DataType *val, TF_Status *status)
{
    struct status st = {0};
    const struct attr_value *v = attr(ctx, attr_name, ATTR_TYPE, val, &st);
    if (v)
        *val = (TF_DataType)v->type;
    api_return(status, &st);
}

void TF_OpKernelConstruction_GetAttrInt32(TF_OpKernelConstruction *ctx, const char *attr_name,
                                          int32_t *val, TF_Status *status)
{
    struct status st = {0};
    const struct attr_value *v = attr(ctx, attr_name, ATTR_INT, val, &st);
    if (v && (v->i < INT32_MIN || v->i > INT32_MAX))
        status_invalid(&st, "Attr %s has value %lld out of range for an int32", attr_name,
                       (long long)v->i);
    else if (v)
        *val = (int32_t)v->i;
    api_return(status, &st);
}
