/* SPDX-License-Identifier: Apache-2.0 */
/* Op definitions of the caller's own (ops.h): a builder is a struct op_def that grows, and stays
 * for ever once it is registered. Whatever is wrong with it is said by TF_RegisterOpDefinition. */
#include <string.h>

#include "api/api_tensor.h"
#include "api/plugin.h"
#include "base/arena.h"
#include "base/mem.h"
#include "op/attr_print.h"
#include "op/infer.h"
#include "tensorflow/c/ops.h"

typedef void (*shape_function)(TF_ShapeInferenceContext *ctx, TF_Status *status);

struct TF_OpDefinitionBuilder {
    struct op_def def; /* its texts lie in the arena */
    struct arena arena;
    int num_inputs, num_outputs, num_attrs; /* asked for; those beyond the limits are not kept */
    shape_function shape;
};

static const struct TF_OpDefinitionBuilder *builder_of(const struct op_def *def)
{
    return (const struct TF_OpDefinitionBuilder *)def;
}

TF_OpDefinitionBuilder *TF_NewOpDefinitionBuilder(const char *op_name)
{
    TF_OpDefinitionBuilder *b = mem_new(struct TF_OpDefinitionBuilder);
    b->def.name = arena_strdup(&b->arena, op_name ? op_name : "");
    b->def.summary = "";
    b->def.no_grad = "undefined: the op was registered at run time";
    b->def.no_kernel = "no kernel was registered for the op that was registered at run time";
    return b;
}

void TF_DeleteOpDefinitionBuilder(TF_OpDefinitionBuilder *builder)
{
    if (!builder)
        return;
    arena_release(&builder->arena);
    mem_free(builder);
}

static void add_text(TF_OpDefinitionBuilder *b, const char **list, int max, int *n,
                     const char *text)
{
    if (b && *n < max)
        list[*n] = arena_strdup(&b->arena, text ? text : "");
    if (*n <= max)
        ++*n;
}

void TF_OpDefinitionBuilderAddAttr(TF_OpDefinitionBuilder *builder, const char *attr_spec)
{
    if (builder)
        add_text(builder, builder->def.attrs, OP_MAX_ATTRS, &builder->num_attrs, attr_spec);
}

void TF_OpDefinitionBuilderAddInput(TF_OpDefinitionBuilder *builder, const char *input_spec)
{
    if (builder)
        add_text(builder, builder->def.inputs, OP_MAX_INPUTS, &builder->num_inputs, input_spec);
}

void TF_OpDefinitionBuilderAddOutput(TF_OpDefinitionBuilder *builder, const char *output_spec)
{
    if (builder)
        add_text(builder, builder->def.outputs, OP_MAX_OUTPUTS, &builder->num_outputs, output_spec);
}

static void add_flag(TF_OpDefinitionBuilder *b, unsigned flag)
{
    if (b)
        b->def.flags |= flag;
}

void TF_OpDefinitionBuilderSetIsCommutative(TF_OpDefinitionBuilder *builder,
                                            bool is_commutative UNUSED)
{
    add_flag(builder, OP_COMMUTATIVE);
}

void TF_OpDefinitionBuilderSetIsAggregate(TF_OpDefinitionBuilder *builder, bool is_aggregate UNUSED)
{
    add_flag(builder, OP_AGGREGATE);
}

void TF_OpDefinitionBuilderSetIsStateful(TF_OpDefinitionBuilder *builder, bool is_stateful UNUSED)
{
    add_flag(builder, OP_STATEFUL);
}

void TF_OpDefinitionBuilderSetAllowsUninitializedInput(TF_OpDefinitionBuilder *builder,
                                                       bool allows_uninitialized_input UNUSED)
{
    add_flag(builder, OP_UNINIT_OK);
}

void TF_OpDefinitionBuilderDeprecated(TF_OpDefinitionBuilder *builder, int version,
                                      const char *explanation)
{
    if (!builder)
        return;
    builder->def.deprecated_at = version;
    builder->def.deprecated_why = arena_strdup(&builder->arena, explanation ? explanation : "");
}

/* What the registry calls: the caller's function with a status of the API around ours. */
static bool call_shape_function(struct infer_ctx *c, struct status *st)
{
    struct TF_Status status = {0};
    builder_of(infer_op(c)->def)->shape((TF_ShapeInferenceContext *)c, &status);
    bool ok = status_ok(&status.s);
    status_move(st, &status.s);
    return ok;
}

void TF_OpDefinitionBuilderSetShapeInferenceFunction(
    TF_OpDefinitionBuilder *builder,
    void (*shape_inference_func)(TF_ShapeInferenceContext *ctx, TF_Status *status))
{
    if (!builder)
        return;
    builder->shape = shape_inference_func;
    builder->def.shape = shape_inference_func ? call_shape_function : NULL;
}

static bool check_builder(const TF_OpDefinitionBuilder *b, struct status *st)
{
    if (!b)
        return status_invalid(st, "TF_RegisterOpDefinition: the builder is NULL");
    const char *what = b->num_inputs > OP_MAX_INPUTS     ? "inputs"
                       : b->num_outputs > OP_MAX_OUTPUTS ? "outputs"
                       : b->num_attrs > OP_MAX_ATTRS     ? "attrs"
                                                         : NULL;
    if (what)
        return status_invalid(st,
                              "Op '%s' has too many %s: at most %d inputs, %d outputs and %d "
                              "attrs can be registered",
                              b->def.name, what, OP_MAX_INPUTS, OP_MAX_OUTPUTS, OP_MAX_ATTRS);
    return true;
}

static bool has_resource(const struct op_arg *args, int n)
{
    for (int i = 0; i < n; i++) {
        if (args[i].type == DT_RESOURCE)
            return true;
    }
    return false;
}

/* An op on resources has state, as in TensorFlow, whether or not its author says so. */
static bool note_state(TF_OpDefinitionBuilder *b, struct status *st)
{
    struct op *op = op_parse(&b->def, st);
    if (!op)
        return false;
    if (has_resource(op->inputs, op->num_inputs) || has_resource(op->outputs, op->num_outputs))
        b->def.flags |= OP_STATEFUL;
    op_free(op);
    return true;
}

void TF_RegisterOpDefinition(TF_OpDefinitionBuilder *builder, TF_Status *status)
{
    struct status st = {0};
    bool ok =
        check_builder(builder, &st) && note_state(builder, &st) && op_register(&builder->def, &st);
    plugin_note_op(ok ? builder->def.name : "", &st);
    if (!ok)
        TF_DeleteOpDefinitionBuilder(builder);
    api_return(status, &st);
}

const struct attr_value *plugin_attr(const struct attrs *attrs, const char *name, int kind,
                                     const char *node_name, struct status *st)
{
    const struct attr_value *v = name ? attrs_find(attrs, name) : NULL;
    if (!v) {
        status_not_found(st, "No attr named '%s' in NodeDef:\n\t [[{{node %s}}]]", name ? name : "",
                         node_name);
        return NULL;
    }
    if (!v->is_list && v->kind == kind)
        return v;
    struct strbuf is = {0};
    attr_print_kind(v, &is);
    status_invalid(st, "AttrValue had value with type '%s' when '%s' expected", strbuf_text(&is),
                   attr_kind_name(kind));
    strbuf_release(&is);
    return NULL;
}
