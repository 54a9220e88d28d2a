/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 300 */
/* The example programs from outside: each runs, and says what its comment promises. They lie in
 * ../examples, seen from the folder of this program; one that was not built is skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "program.h"

/* Runs the example with words behind it: the exit code. */
static int example(const char *name, const char *words)
{
    char path[200];
    snprintf(path, sizeof path, "../examples/%s", name);
    return program_run(path, words);
}

/* The number behind `text` in the program_output. */
static double number_after(const char *text)
{
    program_says(text);
    return strtod(strstr(program_output, text) + strlen(text), NULL);
}

static void test_add(void **state)
{
    (void)state;
    assert_int_equal(example("add", ""), 0);
    program_says("3 + 4 = 7");
}

/* What is not asked for does not run: its Print is silent in the first step. */
static void test_pow(void **state)
{
    (void)state;
    assert_int_equal(example("pow", ""), 0);
    program_says("= 15625, and useless was not computed");
    program_says("useless = 10");
    const char *print = strstr(program_output, "useless was computed: [10]");
    assert_non_null(print);
    assert_null(strstr(print + 1, "useless was computed"));
}

static void test_placeholders(void **state)
{
    (void)state;
    assert_int_equal(example("placeholders", ""), 0);
    program_says("7.5\n[3 7]");
}

static void test_variables(void **state)
{
    (void)state;
    assert_int_equal(example("variables", ""), 0);
    program_says("Attempting to use uninitialized value v");
    program_says("variables.c:");
    program_says("v + 1 = 1,");
    program_says("v + 1 = 21,");
}

static void test_starter(void **state)
{
    (void)state;
    assert_int_equal(example("starter", ""), 0);
    program_says("m3 is: [[");
    program_says("m2: [");
}

static void test_devices(void **state)
{
    (void)state;
    assert_int_equal(example("devices", ""), 0);
    program_says("CPU:1: y = [3 7 11]");
}

static void test_ridge(void **state)
{
    (void)state;
    assert_int_equal(example("ridge", ""), 0);
    const char *closed = strchr(program_output, '['), *found = strrchr(program_output, '[');
    assert_true(closed && found && closed != found);
    for (int i = 0; i < 3; i++) {
        char *closed_end, *found_end;
        double a = strtod(closed + 1, &closed_end), b = strtod(found + 1, &found_end);
        assert_true(a - b < 1e-3 && b - a < 1e-3);
        closed = closed_end;
        found = found_end;
    }
}

static void test_mnist_softmax(void **state)
{
    (void)state;
    const char *shared = getenv("LEAT_SHARED");
    char data[4096];
    snprintf(data, sizeof data, "%s/data/mnist", shared ? shared : "../shared");
    if (access(data, R_OK) != 0)
        skip();
    assert_int_equal(example("mnist_softmax", data), 0);
    assert_true(number_after("10000 test images: ") >= 0.91);
    assert_int_equal(example("mnist_softmax", "/nowhere"), 2);
    program_says("/nowhere/train-images-idx3-ubyte.gz: cannot be read");
}

/* Words of two groups that never stand beside each other: the nearest of one are of its own. */
static void test_word2vec(void **state)
{
    (void)state;
    char words[300], path[200];
    unsigned x = 1;
    snprintf(path, sizeof path, "%s/text", program_scratch);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < 20000; i++) {
        x = x * 1664525u + 1013904223u;
        fprintf(f, "%c%u ", i / 50 % 2 ? 'a' : 'b', (x >> 16) % 12);
    }
    assert_int_equal(fclose(f), 0);
    snprintf(words, sizeof words, "--data '%s' --steps 20000 --words a3,b7", path);
    assert_int_equal(example("word2vec", words), 0);
    const char *line = strstr(program_output, "nearest to a3: ");
    assert_non_null(line);
    int own = 0;
    for (const char *p = line + strlen("nearest to a3:"); *p && *p != '\n'; p++)
        own += *p == ' ' && p[1] == 'a';
    assert_true(own >= 7);
    assert_int_equal(example("word2vec", "--data /nowhere"), 1);
    assert_int_equal(example("word2vec", "--what"), 2);
}

static void test_textcnn(void **state)
{
    (void)state;
    char words[300], path[200];
    unsigned x = 1;
    snprintf(path, sizeof path, "%s/kinds", program_scratch);
    assert_int_equal(mkdir(path, 0700), 0);
    for (int kind = 0; kind < 2; kind++) {
        snprintf(path, sizeof path, "%s/kinds/%s", program_scratch, kind ? "sad" : "glad");
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        for (int i = 0; i < 400; i++) {
            for (int k = 0; k < 6; k++) {
                x = x * 1664525u + 1013904223u;
                fprintf(f, "w%u ", (x >> 16) % 30);
            }
            fprintf(f, "%s\n", kind ? "weeps" : "laughs");
        }
        assert_int_equal(fclose(f), 0);
    }
    snprintf(words, sizeof words, "--data '%s/kinds' --epochs 4", program_scratch);
    assert_int_equal(example("textcnn", words), 0);
    program_says("kind 0: glad");
    assert_true(number_after("80 sentences kept apart: ") >= 0.9);
    assert_int_equal(example("textcnn", "--data /nowhere"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),          cmocka_unit_test(test_pow),
        cmocka_unit_test(test_placeholders), cmocka_unit_test(test_variables),
        cmocka_unit_test(test_starter),      cmocka_unit_test(test_devices),
        cmocka_unit_test(test_ridge),        cmocka_unit_test(test_mnist_softmax),
        cmocka_unit_test(test_word2vec),     cmocka_unit_test(test_textcnn),
    };
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
