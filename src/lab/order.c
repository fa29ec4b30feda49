#include "lab/order.h"

#include <string.h>

#include "base/try.h"

/* The numbers of an order; its texts follow, each ended by a zero: name, text, then path and value of each setting. */
typedef struct order_head {
    uint32_t task, root, settings, full, columns, svg, png, job;
    int32_t threads;
    uint32_t preview;
    uint64_t trace;
    double seconds;
    uint64_t count; /* of all bytes */
} order_head;

static void add_ended(am_text *bytes, const char *text) {
    am_text_add(bytes, text);
    am_text_add_bytes(bytes, "", 1);
}

am_status am_lab_order_write(const am_lab_order *order, am_text *bytes, am_error *err) {
    order_head head = {.task = (uint32_t)order->task,
                       .root = (uint32_t)order->root,
                       .settings = (uint32_t)order->setting_count,
                       .full = order->full,
                       .columns = order->columns,
                       .svg = order->svg,
                       .png = order->png,
                       .job = order->job,
                       .threads = order->threads,
                       .preview = (uint32_t)order->preview,
                       .trace = order->trace,
                       .seconds = order->seconds};
    am_text_clear(bytes);
    am_text_add_bytes(bytes, (const char *)&head, sizeof head);
    add_ended(bytes, order->name);
    add_ended(bytes, order->text);
    for (size_t i = 0; i < order->setting_count; i++) {
        add_ended(bytes, order->settings[i].path);
        add_ended(bytes, order->settings[i].value);
    }
    AM_TRY(am_text_status(bytes, err));
    head.count = bytes->length;
    memcpy(bytes->data, &head, sizeof head);
    return AM_OK;
}

/* The next text; NULL: there is none, or it has no end. */
static const char *take(const char **at, const char *end) {
    const char *text = *at, *zero = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;
    *at = zero ? zero + 1 : end;
    return zero ? text : NULL;
}

bool am_lab_order_read(am_lab_order *order, const char *bytes, size_t count) {
    order_head head;
    if (count < sizeof head)
        return false;
    memcpy(&head, bytes, sizeof head);
    const char *at = bytes + sizeof head, *end = bytes + count;
    if (head.count != count || head.settings > AM_LAB_SETTINGS || head.task > AM_LAB_FIGURE ||
        head.root > AM_LAB_GALLERY)
        return false;
    *order = (am_lab_order){.task = (am_lab_task)head.task,
                            .root = (am_lab_root)head.root,
                            .setting_count = head.settings,
                            .full = head.full != 0,
                            .columns = head.columns != 0,
                            .svg = head.svg != 0,
                            .png = head.png != 0,
                            .job = head.job != 0,
                            .threads = head.threads,
                            .preview = head.preview,
                            .trace = head.trace,
                            .seconds = head.seconds};
    order->name = take(&at, end);
    order->text = take(&at, end);
    bool whole = order->name && order->text;
    for (size_t i = 0; whole && i < head.settings; i++) {
        order->settings[i].path = take(&at, end);
        order->settings[i].value = take(&at, end);
        whole = order->settings[i].path && order->settings[i].value;
    }
    return whole && at == end;
}
