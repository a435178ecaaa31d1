# ---- validate.gp: predicted against measured, and the error ---------------------
# validate.dat: 'a2_fitted', 'a2_held', 'a5_fitted', 'a5_held' (measured, predicted, error %, name).
mid = 0.5 * (left + W - right)
set log x; set xrange [low:high]
tics = '("1 µs" 1, "10 µs" 10, "100 µs" 100, "1 ms" 1e3, "10 ms" 1e4, "100 ms" 1e5, "1 s" 1e6, "10 s" 1e7)'
eval 'set xtics ' . tics . ' font f13'
# plots: the blocks with rows; gnuplot dies of labels without one.
set multiplot
set rmargin at screen X(mid - 34)
set log y; set yrange [low:high]
eval 'set ytics ' . tics . ' font f13'
set xlabel "Measured" font f14 offset 0,-0.2
set ylabel "Predicted" font f14 offset -1,0
set key at graph 0.03,0.97 left top Left reverse samplen 0.6 spacing 1.2 font f13
plot x with lines lc rgb grey lw 1 notitle, \
  'validate.dat' index 'a2_fitted' using 1:2 with points pt 7 ps 0.75 lc rgb blue title "A2/A3, fitted", \
  '' index 'a2_held' using 1:2 with points pt 6 ps 0.85 lw 1.6 lc rgb blue title "A2/A3, held out", \
  '' index 'a5_fitted' using 1:2 with points pt 5 ps 0.75 lc rgb orange title "950, fitted", \
  '' index 'a5_held' using 1:2 with points pt 4 ps 0.85 lw 1.6 lc rgb orange title "950, held out"
unset label 901; unset label 902; unset label 903
set key off
set lmargin at screen X(mid + 40); set rmargin at screen X(W - right)
unset log y; set yrange [-worst:worst]; unset ytics
set ytics nomirror out scale 0.6 font f13 format "%+.0f %%"
set ylabel "Error" font f14 offset 0.5,0
set object 1 rectangle from graph 0,first -7 to graph 1,first 7 fc rgb 0xf1f1f1 fs solid noborder behind
set label 10 "±7 %" at graph 0.985,first 7 right offset 0,0.55 font f12 tc rgb grey
plot 0 with lines lc rgb grey lw 1 notitle, \
  'validate.dat' index 'a2_fitted' using 1:3 with points pt 7 ps 0.75 lc rgb blue, \
  '' index 'a2_held' using 1:3 with points pt 6 ps 0.85 lw 1.6 lc rgb blue, \
  '' index 'a5_fitted' using 1:3 with points pt 5 ps 0.75 lc rgb orange, \
  '' index 'a5_held' using 1:3 with points pt 4 ps 0.85 lw 1.6 lc rgb orange, \
  for [b in plots] '' index b using 1:3:4 with labels left offset 0.7,0 font f12 tc rgb ink
unset multiplot
