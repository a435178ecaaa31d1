/* boxes.h - the program of one core as boxes on a time axis: all instructions
 * of one operand in one step on one pipe are one box. */
#ifndef STUDY_BOXES_H
#define STUDY_BOXES_H

#include "study/study.h"

struct study_box {
    int64_t start, occupied, end; /* mcyc: begun, pipe free again, result there */
    uint32_t step;
    uint8_t pipe, role, half;
};

struct study_boxes {
    struct study_box *v; /* in program order */
    size_t n, cap;
    bool failed; /* no memory */
};

/* Steps [first, last] of a core. */
struct study_window {
    int32_t core;
    int64_t first, last;
};

/* @return false on lack of memory. `v` is freed by study_boxes_fini. */
bool study_boxes_of(struct study *study, const struct cell *cell, const struct schedule *s,
                    const struct study_window *w, struct study_boxes *out);
void study_boxes_fini(struct study_boxes *b);

/* The first core with the most steps. */
int32_t study_busiest_core(const struct schedule *s);

#endif
