# SPDX-License-Identifier: Apache-2.0
"""Protocol messages: that they behave, print and encode as google.protobuf's.

Texts, bytes and errors that stand here are what google.protobuf 3.20 gives for TensorFlow 1.15's.
"""
import copy
import pickle
import unittest

from leat import _google, _message, _json_format as json_format, _text_format as text_format
from leat.core.framework import (attr_value_pb2, graph_pb2, node_def_pb2, summary_pb2,
                                 tensor_pb2, tensor_shape_pb2, types_pb2)
from leat.core.protobuf import config_pb2, meta_graph_pb2
from leat.core.util import event_pb2
from leat.python.training import checkpoint_state_pb2

AttrValue, NodeDef, GraphDef = attr_value_pb2.AttrValue, node_def_pb2.NodeDef, graph_pb2.GraphDef


def small_graph():
    graph = GraphDef(versions={'producer': 134})
    node = graph.node.add(name='x', op='Const')
    node.input.extend(['a', '^b'])
    node.attr['dtype'].type = types_pb2.DT_FLOAT
    node.attr['shape'].shape.dim.add(size=-1)
    return graph


TEXT = '''node {
  name: "x"
  op: "Const"
  input: "a"
  input: "^b"
  attr {
    key: "dtype"
    value {
      type: DT_FLOAT
    }
  }
  attr {
    key: "shape"
    value {
      shape {
        dim {
          size: -1
        }
      }
    }
  }
}
versions {
  producer: 134
}
'''


class Forms(unittest.TestCase):

    def test_text(self):
        self.assertEqual(str(small_graph()), TEXT)
        self.assertEqual(text_format.Parse(TEXT, GraphDef()), small_graph())
        self.assertEqual(text_format.MessageToString(tensor_shape_pb2.TensorShapeProto(
            dim=[{'size': 2, 'name': 'a"b'}, {}]), as_one_line=True),
            'dim { size: 2 name: "a\\"b" } dim { }')

    def test_text_options(self):
        graph = small_graph()
        self.assertEqual(text_format.MessageToString(graph, as_utf8=True), TEXT)
        tensor = tensor_pb2.TensorProto(float_val=[0.1, 3])
        self.assertEqual(text_format.MessageToString(tensor, as_one_line=True,
                                                     use_short_repeated_primitives=True),
                         'float_val: [0.1, 3.0]')

    def test_str_is_not_text_format(self):
        """str() prints floats as doubles and maps whole; text_format prints them short."""
        self.assertEqual(str(AttrValue(f=0.1)), 'f: 0.10000000149011612\n')
        self.assertEqual(text_format.MessageToString(AttrValue(f=0.1)), 'f: 0.1\n')
        config = config_pb2.ConfigProto(device_count={'GPU': 0})
        self.assertEqual(str(config), 'device_count {\n  key: "GPU"\n  value: 0\n}\n')
        self.assertEqual(text_format.MessageToString(config), 'device_count {\n  key: "GPU"\n}\n')

    def test_text_errors(self):
        with self.assertRaises(text_format.ParseError) as e:
            text_format.Parse('foo: 1', GraphDef())
        self.assertEqual(str(e.exception),
                         '1:1 : Message type "tensorflow.GraphDef" has no field named "foo".')
        self.assertEqual((e.exception.GetLine(), e.exception.GetColumn()), (1, 1))

    def test_bytes(self):
        node = NodeDef(name='n', op='Add', input=['a', 'b'])
        node.attr['T'].type = 1
        wire = b'\n\x01n\x12\x03Add\x1a\x01a\x1a\x01b*\x07\n\x01T\x12\x020\x01'
        self.assertEqual(node.SerializeToString(), wire)
        self.assertEqual(NodeDef.FromString(wire), node)
        self.assertEqual(node.ByteSize(), len(wire))
        again = NodeDef()
        self.assertEqual(again.ParseFromString(wire), len(wire))
        again.MergeFromString(wire)
        self.assertEqual(list(again.input), ['a', 'b', 'a', 'b'])

    def test_bad_bytes(self):
        with self.assertRaises(_message.DecodeError):
            GraphDef.FromString(b'\xff')
        graph = small_graph()
        with self.assertRaises(_message.DecodeError):
            graph.ParseFromString(b'\x0a\x7f')
        self.assertEqual(graph, small_graph())
        with self.assertRaises(TypeError):
            graph.MergeFromString('abc')

    def test_unknown_fields(self):
        wire = b'\n\x01n\xf8\x7f\x05'
        node = NodeDef.FromString(wire)
        self.assertEqual(node.SerializeToString(), wire)
        node.DiscardUnknownFields()
        self.assertEqual(node.SerializeToString(), b'\n\x01n')

    def test_copies(self):
        graph = small_graph()
        for other in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph)), copy.copy(graph)):
            self.assertEqual(other, graph)
            other.node[0].name = 'y'
            self.assertNotEqual(other, graph)
        self.assertEqual(graph, small_graph())
        with self.assertRaises(TypeError):
            hash(graph)

    def test_deep_nesting_fails(self):
        value = event = attr_value_pb2.NameAttrList()
        for _ in range(200):
            value = value.attr['f'].func
            value.SetInParent()
        with self.assertRaises(ValueError):
            event.SerializeToString()


class Fields(unittest.TestCase):

    def check(self, error, text, function):
        with self.assertRaises(error) as e:
            function()
        self.assertEqual(str(e.exception), text)

    def test_scalars(self):
        attr = AttrValue()
        self.check(TypeError, '1.5 has type float, but expected one of: int',
                   lambda: setattr(attr, 'i', 1.5))
        self.check(ValueError, 'Value out of range: 9223372036854775808',
                   lambda: setattr(attr, 'i', 1 << 63))
        self.check(TypeError, "'abc' has type str, but expected one of: bytes",
                   lambda: setattr(attr, 's', 'abc'))
        self.check(TypeError, '1 has type int, but expected one of: bytes, unicode',
                   lambda: NodeDef(name=1))
        self.assertIsNone(attr.WhichOneof('value'))
        attr.f = 0.1
        self.assertEqual(attr.f, 0.10000000149011612)
        attr.b = 5
        self.assertIs(attr.b, True)
        self.assertEqual(NodeDef(name=b'abc').name, 'abc')

    def test_constructor(self):
        self.check(ValueError, 'Protocol message NodeDef has no "foo" field.',
                   lambda: NodeDef(foo=1))
        self.check(TypeError, 'No positional arguments allowed', lambda: NodeDef(1))
        self.check(ValueError, 'unknown enum label "XX"', lambda: AttrValue(type='XX'))
        self.assertEqual(AttrValue(type='DT_FLOAT').type, 1)
        self.assertEqual(str(GraphDef(node=None)), '')
        node = NodeDef(attr={'x': AttrValue(i=1)})
        self.assertEqual(node.attr['x'].i, 1)

    def test_assignment(self):
        node = NodeDef()
        self.check(AttributeError, "'NodeDef' object has no attribute 'foo'",
                   lambda: setattr(node, 'foo', 1))
        self.check(AttributeError, 'Assignment not allowed to repeated field "input" in protocol '
                   'message object.', lambda: setattr(node, 'input', ['a']))
        self.check(ValueError, 'Direct assignment of submessage not allowed',
                   lambda: node.attr.__setitem__('x', 3))
        self.check(AttributeError, 'foo', lambda: node.foo)

    def test_presence(self):
        config = config_pb2.ConfigProto()
        options = config.graph_options.optimizer_options
        self.assertFalse(config.HasField('graph_options'))
        self.assertIs(config.graph_options.optimizer_options, options)
        options.opt_level = config_pb2.OptimizerOptions.L0
        self.assertTrue(config.HasField('graph_options'))
        self.assertEqual(config.graph_options.optimizer_options.opt_level, -1)
        config.ClearField('graph_options')
        options.opt_level = 0
        self.assertFalse(config.HasField('graph_options'))
        config.gpu_options.SetInParent()
        self.assertTrue(config.HasField('gpu_options'))
        self.check(ValueError, 'Protocol message ConfigProto has no field zz.',
                   lambda: config.HasField('zz'))

    def test_oneof(self):
        attr = AttrValue(i=0)
        self.assertEqual(attr.WhichOneof('value'), 'i')
        self.assertEqual(attr.SerializeToString(), b'\x18\x00')
        attr.list.i.extend([1, 2])
        self.assertEqual(attr.WhichOneof('value'), 'list')
        self.assertFalse(attr.HasField('i'))
        attr.ClearField('value')
        self.assertEqual(attr, AttrValue())

    def test_repeated(self):
        tensor = tensor_pb2.TensorProto(int_val=[3, 1, 2])
        tensor.int_val.sort()
        self.assertEqual(tensor.int_val, [1, 2, 3])
        tensor.int_val[1:] = [7]
        del tensor.int_val[0]
        tensor.int_val.append(8)
        self.assertEqual(tensor.int_val.pop(), 8)
        self.assertEqual(list(tensor.int_val), [7])
        self.check(TypeError, "'x' has type str, but expected one of: int",
                   lambda: tensor.int_val.append('x'))
        graph = small_graph()
        graph.node.extend([NodeDef(name='b'), NodeDef(name='a')])
        graph.node.sort(key=lambda n: n.name)
        self.assertEqual([n.name for n in graph.node], ['a', 'b', 'x'])
        self.check(TypeError, 'Parameter to MergeFrom() must be instance of same class: expected '
                   'tensorflow.NodeDef got tensorflow.GraphDef.', lambda: graph.node.append(graph))
        del graph.node[:2]
        self.assertEqual(graph, small_graph())

    def test_maps(self):
        config = config_pb2.ConfigProto(device_count={'CPU': 2})
        self.assertEqual(config.device_count['GPU'], 0)
        self.assertEqual(dict(config.device_count), {'CPU': 2, 'GPU': 0})
        node = small_graph().node[0]
        self.assertEqual(sorted(node.attr), ['dtype', 'shape'])
        self.assertNotIn('q', node.attr)
        self.assertIsNone(node.attr.get('q'))
        node.attr['q'].CopyFrom(AttrValue(s=b'v'))
        self.assertEqual(node.attr['q'].s, b'v')
        del node.attr['q']
        with self.assertRaises(KeyError):
            del node.attr['q']
        self.check(TypeError, '3 has type int, but expected one of: bytes, unicode',
                   lambda: node.attr[3])

    def test_merge(self):
        graph, other = small_graph(), small_graph()
        other.versions.min_consumer = 12
        other.node[0].attr['dtype'].type = 2
        graph.MergeFrom(other)
        self.assertEqual(len(graph.node), 2)
        self.assertEqual((graph.versions.producer, graph.versions.min_consumer), (134, 12))
        graph.node[0].MergeFrom(graph.node[1])
        self.assertEqual(graph.node[0].attr['dtype'].type, 2)
        self.assertEqual(len(graph.node[0].input), 4)
        self.assertEqual(other.node[0].attr['dtype'].type, 2)

    def test_any(self):
        meta = meta_graph_pb2.MetaGraphDef()
        meta.meta_info_def.any_info.Pack(NodeDef(name='n'))
        found = NodeDef()
        self.assertFalse(meta.meta_info_def.any_info.Unpack(GraphDef()))
        self.assertTrue(meta.meta_info_def.any_info.Unpack(found))
        self.assertEqual(found.name, 'n')


class Names(unittest.TestCase):
    """google.protobuf's modules, whether it is installed or not."""

    def test_google_protobuf(self):
        _google.install()
        from google.protobuf import json_format, text_format as google_text
        text = google_text.MessageToString(small_graph())
        self.assertEqual(text, TEXT)
        self.assertEqual(google_text.Merge(text, GraphDef()), small_graph())
        tree = json_format.MessageToDict(AttrValue(f=0.1))
        self.assertEqual(tree, {'f': 0.1})

    def test_json(self):
        graph = small_graph()
        tree = json_format.MessageToDict(graph)
        self.assertEqual(tree['node'][0]['attr']['dtype'], {'type': 'DT_FLOAT'})
        self.assertEqual(tree['node'][0]['attr']['shape'], {'shape': {'dim': [{'size': '-1'}]}})
        self.assertEqual(json_format.Parse(json_format.MessageToJson(graph), GraphDef()), graph)
        attr = AttrValue(s=b'\xff\x00')
        self.assertEqual(json_format.MessageToDict(attr), {'s': '/wA='})
        self.assertEqual(json_format.ParseDict({'s': '/wA='}, AttrValue()), attr)
        with self.assertRaises(json_format.ParseError):
            json_format.Parse('{"foo": 1}', GraphDef())
        with self.assertRaises(json_format.ParseError):
            json_format.Parse('{', GraphDef())


class Types(unittest.TestCase):

    def test_enums(self):
        self.assertEqual(types_pb2.DataType.Name(1), 'DT_FLOAT')
        self.assertEqual(types_pb2.DataType.Value('DT_INT32'), 3)
        self.assertEqual(types_pb2.DT_STRING, 7)
        self.assertEqual(types_pb2.DataType.keys()[:2], ['DT_INVALID', 'DT_FLOAT'])
        with self.assertRaises(ValueError):
            types_pb2.DataType.Name(999)
        self.assertEqual(config_pb2.RunOptions.FULL_TRACE, 3)
        self.assertEqual(config_pb2.RunOptions.TraceLevel.Name(3), 'FULL_TRACE')

    def test_nested(self):
        value = summary_pb2.Summary.Value(tag='loss', simple_value=1.5)
        event = event_pb2.Event(wall_time=2.0, step=3, summary=summary_pb2.Summary(value=[value]))
        self.assertEqual(event.WhichOneof('what'), 'summary')
        self.assertEqual(event.summary.value[0].simple_value, 1.5)
        self.assertEqual(config_pb2.ConfigProto.Experimental.DESCRIPTOR.full_name,
                         'tensorflow.ConfigProto.Experimental')
        self.assertEqual(checkpoint_state_pb2.CheckpointState.__module__,
                         'leat.python.training.checkpoint_state_pb2')

    def test_descriptors(self):
        d = NodeDef.DESCRIPTOR
        self.assertEqual((d.name, d.full_name), ('NodeDef', 'tensorflow.NodeDef'))
        self.assertEqual([f.number for f in d.fields], sorted(d.fields_by_number))
        attr = d.fields_by_name['attr']
        self.assertEqual((attr.label, attr.type, attr.cpp_type), (3, 11, 10))
        self.assertTrue(attr.message_type.GetOptions().map_entry)
        self.assertEqual(config_pb2.DESCRIPTOR.name, 'tensorflow/core/protobuf/config.proto')
        self.assertEqual(config_pb2.ConfigProto.GPU_OPTIONS_FIELD_NUMBER, 6)
        self.assertEqual([f.name for f, _ in small_graph().ListFields()], ['node', 'versions'])
        with self.assertRaises(AttributeError):
            config_pb2.NoSuchMessage
        with self.assertRaises(AttributeError):
            NodeDef.NoSuchThing


if __name__ == '__main__':
    unittest.main()
