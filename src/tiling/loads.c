/* loads.c - L1->L0 instruction tables (kernel_rules.md section 4). */
#include "tiling/loads.h"

#define BIT(load) (1U << (load))

/* One row: arch, role, transposing needed, element bits -> recommended, offered. */
struct load_row {
    int32_t arch;
    uint8_t role, transposing, bits;
    enum tiling_load recommended;
    unsigned offered;
};

static const struct load_row ROWS[] = {
    {2201, ROLE_A, 0, 4, LOAD_3D, BIT(LOAD_3D) | BIT(LOAD_2D)},
    {2201, ROLE_A, 0, 8, LOAD_3D, BIT(LOAD_3D) | BIT(LOAD_2D)},
    {2201, ROLE_A, 0, 16, LOAD_3D, BIT(LOAD_3D) | BIT(LOAD_2D)},
    {2201, ROLE_A, 0, 32, LOAD_3D, BIT(LOAD_3D) | BIT(LOAD_2D)},
    {2201, ROLE_A, 1, 8, LOAD_TRANSPOSE, BIT(LOAD_TRANSPOSE)},
    {2201, ROLE_A, 1, 16, LOAD_3D, BIT(LOAD_3D) | BIT(LOAD_2D) | BIT(LOAD_TRANSPOSE)},
    {2201, ROLE_A, 1, 32, LOAD_3D, BIT(LOAD_3D) | BIT(LOAD_TRANSPOSE)},
    {2201, ROLE_B, 1, 4, LOAD_TRANSPOSE, BIT(LOAD_TRANSPOSE)},
    {2201, ROLE_B, 1, 8, LOAD_TRANSPOSE, BIT(LOAD_TRANSPOSE)},
    {2201, ROLE_B, 1, 16, LOAD_3D, BIT(LOAD_3D) | BIT(LOAD_2D) | BIT(LOAD_TRANSPOSE)},
    {2201, ROLE_B, 1, 32, LOAD_3D, BIT(LOAD_3D) | BIT(LOAD_TRANSPOSE)},
    {2201, ROLE_B, 0, 4, LOAD_2D, BIT(LOAD_2D)},
    {2201, ROLE_B, 0, 8, LOAD_2D, BIT(LOAD_2D)},
    {2201, ROLE_B, 0, 16, LOAD_2D, BIT(LOAD_2D)},
    {2201, ROLE_B, 0, 32, LOAD_2D, BIT(LOAD_2D)},
    {3510, ROLE_A, 0, 8, LOAD_2D_V2, BIT(LOAD_2D_V2) | BIT(LOAD_3D) | BIT(LOAD_3D_STRIDE)},
    {3510, ROLE_A, 1, 8, LOAD_2D_V2, BIT(LOAD_2D_V2) | BIT(LOAD_3D_STRIDE)},
    {3510, ROLE_A, 0, 16, LOAD_2D_V2, BIT(LOAD_2D_V2) | BIT(LOAD_3D) | BIT(LOAD_3D_STRIDE)},
    {3510, ROLE_A, 1, 16, LOAD_2D_V2, BIT(LOAD_2D_V2) | BIT(LOAD_3D) | BIT(LOAD_3D_STRIDE)},
    {3510, ROLE_A, 0, 32, LOAD_2D_V2, BIT(LOAD_2D_V2) | BIT(LOAD_3D) | BIT(LOAD_3D_STRIDE)},
    {3510, ROLE_A, 1, 32, LOAD_2D_V2, BIT(LOAD_2D_V2) | BIT(LOAD_3D) | BIT(LOAD_3D_STRIDE)},
    {3510, ROLE_B, 1, 8, LOAD_2D_V2, BIT(LOAD_2D_V2) | BIT(LOAD_TRANSPOSE)},
    {3510, ROLE_B, 0, 8, LOAD_2D_V2, BIT(LOAD_2D_V2)},
    {3510, ROLE_B, 1, 16, LOAD_2D_V2, BIT(LOAD_2D_V2) | BIT(LOAD_TRANSPOSE) | BIT(LOAD_3D_STRIDE)},
    {3510, ROLE_B, 0, 16, LOAD_2D_V2, BIT(LOAD_2D_V2)},
    {3510, ROLE_B, 1, 32, LOAD_2D_V2, BIT(LOAD_2D_V2) | BIT(LOAD_TRANSPOSE) | BIT(LOAD_3D_STRIDE)},
    {3510, ROLE_B, 0, 32, LOAD_2D_V2, BIT(LOAD_2D_V2)},
    {2002, ROLE_A, 0, 8, LOAD_2D, BIT(LOAD_2D) | BIT(LOAD_3D)},
    {2002, ROLE_A, 0, 16, LOAD_2D, BIT(LOAD_2D) | BIT(LOAD_3D)},
    {2002, ROLE_B, 0, 8, LOAD_2D, BIT(LOAD_2D)},
    {2002, ROLE_B, 0, 16, LOAD_2D, BIT(LOAD_2D)},
    {1001, ROLE_A, 0, 8, LOAD_2D, BIT(LOAD_2D)},
    {1001, ROLE_A, 0, 16, LOAD_2D, BIT(LOAD_2D)},
    {1001, ROLE_B, 0, 8, LOAD_2D, BIT(LOAD_2D)},
    {1001, ROLE_B, 0, 16, LOAD_2D, BIT(LOAD_2D)},
};

bool load_k_contiguous(const struct problem *p, enum role role)
{
    return role == ROLE_A ? !p->a.transpose : p->b.transpose;
}

static const struct load_row *find_row(const struct target *target, const struct problem *p, enum role role)
{
    const struct operand *o = role == ROLE_A ? &p->a : &p->b;
    /* The 200I/500 A2 (3002) takes the table of 2201, whose instructions it has. */
    const int32_t arch = target->arch == 3002 || target->arch == 3003 || target->arch == 3113 ? 2201 : target->arch;
    const uint8_t transposing = load_k_contiguous(p, role) ? 0 : 1;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const struct load_row *row = &ROWS[i];
        if (row->arch == arch && row->role == role && row->transposing == transposing &&
            row->bits == dtype_info(o->dtype)->bits) {
            return row;
        }
    }
    return NULL;
}

int64_t load_unit(const struct problem *p, enum role role, enum axis axis)
{
    const struct operand *o = role == ROLE_A ? &p->a : &p->b;
    const int64_t c0 = dtype_c0(o->dtype);
    if (load_k_contiguous(p, role)) {
        return axis == AXIS_K ? c0 : 16;
    }
    /* A transposing load works on squares of 16, 32 (b8) or 64 (b4) elements. */
    return c0 < 16 ? 16 : c0;
}

enum tiling_load load_recommended(const struct target *target, const struct problem *p, enum role role)
{
    const struct operand *o = role == ROLE_A ? &p->a : &p->b;
    if (o->mx) {
        return LOAD_MX;
    }
    const struct load_row *row = find_row(target, p, role);
    return row == NULL ? LOAD_AUTO_NONE : row->recommended;
}

bool load_offered(const struct target *target, const struct problem *p, enum role role, enum tiling_load load)
{
    const struct operand *o = role == ROLE_A ? &p->a : &p->b;
    if (o->mx) {
        return load == LOAD_MX && target->arch == 3510;
    }
    const struct load_row *row = find_row(target, p, role);
    return row != NULL && (row->offered & BIT(load)) != 0;
}

bool tiling_widens_rows(const struct target *target, const struct problem *p, const struct tiling *t)
{
    const int64_t slice = t->assign == ASSIGN_GRID ? t->singleCoreM : p->M;
    const int64_t last = p->M % slice;
    return target->arch != 3510 && t->gemv == 0 && (slice % t->baseM == 1 || last % t->baseM == 1 || t->baseM == 1);
}
