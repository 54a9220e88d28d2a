/* SPDX-License-Identifier: Apache-2.0 */
/* Reading operations: names, types, edges both ways. */
#include <string.h>

#include "api/api_impl.h"

const char *TF_OperationName(TF_Operation *oper)
{
    return oper ? api_node(oper)->name : "";
}

const char *TF_OperationOpType(TF_Operation *oper)
{
    return oper ? api_node(oper)->op->name : "";
}

const char *TF_OperationDevice(TF_Operation *oper)
{
    return oper ? api_node(oper)->device : "";
}

int TF_OperationNumOutputs(TF_Operation *oper)
{
    return oper ? api_node(oper)->num_outputs : 0;
}

TF_DataType TF_OperationOutputType(TF_Output oper_out)
{
    struct node *n = api_node(oper_out.oper);
    return n && oper_out.index >= 0 && oper_out.index < n->num_outputs
               ? (TF_DataType)n->output_types[oper_out.index]
               : (TF_DataType)0;
}

int TF_OperationNumInputs(TF_Operation *oper)
{
    return oper ? api_node(oper)->num_inputs : 0;
}

TF_DataType TF_OperationInputType(TF_Input oper_in)
{
    struct node *n = api_node(oper_in.oper);
    return n && oper_in.index >= 0 && oper_in.index < n->num_inputs
               ? (TF_DataType)n->input_types[oper_in.index]
               : (TF_DataType)0;
}

TF_Output TF_OperationInput(TF_Input oper_in)
{
    struct node *n = api_node(oper_in.oper);
    if (!n || oper_in.index < 0 || oper_in.index >= n->num_inputs)
        return (TF_Output){NULL, -1};
    return (TF_Output){api_oper(n->inputs[oper_in.index].node), n->inputs[oper_in.index].index};
}

static int list_length(struct node *n, const struct op_arg *args, int num_args, const char *name,
                       TF_Status *status)
{
    struct status st = {0};
    int64_t len = -1;
    const struct op_arg *arg = NULL;
    for (int i = 0; n && name && i < num_args; i++) {
        if (strcmp(args[i].name, name) == 0)
            arg = &args[i];
    }
    if (!n || !name)
        status_invalid(&st, "no operation or no argument name");
    else if (!arg)
        status_invalid(&st, "Input/output arg name '%s' not found in op %s", name, n->op->name);
    else if (!op_arg_len(n->op, arg, &n->attrs, &len, &st))
        len = -1;
    api_return(status, &st);
    return (int)len;
}

int TF_OperationOutputListLength(TF_Operation *oper, const char *arg_name, TF_Status *status)
{
    struct node *n = api_node(oper);
    return list_length(n, n ? n->op->outputs : NULL, n ? n->op->num_outputs : 0, arg_name, status);
}

int TF_OperationInputListLength(TF_Operation *oper, const char *arg_name, TF_Status *status)
{
    struct node *n = api_node(oper);
    return list_length(n, n ? n->op->inputs : NULL, n ? n->op->num_inputs : 0, arg_name, status);
}

int TF_OperationOutputNumConsumers(TF_Output oper_out)
{
    return TF_OperationOutputConsumers(oper_out, NULL, 0);
}

/* How many there are; the first max of them are filled in by OperationOutputConsumers. */
static int consumers_of(struct node *n, int index, TF_Input *out, int max)
{
    int count = 0;
    lock_take(&n->graph->lock);
    for (int64_t i = 0; i < n->num_consumers; i++) {
        struct input c = n->consumers[i];
        struct output from = c.node->inputs[c.index];
        if (from.node != n || from.index != index)
            continue;
        if (count < max)
            out[count] = (TF_Input){api_oper(c.node), c.index};
        count++;
    }
    lock_drop(&n->graph->lock);
    return count;
}

int TF_OperationOutputConsumers(TF_Output oper_out, TF_Input *consumers, int max_consumers)
{
    struct node *n = api_node(oper_out.oper);
    return n ? consumers_of(n, oper_out.index, consumers, consumers ? max_consumers : 0) : 0;
}

int TF_OperationNumControlInputs(TF_Operation *oper)
{
    return TF_OperationGetControlInputs(oper, NULL, 0);
}

int TF_OperationGetControlInputs(TF_Operation *oper, TF_Operation **control_inputs,
                                 int max_control_inputs)
{
    struct node *n = api_node(oper);
    if (!n)
        return 0;
    lock_take(&n->graph->lock);
    int count = (int)n->num_control_inputs;
    for (int i = 0; control_inputs && i < count && i < max_control_inputs; i++)
        control_inputs[i] = api_oper(n->control_inputs[i]);
    lock_drop(&n->graph->lock);
    return count;
}

int TF_OperationNumControlOutputs(TF_Operation *oper)
{
    return TF_OperationGetControlOutputs(oper, NULL, 0);
}

int TF_OperationGetControlOutputs(TF_Operation *oper, TF_Operation **control_outputs,
                                  int max_control_outputs)
{
    struct node *n = api_node(oper);
    if (!n)
        return 0;
    lock_take(&n->graph->lock);
    int count = (int)n->num_control_outputs;
    for (int i = 0; control_outputs && i < count && i < max_control_outputs; i++)
        control_outputs[i] = api_oper(n->control_outputs[i]);
    lock_drop(&n->graph->lock);
    return count;
}
