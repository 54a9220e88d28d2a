# SPDX-License-Identifier: Apache-2.0
"""What a SavedModel holds: its tags, a graph of it."""
from leat.python.saved_model import loader_impl


def read_saved_model(saved_model_dir):
    return loader_impl.parse_saved_model(saved_model_dir)


def get_saved_model_tag_sets(saved_model_dir):
    """The tags of each graph."""
    saved_model = read_saved_model(saved_model_dir)
    return [list(graph.meta_info_def.tags) for graph in saved_model.meta_graphs]


def get_meta_graph_def(saved_model_dir, tag_set):
    """The graph with the tags, which are separated by commas."""
    wanted = set(tag_set.split(','))
    for graph in read_saved_model(saved_model_dir).meta_graphs:
        if set(graph.meta_info_def.tags) == wanted:
            return graph
    raise RuntimeError('MetaGraphDef associated with tag-set ' + tag_set +
                       ' could not be found in SavedModel')
