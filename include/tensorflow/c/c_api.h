/* SPDX-License-Identifier: Apache-2.0 */
/* The C API of TensorFlow 1.15: the one header that a program includes.
 *
 * Names, numbers, struct layouts, ownership and error codes are those of that version, so that a
 * program built for its library links with this one. What the comments' words mean is said in
 * c_api_macros.h; start reading at c_api_graph.h. */
#ifndef TENSORFLOW_C_C_API_H_
#define TENSORFLOW_C_C_API_H_

#include "tensorflow/c/c_api_attr.h"
#include "tensorflow/c/c_api_base.h"
#include "tensorflow/c/c_api_build.h"
#include "tensorflow/c/c_api_deprecated.h"
#include "tensorflow/c/c_api_function.h"
#include "tensorflow/c/c_api_graph.h"
#include "tensorflow/c/c_api_import.h"
#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/c_api_session.h"
#include "tensorflow/c/tf_attrtype.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"
#include "tensorflow/c/tf_tstring.h"

#endif
