/* `interfaces:` of model structure: sets of nodes that meet, whose pairs become contacts (amontons/interface.h). */
#ifndef AMONTONS_STUDY_MODELS_INTERFACES_H
#define AMONTONS_STUDY_MODELS_INTERFACES_H
#include "amontons/system.h"
#include "study/models/imported.h"

/* One of them; it begins with the contact that all pairs have in common. */
typedef struct am_interface_setting {
    am_contact_def contact;
    const am_node *from, *to, *tangents, *surface;
    am_numbers normal, tangent;
    double tolerance;
    bool per_area, gap_of_mesh;
} am_interface_setting;

extern const am_schema am_interface_schema;

/* The pairs of one, in the pool; `stiffness` tells on which side its body lies. NULL with err filled. */
am_interface *am_interface_read(am_reading *reading, const am_node *node, const am_interface_setting *setting,
                                const am_coordinates *coordinates, const am_matrix *stiffness);

/* Its contacts into `contacts` (am_interface_count of them), and wishes for their rows. */
am_status am_interface_wish(am_reading *reading, const am_node *node, const am_interface *interface,
                            const am_coordinates *coordinates, am_contact_def *contacts, am_row_wishes *wishes);

#endif
