# SPDX-License-Identifier: Apache-2.0
"""tf.image.decode_image: the op that a file's first bytes ask for, chosen as the graph runs."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_image_ops
from leat.python.ops import math_ops


def is_jpeg(contents, name=None):
    """Whether the bytes begin as a JPEG file does."""
    from leat.python.ops import string_ops
    with ops.name_scope(name, 'is_jpeg'):
        return math_ops.equal(string_ops.substr(contents, 0, 3), b'\xff\xd8\xff', name=name)


def _is_png(contents, name=None):
    from leat.python.ops import string_ops
    with ops.name_scope(name, 'is_png'):
        return math_ops.equal(string_ops.substr(contents, 0, 3), b'\x89PN', name=name)


class _Choice(object):
    """The branches, from the outermost test to the innermost."""

    def __init__(self, contents, start, channels, dtype, expand):
        self.contents, self.start, self.channels = contents, start, channels
        self.dtype, self.expand = dtype, expand

    def cond(self, pred, yes, no, name):
        from leat.python.ops import control_flow_ops
        return control_flow_ops.cond(pred, yes, no, name=name)

    def given(self):
        return 0 if self.channels is None else self.channels

    def typed(self, image):
        from leat.python.ops import image_ops_impl
        return image_ops_impl.convert_image_dtype(image, self.dtype)

    def checked(self, number, name, what):
        """An assertion that not so many channels are asked for."""
        from leat.python.ops import control_flow_ops
        ok = math_ops.not_equal(self.given(), number, name=name)
        return control_flow_ops.Assert(ok, ['Channels must be in (None, 0, %s) when decoding %s '
                                            'images' % what])

    def jpeg(self):
        with ops.control_dependencies([self.checked(4, 'check_jpeg_channels',
                                                    ('1, 3', 'JPEG'))]):
            return self.typed(gen_image_ops.decode_jpeg(self.contents, self.given()))

    def png(self):
        wide = self.dtype == dtypes.uint16
        image = gen_image_ops.decode_png(self.contents, self.given(),
                                         dtype=dtypes.uint16 if wide else dtypes.uint8)
        return image if wide else self.typed(image)

    def gif(self):
        from leat.python.ops import control_flow_ops
        ok = math_ops.logical_and(
            math_ops.not_equal(self.given(), 1, name='check_gif_channels'),
            math_ops.not_equal(self.given(), 4, name='check_gif_channels'))
        check = control_flow_ops.Assert(ok, ['Channels must be in (None, 0, 3) when decoding GIF '
                                             'images'])
        with ops.control_dependencies([check]):
            frames = self.typed(gen_image_ops.decode_gif(self.contents))
            return frames if self.expand else array_ops.gather(frames, 0)

    def bmp(self):
        from leat.python.ops import control_flow_ops
        from leat.python.ops import string_ops
        is_bmp = math_ops.equal(string_ops.substr(self.contents, 0, 2), b'BM', name='is_bmp')
        message = 'Unable to decode bytes as JPEG, PNG, GIF, or BMP'
        known = control_flow_ops.Assert(is_bmp, [message])
        with ops.control_dependencies([known, self.checked(1, 'check_channels',
                                                           ('3', 'BMP'))]):
            return self.typed(gen_image_ops.decode_bmp(self.contents))

    def no_png(self):
        is_gif = math_ops.equal(self.start, b'\x47\x49\x46', name='is_gif')
        return self.cond(is_gif, self.gif, self.bmp, 'cond_gif')

    def no_jpeg(self):
        return self.cond(_is_png(self.contents), self.png, self.no_png, 'cond_png')


def decode_image(contents, channels=None, dtype=dtypes.uint8, name=None, expand_animations=True):
    """The picture [height, width, channels], or the frames of a GIF, of a file of any format."""
    from leat.python.ops import string_ops
    with ops.name_scope(name, 'decode_image'):
        if channels not in (None, 0, 1, 3, 4):
            raise ValueError('channels must be in (None, 0, 1, 3, 4)')
        dtype = dtypes.as_dtype(dtype)
        if dtype not in (dtypes.float32, dtypes.uint8, dtypes.uint16):
            raise ValueError('Unsupported dtype for decode_image: %s' % dtype)
        choice = _Choice(contents, string_ops.substr(contents, 0, 3), channels, dtype,
                         expand_animations)
        return choice.cond(is_jpeg(contents), choice.jpeg, choice.no_jpeg, 'cond_jpeg')
