/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: the polygamma and zeta functions. */
#include "op_case.h"

/* clang-format off */
static const struct op_case cases[] = {
    {.op = "Polygamma", .in = {"double [4] 0 1 2 5", "double [4] 0.5 1.5 3 2"}, .out = {"double [4] -1.9635100260214227 0.9348022005446793 -0.15411380631918856 2.081167438133896"}, .grad = 2, .rel = 1e-10},
    {.op = "Polygamma", .in = {"float [5] 1 nan 1 -1 0.5", "float [5] nan 1 inf 2 1"}, .out = {"float [5] nan nan"}},
    {.op = "Polygamma", .in = {"float [0]", "float [0]"}, .out = {"float [0]"}},
    {.op = "Zeta", .in = {"double [4] 2 3 1.5 6", "double [4] 0.5 1.5 3 2"}, .out = {"double [4] 4.93480220054468 0.41439832211716005 1.2588219580922144 0.017343061984449137"}, .grad = 2, .rel = 1e-10},
    {.op = "Zeta", .in = {"float [5] 2 nan 1 0.5 3", "float [5] nan 1 2 2 inf"}, .out = {"float [5] nan nan inf nan"}},
    {.op = "Zeta", .in = {"float [0]", "float [0]"}, .out = {"float [0]"}},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
