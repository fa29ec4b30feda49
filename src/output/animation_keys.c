#include "output/animation_keys.h"

#include "base/local.h"

enum { LONGEST_STRAIGHT = 200 }; /* instants between two frames, so that looking at them stays cheap */

static double share_of(const am_keys *keys, double time) {
    return (time - keys->time[0]) / (keys->time[keys->count - 1] - keys->time[0]);
}

/* Are the values between two frames on the straight line between them, to `near`? */
static bool is_straight(const am_keys *keys, const double *values, double near, size_t from, size_t to) {
    double start = keys->time[from], span = keys->time[to] - start;
    for (size_t i = from + 1; values && i < to; i++) {
        double share = span > 0 ? (keys->time[i] - start) / span : 0;
        if (!(fabs(values[from] + share * (values[to] - values[from]) - values[i]) <= near))
            return false;
    }
    return true;
}

/* The frames that are needed: each as far from the one before as straightness allows. */
static size_t choose_frames(const am_keys *keys, const double *x, const double *y, double near, size_t *frame) {
    size_t count = 0, from = 0;
    frame[count++] = 0;
    while (from + 1 < keys->count) {
        size_t to = from + 1;
        while (to + 1 < keys->count && to - from < LONGEST_STRAIGHT && is_straight(keys, x, near, from, to + 1) &&
               is_straight(keys, y, near, from, to + 1))
            to++;
        frame[count++] = from = to;
    }
    return count;
}

/* The end of an animation: its instants, as shares of the round; all of them where frame is NULL. */
static void add_times(am_text *out, const am_keys *keys, const size_t *frame, size_t count) {
    am_text_add(out, "\" keyTimes=\"");
    for (size_t i = 0; i < count; i++) {
        double share = i + 1 == count ? 1 : share_of(keys, keys->time[frame ? frame[i] : i]);
        am_text_printf(out, "%s%s", i > 0 ? ";" : "", AM_NUMBER(round(1e6 * share) / 1e6));
    }
    am_text_printf(out, "\" dur=\"%ss\" repeatCount=\"indefinite\"/>", AM_NUMBER(keys->seconds));
}

/* y: NULL where there is one number for each instant. */
static am_status add_transform(am_text *out, const am_keys *keys, const char *type, const double *x, const double *y,
                               double near, am_error *err) {
    AM_LOCAL_MEMORY size_t *frame = am_memory_new(keys->count, sizeof *frame, err);
    if (!frame)
        return AM_ERR_MEMORY;
    size_t count = choose_frames(keys, x, y, near, frame);
    double digits = near < 0.01 ? 1e4 : 100;
    am_text_printf(out, "<animateTransform attributeName=\"transform\" type=\"%s\" values=\"", type);
    for (size_t i = 0; i < count; i++) {
        am_text_printf(out, "%s%s", i > 0 ? ";" : "", AM_NUMBER(round(digits * x[frame[i]]) / digits + 0.0));
        if (y)
            am_text_printf(out, ",%s", AM_NUMBER(round(digits * y[frame[i]]) / digits + 0.0));
    }
    add_times(out, keys, frame, count);
    return AM_OK;
}

/* To a tenth of a pixel; turned and stretched, lines are some hundred pixels long. */
am_status am_keys_translate(am_text *out, const am_keys *keys, const double *x, const double *y, am_error *err) {
    return add_transform(out, keys, "translate", x, y, 0.1, err);
}

am_status am_keys_rotate(am_text *out, const am_keys *keys, const double *degrees, am_error *err) {
    return add_transform(out, keys, "rotate", degrees, NULL, 0.05, err);
}

/* Of what is one long: `along` is its length in pixels. */
am_status am_keys_stretch(am_text *out, const am_keys *keys, const double *along, am_error *err) {
    AM_LOCAL_MEMORY double *across = am_memory_new(keys->count, sizeof *across, err);
    if (!across)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < keys->count; i++)
        across[i] = 1;
    return add_transform(out, keys, "scale", along, across, 0.1, err);
}

static void add_colours(am_text *out, const am_keys *keys, const char *attribute, size_t count,
                        const am_key_colour *colours) {
    if (count < 2) /* it stays what it is */
        return;
    am_text_printf(out, "<animate attributeName=\"%s\" calcMode=\"discrete\" values=\"", attribute);
    for (size_t i = 0; i < count; i++)
        am_text_printf(out, "%s%s", i > 0 ? ";" : "", colours[i].colour);
    am_text_add(out, "\" keyTimes=\"0");
    for (size_t i = 1; i < count; i++)
        am_text_printf(out, ";%s", AM_NUMBER(round(1e6 * fmin(fmax(share_of(keys, colours[i].time), 0), 1)) / 1e6));
    am_text_printf(out, "\" dur=\"%ss\" repeatCount=\"indefinite\"/>", AM_NUMBER(keys->seconds));
}

void am_keys_fill(am_text *out, const am_keys *keys, size_t count, const am_key_colour *colours) {
    add_colours(out, keys, "fill", count, colours);
}

void am_keys_stroke(am_text *out, const am_keys *keys, size_t count, const am_key_colour *colours) {
    add_colours(out, keys, "stroke", count, colours);
}

double am_mark_step(double width) {
    double rough = width / 6, power = pow(10, floor(log10(rough))), share = rough / power;
    return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}
