/* Drawing a figure again: aside, and then in one instant together with its checksums. */
#include <string.h>

#include "amontons/output.h"
#include "base/input_file.h"
#include "base/local.h"
#include "base/object.h"
#include "base/text.h"
#include "output/claim.h"
#include "output/file.h"
#include "output/gnuplot.h"

static const char script_name[] = "figure.gp", animation_name[] = "animation.svg";
static const char svg_line[] = "set output 'figure.svg'", png_line[] = "set output 'figure.png'";
enum { LONGEST_FILE = 64 << 20 }; /* bytes */

/* The script with its two outputs in another folder. */
static char *redirect(const char *script, const char *aside, am_error *err) {
    am_text text = {0};
    while (*script) {
        size_t length = strcspn(script, "\n") + (script[strcspn(script, "\n")] == '\n'), skipped = 0;
        if (strncmp(script, svg_line, strlen(svg_line)) == 0) {
            am_text_printf(&text, "set output '%s/figure.svg'", aside);
            skipped = strlen(svg_line);
        } else if (strncmp(script, png_line, strlen(png_line)) == 0) {
            am_text_printf(&text, "set output '%s/figure.png'", aside);
            skipped = strlen(png_line);
        }
        am_text_add_bytes(&text, script + skipped, length - skipped);
        script += length;
    }
    return am_text_take(&text, err);
}

static am_status read_file(const char *folder, const char *name, am_text *text, am_error *err) {
    return am_input_read(AM_OUTPUT_PATH(folder, name), "a file", LONGEST_FILE, text, err);
}

/* The older sums, with those of the new figure and of its script, which may have been edited. */
static am_status renew_sums(const am_claim *claim, am_staging *staging, am_sums *sums, am_text *older, am_error *err) {
    am_sha256 script;
    AM_TRY(read_file(am_claim_folder(claim), am_sums_name, older, err));
    AM_TRY(am_sums_read(sums, am_text_view(older), err));
    int reason = am_sums_of_file(am_claim_descriptor(claim), script_name, &script);
    if (reason != 0)
        return am_fail(err, AM_ERR_FILE, "%s could not be read: %s", script_name, strerror(reason));
    AM_TRY(am_sums_add(sums, script_name, &script, err));
    AM_TRY(am_sums_replace(sums, am_sums_find(am_staging_sums(staging), "figure.svg"), err));
    return am_sums_replace(sums, am_sums_find(am_staging_sums(staging), "figure.png"), err);
}

static am_status write_sums(const am_claim *claim, am_staging *staging, am_error *err) {
    am_text older = {0};
    am_sums sums = {0};
    am_status status = renew_sums(claim, staging, &sums, &older, err);
    char *text = status == AM_OK ? am_sums_write(&sums, err) : NULL;
    if (status == AM_OK)
        status = text ? am_staging_write(staging, am_sums_name, text, strlen(text), err) : AM_ERR_MEMORY;
    am_memory_free(text);
    am_text_free(&older);
    am_sums_clear(&sums);
    return status;
}

static am_status draw_aside(const am_claim *claim, const char *script, am_staging *staging, am_error *err) {
    const char *folder = am_claim_folder(claim), *fresh = am_staging_folder(staging);
    const char *aside = fresh + strlen(folder) + 1; /* as seen from the folder */
    char redrawn[] = "figure.gp", svg[] = "figure.svg", png[] = "figure.png", sums[] = "SHA256SUMS";
    bool summed = am_output_is_file(folder, am_sums_name);
    char *const names[] = {svg, png, summed ? sums : NULL, NULL};
    AM_LOCAL_MEMORY char *text = redirect(script, aside, err);
    if (!text)
        return AM_ERR_MEMORY;
    AM_TRY(am_staging_write(staging, redrawn, text, strlen(text), err));
    AM_TRY(am_gnuplot_run(folder, AM_OUTPUT_PATH(aside, redrawn), fresh, folder, err));
    for (size_t i = 0; i < 2; i++)
        AM_TRY(am_staging_adopt(staging, names[i], err));
    if (summed)
        AM_TRY(write_sums(claim, staging, err));
    return am_staging_commit(staging, names, NULL, err);
}

/* A script that was changed to draw elsewhere draws there, and nothing waits aside. */
static am_status draw(const am_claim *claim, const char *script, am_error *err) {
    if (!strstr(script, svg_line) || !strstr(script, png_line))
        return am_gnuplot_run(am_claim_folder(claim), script_name, am_claim_folder(claim), am_claim_folder(claim), err);
    am_staging *staging;
    AM_TRY(am_staging_open(&staging, claim, err));
    am_status status = draw_aside(claim, script, staging, err);
    am_staging_close(staging);
    return status;
}

/* An animation that a run wrote has its sum renewed; another one is a file beside the results. */
static am_status renew_animation(const am_claim *claim, am_staging *staging, bool *listed, am_error *err) {
    AM_LOCAL(am_text_free) am_text older = {0};
    AM_LOCAL(am_sums_clear) am_sums sums = {0};
    const char *folder = am_claim_folder(claim);
    if (!am_output_is_file(folder, am_sums_name))
        return AM_OK;
    AM_TRY(read_file(folder, am_sums_name, &older, err));
    AM_TRY(am_sums_read(&sums, am_text_view(&older), err));
    *listed = am_sums_find(&sums, animation_name) != NULL;
    if (!*listed)
        return AM_OK;
    AM_TRY(am_sums_replace(&sums, am_sums_find(am_staging_sums(staging), animation_name), err));
    AM_LOCAL_MEMORY char *text = am_sums_write(&sums, err);
    return text ? am_staging_write(staging, am_sums_name, text, strlen(text), err) : AM_ERR_MEMORY;
}

static am_status put_animation(const am_claim *claim, am_staging *staging, const char *text, am_error *err) {
    char name[] = "animation.svg", sums[] = "SHA256SUMS";
    bool listed = false;
    AM_TRY(am_staging_write(staging, name, text, strlen(text), err));
    AM_TRY(renew_animation(claim, staging, &listed, err));
    char *const names[] = {name, listed ? sums : NULL, NULL};
    return am_staging_commit(staging, names, NULL, err);
}

am_status am_output_animation(const char *folder, const char *text, am_error *err) {
    if (!folder || !text)
        return am_misused(err, __func__);
    am_claim *claim;
    am_staging *staging;
    AM_TRY(am_claim_open(&claim, folder, err));
    am_status status = am_staging_open(&staging, claim, err);
    if (status == AM_OK)
        status = put_animation(claim, staging, text, err);
    am_staging_close(staging);
    am_output_release(claim);
    return status;
}

am_status am_output_plot(const char *folder, am_error *err) {
    if (!am_output_is_file(folder, script_name))
        return am_fail(err, AM_ERR_INPUT, "there is no figure.gp in %s: its study draws none", folder);
    am_text script = {0};
    am_claim *claim;
    AM_TRY(am_claim_open(&claim, folder, err));
    am_status status = read_file(folder, script_name, &script, err);
    if (status == AM_OK)
        status = draw(claim, am_text_view(&script), err);
    am_output_release(claim);
    am_text_free(&script);
    return status;
}
