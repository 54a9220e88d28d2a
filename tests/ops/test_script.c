/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: nodes that call a function that this program sets. "double" doubles float tensors,
 * "fail" fails, "nothing" sets no output. */
#include <string.h>

#include "leat/script.h"
#include "op_case.h"
#include "op_script.h"

static TF_Tensor *doubled(const TF_Tensor *t)
{
    int64_t dims[8];
    int rank = TF_NumDims(t);
    for (int i = 0; i < rank && i < 8; i++)
        dims[i] = TF_Dim(t, i);
    TF_Tensor *out = TF_AllocateTensor(TF_TensorType(t), dims, rank, TF_TensorByteSize(t));
    const float *from = TF_TensorData(t);
    float *to = TF_TensorData(out);
    for (size_t i = 0; i < TF_TensorByteSize(t) / sizeof(float); i++)
        to[i] = 2 * from[i];
    return out;
}

static void call(void *data, const char *token, TF_Tensor *const *inputs, int num_inputs,
                 TF_Tensor **outputs, int num_outputs, TF_Status *status)
{
    if (strcmp(data, "mine") != 0 || num_outputs > num_inputs)
        TF_SetStatus(status, TF_INTERNAL, "called with something else");
    else if (strcmp(token, "fail") == 0)
        TF_SetStatus(status, TF_OUT_OF_RANGE, "no more of this");
    for (int i = 0; strcmp(token, "nothing") != 0 && i < num_outputs && i < num_inputs; i++)
        outputs[i] = doubled(inputs[i]);
}

static const struct op_script scripts[] = {
    {.ops = "PyFunc",
     .nodes = {"x = Feed({float [2] 1 nan})",
               "y = PyFunc([x, {float [0,3]}]) token='double' Tin=[float,float] Tout=[float,float]",
               "one = PyFunc([x, x]) token='double' Tin=[float,float] Tout=[float]",
               "kind = PyFunc([x]) token='double' Tin=[float] Tout=[int32]",
               "fail = PyFunc([x]) token='fail' Tin=[float] Tout=[float]",
               "none = PyFunc([x]) token='nothing' Tin=[float] Tout=[float]"},
     .runs = {"y y:1 one -> float [2] 2 nan | float [0,3] | float [2] 2 nan",
              "kind ! INVALID_ARGUMENT: 0-th value returned by double is float, but expects int32",
              "fail ! OUT_OF_RANGE: no more of this", "none ! INVALID_ARGUMENT"}},
    {.ops = "PyFuncStateless EagerPyFunc",
     .nodes = {"y = PyFuncStateless([{float [1] 3}]) token='double' Tin=[float] Tout=[float]",
               "z = EagerPyFunc([{float [] inf}]) token='double' Tin=[float] Tout=[float]",
               "s = PyFuncStateless([{float [0]}]) token='double' Tin=[float] Tout=[float]",
               "e = EagerPyFunc([{float [0]}]) token='double' Tin=[float] Tout=[float]"},
     .runs = {"y z s e -> float [1] 6 | float [] inf | float [0] | float [0]"}},
};

/* Without a function. */
static const struct op_script without[] = {
    {.ops = "PyFunc",
     .nodes = {"x = Feed({float [2] 1 nan})",
               "y = PyFunc([x]) token='double' Tin=[float] Tout=[float]"},
     .runs = {"y ! FAILED_PRECONDITION: Function double is not here"}},
};

int main(int argc, char **argv)
{
    static char data[] = "mine";
    int before = op_scripts_main(without, ARRAY_LEN(without), argc, argv);
    leat_set_py_func_hook(call, data);
    return op_scripts_main(scripts, ARRAY_LEN(scripts), argc, argv) || before;
}
