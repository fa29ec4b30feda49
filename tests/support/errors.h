/* Calls that must end well, and what the others must say. */
#ifndef AMONTONS_TESTS_ERRORS_H
#define AMONTONS_TESTS_ERRORS_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/error.h"

/* A call that may use `err`, an am_error of its own, such as GOOD(am_path_run(system, &options, result, NULL, err)). */
#define GOOD(call)                                                                                                     \
    do {                                                                                                               \
        am_error err_ = {0};                                                                                           \
        am_error *err = &err_;                                                                                         \
        if ((call) != AM_OK)                                                                                           \
            fail_msg("%s: %s", #call, err->message);                                                                   \
    } while (0)

#define assert_says(err, words)                                                                                        \
    do {                                                                                                               \
        const char *message_ = (err)->message, *words_ = (words);                                                      \
        if (!strstr(message_, words_))                                                                                 \
            fail_msg("\"%s\" does not say \"%s\"", message_, words_);                                                  \
    } while (0)

/* A refused input: the field that is wrong, and words of the reason. */
#define assert_blames(err, wrong_field, words)                                                                         \
    do {                                                                                                               \
        assert_int_equal((err)->status, AM_ERR_INPUT);                                                                 \
        assert_string_equal((err)->field, wrong_field);                                                                \
        assert_says(err, words);                                                                                       \
    } while (0)

#endif
