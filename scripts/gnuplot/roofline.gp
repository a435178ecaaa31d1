# ---- roofline.gp: attained rate against arithmetic intensity ------------------
# roofline.dat: blocks 'dots_*' (FLOP/B, TFLOP/s, name), 'best',
# 'roof_hbm' and 'roof_l2'.
# Roofs: peak (TFLOP/s), hbm and l2 (TB/s).
set log xy
set xrange [x_low:x_high]; set yrange [y_low:y_high]
eval 'set xtics (' . xtics . ') font f13'
eval 'set ytics (' . ytics . ') font f13'
set xlabel "Arithmetic intensity  (FLOP per byte between GM and the cores)" font f14 offset 0,-0.3
set ylabel "Attained  (TFLOP/s)" font f14 offset -1,0
# Angle on paper of a line of slope 1 on the log axes.
ang = atan2((H - top - bottom) / log10(y_high / y_low), (W - left - right) / log10(x_high / x_low)) * 180 / pi
set label 1 peak_text at graph 0.985,first peak right offset 0,0.95 font f14 tc rgb ink front
if (l2_x > 0) { set label 2 l2_text at first l2_x,l2_x*l2*1.22 center rotate by ang font f14 tc rgb grey front }
if (hbm_x > 0) { set label 3 hbm_text at first hbm_x,hbm_x*hbm*1.22 center rotate by ang font f14 tc rgb ink front }
ridge = peak / hbm
if (ridge > x_low && ridge < x_high) { \
  set arrow 1 from first ridge,y_low to first ridge,peak nohead lc rgb grey dt 3 lw 1; \
  set label 4 sprintf(" ridge %.0f FLOP/B", ridge) at first ridge,graph 0.03 left font f12 tc rgb grey front }
set object 1 rectangle at graph box_x,box_y size graph box_w,box_h fc rgb 0xf3f3f3 fs solid 0.9 noborder front
set label 5 best1 at graph box_x-box_w/2+0.012,box_y+0.022 left font f14 tc rgb ink front
set label 6 best2 at graph box_x-box_w/2+0.012,box_y-0.026 left font f14 tc rgb ink front
set arrow 2 from graph arrow_x,arrow_y to graph tip_x,tip_y nohead lc rgb ink lw 1 front
set key at graph key_x,key_y left top Left reverse spacing 1.25 samplen 1.5 font f13 opaque box lc rgb pale width 1 height 0.4
plot 'roofline.dat' index 'roof_l2' using 1:2 with lines lc rgb grey lw 1.4 dt 3 notitle, \
  '' index 'roof_hbm' using 1:2 with lines lc rgb ink lw 2.4 notitle, \
  '' index 'dots_mte2' using 1:2 with points pt 7 ps 0.55 lc rgb vermillion title t_mte2, \
  '' index 'dots_mte1' using 1:2 with points pt 5 ps 0.5 lc rgb blue title t_mte1, \
  '' index 'dots_cube' using 1:2 with points pt 9 ps 0.65 lc rgb green title t_m, \
  '' index 'dots_fixpipe' using 1:2 with points pt 13 ps 0.7 lc rgb purple title t_fix, \
  '' index 'best' using 1:2 with points pt 3 ps 1.3 lw 2.2 lc rgb ink title "best tiling"
