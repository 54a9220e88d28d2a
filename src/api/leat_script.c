/* SPDX-License-Identifier: Apache-2.0 */
/* leat_set_py_func_hook: script ops' values as TF_Tensors and back. */
#include "leat/script.h"

#include "api/api_tensor.h"
#include "base/lock.h"
#include "base/mem.h"
#include "op/script_hook.h"

struct client { /* lives for ever: calls may be under way */
    struct client *before;
    leat_py_func_hook hook;
    void *data;
};

static bool call_client(void *data, const char *token, struct tensor *const *inputs, int num_inputs,
                        struct tensor *outputs, int num_outputs, struct status *st)
{
    const struct client *client = data;
    TF_Tensor **in = mem_new_array(TF_Tensor *, num_inputs + 1);
    TF_Tensor **out = mem_new_array(TF_Tensor *, num_outputs + 1);
    TF_Status status = {{0}};
    bool ok = true;
    for (int i = 0; ok && i < num_inputs; i++)
        ok = (in[i] = api_tensor_from_internal(inputs[i], st)) != NULL;
    if (ok) {
        client->hook(client->data, token, in, num_inputs, out, num_outputs, &status);
        ok = status_ok(&status.s);
        status_move(st, &status.s);
    }
    for (int i = 0; ok && i < num_outputs; i++) {
        struct tensor t = {0};
        ok = api_tensor_to_internal(out[i], &t, st) && tensor_dup(&t, &outputs[i], st);
        tensor_clear(&t);
    }
    for (int i = 0; i < num_inputs; i++)
        TF_DeleteTensor(in[i]);
    for (int i = 0; i < num_outputs; i++)
        TF_DeleteTensor(out[i]);
    mem_free(in);
    mem_free(out);
    return ok;
}

void leat_set_py_func_hook(leat_py_func_hook hook, void *data)
{
    static struct lock lock = LOCK_INIT("script clients", LOCK_RANK_KERNEL);
    static struct client *clients; /* guarded by lock */
    if (!hook) {
        script_hook_set(NULL, NULL);
        return;
    }
    lock_take(&lock);
    struct client *c = clients;
    while (c && !(c->hook == hook && c->data == data))
        c = c->before;
    if (!c) {
        c = mem_new(struct client);
        *c = (struct client){clients, hook, data};
        clients = c;
    }
    script_hook_set(call_client, c);
    lock_drop(&lock);
}

void leat_set_stop_hook(leat_stop_hook hook, void *data)
{
    thread_set_stop(hook, data);
}
