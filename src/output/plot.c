/* Drawing a figure again: aside, and then in one instant together with its checksums. */
#include <string.h>

#include "amontons/output.h"
#include "base/memory.h"
#include "base/text.h"
#include "output/claim.h"
#include "output/file.h"
#include "output/gnuplot.h"

static const char script_name[] = "figure.gp";
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

static am_status read_file(const char *folder, const char *name, char **text, am_error *err) {
    char *path = am_output_path(folder, name, err);
    am_error own = {.status = AM_ERR_MEMORY};
    *text = path ? am_output_read(path, LONGEST_FILE, &own) : NULL;
    am_memory_free(path);
    return *text ? AM_OK : am_fail(err, own.status, "%s", own.message);
}

/* The older sums, with those of the new figure and of its script, which may have been edited. */
static am_status write_sums(const am_claim *claim, const char *aside, am_staging *staging, am_error *err) {
    static const char *const changed[] = {"figure.svg", "figure.png", "figure.gp"};
    char *older = NULL, *text = NULL;
    am_sums *sums = am_sums_create(err);
    am_status status = sums ? read_file(am_claim_folder(claim), am_sums_name, &older, err) : AM_ERR_MEMORY;
    if (status == AM_OK)
        status = am_sums_read(sums, older, err);
    for (size_t i = 0; status == AM_OK && i < 3; i++) {
        am_sha256 sum;
        char *path = am_output_path(i < 2 ? aside : ".", changed[i], err);
        int reason = path ? am_sums_of_file(am_claim_descriptor(claim), path, &sum) : 0;
        am_memory_free(path);
        status = !path         ? AM_ERR_MEMORY
                 : reason != 0 ? am_fail(err, AM_ERR_FILE, "%s could not be read: %s", changed[i], strerror(reason))
                               : am_sums_add(sums, changed[i], &sum, err);
    }
    if (status == AM_OK)
        status = (text = am_sums_write(sums, err)) ? AM_OK : AM_ERR_MEMORY;
    if (status == AM_OK)
        status = am_staging_write(staging, am_sums_name, text, strlen(text), err);
    am_memory_free(text);
    am_memory_free(older);
    am_sums_free(sums);
    return status;
}

static am_status draw_aside(const am_claim *claim, const char *script, am_staging *staging, am_error *err) {
    const char *folder = am_claim_folder(claim), *fresh = am_staging_folder(staging);
    const char *aside = fresh + strlen(folder) + 1; /* as seen from the folder */
    char redrawn[] = "figure.gp", svg[] = "figure.svg", png[] = "figure.png", sums[] = "SHA256SUMS";
    bool summed = am_output_is_file(folder, am_sums_name);
    char *const names[] = {svg, png, summed ? sums : NULL, NULL};
    char *text = redirect(script, aside, err), *path = text ? am_output_path(aside, redrawn, err) : NULL;
    am_status status = path ? am_staging_write(staging, redrawn, text, strlen(text), err) : AM_ERR_MEMORY;
    if (status == AM_OK)
        status = am_gnuplot_run(folder, path, fresh, folder, err);
    if (status == AM_OK && summed)
        status = write_sums(claim, aside, staging, err);
    if (status == AM_OK)
        status = am_staging_commit(staging, names, NULL, err);
    am_memory_free(path);
    am_memory_free(text);
    return status;
}

/* A script that was changed to draw elsewhere draws there, and nothing waits aside. */
static am_status draw(const am_claim *claim, const char *script, am_error *err) {
    if (!strstr(script, svg_line) || !strstr(script, png_line))
        return am_gnuplot_run(am_claim_folder(claim), script_name, am_claim_folder(claim), am_claim_folder(claim), err);
    am_staging *staging = am_staging_open_claimed(claim, err);
    am_status status = staging ? draw_aside(claim, script, staging, err) : AM_ERR_FILE;
    am_staging_close(staging);
    return status;
}

am_status am_output_plot(const char *folder, am_error *err) {
    if (!am_output_is_file(folder, script_name))
        return am_fail(err, AM_ERR_INPUT, "there is no figure.gp in %s: its study draws none", folder);
    am_error own = {.status = AM_ERR_MEMORY};
    char *script = NULL;
    am_claim *claim = am_output_claim(folder, &own);
    am_status status = claim ? read_file(folder, script_name, &script, &own) : own.status;
    if (status == AM_OK)
        status = draw(claim, script, &own);
    am_output_release(claim);
    am_memory_free(script);
    return status == AM_OK ? AM_OK : am_fail(err, status, "%s", own.message);
}
