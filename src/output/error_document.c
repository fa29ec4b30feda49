#include "output/error_document.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/text.h"

static bool take_number(const char **at, int *number) {
    char *end;
    if (**at != ':' || !isdigit((unsigned char)(*at)[1]))
        return false;
    *number = (int)strtol(*at + 1, &end, 10);
    *at = end;
    return true;
}

am_error_place am_error_place_of(const char *message) {
    am_error_place p = {.words = message};
    bool in_words =
        false; /* behind the first colon with a blank: files of matrices have lines and no columns before it */
    for (const char *at = strchr(message, ':'); at; at = strchr(at + 1, ':')) {
        const char *end = at;
        p.column = 0;
        if (take_number(&end, &p.line) && (take_number(&end, &p.column) || !in_words) && strncmp(end, ": ", 2) == 0) {
            p.file = (size_t)(at - message);
            p.words = end + 2;
            return p;
        }
        in_words = in_words || at[1] == ' ';
    }
    return (am_error_place){.words = message};
}

static cJSON *file_of(const char *message, const am_error_place *p) {
    AM_LOCAL(am_text_free) am_text name = {0};
    am_text_add_bytes(&name, message, p->file);
    return p->file > 0 ? cJSON_CreateString(am_text_view(&name)) : cJSON_CreateNull();
}

static cJSON *make_error(const char *message, const char *field, int status) {
    am_error_place p = am_error_place_of(message);
    cJSON *error = cJSON_CreateObject();
    cJSON_AddStringToObject(error, "message", p.words);
    cJSON_AddItemToObject(error, "file", file_of(message, &p));
    cJSON_AddItemToObject(error, "line", p.file > 0 ? cJSON_CreateNumber(p.line) : cJSON_CreateNull());
    cJSON_AddItemToObject(error, "column", p.column > 0 ? cJSON_CreateNumber(p.column) : cJSON_CreateNull());
    cJSON_AddItemToObject(error, "field", *field ? cJSON_CreateString(field) : cJSON_CreateNull());
    cJSON_AddNumberToObject(error, "status", status);
    return error;
}

/* A document that goes on with what another one holds; NULL: that one alone. */
static char *join(const char *document, const char *object, am_error *err) {
    am_text text = {0};
    size_t length = document ? strlen(document) : 0;
    while (length > 0 && document[--length] != '}')
        ;
    while (length > 0 && isspace((unsigned char)document[length - 1]))
        length--;
    am_text_add_bytes(&text, document, length);
    am_text_add(&text, length > 1 ? "," : "");
    am_text_add(&text, length > 1 ? object + 1 : object); /* without its opening bracket */
    return am_text_take(&text, err);
}

/* Takes `value`, which may be NULL: there was no memory for it. */
static char *add_member(const char *document, const char *name, cJSON *value, am_error *err) {
    cJSON *whole = cJSON_CreateObject();
    bool made = whole && value && cJSON_AddItemToObject(whole, name, value);
    char *words = made ? cJSON_Print(whole) : NULL;
    char *text = words ? join(document, words, err) : NULL;
    if (!words)
        am_fail(err, AM_ERR_MEMORY, "out of memory");
    if (!made)
        cJSON_Delete(value);
    cJSON_Delete(whole);
    cJSON_free(words);
    return text;
}

char *am_output_member(const char *document, const char *name, const char *value, am_error *err) {
    return add_member(document, name, cJSON_CreateRaw(value), err);
}

char *am_output_error(const char *document, const char *message, const char *field, int status, am_error *err) {
    return add_member(document, "error", make_error(message, field, status), err);
}
