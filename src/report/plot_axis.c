/* plot_axis.c - tics are chosen here, not by gnuplot: it writes 10^x on log
 * axes and crowds short ones. */
#include "report/plot_axis.h"

#include <math.h>
#include <string.h>

#define SERIES_MAX 6

static void add_tic(struct strbuf *out, double v)
{
    v += 0.0; /* no -0 */
    strbuf_addf(out, "%s\"%.10g\" %.10g", out->len ? ", " : "", v, v);
}

static int series_tics(const double *series, int n, double low, double high, struct strbuf *out)
{
    int count = 0;
    for (int e = (int)floor(log10(low)) - 1; e <= (int)ceil(log10(high)); e++) {
        for (int i = 0; i < n; i++) {
            const double v = series[i] * pow(10, e);
            if (v >= low * 0.9999 && v <= high * 1.0001) {
                add_tic(out, v);
                count++;
            }
        }
    }
    return count;
}

static void log_tics(double low, double high, int max, struct strbuf *out)
{
    static const struct {
        int n;
        double v[SERIES_MAX];
    } series[] = {{6, {1, 1.5, 2, 3, 5, 7}}, {3, {1, 2, 5}}, {1, {1}}};
    for (size_t i = 0; i < 3; i++) {
        strbuf_clear(out);
        if (series_tics(series[i].v, series[i].n, low, high, out) <= max) {
            return;
        }
    }
}

static void linear_tics(double low, double high, int max, struct strbuf *out)
{
    static const double steps[] = {1, 2, 5};
    const double span = high - low;
    if (span <= 0) {
        add_tic(out, low);
        return;
    }
    for (int e = (int)floor(log10(span)) - 3;; e++) {
        for (size_t i = 0; i < 3; i++) {
            const double step = steps[i] * pow(10, e);
            if (span / step + 1 <= max) {
                for (double k = ceil(low / step - 1e-6); k * step <= high + span * 1e-6; k++) {
                    add_tic(out, k * step);
                }
                return;
            }
        }
    }
}

void plot_axis(struct picture *p, const char *var, double low, double high, bool log, int max)
{
    struct strbuf tics;
    strbuf_init(&tics);
    if (log) {
        log_tics(low, high, max, &tics);
    }
    if (tics.len == 0) { /* linear, or a log range without a round value */
        linear_tics(low, high, max, &tics);
    }
    picture_text(p, var, strbuf_cstr(&tics));
    p->vars.failed |= tics.failed;
    strbuf_fini(&tics);
}

void plot_axis_binary(struct picture *p, const char *var, double low, double high, int max)
{
    struct strbuf tics;
    strbuf_init(&tics);
    const int from = (int)ceil(log2(low) - 1e-6);
    const int to = (int)floor(log2(high) + 1e-6);
    const int step = to - from + 1 > max ? (to - from) / max + 1 : 1;
    for (int e = from; e <= to; e += step) {
        add_tic(&tics, exp2(e));
    }
    if (tics.len == 0) {
        linear_tics(low, high, max, &tics);
    }
    picture_text(p, var, strbuf_cstr(&tics));
    p->vars.failed |= tics.failed;
    strbuf_fini(&tics);
}
