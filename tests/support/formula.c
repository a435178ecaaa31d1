#include "support/formula.h"

#include <stdio.h>
#include <string.h>

/* Everything below is sums and tables of kernel_rules.md; sizes in double, so
 * that nothing overflows (all are far below 2^53 where it matters). */

static double up(double a, double b)
{
    double q = (double)(int64_t)(a / b);
    return q * b < a ? (q + 1) * b : q * b;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static int bits(enum dtype d)
{
    switch (d) {
    case DTYPE_INT4:
    case DTYPE_FP4_E2M1:
    case DTYPE_FP4_E1M2:
        return 4;
    case DTYPE_HALF:
    case DTYPE_BF16:
    case DTYPE_INT16:
    case DTYPE_UINT16:
        return 16;
    case DTYPE_FLOAT:
    case DTYPE_INT32:
    case DTYPE_UINT32:
        return 32;
    case DTYPE_UINT64:
        return 64;
    default:
        return 8;
    }
}

static const char *short_name(enum dtype d)
{
    static const char *const names[DTYPE_N] = {
        [DTYPE_INT4] = "i4",   [DTYPE_FP4_E2M1] = "e2m1", [DTYPE_FP4_E1M2] = "e1m2", [DTYPE_INT8] = "i8",
        [DTYPE_UINT8] = "u8",  [DTYPE_FP8_E4M3] = "e4m3", [DTYPE_FP8_E5M2] = "e5m2", [DTYPE_HIF8] = "hif8",
        [DTYPE_HALF] = "f16",  [DTYPE_BF16] = "bf16",     [DTYPE_FLOAT] = "f32",     [DTYPE_INT32] = "i32",
        [DTYPE_UINT32] = "u32"};
    return names[d] != NULL ? names[d] : "?";
}

/* --- section 3.1: left*right>result+bias, a blank before and after each ------- */

static const char *mmad_forms(enum product product)
{
    switch (product) {
    case PRODUCT_ASCEND950:
        return " i8*i8>i32+i32 f16*f16>f32+f32 bf16*bf16>f32+f32 f32*f32>f32+f32 e4m3*e4m3>f32+f32 e4m3*e5m2>f32+f32"
               " e5m2*e4m3>f32+f32 e5m2*e5m2>f32+f32 hif8*hif8>f32+f32 ";
    case PRODUCT_ATLAS_A3:
    case PRODUCT_ASCEND910B:
    case PRODUCT_ASCEND310B:
        return " i8*i8>i32+i32 f16*f16>f32+f32 bf16*bf16>f32+f32 f32*f32>f32+f32 i4*i4>i32+no ";
    case PRODUCT_ASCEND310P:
        return " i8*i8>i32+no u8*i8>i32+no u8*u8>i32+no f16*f16>f32+no i4*i4>i32+no ";
    case PRODUCT_ASCEND910:
        return " i8*i8>i32+no u8*i8>i32+no u8*u8>u32+no f16*f16>f32+no ";
    case PRODUCT_KIRIN_X90:
        return " i8*i8>i32+i32 f16*f16>f16+f16 ";
    case PRODUCT_KIRIN_9030:
        return " f16*f16>f16+no ";
    case PRODUCT_N:
        break;
    }
    return "";
}

static const char *mx_forms(enum product product)
{
    return product != PRODUCT_ASCEND950
               ? ""
               : " e2m1*e2m1>f32+f32 e2m1*e1m2>f32+f32 e1m2*e2m1>f32+f32 e1m2*e1m2>f32+f32 e4m3*e4m3>f32+f32"
                 " e4m3*e5m2>f32+f32 e5m2*e4m3>f32+f32 e5m2*e5m2>f32+f32 ";
}

/* Reads ">result+bias" of the form for the operands; false if there is none. */
static bool form_of(const struct target *target, const struct problem *p, char result[8], char bias[8])
{
    char key[32];
    if (p->a.mx != p->b.mx || !(target->rate[p->a.dtype] > 0)) {
        return false;
    }
    snprintf(key, sizeof key, " %s*%s>", short_name(p->a.dtype), short_name(p->b.dtype));
    const char *at = strstr(p->a.mx ? mx_forms(target->product) : mmad_forms(target->product), key);
    return at != NULL && sscanf(at + strlen(key), "%7[^+]+%7s", result, bias) == 2;
}

/* --- section 7: accumulator>result with no quant row, |: with one ------------- */

static const char *fixpipe_forms(enum product product, bool vector)
{
    switch (product) {
    case PRODUCT_ASCEND950:
        return vector ? " f32>f32 f32>f16 f32>bf16 f32>i8 f32>u8 f32>e4m3 f32>hif8 i32>f16 i32>bf16 i32>i8 i32>u8 "
                      : " f32>f32 f32>f16 f32>bf16 f32>i8 f32>u8 f32>e4m3 f32>hif8 i32>i32 i32>f16 i32>bf16 i32>i8"
                        " i32>u8 ";
    case PRODUCT_ATLAS_A3:
    case PRODUCT_ASCEND910B:
    case PRODUCT_ASCEND310B:
        return vector ? " f32>i8 f32>u8 i32>f16 i32>i8 i32>u8 "
                      : " f32>f32 f32>f16 f32>bf16 f32>i8 f32>u8 i32>i32 i32>f16 i32>i8 i32>u8 ";
    case PRODUCT_KIRIN_X90:
        return vector ? " i32>f16 i32>i8 i32>u8 " : " f16>f16 i32>i32 i32>f16 i32>i8 i32>u8 ";
    case PRODUCT_KIRIN_9030:
        return vector ? "" : " f16>f16 ";
    default:
        return "";
    }
}

static bool dtypes_ok(const struct target *target, const struct problem *p, const struct tiling *t)
{
    char result[8], bias[8], key[32];
    if (!form_of(target, p, result, bias)) {
        return false;
    }
    if (p->bias.dtype != DTYPE_NONE) {
        const char *gm = short_name(p->bias.dtype);
        const bool same = strcmp(gm, bias) == 0;
        const bool converted = strcmp(bias, "f32") == 0 &&
                               (p->bias.dtype == DTYPE_HALF ||
                                (p->bias.dtype == DTYPE_BF16 && target->product == PRODUCT_ASCEND950));
        if (!same && !converted) {
            return false;
        }
    }
    if (p->quant.dtype == DTYPE_NONE && (!target->l0c_to_gm || t->kernel == KERNEL_MIX)) {
        return true;
    }
    snprintf(key, sizeof key, " %s>%s ", result, short_name(p->c.dtype));
    return strstr(fixpipe_forms(target->product, p->quant.dtype != DTYPE_NONE), key) != NULL;
}

/* --- section 4 ------------------------------------------------------------ */

static bool b_plain(const struct problem *p)
{
    return p->op == PROBLEM_MATMUL && !p->b.transpose;
}

static bool a_turned(const struct problem *p)
{
    return p->op == PROBLEM_MATMUL && p->a.transpose;
}

/* "arch operand bits: loads" */
static const char *const LOADS[] = {
    "2201 An 4: 3d 2d",     "2201 An 8: 3d 2d",     "2201 An 16: 3d 2d",    "2201 An 32: 3d 2d",
    "2201 At 8: tr",        "2201 At 16: 3d 2d tr", "2201 At 32: 3d tr",    "2201 Bn 4: tr",
    "2201 Bn 8: tr",        "2201 Bn 16: 3d 2d tr", "2201 Bn 32: 3d tr",    "2201 Bt 4: 2d",
    "2201 Bt 8: 2d",        "2201 Bt 16: 2d",       "2201 Bt 32: 2d",       "3510 An 8: v2 3d st",
    "3510 At 8: v2 st",     "3510 An 16: v2 3d st", "3510 At 16: v2 3d st", "3510 An 32: v2 3d st",
    "3510 At 32: v2 3d st", "3510 Bn 8: v2 tr",     "3510 Bt 8: v2",        "3510 Bn 16: v2 tr st",
    "3510 Bt 16: v2",       "3510 Bn 32: v2 tr st", "3510 Bt 32: v2",       "2002 An 4: 2d 3d",
    "2002 An 8: 2d 3d",     "2002 An 16: 2d 3d",    "2002 Bt 4: 2d",        "2002 Bt 8: 2d",
    "2002 Bt 16: 2d",       "1001 An 8: 2d",        "1001 An 16: 2d",       "1001 Bt 8: 2d",
    "1001 Bt 16: 2d",       "2201 conv 4: 3d",      "2201 conv 8: 3d",      "2201 conv 16: 3d",
    "2201 conv 32: 3d",     "3510 conv 8: 3d st",   "3510 conv 16: 3d st",  "3510 conv 32: 3d st",
    "2002 conv 4: 3d",      "2002 conv 8: 3d",      "2002 conv 16: 3d",
};

static bool load_ok(const struct target *target, const struct problem *p, bool a, int32_t load)
{
    static const char *const words[] = {"?", "2d", "tr", "3d", "v2", "st", "mx"};
    const enum dtype d = a ? p->a.dtype : p->b.dtype;
    if (a ? p->a.mx : p->b.mx) {
        return load == LOAD_MX && target->arch == 3510;
    }
    /* Products that lack a load of their family's table (semantics.md 3). */
    if ((target->product == PRODUCT_KIRIN_9030 && load != LOAD_2D) ||
        (target->product == PRODUCT_ASCEND310B && bits(d) == 4 && load == LOAD_2D) ||
        (target->product == PRODUCT_KIRIN_X90 && a && a_turned(p) && load == LOAD_3D)) {
        return false;
    }
    const int arch = target->arch == 3002 || target->arch == 3003 || target->arch == 3113 ? 2201 : target->arch;
    char key[32];
    const char *which = !a ? (b_plain(p) ? "Bn" : "Bt") : p->op == PROBLEM_CONV ? "conv" : a_turned(p) ? "At" : "An";
    snprintf(key, sizeof key, "%d %s %d:", arch, which, bits(d));
    for (size_t i = 0; i < sizeof LOADS / sizeof LOADS[0]; i++) {
        if (strncmp(LOADS[i], key, strlen(key)) == 0) {
            return strstr(LOADS[i] + strlen(key), words[load]) != NULL;
        }
    }
    return false;
}

/* --- sections 2.2, 6, 9, 11: bytes ------------------------------------------ */

struct sizes {
    double mn, k;      /* one chunk, padded */
    double rows, cols; /* of its image */
    double l1, l0;     /* bytes of a chunk, of a base block */
    double scale_l1, scale_l0, scale_codes;
};

static bool turned(const struct problem *p, bool a)
{
    return a ? a_turned(p) : b_plain(p);
}

static bool kept_whole(const struct tiling *t, bool a)
{
    return t->fullLoad == (a ? FULL_LOAD_A : FULL_LOAD_B);
}

static void scale_sizes(const struct problem *p, const struct tiling *t, bool a, double mn, double k, struct sizes *s)
{
    const double factor_k = a ? t->scaleFactorKa : t->scaleFactorKb, factor = a ? t->scaleFactorM : t->scaleFactorN;
    const double whole = least(a ? t->singleCoreM : t->singleCoreN, a ? (double)p->M : (double)p->N);
    double span = mn * factor;
    span = factor == 1 ? mn : least(span, whole);
    span = span < mn ? mn : span;
    s->scale_codes = up(least(k * factor_k, up(least(t->singleCoreK, (double)p->K), 64)), 64) / 32;
    s->scale_l1 = up(span, 16) * s->scale_codes;
    const double unit = turned(p, a) ? (bits(a ? p->a.dtype : p->b.dtype) == 4 ? 64 : 32) : 16;
    if (t->scaleCopy == 1) {
        s->scale_codes = up(t->baseK, 64) / 32;
        s->scale_l1 = up(up(a ? t->baseM : t->baseN, unit), 16) * s->scale_codes;
    }
    s->scale_l0 = up(a ? t->baseM : t->baseN, unit) * up(t->baseK, 64) / 32;
}

static void conv_map(const struct problem *p, const struct tiling *t, double mn, double k, struct sizes *s)
{
    const struct conv_shape *v = &p->conv;
    const double c0 = 256.0 / bits(p->a.dtype), window = (double)(v->kh * v->kw) * c0;
    const int64_t wo = (v->w + v->pad_left + v->pad_right - v->dilation_w * (v->kw - 1) - 1) / v->stride_w + 1;
    const int64_t ho = (v->h + v->pad_top + v->pad_bottom - v->dilation_h * (v->kh - 1) - 1) / v->stride_h + 1;
    const double out_rows = least((double)ho, (double)((int64_t)mn / wo + 2));
    const double in_rows = least((double)v->h, (out_rows - 1) * v->stride_h + (double)(v->kh - 1) * v->dilation_h + 1);
    const double channels = least(up(k, window) / window, up((double)p->K, window) / window);
    s->rows = in_rows * (double)v->w;
    s->cols = channels * c0;
    s->l1 = s->rows * channels * 32;
    s->l0 = up(t->baseM, 16) * t->baseK * bits(p->a.dtype) / 8;
}

static void operand_sizes(const struct problem *p, const struct tiling *t, bool a, struct sizes *s)
{
    const int b = bits(a ? p->a.dtype : p->b.dtype);
    const bool mx = a ? p->a.mx : p->b.mx;
    const double c0 = 256.0 / b;
    const double unit_mn = turned(p, a) ? (b == 4 ? 64 : b == 8 ? 32 : 16) : 16;
    const double unit_k = mx ? 64 : turned(p, a) ? unit_mn : c0;
    const double base = a ? t->baseM : t->baseN;
    double mn = up(base, unit_mn) * (a ? t->stepM : t->stepN), k = (double)t->baseK * (a ? t->stepKa : t->stepKb);
    memset(s, 0, sizeof *s);
    if (kept_whole(t, a)) {
        mn = least(a ? t->singleCoreM : t->singleCoreN, a ? (double)p->M : (double)p->N);
        k = least(t->singleCoreK, (double)p->K);
    }
    if (mx) {
        scale_sizes(p, t, a, mn, k, s);
    }
    s->mn = up(mn, unit_mn), s->k = up(k, unit_k);
    s->l0 = up(base, unit_mn) * up(t->baseK, unit_k) * b / 8;
    s->rows = up(turned(p, a) ? s->k : s->mn, 16);
    s->cols = up(turned(p, a) ? s->mn : s->k, c0);
    s->l1 = s->rows * s->cols * b / 8;
    if (a && t->gemv == 1 && p->M == 1) {
        s->rows = 1;
        s->cols = up((double)t->baseK * t->stepKa, 16 * c0);
        s->l1 = s->cols * b / 8;
        s->l0 = up((double)t->baseK * b / 8, 512);
    } else if (a && p->op == PROBLEM_CONV) {
        conv_map(p, t, mn, k, s);
    }
}

/* Columns Mmad covers: N padded by a transposing b8, b4 load before 3510. */
static double mmad_n(const struct target *target, const struct problem *p, double n)
{
    const double unit = b_plain(p) && target->arch != 3510 ? 256.0 / bits(p->b.dtype) : 1;
    return unit > 16 ? up(n, unit) : n;
}

static const char *buffers_broken(const struct target *target, const struct problem *p, const struct tiling *t,
                                  const struct sizes *a, const struct sizes *b)
{
    char result[8], bias[8];
    const bool half_acc = form_of(target, p, result, bias) && strcmp(result, "f16") == 0;
    const double m = up(t->baseM, 16), n = up(mmad_n(target, p, t->baseN), 16);
    if (a->l0 * t->dbL0A > (double)target->physical[BUF_L0A] || b->l0 * t->dbL0B > (double)target->physical[BUF_L0B]) {
        return "T3";
    }
    if (m * n * (half_acc ? 2 : 4) * t->dbL0C > (double)target->physical[BUF_L0C]) {
        return "T4";
    }
    if (a->scale_l0 * t->dbL0A > (double)target->physical[BUF_L0A_MX] ||
        b->scale_l0 * t->dbL0B > (double)target->physical[BUF_L0B_MX]) {
        return "scales in L0";
    }
    if (t->isBias && up(n * 4, 64) > (double)target->physical[BUF_BT]) {
        return "T5";
    }
    if (p->quant.dtype != DTYPE_NONE && n > target->fb_columns) {
        return "FB";
    }
    double l1 = (a->l1 + a->scale_l1) * t->dbA1 + (b->l1 + b->scale_l1) * t->dbB1;
    if (t->scaleCopy == 1) { /* always in two buffers */
        l1 = a->l1 * t->dbA1 + b->l1 * t->dbB1 + 2 * (a->scale_l1 + b->scale_l1);
    }
    if (t->isBias) {
        l1 += up(n * bits(p->bias.dtype == DTYPE_NONE ? DTYPE_FLOAT : p->bias.dtype) / 8, 64);
    }
    l1 += p->quant.dtype != DTYPE_NONE ? n * 8 : 0;
    const double reserve = t->kernel == KERNEL_MIX && target->arch == 2201 ? 256 : 0;
    return l1 > (double)target->physical[BUF_L1] - reserve ? "T7" : NULL;
}

/* --- fields of instructions ---------------------------------------------------- */

static const char *widths_broken(const struct target *target, const struct problem *p, const struct tiling *t, bool a,
                                 const struct sizes *s)
{
    const int b = bits(a ? p->a.dtype : p->b.dtype);
    const double c0 = 256.0 / b;
    const double unit = turned(p, a) ? (b == 4 ? 64 : b == 8 ? 32 : 16) : 16;
    const double k = up(t->baseK, (a ? p->a.mx : p->b.mx) ? 64 : turned(p, a) ? unit : c0);
    const double mn = up(a ? t->baseM : t->baseN, unit);
    const int32_t load = a ? t->loadA : t->loadB;
    if (mmad_n(target, p, t->baseN) > 4095) {
        return "T12";
    }
    if (p->op == PROBLEM_MATMUL && !(a && t->gemv && p->M == 1) &&
        (s->rows > 16384 || s->cols / (b == 4 ? 2 : 1) > 65535)) {
        return "ND2NZ";
    }
    if ((a ? p->a.mx : p->b.mx) && s->scale_codes / 2 > 16384) {
        return "DN2NZ";
    }
    if (a && t->gemv && p->M == 1) {
        return NULL; /* a vector: K / (16 * C0) fractals */
    }
    if (load == LOAD_2D || load == LOAD_TRANSPOSE) {
        const double square = load == LOAD_TRANSPOSE ? unit : 16;
        return (a ? k / (turned(p, a) ? square : c0) : mn / (turned(p, a) ? square : 16)) > 255 ? "repeatTimes" : NULL;
    }
    if (load == LOAD_2D_V2 || load == LOAD_MX) {
        return k / (turned(p, a) ? 16 : c0) > 255 || mn / (turned(p, a) ? c0 : 16) > 255 ? "mStep, kStep" : NULL;
    }
    if (a && p->op == PROBLEM_CONV) {
        return s->rows / (double)p->conv.w > 32767 || p->conv.w > 32767 ||
                       s->cols * (double)(p->conv.kh * p->conv.kw) > 65535
                   ? "l1H, l1W, channelSize"
                   : NULL;
    }
    return s->rows > 32767 || s->cols > 65535 ? "l1W, channelSize" : NULL;
}

/* --- relations ------------------------------------------------------------------ */

static bool divides(double unit, double v)
{
    return up(v, unit) == v;
}

static const char *multiples_broken(const struct problem *p, const struct tiling *t)
{
    for (int i = 0; i < 2; i++) {
        const bool a = i == 0;
        const struct operand *o = a ? &p->a : &p->b;
        const double c0 = 256.0 / bits(o->dtype);
        const double start = !turned(p, a) ? 1 : o->format == LAYOUT_NZ ? c0 : bits(o->dtype) == 4 ? 2 : 1;
        const int32_t base = a ? t->baseM : t->baseN, slice = a ? t->singleCoreM : t->singleCoreN;
        const double whole = a ? (double)p->M : (double)p->N;
        const double unit_k = o->mx ? 64 : turned(p, a) && c0 < 16 ? 16 : c0;
        if (!divides(16, base) || !divides(start, base) || !divides(unit_k, t->baseK)) {
            return "T8";
        }
        if (t->assign == ASSIGN_GRID && slice < whole && !divides(start, slice)) {
            return "T9";
        }
        /* A conv's slices are whole channel blocks. */
        const double block = (double)(p->conv.kh * p->conv.kw) * c0;
        const double part = p->op == PROBLEM_CONV                     ? block
                            : o->mx                                   ? 64
                            : o->format == LAYOUT_NZ && !turned(p, a) ? c0
                            : bits(o->dtype) == 4                     ? 2
                                                                      : 1;
        if (t->singleCoreK < p->K && !divides(part, t->singleCoreK)) {
            return "K slices";
        }
    }
    if (t->gemv && t->stepKa > 1 && !divides(16 * 256.0 / bits(p->a.dtype), t->baseK)) {
        return "GEMV";
    }
    if (t->gemv && p->a.mx && t->scaleCopy == 0 && (double)t->stepKa * t->scaleFactorKa > 1 && t->baseK < p->K &&
        !divides(1024, t->baseK)) {
        return "GEMV scales";
    }
    const double window = (double)(p->conv.kh * p->conv.kw) * 256.0 / bits(p->a.dtype);
    const double chunk = (double)t->stepKa * t->baseK;
    return p->op == PROBLEM_CONV && chunk < (double)p->K && !divides(window, chunk) ? "kAL1" : NULL;
}

static const char *operands_broken(const struct problem *p, const struct tiling *t)
{
    for (int i = 0; i < 2; i++) {
        const struct operand *o = i == 0 ? &p->a : &p->b;
        if (bits(o->dtype) == 4 && (o->cols % 2 != 0 || o->ld % 2 != 0)) {
            return "T11";
        }
        if (o->dtype == DTYPE_INT4 && p->K % 2 != 0) {
            return "T11 k";
        }
        if (o->format == LAYOUT_NZ && t->api == API_HIGH &&
            (o->rows % 16 != 0 || o->cols % (256 / bits(o->dtype)) != 0)) {
            return "T9";
        }
    }
    return NULL;
}

/* Some tile of one row is issued with 16, or of n columns with more. */
static bool widened(const struct target *target, const struct problem *p, const struct tiling *t)
{
    const int64_t ends_m[2] = {t->assign == ASSIGN_GRID && t->singleCoreM < p->M ? t->singleCoreM : p->M, p->M};
    const int64_t ends_n[2] = {t->assign == ASSIGN_GRID && t->singleCoreN < p->N ? t->singleCoreN : p->N, p->N};
    for (int i = 0; i < 2; i++) {
        /* Size of the last tile of a full slice, of the last slice. */
        const int64_t slice_m = i == 0 ? ends_m[0] : p->M % ends_m[0], slice_n = i == 0 ? ends_n[0] : p->N % ends_n[0];
        if (target->arch != 3510 && !t->gemv && slice_m % t->baseM == 1) {
            return true;
        }
        const int64_t tail = slice_n % t->baseN;
        if (mmad_n(target, p, (double)tail) != (double)tail ||
            (slice_n >= t->baseN && mmad_n(target, p, t->baseN) != t->baseN)) {
            return true;
        }
    }
    return false;
}

static const char *cores_broken(const struct target *target, const struct problem *p, const struct tiling *t)
{
    const double rounds = t->order == ORDER_L2SPLIT ? t->orderRounds : 1;
    const double m = up(up((double)p->M, t->singleCoreM) / t->singleCoreM, rounds) / rounds;
    const double n = up((double)p->N, t->singleCoreN) / t->singleCoreN;
    if (t->usedCoreNum > target->cores) {
        return "T1 cores";
    }
    return t->assign == ASSIGN_GRID && m * n * t->splitK > t->usedCoreNum ? "T1 blocks" : NULL;
}

static const char *split_broken(const struct problem *p, const struct tiling *t)
{
    const double parts = up((double)p->K, t->singleCoreK) / t->singleCoreK;
    if (parts != t->splitK) {
        return "T2";
    }
    if (t->splitK > 1 &&
        (t->splitKReduce == REDUCE_NONE || (t->splitKReduce == REDUCE_WORKSPACE && t->kernel != KERNEL_MIX) ||
         (t->isBias && t->api == API_HIGH))) {
        return "split-K";
    }
    return NULL;
}

static const char *mdl_broken(const struct problem *p, const struct tiling *t)
{
    const double nk = up((double)p->K, t->baseK) / t->baseK, k = least(t->singleCoreK, (double)p->K);
    const double chunk_a = (double)t->baseK * t->stepKa, chunk_b = (double)t->baseK * t->stepKb;
    const double a = up(k, chunk_a) / chunk_a, b = up(k, chunk_b) / chunk_b;
    if (t->api != API_HIGH) {
        return NULL;
    }
    return (nk > t->stepKa && t->stepM != 1) || (nk > t->stepKb && t->stepN != 1) || (!divides(a, b) && !divides(b, a))
               ? "MDL"
               : NULL;
}

static const char *scales_broken(const struct problem *p, const struct tiling *t)
{
    const double k = least(t->singleCoreK, (double)p->K);
    if ((!p->a.mx && (t->scaleFactorKa > 1 || t->scaleFactorM > 1)) ||
        (!p->b.mx && (t->scaleFactorKb > 1 || t->scaleFactorN > 1))) {
        return "no scales";
    }
    if (t->scaleCopy == 1) { /* one base block at a time, of a kernel of one's own */
        const int32_t most[] = {t->scaleFactorKa, t->scaleFactorKb, t->scaleFactorM, t->scaleFactorN};
        for (int i = 0; i < 4; i++) {
            if (most[i] > 1) {
                return "step scales with a factor";
            }
        }
        if (!p->a.mx || !p->b.mx || t->api == API_HIGH) {
            return "step scales";
        }
    }
    if ((t->scaleFactorM > 1 && (double)t->baseK * t->stepKa * t->scaleFactorKa < k) ||
        (t->scaleFactorN > 1 && (double)t->baseK * t->stepKb * t->scaleFactorKb < k)) {
        return "mxTypePara M, N";
    }
    return NULL;
}

static const char *choices_broken(const struct target *target, const struct problem *p, const struct tiling *t)
{
    const bool has_flag = target->product == PRODUCT_ASCEND950 || target->product == PRODUCT_ASCEND910B ||
                          target->product == PRODUCT_ATLAS_A3;
    if (!has_flag && (t->l2A || t->l2B || t->l2C)) { /* of the same chips */
        return "l2 hints";
    }
    if (t->unitflag && (t->dbL0C == 2 || t->splitK > 1 || !has_flag || widened(target, p, t))) {
        return "unitflag";
    }
    const bool slices = t->order == ORDER_L2SPLIT, tiles = t->order != ORDER_LINEAR && !slices;
    if ((t->order == ORDER_LINEAR && t->orderRounds > 1) || (t->assign == ASSIGN_BLOCKS ? slices : tiles)) {
        return "order";
    }
    for (int a = 0; a < 2; a++) {
        if (kept_whole(t, a) && ((t->assign == ASSIGN_BLOCKS && (a ? t->baseM < p->M : t->baseN < p->N)) ||
                                 (slices && t->orderRounds > 1) || (a ? t->dbA1 : t->dbB1) != 1)) {
            return "fullLoad";
        }
    }
    if (t->gemv && (turned(p, true) || p->op != PROBLEM_MATMUL || (p->a.mx && p->scale_a.transpose))) {
        return "gemv";
    }
    return (t->isBias == 1) != (p->bias.dtype != DTYPE_NONE) ? "isBias" : NULL;
}

/* Ids 0..5 (910: 0..3): A 0,1; B 2,3; bias 4; quant 5; L0 slots 0,1 and, where
 * L0A and L0B differ, 2,3, which pushes the bias row's from 2 to 4; scales of
 * single steps 4,5, behind rows 6,7. */
static bool ids_ok(const struct target *target, const struct problem *p, const struct tiling *t)
{
    int last = 1 + t->dbB1;
    if (t->isBias) {
        last = 4;
    }
    if (p->quant.dtype != DTYPE_NONE) {
        last = 5;
    }
    if (t->scaleCopy == 1 && p->a.mx) {
        last = t->isBias || p->quant.dtype != DTYPE_NONE ? 7 : 5; /* two more for the scales */
    }
    if (t->dbL0A != t->dbL0B && 1 + t->dbL0B > last) {
        last = 1 + t->dbL0B;
    }
    return last < target->event_ids;
}

static bool choices_in_range(const struct tiling *t)
{
    const struct {
        int32_t value, most;
    } choices[] = {{t->assign, 1},       {t->order, 4},    {t->orderDirection, 1}, {t->iterateOrder, 1},
                   {t->loadA, 6},        {t->loadB, 6},    {t->isBias, 1},         {t->unitflag, 1},
                   {t->copyFirst, 1},    {t->shuffleK, 1}, {t->fullLoad, 2},       {t->l1Resident, 1},
                   {t->gemv, 1},         {t->waitBoth, 1}, {t->tileBarrier, 1},    {t->l2A, 1},
                   {t->l2B, 1},          {t->l2C, 1},      {t->kernel, 1},         {t->api, 1},
                   {t->splitKReduce, 2}, {t->rowCopy, 1},  {t->scaleCopy, 1},      {t->loadRepeat, 1}};
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        if (choices[i].value < 0 || choices[i].value > choices[i].most) {
            return false;
        }
    }
    return true;
}

static const char *ranges_broken(const struct tiling *t)
{
    if (!choices_in_range(t)) {
        return "choices";
    }
    const int32_t positive[] = {t->usedCoreNum, t->singleCoreM, t->singleCoreN, t->singleCoreK,
                                t->splitK,      t->orderOffset, t->orderRounds, t->baseM,
                                t->baseN,       t->baseK,       t->stepM,       t->stepN,
                                t->stepKa,      t->stepKb,      t->depthA1,     t->depthB1};
    for (size_t i = 0; i < sizeof positive / sizeof positive[0]; i++) {
        if (positive[i] < 1) {
            return "T13";
        }
    }
    const int32_t db[] = {t->dbA1, t->dbB1, t->dbL0A, t->dbL0B, t->dbL0C};
    for (size_t i = 0; i < sizeof db / sizeof db[0]; i++) {
        if (db[i] < 1 || db[i] > 2) {
            return "T6 db";
        }
    }
    const int32_t factors[] = {t->scaleFactorKa, t->scaleFactorKb, t->scaleFactorM, t->scaleFactorN};
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        if (factors[i] < 1 || factors[i] > 127) {
            return "T11 mxTypePara";
        }
    }
    return t->baseM > 4095 || t->baseN > 4095 || t->baseK > 4095 || t->splitK > 4096 || t->usedCoreNum > 65535 ||
                   t->stepM > 255 || t->stepN > 255 || t->stepKa > 65535 || t->stepKb > 65535 || t->depthA1 > 65535 ||
                   t->depthB1 > 65535 || t->orderOffset > 65535 || t->orderRounds > 65535
               ? "T12"
               : NULL;
}

/* b32 by WithTranspose before 3510: one line of 16 in L1. */
static bool lines_ok(const struct target *target, const struct problem *p, const struct tiling *t,
                     const struct sizes *a, const struct sizes *b)
{
    return target->arch == 3510 || ((t->loadA != LOAD_TRANSPOSE || bits(p->a.dtype) != 32 || a->rows == 16) &&
                                    (t->loadB != LOAD_TRANSPOSE || bits(p->b.dtype) != 32 || b->cols == 16));
}

const char *formula_broken(const struct target *target, const struct problem *p, const struct tiling *t)
{
    struct sizes a, b;
    const char *broken = ranges_broken(t);
    if (broken != NULL) {
        return broken;
    }
    operand_sizes(p, t, true, &a);
    operand_sizes(p, t, false, &b);
    const char *const rules[] = {
        dtypes_ok(target, p, t) ? NULL : "dtypes",
        operands_broken(p, t),
        load_ok(target, p, true, t->loadA) && load_ok(target, p, false, t->loadB) ? NULL : "load",
        lines_ok(target, p, t, &a, &b) ? NULL : "load lines",
        multiples_broken(p, t),
        buffers_broken(target, p, t, &a, &b),
        widths_broken(target, p, t, true, &a),
        widths_broken(target, p, t, false, &b),
        cores_broken(target, p, t),
        t->depthA1 == t->stepM * t->stepKa * t->dbA1 && t->depthB1 == t->stepN * t->stepKb * t->dbB1 ? NULL : "T6",
        choices_broken(target, p, t),
        split_broken(p, t),
        mdl_broken(p, t),
        scales_broken(p, t),
        ids_ok(target, p, t) ? NULL : "event ids",
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i] != NULL) {
            return rules[i];
        }
    }
    return NULL;
}
