/* SPDX-License-Identifier: Apache-2.0 */
/* Optionals: with values and without, what does not fit, sums, zeros, gradients. */
#include "op_case.h"
#include "op_script.h"

static const struct op_script scripts[] = {
    {.ops = "OptionalFromValue OptionalHasValue OptionalGetValue OptionalNone",
     .nodes = {"o = OptionalFromValue([{double [2] 1 nan}, {string [0]}])", "n = OptionalNone()",
               "h = OptionalHasValue(o)", "hn = OptionalHasValue(n)",
               "g = OptionalGetValue(o) output_types=[double,string] output_shapes=[[2],[0]]",
               "gu = OptionalGetValue(o) output_types=[double,string] output_shapes=[[-1],[-1]]",
               "gn = OptionalGetValue(n) output_types=[double] output_shapes=[[]]",
               "gc = OptionalGetValue(o) output_types=[double] output_shapes=[[2]]",
               "gt = OptionalGetValue(o) output_types=[float,string] output_shapes=[[2],[0]]",
               "gs = OptionalGetValue(o) output_types=[double,string] output_shapes=[[3],[0]]"},
     .runs = {"h hn -> bool [] 1 | bool [] 0",
              "g g:1 gu gu:1 -> double [2] 1 nan | string [0] | double [2] 1 nan | string [0]",
              "gn ! INVALID_ARGUMENT: The given optional does not have a value.",
              "gc ! INVALID_ARGUMENT: The given optional has 2 components, expected 1",
              "gt ! INVALID_ARGUMENT: The given optional does not match the expected type for "
              "component 0. Expected: float. Actual: double.",
              "gs ! INVALID_ARGUMENT: The given optional does not match the expected shape for "
              "component 0. Expected: [3]. Actual: [2]."}},
    {.ops = "OptionalHasValue OptionalGetValue",
     .nodes =
         {"e = EmptyTensorList({int32 [] -1}, {int32 [] 1}) element_dtype=float shape_type=int32",
          "h = OptionalHasValue(e)",
          "g = OptionalGetValue(e) output_types=[float] output_shapes=[[]]", "n = OptionalNone()",
          "p = Pack([n, n])", "hp = OptionalHasValue(p)"},
     .runs = {"h ! INVALID_ARGUMENT: Input to OptionalHasValue must be an OptionalVariant object.",
              "g ! INVALID_ARGUMENT: Input to OptionalHasValue must be an OptionalVariant object.",
              "hp ! INVALID_ARGUMENT: Input to OptionalHasValue must be a scalar tensor containing "
              "an OptionalVariant object."}},
    {.ops = "OptionalGetValue",
     .nodes = {"n = OptionalNone()",
               "g = OptionalGetValue(n) output_types=[float,float] output_shapes=[[2]]"},
     .runs = {"building ! INVALID_ARGUMENT: `output_shapes` must be the same length as "
              "`output_types` (1 vs. 2"}},
    {.ops = "OptionalFromValue OptionalGetValue OptionalNone",
     .nodes = {"x = Feed({double [2] 2 3})",
               "y = Mul(x, x)",
               "o = OptionalFromValue([x, y])",
               "g = OptionalGetValue(o) output_types=[double,double] output_shapes=[[2],[2]]",
               "z = Mul(g, g:1)",
               "dz = Gradient(z, x)",
               "ddz = Gradient(dz, x)",
               "q = OptionalFromValue([x, {double [2] 1 2}])",
               "s = AddN([o, q])",
               "gs = OptionalGetValue(s) output_types=[double,double] output_shapes=[[2],[2]]",
               "zl = ZerosLike(o)",
               "gz = OptionalGetValue(zl) output_types=[double,double] output_shapes=[[2],[2]]",
               "n = OptionalNone()",
               "sn = AddN([o, n])",
               "h = OptionalHasValue(sn)",
               "nn = AddN([n, n])",
               "hnn = OptionalHasValue(nn)",
               "zn = ZerosLike(n)",
               "hzn = OptionalHasValue(zn)",
               "one = OptionalFromValue([x])",
               "so = AddN([o, one])",
               "hso = OptionalHasValue(so)"},
     .runs =
         {"z dz ddz -> double [2] 8 27 | double [2] 12 27 | double [2] 12 18",
          "gs gs:1 gz gz:1 -> double [2] 4 6 | double [2] 5 11 | double [2] 0 0 | double [2] 0 0",
          "h ! INVALID_ARGUMENT: Cannot add optionals because one has a value and the other "
          "doesn't.",
          "hnn hzn -> bool [] 0 | bool [] 0",
          "hso ! INVALID_ARGUMENT: Cannot add optionals because they have different numbers of "
          "components (2 vs. 1)."}},
};

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, ARRAY_LEN(scripts), argc, argv);
}
