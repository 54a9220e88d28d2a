/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: ops of the debugger. */
#include "op_case.h"

/* clang-format off */
#define NAMED "tensor_name='a:0'"
static const struct op_case cases[] = {
    {.op = "DebugIdentity", .attrs = NAMED, .in = {"float [2] 1 nan"}, .out = {"float [2] 1 nan"}},
    {.op = "DebugIdentity", .attrs = "tensor_name='a'", .in = {"string [0]"}, .out = {"string [0]"}},
    {.op = "DebugIdentity", .attrs = NAMED, .in = {"double [0,2]"}, .out = {"double [0,2]"}},
    {.op = "DebugIdentity", .in = {"float [] 1"}, .error = "INVALID_ARGUMENT: Failed to parse tensor name: \"\""},
    {.op = "DebugIdentity", .attrs = "tensor_name='a:x'", .in = {"float [] 1"}, .error = "INVALID_ARGUMENT: Invalid string value for output slot: \"x\""},
    {.op = "DebugIdentity", .attrs = NAMED " debug_urls=['foo://x']", .in = {"float [] 1"}, .error = "UNAVAILABLE: Invalid debug target URL: foo://x"},
    {.op = "DebugIdentity", .attrs = NAMED " debug_urls=['grpc://x:1']", .in = {"float [] 1"}, .error = "UNIMPLEMENTED"},
    {.op = "DebugIdentity", .attrs = NAMED " debug_urls=['file:///dev/null/x']", .in = {"float [] 1"}, .error = "INTERNAL: Publishing to 1 of 1 debug target URLs failed"},
    {.op = "DebugIdentity", .attrs = NAMED " debug_urls=['file://']", .in = {"float [] 1"}, .error = "INTERNAL: Publishing to"},
    {.op = "DebugIdentity", .attrs = NAMED " gated_grpc=true debug_urls=['grpc://x:1']", .in = {"? float [2] 1 2"}, .out = {"float [0]"}},
    {.op = "DebugNumericSummary", .attrs = NAMED " gated_grpc=true debug_urls=['grpc://x:1']", .in = {"float [2] 1 2"}, .out = {"double [0]"}},
    {.op = "DebugNanCount", .attrs = NAMED " gated_grpc=true debug_urls=['grpc://x:1']", .in = {"float [2] 1 2"}, .out = {"int64 [0]"}},
    {.op = "DebugNanCount", .attrs = NAMED, .in = {"float [2,3] 1 nan inf -inf nan 0"}, .out = {"int64 [1] 2"}},
    {.op = "DebugNanCount", .attrs = NAMED, .in = {"half [2] nan 1"}, .out = {"int64 [1] 1"}},
    {.op = "DebugNanCount", .attrs = NAMED, .in = {"int32 [2] 1 2"}, .out = {"int64 [1] 0"}},
    {.op = "DebugNanCount", .attrs = NAMED, .in = {"float [0]"}, .out = {"int64 [1] 0"}},
    {.op = "DebugNumericSummary", .attrs = NAMED, .in = {"float [7] 1 nan inf -inf 0 -3 5"}, .out = {"double [15] 1 7 1 1 1 1 2 1 -3 5 0.75 8.1875 1 1 7"}},
    {.op = "DebugNumericSummary", .attrs = NAMED " lower_bound=-3.0 upper_bound=5.0", .in = {"float [7] 1 nan inf -inf 0 -3 5"}, .out = {"double [15] 1 7 1 2 0 1 1 2 -3 5 0.75 8.1875 1 1 7"}},
    {.op = "DebugNumericSummary", .attrs = NAMED, .in = {"float [2,0]"}, .out = {"double [16] 1 0 0 0 0 0 0 0 inf -inf nan nan 1 2 2 0"}},
    {.op = "DebugNumericSummary", .attrs = NAMED, .in = {"int8 [2,2] 1 2 3 -4"}, .out = {"double [16] 1 4 0 0 1 0 3 0 -4 3 0.5 7.25 6 2 2 2"}},
    {.op = "DebugNumericSummary", .attrs = NAMED, .in = {"bool [3] 1 0 1"}, .out = {"double [15] 1 3 0 0 0 1 2 0 0 1 0.6666666666666666 0.22222222222222224 10 1 3"}},
    {.op = "DebugNumericSummary", .attrs = NAMED " mute_if_healthy=true", .in = {"double [] 2"}, .out = {"double [14] 1 1 0 0 0 0 1 0 2 2 2 0 2 0"}},
    {.op = "Copy", .attrs = "debug_ops_spec=['DebugIdentity;grpc://x;0']", .in = {"float [2] nan 1"}, .out = {"float [2] nan 1"}},
    {.op = "Copy", .in = {"string [1] 'a'"}, .out = {"string [1] 'a'"}},
    {.op = "Copy", .in = {"float [0]"}, .out = {"float [0]"}},
    {.op = "CopyHost", .in = {"float [2] 1 -inf"}, .out = {"float [2] 1 -inf"}},
    {.op = "CopyHost", .in = {"int32 [0,1]"}, .out = {"int32 [0,1]"}},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
