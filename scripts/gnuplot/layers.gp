# ---- layers.gp: where the time of networks goes, layer by layer -------------------------
# layers.dat, in pixels: 'boxes' x0 x1 y0 y1 colour; 'left', 'right', 'middle' (texts by where
# they hang) x y colour text; 'heads' the same, bold.
set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0
set xrange [0:W]; set yrange [H:0]
set border 0; unset grid; unset xtics; unset ytics
f14b = (is_svg ? "DejaVu Sans\" font-weight=\"bold" : "DejaVu Sans:Bold") . fs(14)
plot 'layers.dat' index 'boxes' using (0.5*($1+$2)):(0.5*($3+$4)):1:2:3:4:5 with boxxyerror fs solid 1.0 noborder lc rgb variable, \
  '' index 'left' using 1:2:4:3 with labels left font f12 tc rgb variable, \
  '' index 'right' using 1:2:4:3 with labels right font f12 tc rgb variable, \
  '' index 'middle' using 1:2:4:3 with labels center font f12 tc rgb variable, \
  '' index 'heads' using 1:2:4:3 with labels left font f14b tc rgb variable
