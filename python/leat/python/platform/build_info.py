# SPDX-License-Identifier: Apache-2.0
"""What the library was built for: CPUs."""
is_cuda_build = False
is_rocm_build = False
