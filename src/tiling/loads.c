/* loads.c - L1->L0 instruction tables (kernel_rules.md section 4). */
#include "tiling/loads.h"

#include "base/intmath.h"
#include "isa/support.h"
#include "tiling/aswt.h"

#define BIT(load) (1U << (load))

/* One row: arch, role, transposing needed, element bits -> recommended, offered. */
struct load_row {
    int32_t arch;
    uint8_t role, transposing, bits;
    enum tiling_load recommended;
    unsigned offered;
};

/* 3510's 3D and WithStride forms are offered for matmul too (semantics.md 3);
 * the documents recommend 2D V2. */
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
    {2002, ROLE_A, 0, 4, LOAD_2D, BIT(LOAD_2D) | BIT(LOAD_3D)},
    {2002, ROLE_A, 0, 8, LOAD_2D, BIT(LOAD_2D) | BIT(LOAD_3D)},
    {2002, ROLE_A, 0, 16, LOAD_2D, BIT(LOAD_2D) | BIT(LOAD_3D)},
    {2002, ROLE_B, 0, 4, LOAD_2D, BIT(LOAD_2D)},
    {2002, ROLE_B, 0, 8, LOAD_2D, BIT(LOAD_2D)},
    {2002, ROLE_B, 0, 16, LOAD_2D, BIT(LOAD_2D)},
    {1001, ROLE_A, 0, 8, LOAD_2D, BIT(LOAD_2D)},
    {1001, ROLE_A, 0, 16, LOAD_2D, BIT(LOAD_2D)},
    {1001, ROLE_B, 0, 8, LOAD_2D, BIT(LOAD_2D)},
    {1001, ROLE_B, 0, 16, LOAD_2D, BIT(LOAD_2D)},
};

/* Feature maps of a conv go through im2col; their channels are C0 blocks. */
static const struct load_row CONV_ROWS[] = {
    {2201, ROLE_A, 0, 4, LOAD_3D, BIT(LOAD_3D)},
    {2201, ROLE_A, 0, 8, LOAD_3D, BIT(LOAD_3D)},
    {2201, ROLE_A, 0, 16, LOAD_3D, BIT(LOAD_3D)},
    {2201, ROLE_A, 0, 32, LOAD_3D, BIT(LOAD_3D)},
    {3510, ROLE_A, 0, 8, LOAD_3D, BIT(LOAD_3D) | BIT(LOAD_3D_STRIDE)},
    {3510, ROLE_A, 0, 16, LOAD_3D, BIT(LOAD_3D) | BIT(LOAD_3D_STRIDE)},
    {3510, ROLE_A, 0, 32, LOAD_3D, BIT(LOAD_3D) | BIT(LOAD_3D_STRIDE)},
    {2002, ROLE_A, 0, 4, LOAD_3D, BIT(LOAD_3D)},
    {2002, ROLE_A, 0, 8, LOAD_3D, BIT(LOAD_3D)},
    {2002, ROLE_A, 0, 16, LOAD_3D, BIT(LOAD_3D)},
};

static const struct operand *operand_of(const struct problem *p, enum role role)
{
    return role == ROLE_A ? &p->a : &p->b;
}

bool load_k_contiguous(const struct problem *p, enum role role)
{
    if (p->op == PROBLEM_CONV) {
        return true; /* NC1HWC0 and FRACTAL_Z have their fractals cut already */
    }
    return role == ROLE_A ? !p->a.transpose : p->b.transpose;
}

static const struct load_row *find_in(const struct load_row *rows, size_t count, const struct load_row *like)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].arch == like->arch && rows[i].role == like->role && rows[i].transposing == like->transposing &&
            rows[i].bits == like->bits) {
            return &rows[i];
        }
    }
    return NULL;
}

static const struct load_row *find_row(const struct target *target, const struct problem *p, enum role role)
{
    /* The 200I/500 A2 (3002) and Kirin take the table of 2201, whose instructions they have. */
    const int32_t arch = target->arch == 3002 || target->arch == 3003 || target->arch == 3113 ? 2201 : target->arch;
    const struct load_row like = {.arch = arch,
                                  .role = (uint8_t)role,
                                  .transposing = !load_k_contiguous(p, role),
                                  .bits = dtype_info(operand_of(p, role)->dtype)->bits};
    if (p->op == PROBLEM_CONV && role == ROLE_A) {
        return find_in(CONV_ROWS, sizeof CONV_ROWS / sizeof CONV_ROWS[0], &like);
    }
    return find_in(ROWS, sizeof ROWS / sizeof ROWS[0], &like);
}

int64_t load_unit(const struct problem *p, enum role role, enum axis axis)
{
    const struct operand *o = operand_of(p, role);
    const int64_t c0 = dtype_c0(o->dtype);
    if (o->mx && axis == AXIS_K) {
        return 64;
    }
    if (load_k_contiguous(p, role)) {
        return axis == AXIS_K ? c0 : 16;
    }
    /* A transposing load works on squares of 16, 32 (b8) or 64 (b4) elements. */
    return c0 < 16 ? 16 : c0;
}

int64_t load_mmad_unit(const struct target *target, const struct problem *p, enum role role)
{
    const bool pads = role == ROLE_B && target->arch != 3510 && !load_k_contiguous(p, ROLE_B);
    const int64_t unit = load_unit(p, ROLE_B, AXIS_MN);
    return pads && unit > 16 ? unit : 1;
}

/* The instruction of a load is in the documents' table for this product, path
 * and dtype; WithTranspose of float8 is offered by 950's C API only. */
static bool documented(const struct target *target, const struct problem *p, enum role role, enum tiling_load load)
{
    static const uint8_t ops[] = {
        [LOAD_2D] = OP_LOAD_2D,       [LOAD_TRANSPOSE] = OP_LOAD_TRANSPOSE, [LOAD_3D] = OP_LOAD_3D,
        [LOAD_2D_V2] = OP_LOAD_2D_V2, [LOAD_3D_STRIDE] = OP_LOAD_3D_STRIDE, [LOAD_MX] = OP_LOAD_MX,
    };
    const enum path path = role == ROLE_A ? PATH_L1_L0A : PATH_L1_L0B;
    const enum dtype dtype = operand_of(p, role)->dtype;
    /* enTranspose to L0A: 950, A2, A3, 200I/500 A2 (semantics.md 3). */
    const bool turns = target->product <= PRODUCT_ASCEND310B || role == ROLE_B || load_k_contiguous(p, role);
    if ((load == LOAD_3D || load == LOAD_3D_STRIDE) && !turns) {
        return false;
    }
    return support_find((enum op)ops[load], false, target->product, path, dtype) == SUPPORT_OK ||
           (load == LOAD_TRANSPOSE &&
            support_find(OP_LOAD_TRANSPOSE_V2, true, target->product, path, dtype) == SUPPORT_OK);
}

enum tiling_load load_recommended(const struct target *target, const struct problem *p, enum role role)
{
    if (operand_of(p, role)->mx) {
        return LOAD_MX;
    }
    const struct load_row *row = find_row(target, p, role);
    if (row != NULL && documented(target, p, role, row->recommended)) {
        return row->recommended;
    }
    int load = LOAD_AUTO_NONE + 1; /* the family's choice is not there: the first that is */
    while (load < LOAD_MX && !load_offered(target, p, role, (enum tiling_load)load)) {
        load++;
    }
    return load < LOAD_MX ? (enum tiling_load)load : LOAD_AUTO_NONE;
}

bool load_offered(const struct target *target, const struct problem *p, enum role role, enum tiling_load load)
{
    if (operand_of(p, role)->mx) {
        return load == LOAD_MX && target->arch == 3510;
    }
    const struct load_row *row = find_row(target, p, role);
    return row != NULL && (row->offered & BIT(load)) != 0 && documented(target, p, role, load);
}

int64_t load_l1_lines(const struct target *target, const struct problem *p, enum role role, enum tiling_load load)
{
    const bool b32 = dtype_info(operand_of(p, role)->dtype)->bits == 32;
    return load == LOAD_TRANSPOSE && b32 && target->arch != 3510 ? 16 : 0;
}

/* Length of a base block's pieces in ASWT's last round, and of the last piece. */
static bool pieces(int64_t length, int64_t parts, int64_t *piece, int64_t *last)
{
    *piece = ceil_div(length, parts);
    *last = length - (ceil_div(length, *piece) - 1) * *piece;
    return parts > 1;
}

/* Does ASWT cut a block of `base` or of the rest of `size` into pieces that no
 * `unit` divides (unit 1: of one row)? */
static bool pieces_widen(int64_t base, int64_t size, int64_t parts, int64_t unit)
{
    const int64_t lengths[] = {min_i64(base, size), size % base == 0 ? base : size % base};
    for (int i = 0; i < 2; i++) {
        int64_t piece, last;
        if (pieces(min_i64(lengths[i], size), parts, &piece, &last) &&
            (unit == 1 ? piece == 1 || last == 1 : piece % unit != 0 || last % unit != 0)) {
            return true;
        }
    }
    return false;
}

/* A tile of one row ends some group. */
static bool group_ends_alone(const struct problem *p, int64_t base)
{
    for (int64_t g = 0; p->groups > 1 && g < p->groups; g++) {
        if (problem_group_rows(p, g) % base == 1) {
            return true;
        }
    }
    return false;
}

bool tiling_widens_rows(const struct target *target, const struct problem *p, const struct tiling *t)
{
    const int64_t slice = t->assign == ASSIGN_GRID ? min_i64(t->singleCoreM, p->M) : p->M;
    const int64_t last = p->M % slice;
    return target->arch != 3510 && t->gemv == 0 &&
           (pieces_widen(t->baseM, p->M, aswt_split(p, t).parts_m, 1) ||
            (p->groups <= 1 && (slice % t->baseM == 1 || last % t->baseM == 1)) || t->baseM == 1 ||
            group_ends_alone(p, t->baseM));
}

bool tiling_widens_columns(const struct target *target, const struct problem *p, const struct tiling *t)
{
    const int64_t unit = load_mmad_unit(target, p, ROLE_B);
    const int64_t slice = t->assign == ASSIGN_GRID ? min_i64(t->singleCoreN, p->N) : p->N;
    /* Full base blocks, the tail of a slice, the tail of the last slice. */
    const int64_t last = p->N % slice;
    return (unit > 1 && pieces_widen(t->baseN, p->N, aswt_split(p, t).parts_n, unit)) ||
           (slice >= t->baseN && t->baseN % unit != 0) || slice % t->baseN % unit != 0 || last % t->baseN % unit != 0;
}
