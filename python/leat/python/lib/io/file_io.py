# SPDX-License-Identifier: Apache-2.0
"""Files and folders with TensorFlow's names, modes and error classes.

Local files only: a path of another scheme than file:// is UNIMPLEMENTED. Lists are sorted.
"""
import errno
import fnmatch
import os
import re
import shutil
import uuid

from leat.python.framework import errors_impl as errors
from leat.python.util import compat

_DEFAULT_BLOCK_SIZE = 16 * 1024 * 1024
_CLASSES = {
    errno.ENOENT: errors.NotFoundError, errno.EEXIST: errors.AlreadyExistsError,
    errno.EACCES: errors.PermissionDeniedError, errno.EPERM: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.EISDIR: errors.FailedPreconditionError, errno.ENOTDIR: errors.FailedPreconditionError,
    errno.ENOTEMPTY: errors.FailedPreconditionError, errno.EBUSY: errors.FailedPreconditionError,
    errno.ENOSPC: errors.ResourceExhaustedError, errno.EMFILE: errors.ResourceExhaustedError,
    errno.ENFILE: errors.ResourceExhaustedError, errno.EDQUOT: errors.ResourceExhaustedError,
    errno.EINVAL: errors.InvalidArgumentError, errno.ENAMETOOLONG: errors.InvalidArgumentError,
    errno.EXDEV: errors.UnimplementedError,
}


def _path(name):
    """The local path of a name: text, bytes or path-like."""
    path = compat.as_str_any(compat.path_to_str(name))
    if path.startswith('file://'):
        return path[len('file://'):]
    scheme = path.partition('://')[0]
    if scheme != path and scheme.isalnum():
        raise errors.UnimplementedError(
            None, None, "File system scheme '%s' not implemented (file: '%s')" % (scheme, path))
    return path


class _os_errors:
    """with _os_errors(path): an OSError becomes the OpError of its class."""

    def __init__(self, path):
        self._path = path

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None and issubclass(kind, OSError):
            made = _CLASSES.get(error.errno, errors.UnknownError)
            raise made(None, None, '%s; %s' % (self._path, os.strerror(error.errno or 0))) from None
        return False


class FileStatistics:
    """What stat tells: length, mtime_nsec, is_directory."""

    def __init__(self, length, mtime_nsec, is_directory):
        self.length, self.mtime_nsec, self.is_directory = length, mtime_nsec, is_directory


class FileIO:
    """A file, opened when it is first read or written."""

    def __init__(self, name, mode):
        self.__name = name
        self.__mode = mode
        self._path = None
        self._reader = self._writer = None
        self._binary_mode = 'b' in mode
        self.__mode = mode.replace('b', '')
        if self.__mode not in ('r', 'w', 'a', 'r+', 'w+', 'a+'):
            raise errors.InvalidArgumentError(
                None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._read_check_passed = self.__mode in ('r', 'r+', 'a+', 'w+')
        self._write_check_passed = self.__mode != 'r'

    @property
    def name(self):
        return self.__name

    @property
    def mode(self):
        return self.__mode

    def _preread_check(self):
        if self._reader is None:
            if not self._read_check_passed:
                raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
            path = _path(self.__name)
            with _os_errors(path):
                self._reader = open(path, 'rb')

    def _prewrite_check(self):
        if self._writer is None:
            if not self._write_check_passed:
                raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
            path = _path(self.__name)
            with _os_errors(path):
                self._writer = open(path, 'ab' if 'a' in self.__mode else 'wb')

    def _prepare_value(self, val):
        return val if self._binary_mode else compat.as_str_any(val)

    def size(self):
        """Bytes of the file."""
        return stat(self.__name).length

    def write(self, file_content):
        """Adds text or bytes at the end of what was written."""
        self._prewrite_check()
        with _os_errors(self.__name):
            self._writer.write(compat.as_bytes(file_content))

    def read(self, n=-1):
        """n bytes, or all that are left."""
        self._preread_check()
        with _os_errors(self.__name):
            return self._prepare_value(self._reader.read(-1 if n is None else n))

    def seek(self, offset=None, whence=0, position=None):
        """Sets where the next read begins; position is an old name of offset."""
        self._preread_check()
        if offset is None and position is None:
            raise TypeError('seek(): offset argument required')
        if offset is not None and position is not None:
            raise TypeError('seek(): offset and position may not be set simultaneously.')
        offset = position if offset is None else offset
        if whence not in (0, 1, 2):
            raise errors.InvalidArgumentError(
                None, None, 'Invalid whence argument: {}. Valid values are 0, 1, or 2.'.format(
                    whence))
        length = self.size()
        target = offset + (0, self._reader.tell(), length)[whence]
        if target < 0:
            raise errors.InvalidArgumentError(None, None,
                                              'Seeking to a negative position: %d' % target)
        if target > length:
            raise errors.OutOfRangeError(None, None, 'reached end of file')
        self._reader.seek(target)

    def readline(self):
        """The next line with its end; '' at the end of the file."""
        self._preread_check()
        with _os_errors(self.__name):
            return self._prepare_value(self._reader.readline())

    def readlines(self):
        """All lines that are left."""
        return list(self)

    def tell(self):
        """Where the next read begins, or the next write goes."""
        if self._read_check_passed:
            self._preread_check()
            return self._reader.tell()
        self._prewrite_check()
        return self._writer.tell()

    def __enter__(self):
        return self

    def __exit__(self, unused_type, unused_value, unused_traceback):
        self.close()

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def next(self):
        return self.__next__()

    def flush(self):
        """What was written is in the file."""
        if self._writer is not None:
            with _os_errors(self.__name):
                self._writer.flush()

    def close(self):
        """Closes it; a later read or write opens it again."""
        reader, self._reader = self._reader, None
        writer, self._writer = self._writer, None
        with _os_errors(self.__name):
            if reader is not None:
                reader.close()
            if writer is not None:
                writer.close()

    def seekable(self):
        return True


def file_exists(filename):
    """Whether there is a file or folder of this name."""
    return file_exists_v2(filename)


def file_exists_v2(path):
    path = _path(path)
    return bool(path) and os.path.exists(path)


def delete_file(filename):
    """Takes a file away."""
    delete_file_v2(filename)


def delete_file_v2(path):
    path = _path(path)
    with _os_errors(path):
        os.unlink(path)


def read_file_to_string(filename, binary_mode=False):
    """All of a file."""
    with FileIO(filename, 'rb' if binary_mode else 'r') as file:
        return file.read()


def write_string_to_file(filename, file_content):
    """Makes a file of a text."""
    with FileIO(filename, 'w') as file:
        file.write(file_content)


def get_matching_files(filename):
    """The paths that match a pattern, or any of a list of patterns."""
    return get_matching_files_v2(filename)


def _matches(pattern):
    """Paths that match, level by level: a * does not cross a /, names with a dot do."""
    absolute = pattern.startswith('/')
    parts = [part for part in pattern.split('/') if part]
    if not absolute and len(parts) == 1:
        parts.insert(0, '.')
    found = ['/'] if absolute else ['']
    for part in parts:
        if not any(c in part for c in '*?[\\'):
            found = [os.path.join(base, part) for base in found]
            continue
        deeper = []
        for base in found:
            try:
                names = os.listdir(base or '.')
            except OSError:
                continue
            deeper += [os.path.join(base, name) for name in sorted(names)
                       if fnmatch.fnmatchcase(name, part)]
        found = deeper
    return [path for path in found if os.path.lexists(path)]


def _check_folder(pattern):
    """NotFoundError where the folder before the first pattern's name is not there."""
    fixed = re.split(r'[*?\[\\]', pattern, maxsplit=1)[0]
    folder = os.path.dirname(fixed)
    if folder and not os.path.isdir(folder):
        raise errors.NotFoundError(None, None, '%s; No such file or directory' % folder)


def get_matching_files_v2(pattern):
    patterns = [pattern] if isinstance(pattern, (str, bytes)) or hasattr(
        pattern, '__fspath__') else pattern
    found = []
    for one in patterns:
        path = _path(one)
        _check_folder(path)
        if any(c in path for c in '*?[\\'):
            found += _matches(path)
        elif os.path.lexists(path):
            found.append(path)
    return found


def create_dir(dirname):
    """Makes a folder in one that is there."""
    create_dir_v2(dirname)


def create_dir_v2(path):
    path = _path(path)
    with _os_errors(path):
        try:
            os.mkdir(path)
        except FileExistsError:
            if not os.path.isdir(path):
                raise


def recursive_create_dir(dirname):
    """Makes a folder, and those above it that are not there."""
    recursive_create_dir_v2(dirname)


def recursive_create_dir_v2(path):
    path = _path(path)
    with _os_errors(path):
        try:
            os.makedirs(path, exist_ok=True)
        except FileExistsError:
            pass


def copy(oldpath, newpath, overwrite=False):
    """Copies a file."""
    copy_v2(oldpath, newpath, overwrite)


def copy_v2(src, dst, overwrite=False):
    src, dst = _path(src), _path(dst)
    if not overwrite and os.path.exists(dst):
        raise errors.AlreadyExistsError(None, None, 'file already exists')
    with _os_errors(src):
        reader = open(src, 'rb')
    with reader, _os_errors(dst):
        with open(dst, 'wb') as writer:
            shutil.copyfileobj(reader, writer, 1 << 20)


def rename(oldname, newname, overwrite=False):
    """Gives a file another name."""
    rename_v2(oldname, newname, overwrite)


def rename_v2(src, dst, overwrite=False):
    src, dst = _path(src), _path(dst)
    if not overwrite and os.path.exists(dst):
        raise errors.AlreadyExistsError(None, None, 'file already exists')
    with _os_errors(src):
        os.replace(src, dst)


def atomic_write_string_to_file(filename, contents, overwrite=True):
    """Makes a file that is whole at any instant."""
    path = _path(filename)
    if not overwrite and os.path.exists(path):
        raise errors.AlreadyExistsError(None, None, 'file already exists')
    temporary = path + '.tmp' + uuid.uuid4().hex
    write_string_to_file(temporary, contents)
    try:
        rename(temporary, path, overwrite)
    except errors.OpError:
        delete_file(temporary)
        raise


def delete_recursively(dirname):
    """Takes a folder with all that is in it away."""
    delete_recursively_v2(dirname)


def delete_recursively_v2(path):
    path = _path(path)
    if not os.path.lexists(path):
        raise errors.NotFoundError(None, None, '%s not found' % path)
    with _os_errors(path):
        shutil.rmtree(path)


def is_directory(dirname):
    """Whether it is a folder."""
    return is_directory_v2(dirname)


def is_directory_v2(path):
    return os.path.isdir(_path(path))


def list_directory(dirname):
    """The names in a folder."""
    return list_directory_v2(dirname)


def list_directory_v2(path):
    if not is_directory(path):
        raise errors.NotFoundError(None, None, 'Could not find directory %s'
                                   % compat.as_str_any(compat.path_to_str(path)))
    path = _path(path)
    with _os_errors(path):
        return sorted(os.listdir(path))


def walk(top, in_order=True):
    """(folder, folders in it, files in it), of a folder and all below it."""
    return walk_v2(top, in_order)


def walk_v2(top, topdown=True, onerror=None):
    top = compat.as_str_any(compat.path_to_str(top))
    try:
        names = list_directory(top)
    except errors.NotFoundError as error:
        if onerror:
            onerror(error)
        return
    folders = [name for name in names if is_directory(os.path.join(top, name))]
    files = [name for name in names if name not in set(folders)]
    here = (top, folders, files)
    if topdown:
        yield here
    for name in folders:
        yield from walk_v2(os.path.join(top, name), topdown, onerror)
    if not topdown:
        yield here


def stat(filename):
    """Length, time and kind of a file."""
    return stat_v2(filename)


def stat_v2(path):
    path = _path(path)
    with _os_errors(path):
        found = os.stat(path)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(path))


def filecmp(filename_a, filename_b):
    """Whether two files have the same bytes."""
    if stat(filename_a).length != stat(filename_b).length:
        return False
    with FileIO(filename_a, 'rb') as a, FileIO(filename_b, 'rb') as b:
        while True:
            piece = a.read(1 << 20)
            if piece != b.read(1 << 20):
                return False
            if not piece:
                return True


def file_crc32(filename, block_size=_DEFAULT_BLOCK_SIZE):
    """The CRC-32 (zlib's) of a file, as text in hex."""
    import binascii
    crc = 0
    with FileIO(filename, 'rb') as file:
        for piece in iter(lambda: file.read(block_size), b''):
            crc = binascii.crc32(piece, crc)
    return hex(crc & 0xFFFFFFFF)
