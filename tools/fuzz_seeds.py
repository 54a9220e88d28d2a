# SPDX-License-Identifier: Apache-2.0
"""Given files (../shared/models, or $LEAT_SHARED/models) from which fuzz targets start besides their corpus."""
import glob
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SEEDS = {
    'table': ['*/*.index', '*/*/variables/*.index', '*/variables/*.index', '*/*.ckpt'],
    'bundle': ['*/*.index', '*/*/variables/*.index', '*/variables/*.index'],
    'meta_graph': ['*/*.meta', '*/MetaGraphDef.txt', '*/saved_model.pb', '*/*/saved_model.pb'],
    'slices_v1': ['checkpoint_v1_*/*.ckpt'],
}


def seeds(target):
    shared = os.environ.get('LEAT_SHARED') or os.path.join(os.path.dirname(ROOT), 'shared')
    return sorted({path for pattern in SEEDS.get(target, ())
                   for path in glob.glob(os.path.join(shared, 'models', pattern))})
