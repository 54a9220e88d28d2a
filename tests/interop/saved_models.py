# SPDX-License-Identifier: Apache-2.0
"""SavedModels written by TensorFlow 1.15.5 and run by Leat, and the other way round: values equal. And those of
TensorFlow 2, run by Leat: tf2_models.py writes them, where $TF2_PYTHON or build/peers/tf2 (tools/peers.py) has one.

    saved_models.py --list
    saved_models.py LIBRARY [NAME...]
"""
import atexit
import ctypes as C
import functools
import os
import shutil
import subprocess
import tempfile

import numpy as np

import checks
import leat
from checks import LIBRARY
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

tf.compat.v1.logging.set_verbosity('ERROR')
CHECKS = checks.Checks('saved_model_')


# --- what TensorFlow writes ---

def model(session, asset=None):
    """A small net of variables of both kinds, trained a step: signature tensors and the init op."""
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    w = tf.get_variable('w', [3, 4], initializer=tf.random_normal_initializer(seed=3))
    b = tf.get_variable('b', [4], initializer=tf.ones_initializer(), use_resource=True)
    parts = tf.get_variable('parts', [4, 2], partitioner=tf.fixed_size_partitioner(2),
                            initializer=tf.random_normal_initializer(seed=4))
    y = tf.matmul(tf.nn.relu(tf.matmul(x, w) + b), tf.convert_to_tensor(parts), name='y')
    train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(tf.square(y)))
    init = None
    if asset:
        path = tf.constant(asset)
        tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, path)
        words = tf.get_variable('words', shape=[], dtype=tf.string, trainable=False,
                                initializer=tf.zeros_initializer())
        init = tf.assign(words, path, name='set_words').op
    session.run(tf.global_variables_initializer())
    session.run(train, {x: [[1, 2, 3], [0, 1, -1]]})
    return x, y, init


def signatures(x, y):
    info = tf.saved_model.utils.build_tensor_info
    return {'serving_default': tf.saved_model.signature_def_utils.build_signature_def(
        {'in': info(x)}, {'out': info(y)}, 'tensorflow/serving/predict')}


def write_theirs(path, tags=('serve',), asset=None, text=False):
    with tf.Graph().as_default(), tf.Session() as session:
        x, y, init = model(session, asset)
        builder = tf.saved_model.Builder(path)
        builder.add_meta_graph_and_variables(
            session, list(tags), signatures(x, y), main_op=init,
            assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS) if asset else None)
        builder.save(as_text=text)
        return session.run(y, {x: FEED})


FEED = np.array([[0.5, -1, 2], [3, 0, 1], [-2, -2, -2]], np.float32)


# --- Leat by ctypes ---

class Loaded(leat.Graph):
    """A graph and session from TF_LoadSessionFromSavedModel."""

    def __init__(self, path, tags=('serve',)):
        super().__init__(LIBRARY, b'')
        self.path, self.tags = path, [t.encode() for t in tags]

    def __enter__(self):
        options = self.lib.call('TF_NewSessionOptions')
        tags = (C.c_char_p * len(self.tags))(*self.tags)
        session = self.lib.call('TF_LoadSessionFromSavedModel', options, None, self.path.encode(), tags,
                                len(self.tags), self.graph, None, self.status)
        self.lib.call('TF_DeleteSessionOptions', options)
        try:
            self.check()
        except leat.Error:
            self.__exit__()
            raise
        self.session = session
        return self


class Strings(C.Structure):
    _fields_ = [('v', C.POINTER(C.c_char_p)), ('n', C.c_int)]


class NamedOutput(C.Structure):
    _fields_ = [('name', C.c_char_p), ('tensor', leat.Output)]


class Signature(C.Structure):
    _fields_ = [('name', C.c_char_p), ('method', C.c_char_p), ('inputs', C.POINTER(NamedOutput)),
                ('outputs', C.POINTER(NamedOutput)), ('num_inputs', C.c_int), ('num_outputs', C.c_int)]


class Asset(C.Structure):
    _fields_ = [('tensor', leat.Output), ('path', C.c_char_p)]


class SaveArgs(C.Structure):
    """struct leat_saved_model_save_args."""
    _fields_ = [('made_at', C.c_char_p), ('tags', Strings), ('signatures', C.POINTER(Signature)),
                ('num_signatures', C.c_int), ('assets', C.POINTER(Asset)), ('num_assets', C.c_int),
                ('init_op', C.c_void_p), ('saver', C.c_void_p), ('as_text', C.c_int)]


def write_ours(path, meta, text=False, tags=(b'serve',), asset=None):
    """Imports the MetaGraph, initialises, saves; y for FEED."""
    with leat.Graph(LIBRARY, b'') as g:
        buf = LIBRARY.call('TF_NewBufferFromString', meta, C.c_size_t(len(meta)))
        LIBRARY.call('leat_import_meta_graph', g.graph, buf, None, g.status)
        LIBRARY.call('TF_DeleteBuffer', buf)
        g.check()
        g.run({}, [], ['init'])
        want = g.run({'x:0': FEED}, ['y:0'])[0]
        one = Signature(None, None, C.pointer(NamedOutput(b'in', g.output('x:0'))),
                        C.pointer(NamedOutput(b'out', g.output('y:0'))), 1, 1)
        args = SaveArgs(tags=Strings((C.c_char_p * len(tags))(*tags), len(tags)),
                        signatures=C.pointer(one), num_signatures=1, as_text=int(text))
        if asset:
            args.assets = C.pointer(Asset(g.output('asset:0'), asset.encode()))
            args.num_assets = 1
            args.init_op = g.output('set_words').oper
        LIBRARY.call('leat_saved_model_save_fn', g.graph, g.session, path.encode(), g.status, C.byref(args))
        g.check()
        return want


def meta_graph(asset=False):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3], name='x')
        w = tf.get_variable('w', [3, 4], initializer=tf.random_normal_initializer(seed=3))
        b = tf.get_variable('b', [4], initializer=tf.random_normal_initializer(seed=5), use_resource=True)
        tf.add(tf.matmul(x, w), b, name='y')
        if asset:
            words = tf.get_variable('words', shape=[], dtype=tf.string, trainable=False,
                                    initializer=tf.zeros_initializer())
            tf.assign(words, tf.constant('nowhere', name='asset'), name='set_words')
        tf.global_variables_initializer()
        return tf.train.export_meta_graph().SerializeToString()


def near(got, want):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, 'shape %s, not %s' % (got.shape, want.shape)
    assert np.allclose(got, want, 1e-5, 1e-6), 'other values: %s, not %s' % (got.ravel()[:4], want.ravel()[:4])


def read_theirs(path, want, tags=('serve',)):
    """TensorFlow loads it, runs the signature, and trains on."""
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.load(session, list(tags), path)
        sig = meta.signature_def['serving_default']
        y = sig.outputs['out'].name
        near(session.run(y, {sig.inputs['in'].name: FEED}), want)
        loss = tf.reduce_sum(session.graph.get_tensor_by_name(y))
        train = tf.train.GradientDescentOptimizer(1).minimize(loss)
        session.run(train, {'x:0': FEED})
        assert not np.allclose(session.run(y, {'x:0': FEED}), want), 'nothing was trained'
        return [v.name for v in tf.global_variables()]


@CHECKS
def read_by_leat(folder):
    want = write_theirs(folder + '/m')
    with Loaded(folder + '/m') as g:
        near(g.run({'x:0': FEED}, ['y:0'])[0], want)


@CHECKS
def read_by_leat_text_and_tags(folder):
    want = write_theirs(folder + '/m', ('serve', 'gpu'), text=True)
    with Loaded(folder + '/m', ('gpu', 'serve')) as g:
        near(g.run({'x:0': FEED}, ['y:0'])[0], want)


@CHECKS
def read_by_leat_with_asset(folder):
    asset = folder + '/words.txt'
    with open(asset, 'w') as f:
        f.write('a\nb\n')
    want = write_theirs(folder + '/m', asset=asset)
    with Loaded(folder + '/m') as g:
        y, words = g.run({'x:0': FEED}, ['y:0', 'words:0'])
        near(y, want)
        assert np.asarray(words).item() == (folder + '/m/assets/words.txt').encode(), words


@CHECKS
def written_by_leat(folder):
    want = write_ours(folder + '/m', meta_graph())
    names = read_theirs(folder + '/m', want)
    assert sorted(names) == ['b:0', 'w:0'], names
    with Loaded(folder + '/m') as g:
        near(g.run({'x:0': FEED}, ['y:0'])[0], want)


@CHECKS
def written_by_leat_text_and_tags(folder):
    want = write_ours(folder + '/m', meta_graph(), True, (b'a', b'b'))
    read_theirs(folder + '/m', want, ('b', 'a'))


@CHECKS
def written_by_leat_with_asset(folder):
    asset = folder + '/words.bin'
    with open(asset, 'wb') as f:
        f.write(bytes(range(256)) * 10000)
    write_ours(folder + '/m', meta_graph(True), asset=asset)
    with open(asset, 'rb') as f, open(folder + '/m/assets/words.bin', 'rb') as g:
        assert f.read() == g.read(), 'the asset was changed'
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, ['serve'], folder + '/m')
        assert session.run('words:0') == (folder + '/m/assets/words.bin').encode()


# --- what TensorFlow 2 writes ---

@functools.lru_cache(None)
def models_of_tensorflow_2():
    """The folder of tf2_models.py's models, made once; None: there is no TensorFlow 2."""
    here = os.path.dirname(os.path.abspath(__file__))
    python = os.environ.get('TF2_PYTHON') or os.path.join(here, '..', '..', 'build', 'peers', 'tf2', 'bin', 'python')
    if not os.path.exists(python):
        return None
    folder = tempfile.mkdtemp(prefix='leat-tf2-models-')
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    done = subprocess.run([python, os.path.join(here, 'tf2_models.py'), folder], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    assert done.returncode == 0, 'tf2_models.py: ' + done.stdout[-500:]
    assert done.stdout.split()[-1].startswith('2.'), 'TensorFlow %s' % done.stdout.split()[-1]
    return folder


def of_tensorflow_2(name):
    folder = models_of_tensorflow_2()
    if not folder:
        raise checks.Skip('no TensorFlow 2 (tools/peers.py tf2 installs it)')
    path = os.path.join(folder, name)
    with open(path + '/saved_model.pb', 'rb') as f:
        meta, = saved_model_pb2.SavedModel.FromString(f.read()).meta_graphs
    sig = meta.signature_def['serving_default']
    with np.load(path + '.npz') as values:
        feeds = {sig.inputs[k[3:]].name: values[k] for k in values if k.startswith('in ')}
        wants = {k[4:]: values[k] for k in values if k.startswith('out ')}
    assert len(wants) == len(sig.outputs) > 0 and len(feeds) == len(sig.inputs), 'a signature of other names'
    with Loaded(path) as g:
        for key, got in zip(wants, g.run(feeds, [sig.outputs[k].name for k in wants])):
            if wants[key].dtype.kind == 'S':
                assert np.asarray(got).tolist() == wants[key].tolist(), 'other text: %s' % got
            else:
                near(got, wants[key])


for model_2 in ('turns', 'keras_convolutions', 'keras_words'):
    CHECKS['saved_model_of_tensorflow_2_' + model_2] = functools.partial(of_tensorflow_2, model_2)


if __name__ == '__main__':
    CHECKS.main()
