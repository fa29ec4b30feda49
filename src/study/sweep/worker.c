#include "study/sweep/worker.h"

#include "base/memory.h"
#include "base/result_reuse.h"
#include "base/watch.h"

am_sweep_hand *am_sweep_hand_open(const am_sweep_setting *sweep, const am_node *root, const am_files *files,
                                  bool (*go_on)(void *context), void *context, am_error *err) {
    am_sweep_hand *h = am_memory_new(1, sizeof *h, err);
    if (!h)
        return NULL;
    *h = (am_sweep_hand){.files = files, .go_on = go_on, .context = context, .shares = !am_grid_changes_model(sweep)};
    h->lasting = am_arena_create(err);
    h->passing = am_arena_create(err);
    if (h->lasting && h->passing && am_grid_open(&h->grid, sweep, root, err) == AM_OK)
        return h;
    am_sweep_hand_close(h);
    return NULL;
}

void am_sweep_hand_close(am_sweep_hand *hand) {
    if (!hand)
        return;
    for (size_t i = 0; hand->kept && i < hand->first.count; i++)
        if (hand->kept[i].object)
            hand->kept[i].release(hand->kept[i].object);
    am_memory_free(hand->kept);
    am_result_free(hand->result);
    am_grid_close(&hand->grid);
    am_arena_free(hand->passing);
    am_arena_free(hand->lasting);
    am_memory_free(hand);
}

/* The first case of points that share their model. */
static am_status read_first(am_sweep_hand *h, am_error *reason) {
    am_status status = am_grid_case(&h->grid, h->files, NULL, h->lasting, &h->first, reason);
    h->kept = status ? NULL : am_memory_new(h->first.count, sizeof *h->kept, reason);
    h->has_first = h->kept != NULL;
    if (!h->has_first)
        am_arena_reset(h->lasting);
    return status || h->has_first ? status : AM_ERR_MEMORY;
}

static am_status read_case(am_sweep_hand *h, am_case *made, am_error *reason) {
    if (!h->shares || h->has_first)
        return am_grid_case(&h->grid, h->files, h->has_first ? &h->first : NULL, h->passing, made, reason);
    am_status status = read_first(h, reason);
    *made = h->first;
    return status;
}

static bool report_inside(void *context, double fraction) {
    (void)fraction; /* many points run at once: only whole ones are counted */
    const am_sweep_hand *h = context;
    return h->go_on(h->context);
}

am_status am_sweep_hand_run(am_sweep_hand *hand, size_t point, bool all, am_error *reason) {
    am_sweep_hand *h = hand;
    am_case made;
    if (h->result)
        am_result_clear(h->result);
    else
        h->result = am_result_create(reason);
    if (!h->result)
        return AM_ERR_MEMORY;
    am_arena_reset(h->passing);
    am_grid_move(&h->grid, point);
    const am_progress inner = {.report = report_inside, .context = h, .threads = 1};
    am_watch watch;
    am_watch_apart(&watch, &inner);
    am_status status = read_case(h, &made, reason);
    const am_case_room room = {h->kept, all ? NULL : &h->grid.sweep->tables};
    if (!status)
        status = am_case_run_in(&made, &room, h->result, &inner, reason);
    return am_watch_end(&watch, status, reason);
}
