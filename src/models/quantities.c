#include "models/quantities.h"

#include <math.h>

am_status am_quantities_check(const am_model_quantity *quantities, size_t count, am_error *err) {
    for (size_t i = 0; i < count; i++) {
        const am_model_quantity *q = &quantities[i];
        if (!isfinite(q->value) || q->value < 0.0 || (q->value == 0.0 && !q->zero))
            return am_fail_field(err, AM_ERR_INPUT, q->name, "the %s must be %s, but is %g", q->what,
                                 q->zero ? "zero or positive" : "positive", q->value);
    }
    return AM_OK;
}
