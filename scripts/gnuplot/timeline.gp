# ---- timeline.gp: pipes of one core ---------------------------------------------
# timeline.dat, in cycles: 'idle' (from, to), 'boxes' (from, to, lane, colour, text colour, step, text, result there),
# 'above' (at, lane, text of a box too narrow for it).
set xrange [t0:t1]; set yrange [-0.62:3.62]
set border 1; unset grid; unset ytics
eval 'set xtics (' . xtics . ') font f13'
set xlabel "cycle of the core" font f14
set label 10 "busy" at screen X(W - right + 66),Y(top - 26) center font f12 tc rgb grey
set label 11 "here" at screen X(W - right + 56),Y(top - 8) right font f12 tc rgb grey
set label 12 "in run" at screen X(W - right + 120),Y(top - 8) right font f12 tc rgb grey
do for [i=0:3] {
  set label 20+i value(sprintf("lane%d", i)) at screen X(left - 12),first i right font f14 tc rgb ink
  set label 30+i value(sprintf("here%d", i)) at screen X(W - right + 56),first i right font f14 tc rgb ink
  set label 40+i value(sprintf("run%d", i)) at screen X(W - right + 120),first i right font f14 tc rgb grey
}
b = 0.34
plot 'timeline.dat' index 'idle' using (0.5*($1+$2)):(1.5):1:2:(-0.6):(3.6) with boxxyerror fs solid 1.0 noborder lc rgb 0xf5e6df, \
  '' index 'boxes' using (0.5*($2+$8)):($3-b):2:8:($3-b):($3-b+0.03) with boxxyerror fs solid 1.0 noborder lc rgb 0x888888, \
  '' index 'boxes' using (0.5*($1+$2)):($3):1:2:($3-b):($3+b):4 with boxxyerror fs solid 1.0 border lc rgb 0xffffff lw 0.8 lc rgb variable, \
  '' index 'boxes' using (0.5*($1+$2)):3:7:5 with labels font f12 tc rgb variable, \
  '' index 'above' using 1:($2+b+0.09):3 with labels font f12 tc rgb ink
