/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: Fourier transforms. */
#include "op_case.h"

static const struct op_case cases[] = {
    {.op = "FFT",
     .in = {"complex64 [2,4] 1 2 3 4 1 0 0 0"},
     .out = {"complex64 [2,4] 10 -2+2i -2 -2-2i 1 1 1 1"}},
    {.op = "IFFT",
     .in = {"complex128 [4] 10 -2+2i -2 -2-2i"},
     .out = {"complex128 [4] 1 2 3 4"},
     .abs = 1e-12},
    {.op = "FFT",
     .in = {"complex128 [3] 1 2 3"},
     .out = {"complex128 [3] 6 -1.5+0.8660254037844386i -1.5-0.8660254037844386i"},
     .abs = 1e-12,
     .note = "not a power of two"},
    {.op = "FFT2D", .in = {"complex64 [2,2] 1 2 3 4"}, .out = {"complex64 [2,2] 10 -2 -4 0"}},
    {.op = "FFT3D", .in = {"complex64 [1,1,1] 3+1i"}, .out = {"complex64 [1,1,1] 3+1i"}},
    {.op = "FFT", .in = {"complex64 [4,0]"}, .out = {"complex64 [4,0]"}},
    {.op = "FFT", .in = {"? complex64 [] 1"}, .error = "INVALID_ARGUMENT: rank of at least 1"},
    {.op = "RFFT",
     .in = {"float [2,3] 0 1 2 3 4 5", "const int32 [1] 2"},
     .out = {"complex64 [2,2] 1 -1 7 -1"}},
    {.op = "IRFFT",
     .in = {"complex64 [2,3] 0 1 2 3 4 5", "? int32 [1] 4"},
     .out = {"float [2,4] 1 -0.5 0 -0.5 4 -0.5 0 -0.5"}},
    {.op = "RFFT",
     .in = {"float [3] 1", "int32 [1] 4"},
     .error = "INVALID_ARGUMENT: must have length of at least 4 but got: 3"},
    {.op = "RFFT", .in = {"float [3] 1", "int32 [1] -1"}, .error = "INVALID_ARGUMENT"},
    {.op = "RFFT", .in = {"float [3] 1", "int32 [1] 0"}, .out = {"complex64 [0]"}},
    {.op = "RFFT2D", .in = {"float [3] 1", "? int32 [2] 1"}, .error = "INVALID_ARGUMENT"},
    {.op = "RFFT",
     .in = {"float [3] 1", "? int32 [2] 1"},
     .error = "INVALID_ARGUMENT: fft_length must have shape [1]"},
};

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
