/* config_shapes.c - rows of a CSV of shapes as problems. */
#include "experiment/config.h"

void config_read_shapes(struct config *c, const struct config_draft *defaults, const struct yaml_node *map,
                        struct config_problems *out)
{
    (void)defaults;
    (void)out;
    diag_error(c->diag, STATUS_UNSUPPORTED, &map->at, "shapes are not read yet");
}
