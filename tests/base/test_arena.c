/* Arenas: zeroed pieces, guests that go with them, memory that is used again, and the first failure remembered. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "errors.h"

static void count_release(void *object) {
    ++*(int *)object;
}

/* Sizes around those of the blocks, some larger than any. */
static void pieces_are_zero_and_apart_also_after_the_arena_was_emptied(void **state) {
    (void)state;
    am_arena *arena = am_arena_create(NULL);
    enum { PIECES = 40 };
    unsigned char *piece[PIECES];
    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < PIECES; i++) {
            size_t size = (i * i * 37 + (size_t)round * 911) % 40000;
            piece[i] = am_arena_new(arena, size, 1, NULL);
            assert_non_null(piece[i]);
            assert_int_equal((uintptr_t)piece[i] % 16, 0);
            for (size_t b = 0; b < size; b++)
                assert_int_equal(piece[i][b], 0);
            memset(piece[i], (int)(i + 1), size);
        }
        for (size_t i = 0; i < PIECES; i++) {
            size_t size = (i * i * 37 + (size_t)round * 911) % 40000;
            assert_true(size == 0 || (piece[i][0] == i + 1 && piece[i][size - 1] == i + 1));
        }
        am_arena_reset(arena);
    }
    am_arena_free(arena);
}

static void arrays_of_one_length_are_asked_for_together(void **state) {
    (void)state;
    am_arena arena = {0};
    double *a = NULL, *b = NULL;
    bool *c = NULL, *d = (bool *)&arena;
    AM_ARENA_DOUBLES(&arena, 7, NULL, &a, &b);
    AM_ARENA_ARRAYS(&arena, bool, 9, NULL, &c, &d);
    assert_int_equal(am_arena_status(&arena), AM_OK);
    for (size_t i = 0; i < 7; i++)
        assert_true(a[i] == 0.0 && b[i] == 0.0);
    a[6] = c[8] = 1;
    assert_true(b[0] == 0.0 && !d[0] && a != b && c != d);
    AM_ARENA_DOUBLES(&arena, SIZE_MAX / 4, NULL, &a, &b);
    assert_true(!a && !b && am_arena_status(&arena) == AM_ERR_MEMORY);
    am_arena_clear(&arena);
}

static void guests_go_once_with_what_they_belong_to(void **state) {
    (void)state;
    int first = 0, second = 0;
    am_arena *arena = am_arena_create(NULL);
    GOOD(am_arena_own(arena, &first, count_release, err));
    am_arena_reset(arena);
    assert_int_equal(first, 1);
    GOOD(am_arena_own(arena, &second, count_release, err));
    am_arena_free(arena);
    assert_int_equal(first, 1);
    assert_int_equal(second, 1);
}

static void more_than_memory_can_hold_is_refused(void **state) {
    (void)state;
    am_error err = {0};
    am_arena *arena = am_arena_create(NULL);
    assert_null(am_arena_new(arena, SIZE_MAX / 2, 8, &err));
    assert_int_equal(err.status, AM_ERR_MEMORY);
    assert_null(am_arena_new(arena, 10, 8, NULL)); /* one check after many requests is enough */
    assert_int_equal(am_arena_status(arena), AM_ERR_MEMORY);
    am_arena_reset(arena);
    assert_int_equal(am_arena_status(arena), AM_OK);
    assert_non_null(am_arena_new(arena, 10, 8, NULL));
    am_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_zero_and_apart_also_after_the_arena_was_emptied),
        cmocka_unit_test(arrays_of_one_length_are_asked_for_together),
        cmocka_unit_test(guests_go_once_with_what_they_belong_to),
        cmocka_unit_test(more_than_memory_can_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
