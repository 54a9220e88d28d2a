/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: incomplete gamma and beta functions, numbers next to others. */
#include "op_case.h"

/* clang-format off */
static const struct op_case cases[] = {
    {.op = "Igamma", .in = {"double [5] 0.001 5 100 50 1", "double [5] 0.001 5 50 100 0.5"},
     .out = {"double [5] 0.9936876467088602 0.5595067149347875 3.2000653245850286e-10 0.9999999882154993 0.3934693402873665"}, .rel = 1e-10},
    {.op = "Igamma", .in = {"double [3] 0.7 2 5", "double [3] 1.2 0.5 9"}, .out = {"double [3] ~"}, .grad = 3},
    {.op = "Igamma", .in = {"float [10] 1 0 -1 1 1 inf inf nan 1 0", "float [10] 0 1 1 -1 inf 1 0 1 nan 0"},
     .out = {"float [10] 0 nan nan nan 1 nan 0 nan nan 0"}},
    {.op = "Igamma", .in = {"double [2,1] 1 1e6", "double [2] 1e300 1"}, .out = {"double [2,2] 1 0.6321205588285577 1 0"}, .note = "broadcast"},
    {.op = "Igamma", .in = {"float [0]", "float []  1"}, .out = {"float [0]"}},
    {.op = "Igammac", .in = {"double [4] 0.001 5 50 2", "double [4] 0.001 5 100 700"},
     .out = {"double [4] 0.006312353291139772 0.44049328506521224 1.1784500720979781e-08 6.911633257175853e-302"}, .rel = 1e-10},
    {.op = "Igammac", .in = {"double [3] 0.7 2 5", "double [3] 1.2 0.5 9"}, .out = {"double [3] ~"}, .grad = 3},
    {.op = "Igammac", .in = {"float [7] 1 0 -1 1 1 inf 0", "float [7] 0 1 1 -1 inf inf 0"},
     .out = {"float [7] 1 nan nan nan 0 0 nan"}},
    {.op = "Igammac", .in = {"float [2,0]", "float [2,1] 1"}, .out = {"float [2,0]"}},
    {.op = "IgammaGradA", .in = {"double [5] 0.001 5 100 50 1", "double [5] 0.001 5 50 100 0.5"},
     .out = {"double [5] -6.293203824900423 -0.18141910926729718 -2.2638123183013858e-10 -8.506063018982811e-09 -0.4894575761023785"}, .rel = 1e-10},
    {.op = "IgammaGradA", .in = {"float [8] 1 0 -1 1 1 inf inf nan", "float [8] 0 1 1 -1 inf 1 0 1"},
     .out = {"float [8] 0 nan nan nan 0 nan 0 nan"}},
    {.op = "IgammaGradA", .in = {"float [0]", "float [0]"}, .out = {"float [0]"}},
    {.op = "RandomGammaGrad", .in = {"double [5] 0.001 5 100 50 2", "double [5] 0.001 5 50 100 700"},
     .out = {"double [5] 6.339511118616953 1.0339193521127084 0.6942849311452942 1.3908543540860947 6.138481317854029"}, .rel = 1e-10},
    {.op = "RandomGammaGrad", .in = {"float [8] 1 0 -1 1 1 inf inf nan", "float [8] 0 1 1 -1 inf 1 0 1"},
     .out = {"float [8] 0 nan nan nan 0 nan 0 nan"}},
    {.op = "RandomGammaGrad", .in = {"float [0]", "float [0]"}, .out = {"float [0]"}},
    {.op = "Betainc", .in = {"double [5] 1 0.001 0.5 2 30", "double [5] 2 0.001 0.5 3 20", "double [5] 0.5 0.3 1e-10 0.999999999 0.6"},
     .out = {"double [5] 0.75 0.49957696213967645 6.366197723781906e-06 0.9999999999999999 0.49229980034234355"}, .rel = 1e-10},
    {.op = "Betainc", .in = {"double [3] 1 2 0.5", "double [3] 2 3 0.7", "double [3] 0.5 0.3 0.1"},
     .out = {"double [3] 0.75 0.3483 0.25502526668462616"}, .grad = 4, .rel = 1e-9},
    {.op = "Betainc", .in = {"float [12] 0 1 1 1 1 1 nan 1 inf 1 1 0", "float [12] 1 0 1 1 1 1 1 1 1 inf 1 1", "float [12] 0.5 0.5 0 1 -0.1 1.1 0.5 nan 0.5 0.5 inf 0"},
     .out = {"float [12] nan nan 0 1 nan nan nan nan nan nan nan nan"}},
    {.op = "Betainc", .in = {"double [] 1", "double [] 2", "double [3] 0.5 0 1"}, .out = {"double [3] 0.75 0 1"}},
    {.op = "Betainc", .in = {"double [2] 1", "double [] 2", "double [2] 0.5"}, .out = {"double [2] 0.75"}},
    {.op = "Betainc", .in = {"double [2] 1", "double [2] 2", "double [] 0.5"}, .out = {"double [2] 0.75"}, .grad = 4},
    {.op = "Betainc", .in = {"? double [] 1", "? double [] 2", "? double [] 0.5"}, .out = {"double [] 0.75"}},
    {.op = "Betainc", .in = {"float [0]", "float []", "float [0]"}, .out = {"float [0]"}},
    {.op = "Betainc", .in = {"? float [2] 1", "? float [1] 1", "float [2] 1"}, .error = "INVALID_ARGUMENT: Shapes of a and b are inconsistent: [2] vs. [1]"},
    {.op = "Betainc", .in = {"float [2] 1", "float [1] 1", "float [2] 1"}, .error = "INVALID_ARGUMENT"},
    {.op = "NextAfter", .in = {"float [4] 1 0 -1 2", "float [4] 2 -1 -1 1"}, .out = {"float [4] 1.00000011920928955 -1.40129846e-45 -1 1.99999988079071045"}, .rel = 1e-9},
    {.op = "NextAfter", .in = {"double [2,1] 1 4", "double [2] 2 3"}, .out = {"double [2,2] 1.0000000000000002 1.0000000000000002 3.9999999999999996 3.9999999999999996"}, .rel = 1e-16, .grad = 3},
    {.op = "NextAfter", .in = {"float [3] nan inf 1", "float [3] 1 0 nan"}, .out = {"float [3] nan 3.40282347e38 nan"}},
    {.op = "NextAfter", .in = {"float [0]", "float []"}, .out = {"float [0]"}},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
