#include "study/analyses.h"

#include <stdint.h>

#include "base/try.h"
#include "study/models.h"

#define ADDRESS(name) &am_analysis_##name,
const am_analysis_kind *const am_analysis_kinds[] = {AM_ANALYSES(ADDRESS) NULL};
#undef ADDRESS

static const am_schema *schema_of(size_t index) {
    return am_analysis_kinds[index] ? am_analysis_kinds[index]->schema : NULL;
}

am_status am_analysis_read(am_reading *reading, const am_node *node, const am_case *made, am_analysis *analysis) {
    size_t index = am_kind_find(reading, node, "analysis", "analysis kind", schema_of);
    if (index == SIZE_MAX)
        return reading->err->status;
    const am_analysis_kind *kind = am_analysis_kinds[index];
    void *settings = am_arena_new(reading->pool, 1, kind->schema->size, reading->err);
    if (!settings)
        return AM_ERR_MEMORY;
    analysis->kind = kind;
    analysis->node = node;
    analysis->settings = settings;
    AM_TRY(am_schema_read(reading, kind->schema, node, settings));
    return kind->bind(reading, node, made, settings);
}
