# ---- periods.gp: two schedules on one time axis --------------------------------------------
# periods.dat, in ns from the start of a period; rows count from the top, 4 lanes a side:
# 'texts' (at, row, colour, text), 'idle' (from, to, first row, last row), 'boxes' (from, to, row, colour), 'lanes' (row, name, share of the window it is occupied),
# 'brackets' (end of the period, row, words)
set xrange [0:span]; set yrange [9.7:-1.7]
set border 1; unset grid; unset ytics
eval 'set xtics (' . xtics . ') font f13'
set xlabel "ns from the start of a period" font f14
set label 10 "occupied" at screen X(W - right + 12),first -0.95 left font f12 tc rgb grey
b = 0.36
plot 'periods.dat' index 'idle' using (0.5*($1+$2)):(0.5*($3+$4)):1:2:($3-0.5):($4+0.5) with boxxyerror fs solid 1.0 noborder lc rgb 0xf5e6df, \
  '' index 'boxes' using (0.5*($1+$2)):3:1:2:($3-b):($3+b):4 with boxxyerror fs solid 1.0 border lc rgb 0xffffff lw 0.5 lc rgb variable, \
  '' index 'texts' using 1:2:4:3 with labels font f12 tc rgb variable, \
  '' index 'brackets' using (0):($2+0.3):1:(0) with vectors heads size screen 0.006,90 lc rgb ink lw 1.2, \
  '' index 'brackets' using (0):($2-0.15):3 with labels left font f13 tc rgb ink, \
  '' index 'lanes' using (0):1:2 with labels right offset -1.4,0 font f14 tc rgb ink, \
  '' index 'lanes' using (span):1:3 with labels left offset 1.4,0 font f14 tc rgb ink
