#include "study/shelf.h"

#include <string.h>

#include "base/arena.h"
#include "base/try.h"
#include "study/store.h"

struct am_shelf {
    am_import *import;
    struct am_shelf *next;
};

typedef struct wanted {
    const char *path;
    am_import_format format;
} wanted;

static void release(void *import) {
    am_import_clear(import);
}

static am_status make(void *context, am_arena *memory, void **object, am_error *err) {
    const wanted *file = context;
    am_import *import = am_arena_new(memory, 1, sizeof *import, err);
    if (!import)
        return AM_ERR_MEMORY;
    AM_TRY(am_import_read(import, file->path, file->format, err));
    *object = import;
    return am_arena_own(memory, import, release, err);
}

am_import *am_shelf_read(am_reading *reading, const char *path, am_import_format format) {
    for (struct am_shelf *s = reading->shelf; s; s = s->next)
        if (strcmp(s->import->path, path) == 0 && (format == AM_IMPORT_ANY || format == s->import->format))
            return s->import;
    struct am_shelf *fresh = am_arena_new(reading->pool, 1, sizeof *fresh, reading->err);
    am_store_key key = {0};
    void *import = NULL;
    if (!fresh)
        return NULL;
    am_store_key_text(&key, "matrices", reading->err);
    am_store_key_text(&key, path, reading->err);
    am_store_key_add(&key, &format, sizeof format, reading->err);
    am_status status = am_store_take(reading, &key, make, &(wanted){path, format}, &import);
    am_store_key_clear(&key);
    if (status)
        return NULL;
    *fresh = (struct am_shelf){import, reading->shelf};
    reading->shelf = fresh;
    return import;
}

am_shelf_place am_shelf_find(const am_reading *reading, const am_matrix *matrix) {
    for (struct am_shelf *s = reading->shelf; s && matrix; s = s->next)
        for (size_t i = 0; i < s->import->count; i++)
            if (s->import->part[i].matrix == matrix)
                return (am_shelf_place){s->import, i};
    return (am_shelf_place){0};
}
