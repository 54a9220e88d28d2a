/* SPDX-License-Identifier: Apache-2.0 */
/* The one builder behind the generated op wrappers. */
#include "api/leat_wrap.h"

#include <math.h>
#include <string.h>

#include "api/leat_builder.h"

struct call {
    TF_OperationDescription *d;
    const struct op_attr *attr;
    const void *at; /* the value, in the struct of arguments */
    struct status *st;
};

static bool float_given(float f)
{
    float none = LEAT_FLOAT_NOT_GIVEN;
    return memcmp(&f, &none, sizeof f) != 0;
}

static void set_shape(const struct call *c, const struct leat_shape *s)
{
    if (s->rank != LEAT_NOT_GIVEN)
        TF_SetAttrShape(c->d, c->attr->name, s->dims, s->rank < 0 ? -1 : s->rank);
}

static void set_tensor(const struct call *c, TF_Tensor *const *t)
{
    TF_Status *s = TF_NewStatus();
    if (*t)
        TF_SetAttrTensor(c->d, c->attr->name, *t, s);
    if (TF_GetCode(s) != TF_OK)
        status_fail(c->st, (int)TF_GetCode(s), "attr '%s': %s", c->attr->name, TF_Message(s));
    TF_DeleteStatus(s);
}

static void set_scalar(const struct call *c)
{
    const char *name = c->attr->name;
    const void *at = c->at;
    const char *text = c->attr->kind == ATTR_STRING || c->attr->kind == ATTR_FUNC
                           ? *(const char *const *)at
                           : NULL;
    switch (c->attr->kind) {
    case ATTR_STRING:
        if (text)
            TF_SetAttrString(c->d, name, text, strlen(text));
        break;
    case ATTR_FUNC:
        if (text)
            TF_SetAttrFuncName(c->d, name, text, strlen(text));
        break;
    case ATTR_INT:
        if (*(const int64_t *)at != LEAT_INT_NOT_GIVEN)
            TF_SetAttrInt(c->d, name, *(const int64_t *)at);
        break;
    case ATTR_FLOAT:
        if (float_given(*(const float *)at))
            TF_SetAttrFloat(c->d, name, *(const float *)at);
        break;
    case ATTR_BOOL:
        if (*(const int *)at != LEAT_BOOL_NOT_GIVEN)
            TF_SetAttrBool(c->d, name, *(const int *)at != 0);
        break;
    case ATTR_TYPE:
        if (*(const TF_DataType *)at)
            TF_SetAttrType(c->d, name, *(const TF_DataType *)at);
        break;
    case ATTR_SHAPE:
        set_shape(c, at);
        break;
    case ATTR_TENSOR:
        set_tensor(c, at);
        break;
    default:
        break;
    }
}

static void set_strings(const struct call *c, const struct leat_strings *l)
{
    struct str *s = mem_new_array(struct str, l->n + 1);
    for (int i = 0; i < l->n; i++)
        s[i] = str_of(l->v[i]);
    node_desc_attr((struct node_desc *)c->d, c->attr->name, attr_list(ATTR_STRING, s, l->n));
    mem_free(s);
}

static void set_funcs(const struct call *c, const struct leat_strings *l)
{
    struct attr_func **f = mem_new_array(struct attr_func *, l->n + 1);
    struct attr_value *v = mem_new_array(struct attr_value, l->n + 1);
    for (int i = 0; i < l->n; i++) {
        v[i] = attr_func(l->v[i] ? l->v[i] : "", NULL);
        f[i] = v[i].func;
    }
    node_desc_attr((struct node_desc *)c->d, c->attr->name, attr_list(ATTR_FUNC, f, l->n));
    for (int i = 0; i < l->n; i++)
        attr_value_clear(&v[i]);
    mem_free(f);
    mem_free(v);
}

static void set_bools(const struct call *c, const struct leat_bools *l)
{
    node_desc_attr((struct node_desc *)c->d, c->attr->name, attr_list(ATTR_BOOL, l->v, l->n));
}

static void set_shapes(const struct call *c, const struct leat_shapes *l)
{
    const int64_t **dims = mem_new_array(const int64_t *, l->n + 1);
    int *ranks = mem_new_array(int, l->n + 1);
    for (int i = 0; i < l->n; i++) {
        dims[i] = l->v[i].dims;
        ranks[i] = l->v[i].rank;
    }
    TF_SetAttrShapeList(c->d, c->attr->name, dims, ranks, l->n);
    mem_free(dims);
    mem_free(ranks);
}

static void set_tensors(const struct call *c, const struct leat_tensors *l)
{
    TF_Status *s = TF_NewStatus();
    TF_SetAttrTensorList(c->d, c->attr->name, l->v, l->n, s);
    if (TF_GetCode(s) != TF_OK)
        status_fail(c->st, (int)TF_GetCode(s), "attr '%s': %s", c->attr->name, TF_Message(s));
    TF_DeleteStatus(s);
}

static void set_list(const struct call *c)
{
    const struct leat_ints *l = c->at; /* all lists are laid out alike */
    if (l->n == LEAT_NOT_GIVEN)
        return;
    if (l->n < 0 || (l->n > 0 && !l->v)) {
        status_invalid(c->st, "attr '%s': a list of %d values", c->attr->name, l->n);
        return;
    }
    switch (c->attr->kind) {
    case ATTR_STRING:
        set_strings(c, c->at);
        break;
    case ATTR_FUNC:
        set_funcs(c, c->at);
        break;
    case ATTR_INT:
        TF_SetAttrIntList(c->d, c->attr->name, l->v, l->n);
        break;
    case ATTR_FLOAT:
        TF_SetAttrFloatList(c->d, c->attr->name, ((const struct leat_floats *)c->at)->v, l->n);
        break;
    case ATTR_BOOL:
        set_bools(c, c->at);
        break;
    case ATTR_TYPE:
        TF_SetAttrTypeList(c->d, c->attr->name, ((const struct leat_types *)c->at)->v, l->n);
        break;
    case ATTR_SHAPE:
        set_shapes(c, c->at);
        break;
    case ATTR_TENSOR:
        set_tensors(c, c->at);
        break;
    default:
        break;
    }
}

/* Whether all of an input is there; the first that is not is told, unless an earlier error made it
 * so (then the thread has one already). */
static bool inputs_ok(const struct op *op, const struct leat_wrap *w,
                      const struct leat_wrap_input *in, struct status *st)
{
    for (int i = 0; i < w->num_inputs; i++) {
        const char *name = op->inputs[i].name;
        if (in[i].n < -1 || (in[i].n > 0 && !in[i].v))
            return status_invalid(st, "%s: input '%s': a list of %d outputs", w->op, name, in[i].n);
        int n = in[i].n < 0 ? 1 : in[i].n;
        for (int k = 0; k < n; k++) {
            if (in[i].v[k].oper)
                continue;
            if (in[i].n < 0)
                return status_invalid(st, "%s: input '%s' is not a valid output", w->op, name);
            return status_invalid(st, "%s: output %d of input '%s' is not a valid output", w->op, k,
                                  name);
        }
    }
    return true;
}

static void set_attrs(const struct op *op, const struct leat_wrap *w, struct call *c,
                      const void *args)
{
    for (int i = 0; i < w->num_fields; i++) {
        c->attr = &op->attrs[w->fields[i].attr];
        c->at = (const char *)args + w->fields[i].offset;
        if (c->attr->is_list)
            set_list(c);
        else
            set_scalar(c);
    }
}

/* An attr that has neither value nor default and that the inputs do not tell. */
static bool attrs_ok(const struct op *op, const struct node_desc *d, struct status *st)
{
    if (d->num_errors > 0 || d->source_errors.n > 0)
        return true; /* said at the finish */
    for (int i = 0; i < op->num_attrs; i++) {
        const struct op_attr *a = &op->attrs[i];
        if (a->default_value.kind == ATTR_NONE && !attrs_find(&d->attrs, a->name))
            return status_invalid(st, "%s: the attr '%s' must be given", op->name, a->name);
    }
    return true;
}

TF_Operation *wrap_call(const struct leat_wrap *w, TF_Graph *g,
                        const struct leat_wrap_input *inputs, const void *args)
{
    const struct leat_wrap_head *head = args;
    struct status st = {0};
    if (!g)
        return NULL;
    const struct op *op = op_get(w->op, &st);
    if (!op || !inputs_ok(op, w, inputs, &st)) {
        builder_record(api_graph(g), &st, NULL, head ? head->made_at : NULL);
        return NULL;
    }
    struct call c = {
        .d = leat_begin(g, w->op, head ? head->name : NULL, head ? head->made_at : NULL),
        .st = &st};
    struct node_desc *d = (struct node_desc *)c.d;
    for (int i = 0; i < w->num_inputs; i++) {
        if (inputs[i].n < 0)
            leat_add_input(c.d, inputs[i].v[0]);
        else
            leat_add_input_list(c.d, inputs[i].v, inputs[i].n);
    }
    if (args)
        set_attrs(op, w, &c, args);
    if (status_ok(&st))
        (void)attrs_ok(op, d, &st);
    if (!status_ok(&st))
        status_move(&d->first_error, &st);
    return leat_finish(c.d);
}
