/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: gradients of the Fourier transforms of real numbers, by TensorFlow's values. */
#include "op_case.h"
#include "op_script.h"

static const struct op_script scripts[] = {
    {.ops = "RFFT",
     .nodes = {"x = Feed({float [5] 1 2 -3 4 0.5})", "y = RFFT(x, {int32 [1] 5})", "z = Mul(y, y)",
               "r = Real(z)", "dx = Gradient(r, x)", "w = RFFT(x, {int32 [1] 4})", "v = Mul(w, w)",
               "i = Imag(v)", "dw = Gradient(i, x)"},
     .runs = {"dx -> float [5] 9.5 7 24.5 -10.5 14.5", "dw -> float [5] ~"}},
    {.ops = "IRFFT",
     .nodes = {"x = Feed({float [4] 1 2 -3 4})", "c = Complex(x, {float [4] 0.5 -1 2 3})",
               "y = IRFFT(c, {int32 [1] 6})", "z = Mul(y, y)", "dx = Gradient(z, x)",
               "w = IRFFT(c, {int32 [1] 5})", "v = Mul(w, w)", "dw = Gradient(v, x)"},
     .runs = {"dx -> float [4] 0.333333313 1.33333337 -2 1.33333337", "dw -> float [4] ~"}},
    {.ops = "RFFT2D",
     .nodes = {"x = Feed({float [2,3] 1 2 -3 4 0.5 6})", "y = RFFT2D(x, {int32 [2] 2 3})",
               "z = Mul(y, y)", "r = Real(z)", "dx = Gradient(r, x)"},
     .runs = {"dx -> float [2,3] 6 -18 12 45 57 24"}},
    {.ops = "IRFFT2D",
     .nodes = {"x = Feed({float [2,3] 1 2 -3 4 0.5 6})",
               "c = Complex(x, {float [2,3] 0.5 -1 2 3 1 0})", "y = IRFFT2D(c, {int32 [2] 2 4})",
               "z = Mul(y, y)", "dx = Gradient(z, x)"},
     .runs = {"dx -> float [2,3] 0.25 1 -0.75 1 0.25 1.5"}},
};

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, ARRAY_LEN(scripts), argc, argv);
}
