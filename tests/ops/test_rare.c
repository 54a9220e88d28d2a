/* SPDX-License-Identifier: Apache-2.0 */
/* Rows: normalisation with given statistics, neighbours, fingerprints of examples. */
#include "op_case.h"

#define X "[1,2,2,2] 0 1 2 3 4 5 6 7"
#define ATTRS "variance_epsilon=0.1 scale_after_normalization="
#define GLOBAL .op = "BatchNormWithGlobalNormalization", .producer = 8
#define GRAD .op = "BatchNormWithGlobalNormalizationGrad", .producer = 8

/* clang-format off */
static const struct op_case cases[] = {
    {GLOBAL, .attrs = ATTRS "true", .in = {"float " X, "float [2] 1 2", "float [2] 4 9", "float [2] 0.5 -1", "float [2] 2 3"},
     .out = {"float [1,2,2,2] -0.48772960 -1.9944904 1.4877295 -0.0055096745 3.4631889 1.9834709 5.4386482 3.9724517"}},
    {GLOBAL, .attrs = ATTRS "false", .in = {"float " X, "float [2] 1 2", "float [2] 4 9", "float [2] 0.5 -1", "float [2] 2 3"},
     .out = {"float [1,2,2,2] 0.0061351955 -1.3314967 0.99386477 -0.66850322 1.9815944 -0.0055096745 2.9693241 0.65748381"}},
    {GLOBAL, .attrs = ATTRS "true", .in = {"double " X, "double [2] 1 2", "double [2] 4 9", "double [2] 0.5 -1", "double [2] 2 3"},
     .out = {"double [1,2,2,2] ~"}, .grad = 31},
    {GLOBAL, .attrs = ATTRS "true", .in = {"float [1,1,1,2] nan inf", "float [2] 1 2", "float [2] 4 9", "float [2] 0.5 -1", "float [2] 2 3"}, .out = {"float [1,1,1,2] nan inf"}},
    {GLOBAL, .attrs = ATTRS "true", .in = {"half [0,2,2,1]", "half [1] 1", "half [1] 1", "half [1] 1", "half [1] 1"}, .out = {"half [0,2,2,1]"}},
    {GLOBAL, .attrs = ATTRS "true", .in = {"float [1,1,1,0]", "float [0]", "float [0]", "float [0]", "float [0]"}, .out = {"float [1,1,1,0]"}},
    {GLOBAL, .attrs = ATTRS "true", .in = {"? float " X, "? float [3] 1", "float [2] 4 9", "float [2] 0.5 -1", "float [2] 2 3"}, .error = "INVALID_ARGUMENT: mean must be 1-dimensional"},
    {GLOBAL, .attrs = ATTRS "true", .in = {"? float [2] 1", "float [2] 1", "float [2] 4 9", "float [2] 0.5 -1", "float [2] 2 3"}, .error = "INVALID_ARGUMENT: input must be 4-dimensional"},
    {GRAD, .attrs = ATTRS "true", .in = {"float " X, "float [2] 1 2", "float [2] 4 9", "float [2] 2 3", "float [1,2,2,2] 1 2 3 4 5 6 7 8"},
     .out = {"float [1,2,2,2] 0.98772961 1.9889807 2.9631889 3.9779613 4.9386482 5.9669418 6.9141073 7.9559226", "float [2] -15.803674 -19.889807", "float [2] -6.2636514 -3.2785397", "float [2] 16 20", "float [2] 25.680969 19.889807"}},
    {GRAD, .attrs = ATTRS "false", .in = {"float " X, "float [2] 1 2", "float [2] 4 9", "float [2] 2 3", "float [1,2,2,2] 1 2 3 4 5 6 7 8"},
     .out = {"float [1,2,2,2] 0.49386480 0.66299355 1.4815944 1.3259871 2.4693241 1.9889807 3.4570537 2.6519742", "float [2] -7.9018368 -6.6299353", "float [2] -3.1318257 -1.0928465", "float [2] 16 20", "float [2] 0 0"}},
    {GRAD, .attrs = ATTRS "true", .in = {"double [0,1,1,1]", "double [1] nan", "double [1] 1", "double [1] 1", "double [0,1,1,1]"},
     .out = {"double [0,1,1,1]", "double [1] 0", "double [1] 0", "double [1] 0", "double [1] 0"}},
    {GRAD, .attrs = ATTRS "true", .in = {"float [1,1,1,1] inf", "float [1] 0", "float [1] 0.9", "float [1] 1", "? float [1,1,2,1] 1"}, .error = "INVALID_ARGUMENT"},
    {.op = "SdcaFprint", .in = {"string [4] 'a' '' 'a longer string' 'b'"},
     .out = {"int64 [4,2] 7969074168056553668 5955762262185338209 4463240938071824939 4374473821787594281 -6363186361763844029 5970898568736735497 -852739764441125114 -6481146978075464015"}},
    {.op = "SdcaFprint", .in = {"string [0]"}, .out = {"int64 [0,2]"}},
    {.op = "SdcaFprint", .in = {"? string [1,1] 'a'"}, .error = "INVALID_ARGUMENT"},
    {.op = "SdcaShrinkL1", .attrs = "num_features=1 l1=0.2 l2=2.0", .in = {"*1 var float [5] 1 -2 0.05 nan -0.1"}, .out = {"float [5] 0.9 -1.9 0 nan 0"}},
    {.op = "SdcaShrinkL1", .attrs = "num_features=2 l1=0.2 l2=0.0", .in = {"*2 var float [2] 1 -2", "var float [0]"}, .out = {"float [2] 0 0", "float [0]"}},
    {.op = "NearestNeighbors", .in = {"float [2,2] 0 0 2 2", "float [4,2] 1 1 -1 -1 1 -1 1 1", "int64 [] 3"}, .out = {"int64 [2,3] 0 1 2 0 3 2", "float [2,3] 2 2 2 2 2 10"}},
    {.op = "NearestNeighbors", .in = {"float [2,2] 0 0 3 4", "float [2,2] 0 0 3 3", "int64 [] 9"}, .out = {"int64 [2,2] 0 1 1 0", "float [2,2] 0 18 1 25"}},
    {.op = "NearestNeighbors", .in = {"float [1,2] 0 nan", "float [2,2] 0 0 1 1", "int64 [] 2"}, .out = {"int64 [1,2] 0 1", "float [1,2] nan nan"}},
    {.op = "NearestNeighbors", .in = {"float [1,2] 0", "float [1,2] 0", "int64 [] 0"}, .out = {"int64 [1,0]", "float [1,0]"}},
    {.op = "NearestNeighbors", .in = {"float [2,0]", "float [2,0]", "int64 [] 1"}, .out = {"int64 [2,1] 0 0", "float [2,1] 0 0"}},
    {.op = "NearestNeighbors", .in = {"float [0,2]", "float [1,2] 0", "int64 [] 1"}, .error = "INVALID_ARGUMENT: Expected points.rows() > 0."},
    {.op = "NearestNeighbors", .in = {"float [1,2] 0", "float [0,2]", "int64 [] 1"}, .error = "INVALID_ARGUMENT: Expected centers.rows() > 0."},
    {.op = "NearestNeighbors", .in = {"float [1,2] 0", "float [1,1] 0", "int64 [] 1"}, .error = "INVALID_ARGUMENT: Expected point_dimensions == center_dimensions: 2 vs 1."},
    {.op = "NearestNeighbors", .in = {"float [1,2] 0", "float [1,2] 0", "int64 [] -1"}, .error = "INVALID_ARGUMENT: k must not be negative: -1"},
    {.op = "KMC2ChainInitialization", .in = {"float [10] 1 2 3 4 5 0.5 7 3 2 2", "int64 [] 0"}, .out = {"int64 [] 7"}},
    {.op = "KMC2ChainInitialization", .in = {"float [10] 1 2 3 4 5 0.5 7 3 2 2", "int64 [] 3"}, .out = {"int64 [] 9"}},
    {.op = "KMC2ChainInitialization", .in = {"float [1] nan", "int64 [] 3"}, .out = {"int64 [] 0"}},
    {.op = "KMC2ChainInitialization", .in = {"float [0]", "int64 [] 3"}, .error = "INVALID_ARGUMENT: there are no distances to walk over"},
    {.op = "KmeansPlusPlusInitialization", .in = {"float [3,2] 0 0 1 0 9 9", "int64 [] 3", "int64 [] 1", "int64 [] 2"}, .out = {"float [3,2] ~"}},
    {.op = "KmeansPlusPlusInitialization", .in = {"float [4,2] 1", "int64 [] 3", "int64 [] 1", "int64 [] -1"}, .out = {"float [3,2] 1"}},
    {.op = "KmeansPlusPlusInitialization", .in = {"float [2,1] nan", "int64 [] 2", "int64 [] 1", "int64 [] 0"}, .out = {"float [2,1] nan"}},
    {.op = "KmeansPlusPlusInitialization", .in = {"float [2,0]", "int64 [] 1", "int64 [] 1", "int64 [] 0"}, .out = {"float [1,0]"}},
    {.op = "KmeansPlusPlusInitialization", .in = {"float [0,2]", "int64 [] 0", "int64 [] 1", "int64 [] 0"}, .error = "INVALID_ARGUMENT: Expected points.rows() > 0."},
    {.op = "KmeansPlusPlusInitialization", .in = {"float [2,2] 1", "int64 [] 0", "int64 [] 1", "int64 [] 0"}, .error = "INVALID_ARGUMENT: Expected num_to_sample > 0."},
    {.op = "KmeansPlusPlusInitialization", .in = {"float [3,2] 1", "int64 [] 4", "int64 [] 1", "int64 [] 0"}, .error = "INVALID_ARGUMENT: Expected num_to_sample <= points.rows(). 4 vs 3."},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
