/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes that composites make, each with its op and inputs, against the graphs that TensorFlow
 * 1.15.5's Python makes of the same calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "leat/leat.h"

static TF_Graph *g;

/* clang-format off */
static const char *const want_adam_11[] = {
    "w/Initializer/zeros Const",
    "w VarHandleOp",
    "w/IsInitialized/VarIsInitializedOp VarIsInitializedOp w",
    "w/Assign AssignVariableOp w w/Initializer/zeros",
    "w/Read/ReadVariableOp ReadVariableOp w",
    "gv Const",
    "gi Const",
    "global_step/Initializer/zeros Const",
    "global_step VarHandleOp",
    "global_step/IsInitialized/VarIsInitializedOp VarIsInitializedOp global_step",
    "global_step/Assign AssignVariableOp global_step global_step/Initializer/zeros",
    "global_step/Read/ReadVariableOp ReadVariableOp global_step",
    "beta1_power/Initializer/initial_value Const",
    "beta1_power VarHandleOp",
    "beta1_power/IsInitialized/VarIsInitializedOp VarIsInitializedOp beta1_power",
    "beta1_power/Assign AssignVariableOp beta1_power beta1_power/Initializer/initial_value",
    "beta1_power/Read/ReadVariableOp ReadVariableOp beta1_power",
    "beta2_power/Initializer/initial_value Const",
    "beta2_power VarHandleOp",
    "beta2_power/IsInitialized/VarIsInitializedOp VarIsInitializedOp beta2_power",
    "beta2_power/Assign AssignVariableOp beta2_power beta2_power/Initializer/initial_value",
    "beta2_power/Read/ReadVariableOp ReadVariableOp beta2_power",
    "w/Adam/Initializer/zeros Const",
    "w/Adam VarHandleOp",
    "w/Adam/IsInitialized/VarIsInitializedOp VarIsInitializedOp w/Adam",
    "w/Adam/Assign AssignVariableOp w/Adam w/Adam/Initializer/zeros",
    "w/Adam/Read/ReadVariableOp ReadVariableOp w/Adam",
    "w/Adam_1/Initializer/zeros Const",
    "w/Adam_1 VarHandleOp",
    "w/Adam_1/IsInitialized/VarIsInitializedOp VarIsInitializedOp w/Adam_1",
    "w/Adam_1/Assign AssignVariableOp w/Adam_1 w/Adam_1/Initializer/zeros",
    "w/Adam_1/Read/ReadVariableOp ReadVariableOp w/Adam_1",
    "Adam/learning_rate Const",
    "Adam/beta1 Const",
    "Adam/beta2 Const",
    "Adam/epsilon Const",
    "Adam/update_w/Unique Unique gi",
    "Adam/update_w/Shape Shape Adam/update_w/Unique",
    "Adam/update_w/strided_slice/stack Const",
    "Adam/update_w/strided_slice/stack_1 Const",
    "Adam/update_w/strided_slice/stack_2 Const",
    "Adam/update_w/strided_slice StridedSlice Adam/update_w/Shape Adam/update_w/strided_slice/stack Adam/update_w/strided_slice/stack_1 Adam/update_w/strided_slice/stack_2",
    "Adam/update_w/UnsortedSegmentSum UnsortedSegmentSum gv Adam/update_w/Unique:1 Adam/update_w/strided_slice",
    "Adam/update_w/ReadVariableOp ReadVariableOp beta2_power",
    "Adam/update_w/sub/x Const",
    "Adam/update_w/sub Sub Adam/update_w/sub/x Adam/update_w/ReadVariableOp",
    "Adam/update_w/Sqrt Sqrt Adam/update_w/sub",
    "Adam/update_w/mul Mul Adam/learning_rate Adam/update_w/Sqrt",
    "Adam/update_w/ReadVariableOp_1 ReadVariableOp beta1_power",
    "Adam/update_w/sub_1/x Const",
    "Adam/update_w/sub_1 Sub Adam/update_w/sub_1/x Adam/update_w/ReadVariableOp_1",
    "Adam/update_w/truediv RealDiv Adam/update_w/mul Adam/update_w/sub_1",
    "Adam/update_w/sub_2/x Const",
    "Adam/update_w/sub_2 Sub Adam/update_w/sub_2/x Adam/beta1",
    "Adam/update_w/mul_1 Mul Adam/update_w/UnsortedSegmentSum Adam/update_w/sub_2",
    "Adam/update_w/ReadVariableOp_2 ReadVariableOp w/Adam",
    "Adam/update_w/mul_2 Mul Adam/update_w/ReadVariableOp_2 Adam/beta1",
    "Adam/update_w/AssignVariableOp AssignVariableOp w/Adam Adam/update_w/mul_2",
    "Adam/update_w/ReadVariableOp_3 ReadVariableOp w/Adam ^Adam/update_w/AssignVariableOp",
    "Adam/update_w/ResourceScatterAdd ResourceScatterAdd w/Adam Adam/update_w/Unique Adam/update_w/mul_1 ^Adam/update_w/AssignVariableOp",
    "Adam/update_w/ReadVariableOp_4 ReadVariableOp w/Adam ^Adam/update_w/AssignVariableOp ^Adam/update_w/ResourceScatterAdd",
    "Adam/update_w/mul_3 Mul Adam/update_w/UnsortedSegmentSum Adam/update_w/UnsortedSegmentSum",
    "Adam/update_w/sub_3/x Const",
    "Adam/update_w/sub_3 Sub Adam/update_w/sub_3/x Adam/beta2",
    "Adam/update_w/mul_4 Mul Adam/update_w/mul_3 Adam/update_w/sub_3",
    "Adam/update_w/ReadVariableOp_5 ReadVariableOp w/Adam_1",
    "Adam/update_w/mul_5 Mul Adam/update_w/ReadVariableOp_5 Adam/beta2",
    "Adam/update_w/AssignVariableOp_1 AssignVariableOp w/Adam_1 Adam/update_w/mul_5",
    "Adam/update_w/ReadVariableOp_6 ReadVariableOp w/Adam_1 ^Adam/update_w/AssignVariableOp_1",
    "Adam/update_w/ResourceScatterAdd_1 ResourceScatterAdd w/Adam_1 Adam/update_w/Unique Adam/update_w/mul_4 ^Adam/update_w/AssignVariableOp_1",
    "Adam/update_w/ReadVariableOp_7 ReadVariableOp w/Adam_1 ^Adam/update_w/AssignVariableOp_1 ^Adam/update_w/ResourceScatterAdd_1",
    "Adam/update_w/Sqrt_1 Sqrt Adam/update_w/ReadVariableOp_7",
    "Adam/update_w/mul_6 Mul Adam/update_w/truediv Adam/update_w/ReadVariableOp_4",
    "Adam/update_w/add AddV2 Adam/update_w/Sqrt_1 Adam/epsilon",
    "Adam/update_w/truediv_1 RealDiv Adam/update_w/mul_6 Adam/update_w/add",
    "Adam/update_w/AssignSubVariableOp AssignSubVariableOp w Adam/update_w/truediv_1",
    "Adam/update_w/ReadVariableOp_8 ReadVariableOp w ^Adam/update_w/AssignSubVariableOp",
    "Adam/update_w/group_deps NoOp ^Adam/update_w/AssignSubVariableOp ^Adam/update_w/ReadVariableOp_4 ^Adam/update_w/ReadVariableOp_7",
    "Adam/ReadVariableOp ReadVariableOp beta1_power ^Adam/update_w/group_deps",
    "Adam/mul Mul Adam/ReadVariableOp Adam/beta1",
    "Adam/AssignVariableOp AssignVariableOp beta1_power Adam/mul",
    "Adam/ReadVariableOp_1 ReadVariableOp beta1_power ^Adam/AssignVariableOp ^Adam/update_w/group_deps",
    "Adam/ReadVariableOp_2 ReadVariableOp beta2_power ^Adam/update_w/group_deps",
    "Adam/mul_1 Mul Adam/ReadVariableOp_2 Adam/beta2",
    "Adam/AssignVariableOp_1 AssignVariableOp beta2_power Adam/mul_1",
    "Adam/ReadVariableOp_3 ReadVariableOp beta2_power ^Adam/AssignVariableOp_1 ^Adam/update_w/group_deps",
    "Adam NoOp ^Adam/AssignVariableOp ^Adam/AssignVariableOp_1 ^Adam/update_w/group_deps",
    "again/learning_rate Const",
    "again/beta1 Const",
    "again/beta2 Const",
    "again/epsilon Const",
    "again/update_w/Unique Unique gi",
    "again/update_w/Shape Shape again/update_w/Unique",
    "again/update_w/strided_slice/stack Const",
    "again/update_w/strided_slice/stack_1 Const",
    "again/update_w/strided_slice/stack_2 Const",
    "again/update_w/strided_slice StridedSlice again/update_w/Shape again/update_w/strided_slice/stack again/update_w/strided_slice/stack_1 again/update_w/strided_slice/stack_2",
    "again/update_w/UnsortedSegmentSum UnsortedSegmentSum gv again/update_w/Unique:1 again/update_w/strided_slice",
    "again/update_w/ReadVariableOp ReadVariableOp beta2_power",
    "again/update_w/sub/x Const",
    "again/update_w/sub Sub again/update_w/sub/x again/update_w/ReadVariableOp",
    "again/update_w/Sqrt Sqrt again/update_w/sub",
    "again/update_w/mul Mul again/learning_rate again/update_w/Sqrt",
    "again/update_w/ReadVariableOp_1 ReadVariableOp beta1_power",
    "again/update_w/sub_1/x Const",
    "again/update_w/sub_1 Sub again/update_w/sub_1/x again/update_w/ReadVariableOp_1",
    "again/update_w/truediv RealDiv again/update_w/mul again/update_w/sub_1",
    "again/update_w/sub_2/x Const",
    "again/update_w/sub_2 Sub again/update_w/sub_2/x again/beta1",
    "again/update_w/mul_1 Mul again/update_w/UnsortedSegmentSum again/update_w/sub_2",
    "again/update_w/ReadVariableOp_2 ReadVariableOp w/Adam",
    "again/update_w/mul_2 Mul again/update_w/ReadVariableOp_2 again/beta1",
    "again/update_w/AssignVariableOp AssignVariableOp w/Adam again/update_w/mul_2",
    "again/update_w/ReadVariableOp_3 ReadVariableOp w/Adam ^again/update_w/AssignVariableOp",
    "again/update_w/ResourceScatterAdd ResourceScatterAdd w/Adam again/update_w/Unique again/update_w/mul_1 ^again/update_w/AssignVariableOp",
    "again/update_w/ReadVariableOp_4 ReadVariableOp w/Adam ^again/update_w/AssignVariableOp ^again/update_w/ResourceScatterAdd",
    "again/update_w/mul_3 Mul again/update_w/UnsortedSegmentSum again/update_w/UnsortedSegmentSum",
    "again/update_w/sub_3/x Const",
    "again/update_w/sub_3 Sub again/update_w/sub_3/x again/beta2",
    "again/update_w/mul_4 Mul again/update_w/mul_3 again/update_w/sub_3",
    "again/update_w/ReadVariableOp_5 ReadVariableOp w/Adam_1",
    "again/update_w/mul_5 Mul again/update_w/ReadVariableOp_5 again/beta2",
    "again/update_w/AssignVariableOp_1 AssignVariableOp w/Adam_1 again/update_w/mul_5",
    "again/update_w/ReadVariableOp_6 ReadVariableOp w/Adam_1 ^again/update_w/AssignVariableOp_1",
    "again/update_w/ResourceScatterAdd_1 ResourceScatterAdd w/Adam_1 again/update_w/Unique again/update_w/mul_4 ^again/update_w/AssignVariableOp_1",
    "again/update_w/ReadVariableOp_7 ReadVariableOp w/Adam_1 ^again/update_w/AssignVariableOp_1 ^again/update_w/ResourceScatterAdd_1",
    "again/update_w/Sqrt_1 Sqrt again/update_w/ReadVariableOp_7",
    "again/update_w/mul_6 Mul again/update_w/truediv again/update_w/ReadVariableOp_4",
    "again/update_w/add AddV2 again/update_w/Sqrt_1 again/epsilon",
    "again/update_w/truediv_1 RealDiv again/update_w/mul_6 again/update_w/add",
    "again/update_w/AssignSubVariableOp AssignSubVariableOp w again/update_w/truediv_1",
    "again/update_w/ReadVariableOp_8 ReadVariableOp w ^again/update_w/AssignSubVariableOp",
    "again/update_w/group_deps NoOp ^again/update_w/AssignSubVariableOp ^again/update_w/ReadVariableOp_4 ^again/update_w/ReadVariableOp_7",
    "again/ReadVariableOp ReadVariableOp beta1_power ^again/update_w/group_deps",
    "again/mul Mul again/ReadVariableOp again/beta1",
    "again/AssignVariableOp AssignVariableOp beta1_power again/mul",
    "again/ReadVariableOp_1 ReadVariableOp beta1_power ^again/AssignVariableOp ^again/update_w/group_deps",
    "again/ReadVariableOp_2 ReadVariableOp beta2_power ^again/update_w/group_deps",
    "again/mul_1 Mul again/ReadVariableOp_2 again/beta2",
    "again/AssignVariableOp_1 AssignVariableOp beta2_power again/mul_1",
    "again/ReadVariableOp_3 ReadVariableOp beta2_power ^again/AssignVariableOp_1 ^again/update_w/group_deps",
    "again NoOp ^again/AssignVariableOp ^again/AssignVariableOp_1 ^again/update_w/group_deps",
};
static const char *const want_mom_01[] = {
    "w/Initializer/zeros Const",
    "w VariableV2",
    "w/Assign Assign w w/Initializer/zeros",
    "w/read Identity w",
    "gv Const",
    "gi Const",
    "global_step/Initializer/zeros Const",
    "global_step VariableV2",
    "global_step/Assign Assign global_step global_step/Initializer/zeros",
    "global_step/read Identity global_step",
    "w/Momentum/Initializer/zeros Const",
    "w/Momentum VariableV2",
    "w/Momentum/Assign Assign w/Momentum w/Momentum/Initializer/zeros",
    "w/Momentum/read Identity w/Momentum",
    "Momentum/learning_rate Const",
    "Momentum/momentum Const",
    "Momentum/update_w/Unique Unique gi",
    "Momentum/update_w/Shape Shape Momentum/update_w/Unique",
    "Momentum/update_w/strided_slice/stack Const",
    "Momentum/update_w/strided_slice/stack_1 Const",
    "Momentum/update_w/strided_slice/stack_2 Const",
    "Momentum/update_w/strided_slice StridedSlice Momentum/update_w/Shape Momentum/update_w/strided_slice/stack Momentum/update_w/strided_slice/stack_1 Momentum/update_w/strided_slice/stack_2",
    "Momentum/update_w/UnsortedSegmentSum UnsortedSegmentSum gv Momentum/update_w/Unique:1 Momentum/update_w/strided_slice",
    "Momentum/update_w/SparseApplyMomentum SparseApplyMomentum w w/Momentum Momentum/learning_rate Momentum/update_w/UnsortedSegmentSum Momentum/update_w/Unique Momentum/momentum",
    "Momentum/update NoOp ^Momentum/update_w/SparseApplyMomentum",
    "Momentum/value Const ^Momentum/update",
    "Momentum AssignAdd global_step Momentum/value",
    "again/learning_rate Const",
    "again/momentum Const",
    "again/update_w/Unique Unique gi",
    "again/update_w/Shape Shape again/update_w/Unique",
    "again/update_w/strided_slice/stack Const",
    "again/update_w/strided_slice/stack_1 Const",
    "again/update_w/strided_slice/stack_2 Const",
    "again/update_w/strided_slice StridedSlice again/update_w/Shape again/update_w/strided_slice/stack again/update_w/strided_slice/stack_1 again/update_w/strided_slice/stack_2",
    "again/update_w/UnsortedSegmentSum UnsortedSegmentSum gv again/update_w/Unique:1 again/update_w/strided_slice",
    "again/update_w/SparseApplyMomentum SparseApplyMomentum w w/Momentum again/learning_rate again/update_w/UnsortedSegmentSum again/update_w/Unique again/momentum",
    "again NoOp ^again/update_w/SparseApplyMomentum",
};
static const char *const want_rmsc_10[] = {
    "w/Initializer/zeros Const",
    "w VarHandleOp",
    "w/IsInitialized/VarIsInitializedOp VarIsInitializedOp w",
    "w/Assign AssignVariableOp w w/Initializer/zeros",
    "w/Read/ReadVariableOp ReadVariableOp w",
    "gv Const",
    "global_step/Initializer/zeros Const",
    "global_step VarHandleOp",
    "global_step/IsInitialized/VarIsInitializedOp VarIsInitializedOp global_step",
    "global_step/Assign AssignVariableOp global_step global_step/Initializer/zeros",
    "global_step/Read/ReadVariableOp ReadVariableOp global_step",
    "w/RMSProp/Initializer/ones Const",
    "w/RMSProp VarHandleOp",
    "w/RMSProp/IsInitialized/VarIsInitializedOp VarIsInitializedOp w/RMSProp",
    "w/RMSProp/Assign AssignVariableOp w/RMSProp w/RMSProp/Initializer/ones",
    "w/RMSProp/Read/ReadVariableOp ReadVariableOp w/RMSProp",
    "w/RMSProp_1/Initializer/zeros Const",
    "w/RMSProp_1 VarHandleOp",
    "w/RMSProp_1/IsInitialized/VarIsInitializedOp VarIsInitializedOp w/RMSProp_1",
    "w/RMSProp_1/Assign AssignVariableOp w/RMSProp_1 w/RMSProp_1/Initializer/zeros",
    "w/RMSProp_1/Read/ReadVariableOp ReadVariableOp w/RMSProp_1",
    "w/RMSProp_2/Initializer/zeros Const",
    "w/RMSProp_2 VarHandleOp",
    "w/RMSProp_2/IsInitialized/VarIsInitializedOp VarIsInitializedOp w/RMSProp_2",
    "w/RMSProp_2/Assign AssignVariableOp w/RMSProp_2 w/RMSProp_2/Initializer/zeros",
    "w/RMSProp_2/Read/ReadVariableOp ReadVariableOp w/RMSProp_2",
    "RMSProp/learning_rate Const",
    "RMSProp/decay Const",
    "RMSProp/momentum Const",
    "RMSProp/epsilon Const",
    "RMSProp/update_w/ResourceApplyCenteredRMSProp ResourceApplyCenteredRMSProp w w/RMSProp_1 w/RMSProp w/RMSProp_2 RMSProp/learning_rate RMSProp/decay RMSProp/momentum RMSProp/epsilon gv",
    "RMSProp/update NoOp ^RMSProp/update_w/ResourceApplyCenteredRMSProp",
    "RMSProp/Const Const ^RMSProp/update",
    "RMSProp AssignAddVariableOp global_step RMSProp/Const",
    "again/learning_rate Const",
    "again/decay Const",
    "again/momentum Const",
    "again/epsilon Const",
    "again/update_w/ResourceApplyCenteredRMSProp ResourceApplyCenteredRMSProp w w/RMSProp_1 w/RMSProp w/RMSProp_2 again/learning_rate again/decay again/momentum again/epsilon gv",
    "again NoOp ^again/update_w/ResourceApplyCenteredRMSProp",
};
static const char *const want_loss_by[] = {
    "x Placeholder",
    "y Placeholder",
    "w Placeholder",
    "mean_squared_error/SquaredDifference SquaredDifference y x",
    "mean_squared_error/assert_broadcastable/weights Const",
    "mean_squared_error/assert_broadcastable/weights/shape Const",
    "mean_squared_error/assert_broadcastable/weights/rank Const",
    "mean_squared_error/assert_broadcastable/values/shape Const",
    "mean_squared_error/assert_broadcastable/values/rank Const",
    "mean_squared_error/assert_broadcastable/static_scalar_check_success NoOp",
    "mean_squared_error/Cast/x Const ^mean_squared_error/assert_broadcastable/static_scalar_check_success",
    "mean_squared_error/Mul Mul mean_squared_error/SquaredDifference mean_squared_error/Cast/x",
    "mean_squared_error/Const Const ^mean_squared_error/assert_broadcastable/static_scalar_check_success",
    "mean_squared_error/Sum Sum mean_squared_error/Mul mean_squared_error/Const",
    "mean_squared_error/num_present/Equal/y Const ^mean_squared_error/assert_broadcastable/static_scalar_check_success",
    "mean_squared_error/num_present/Equal Equal mean_squared_error/Cast/x mean_squared_error/num_present/Equal/y",
    "mean_squared_error/num_present/zeros_like Const ^mean_squared_error/assert_broadcastable/static_scalar_check_success",
    "mean_squared_error/num_present/ones_like/Shape Const ^mean_squared_error/assert_broadcastable/static_scalar_check_success",
    "mean_squared_error/num_present/ones_like/Const Const ^mean_squared_error/assert_broadcastable/static_scalar_check_success",
    "mean_squared_error/num_present/ones_like Fill mean_squared_error/num_present/ones_like/Shape mean_squared_error/num_present/ones_like/Const",
    "mean_squared_error/num_present/Select Select mean_squared_error/num_present/Equal mean_squared_error/num_present/zeros_like mean_squared_error/num_present/ones_like",
    "mean_squared_error/num_present/broadcast_weights/assert_broadcastable/weights/shape Const ^mean_squared_error/assert_broadcastable/static_scalar_check_success",
    "mean_squared_error/num_present/broadcast_weights/assert_broadcastable/weights/rank Const ^mean_squared_error/assert_broadcastable/static_scalar_check_success",
    "mean_squared_error/num_present/broadcast_weights/assert_broadcastable/values/shape Const ^mean_squared_error/assert_broadcastable/static_scalar_check_success",
    "mean_squared_error/num_present/broadcast_weights/assert_broadcastable/values/rank Const ^mean_squared_error/assert_broadcastable/static_scalar_check_success",
    "mean_squared_error/num_present/broadcast_weights/assert_broadcastable/static_scalar_check_success NoOp ^mean_squared_error/assert_broadcastable/static_scalar_check_success",
    "mean_squared_error/num_present/broadcast_weights/ones_like/Shape Const ^mean_squared_error/assert_broadcastable/static_scalar_check_success ^mean_squared_error/num_present/broadcast_weights/assert_broadcastable/static_scalar_check_success",
    "mean_squared_error/num_present/broadcast_weights/ones_like/Const Const ^mean_squared_error/assert_broadcastable/static_scalar_check_success ^mean_squared_error/num_present/broadcast_weights/assert_broadcastable/static_scalar_check_success",
    "mean_squared_error/num_present/broadcast_weights/ones_like Fill mean_squared_error/num_present/broadcast_weights/ones_like/Shape mean_squared_error/num_present/broadcast_weights/ones_like/Const",
    "mean_squared_error/num_present/broadcast_weights Mul mean_squared_error/num_present/Select mean_squared_error/num_present/broadcast_weights/ones_like",
    "mean_squared_error/num_present/Const Const ^mean_squared_error/assert_broadcastable/static_scalar_check_success",
    "mean_squared_error/num_present Sum mean_squared_error/num_present/broadcast_weights mean_squared_error/num_present/Const",
    "mean_squared_error/Const_1 Const ^mean_squared_error/assert_broadcastable/static_scalar_check_success",
    "mean_squared_error/Sum_1 Sum mean_squared_error/Sum mean_squared_error/Const_1",
    "mean_squared_error/value DivNoNan mean_squared_error/Sum_1 mean_squared_error/num_present",
    "mean_squared_error_1/SquaredDifference SquaredDifference y x",
    "mean_squared_error_1/assert_broadcastable/weights/shape Const",
    "mean_squared_error_1/assert_broadcastable/weights/rank Const",
    "mean_squared_error_1/assert_broadcastable/values/shape Const",
    "mean_squared_error_1/assert_broadcastable/values/rank Const",
    "mean_squared_error_1/assert_broadcastable/static_dims_check_success NoOp",
    "mean_squared_error_1/Mul Mul mean_squared_error_1/SquaredDifference w ^mean_squared_error_1/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_1/Const Const ^mean_squared_error_1/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_1/Sum Sum mean_squared_error_1/Mul mean_squared_error_1/Const",
    "mean_squared_error_1/num_present/Equal/y Const ^mean_squared_error_1/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_1/num_present/Equal Equal w mean_squared_error_1/num_present/Equal/y",
    "mean_squared_error_1/num_present/zeros_like Const ^mean_squared_error_1/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_1/num_present/ones_like/Shape Const ^mean_squared_error_1/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_1/num_present/ones_like/Const Const ^mean_squared_error_1/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_1/num_present/ones_like Fill mean_squared_error_1/num_present/ones_like/Shape mean_squared_error_1/num_present/ones_like/Const",
    "mean_squared_error_1/num_present/Select Select mean_squared_error_1/num_present/Equal mean_squared_error_1/num_present/zeros_like mean_squared_error_1/num_present/ones_like",
    "mean_squared_error_1/num_present/broadcast_weights/assert_broadcastable/weights/shape Const ^mean_squared_error_1/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_1/num_present/broadcast_weights/assert_broadcastable/weights/rank Const ^mean_squared_error_1/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_1/num_present/broadcast_weights/assert_broadcastable/values/shape Const ^mean_squared_error_1/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_1/num_present/broadcast_weights/assert_broadcastable/values/rank Const ^mean_squared_error_1/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_1/num_present/broadcast_weights/assert_broadcastable/static_dims_check_success NoOp ^mean_squared_error_1/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_1/num_present/broadcast_weights/ones_like/Shape Const ^mean_squared_error_1/assert_broadcastable/static_dims_check_success ^mean_squared_error_1/num_present/broadcast_weights/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_1/num_present/broadcast_weights/ones_like/Const Const ^mean_squared_error_1/assert_broadcastable/static_dims_check_success ^mean_squared_error_1/num_present/broadcast_weights/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_1/num_present/broadcast_weights/ones_like Fill mean_squared_error_1/num_present/broadcast_weights/ones_like/Shape mean_squared_error_1/num_present/broadcast_weights/ones_like/Const",
    "mean_squared_error_1/num_present/broadcast_weights Mul mean_squared_error_1/num_present/Select mean_squared_error_1/num_present/broadcast_weights/ones_like",
    "mean_squared_error_1/num_present/Const Const ^mean_squared_error_1/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_1/num_present Sum mean_squared_error_1/num_present/broadcast_weights mean_squared_error_1/num_present/Const",
    "mean_squared_error_1/Const_1 Const ^mean_squared_error_1/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_1/Sum_1 Sum mean_squared_error_1/Sum mean_squared_error_1/Const_1",
    "mean_squared_error_1/value DivNoNan mean_squared_error_1/Sum_1 mean_squared_error_1/num_present",
    "mean_squared_error_2/SquaredDifference SquaredDifference y x",
    "mean_squared_error_2/assert_broadcastable/weights/shape Const",
    "mean_squared_error_2/assert_broadcastable/weights/rank Const",
    "mean_squared_error_2/assert_broadcastable/values/shape Const",
    "mean_squared_error_2/assert_broadcastable/values/rank Const",
    "mean_squared_error_2/assert_broadcastable/static_dims_check_success NoOp",
    "mean_squared_error_2/Mul Mul mean_squared_error_2/SquaredDifference y ^mean_squared_error_2/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_2/Const Const ^mean_squared_error_2/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_2/Sum Sum mean_squared_error_2/Mul mean_squared_error_2/Const",
    "mean_squared_error_2/num_present/Equal/y Const ^mean_squared_error_2/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_2/num_present/Equal Equal y mean_squared_error_2/num_present/Equal/y",
    "mean_squared_error_2/num_present/zeros_like Const ^mean_squared_error_2/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_2/num_present/ones_like/Shape Const ^mean_squared_error_2/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_2/num_present/ones_like/Const Const ^mean_squared_error_2/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_2/num_present/ones_like Fill mean_squared_error_2/num_present/ones_like/Shape mean_squared_error_2/num_present/ones_like/Const",
    "mean_squared_error_2/num_present/Select Select mean_squared_error_2/num_present/Equal mean_squared_error_2/num_present/zeros_like mean_squared_error_2/num_present/ones_like",
    "mean_squared_error_2/num_present/Const Const ^mean_squared_error_2/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_2/num_present Sum mean_squared_error_2/num_present/Select mean_squared_error_2/num_present/Const",
    "mean_squared_error_2/Const_1 Const ^mean_squared_error_2/assert_broadcastable/static_dims_check_success",
    "mean_squared_error_2/Sum_1 Sum mean_squared_error_2/Sum mean_squared_error_2/Const_1",
    "mean_squared_error_2/value DivNoNan mean_squared_error_2/Sum_1 mean_squared_error_2/num_present",
};
static const char *const want_dense[] = {
    "x Placeholder",
    "y Placeholder",
    "dense/kernel/Initializer/random_uniform/shape Const",
    "dense/kernel/Initializer/random_uniform/min Const",
    "dense/kernel/Initializer/random_uniform/max Const",
    "dense/kernel/Initializer/random_uniform/RandomUniform RandomUniform dense/kernel/Initializer/random_uniform/shape",
    "dense/kernel/Initializer/random_uniform/sub Sub dense/kernel/Initializer/random_uniform/max dense/kernel/Initializer/random_uniform/min",
    "dense/kernel/Initializer/random_uniform/mul Mul dense/kernel/Initializer/random_uniform/RandomUniform dense/kernel/Initializer/random_uniform/sub",
    "dense/kernel/Initializer/random_uniform Add dense/kernel/Initializer/random_uniform/mul dense/kernel/Initializer/random_uniform/min",
    "dense/kernel VariableV2",
    "dense/kernel/Assign Assign dense/kernel dense/kernel/Initializer/random_uniform",
    "dense/kernel/read Identity dense/kernel",
    "dense/bias/Initializer/zeros Const",
    "dense/bias VariableV2",
    "dense/bias/Assign Assign dense/bias dense/bias/Initializer/zeros",
    "dense/bias/read Identity dense/bias",
    "dense/MatMul MatMul x dense/kernel/read",
    "dense/BiasAdd BiasAdd dense/MatMul dense/bias/read",
    "dense/Relu Relu dense/BiasAdd",
    "fc/kernel/Initializer/random_uniform/shape Const",
    "fc/kernel/Initializer/random_uniform/min Const",
    "fc/kernel/Initializer/random_uniform/max Const",
    "fc/kernel/Initializer/random_uniform/RandomUniform RandomUniform fc/kernel/Initializer/random_uniform/shape",
    "fc/kernel/Initializer/random_uniform/sub Sub fc/kernel/Initializer/random_uniform/max fc/kernel/Initializer/random_uniform/min",
    "fc/kernel/Initializer/random_uniform/mul Mul fc/kernel/Initializer/random_uniform/RandomUniform fc/kernel/Initializer/random_uniform/sub",
    "fc/kernel/Initializer/random_uniform Add fc/kernel/Initializer/random_uniform/mul fc/kernel/Initializer/random_uniform/min",
    "fc/kernel VariableV2",
    "fc/kernel/Assign Assign fc/kernel fc/kernel/Initializer/random_uniform",
    "fc/kernel/read Identity fc/kernel",
    "fc/MatMul MatMul y fc/kernel/read",
    "dense_1/kernel/Initializer/random_uniform/shape Const",
    "dense_1/kernel/Initializer/random_uniform/min Const",
    "dense_1/kernel/Initializer/random_uniform/max Const",
    "dense_1/kernel/Initializer/random_uniform/RandomUniform RandomUniform dense_1/kernel/Initializer/random_uniform/shape",
    "dense_1/kernel/Initializer/random_uniform/sub Sub dense_1/kernel/Initializer/random_uniform/max dense_1/kernel/Initializer/random_uniform/min",
    "dense_1/kernel/Initializer/random_uniform/mul Mul dense_1/kernel/Initializer/random_uniform/RandomUniform dense_1/kernel/Initializer/random_uniform/sub",
    "dense_1/kernel/Initializer/random_uniform Add dense_1/kernel/Initializer/random_uniform/mul dense_1/kernel/Initializer/random_uniform/min",
    "dense_1/kernel VariableV2",
    "dense_1/kernel/Assign Assign dense_1/kernel dense_1/kernel/Initializer/random_uniform",
    "dense_1/kernel/read Identity dense_1/kernel",
    "dense_1/bias/Initializer/zeros Const",
    "dense_1/bias VariableV2",
    "dense_1/bias/Assign Assign dense_1/bias dense_1/bias/Initializer/zeros",
    "dense_1/bias/read Identity dense_1/bias",
    "dense_1/MatMul MatMul y dense_1/kernel/read",
    "dense_1/BiasAdd BiasAdd dense_1/MatMul dense_1/bias/read",
    "x3 Placeholder",
    "dense_2/kernel/Initializer/random_uniform/shape Const",
    "dense_2/kernel/Initializer/random_uniform/min Const",
    "dense_2/kernel/Initializer/random_uniform/max Const",
    "dense_2/kernel/Initializer/random_uniform/RandomUniform RandomUniform dense_2/kernel/Initializer/random_uniform/shape",
    "dense_2/kernel/Initializer/random_uniform/sub Sub dense_2/kernel/Initializer/random_uniform/max dense_2/kernel/Initializer/random_uniform/min",
    "dense_2/kernel/Initializer/random_uniform/mul Mul dense_2/kernel/Initializer/random_uniform/RandomUniform dense_2/kernel/Initializer/random_uniform/sub",
    "dense_2/kernel/Initializer/random_uniform Add dense_2/kernel/Initializer/random_uniform/mul dense_2/kernel/Initializer/random_uniform/min",
    "dense_2/kernel VariableV2",
    "dense_2/kernel/Assign Assign dense_2/kernel dense_2/kernel/Initializer/random_uniform",
    "dense_2/kernel/read Identity dense_2/kernel",
    "dense_2/bias/Initializer/zeros Const",
    "dense_2/bias VariableV2",
    "dense_2/bias/Assign Assign dense_2/bias dense_2/bias/Initializer/zeros",
    "dense_2/bias/read Identity dense_2/bias",
    "dense_2/Tensordot/axes Const",
    "dense_2/Tensordot/free Const",
    "dense_2/Tensordot/Shape Shape x3",
    "dense_2/Tensordot/GatherV2/axis Const",
    "dense_2/Tensordot/GatherV2 GatherV2 dense_2/Tensordot/Shape dense_2/Tensordot/free dense_2/Tensordot/GatherV2/axis",
    "dense_2/Tensordot/GatherV2_1/axis Const",
    "dense_2/Tensordot/GatherV2_1 GatherV2 dense_2/Tensordot/Shape dense_2/Tensordot/axes dense_2/Tensordot/GatherV2_1/axis",
    "dense_2/Tensordot/Const Const",
    "dense_2/Tensordot/Prod Prod dense_2/Tensordot/GatherV2 dense_2/Tensordot/Const",
    "dense_2/Tensordot/Const_1 Const",
    "dense_2/Tensordot/Prod_1 Prod dense_2/Tensordot/GatherV2_1 dense_2/Tensordot/Const_1",
    "dense_2/Tensordot/concat/axis Const",
    "dense_2/Tensordot/concat ConcatV2 dense_2/Tensordot/free dense_2/Tensordot/axes dense_2/Tensordot/concat/axis",
    "dense_2/Tensordot/stack Pack dense_2/Tensordot/Prod dense_2/Tensordot/Prod_1",
    "dense_2/Tensordot/transpose Transpose x3 dense_2/Tensordot/concat",
    "dense_2/Tensordot/Reshape Reshape dense_2/Tensordot/transpose dense_2/Tensordot/stack",
    "dense_2/Tensordot/transpose_1/perm Const",
    "dense_2/Tensordot/transpose_1 Transpose dense_2/kernel/read dense_2/Tensordot/transpose_1/perm",
    "dense_2/Tensordot/Reshape_1/shape Const",
    "dense_2/Tensordot/Reshape_1 Reshape dense_2/Tensordot/transpose_1 dense_2/Tensordot/Reshape_1/shape",
    "dense_2/Tensordot/MatMul MatMul dense_2/Tensordot/Reshape dense_2/Tensordot/Reshape_1",
    "dense_2/Tensordot/Const_2 Const",
    "dense_2/Tensordot/concat_1/axis Const",
    "dense_2/Tensordot/concat_1 ConcatV2 dense_2/Tensordot/GatherV2 dense_2/Tensordot/Const_2 dense_2/Tensordot/concat_1/axis",
    "dense_2/Tensordot Reshape dense_2/Tensordot/MatMul dense_2/Tensordot/concat_1",
    "dense_2/BiasAdd BiasAdd dense_2/Tensordot dense_2/bias/read",
};
static const char *const want_lstm[] = {
    "x Placeholder",
    "y Placeholder",
    "basic_lstm_cell/kernel/Initializer/random_uniform/shape Const",
    "basic_lstm_cell/kernel/Initializer/random_uniform/min Const",
    "basic_lstm_cell/kernel/Initializer/random_uniform/max Const",
    "basic_lstm_cell/kernel/Initializer/random_uniform/RandomUniform RandomUniform basic_lstm_cell/kernel/Initializer/random_uniform/shape",
    "basic_lstm_cell/kernel/Initializer/random_uniform/sub Sub basic_lstm_cell/kernel/Initializer/random_uniform/max basic_lstm_cell/kernel/Initializer/random_uniform/min",
    "basic_lstm_cell/kernel/Initializer/random_uniform/mul Mul basic_lstm_cell/kernel/Initializer/random_uniform/RandomUniform basic_lstm_cell/kernel/Initializer/random_uniform/sub",
    "basic_lstm_cell/kernel/Initializer/random_uniform Add basic_lstm_cell/kernel/Initializer/random_uniform/mul basic_lstm_cell/kernel/Initializer/random_uniform/min",
    "basic_lstm_cell/kernel VariableV2",
    "basic_lstm_cell/kernel/Assign Assign basic_lstm_cell/kernel basic_lstm_cell/kernel/Initializer/random_uniform",
    "basic_lstm_cell/kernel/read Identity basic_lstm_cell/kernel",
    "basic_lstm_cell/bias/Initializer/zeros Const",
    "basic_lstm_cell/bias VariableV2",
    "basic_lstm_cell/bias/Assign Assign basic_lstm_cell/bias basic_lstm_cell/bias/Initializer/zeros",
    "basic_lstm_cell/bias/read Identity basic_lstm_cell/bias",
    "basic_lstm_cell/Const Const",
    "basic_lstm_cell/concat/axis Const",
    "basic_lstm_cell/concat ConcatV2 x y basic_lstm_cell/concat/axis",
    "basic_lstm_cell/MatMul MatMul basic_lstm_cell/concat basic_lstm_cell/kernel/read",
    "basic_lstm_cell/BiasAdd BiasAdd basic_lstm_cell/MatMul basic_lstm_cell/bias/read",
    "basic_lstm_cell/Const_1 Const",
    "basic_lstm_cell/split Split basic_lstm_cell/Const basic_lstm_cell/BiasAdd",
    "basic_lstm_cell/Const_2 Const",
    "basic_lstm_cell/Add Add basic_lstm_cell/split:2 basic_lstm_cell/Const_2",
    "basic_lstm_cell/Sigmoid Sigmoid basic_lstm_cell/Add",
    "basic_lstm_cell/Mul Mul x basic_lstm_cell/Sigmoid",
    "basic_lstm_cell/Sigmoid_1 Sigmoid basic_lstm_cell/split",
    "basic_lstm_cell/Tanh Tanh basic_lstm_cell/split:1",
    "basic_lstm_cell/Mul_1 Mul basic_lstm_cell/Sigmoid_1 basic_lstm_cell/Tanh",
    "basic_lstm_cell/Add_1 Add basic_lstm_cell/Mul basic_lstm_cell/Mul_1",
    "basic_lstm_cell/Tanh_1 Tanh basic_lstm_cell/Add_1",
    "basic_lstm_cell/Sigmoid_2 Sigmoid basic_lstm_cell/split:3",
    "basic_lstm_cell/Mul_2 Mul basic_lstm_cell/Tanh_1 basic_lstm_cell/Sigmoid_2",
    "basic_lstm_cell/Const_3 Const",
    "basic_lstm_cell/concat_1/axis Const",
    "basic_lstm_cell/concat_1 ConcatV2 y basic_lstm_cell/Mul_2 basic_lstm_cell/concat_1/axis",
    "basic_lstm_cell/MatMul_1 MatMul basic_lstm_cell/concat_1 basic_lstm_cell/kernel/read",
    "basic_lstm_cell/BiasAdd_1 BiasAdd basic_lstm_cell/MatMul_1 basic_lstm_cell/bias/read",
    "basic_lstm_cell/Const_4 Const",
    "basic_lstm_cell/split_1 Split basic_lstm_cell/Const_3 basic_lstm_cell/BiasAdd_1",
    "basic_lstm_cell/Const_5 Const",
    "basic_lstm_cell/Add_2 Add basic_lstm_cell/split_1:2 basic_lstm_cell/Const_5",
    "basic_lstm_cell/Sigmoid_3 Sigmoid basic_lstm_cell/Add_2",
    "basic_lstm_cell/Mul_3 Mul basic_lstm_cell/Add_1 basic_lstm_cell/Sigmoid_3",
    "basic_lstm_cell/Sigmoid_4 Sigmoid basic_lstm_cell/split_1",
    "basic_lstm_cell/Tanh_2 Tanh basic_lstm_cell/split_1:1",
    "basic_lstm_cell/Mul_4 Mul basic_lstm_cell/Sigmoid_4 basic_lstm_cell/Tanh_2",
    "basic_lstm_cell/Add_3 Add basic_lstm_cell/Mul_3 basic_lstm_cell/Mul_4",
    "basic_lstm_cell/Tanh_3 Tanh basic_lstm_cell/Add_3",
    "basic_lstm_cell/Sigmoid_5 Sigmoid basic_lstm_cell/split_1:3",
    "basic_lstm_cell/Mul_5 Mul basic_lstm_cell/Tanh_3 basic_lstm_cell/Sigmoid_5",
};
/* clang-format on */

static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...)
{
    size_t n = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, size - n, format, args);
    va_end(args);
}

/* "name op input... ^control...", the controls sorted. */
static void describe(TF_Operation *op, char *text, size_t size)
{
    enum { MAX_CONTROLS = 8 };
    TF_Operation *controls[MAX_CONTROLS];
    text[0] = '\0';
    append(text, size, "%s %s", TF_OperationName(op), TF_OperationOpType(op));
    for (int i = 0; i < TF_OperationNumInputs(op); i++) {
        TF_Output in = TF_OperationInput((TF_Input){op, i});
        append(text, size, in.index ? " %s:%d" : " %s", TF_OperationName(in.oper), in.index);
    }
    int n = TF_OperationGetControlInputs(op, controls, MAX_CONTROLS);
    const char *last = "";
    for (int i = 0; i < n; i++) {
        const char *next = NULL;
        for (int k = 0; k < n; k++) {
            const char *name = TF_OperationName(controls[k]);
            if (strcmp(name, last) > 0 && (!next || strcmp(name, next) < 0))
                next = name;
        }
        last = next ? next : last;
        append(text, size, " ^%s", last);
    }
}

/* Every node of the graph, in the order that they were made. */
static void expect_nodes(const char *const *want, size_t num_want)
{
    TF_Status *s = TF_NewStatus();
    leat_graph_status(g, s);
    assert_string_equal(TF_Message(s), "");
    TF_DeleteStatus(s);
    size_t pos = 0, n = 0;
    for (TF_Operation *op; (op = TF_GraphNextOperation(g, &pos)) != NULL; n++) {
        char text[2000];
        describe(op, text, sizeof text);
        assert_string_equal(text, n < num_want ? want[n] : "no more nodes");
    }
    assert_int_equal(n, num_want);
    TF_DeleteGraph(g);
}
#define EXPECT_NODES(want) expect_nodes(want, sizeof(want) / sizeof((want)[0]))

static TF_Output x, y;
static void start(bool images)
{
    g = TF_NewGraph();
    if (!images)
        return;
    x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(3, 4), .name = "x");
    y = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(3, 4), .name = "y");
}

/* One application by make's optimizer, with a counted step where count, and a second without. */
static void apply_twice(leat_optimizer *(*make)(void), bool resource, bool sparse, bool count)
{
    static const float values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const int32_t rows[] = {0, 1, 0};
    struct leat_grad d = {.values = {NULL, 0}};
    start(false);
    TF_Output w = leat_get_variable(g, "w", leat_shape(4, 2), .initializer = leat_init_zeros(),
                                    .resource = resource);
    d.values = leat_const_floats(g, values, leat_shape(sparse ? 3 : 4, 2), .name = "gv");
    if (sparse)
        d.indices = leat_const_ints(g, rows, leat_shape(3), .name = "gi");
    TF_Output step =
        leat_get_variable(g, "global_step", leat_shape(), .dtype = TF_INT64, .trainable = 0,
                          .initializer = leat_init_zeros(), .resource = resource);
    const TF_Output none = {NULL, 0};
    leat_optimizer *opt = make();
    leat_apply_gradients(opt, &d, leat_outputs(w), .global_step = count ? step : none);
    leat_apply_gradients(opt, &d, leat_outputs(w), .name = "again");
    leat_optimizer_free(opt);
}

static leat_optimizer *adam(void)
{
    return leat_adam(g);
}
static leat_optimizer *nesterov(void)
{
    return leat_momentum(g, 0.1, .use_nesterov = true);
}
static leat_optimizer *centered(void)
{
    return leat_rmsprop(g, 0.1, .centered = true);
}

static void test_names__adam_slices_of_a_resource(void **state)
{
    (void)state;
    apply_twice(adam, true, true, false);
    EXPECT_NODES(want_adam_11);
}

static void test_names__momentum_slices(void **state)
{
    (void)state;
    apply_twice(nesterov, false, true, true);
    EXPECT_NODES(want_mom_01);
}

static void test_names__centered_rmsprop(void **state)
{
    (void)state;
    apply_twice(centered, true, false, true);
    EXPECT_NODES(want_rmsc_10);
}

static void test_names__weighted_losses(void **state)
{
    (void)state;
    start(true);
    TF_Output w = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(3, 1), .name = "w");
    leat_losses_mean_squared_error(g, x, y);
    leat_losses_mean_squared_error(g, x, y, .weights = w);
    leat_losses_mean_squared_error(g, x, y, .weights = y);
    EXPECT_NODES(want_loss_by);
}

static void test_names__dense(void **state)
{
    (void)state;
    start(true);
    leat_layers_dense(g, x, 5, .activation = LEAT_RELU);
    leat_layers_dense(g, y, 5, .no_bias = true, .name = "fc");
    leat_layers_dense(g, y, 5);
    TF_Output x3 =
        leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(2, -1, 6), .name = "x3");
    leat_layers_dense(g, x3, 5);
    EXPECT_NODES(want_dense);
}

static void test_names__lstm_cell(void **state)
{
    (void)state;
    start(true);
    struct leat_lstm_cell cell = leat_basic_lstm_cell(g, 4, 4, 1, NULL);
    struct leat_lstm_state s = {x, y};
    s = leat_lstm_step(&cell, x, s);
    leat_lstm_step(&cell, y, s);
    EXPECT_NODES(want_lstm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names__adam_slices_of_a_resource),
        cmocka_unit_test(test_names__momentum_slices),
        cmocka_unit_test(test_names__centered_rmsprop),
        cmocka_unit_test(test_names__weighted_losses),
        cmocka_unit_test(test_names__dense),
        cmocka_unit_test(test_names__lstm_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
