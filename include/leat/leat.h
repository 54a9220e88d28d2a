/* SPDX-License-Identifier: Apache-2.0 */
/* All of leat.h: building, differentiating and running graphs, on the types of TensorFlow's C API.
 *
 * What is here returns TF_Output, TF_Operation and TF_Session as tensorflow/c/c_api.h has them, so
 * both may be used on one graph. Builders never fail in place: the first error is kept
 * (leat_graph_status) and later builders pass the invalid output on, so that expressions nest:
 *
 *     TF_Graph *g = TF_NewGraph();
 *     TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(-1, 784));
 *     TF_Output w = leat_variable(g, "W", leat_zeros(g, leat_shape(784, 10)));
 *     TF_Output y = leat_softmax(g, leat_matmul(g, x, w));
 *
 * The headers are C11 (they have unnamed members) and C++17; those of tensorflow/c are C99.
 */
#ifndef LEAT_LEAT_H
#define LEAT_LEAT_H

#include "tensorflow/c/c_api.h"

#include "leat/allreduce.h"
#include "leat/clip.h"
#include "leat/cluster.h"
#include "leat/constant.h"
#include "leat/control_flow.h"
#include "leat/decay.h"
#include "leat/device_setter.h"
#include "leat/edit.h"
#include "leat/global_step.h"
#include "leat/gradients.h"
#include "leat/hooks.h"
#include "leat/info.h"
#include "leat/input.h"
#include "leat/layers.h"
#include "leat/leat_ops.h"
#include "leat/losses.h"
#include "leat/message.h"
#include "leat/monitored_session.h"
#include "leat/nn.h"
#include "leat/op.h"
#include "leat/optimizer.h"
#include "leat/partitioned.h"
#include "leat/progress.h"
#include "leat/queue_runner.h"
#include "leat/run.h"
#include "leat/saved_model.h"
#include "leat/saver.h"
#include "leat/scope.h"
#include "leat/script.h"
#include "leat/strings.h"
#include "leat/summary.h"
#include "leat/sync_replicas.h"
#include "leat/types.h"
#include "leat/value.h"
#include "leat/variable.h"

#endif
