#include "study/shelf.h"

#include <string.h>

#include "base/arena.h"

struct am_shelf {
    am_import import;
    struct am_shelf *next;
};

static void release(void *import) {
    am_import_clear(import);
}

am_import *am_shelf_read(am_reading *reading, const char *path, am_import_format format) {
    for (struct am_shelf *s = reading->shelf; s; s = s->next)
        if (strcmp(s->import.path, path) == 0 && (format == AM_IMPORT_ANY || format == s->import.format))
            return &s->import;
    struct am_shelf *fresh = am_arena_new(reading->pool, 1, sizeof *fresh, reading->err);
    if (!fresh || am_import_read(&fresh->import, path, format, reading->err) != AM_OK ||
        am_arena_own(reading->pool, &fresh->import, release, reading->err) != AM_OK)
        return NULL;
    fresh->next = reading->shelf;
    reading->shelf = fresh;
    return &fresh->import;
}

am_shelf_place am_shelf_find(const am_reading *reading, const am_matrix *matrix) {
    for (struct am_shelf *s = reading->shelf; s && matrix; s = s->next)
        for (size_t i = 0; i < s->import.count; i++)
            if (s->import.part[i].matrix == matrix)
                return (am_shelf_place){&s->import, i};
    return (am_shelf_place){0};
}
