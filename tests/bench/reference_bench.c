/* Speed of what verification computes besides the engine: the element function,
 * the reference and the encoding of C, at every width this processor has. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/reference_kernel.h"

enum { N = 4096, MIN_SECONDS_PER_1000 = 200 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* the machine may be shared */
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct job {
    enum gm_isa isa;
    struct problem p;
    struct c_block block;
    int64_t k;
    struct arena arena;
    float *values;
    uint8_t *bytes;
};

static void run_rows(struct job *j, int64_t i)
{
    gm_row_values(j->isa, &j->p, TENSOR_A, i, 0, N, j->values);
}

static void run_columns(struct job *j, int64_t i)
{
    gm_column_values(j->isa, &j->p, TENSOR_A, 0, i % N, N, j->values);
}

static void run_read(struct job *j, int64_t i)
{
    gm_read(j->isa, &j->p, TENSOR_A, i % N * N * 2, (int64_t)N * 2, j->bytes);
}

/* A burst of one nd2nz row: what the engine asks for. */
static void run_bursts(struct job *j, int64_t i)
{
    for (int64_t at = 0; at < N; at += 64) {
        gm_read(j->isa, &j->p, TENSOR_A, i % N * N * 2 + at * 2, 128, j->bytes + at * 2);
    }
}

static void run_store(struct job *j, int64_t i)
{
    (void)i;
    reference_store(j->isa, DTYPE_HALF, j->values, N, j->bytes);
}

static void run_matmul(struct job *j, int64_t i)
{
    (void)i;
    arena_reset(&j->arena);
    const struct k_range all = {0, j->k};
    reference_matmul_with(j->isa, &j->p, &j->block, DTYPE_HALF, &all, 1, &j->arena, j->bytes);
}

/* Seconds of one call, from as many as fill the time. */
static double seconds(void (*run)(struct job *j, int64_t i), struct job *j)
{
    run(j, 0);
    int64_t calls = 0;
    const double start = now();
    double passed;
    do {
        run(j, calls++);
        passed = now() - start;
    } while (passed * 1000 < MIN_SECONDS_PER_1000);
    return passed / (double)calls;
}

static void elements(struct job *j)
{
    static const struct {
        const char *name;
        void (*run)(struct job *j, int64_t i);
    } rows[] = {{"row values", run_rows},
                {"column values", run_columns},
                {"half codes", run_read},
                {"half codes, 128 B reads", run_bursts},
                {"store half", run_store}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        printf("%-8s %-32s %8.3f ns/element\n", gm_isa_name(j->isa), rows[i].name, seconds(rows[i].run, j) / N * 1e9);
    }
}

static void matmuls(struct job *j)
{
    static const struct {
        int64_t m, n, k;
        bool transpose;
        enum dtype dtype;
    } cases[] = {{128, 256, 512, false, DTYPE_HALF},
                 {128, 256, 512, true, DTYPE_HALF},
                 {128, 256, 512, false, DTYPE_FLOAT},
                 {16, 16, 4096, false, DTYPE_HALF},
                 {1, 2048, 512, false, DTYPE_HALF}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        j->p.a.dtype = j->p.b.dtype = cases[i].dtype;
        j->p.a.transpose = j->p.b.transpose = cases[i].transpose;
        j->block = (struct c_block){.m = cases[i].m, .n = cases[i].n};
        j->k = cases[i].k;
        const double macs = (double)(cases[i].m * cases[i].n * cases[i].k);
        printf("%-8s %4d x %4d x %4d %-5s %-10s %8.2f GMAC/s\n", gm_isa_name(j->isa), (int)cases[i].m, (int)cases[i].n,
               (int)cases[i].k, dtype_info(cases[i].dtype)->name, cases[i].transpose ? "transposed" : "",
               macs / seconds(run_matmul, j) * 1e-9);
    }
}

int main(void)
{
    struct job j = {.p = {.M = N, .N = N, .K = N, .seed = 1}};
    j.p.a.dtype = j.p.b.dtype = j.p.c.dtype = DTYPE_HALF;
    j.values = calloc(N, sizeof *j.values);
    j.bytes = calloc((size_t)N * 256, 1);
    if (j.values == NULL || j.bytes == NULL || problem_finish(&j.p, NULL, NULL) != STATUS_OK) {
        return EXIT_FAILURE;
    }
    arena_init(&j.arena);
    for (j.isa = GM_PLAIN; j.isa <= gm_isa_best(); j.isa++) {
        j.p.a.dtype = j.p.b.dtype = DTYPE_HALF;
        j.p.a.transpose = j.p.b.transpose = false;
        elements(&j);
        matmuls(&j);
    }
    arena_fini(&j.arena);
    free(j.values);
    free(j.bytes);
    return EXIT_SUCCESS;
}
