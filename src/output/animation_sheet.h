/* What the pictures of a structure in motion have in common: the sheet, the panel over time. */
#ifndef AMONTONS_OUTPUT_ANIMATION_SHEET_H
#define AMONTONS_OUTPUT_ANIMATION_SHEET_H
#include "output/animation_frames.h"
#include "output/animation_keys.h"

enum { AM_SHEET_WIDTH = 720, AM_SHEET_LEFT = 60, AM_SHEET_RIGHT = 20, AM_SHEET_TOP = 64 };

/* Title, and a line of words below it. */
void am_sheet_begin(am_text *out, const char *title, const char *words, double height);
void am_sheet_end(am_text *out);

/* How long something is: `scale` pixels are one; at the left end of a line at height y. */
void am_sheet_ruler(am_text *out, double scale, double y);

/* Coordinates over time, strips with the states of contacts, and the mark that goes along; from y on. */
typedef struct am_sheet_panel {
    const am_frames *frames;
    const am_system *system;
    const am_keys *keys;
    double y;
} am_sheet_panel;
double am_sheet_panel_height(const am_sheet_panel *panel);
void am_sheet_add_panel(am_text *out, const am_sheet_panel *panel);

/* The colour of a state as areas have it. */
void am_sheet_state_colour(const char *state, char out[8]);

#endif
