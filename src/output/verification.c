/* Results against their checksums. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "amontons/output.h"
#include "base/local.h"
#include "base/object.h"
#include "output/changeover.h"
#include "output/claim.h"
#include "output/file.h"
#include "output/folder.h"
#include "output/replace.h"

enum { LONGEST_SUMS = 16 << 20 };

typedef struct verification {
    const char *folder;
    int descriptor;
    am_sums sums;
    am_output_finding *report;
    void *context;
    bool whole;
} verification;

static void report_fault(verification *v, const char *name, const char *words) {
    v->whole = false;
    v->report(v->context, name, words, true);
}

static void report_note(verification *v, const char *name, const char *words) {
    v->report(v->context, name, words, false);
}

/* ---- Files ---- */

static void check_file(verification *v, const char *name) {
    char words[200], found[AM_SHA256_TEXT];
    am_sha256 sum;
    int reason = am_sums_of_file(v->descriptor, name, &sum);
    const am_sum *written = am_sums_find(&v->sums, name);
    if (reason == ENOENT) {
        report_fault(v, name, "missing");
        return;
    }
    if (reason != 0) {
        snprintf(words, sizeof words, "not known: it cannot be read: %s",
                 reason == EINVAL ? "it is no file" : strerror(reason));
        report_fault(v, name, words);
        return;
    }
    uint64_t there = sum.length;
    am_sha256_end(&sum, found);
    if (strcmp(found, written->text) == 0)
        return;
    if (there < written->size) {
        snprintf(words, sizeof words, "half-written, or shortened: %" PRIu64 " of %" PRIu64 " bytes", there,
                 written->size);
        report_fault(v, name, words);
        return;
    }
    report_fault(v, name, "changed since it was written");
}

/* ---- The lists ---- */

/* summary.json names every file of the results, and so does SHA256SUMS but for itself. */
static am_status compare_lists(verification *v, am_error *err) {
    cJSON *document = NULL;
    am_status status = am_output_summary_of(v->folder, &document, err);
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(document, "files"), *file = NULL;
    size_t common = 0;
    if (status == AM_OK && !cJSON_IsArray(files))
        report_fault(v, "summary.json", "half-written: it does not list the files");
    cJSON_ArrayForEach(file, files) {
        const char *name = cJSON_GetStringValue(file);
        bool known = name && am_sums_find(&v->sums, name);
        common += known;
        if (name && !known && strcmp(name, am_sums_name) != 0)
            report_fault(v, name, "not known: SHA256SUMS does not have it, though summary.json does");
    }
    if (status == AM_OK && cJSON_IsArray(files) && common != v->sums.count)
        report_fault(v, am_sums_name, "changed: it has files that summary.json does not know");
    cJSON_Delete(document);
    return status;
}

static am_status check_others(void *context, const char *name, am_error *err) {
    (void)err;
    verification *v = context;
    char holder[400], words[500];
    struct stat info;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, am_sums_name) == 0 ||
        am_sums_find(&v->sums, name) || strcmp(name, "sweep-parts") == 0)
        return AM_OK;
    if (strcmp(name, am_claim_name) == 0) {
        am_claim_holder(v->descriptor, holder, sizeof holder);
        snprintf(words, sizeof words, "the folder is in use by %s", holder);
        report_note(v, name, holder[0] ? words : "left by a run that was ended; the next one removes it");
    } else if (strncmp(name, AM_SWITCH_PREFIX, strlen(AM_SWITCH_PREFIX)) == 0) {
        report_note(v, name, "left by a run that was ended while it wrote; the next one removes it");
    } else if (fstatat(v->descriptor, name, &info, 0) == 0 || errno != ENOENT) { /* what leads nowhere is not there */
        report_note(v, name, "foreign: not of these results");
    }
    return AM_OK;
}

/* ---- All of it ---- */

static am_status read_sums(verification *v, am_error *err) {
    if (!am_output_is_file(v->folder, am_sums_name)) {
        if (!am_output_is_file(v->folder, "summary.json"))
            return am_fail(err, AM_ERR_INPUT, "%s holds no results", v->folder);
        report_fault(v, am_sums_name, "missing: nothing can be compared");
        return AM_OK;
    }
    am_error local = {.status = AM_ERR_MEMORY};
    AM_LOCAL_MEMORY char *text = am_output_read(AM_OUTPUT_PATH(v->folder, am_sums_name), LONGEST_SUMS, &local);
    am_status read = text ? am_sums_read(&v->sums, text, &local) : local.status;
    if (read != AM_OK && read != AM_ERR_MEMORY)
        report_fault(v, am_sums_name, text ? "half-written, or changed" : "not known: it cannot be read");
    return read == AM_ERR_MEMORY ? am_fail(err, read, "%s", local.message) : AM_OK;
}

static am_status verify(verification *v, am_error *err) {
    am_status status = read_sums(v, err);
    for (size_t i = 0; status == AM_OK && i < v->sums.count; i++)
        check_file(v, v->sums.files[i].name);
    if (status == AM_OK && v->sums.count > 0)
        status = compare_lists(v, err);
    return status == AM_OK ? am_output_list(v->folder, check_others, v, err) : status;
}

am_status am_output_verify(const char *folder, am_output_finding *report, void *context, bool *whole, am_error *err) {
    if (!report)
        return am_misused(err, __func__);
    verification v = {.folder = folder, .report = report, .context = context, .whole = true};
    *whole = false;
    v.descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (v.descriptor < 0)
        return am_fail(err, AM_ERR_FILE, "%s cannot be looked into: %s", folder, strerror(errno));
    am_status status = verify(&v, err);
    close(v.descriptor);
    am_sums_clear(&v.sums);
    *whole = status == AM_OK && v.whole;
    return status;
}
