/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries that math uses when it finds them: opened at their first use, kept for good.
 *
 * LEAT_MATH_LIBS=none in the environment makes all of them absent, which tests use. Calls go
 * between math_team_enter and math_team_leave: OpenMP of this thread then makes teams of one. */
#ifndef LEAT_MATH_LIBS_H
#define LEAT_MATH_LIBS_H

#include "base/base.h"

/* Handles for dlsym; NULL where the library is absent. */
void *math_lib_dnnl(void);
void *math_lib_openblas(void); /* the serial build only: its thread count is nobody else's */

/* Sets the calling thread's OpenMP team size to one and returns what it was; 0: no OpenMP. */
int math_team_enter(void);
void math_team_leave(int saved);

#endif
