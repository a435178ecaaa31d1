/* limits.h - every cap of the program, in one place.
 *
 * A cap is a promise: input over it is refused with STATUS_LIMIT (or, where
 * said, dropped and counted), never half processed. Each is tested at n and
 * n + 1 by the test of the room that enforces it. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

/* ---- text files ---- */
/* Bytes of one YAML file. libyaml itself has no bound. */
#define LIMIT_YAML_BYTES (1024U * 1024U)
/* Nesting depth of lists and maps; libyaml's time is quadratic in it. */
#define LIMIT_YAML_DEPTH 64U
/* Values in one YAML file (scalars, lists and maps; keys are not counted). */
#define LIMIT_YAML_NODES 100000U
/* Bytes of one CSV file. */
#define LIMIT_CSV_BYTES (64U * 1024U * 1024U)
/* Columns of one CSV file. */
#define LIMIT_CSV_COLUMNS 1000U
/* Rows of one CSV file, good and bad. */
#define LIMIT_CSV_ROWS 1000000U
/* Bytes of one file supplied as the data of an operand. */
#define LIMIT_DATA_BYTES (1ULL << 34)
/* Bytes of one buffer of a test vector, and of one vector file. */
#define LIMIT_VECTOR_BYTES (64LL * 1024 * 1024)

/* ---- memory ---- */
/* Bytes of one allocation from an arena: more is a mistake, not a need. */
#define LIMIT_ARENA_REQUEST (1ULL << 36)

/* ---- expressions ---- */
/* Instructions of one compiled expression. */
#define LIMIT_EXPR_NODES 1000U
/* Nesting of parentheses, calls and unary operators. */
#define LIMIT_EXPR_DEPTH 64U
/* Values on the evaluation stack: one per open binary operator. */
#define LIMIT_EXPR_STACK 128U

/* ---- messages ---- */
/* Messages kept by one struct diag; further ones are counted as dropped. */
#define LIMIT_DIAG_MESSAGES 100U
/* Bytes of a source line shown under a message. */
#define LIMIT_DIAG_LINE 160U

/* ---- configs ---- */
/* Depth of `extends` between target files. */
#define LIMIT_EXTENDS_DEPTH 8U
/* Cells (target x problem x variant) of one config. */
#define LIMIT_CELLS 100000U
/* Values of one tiling field after a list or range is expanded. */
#define LIMIT_FIELD_VALUES 65536U
/* Points of one cell's space. */
#define LIMIT_SPACE_POINTS (1ULL << 62)
/* Groups of rows of one matmul. */
#define LIMIT_GROUPS 1024U
/* Largest extent of a problem dimension (M, N, K, ...). */
#define LIMIT_DIMENSION (1LL << 31)

/* ---- instructions ---- */
/* Blocks or fractals outside of a buffer that one instruction's check follows. */
#define LIMIT_PIECES_OUTSIDE (INT64_C(1) << 20)

/* ---- results ---- */
/* Rows of tilings.csv written in full; above it only the best are kept. */
#define LIMIT_RESULT_ROWS_ALL 100000U
/* Bytes captured of a child program's output; the rest is read and dropped. */
#define LIMIT_CHILD_OUTPUT (1024U * 1024U)
/* Worker threads of one process. */
#define LIMIT_THREADS 1024U

/* Elements of an operand with inputs: all are read for their maximum. */
#define LIMIT_INPUT_ELEMENTS (INT64_C(1) << 32)
/* Bytes of a raw file with an operand's data. */
#define LIMIT_OPERAND_BYTES (UINT64_C(1) << 30)

#endif
