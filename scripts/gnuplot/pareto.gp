# ---- pareto.gp: time against bytes between GM and the cores -------------------
# pareto.dat: 'dots' and 'front' (MiB, us, KiB of L1, name), 'stairs' (MiB, us).
if (log_x) { set log x }
if (log_y) { set log y }
set xrange [x_low:x_high]; set yrange [y_low:y_high]
eval 'set xtics (' . xtics . ') font f13'
eval 'set ytics (' . ytics . ') font f13'
set xlabel "Bytes between GM and the cores (MiB)" font f14 offset 0,-0.3
set ylabel "Task time of the model (µs)" font f14 offset -1,0
set cblabel "L1 used (KiB)" font f14 offset 1.6,0
set colorbox user origin screen X(W - right + 26),Y(H - bottom) size screen 18.0/W,(H - top - bottom)/H noborder
set cbrange [cb_low:cb_high]
if (log_colour) { set log cb 2 }
eval 'set cbtics (' . cbtics . ') scale 0.3 font f13'
set label 1 text1 at graph t1_x,t1_y center font f14 tc rgb vermillion front
set arrow 1 from graph a1_x,a1_y to first p1_x,p1_y head filled size screen 0.009,18 lc rgb vermillion lw 1 front
if (two_ends) { \
  set label 2 text2 at graph t2_x,t2_y center font f14 tc rgb vermillion front; \
  set arrow 2 from graph a2_x,a2_y to first p2_x,p2_y head filled size screen 0.009,18 lc rgb vermillion lw 1 front }
plot 'pareto.dat' index 'dots' using 1:2:3 with points pt 7 ps 0.55 lc palette, \
  '' index 'stairs' using 1:2 with lines lw 2 lc rgb vermillion, \
  '' index 'front' using 1:2:3 with points pt 7 ps 0.75 lc palette, \
  '' index 'front' using 1:2 with points pt 6 ps 1.15 lw 1.5 lc rgb vermillion
