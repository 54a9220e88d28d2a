# SPDX-License-Identifier: Apache-2.0
"""A task of a cluster for a lecture's client: serve.py CLUSTER(JSON) JOB TASK. Says when it
listens."""
import json
import sys

import tensorflow as tf

server = tf.train.Server(tf.train.ClusterSpec(json.loads(sys.argv[1])), job_name=sys.argv[2],
                         task_index=int(sys.argv[3]))
print('serving', flush=True)
server.join()
