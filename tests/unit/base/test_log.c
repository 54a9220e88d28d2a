/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines as they reach file descriptor 2; levels; listeners. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/log.h"
#include "death.h"

static void say_three(void *arg)
{
    const char *const *env = arg;
    if (env[0])
        setenv("TF_CPP_MIN_LOG_LEVEL", env[0], 1);
    else
        unsetenv("TF_CPP_MIN_LOG_LEVEL");
    log_info("one %d", 1);
    log_warning("two %s", "II");
    log_error("three");
}

static void test_log__a_line_has_its_shape(void **state UNUSED)
{
    char text[1024];
    const char *env = NULL;
    assert_int_equal(run_in_child(say_three, &env, text, sizeof text), 0);
    static const char shape[] = "dddd-dd-dd dd:dd:dd.dddddd: I ";
    for (size_t i = 0; i + 1 < sizeof shape; i++)
        if (shape[i] == 'd' ? !isdigit((unsigned char)text[i]) : text[i] != shape[i])
            fail_msg("the log line is: %s", text);
    assert_non_null(strstr(text, "test_log.c:"));
    assert_null(strstr(text, "../"));
    assert_non_null(strstr(text, "] one 1\n"));
    assert_non_null(strstr(text, ": W "));
    assert_non_null(strstr(text, "] two II\n"));
    assert_non_null(strstr(text, ": E "));
    assert_non_null(strstr(text, "] three\n"));
}

static void test_log__levels_filter(void **state UNUSED)
{
    static const struct {
        const char *level;
        int lines;
    } cases[] = {{"0", 3}, {"1", 2}, {"2", 1}, {"3", 0}, {"nonsense", 3}, {"-1", 3}, {"9", 0}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[1024];
        const char *env = cases[i].level;
        assert_int_equal(run_in_child(say_three, &env, text, sizeof text), 0);
        int lines = 0;
        for (const char *p = text; *p; p++)
            lines += *p == '\n';
        assert_int_equal(lines, cases[i].lines);
    }
}

static void say_long(void *arg UNUSED)
{
    log_error("%02000d", 7);
}

static void test_log__long_lines_are_whole(void **state UNUSED)
{
    char text[4096];
    assert_int_equal(run_in_child(say_long, NULL, text, sizeof text), 0);
    assert_true(strlen(text) > 2000);
    assert_string_equal(text + strlen(text) - 3, "07\n");
}

static void exit_with_debug_level(void *arg)
{
    setenv("LEAT_DEBUG", arg, 1);
    _exit(log_debug_level());
}

static void test_log__debug_level_is_read(void **state UNUSED)
{
    char text[16], three[] = "3", word[] = "yes";
    assert_int_equal(WEXITSTATUS(run_in_child(exit_with_debug_level, three, text, 16)), 3);
    assert_int_equal(WEXITSTATUS(run_in_child(exit_with_debug_level, word, text, 16)), 0);
}

static struct strbuf heard;

static void hear_a(const char *text)
{
    strbuf_printf(&heard, "a:%s ", text);
}

/* No lock is held while listeners run, so one may print, and add another. */
static void hear_b(const char *text)
{
    strbuf_printf(&heard, "b:%s ", text);
    if (text[0] == 'x')
        log_to_listeners("again");
    if (text[0] == '+')
        log_add_listener(hear_a);
}

static void test_log__listeners_hear_in_order(void **state UNUSED)
{
    assert_false(log_to_listeners("early"));
    log_add_listener(hear_a);
    log_add_listener(hear_b);
    assert_true(log_to_listeners("x"));
    assert_string_equal(strbuf_text(&heard), "a:x b:x a:again b:again ");
    log_error("lines of the log are not for listeners");
    assert_string_equal(strbuf_text(&heard), "a:x b:x a:again b:again ");
    strbuf_clear(&heard);
    assert_true(log_to_listeners("+"));
    assert_string_equal(strbuf_text(&heard), "a:+ b:+ a:+ ");
    strbuf_release(&heard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log__a_line_has_its_shape),
        cmocka_unit_test(test_log__levels_filter),
        cmocka_unit_test(test_log__long_lines_are_whole),
        cmocka_unit_test(test_log__debug_level_is_read),
        cmocka_unit_test(test_log__listeners_hear_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
