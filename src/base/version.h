/* version.h - what a result was made by. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define TILESCOPE_VERSION "0.1.0"

/* The timing model. Bumped whenever any number it gives changes, so a result
 * is never compared with one of another model unawares. */
#define TILESCOPE_MODEL      5
#define TILESCOPE_MODEL_TEXT "model: 5"

/* The layout of result files (tilings.csv, manifest.json, journal). */
#define TILESCOPE_FORMAT      3
#define TILESCOPE_FORMAT_TEXT "format: 3"

#endif
