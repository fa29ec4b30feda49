/* Arrays that grow: what they hold stays, capacities are true, and a refusal changes nothing. */
#include <stdint.h>

#include "base/memory.h"
#include "errors.h"

static void arrays_of_any_type_keep_what_they_hold_while_they_grow(void **state) {
    (void)state;
    double *number = NULL;
    char(*word)[3] = NULL;
    size_t numbers = 0, words = 0;
    for (size_t i = 0; i < 1000; i++) {
        GOOD(am_memory_reserve(&number, &numbers, i + 1, err));
        GOOD(am_memory_reserve(&word, &words, i + 1, err));
        assert_true(numbers > i && words > i);
        number[i] = (double)i;
        word[i][2] = (char)(i % 100);
    }
    for (size_t i = 0; i < 1000; i++)
        assert_true(number[i] == (double)i && word[i][2] == (char)(i % 100));
    const double *before = number;
    GOOD(am_memory_reserve(&number, &numbers, numbers, err)); /* enough already */
    assert_ptr_equal(number, before);
    GOOD(am_memory_resize(&number, 7, err));
    assert_true(number[6] == 6.0);
    am_memory_free(number);
    am_memory_free(word);
}

static void more_than_memory_can_hold_changes_nothing(void **state) {
    (void)state;
    am_error err = {0};
    double *number = NULL;
    size_t capacity = 0;
    GOOD(am_memory_reserve(&number, &capacity, 1, err));
    size_t had = capacity;
    number[0] = 5.0;
    assert_int_equal(am_memory_reserve(&number, &capacity, SIZE_MAX / 2, &err), AM_ERR_MEMORY);
    assert_int_equal(err.status, AM_ERR_MEMORY);
    assert_int_equal(am_memory_resize(&number, SIZE_MAX / 4, NULL), AM_ERR_MEMORY);
    assert_int_equal(capacity, had);
    assert_true(number[0] == 5.0);
    am_memory_free(number);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_any_type_keep_what_they_hold_while_they_grow),
        cmocka_unit_test(more_than_memory_can_hold_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
