# SPDX-License-Identifier: Apache-2.0
"""What mixed precision is set to: off, for Leat has no rewrite to float16."""
mixed_precision_graph_rewrite_is_enabled = False
non_mixed_precision_session_created = False
using_default_mixed_precision_policy = True
