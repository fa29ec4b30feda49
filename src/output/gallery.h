/* The pages of the gallery: what they share (gallery_parts.c), and what each is made of. */
#ifndef AMONTONS_OUTPUT_GALLERY_H
#define AMONTONS_OUTPUT_GALLERY_H
#include <stdbool.h>

#include "amontons/output.h"
#include "base/text.h"

typedef struct am_gallery {
    const char *folder; /* where the pages go */
    size_t count;
    const am_gallery_entry *entries;
} am_gallery;

/* The pages a visitor may begin with. */
typedef enum am_gallery_view { AM_GALLERY_BY_DOCUMENT, AM_GALLERY_BY_TOPIC } am_gallery_view;

void am_gallery_write_view(am_text *page, const am_gallery *gallery, am_gallery_view view);
void am_gallery_write_wrong(am_text *page, const am_gallery *gallery); /* what the sources got wrong, at one glance */
void am_gallery_write_study(am_text *page, const am_gallery *gallery, size_t index);

/* ---- What pages share ---- */

/* From <!DOCTYPE> into <main>, and from there to the end; `up` leads from the page to the gallery's folder ("../"). */
void am_gallery_begin(am_text *page, const char *title, const char *up);
void am_gallery_end(am_text *page);

/* A path inside an address. */
void am_gallery_address(am_text *page, const char *path);
/* <a href="up + folder of the entry + end">: its page is ".html" behind the folder of its results. */
void am_gallery_link(am_text *page, const char *up, const am_gallery_entry *entry, const char *end);

void am_gallery_element(am_text *page, const char *open, const char *text, const char *close); /* nothing: no element */
void am_gallery_seconds(am_text *page, double seconds);

const char *am_gallery_title(const am_gallery_entry *entry);
const char *am_gallery_group(const am_gallery_entry *entry); /* its title; of any length, also 0 */
const char *am_gallery_topic(const am_gallery_entry *entry);
bool am_gallery_has_file(const am_gallery *gallery, const am_gallery_entry *entry, const char *name);

size_t am_gallery_unmet(const am_report *report);    /* expectations */
bool am_gallery_held(const am_gallery_entry *entry); /* it ran, and all of them were met */
am_source_verdict am_gallery_verdict(const am_gallery_entry *entry);
const char *am_gallery_verdict_word(am_source_verdict verdict); /* as studies, addresses and styles write it */
void am_gallery_badge(am_text *page, const am_gallery_entry *entry);

/* A study in YAML, with its keys, numbers, texts and comments marked. */
void am_gallery_yaml(am_text *page, const char *study);

#endif
