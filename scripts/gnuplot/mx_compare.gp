# ---- mx_compare.gp: best tilings side by side -------------------------------------------------
# mx_compare.dat; everything is placed in pixels from the top left corner:
# 'time', 'gm', 'l0': from, to (shares of the longest bar), y, colour, value (us, B, B)
# 'use': buffer, y, share used; 'error': place on the axis, y, relative RMS
# 'heads': x, y, first and last y of the rows, text; 'legend': x, y, colour; 'text_*': x, y, colour, text
set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0
set xrange [0:W]; set yrange [H:0]
unset border; unset tics; unset grid
b = 7.0
f14b = (is_svg ? "DejaVu Sans\" font-weight=\"bold" : "DejaVu Sans:Bold") . fs(14)
axis(x) = sprintf(", '' index 'heads' using (%f):3:(0):($4-$3) with vectors nohead lc rgb ink lw 1", x)
head(x, text, n) = sprintf('set label %d "%s" at %f,%f left font f13 tc rgb grey front', n, text, x, top - 58)
eval head(time_x, "time of the task, parts that do not overlap", 11)
eval head(gm_x, "GM: read and written", 12)
eval head(l0_x, "L1→L0A, L0B", 13)
eval head(use_x, "% of buffer used", 14)
if (errors) { eval head(error_x, "error of C, relative RMS", 15) }
bar(x, w) = sprintf("using (%f+%f*0.5*($1+$2)):3:(%f+%f*$1):(%f+%f*$2):($3-b):($3+b):4 with boxxyerror fs solid 1.0 border lc rgb 0xffffff lw 0.4 lc rgb variable", x, w, x, w, x, w)
err = errors ? sprintf(", '' index 'error' using (%f):2:(%f):(%f):($2-0.6):($2+0.6) with boxxyerror fs solid 1.0 noborder lc rgb pale, '' index 'error' using (%f+%f*$1):2 with points pt 7 ps 0.8 lc rgb vermillion", error_x, error_x, error_x + error_w, error_x, error_w) : ""
eval "plot name.'.dat' index 'time' " . bar(time_x, time_w) . ", '' index 'gm' " . bar(gm_x, bytes_w) . ", '' index 'l0' " . bar(l0_x, bytes_w) . \
  ", '' index 'use' using (use_x+use_step*$1+20):2:(use_x+use_step*$1):(use_x+use_step*$1+40):($2-b):($2+b) with boxxyerror fs solid 1.0 noborder lc rgb 0xeeeeee" . \
  ", '' index 'use' using (use_x+use_step*$1+20):2:(use_x+use_step*$1):(use_x+use_step*$1+40*$3):($2-b):($2+b) with boxxyerror fs solid 1.0 noborder lc rgb blue_light" . err . \
  ", '' index 'legend' using ($1+7):2:1:($1+14):($2-6):($2+6):3 with boxxyerror fs solid 1.0 noborder lc rgb variable" . \
  ", '' index 'heads' using 1:2:5 with labels left font f14b tc rgb ink" . axis(time_x) . axis(gm_x) . axis(l0_x) . \
  ", '' index 'text_left' using 1:2:4:3 with labels left font f12 tc rgb variable" . \
  ", '' index 'text_center' using 1:2:4:3 with labels center font f12 tc rgb variable" . \
  ", '' index 'text_right' using 1:2:4:3 with labels right font f12 tc rgb variable"
