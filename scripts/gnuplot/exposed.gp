# ---- exposed.gp: where the time of some tilings goes -------------------------------------
# exposed.dat, block 'parts': from, to (us), row, colour, part.
set xrange [0:x_high]; set yrange [-0.6:bars-0.4]
set border 1; unset ytics; set grid noytics xtics lc rgb 0xeeeeee lw 0.8 lt 1
eval 'set xtics (' . xtics . ') font f13'
set xlabel "task time of the model (µs)" font f14
b = 0.36
do for [i=0:bars-1] {
  set label 20+i value(sprintf("bar%d", i)) at screen X(left - 12),first i right font f13 tc rgb ink
  set label 50+i value(sprintf("total%d", i)) at first value(sprintf("end%d", i)),i left offset 0.6,0 font f14 tc rgb ink
}
do for [k=0:5] {
  px = left + value(sprintf("part%d_x", k))
  set object 10+k rectangle from screen X(px),Y(top - 36) to screen X(px + 18),Y(top - 48) fc rgb value(sprintf("part%d_rgb", k)) fs solid 1.0 noborder
  set label 80+k value(sprintf("part%d", k)) at screen X(px + 25),Y(top - 42) left font f13 tc rgb ink
}
plot 'exposed.dat' index 'parts' using (0.5*($1+$2)):3:1:2:($3-b):($3+b):4 with boxxyerror fs solid 1.0 border lc rgb 0xffffff lw 0.4 lc rgb variable
