/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: examples and sequences of features parsed into tensors, as TensorFlow 1.15.5 does it.
 */
#include "op_case.h"

static const struct op_case cases[] = {
    {.op = "ParseExample",
     .attrs = "Nsparse=2 Ndense=0 sparse_types=[int64,float] Tdense=[] dense_shapes=[]",
     .in = {"string [4] "
            "'\\x0a\\x1c\\x0a\\x0b\\x0a\\x01a\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0d\\x0"
            "a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00\\xc0?' "
            "'\\x0a\\x1b\\x0a\\x0d\\x0a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00 "
            "@\\x0a\\x0a\\x0a\\x01a\\x12\\x05\\x1a\\x03\\x0a\\x01\\x03' '\\x0a\\x00' "
            "'\\x0a\\x07\\x0a\\x05\\x0a\\x01a\\x12\\x00'",
            "string [0]", "*2 string [] 'a'", "string [] 'b'", "*0", "*0"},
     .out = {"int64 [3,2] 0 0 0 1 1 0", "int64 [2,2] 0 0 1 0", "int64 [3] 1 2 3",
             "float [2] 1.5 2.5", "int64 [2] 4 2", "int64 [2] 4 1"}},
    {.op = "ParseExample",
     .attrs = "Nsparse=0 Ndense=2 sparse_types=[] Tdense=[float,int64] dense_shapes=[[],[2]]",
     .in = {"string [3] "
            "'\\x0a\\x1c\\x0a\\x0b\\x0a\\x01a\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0d\\x0"
            "a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00\\xc0?' '\\x0a\\x00' "
            "'\\x0a\\x1b\\x0a\\x0d\\x0a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00 "
            "@\\x0a\\x0a\\x0a\\x01a\\x12\\x05\\x1a\\x03\\x0a\\x01\\x03'",
            "string [0]", "*0", "*2 string [] 'b'", "string [] 'a'", "*2 float [] 7", "int64 [0]"},
     .error = "INVALID_ARGUMENT: Name: <unknown>, Feature: a (data type: int64) is required but "
              "could not be found."},
    {.op = "ParseExample",
     .attrs = "Nsparse=0 Ndense=2 sparse_types=[] Tdense=[float,int64] dense_shapes=[[],[2,1]]",
     .in = {"string [2] "
            "'\\x0a\\x1c\\x0a\\x0b\\x0a\\x01a\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0d\\x0"
            "a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00\\xc0?' '\\x0a\\x00'",
            "string [0]", "*0", "*2 string [] 'b'", "string [] 'a'", "*2 float [] 7",
            "int64 [2,1] 8 9"},
     .out = {"float [2] 1.5 7", "int64 [2,2,1] 1 2 8 9"}},
    {.op = "ParseExample",
     .attrs = "Nsparse=1 Ndense=1 sparse_types=[float] Tdense=[int64] dense_shapes=[[-1]]",
     .in = {"string [3] "
            "'\\x0a\\x1c\\x0a\\x0b\\x0a\\x01a\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0d\\x0"
            "a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00\\xc0?' "
            "'\\x0a\\x1b\\x0a\\x0d\\x0a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00 "
            "@\\x0a\\x0a\\x0a\\x01a\\x12\\x05\\x1a\\x03\\x0a\\x01\\x03' '\\x0a\\x00'",
            "string [0]", "*1 string [] 'b'", "*1 string [] 'a'", "*1 int64 [] 9"},
     .out = {"int64 [2,2] 0 0 1 0", "float [2] 1.5 2.5", "int64 [2] 3 1",
             "int64 [3,2] 1 2 3 9 9 9"},
     .note = "the first dim is the longest"},
    {.op = "ParseExample",
     .attrs = "Nsparse=0 Ndense=1 sparse_types=[] Tdense=[string] dense_shapes=[[-1,1]]",
     .in =
         {"string [2] '\\x0a\\x10\\x0a\\x0e\\x0a\\x01s\\x12\\x09\\x0a\\x07\\x0a\\x01x\\x0a\\x02yz' "
          "'\\x0a\\x00'",
          "string [0]", "*0", "*1 string [] 's'", "*1 string [1] 'p'"},
     .out = {"string [2,2,1] 'x' 'yz' 'p' 'p'"}},
    {.op = "ParseExample",
     .attrs = "Nsparse=2 Ndense=0 sparse_types=[string,int64] Tdense=[] dense_shapes=[]",
     .in =
         {"string [2] '\\x0a\\x10\\x0a\\x0e\\x0a\\x01s\\x12\\x09\\x0a\\x07\\x0a\\x01x\\x0a\\x02yz' "
          "'\\x0a\\x00'",
          "string [0]", "*2 string [] 's'", "string [] 'z'", "*0", "*0"},
     .out = {"int64 [2,2] 0 0 0 1", "int64 [0,2]", "string [2] 'x' 'yz'", "int64 [0]",
             "int64 [2] 2 2", "int64 [2] 2 0"}},
    {.op = "ParseExample",
     .attrs = "Nsparse=0 Ndense=1 sparse_types=[] Tdense=[int64] dense_shapes=[[-1]]",
     .in = {"string [2] '\\x0a\\x00' '\\x0a\\x00'", "string [0]", "*0", "*1 string [] 'a'",
            "*1 int64 [] 9"},
     .out = {"int64 [2,0]"}},
    {.op = "ParseExample",
     .attrs = "Nsparse=0 Ndense=1 sparse_types=[] Tdense=[float] dense_shapes=[[]]",
     .in = {"string [2] "
            "'\\x0a\\x1c\\x0a\\x0b\\x0a\\x01a\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0d\\x0"
            "a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00\\xc0?' '\\x0a\\x00'",
            "string [2] 'p' 'q'", "*0", "*1 string [] 'b'", "*1 float [0]"},
     .error = "INVALID_ARGUMENT: Name: q, Feature: b (data type: float) is required but could not "
              "be found."},
    {.op = "ParseExample",
     .attrs = "Nsparse=0 Ndense=1 sparse_types=[] Tdense=[int64] dense_shapes=[[]]",
     .in = {"string [2] '\\x0a\\x1b\\x0a\\x0d\\x0a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00 "
            "@\\x0a\\x0a\\x0a\\x01a\\x12\\x05\\x1a\\x03\\x0a\\x01\\x03' "
            "'\\x0a\\x1c\\x0a\\x0b\\x0a\\x01a\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0d\\x0"
            "a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00\\xc0?'",
            "string [0]", "*0", "*1 string [] 'a'", "*1 int64 [0]"},
     .error = "INVALID_ARGUMENT: Name: <unknown>, Key: a, Index: 1."},
    {.op = "ParseExample",
     .attrs = "Nsparse=0 Ndense=1 sparse_types=[] Tdense=[float] dense_shapes=[[2]]",
     .in = {"string [1] "
            "'\\x0a\\x1c\\x0a\\x0b\\x0a\\x01a\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0d\\x0"
            "a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00\\xc0?'",
            "string [0]", "*0", "*1 string [] 'a'", "*1 float [0]"},
     .error = "INVALID_ARGUMENT: Name: <unknown>, Key: a, Index: 0."},
    {.op = "ParseExample",
     .attrs = "Nsparse=0 Ndense=1 sparse_types=[] Tdense=[int64] dense_shapes=[[-1,2]]",
     .in = {"string [1] '\\x0a\\x1b\\x0a\\x0d\\x0a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00 "
            "@\\x0a\\x0a\\x0a\\x01a\\x12\\x05\\x1a\\x03\\x0a\\x01\\x03'",
            "string [0]", "*0", "*1 string [] 'a'", "*1 int64 [] 1"},
     .error = "INVALID_ARGUMENT: Name: <unknown>, Key: a, Index: 0."},
    {.op = "ParseExample",
     .attrs = "Nsparse=1 Ndense=0 sparse_types=[int64] Tdense=[] dense_shapes=[]",
     .in = {"string [1] 'abc'", "string [0]", "*1 string [] 'a'", "*0", "*0"},
     .error = "INVALID_ARGUMENT: Could not parse example input, value: 'abc'"},
    {.op = "ParseExample",
     .attrs = "Nsparse=1 Ndense=0 sparse_types=[int64] Tdense=[] dense_shapes=[]",
     .in = {"string [2] "
            "'\\x0a\\x1c\\x0a\\x0b\\x0a\\x01a\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0d\\x0"
            "a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00\\xc0?' "
            "'\\x0a\\x1b\\x0a\\x0d\\x0a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00 "
            "@\\x0a\\x0a\\x0a\\x01a\\x12\\x05\\x1a\\x03\\x0a\\x01\\x03'",
            "string [1] 'q'", "*1 string [] 'a'", "*0", "*0"},
     .error = "INVALID_ARGUMENT: Expected len(names) == len(serialized), but got: 1 vs. 2"},
    {.op = "ParseExample",
     .attrs = "Nsparse=0 Ndense=1 sparse_types=[] Tdense=[int64] dense_shapes=[[2,1]]",
     .in = {"string [1] "
            "'\\x0a\\x1c\\x0a\\x0b\\x0a\\x01a\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0d\\x0"
            "a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00\\xc0?'",
            "string [0]", "*0", "*1 string [] 'a'", "*1 int64 [2] 8 9"},
     .error = "INVALID_ARGUMENT: def_value[0].shape() == [2] is not compatible with "
              "dense_shapes_[0] == [2,1]"},
    {.op = "ParseExample",
     .attrs = "Nsparse=0 Ndense=1 sparse_types=[] Tdense=[int64] dense_shapes=[[-1]]",
     .in = {"string [1] "
            "'\\x0a\\x1c\\x0a\\x0b\\x0a\\x01a\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0d\\x0"
            "a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00\\xc0?'",
            "string [0]", "*0", "*1 string [] 'a'", "*1 int64 [2] 1 2"},
     .error = "INVALID_ARGUMENT: dense_shape[0] is a variable length shape: [?], therefore "
              "def_value[0] must contain a single element (the padding element)."},
    {.op = "ParseSingleExample",
     .attrs = "num_sparse=2 sparse_keys=['a','z'] dense_keys=['b','c'] sparse_types=[int64,string] "
              "Tdense=[float,int64] dense_shapes=[[],[]]",
     .in = {"string [] "
            "'\\x0a\\x1c\\x0a\\x0b\\x0a\\x01a\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0d\\x0"
            "a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00\\xc0?'",
            "*2 float [0]", "int64 [] 4"},
     .out = {"int64 [2,1] 0 1", "int64 [0,1]", "int64 [2] 1 2", "string [0]", "int64 [1] 2",
             "int64 [1] 0", "float [] 1.5", "int64 [] 4"}},
    {.op = "ParseSingleExample",
     .attrs = "num_sparse=0 sparse_keys=[] dense_keys=['a'] sparse_types=[] Tdense=[int64] "
              "dense_shapes=[[-1,2]]",
     .in = {"string [] "
            "'\\x0a\\x1c\\x0a\\x0b\\x0a\\x01a\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0d\\x0"
            "a\\x01b\\x12\\x08\\x12\\x06\\x0a\\x04\\x00\\x00\\xc0?'",
            "*1 int64 [] 4"},
     .out = {"int64 [1,2] 1 2"}},
    {.op = "ParseSingleExample",
     .attrs = "num_sparse=0 sparse_keys=[] dense_keys=['a'] sparse_types=[] Tdense=[int64] "
              "dense_shapes=[[]]",
     .in = {"string [] '\\x0a\\x00'", "*1 int64 [0]"},
     .error =
         "INVALID_ARGUMENT: Feature: a (data type: int64) is required but could not be found."},
    {.op = "ParseSingleExample",
     .attrs = "num_sparse=0 sparse_keys=[] dense_keys=['a'] sparse_types=[] Tdense=[int64] "
              "dense_shapes=[[]]",
     .in = {"string [] 'abc'", "*1 int64 [0]"},
     .error = "INVALID_ARGUMENT: Could not parse example input, value: 'abc'"},
    {.op = "ParseSingleSequenceExample",
     .attrs =
         "Ncontext_sparse=1 Ncontext_dense=1 Nfeature_list_sparse=0 Nfeature_list_dense=0 "
         "context_sparse_types=[int64] Tcontext_dense=[int64] context_dense_shapes=[[]] "
         "feature_list_sparse_types=[] feature_list_dense_types=[] feature_list_dense_shapes=[]",
     .in = {"string [] "
            "'\\x0a\\x19\\x0a\\x0b\\x0a\\x01c\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0a\\x0"
            "a\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x05\\x128\\x0a\\x1f\\x0a\\x01y\\x12\\x1a\\x0a\\"
            "x08\\x12\\x06\\x0a\\x04\\x00\\x00\\x80?"
            "\\x0a\\x00\\x0a\\x0c\\x12\\x0a\\x0a\\x08\\x00\\x00\\x00@\\x00\\x00@@"
            "\\x0a\\x15\\x0a\\x01x\\x12\\x10\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x06\\x1a"
            "\\x04\\x0a\\x02\\x03\\x04'",
            "string [0]", "*1 string [] 'c'", "*1 string [] 'd'", "*0", "*0", "*1 int64 [0]",
            "string [] ''"},
     .out = {"int64 [2,1] 0 1", "int64 [2] 1 2", "int64 [1] 2", "int64 [] 5"}},
    {.op = "ParseSingleSequenceExample",
     .attrs = "Ncontext_sparse=0 Ncontext_dense=0 Nfeature_list_sparse=1 Nfeature_list_dense=1 "
              "context_sparse_types=[] Tcontext_dense=[] context_dense_shapes=[] "
              "feature_list_sparse_types=[float] feature_list_dense_types=[int64] "
              "feature_list_dense_shapes=[[2]]",
     .in = {"string [] "
            "'\\x0a\\x19\\x0a\\x0b\\x0a\\x01c\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0a\\x0"
            "a\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x05\\x128\\x0a\\x1f\\x0a\\x01y\\x12\\x1a\\x0a\\"
            "x08\\x12\\x06\\x0a\\x04\\x00\\x00\\x80?"
            "\\x0a\\x00\\x0a\\x0c\\x12\\x0a\\x0a\\x08\\x00\\x00\\x00@\\x00\\x00@@"
            "\\x0a\\x15\\x0a\\x01x\\x12\\x10\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x06\\x1a"
            "\\x04\\x0a\\x02\\x03\\x04'",
            "string [1] 'x'", "*0", "*0", "*1 string [] 'y'", "*1 string [] 'x'", "*0",
            "string [] ''"},
     .out = {"int64 [3,2] 0 0 2 0 2 1", "float [3] 1 2 3", "int64 [2] 3 2", "int64 [2,2] 1 2 3 4"}},
    {.op = "ParseSingleSequenceExample",
     .attrs = "Ncontext_sparse=1 Ncontext_dense=1 Nfeature_list_sparse=1 Nfeature_list_dense=0 "
              "context_sparse_types=[int64] Tcontext_dense=[int64] context_dense_shapes=[[]] "
              "feature_list_sparse_types=[int64] feature_list_dense_types=[] "
              "feature_list_dense_shapes=[]",
     .in = {"string [] '\\x0a\\x00\\x12\\x00'", "string [0]", "*1 string [] 'c'",
            "*1 string [] 'd'", "*1 string [] 'x'", "*0", "*1 int64 [] 4", "string [] ''"},
     .out = {"int64 [0,1]", "int64 [0]", "int64 [1] 0", "int64 [] 4", "int64 [0,2]", "int64 [0]",
             "int64 [2] 0 0"}},
    {.op = "ParseSingleSequenceExample",
     .attrs = "Ncontext_sparse=0 Ncontext_dense=0 Nfeature_list_sparse=0 Nfeature_list_dense=1 "
              "context_sparse_types=[] Tcontext_dense=[] context_dense_shapes=[] "
              "feature_list_sparse_types=[] feature_list_dense_types=[int64] "
              "feature_list_dense_shapes=[[2]]",
     .in = {"string [] '\\x0a\\x00\\x12\\x00'", "string [0]", "*0", "*0", "*0", "*1 string [] 'x'",
            "*0", "string [] 'nm'"},
     .error = "INVALID_ARGUMENT"},
    {.op = "ParseSingleSequenceExample",
     .attrs = "Ncontext_sparse=0 Ncontext_dense=0 Nfeature_list_sparse=0 Nfeature_list_dense=1 "
              "context_sparse_types=[] Tcontext_dense=[] context_dense_shapes=[] "
              "feature_list_sparse_types=[] feature_list_dense_types=[int64] "
              "feature_list_dense_shapes=[[3]]",
     .in = {"string [] "
            "'\\x0a\\x19\\x0a\\x0b\\x0a\\x01c\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0a\\x0"
            "a\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x05\\x128\\x0a\\x1f\\x0a\\x01y\\x12\\x1a\\x0a\\"
            "x08\\x12\\x06\\x0a\\x04\\x00\\x00\\x80?"
            "\\x0a\\x00\\x0a\\x0c\\x12\\x0a\\x0a\\x08\\x00\\x00\\x00@\\x00\\x00@@"
            "\\x0a\\x15\\x0a\\x01x\\x12\\x10\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x06\\x1a"
            "\\x04\\x0a\\x02\\x03\\x04'",
            "string [0]", "*0", "*0", "*0", "*1 string [] 'x'", "*0", "string [] ''"},
     .error = "INVALID_ARGUMENT"},
    {.op = "ParseSingleSequenceExample",
     .attrs = "Ncontext_sparse=0 Ncontext_dense=0 Nfeature_list_sparse=1 Nfeature_list_dense=0 "
              "context_sparse_types=[] Tcontext_dense=[] context_dense_shapes=[] "
              "feature_list_sparse_types=[float] feature_list_dense_types=[] "
              "feature_list_dense_shapes=[]",
     .in = {"string [] "
            "'\\x0a\\x19\\x0a\\x0b\\x0a\\x01c\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0a\\x0"
            "a\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x05\\x128\\x0a\\x1f\\x0a\\x01y\\x12\\x1a\\x0a\\"
            "x08\\x12\\x06\\x0a\\x04\\x00\\x00\\x80?"
            "\\x0a\\x00\\x0a\\x0c\\x12\\x0a\\x0a\\x08\\x00\\x00\\x00@\\x00\\x00@@"
            "\\x0a\\x15\\x0a\\x01x\\x12\\x10\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x06\\x1a"
            "\\x04\\x0a\\x02\\x03\\x04'",
            "string [0]", "*0", "*0", "*1 string [] 'x'", "*0", "*0", "string [] ''"},
     .error = "INVALID_ARGUMENT"},
    {.op = "ParseSingleSequenceExample",
     .attrs =
         "Ncontext_sparse=1 Ncontext_dense=0 Nfeature_list_sparse=0 Nfeature_list_dense=0 "
         "context_sparse_types=[float] Tcontext_dense=[] context_dense_shapes=[] "
         "feature_list_sparse_types=[] feature_list_dense_types=[] feature_list_dense_shapes=[]",
     .in = {"string [] "
            "'\\x0a\\x19\\x0a\\x0b\\x0a\\x01c\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0a\\x0"
            "a\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x05\\x128\\x0a\\x1f\\x0a\\x01y\\x12\\x1a\\x0a\\"
            "x08\\x12\\x06\\x0a\\x04\\x00\\x00\\x80?"
            "\\x0a\\x00\\x0a\\x0c\\x12\\x0a\\x0a\\x08\\x00\\x00\\x00@\\x00\\x00@@"
            "\\x0a\\x15\\x0a\\x01x\\x12\\x10\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x06\\x1a"
            "\\x04\\x0a\\x02\\x03\\x04'",
            "string [0]", "*1 string [] 'c'", "*0", "*0", "*0", "*0", "string [] ''"},
     .error = "INVALID_ARGUMENT"},
    {.op = "ParseSingleSequenceExample",
     .attrs =
         "Ncontext_sparse=0 Ncontext_dense=1 Nfeature_list_sparse=0 Nfeature_list_dense=0 "
         "context_sparse_types=[] Tcontext_dense=[int64] context_dense_shapes=[[]] "
         "feature_list_sparse_types=[] feature_list_dense_types=[] feature_list_dense_shapes=[]",
     .in = {"string [] '\\x0a\\x00\\x12\\x00'", "string [0]", "*0", "*1 string [] 'd'", "*0", "*0",
            "*1 int64 [0]", "string [] ''"},
     .error = "INVALID_ARGUMENT"},
    {.op = "ParseSingleSequenceExample",
     .attrs =
         "Ncontext_sparse=0 Ncontext_dense=1 Nfeature_list_sparse=0 Nfeature_list_dense=0 "
         "context_sparse_types=[] Tcontext_dense=[int64] context_dense_shapes=[[]] "
         "feature_list_sparse_types=[] feature_list_dense_types=[] feature_list_dense_shapes=[]",
     .in = {"string [] "
            "'\\x0a\\x19\\x0a\\x0b\\x0a\\x01c\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0a\\x0"
            "a\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x05\\x128\\x0a\\x1f\\x0a\\x01y\\x12\\x1a\\x0a\\"
            "x08\\x12\\x06\\x0a\\x04\\x00\\x00\\x80?"
            "\\x0a\\x00\\x0a\\x0c\\x12\\x0a\\x0a\\x08\\x00\\x00\\x00@\\x00\\x00@@"
            "\\x0a\\x15\\x0a\\x01x\\x12\\x10\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x06\\x1a"
            "\\x04\\x0a\\x02\\x03\\x04'",
            "string [0]", "*0", "*1 string [] 'c'", "*0", "*0", "*1 int64 [0]", "string [] ''"},
     .error = "INVALID_ARGUMENT"},
    {.op = "ParseSingleSequenceExample",
     .attrs = "Ncontext_sparse=0 Ncontext_dense=0 Nfeature_list_sparse=0 Nfeature_list_dense=1 "
              "context_sparse_types=[] Tcontext_dense=[] context_dense_shapes=[] "
              "feature_list_sparse_types=[] feature_list_dense_types=[int64] "
              "feature_list_dense_shapes=[[1]]",
     .in = {"string [] "
            "'\\x0a\\x00\\x12\\x10\\x0a\\x0e\\x0a\\x01x\\x12\\x09\\x0a\\x00\\x0a\\x05\\x1a\\x03\\x0"
            "a\\x01\\x01'",
            "string [0]", "*0", "*0", "*0", "*1 string [] 'x'", "*0", "string [] ''"},
     .error = "INVALID_ARGUMENT"},
    {.op = "ParseSingleSequenceExample",
     .attrs = "Ncontext_sparse=0 Ncontext_dense=0 Nfeature_list_sparse=0 Nfeature_list_dense=1 "
              "context_sparse_types=[] Tcontext_dense=[] context_dense_shapes=[] "
              "feature_list_sparse_types=[] feature_list_dense_types=[string] "
              "feature_list_dense_shapes=[[]]",
     .in = {"string [] "
            "'\\x0a\\x00\\x12\\x15\\x0a\\x13\\x0a\\x01x\\x12\\x0e\\x0a\\x05\\x0a\\x03\\x0a\\x01a\\x"
            "0a\\x05\\x0a\\x03\\x0a\\x01b'",
            "string [1] 'x'", "*0", "*0", "*0", "*1 string [] 'x'", "*0", "string [] ''"},
     .out = {"string [2] 'a' 'b'"}},
    {.op = "ParseSequenceExample",
     .attrs =
         "Ncontext_sparse=1 Ncontext_dense=1 Nfeature_list_sparse=0 Nfeature_list_dense=0 "
         "context_sparse_types=[int64] Tcontext_dense=[int64] context_dense_shapes=[[]] "
         "feature_list_sparse_types=[] feature_list_dense_types=[] feature_list_dense_shapes=[] "
         "feature_list_dense_missing_assumed_empty=[] context_sparse_keys=['c'] "
         "context_dense_keys=['d'] feature_list_sparse_keys=[] feature_list_dense_keys=[]",
     .in = {"string [2] "
            "'\\x0a\\x19\\x0a\\x0b\\x0a\\x01c\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0a\\x0"
            "a\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x05\\x128\\x0a\\x1f\\x0a\\x01y\\x12\\x1a\\x0a\\"
            "x08\\x12\\x06\\x0a\\x04\\x00\\x00\\x80?"
            "\\x0a\\x00\\x0a\\x0c\\x12\\x0a\\x0a\\x08\\x00\\x00\\x00@\\x00\\x00@@"
            "\\x0a\\x15\\x0a\\x01x\\x12\\x10\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x06\\x1a"
            "\\x04\\x0a\\x02\\x03\\x04' "
            "'\\x0a\\x0c\\x0a\\x0a\\x0a\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x06\\x12\\x0f\\x0a\\x0"
            "d\\x0a\\x01x\\x12\\x08\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x07\\x08'",
            "string [0]", "*1 int64 [0]"},
     .out = {"int64 [2,2] 0 0 0 1", "int64 [2] 1 2", "int64 [2] 2 2", "int64 [2] 5 6"}},
    {.op = "ParseSequenceExample",
     .attrs = "Ncontext_sparse=0 Ncontext_dense=0 Nfeature_list_sparse=1 Nfeature_list_dense=1 "
              "context_sparse_types=[] Tcontext_dense=[] context_dense_shapes=[] "
              "feature_list_sparse_types=[float] feature_list_dense_types=[int64] "
              "feature_list_dense_shapes=[[2]] feature_list_dense_missing_assumed_empty=['x'] "
              "context_sparse_keys=[] context_dense_keys=[] feature_list_sparse_keys=['y'] "
              "feature_list_dense_keys=['x']",
     .in =
         {"string [3] "
          "'\\x0a\\x19\\x0a\\x0b\\x0a\\x01c\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0a\\x0a"
          "\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x05\\x128\\x0a\\x1f\\x0a\\x01y\\x12\\x1a\\x0a\\x08"
          "\\x12\\x06\\x0a\\x04\\x00\\x00\\x80?"
          "\\x0a\\x00\\x0a\\x0c\\x12\\x0a\\x0a\\x08\\x00\\x00\\x00@\\x00\\x00@@"
          "\\x0a\\x15\\x0a\\x01x\\x12\\x10\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x06\\x1a\\"
          "x04\\x0a\\x02\\x03\\x04' "
          "'\\x0a\\x0c\\x0a\\x0a\\x0a\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x06\\x12\\x0f\\x0a\\x0d"
          "\\x0a\\x01x\\x12\\x08\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x07\\x08' '\\x0a\\x00\\x12\\x00'",
          "string [0]", "*0"},
     .out = {"int64 [3,3] 0 0 0 0 2 0 0 2 1", "float [3] 1 2 3", "int64 [3] 3 3 2",
             "int64 [3,2,2] 1 2 3 4 7 8 0 0 0 0 0 0", "int64 [3] 2 1 0"}},
    {.op = "ParseSequenceExample",
     .attrs = "Ncontext_sparse=1 Ncontext_dense=1 Nfeature_list_sparse=1 Nfeature_list_dense=0 "
              "context_sparse_types=[int64] Tcontext_dense=[int64] context_dense_shapes=[[]] "
              "feature_list_sparse_types=[int64] feature_list_dense_types=[] "
              "feature_list_dense_shapes=[] feature_list_dense_missing_assumed_empty=[] "
              "context_sparse_keys=['c'] context_dense_keys=['d'] feature_list_sparse_keys=['x'] "
              "feature_list_dense_keys=[]",
     .in = {"string [2] '\\x0a\\x00\\x12\\x00' "
            "'\\x0a\\x0c\\x0a\\x0a\\x0a\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x06\\x12\\x0f\\x0a\\x0"
            "d\\x0a\\x01x\\x12\\x08\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x07\\x08'",
            "string [0]", "*1 int64 [] 4"},
     .out = {"int64 [0,2]", "int64 [0]", "int64 [2] 2 0", "int64 [2] 4 6",
             "int64 [2,3] 1 0 0 1 0 1", "int64 [2] 7 8", "int64 [3] 2 1 2"}},
    {.op = "ParseSequenceExample",
     .attrs = "Ncontext_sparse=0 Ncontext_dense=0 Nfeature_list_sparse=0 Nfeature_list_dense=1 "
              "context_sparse_types=[] Tcontext_dense=[] context_dense_shapes=[] "
              "feature_list_sparse_types=[] feature_list_dense_types=[int64] "
              "feature_list_dense_shapes=[[2]] feature_list_dense_missing_assumed_empty=[] "
              "context_sparse_keys=[] context_dense_keys=[] feature_list_sparse_keys=[] "
              "feature_list_dense_keys=['x']",
     .in = {"string [2] '\\x0a\\x00\\x12\\x00' "
            "'\\x0a\\x0c\\x0a\\x0a\\x0a\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x06\\x12\\x0f\\x0a\\x0"
            "d\\x0a\\x01x\\x12\\x08\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x07\\x08'",
            "string [2] 'nm' 'b'", "*0"},
     .error = "INVALID_ARGUMENT"},
    {.op = "ParseSequenceExample",
     .attrs = "Ncontext_sparse=0 Ncontext_dense=0 Nfeature_list_sparse=0 Nfeature_list_dense=1 "
              "context_sparse_types=[] Tcontext_dense=[] context_dense_shapes=[] "
              "feature_list_sparse_types=[] feature_list_dense_types=[int64] "
              "feature_list_dense_shapes=[[3]] feature_list_dense_missing_assumed_empty=[] "
              "context_sparse_keys=[] context_dense_keys=[] feature_list_sparse_keys=[] "
              "feature_list_dense_keys=['x']",
     .in = {"string [1] "
            "'\\x0a\\x19\\x0a\\x0b\\x0a\\x01c\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0a\\x0"
            "a\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x05\\x128\\x0a\\x1f\\x0a\\x01y\\x12\\x1a\\x0a\\"
            "x08\\x12\\x06\\x0a\\x04\\x00\\x00\\x80?"
            "\\x0a\\x00\\x0a\\x0c\\x12\\x0a\\x0a\\x08\\x00\\x00\\x00@\\x00\\x00@@"
            "\\x0a\\x15\\x0a\\x01x\\x12\\x10\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x06\\x1a"
            "\\x04\\x0a\\x02\\x03\\x04'",
            "string [0]", "*0"},
     .error = "INVALID_ARGUMENT"},
    {.op = "ParseSequenceExample",
     .attrs = "Ncontext_sparse=0 Ncontext_dense=0 Nfeature_list_sparse=1 Nfeature_list_dense=0 "
              "context_sparse_types=[] Tcontext_dense=[] context_dense_shapes=[] "
              "feature_list_sparse_types=[float] feature_list_dense_types=[] "
              "feature_list_dense_shapes=[] feature_list_dense_missing_assumed_empty=[] "
              "context_sparse_keys=[] context_dense_keys=[] feature_list_sparse_keys=['x'] "
              "feature_list_dense_keys=[]",
     .in = {"string [1] "
            "'\\x0a\\x19\\x0a\\x0b\\x0a\\x01c\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0a\\x0"
            "a\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x05\\x128\\x0a\\x1f\\x0a\\x01y\\x12\\x1a\\x0a\\"
            "x08\\x12\\x06\\x0a\\x04\\x00\\x00\\x80?"
            "\\x0a\\x00\\x0a\\x0c\\x12\\x0a\\x0a\\x08\\x00\\x00\\x00@\\x00\\x00@@"
            "\\x0a\\x15\\x0a\\x01x\\x12\\x10\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x06\\x1a"
            "\\x04\\x0a\\x02\\x03\\x04'",
            "string [0]", "*0"},
     .error = "INVALID_ARGUMENT"},
    {.op = "ParseSequenceExample",
     .attrs =
         "Ncontext_sparse=1 Ncontext_dense=0 Nfeature_list_sparse=0 Nfeature_list_dense=0 "
         "context_sparse_types=[float] Tcontext_dense=[] context_dense_shapes=[] "
         "feature_list_sparse_types=[] feature_list_dense_types=[] feature_list_dense_shapes=[] "
         "feature_list_dense_missing_assumed_empty=[] context_sparse_keys=['c'] "
         "context_dense_keys=[] feature_list_sparse_keys=[] feature_list_dense_keys=[]",
     .in = {"string [1] "
            "'\\x0a\\x19\\x0a\\x0b\\x0a\\x01c\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0a\\x0"
            "a\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x05\\x128\\x0a\\x1f\\x0a\\x01y\\x12\\x1a\\x0a\\"
            "x08\\x12\\x06\\x0a\\x04\\x00\\x00\\x80?"
            "\\x0a\\x00\\x0a\\x0c\\x12\\x0a\\x0a\\x08\\x00\\x00\\x00@\\x00\\x00@@"
            "\\x0a\\x15\\x0a\\x01x\\x12\\x10\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x06\\x1a"
            "\\x04\\x0a\\x02\\x03\\x04'",
            "string [0]", "*0"},
     .error = "INVALID_ARGUMENT"},
    {.op = "ParseSequenceExample",
     .attrs =
         "Ncontext_sparse=0 Ncontext_dense=1 Nfeature_list_sparse=0 Nfeature_list_dense=0 "
         "context_sparse_types=[] Tcontext_dense=[int64] context_dense_shapes=[[]] "
         "feature_list_sparse_types=[] feature_list_dense_types=[] feature_list_dense_shapes=[] "
         "feature_list_dense_missing_assumed_empty=[] context_sparse_keys=[] "
         "context_dense_keys=['d'] feature_list_sparse_keys=[] feature_list_dense_keys=[]",
     .in = {"string [1] '\\x0a\\x00\\x12\\x00'", "string [0]", "*1 int64 [0]"},
     .error = "INVALID_ARGUMENT"},
    {.op = "ParseSequenceExample",
     .attrs =
         "Ncontext_sparse=0 Ncontext_dense=1 Nfeature_list_sparse=0 Nfeature_list_dense=0 "
         "context_sparse_types=[] Tcontext_dense=[int64] context_dense_shapes=[[]] "
         "feature_list_sparse_types=[] feature_list_dense_types=[] feature_list_dense_shapes=[] "
         "feature_list_dense_missing_assumed_empty=[] context_sparse_keys=[] "
         "context_dense_keys=['c'] feature_list_sparse_keys=[] feature_list_dense_keys=[]",
     .in = {"string [1] "
            "'\\x0a\\x19\\x0a\\x0b\\x0a\\x01c\\x12\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x0a\\x0"
            "a\\x01d\\x12\\x05\\x1a\\x03\\x0a\\x01\\x05\\x128\\x0a\\x1f\\x0a\\x01y\\x12\\x1a\\x0a\\"
            "x08\\x12\\x06\\x0a\\x04\\x00\\x00\\x80?"
            "\\x0a\\x00\\x0a\\x0c\\x12\\x0a\\x0a\\x08\\x00\\x00\\x00@\\x00\\x00@@"
            "\\x0a\\x15\\x0a\\x01x\\x12\\x10\\x0a\\x06\\x1a\\x04\\x0a\\x02\\x01\\x02\\x0a\\x06\\x1a"
            "\\x04\\x0a\\x02\\x03\\x04'",
            "string [0]", "*1 int64 [0]"},
     .error = "INVALID_ARGUMENT"},
    {.op = "ParseSequenceExample",
     .attrs = "Ncontext_sparse=0 Ncontext_dense=0 Nfeature_list_sparse=0 Nfeature_list_dense=1 "
              "context_sparse_types=[] Tcontext_dense=[] context_dense_shapes=[] "
              "feature_list_sparse_types=[] feature_list_dense_types=[int64] "
              "feature_list_dense_shapes=[[1]] feature_list_dense_missing_assumed_empty=[] "
              "context_sparse_keys=[] context_dense_keys=[] feature_list_sparse_keys=[] "
              "feature_list_dense_keys=['x']",
     .in = {"string [1] "
            "'\\x0a\\x00\\x12\\x10\\x0a\\x0e\\x0a\\x01x\\x12\\x09\\x0a\\x00\\x0a\\x05\\x1a\\x03\\x0"
            "a\\x01\\x01'",
            "string [0]", "*0"},
     .error = "INVALID_ARGUMENT"},
    {.op = "ParseSequenceExample",
     .attrs = "Ncontext_sparse=0 Ncontext_dense=0 Nfeature_list_sparse=0 Nfeature_list_dense=1 "
              "context_sparse_types=[] Tcontext_dense=[] context_dense_shapes=[] "
              "feature_list_sparse_types=[] feature_list_dense_types=[string] "
              "feature_list_dense_shapes=[[]] feature_list_dense_missing_assumed_empty=['x'] "
              "context_sparse_keys=[] context_dense_keys=[] feature_list_sparse_keys=[] "
              "feature_list_dense_keys=['x']",
     .in = {"string [2] "
            "'\\x0a\\x00\\x12\\x15\\x0a\\x13\\x0a\\x01x\\x12\\x0e\\x0a\\x05\\x0a\\x03\\x0a\\x01a\\x"
            "0a\\x05\\x0a\\x03\\x0a\\x01b' '\\x0a\\x00\\x12\\x00'",
            "string [0]", "*0"},
     .out = {"string [2,2] 'a' 'b' '' ''", "int64 [2] 2 0"}},
};

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
