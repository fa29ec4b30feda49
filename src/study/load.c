/* The bytes of a study file. */
#include "base/input_file.h"
#include "study/study.h"

char *am_study_load(const char *path, size_t *length, am_error *err) {
    am_text text = {0};
    am_error own = {0};
    am_status status = am_input_read(path, "a study file", AM_STUDY_LARGEST, &text, &own);
    if (status == AM_ERR_LIMIT)
        am_fail(err, AM_ERR_INPUT,
                "%s: the file is larger than %d MiB, the most a study may have; put large matrices into Matrix "
                "Market files ({file: name.mtx})",
                path, AM_STUDY_LARGEST >> 20);
    else if (status != AM_OK && err)
        *err = own;
    *length = text.length;
    char *bytes = status == AM_OK ? am_text_take(&text, err) : NULL;
    am_text_free(&text);
    return bytes;
}
