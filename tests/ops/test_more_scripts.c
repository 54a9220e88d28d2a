/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: ops that make sense in company alone, of several families. */
#include "op_script.h"

#include "op_case.h"

static const struct op_script scripts[] = {
    {.ops = "RandomGamma RandomGammaGrad",
     .nodes = {"a = Feed({double [3] 0.5 1 7})",
               "y = RandomGamma({int32 [1] 2}, a) seed=87654321 seed2=4", "z = Square(y)",
               "d = Gradient(z, a)"},
     .runs = {"d -> double [3] 0.18599777664270492 7.8684766047537984 30.8318195132272"}},
};

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, ARRAY_LEN(scripts), argc, argv);
}
