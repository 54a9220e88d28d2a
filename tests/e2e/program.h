/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of this build run from outside: what they print and how they end. They are found from
 * the folder of the test; a check of one that was not built is skipped. One thread. */
#ifndef LEAT_TESTS_E2E_PROGRAM_H
#define LEAT_TESTS_E2E_PROGRAM_H

/* For the group of tests: an empty folder for their files, which goes with all that is in it. */
int program_set_up(void **state);
int program_tear_down(void **state);
extern char program_scratch[64];
/* FOLDER/WHERE, where FOLDER is that of the test's file: ../bin/leat. The next call replaces it. */
const char *program_path(const char *where);

/* Runs `WHERE WORDS` in a shell; @ in the words stands for the scratch folder. Output and errors
 * are program_output. Returns the exit code. */
int program_run(const char *where, const char *words);
extern char program_output[1 << 20];
/* Fails the test where the output does not have the text. */
void program_says(const char *text);

/* The leat command. */
int leat(const char *words);
void leat_works(const char *words); /* fails the test with the output where the code is not 0 */

#endif
