#include "study/models/solid_modes.h"

/* Where `auto` begins. */
static const size_t first_try = 10;

am_status am_modes_finish(am_reading *reading, am_modes_setting *setting) {
    if (!setting->node)
        return AM_OK;
    setting->automatic = am_node_is_text(setting->node, "auto");
    setting->count = first_try;
    return setting->automatic ? AM_OK : am_read_count(reading, setting->node, "modes", &setting->count);
}

am_mode_choice am_modes_of(const am_modes_setting *setting, const am_solid_dynamics *dynamics) {
    if (setting->count == 0)
        return (am_mode_choice){0};
    size_t most = dynamics->inner > 2 ? dynamics->inner - 2 : 0; /* as many as the eigensolver gives */
    return (am_mode_choice){
        .asked = setting->count, .most = most, .automatic = setting->automatic, .check = setting->check};
}
