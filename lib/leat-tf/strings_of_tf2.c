/* SPDX-License-Identifier: Apache-2.0 */
/* All of libtensorflow.so.2: whoever loads it knows string tensors as TensorFlow 2.4 and later have
 * them. Nobody hears an error here, so the library remembers one (leat/strings.h). */
#include "leat/strings.h"

__attribute__((constructor)) static void use_tstrings(void)
{
    leat_set_string_layout(LEAT_STRINGS_TSTRING, NULL);
}
