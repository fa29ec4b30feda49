/* The gallery: small static pages that work from a disk without a network, in the folder of the results they show. */
#include "amontons/output.h"

#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/object.h"
#include "output/claim.h"
#include "output/file.h"
#include "output/gallery.h"

static const char style[] = {
#include "output/gallery_css.inc"
};
static const char script[] = {
#include "output/gallery_js.inc"
};

/* ---- Pages that take their places together ---- */

typedef struct folder_of_pages {
    am_claim *claim;
    am_staging *staging;
    char **names; /* NULL-terminated */
    size_t count;
} folder_of_pages;

static am_status open_pages(folder_of_pages *pages, const char *folder, am_error *err) {
    *pages = (folder_of_pages){0};
    AM_TRY(am_claim_open(&pages->claim, folder, err));
    return am_staging_open(&pages->staging, pages->claim, err);
}

static am_status add_page(folder_of_pages *pages, const char *name, const void *bytes, size_t length, am_error *err) {
    AM_TRY(am_memory_resize(&pages->names, pages->count + 2, err));
    am_text kept = {0};
    am_text_add(&kept, name);
    pages->names[pages->count] = am_text_take(&kept, err);
    pages->names[pages->count + 1] = NULL;
    if (!pages->names[pages->count])
        return AM_ERR_MEMORY;
    return am_staging_write(pages->staging, pages->names[pages->count++], bytes, length, err);
}

static am_status add_text(folder_of_pages *pages, const char *name, const am_text *page, am_error *err) {
    AM_TRY(am_text_status(page, err));
    return add_page(pages, name, page->data, page->length, err);
}

static am_status close_pages(folder_of_pages *pages, am_status status, am_error *err) {
    if (status == AM_OK)
        status = am_staging_commit(pages->staging, pages->names, NULL, err);
    am_staging_close(pages->staging);
    am_output_release(pages->claim);
    for (size_t i = 0; i < pages->count; i++)
        am_memory_free(pages->names[i]);
    am_memory_free(pages->names);
    return status;
}

/* ---- The pages of studies, folder by folder ---- */

/* How much of a path is the folder that the page of its study is in. */
static size_t parent_length(const am_gallery_entry *entry) {
    const char *slash = entry->folder ? strrchr(entry->folder, '/') : NULL;
    return slash ? (size_t)(slash - entry->folder) : 0;
}

static bool same_parent(const am_gallery_entry *a, const am_gallery_entry *b) {
    size_t length = parent_length(a);
    return length == parent_length(b) && (length == 0 || memcmp(a->folder, b->folder, length) == 0);
}

static am_status add_studies(folder_of_pages *pages, const am_gallery *gallery, size_t first, am_error *err) {
    AM_LOCAL(am_text_free) am_text page = {0};
    AM_LOCAL(am_text_free) am_text name = {0};
    for (size_t i = first; i < gallery->count; i++) {
        const am_gallery_entry *entry = &gallery->entries[i];
        size_t length = parent_length(entry);
        if (!entry->folder || !same_parent(entry, &gallery->entries[first]))
            continue;
        am_text_clear(&page);
        am_text_clear(&name);
        am_text_printf(&name, "%s.html", entry->folder + length + (length > 0));
        am_gallery_write_study(&page, gallery, i);
        AM_TRY(am_text_status(&name, err));
        AM_TRY(add_text(pages, name.data, &page, err));
    }
    return AM_OK;
}

static bool is_first_of_parent(const am_gallery *gallery, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (same_parent(&gallery->entries[i], &gallery->entries[index]))
            return false;
    return true;
}

static am_status write_studies(const am_gallery *gallery, am_error *err) {
    for (size_t i = 0; i < gallery->count; i++) {
        if (!gallery->entries[i].folder || !is_first_of_parent(gallery, i))
            continue;
        folder_of_pages pages;
        AM_LOCAL(am_text_free) am_text folder = {0};
        am_text_printf(&folder, "%s/", gallery->folder);
        am_text_add_bytes(&folder, gallery->entries[i].folder, parent_length(&gallery->entries[i]));
        AM_TRY(am_text_status(&folder, err));
        am_status status = open_pages(&pages, folder.data, err);
        if (status == AM_OK)
            status = add_studies(&pages, gallery, i, err);
        AM_TRY(close_pages(&pages, status, err));
    }
    return AM_OK;
}

/* ---- The pages to begin with: last, so that they lead nowhere that is not there ---- */

static am_status add_views(folder_of_pages *pages, const am_gallery *gallery, am_error *err) {
    AM_LOCAL(am_text_free) am_text page = {0};
    AM_TRY(add_page(pages, "gallery.css", style, sizeof style - 1, err));
    AM_TRY(add_page(pages, "gallery.js", script, sizeof script - 1, err));
    am_gallery_write_view(&page, gallery, AM_GALLERY_BY_DOCUMENT);
    AM_TRY(add_text(pages, "index.html", &page, err));
    am_text_clear(&page);
    am_gallery_write_view(&page, gallery, AM_GALLERY_BY_TOPIC);
    AM_TRY(add_text(pages, "topics.html", &page, err));
    am_text_clear(&page);
    am_gallery_write_wrong(&page, gallery);
    return add_text(pages, "wrong.html", &page, err);
}

am_status am_output_gallery(const char *folder, size_t count, const am_gallery_entry *entries, am_error *err) {
    if (!entries && count > 0)
        return am_misused(err, __func__);
    const am_gallery gallery = {folder, count, entries};
    folder_of_pages pages;
    am_status status = open_pages(&pages, folder, err);
    if (status == AM_OK)
        status = write_studies(&gallery, err);
    if (status == AM_OK)
        status = add_views(&pages, &gallery, err);
    return close_pages(&pages, status, err);
}
