/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that Leat's code does not call, each with what to call instead. Included by base.h;
 * the headers that declare them come first, since a macro of the same name would break them. */
#ifndef LEAT_BASE_BANNED_H
#define LEAT_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BANNED(func, instead) banned_##func##_use_##instead

#undef sprintf
#define sprintf(...) BANNED(sprintf, snprintf_or_strbuf)
#undef vsprintf
#define vsprintf(...) BANNED(vsprintf, vsnprintf_or_strbuf)
#undef strcpy
#define strcpy(...) BANNED(strcpy, memcpy_with_a_length)
#undef strncpy
#define strncpy(...) BANNED(strncpy, memcpy_with_a_length)
#undef strcat
#define strcat(...) BANNED(strcat, strbuf)
#undef strncat
#define strncat(...) BANNED(strncat, strbuf)
#undef gets
#define gets(...) BANNED(gets, fgets)
#undef strtok
#define strtok(...) BANNED(strtok, str_split)
#undef rand
#define rand(...) BANNED(rand, a_seeded_generator)
#undef srand
#define srand(...) BANNED(srand, a_seeded_generator)
#undef alloca
#define alloca(...) BANNED(alloca, an_arena_or_a_bounded_array)
#undef atoi
#define atoi(...) BANNED(atoi, str_to_i64)
#undef atol
#define atol(...) BANNED(atol, str_to_i64)
#undef atof
#define atof(...) BANNED(atof, str_to_double)
#undef gmtime
#define gmtime(...) BANNED(gmtime, gmtime_r)
#undef localtime
#define localtime(...) BANNED(localtime, localtime_r)
#undef asctime
#define asctime(...) BANNED(asctime, strftime)
#undef ctime
#define ctime(...) BANNED(ctime, strftime)

#endif
