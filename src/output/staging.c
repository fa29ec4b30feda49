/* Whole or nothing: files are written into a hidden folder inside their own, and take their places in one instant
 * (changeover.h). */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "output/changeover.h"
#include "output/claim.h"
#include "output/file.h"

struct am_staging {
    const am_claim *claim;
    am_changeover s;
    char *fresh;  /* path of the folder that files are written into */
    char *shown;  /* final path of the file being written */
    am_sums sums; /* of the files that are complete */
};

static am_status begin(am_staging *staging, am_error *err) {
    const char *folder = am_claim_folder(staging->claim);
    int descriptor = am_claim_descriptor(staging->claim);
    int reason = am_changeover_repair(descriptor);
    if (reason != 0)
        return am_fail(err, AM_ERR_FILE,
                       "results cannot be written into %s: what an earlier run left there unfinished cannot be put in "
                       "order: %s",
                       folder, strerror(reason));
    reason = am_changeover_begin(&staging->s, descriptor);
    if (reason != 0)
        return am_fail(err, AM_ERR_FILE, "results cannot be written into %s: %s", folder, strerror(reason));
    am_text path = {0};
    am_text_printf(&path, "%s/%s/new", folder, staging->s.name);
    staging->fresh = am_text_take(&path, err);
    return staging->fresh ? AM_OK : AM_ERR_MEMORY;
}

am_status am_staging_open(am_staging **staging, const am_claim *claim, am_error *err) {
    am_staging *made = *staging = am_memory_new(1, sizeof *made, err);
    if (!made)
        return AM_ERR_MEMORY;
    made->claim = claim;
    made->s.hidden = made->s.fresh = made->s.older = -1;
    am_status status = begin(made, err);
    if (status != AM_OK) {
        am_staging_close(made);
        *staging = NULL;
    }
    return status;
}

const char *am_staging_folder(const am_staging *staging) {
    return staging->fresh;
}

const am_sums *am_staging_sums(const am_staging *staging) {
    return &staging->sums;
}

am_status am_staging_begin(am_staging *staging, const char *name, am_output_file *file, am_error *err) {
    am_memory_free(staging->shown);
    staging->shown = am_output_path(am_claim_folder(staging->claim), name, err);
    if (!staging->shown)
        return AM_ERR_MEMORY;
    return am_output_file_open_at(file, staging->s.fresh, name, staging->shown, err);
}

am_status am_staging_end(am_staging *staging, const char *name, am_output_file *file, am_status written,
                         am_error *err) {
    am_status status = am_output_file_close(file, written == AM_OK ? err : NULL);
    if (written != AM_OK)
        return written;
    return status == AM_OK ? am_sums_add(&staging->sums, name, &file->sum, err) : status;
}

am_status am_staging_write(am_staging *staging, const char *name, const void *bytes, size_t count, am_error *err) {
    am_output_file file;
    AM_TRY(am_staging_begin(staging, name, &file, err));
    am_output_file_write(&file, bytes, count);
    return am_staging_end(staging, name, &file, AM_OK, err);
}

am_status am_staging_adopt(am_staging *staging, const char *name, am_error *err) {
    am_sha256 sum;
    int reason = am_sums_of_file(staging->s.fresh, name, &sum);
    if (reason != 0)
        return am_fail(err, AM_ERR_FILE, "%s/%s could not be read: %s", am_claim_folder(staging->claim), name,
                       strerror(reason));
    return am_sums_add(&staging->sums, name, &sum, err);
}

am_status am_staging_commit(am_staging *staging, char *const *names, char *const *stale, am_error *err) {
    const char *culprit = "";
    int reason = am_changeover_commit(&staging->s, names, stale, &culprit);
    if (reason == 0)
        return AM_OK;
    return am_fail(err, reason == ENOMEM ? AM_ERR_MEMORY : AM_ERR_FILE, "%s/%s could not be replaced: %s",
                   am_claim_folder(staging->claim), culprit, strerror(reason));
}

void am_staging_close(am_staging *staging) {
    if (!staging)
        return;
    if (staging->s.hidden >= 0)
        am_changeover_end(&staging->s);
    am_memory_free(staging->fresh);
    am_memory_free(staging->shown);
    am_sums_clear(&staging->sums);
    am_memory_free(staging);
}
