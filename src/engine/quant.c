#include "engine/quant.h"

#include <math.h>
#include <string.h>

enum form {
    FORM_RAW,   /* the bits as they are */
    FORM_CAST,  /* float to a narrower float */
    FORM_SCALE, /* times M1, to a float type */
    FORM_B8     /* times M1, to int8 or uint8 with offset */
};

/* What a mode reads and writes; vector modes share the row of their scalar form. */
static const struct mode {
    uint8_t form, src;
    uint8_t dst[4]; /* enum dtype, ended by DTYPE_NONE */
} modes[QUANT_N] = {
    [QUANT_NONE] = {FORM_RAW, DTYPE_NONE, {DTYPE_NONE}},
    [QUANT_F322F16] = {FORM_CAST, DTYPE_FLOAT, {DTYPE_HALF}},
    [QUANT_F322BF16] = {FORM_CAST, DTYPE_FLOAT, {DTYPE_BF16}},
    [QUANT_DEQF16] = {FORM_SCALE, DTYPE_INT32, {DTYPE_HALF}},
    [QUANT_VDEQF16] = {FORM_SCALE, DTYPE_INT32, {DTYPE_HALF}},
    [QUANT_QF322B8_PRE] = {FORM_B8, DTYPE_FLOAT, {DTYPE_INT8, DTYPE_UINT8}},
    [QUANT_VQF322B8_PRE] = {FORM_B8, DTYPE_FLOAT, {DTYPE_INT8, DTYPE_UINT8}},
    [QUANT_REQ8] = {FORM_B8, DTYPE_INT32, {DTYPE_INT8, DTYPE_UINT8}},
    [QUANT_VREQ8] = {FORM_B8, DTYPE_INT32, {DTYPE_INT8, DTYPE_UINT8}},
    [QUANT_QF322FP8_PRE] = {FORM_SCALE, DTYPE_FLOAT, {DTYPE_FP8_E4M3}},
    [QUANT_VQF322FP8_PRE] = {FORM_SCALE, DTYPE_FLOAT, {DTYPE_FP8_E4M3}},
    [QUANT_QF322HIF8_PRE] = {FORM_SCALE, DTYPE_FLOAT, {DTYPE_HIF8}},
    [QUANT_VQF322HIF8_PRE] = {FORM_SCALE, DTYPE_FLOAT, {DTYPE_HIF8}},
    [QUANT_QF322HIF8_PRE_HYBRID] = {FORM_SCALE, DTYPE_FLOAT, {DTYPE_HIF8}},
    [QUANT_VQF322HIF8_PRE_HYBRID] = {FORM_SCALE, DTYPE_FLOAT, {DTYPE_HIF8}},
    [QUANT_QS322BF16_PRE] = {FORM_SCALE, DTYPE_INT32, {DTYPE_BF16}},
    [QUANT_VQS322BF16_PRE] = {FORM_SCALE, DTYPE_INT32, {DTYPE_BF16}},
    [QUANT_QF322F16_PRE] = {FORM_SCALE, DTYPE_FLOAT, {DTYPE_HALF}},
    [QUANT_VQF322F16_PRE] = {FORM_SCALE, DTYPE_FLOAT, {DTYPE_HALF}},
    [QUANT_QF322BF16_PRE] = {FORM_SCALE, DTYPE_FLOAT, {DTYPE_BF16}},
    [QUANT_VQF322BF16_PRE] = {FORM_SCALE, DTYPE_FLOAT, {DTYPE_BF16}},
    [QUANT_QF322F32_PRE] = {FORM_SCALE, DTYPE_FLOAT, {DTYPE_FLOAT}},
    [QUANT_VQF322F32_PRE] = {FORM_SCALE, DTYPE_FLOAT, {DTYPE_FLOAT}},
};

bool quant_supports(enum quant_mode mode, enum dtype src, enum dtype dst)
{
    if ((unsigned)mode >= QUANT_N) {
        return false;
    }
    if (modes[mode].form == FORM_RAW) {
        return src == dst && (src == DTYPE_HALF || src == DTYPE_FLOAT || src == DTYPE_INT32 || src == DTYPE_UINT32);
    }
    return src == modes[mode].src && dst != DTYPE_NONE &&
           memchr(modes[mode].dst, (int)dst, sizeof modes[mode].dst) != NULL;
}

/* Nearest float, with the last bit set if anything was cut off ("round to
 * odd"): a second rounding to fewer bits then rounds the exact value. */
static float float_to_odd(double exact)
{
    float f = (float)exact;
    if ((double)f == exact || isnan(exact)) {
        return f;
    }
    uint32_t bits = float_bits(f);
    if (fabs((double)f) > fabs(exact)) {
        bits--; /* towards zero; from inf to the largest float */
    }
    return float_from_bits(bits | 1U);
}

static void store_float(const struct quant *q, double value, uint8_t *out)
{
    const float f = float_to_odd(value);
    const enum hif8_rounding rounding = q->mode == QUANT_QF322HIF8_PRE_HYBRID || q->mode == QUANT_VQF322HIF8_PRE_HYBRID
                                            ? HIF8_HYBRID
                                            : HIF8_HALF_AWAY;
    uint16_t code;
    switch (q->dst) {
    case DTYPE_HALF:
        code = half_from_float(f, q->overflow);
        break;
    case DTYPE_BF16:
        code = bf16_from_float(f, q->overflow);
        break;
    case DTYPE_FP8_E4M3:
        *out = fp8_e4m3_from_float(f, q->overflow);
        return;
    case DTYPE_HIF8:
        *out = hif8_from_float(f, q->overflow, rounding);
        return;
    default: {
        const float nearest = (float)value;
        memcpy(out, &nearest, sizeof nearest);
        return;
    }
    }
    memcpy(out, &code, sizeof code);
}

static double load(const struct quant *q, const uint8_t *in)
{
    uint32_t bits;
    memcpy(&bits, in, sizeof bits);
    return q->src == DTYPE_FLOAT ? (double)float_from_bits(bits) : (double)(int32_t)bits;
}

static double multiplier(uint64_t word)
{
    return (double)float_from_bits((uint32_t)word & 0xFFFFE000U);
}

/* REQ8 with MCB: arithmetic shift, then int16. */
static double shifted(double value, uint64_t word)
{
    const int64_t whole = (int64_t)value >> ((word >> 32 & 15U) + 1);
    return (double)(whole < INT16_MIN ? INT16_MIN : whole > INT16_MAX ? INT16_MAX : whole);
}

static double clamp(double value, double lo, double hi)
{
    return value < lo ? lo : value > hi ? hi : value;
}

static uint8_t scale_b8(const struct quant *q, double value, uint64_t word)
{
    const bool is_signed = (word >> 46 & 1U) != 0;
    const int offset = (int)((word >> 37 & 0x1FFU) ^ 0x100U) - 0x100; /* 9 bits, two's complement (A40) */
    if (q->src == DTYPE_INT32 && (word >> 36 & 1U) != 0) {
        value = shifted(value, word);
    }
    const double product = q->relu && value < 0.0 ? 0.0 : value * multiplier(word);
    const double whole = isnan(product) ? 0.0 : nearbyint(clamp(product, -256.0, 255.0));
    const double result = whole + (double)offset;
    return (uint8_t)(int)(is_signed ? clamp(result, -128.0, 127.0) : clamp(result, 0.0, 255.0));
}

static void convert_raw(const struct quant *q, const uint8_t *in, int64_t count, uint8_t *out)
{
    const int64_t width = dtype_info(q->src)->bits / 8;
    memcpy(out, in, (size_t)(count * width));
    for (int64_t i = 0; q->relu && i < count; i++) {
        if (dtype_load(q->src, in, i) <= 0.0) {
            memset(out + i * width, 0, (size_t)width);
        }
    }
}

void quant_convert(const struct quant *q, const uint8_t *in, int64_t column, int64_t count, uint8_t *out)
{
    const enum form form = (enum form)modes[q->mode].form;
    const int64_t width = dtype_info(q->dst)->bits / 8;
    if (form == FORM_RAW) {
        convert_raw(q, in, count, out);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const double value = load(q, in + i * 4);
        uint64_t word = q->scalar;
        if (q->row != NULL) {
            memcpy(&word, q->row + (column + i) * 8, sizeof word);
        }
        if (form == FORM_B8) {
            out[i] = scale_b8(q, value, word);
            continue;
        }
        const double product = form == FORM_CAST ? value : value * multiplier(word);
        store_float(q, q->relu && value <= 0.0 ? 0.0 : product, out + i * width);
    }
}
