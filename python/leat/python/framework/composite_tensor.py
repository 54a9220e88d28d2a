# SPDX-License-Identifier: Apache-2.0
"""CompositeTensor: a value that is made of several tensors."""
from leat.python.util import nest


class CompositeTensor(object):
    """Has a _type_spec, by which it opens into its tensors."""

    @property
    def _type_spec(self):
        raise NotImplementedError('%s._type_spec' % type(self).__name__)

    def consumers(self):
        found = []
        for part in nest.flatten(self, expand_composites=True):
            found += [op for op in part.consumers() if op not in found]
        return found


def replace_composites_with_components(structure):
    """The structure with the tensors of each composite in its place."""
    if hasattr(type(structure), '_type_spec'):
        return replace_composites_with_components(structure._type_spec._to_components(structure))
    if not nest.is_sequence(structure):
        return structure
    return nest.map_structure(replace_composites_with_components, structure)
