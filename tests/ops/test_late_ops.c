/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: Bessel functions, running logarithms of sums, slices updated, marks for debuggers,
 * transforms under their old names. */
#include "op_case.h"

/* clang-format off */
static const struct op_case cases[] = {
    {.op = "BesselI0e", .in = {"float [10] 0 1 -1 10 8 100 nan inf -inf 1e30"}, .out = {"float [10] 1 0.46575963 0.46575963 0.12783334 0.14343180 0.039944377 nan 0 0 3.9894227e-16"}},
    {.op = "BesselI0e", .in = {"double [5] 0.5 29.99 30 -2 700"}, .out = {"double [5] 0.6450352704491501 0.07315 0.07315 0.30850832255367105 0.0150813"}, .rel = 2e-3, .grad = 1},
    {.op = "BesselI0e", .in = {"half [0]"}, .out = {"half [0]"}},
    {.op = "BesselI1e", .in = {"float [9] 0 1 -1 10 8 100 nan inf 1e30"}, .out = {"float [9] 0 0.207910419 -0.207910419 0.121262684 0.134142622 0.0397441536 nan 0 3.98942301e-16"}},
    {.op = "BesselI1e", .in = {"double [3] 0.5 -2 40"}, .out = {"double [3] 0.15642080318487165 -0.21526928924893771 0.0624848"}, .rel = 1e-4, .grad = 1},
    {.op = "BesselI1e", .in = {"double [0,2]"}, .out = {"double [0,2]"}},
    {.op = "CumulativeLogsumexp", .in = {"float [2,3] 1 2 3 -1 inf 0", "const int32 [] 1"}, .out = {"float [2,3] 1 2.3132617 3.4076061 -1 inf inf"}},
    {.op = "CumulativeLogsumexp", .attrs = "reverse=true", .in = {"float [2,3] 1 2 3 -1 inf 0", "int64 [] -1"}, .out = {"float [2,3] 3.4076061 3.3132617 3 inf inf 0"}},
    {.op = "CumulativeLogsumexp", .attrs = "exclusive=true", .in = {"float [2,3] 1 2 3 -1 inf 0", "int32 [] 1"}, .out = {"float [2,3] -3.4028235e38 1 2.3132617 -3.4028235e38 -1 inf"}},
    {.op = "CumulativeLogsumexp", .attrs = "exclusive=true reverse=true", .in = {"float [3] 1 2 3", "int32 [] 0"}, .out = {"float [3] 3.3132617 3 -3.4028235e38"}},
    {.op = "CumulativeLogsumexp", .in = {"float [3] -inf -inf 1", "int32 [] 0"}, .out = {"float [3] -3.4028235e38 -3.4028235e38 1"}},
    {.op = "CumulativeLogsumexp", .in = {"float [3] 1 nan 1", "int32 [] 0"}, .out = {"float [3] 1 1.6931472 2.0986123"}},
    {.op = "CumulativeLogsumexp", .in = {"double [3,2] 1 2 3 4 0 -1", "int32 [] 0"}, .out = {"double [3,2] 1 2 3.1269280110429727 4.126928011042972 3.1698460195562856 4.1328452337275756"}, .rel = 1e-9, .grad = 1},
    {.op = "CumulativeLogsumexp", .in = {"half [2] 1 1", "int32 [] 0"}, .out = {"half [2] 1 1.693"}},
    {.op = "CumulativeLogsumexp", .in = {"float [0,3]", "int32 [] 0"}, .out = {"float [0,3]"}},
    {.op = "CumulativeLogsumexp", .in = {"float [2] 1", "int32 [] 1"}, .error = "INVALID_ARGUMENT: ScanOp: Expected scan axis in the range [-1, 1), but got 1"},
    {.op = "CumulativeLogsumexp", .in = {"float [2] 1", "? int32 [1] 0"}, .error = "INVALID_ARGUMENT: ScanOp: axis must be a scalar"},
    {.op = "TensorStridedSliceUpdate", .in = {"float [4] 1 2 nan 4", "int32 [1] 0", "int32 [1] 4", "int32 [1] 2", "float [2] 7 inf"}, .out = {"float [4] 7 2 inf 4"}},
    {.op = "TensorStridedSliceUpdate", .attrs = "shrink_axis_mask=1", .in = {"int64 [3] 1 2 3", "int64 [1] 1", "int64 [1] 2", "int64 [1] 1", "int64 [] 7"}, .out = {"int64 [3] 1 7 3"}},
    {.op = "TensorStridedSliceUpdate", .in = {"float [0]", "int32 [1] 0", "int32 [1] 2", "int32 [1] 1", "float [0]"}, .out = {"float [0]"}},
    {.op = "TensorStridedSliceUpdate", .in = {"float [3] 1 2 3", "int32 [1] 0", "int32 [1] 2", "int32 [1] 1", "float [1] 7"}, .error = "UNIMPLEMENTED: sliced l-value shape [2] does not match r-value shape [1]"},
    {.op = "DebugGradientIdentity", .in = {"double [2] 1 nan"}, .out = {"double [2] 1 nan"}},
    {.op = "DebugGradientIdentity", .in = {"double [2] 1 2"}, .out = {"double [2] 1 2"}, .grad = 1},
    {.op = "DebugGradientIdentity", .in = {"string [0]"}, .out = {"string [0]"}},
    {.op = "DebugGradientRefIdentity", .in = {"var float [2] 1 nan"}, .out = {"float [2] 1 nan", "float [2] 1 nan"}},
    {.op = "DebugGradientRefIdentity", .in = {"var float [0]"}, .out = {"float [0]", "float [0]"}},
    {.op = "HostConst", .attrs = "dtype=float value=(float [2] 1 nan)", .out = {"float [2] 1 nan"}},
    {.op = "HostConst", .attrs = "dtype=int32 value=(int32 [0])", .out = {"int32 [0]"}},
    {.op = "HostConst", .attrs = "dtype=float value=(int32 [1] 1)", .error = "INVALID_ARGUMENT: Type mismatch between value"},
    {.op = "BatchFFT", .producer = 14, .in = {"complex64 [2,2] 1 2 3 4"}, .out = {"complex64 [2,2] 3 -1 7 -1"}},
    {.op = "BatchIFFT", .producer = 14, .in = {"complex64 [2] 3 -1"}, .out = {"complex64 [2] 1 2"}},
    {.op = "BatchFFT2D", .producer = 14, .in = {"complex64 [2,2] 1 2 3 4"}, .out = {"complex64 [2,2] 10 -2 -4 0"}, .abs = 1e-6},
    {.op = "BatchIFFT2D", .producer = 14, .in = {"complex64 [2,2] 10 -2 -4 0"}, .out = {"complex64 [2,2] 1 2 3 4"}},
    {.op = "BatchFFT3D", .producer = 14, .in = {"complex64 [1,2,2] 1 2 3 4"}, .out = {"complex64 [1,2,2] 10 -2 -4 0"}, .abs = 1e-6},
    {.op = "BatchIFFT3D", .producer = 14, .in = {"complex64 [1,2,2] 10 -2 -4 0"}, .out = {"complex64 [1,2,2] 1 2 3 4"}},
    {.op = "BatchFFT", .producer = 14, .in = {"complex64 [0,2,2]"}, .out = {"complex64 [0,2,2]"}},
    {.op = "BatchIFFT", .producer = 14, .in = {"complex64 [0,2,2]"}, .out = {"complex64 [0,2,2]"}},
    {.op = "BatchFFT2D", .producer = 14, .in = {"complex64 [0,2,2]"}, .out = {"complex64 [0,2,2]"}},
    {.op = "BatchIFFT2D", .producer = 14, .in = {"complex64 [0,2,2]"}, .out = {"complex64 [0,2,2]"}},
    {.op = "BatchFFT3D", .producer = 14, .in = {"complex64 [0,2,2]"}, .out = {"complex64 [0,2,2]"}},
    {.op = "BatchIFFT3D", .producer = 14, .in = {"complex64 [0,2,2]"}, .out = {"complex64 [0,2,2]"}},
    {.op = "BatchIFFT", .producer = 14, .in = {"complex64 [2] nan 1"}, .out = {"complex64 [2] nan+0i nan-0i"}, .note = "not finite"},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
