/* Which study the files of a sweep under way belong to. */
#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/input_file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "output/file.h"
#include "output/replace.h"
#include "study/emit.h"
#include "study/sweep/part.h"

static const char parts_name[] = "sweep-parts", plan_name[] = "plan.json";

/* ---- fingerprint ---- */

/* FNV-1a. */
uint64_t am_sweep_hash(uint64_t hash, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    return hash;
}

/* A file that the study names (a matrix, a mesh) counts by its content. */
static am_status mix_file(const char *path, uint64_t *hash, am_error *err) {
    char block[16384];
    size_t got, size;
    FILE *file = am_input_open(path, "a file", SIZE_MAX, &size, err);
    if (!file)
        return AM_ERR_FILE;
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        *hash = am_sweep_hash(*hash, block, got);
    am_status status = ferror(file) ? am_fail(err, AM_ERR_FILE, "%s: cannot be read", path) : AM_OK;
    fclose(file);
    return status;
}

am_status am_sweep_fingerprint(const am_node *root, const am_named_files *named, bool with_version,
                               char fingerprint[AM_SWEEP_FINGERPRINT], am_error *err) {
    static const char *const meaning[] = {"model", "analysis", "also", "sweep"};
    am_text text = {0};
    am_status status = AM_OK;
    am_text_add(&text, with_version ? AMONTONS_VERSION : "");
    uint64_t hash = AM_SWEEP_HASH_BEGIN;
    for (size_t i = 0; i < sizeof meaning / sizeof *meaning; i++) {
        const am_node *node = am_node_get(root, meaning[i]);
        if (node)
            am_emit_entry(&text, meaning[i], node);
    }
    for (size_t i = 0; i < named->count && !status; i++)
        status = mix_file(named->paths[i], &hash, err);
    if (!status)
        status = am_text_status(&text, err);
    if (!status)
        hash = am_sweep_hash(hash, text.data, text.length);
    am_text_free(&text);
    snprintf(fingerprint, AM_SWEEP_FINGERPRINT, "%016llx", (unsigned long long)hash);
    return status;
}

/* ---- the plan ---- */

am_status am_sweep_record_plan(am_sweep_record *record, am_error *err) {
    if (!record->folder || record->rank != 0)
        return AM_OK;
    cJSON *plan = cJSON_CreateObject(), *outputs = plan ? cJSON_AddArrayToObject(plan, "outputs") : NULL;
    bool whole = outputs && cJSON_AddStringToObject(plan, "study", record->study) &&
                 cJSON_AddStringToObject(plan, "fingerprint", record->plan) &&
                 cJSON_AddNumberToObject(plan, "points", (double)record->points);
    for (size_t i = 0; whole && i < record->output_count; i++) {
        cJSON *name = cJSON_CreateString(record->outputs[i]);
        whole = name && cJSON_AddItemToArray(outputs, name);
    }
    char *text = whole ? cJSON_Print(plan) : NULL;
    am_status status = text ? am_output_make_folder(record->folder, err)
                            : am_fail(err, AM_ERR_MEMORY, "there is no memory for the plan of the sweep");
    if (!status)
        status = am_output_replace(AM_OUTPUT_PATH(record->folder, plan_name), text, strlen(text), err);
    cJSON_free(text);
    cJSON_Delete(plan);
    return status;
}

static const char *text_of(const cJSON *plan, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(plan, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static am_status read_outputs(am_sweep_record *record, const cJSON *plan, am_error *err) {
    const cJSON *outputs = cJSON_GetObjectItemCaseSensitive(plan, "outputs"), *item = NULL;
    size_t count = 0, i = 0;
    cJSON_ArrayForEach(item, outputs) count++;
    const char **names = am_memory_new(count, sizeof *names, err);
    if (!names)
        return AM_ERR_MEMORY;
    cJSON_ArrayForEach(item, outputs) names[i++] = cJSON_IsString(item) ? item->valuestring : "";
    am_status status = am_sweep_record_name(record, count, names, err);
    am_memory_free(names);
    return status;
}

/* A plan is there: is it ours? */
static am_status read_plan(am_sweep_record *record, const char *text, bool force, bool *found, am_error *err) {
    cJSON *plan = cJSON_Parse(text);
    am_status status = AM_OK;
    bool ours = plan && strcmp(text_of(plan, "fingerprint"), record->plan) == 0;
    if (ours) {
        status = read_outputs(record, plan, err);
        *found = !status;
    } else if (!force) {
        const char *other = plan ? text_of(plan, "study") : "";
        status = am_fail(err, AM_ERR_INPUT,
                         "%s holds a sweep that was not finished, of %s%s: run that one to its end, take another "
                         "folder (--out), or throw it away with --force",
                         record->folder, *other ? other : "another study",
                         strcmp(other, record->study) == 0 ? " as it was before it was changed" : "");
    }
    cJSON_Delete(plan);
    return status;
}

am_status am_sweep_record_open(am_sweep_record *record, const am_sweep_place *place, const am_node *root, size_t rank,
                               bool *found, am_error *err) {
    am_text text = {0};
    bool there = false;
    *found = false;
    record->rank = rank;
    record->lists = true;
    record->folder = am_output_path(place->results, parts_name, err);
    record->study = am_memory_text(place->study, err);
    if (!record->folder || !record->study)
        return AM_ERR_MEMORY;
    AM_TRY(am_sweep_fingerprint(root, place->named, true, record->plan, err));
    am_status status = am_output_read_whole(AM_OUTPUT_PATH(record->folder, plan_name), &text, &there, err);
    if (!status && there)
        status = read_plan(record, am_text_view(&text), place->force, found, err);
    if (!status && !*found && rank == 0)
        status = am_sweep_parts_remove(place->results, err);
    am_text_free(&text);
    return status; /* a plan that cannot be read is no reason to remove the parts */
}

am_status am_sweep_parts_verify(const char *folder, am_sweep_part_visit *visit, void *context, am_error *err) {
    am_text text = {0};
    bool there = false;
    const char *parts = AM_OUTPUT_PATH(folder, parts_name);
    am_status status = am_output_read_whole(AM_OUTPUT_PATH(parts, plan_name), &text, &there, err);
    cJSON *plan = status == AM_OK && there ? cJSON_Parse(am_text_view(&text)) : NULL;
    am_sweep_parts_order order = {parts, text_of(plan, "fingerprint"), visit, context};
    if (plan)
        status = am_sweep_parts_check(&order, err);
    cJSON_Delete(plan);
    am_text_free(&text);
    return status;
}

am_status am_sweep_parts_remove(const char *folder, am_error *err) {
    static const char *const ours[] = {"part-", plan_name, NULL};
    return am_output_remove_folder(AM_OUTPUT_PATH(folder, parts_name), ours, err);
}
