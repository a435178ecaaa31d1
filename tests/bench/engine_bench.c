/* Speed of the engine with all its checks on, as ratios to memcpy of the same
 * bytes in the same run; a whole half matmul against OpenBLAS' sgemm on one
 * thread, if that library is installed (scripts/bench fetches it).
 *   engine_bench [scalar | avx2 | avx512]    default: the processor's best
 *
 * How a ratio comes about, on a machine that others use too: a round is 64 calls
 * of memcpy and 64 of the instruction (some 50 us each), in this order in even
 * rounds and the other way round in odd ones, over the same addresses: L1 of
 * 512 KiB to two halves of L0, timed in CPU time of the thread. What disturbs
 * one side then mostly disturbs the other. The ratio is the median of the
 * rounds' quotients, the rate the median of its own; the first round is not
 * counted. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/engine.h"
#include "engine/mmad_kernel.h"
#include "isa/fields.h"
#include "numeric/fp.h"

enum { KIB = 1024, L1 = 512 * KIB, HALF = 32 * KIB, ROUNDS = 301, M = 512, N = 512, K = 1024 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* the machine may be shared */
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct bench {
    struct target target;
    struct engine *e;
    uint8_t *gm[2], *from, *to; /* A and B in GM; memcpy's own L1 and L0 */
    float *c;
    int64_t bytes, span; /* moved by one call; from the first to the last byte read */
    struct insn insn;
};

static struct target chip(bool a950)
{
    struct target t = {.name = "bench",
                       .product = a950 ? PRODUCT_ASCEND950 : PRODUCT_ASCEND910B,
                       .arch = a950 ? 3510 : 2201,
                       .l0a_nz = a950,
                       .cores = 1,
                       .event_ids = 6,
                       .cube_n = 16,
                       .l0c_to_gm = true,
                       .fb_columns = 256};
    for (int i = 0; i < BUF_N; i++) {
        t.align_dst[i] = t.align_src[i] = 1;
    }
    t.physical[BUF_GM] = INT64_MAX;
    t.physical[BUF_L1] = L1;
    t.physical[BUF_L0A] = t.physical[BUF_L0B] = 64 * KIB;
    t.physical[BUF_L0C] = 128 * KIB;
    t.physical[BUF_BT] = t.physical[BUF_FB] = 4 * KIB;
    return t;
}

static enum status read_gm(void *ctx, int64_t byte, int64_t len, uint8_t *out)
{
    memcpy(out, (const uint8_t *)ctx + byte, (size_t)len);
    return STATUS_OK;
}

static enum status write_gm(void *ctx, int64_t byte, int64_t len, const uint8_t *in)
{
    memcpy((uint8_t *)ctx + byte, in, (size_t)len);
    return STATUS_OK;
}

static void *must(void *p)
{
    if (p == NULL) {
        (void)fputs("no memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return p;
}

static void open_bench(struct bench *b, bool a950, enum mmad_isa isa)
{
    *b = (struct bench){.target = chip(a950)};
    b->gm[0] = must(calloc((size_t)M * K * 4, 1));
    b->gm[1] = must(calloc((size_t)K * N * 4, 1));
    b->c = must(calloc((size_t)M * N, sizeof *b->c));
    b->from = must(aligned_alloc(64, L1));
    b->to = must(aligned_alloc(64, 2 * HALF));
    for (int64_t i = 0; i < (int64_t)M * K; i++) {
        const uint16_t code = half_from_float((float)(i * 7 % 13) - 6, FP_KEEP);
        memcpy(b->gm[0] + 2 * i, &code, 2);
        memcpy(b->gm[1] + 2 * (i % ((int64_t)K * N)), &code, 2);
    }
    memset(b->from, 1, L1);
    if (engine_create(&b->target, &b->e, NULL) != STATUS_OK) {
        exit(EXIT_FAILURE);
    }
    engine_force_isa(b->e, isa);
    engine_poke(b->e, BUF_L1, 0, b->from, L1);
    for (int i = 0; i < 2; i++) {
        const struct gm_port port = {b->gm[i], (int64_t)M * K * 4, read_gm, NULL};
        engine_set_port(b->e, i == 0 ? TENSOR_A : TENSOR_B, &port);
    }
    const struct gm_port port = {b->c, (int64_t)M * N * 4, read_gm, write_gm};
    engine_set_port(b->e, TENSOR_C, &port);
}

static void close_bench(struct bench *b)
{
    engine_destroy(b->e);
    free(b->gm[0]);
    free(b->gm[1]);
    free(b->c);
    free(b->from);
    free(b->to);
}

static struct insn make(enum op op, enum dtype dtype, enum buffer to, int64_t dst, enum buffer from, int64_t src)
{
    struct insn in;
    insn_init(&in, op, dtype);
    in.dst = (struct addr){.buf = (uint8_t)to, .byte = dst};
    in.src = (struct addr){.buf = (uint8_t)from, .byte = src};
    insn_set_pipe(&in);
    return in;
}

static void exec(const struct bench *b, const struct insn *in)
{
    struct diag d;
    diag_init(&d);
    if (engine_exec(b->e, in, &d) != STATUS_OK) {
        (void)fprintf(stderr, "%s\n", d.count > 0 ? d.messages[0].text : "?");
        exit(EXIT_FAILURE);
    }
    diag_fini(&d);
}

/* ---- ratios to memcpy ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The instruction in b->insn run over L1 in chunks of what it moves, against
 * memcpy of the same chunks. Loads step through L1; copies refill it. */
enum { CALLS = 64 };

static double time_memcpy(const struct bench *b)
{
    const bool load = b->insn.src.buf == BUF_L1;
    const int64_t chunks = L1 / b->span;
    const double start = now();
    for (int64_t i = 0; i < CALLS; i++) {
        memcpy(load ? b->to + i % 2 * HALF : b->from + i % chunks * b->bytes,
               load ? b->from + i % chunks * b->span : b->gm[0] + i % chunks * b->bytes, (size_t)b->bytes);
        __asm__ volatile("" ::: "memory");
    }
    return now() - start;
}

static double time_insn(const struct bench *b)
{
    struct insn in = b->insn;
    const bool load = in.src.buf == BUF_L1;
    const int64_t chunks = L1 / b->span;
    const double start = now();
    for (int64_t i = 0; i < CALLS; i++) {
        if (load) {
            in.src.byte = in.op == OP_LOAD_3D ? 0 : i % chunks * b->span;
            in.dst.byte = i % 2 * HALF;
        } else {
            in.dst.byte = i % chunks * b->bytes;
            in.src.byte = i % chunks * b->bytes;
        }
        exec(b, &in);
    }
    return now() - start;
}

static double ratio(struct bench *b, const char *name)
{
    double quotient[ROUNDS], rate[ROUNDS];
    for (int r = -1; r < ROUNDS; r++) {
        const bool reversed = r % 2 != 0;
        const double before = reversed ? time_insn(b) : time_memcpy(b);
        const double after = reversed ? time_memcpy(b) : time_insn(b);
        if (r >= 0) {
            const double copy = reversed ? after : before, insn = reversed ? before : after;
            quotient[r] = copy / insn;
            rate[r] = (double)(CALLS * b->bytes) / insn * 1e-9;
        }
    }
    qsort(quotient, ROUNDS, sizeof *quotient, compare);
    qsort(rate, ROUNDS, sizeof *rate, compare);
    printf("%-34s %6.2f GB/s  %5.2f x memcpy\n", name, rate[ROUNDS / 2], quotient[ROUNDS / 2]);
    return quotient[ROUNDS / 2];
}

static double plain(struct bench *b, bool strided)
{
    struct insn *in = &b->insn;
    *in = make(OP_LOAD_2D, DTYPE_HALF, BUF_L0A, 0, BUF_L1, 0);
    in->p.load_2d.repeatTimes = strided ? 32 : 64;
    in->p.load_2d.srcStride = strided ? 2 : 1;
    b->bytes = in->p.load_2d.repeatTimes * INT64_C(512);
    b->span = strided ? 2 * b->bytes : b->bytes;
    return ratio(b, strided ? "load_data_2d, every 2nd fractal" : "load_data_2d, contiguous");
}

static double transposed(struct bench *b, enum dtype dtype, const char *name)
{
    struct insn *in = &b->insn;
    const int n = dtype_info(dtype)->bits == 16 ? 1 : 2;
    *in = make(OP_LOAD_TRANSPOSE, dtype, BUF_L0B, 0, BUF_L1, 0);
    in->p.transpose.repeatTimes = (uint16_t)(64 / n);
    in->p.transpose.srcStride = 1;
    in->p.transpose.dstGap = (uint32_t)n - 1;
    in->p.transpose.dstFracGap = 0;
    b->bytes = b->span = HALF;
    return ratio(b, name);
}

static double im2col(struct bench *b, int pad, const char *name)
{
    struct insn *in = &b->insn;
    *in = make(OP_LOAD_3D, DTYPE_HALF, BUF_L0A, 0, BUF_L1, 0);
    struct load_3d_params *p = &in->p.load_3d;
    memset(p->padList, pad, 4);
    p->l1H = p->l1W = 32;
    p->channelSize = 16;
    p->filterH = p->filterW = 3;
    p->kExtension = 144;
    p->mExtension = 112;
    p->mStartPt = 64;
    b->bytes = b->span = (int64_t)p->kExtension * p->mExtension * 2;
    return ratio(b, name);
}

static double nd2nz(struct bench *b)
{
    struct insn *in = &b->insn;
    *in = make(OP_ND2NZ, DTYPE_HALF, BUF_L1, 0, BUF_GM, 0);
    in->src.tensor = TENSOR_A;
    in->p.nd2nz.nValue = 128;
    in->p.nd2nz.dValue = in->p.nd2nz.srcDValue = 256;
    in->p.nd2nz.dstNzC0Stride = 128;
    b->bytes = b->span = 128 * 256 * 2;
    return ratio(b, "nd2nz, 128 x 256 half");
}

/* ---- a whole matmul ---- */

enum { BASE_M = 128, BASE_N = 256, BASE_K = 64, STEP_K = 256 };

static void copy_in(const struct bench *b, enum tensor tensor, int64_t rows, int64_t columns, int64_t ld, int64_t from,
                    int64_t to)
{
    struct insn in = make(OP_ND2NZ, DTYPE_HALF, BUF_L1, to, BUF_GM, from * 2);
    in.src.tensor = (uint8_t)tensor;
    in.p.nd2nz.nValue = (uint32_t)rows;
    in.p.nd2nz.dValue = (uint32_t)columns;
    in.p.nd2nz.srcDValue = ld;
    in.p.nd2nz.dstNzC0Stride = (uint32_t)rows;
    exec(b, &in);
}

/* A from its Nz image row by row of fractals, B by transposes. */
static void load_step(const struct bench *b, int64_t a_at, int64_t b_at, int64_t k)
{
    for (int64_t m = 0; m < BASE_M / 16; m++) {
        struct insn in = make(OP_LOAD_2D, DTYPE_HALF, BUF_L0A, m * (BASE_K / 16) * 512, BUF_L1,
                              a_at + k / 16 * (BASE_M / 16) * 512);
        in.p.load_2d.startIndex = (uint32_t)m;
        in.p.load_2d.srcStride = BASE_M / 16;
        in.p.load_2d.repeatTimes = BASE_K / 16;
        exec(b, &in);
    }
    for (int64_t i = 0; i < BASE_K / 16; i++) {
        struct insn in = make(OP_LOAD_TRANSPOSE, DTYPE_HALF, BUF_L0B, i * (BASE_N / 16) * 512, BUF_L1, b_at);
        in.p.transpose.startIndex = (uint32_t)(k / 16 + i);
        in.p.transpose.srcStride = STEP_K / 16;
        in.p.transpose.repeatTimes = BASE_N / 16;
        exec(b, &in);
    }
}

static void tile(const struct bench *b, int64_t m0, int64_t n0)
{
    const int64_t b_at = BASE_M * STEP_K * 2;
    for (int64_t k = 0; k < K; k += BASE_K) {
        if (k % STEP_K == 0) {
            copy_in(b, TENSOR_A, BASE_M, STEP_K, K, m0 * K + k, 0);
            copy_in(b, TENSOR_B, STEP_K, BASE_N, N, k * N + n0, b_at);
        }
        load_step(b, 0, b_at, k % STEP_K);
        struct insn in = make(OP_MMAD, DTYPE_HALF, BUF_L0C, 0, BUF_L0A, 0);
        in.src2 = (struct addr){.buf = BUF_L0B};
        in.p.mmad.m = BASE_M;
        in.p.mmad.n = BASE_N;
        in.p.mmad.k = BASE_K;
        in.p.mmad.cmatrixInitVal = k == 0;
        exec(b, &in);
    }
    struct insn fix = make(OP_FIXPIPE, DTYPE_FLOAT, BUF_GM, (m0 * N + n0) * 4, BUF_L0C, 0);
    fix.dst.tensor = TENSOR_C;
    fix.p.fixpipe.dstType = DTYPE_FLOAT;
    fix.p.fixpipe.mSize = BASE_M;
    fix.p.fixpipe.nSize = BASE_N;
    fix.p.fixpipe.dstStride = N;
    fix.p.fixpipe.srcStride = BASE_M;
    exec(b, &fix);
}

static void matmul(const struct bench *b)
{
    for (int64_t m = 0; m < M; m += BASE_M) {
        for (int64_t n = 0; n < N; n += BASE_N) {
            tile(b, m, n);
        }
    }
}

typedef void (*sgemm_fn)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                         const float *b, int ldb, float beta, float *c, int ldc);

/* OpenBLAS on one thread, its AVX core forced. NULL: not installed. */
static sgemm_fn open_blas(const char **core)
{
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
    (void)setenv("OPENBLAS_CORETYPE", wide ? "SkylakeX" : "Haswell", 1);
    (void)setenv("OPENBLAS_NUM_THREADS", "1", 1);
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    if (library == NULL) {
        return NULL;
    }
    char *(*name)(void);
    sgemm_fn sgemm;
    *(void **)&name = dlsym(library, "openblas_get_corename");
    *(void **)&sgemm = dlsym(library, "cblas_sgemm");
    *core = name != NULL ? name() : "?";
    return sgemm;
}

static double half_matmul(struct bench *b, enum mmad_isa isa)
{
    enum { TIMES = 9 };
    const char *core = "";
    const sgemm_fn sgemm = open_blas(&core);
    if (sgemm == NULL) {
        puts("matmul: OpenBLAS is not installed (libopenblas0-pthread): no ratio");
    }
    float *a = must(calloc((size_t)M * K, sizeof *a)), *bf = must(calloc((size_t)K * N, sizeof *bf)),
          *c = must(calloc((size_t)M * N, sizeof *c));
    mmad_unpack_half(mmad_isa_best(), b->gm[0], (int64_t)M * K, a);
    mmad_unpack_half(mmad_isa_best(), b->gm[1], (int64_t)K * N, bf);
    double quotient[TIMES], rate[TIMES];
    for (int r = -1; r < TIMES; r++) {
        const double t0 = now();
        if (sgemm != NULL) {
            sgemm(101, 111, 111, M, N, K, 1.0F, a, K, bf, N, 0.0F, c, N); /* row major, not transposed */
        }
        const double t1 = now();
        matmul(b);
        const double t2 = now();
        if (r >= 0) {
            quotient[r] = (t1 - t0) / (t2 - t1);
            rate[r] = (double)M * N * K / (t2 - t1) * 1e-9;
        }
    }
    if (sgemm != NULL && memcmp(c, b->c, (size_t)M * N * sizeof *c) != 0) {
        (void)fputs("the engine's product differs from sgemm's\n", stderr); /* small integers: exact in any order */
        exit(EXIT_FAILURE);
    }
    qsort(quotient, TIMES, sizeof *quotient, compare);
    qsort(rate, TIMES, sizeof *rate, compare);
    printf("matmul %d x %d x %d half, %-8s  %6.2f GMAC/s", M, N, K, mmad_isa_name(isa), rate[TIMES / 2]);
    if (sgemm != NULL) {
        printf("  %5.2f x OpenBLAS sgemm, one thread, core %s", quotient[TIMES / 2], core);
    }
    puts("");
    free(a);
    free(bf);
    free(c);
    return sgemm != NULL ? quotient[TIMES / 2] : 0;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static enum mmad_isa chosen_isa(int argc, char **argv)
{
    for (enum mmad_isa isa = MMAD_SCALAR; isa <= mmad_isa_best() && argc == 2; isa++) {
        if (strcmp(argv[1], mmad_isa_name(isa)) == 0) {
            return isa;
        }
    }
    if (argc > 1) {
        (void)fprintf(stderr, "usage: engine_bench [scalar | avx2 | avx512]; this processor has up to %s\n",
                      mmad_isa_name(mmad_isa_best()));
        exit(2);
    }
    return mmad_isa_best();
}

int main(int argc, char **argv)
{
    struct bench b;
    const enum mmad_isa isa = chosen_isa(argc, argv);
    open_bench(&b, false, isa);
    const double contiguous = plain(&b, false), strided = plain(&b, true);
    const double t8 = transposed(&b, DTYPE_INT8, "transpose b8"), t16 = transposed(&b, DTYPE_HALF, "transpose b16");
    const double t32 = transposed(&b, DTYPE_FLOAT, "transpose b32");
    const double inner = im2col(&b, 0, "im2col 3x3 half"),
                 conv = least(inner, im2col(&b, 1, "im2col 3x3 half, padded"));
    (void)nd2nz(&b);
    const double product = half_matmul(&b, isa);
    printf("engine: plain %.2f, transpose %.2f, im2col %.2f, matmul ", least(contiguous, strided),
           least(least(t8, t16), t32), conv);
    printf(product > 0 ? "%.2f\n" : "n/a\n", product);
    close_bench(&b);
    return EXIT_SUCCESS;
}
