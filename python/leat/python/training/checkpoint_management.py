# SPDX-License-Identifier: Apache-2.0
"""Which checkpoints a folder has: the file `checkpoint`, names of files, their removal."""
import os.path
import re
import time

from leat import _text_format as text_format
from leat.core.protobuf import saver_pb2
from leat.python.framework import errors
from leat.python.framework import ops
from leat.python.lib.io import file_io
from leat.python.platform import tf_logging as logging
from leat.python.training import checkpoint_state_pb2
from leat.python.util import compat

CheckpointState = checkpoint_state_pb2.CheckpointState


def _GetCheckpointFilename(save_dir, latest_filename):
    if latest_filename is None:
        latest_filename = 'checkpoint'
    return os.path.join(save_dir, latest_filename)


def _relative_to(directory, path):
    """A path below (or beside) directory as seen from there; absolute ones stay."""
    return path if os.path.isabs(path) else os.path.relpath(path, directory)


def generate_checkpoint_state_proto(save_dir, model_checkpoint_path,
                                    all_model_checkpoint_paths=None,
                                    all_model_checkpoint_timestamps=None,
                                    last_preserved_timestamp=None):
    """The CheckpointState; paths that are not absolute are made relative to save_dir."""
    all_model_checkpoint_paths = list(all_model_checkpoint_paths or [])
    if (not all_model_checkpoint_paths or
            all_model_checkpoint_paths[-1] != model_checkpoint_path):
        logging.info('%s is not in all_model_checkpoint_paths. Manually adding it.',
                     model_checkpoint_path)
        all_model_checkpoint_paths.append(model_checkpoint_path)
    if (all_model_checkpoint_timestamps and
            len(all_model_checkpoint_timestamps) != len(all_model_checkpoint_paths)):
        raise ValueError(
            'Checkpoint timestamps, if provided, must match checkpoint paths (got paths %s and '
            'timestamps %s)' % (all_model_checkpoint_paths, all_model_checkpoint_timestamps))
    if not os.path.isabs(save_dir):
        all_model_checkpoint_paths = [_relative_to(save_dir, p)
                                      for p in all_model_checkpoint_paths]
        model_checkpoint_path = _relative_to(save_dir, model_checkpoint_path)
    return CheckpointState(
        model_checkpoint_path=model_checkpoint_path,
        all_model_checkpoint_paths=all_model_checkpoint_paths,
        all_model_checkpoint_timestamps=all_model_checkpoint_timestamps or [],
        last_preserved_timestamp=last_preserved_timestamp)


def update_checkpoint_state(save_dir, model_checkpoint_path, all_model_checkpoint_paths=None,
                            latest_filename=None, all_model_checkpoint_timestamps=None,
                            last_preserved_timestamp=None):
    """Writes the file `checkpoint`."""
    update_checkpoint_state_internal(
        save_dir=save_dir, model_checkpoint_path=model_checkpoint_path,
        all_model_checkpoint_paths=all_model_checkpoint_paths, latest_filename=latest_filename,
        save_relative_paths=False,
        all_model_checkpoint_timestamps=all_model_checkpoint_timestamps,
        last_preserved_timestamp=last_preserved_timestamp)


def update_checkpoint_state_internal(save_dir, model_checkpoint_path,
                                     all_model_checkpoint_paths=None, latest_filename=None,
                                     save_relative_paths=False,
                                     all_model_checkpoint_timestamps=None,
                                     last_preserved_timestamp=None):
    """Writes the file `checkpoint`, with paths relative to save_dir where that is asked."""
    filename = _GetCheckpointFilename(save_dir, latest_filename)
    if save_relative_paths:
        def seen(path):
            return os.path.relpath(path, save_dir) if os.path.isabs(path) or save_dir else path
        latest = seen(model_checkpoint_path)
        paths = [seen(p) for p in all_model_checkpoint_paths or []]
        if not os.path.isabs(save_dir):
            state = CheckpointState(
                model_checkpoint_path=latest,
                all_model_checkpoint_paths=paths if paths and paths[-1] == latest
                else paths + [latest],
                all_model_checkpoint_timestamps=all_model_checkpoint_timestamps or [],
                last_preserved_timestamp=last_preserved_timestamp)
        else:
            state = generate_checkpoint_state_proto(
                save_dir, latest, paths, all_model_checkpoint_timestamps,
                last_preserved_timestamp)
    else:
        state = generate_checkpoint_state_proto(
            save_dir, model_checkpoint_path, all_model_checkpoint_paths,
            all_model_checkpoint_timestamps, last_preserved_timestamp)
    if filename == state.model_checkpoint_path:
        raise RuntimeError('Save path \'%s\' conflicts with path used for checkpoint state.  '
                           'Please use a different save path.' % model_checkpoint_path)
    file_io.atomic_write_string_to_file(filename, text_format.MessageToString(state))


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """The CheckpointState of a folder, with whole paths; None without one."""
    state = None
    filename = _GetCheckpointFilename(compat.as_str(compat.path_to_str(checkpoint_dir)),
                                      latest_filename)
    try:
        if file_io.file_exists(filename):
            text = file_io.read_file_to_string(filename)
            state = CheckpointState()
            text_format.Merge(text, state)
            if not state.model_checkpoint_path:
                raise ValueError('Invalid checkpoint state loaded from ' + checkpoint_dir)
            if not os.path.isabs(state.model_checkpoint_path):
                state.model_checkpoint_path = os.path.join(checkpoint_dir,
                                                           state.model_checkpoint_path)
            for i, path in enumerate(state.all_model_checkpoint_paths):
                if not os.path.isabs(path):
                    state.all_model_checkpoint_paths[i] = os.path.join(checkpoint_dir, path)
    except errors.OpError as e:
        logging.warning('%s: %s', type(e).__name__, e)
        logging.warning('%s: Checkpoint ignored', filename)
        return None
    except text_format.ParseError as e:
        logging.warning('%s: %s', type(e).__name__, e)
        logging.warning('%s: Checkpoint ignored', filename)
        return None
    return state


def _prefix_to_checkpoint_path(prefix, format_version):
    """The file (or, of V2, the index) of a checkpoint."""
    return prefix + '.index' if format_version == saver_pb2.SaverDef.V2 else prefix


def latest_checkpoint(checkpoint_dir, latest_filename=None):
    """The newest checkpoint's name; None."""
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state and state.model_checkpoint_path:
        v2 = _prefix_to_checkpoint_path(state.model_checkpoint_path, saver_pb2.SaverDef.V2)
        v1 = _prefix_to_checkpoint_path(state.model_checkpoint_path, saver_pb2.SaverDef.V1)
        if file_io.get_matching_files(v2) or file_io.get_matching_files(v1):
            return state.model_checkpoint_path
        logging.error('Couldn\'t match files for checkpoint %s', state.model_checkpoint_path)
    return None


def checkpoint_exists(checkpoint_prefix):
    """Whether there is a checkpoint of this name, of V2, V1 or V1 in shards."""
    pattern = _prefix_to_checkpoint_path(checkpoint_prefix, saver_pb2.SaverDef.V2)
    if file_io.get_matching_files(pattern):
        return True
    return bool(file_io.get_matching_files(checkpoint_prefix))


def get_checkpoint_mtimes(checkpoint_prefixes):
    """When each checkpoint was written, in seconds; those that are not there are left out."""
    mtimes = []
    for prefix in checkpoint_prefixes:
        for version in (saver_pb2.SaverDef.V2, saver_pb2.SaverDef.V1):
            found = file_io.get_matching_files(_prefix_to_checkpoint_path(prefix, version))
            if found:
                mtimes.append(file_io.stat(found[0]).mtime_nsec / 1e9)
                break
    return mtimes


def remove_checkpoint(checkpoint_prefix, checkpoint_format_version=saver_pb2.SaverDef.V2,
                      meta_graph_suffix='meta'):
    """Deletes a checkpoint's files."""
    _delete_file_if_exists(meta_graph_filename(checkpoint_prefix, meta_graph_suffix))
    if checkpoint_format_version == saver_pb2.SaverDef.V2:
        _delete_file_if_exists(checkpoint_prefix + '.index')
        _delete_file_if_exists(checkpoint_prefix + '.data-?????-of-?????')
    else:
        _delete_file_if_exists(checkpoint_prefix)


def _delete_file_if_exists(filespec):
    for pathname in file_io.get_matching_files(filespec):
        file_io.delete_file(pathname)


def meta_graph_filename(checkpoint_filename, meta_graph_suffix='meta'):
    """The name of the MetaGraph beside a checkpoint."""
    basename = re.sub(r'-[\d\?]+-of-\d+$', '', checkpoint_filename)
    return '.'.join([basename, meta_graph_suffix])


class CheckpointManager(object):
    """Keeps the newest few checkpoints of an object that can save(path) itself."""

    def __init__(self, checkpoint, directory, max_to_keep, keep_checkpoint_every_n_hours=None,
                 checkpoint_name='ckpt'):
        self._checkpoint = checkpoint
        self._save_counter_assign = None
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError('Expected a positive integer or `None` for `max_to_keep`, got %d.'
                             % (max_to_keep,))
        self._max_to_keep = max_to_keep
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._directory = directory
        self._checkpoint_prefix = os.path.join(directory, checkpoint_name)
        recovered = get_checkpoint_state(directory)
        now = time.time()
        self._maybe_delete = {}
        if recovered is None:
            self._latest_checkpoint = None
            self._last_preserved_timestamp = now - 1e-6
            return
        self._latest_checkpoint = recovered.model_checkpoint_path
        self._last_preserved_timestamp = recovered.last_preserved_timestamp
        times = list(recovered.all_model_checkpoint_timestamps)
        paths = list(recovered.all_model_checkpoint_paths)
        if len(times) != len(paths):
            times = [now] * len(paths)
        if self._last_preserved_timestamp is None:
            self._last_preserved_timestamp = min([now] + times)
        self._maybe_delete.update(zip(paths, times))

    @property
    def latest_checkpoint(self):
        return self._latest_checkpoint

    @property
    def checkpoints(self):
        return list(self._maybe_delete.keys())

    def _sweep(self):
        if not self._max_to_keep:
            return
        while len(self._maybe_delete) > self._max_to_keep:
            filename = next(iter(self._maybe_delete))
            timestamp = self._maybe_delete.pop(filename)
            if (self._keep_checkpoint_every_n_hours and
                    timestamp - self._keep_checkpoint_every_n_hours * 3600. >=
                    self._last_preserved_timestamp):
                self._last_preserved_timestamp = timestamp
                continue
            _delete_file_if_exists(filename + '.index')
            _delete_file_if_exists(filename + '.data-?????-of-?????')

    def _record_state(self):
        filenames = list(self._maybe_delete)
        update_checkpoint_state_internal(
            self._directory, model_checkpoint_path=self.latest_checkpoint,
            all_model_checkpoint_paths=filenames,
            all_model_checkpoint_timestamps=[self._maybe_delete[f] for f in filenames],
            last_preserved_timestamp=self._last_preserved_timestamp, save_relative_paths=True)

    def _next_number(self):
        """The counter of the checkpoint's saves, which this is one of."""
        session = ops.get_default_session()
        if getattr(self._checkpoint, '_save_counter', None) is None:
            session.run(self._checkpoint.save_counter.initializer)
        if self._save_counter_assign is None:
            self._save_counter_assign = self._checkpoint.save_counter.assign_add(1)
        return session.run(self._save_counter_assign)

    def save(self, checkpoint_number=None):
        """Saves, and deletes what is one too many; the new one's name."""
        if checkpoint_number is None:
            checkpoint_number = self._next_number()
        prefix = '%s-%d' % (self._checkpoint_prefix, checkpoint_number)
        save_path = self._checkpoint.write(prefix)
        self._maybe_delete.pop(save_path, None)
        self._maybe_delete[save_path] = time.time()
        self._latest_checkpoint = save_path
        self._record_state()
        self._sweep()
        self._record_state()
        return save_path

