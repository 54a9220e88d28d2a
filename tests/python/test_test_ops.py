# SPDX-License-Identifier: Apache-2.0
"""framework.test_ops and the errors of op_def_library: what each says, in 1.15's words."""
import unittest

import leat as tf
from leat._load import core
from leat.python.framework import function
from leat.python.framework import ops
from leat.python.framework import test_ops


def apply(*args, **keywords):
    return test_ops._op_def_lib.apply_op(*args, **keywords)


class Registered(unittest.TestCase):

    def setUp(self):
        ops.reset_default_graph()

    def test_they_are_ops(self):
        self.assertIn('NInPolymorphicTwice', core.op_names())
        self.assertEqual(test_ops.none().type, 'None')
        self.assertEqual([t.dtype for t in test_ops.two_float_outputs()], [tf.float32] * 2)
        self.assertIsNone(test_ops.a().shape.ndims)
        self.assertTrue(test_ops.ref_output().dtype._is_ref_dtype)
        self.assertEqual(test_ops.n_ints_out_default()[2].name, 'NIntsOutDefault:2')

    def test_defaults(self):
        op = test_ops.default_attrs()
        self.assertEqual(op.get_attr('int_list_val'), [1, 2, 3])
        self.assertEqual(op.get_attr('string_list_val'), [b'abc', b''])
        self.assertEqual(op.get_attr('tensor_val').int_val[0], 1)

    def test_structures_hold_lists_that_are_empty(self):
        a, b, c = apply('ComplexStruct', n_a=0, n_b=1, t_c=[])
        self.assertEqual((a, len(b), c), ([], 1, []))
        self.assertEqual(apply('SimpleStruct', n_a=0), [])
        self.assertEqual(apply('OutTypeList', T=[]), [])

    def test_an_op_that_is_run_for_what_it_does_is_itself(self):
        self.assertIsInstance(tf.py_func(lambda: None, [], [], stateful=True), tf.Operation)
        self.assertEqual(tf.py_func(lambda: None, [], [], stateful=False), [])

    def test_a_reference_binds_its_user(self):
        op = test_ops.ref_in(test_ops.ref_out(tf.bool, name='ref'))
        self.assertEqual(op.colocation_groups(), [b'loc:@ref'])

    def test_functions_as_attrs(self):
        @function.Defun(tf.float32, func_name='Same')
        def same(x):
            return x
        self.assertEqual(test_ops.func_attr(same).get_attr('f').name, 'Same')

    def test_the_old_one_is_refused(self):
        with self.assertRaisesRegex(NotImplementedError, 'It has been removed in version 8. For '
                                                         'reasons.$'):
            test_ops.old()


_ERRORS = '''
Simple|TypeError|No argument for input a|{}
Simple|TypeError|apply_op() got unexpected keyword arguments: extra|{'a': 3, 'extra': 5}
Attr|TypeError|No argument for attr a|{}
Attr|TypeError|Expected int for argument 'a' not None.|{'a': None}
Attr|ValueError|Value out of range: 9223372036854775808|{'a': 2 ** 63}
AttrDefault|TypeError|No argument for attr a|{}
AttrMin|ValueError|Attr 'a' of 'AttrMin' Op passed 3 less than minimum 5.|{'a': 3}
AttrEnum|ValueError|Attr 'a' of 'AttrEnum' Op passed string 'x' not in: "apples", "oranges".|{'a':
  'x'}
AttrShape|ValueError|Error converting a to a TensorShape: Dimension -1 must be >= 0|{'a': [-1]}
FuncAttr|TypeError|Don't know how to convert 3 to a func for argument f|{'f': 3}
FuncListAttr|TypeError|Expected list for attr f|{'f': 3}
Polymorphic|TypeError|Should not specify value for inferred attr 'T'.|{'a': 3, 'T': tf.int32}
TypeList|TypeError|Tensors in list passed to 'a' of 'TypeList' Op have types [<NOT CONVERTIBLE TO
  TENSOR>] that are invalid. Tensors: [None]|{'a': [None]}
TypeListTwice|TypeError|Input 'b' of 'TypeListTwice' Op has type list of bool that does not match
  type list string of argument 'a'.|{'a': ['a'], 'b': [False]}
TypeListRestrict|ValueError|Attr 'T' of 'TypeListRestrict' Op passed list of length 0 less than
  minimum 1.|{'a': []}
NPolymorphicIn|TypeError|Tensors in list passed to 'a' of 'NPolymorphicIn' Op have types [float32,
  int32] that don't all match.|{'a': [1., 2]}
NInPolymorphicTwice|TypeError|Tensors in list passed to 'b' of 'NInPolymorphicTwice' Op have types
  [string, string] that do not match type int32 inferred from earlier arguments.|{'a': [1, 2],
  'b': ['x', 'y']}
InPolymorphicTwice|TypeError|Don't know how to infer type variable from empty input list passed to
  input 'a' of 'InPolymorphicTwice' Op.|{'a': [], 'b': [3]}
'''.replace('|TypeError|', '|0|').replace(
    '|ValueError|', '|1|').replace('\n  ', ' ')


class Errors(unittest.TestCase):

    def test_each_says_what_1_15_says(self):
        for line in _ERRORS.strip().split('\n'):
            op, kind, text, arguments = line.split('|')
            with self.subTest(op=op, text=text), tf.Graph().as_default():
                with self.assertRaises(ValueError if kind == '1' else TypeError) as caught:
                    apply(op, **eval(arguments))
                self.assertEqual(str(caught.exception), text)


if __name__ == '__main__':
    unittest.main()
