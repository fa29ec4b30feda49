/* A structure in motion from results that lie on the disk. */
#include "base/local.h"
#include "base/object.h"
#include "output/file.h"
#include "output/netcdf.h"
#include "output/replace.h"
#include "study/study.h"

AM_LOCAL_POINTER(am_result, am_result_free)

static am_status animate(const am_study *study, const char *folder, char **svg, am_error *err) {
    AM_LOCAL_ARENA pool = {0};
    AM_LOCAL(am_text_free) am_text bytes = {0};
    const bool asked = study->setting.animation.node != NULL;
    const am_animation_setting setting = asked ? study->setting.animation : am_animation_usual();
    am_reading reading = {.pool = &pool, .files = &study->files, .err = err};
    bool there = false;
    AM_TRY(am_output_read_whole(AM_OUTPUT_PATH(folder, "results.nc"), &bytes, &there, err));
    if (!there)
        return am_fail(err, AM_ERR_INPUT, "there is no results.nc in %s", folder);
    AM_LOCAL(am_result_free_at) am_result *result = am_result_create(err);
    if (!result)
        return AM_ERR_MEMORY;
    AM_TRY(am_output_netcdf_read(bytes.data, bytes.length, result, err));
    const char *text = NULL;
    AM_TRY(am_animation_fit(&reading, &setting, study->setting.title, &study->made, result, &text));
    *svg = am_memory_text(text, err);
    return *svg ? AM_OK : AM_ERR_MEMORY;
}

char *am_study_animate(const am_study *study, const char *folder, am_error *err) {
    char *svg = NULL;
    am_error own = {0};
    if (!am_is(study, AM_TAG_STUDY) || !folder)
        return am_misused_for_nothing(err, __func__);
    return animate(study, folder, &svg, err ? err : &own) == AM_OK ? svg : NULL;
}
