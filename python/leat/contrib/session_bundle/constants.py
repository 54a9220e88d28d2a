# SPDX-License-Identifier: Apache-2.0
"""The names of files and collections of an exported model."""
ASSETS_DIRECTORY = 'assets'
ASSETS_KEY = 'serving_assets'
EXPORT_BASE_NAME = 'export'
EXPORT_SUFFIX_NAME = 'export.meta'
GRAPH_KEY = 'serving_graph'
INIT_OP_KEY = 'serving_init_op'
META_GRAPH_DEF_FILENAME = 'export.meta'
SIGNATURES_KEY = 'serving_signatures'
VARIABLES_FILENAME = 'export'
VARIABLES_FILENAME_PATTERN = 'export-?????-of-?????'
VARIABLES_FILENAME_V2_DATA_PATTERN = 'export.data-?????-of-?????'
VARIABLES_FILENAME_V2_INDEX = 'export.index'
