# ---- budget.gp: what lies where in the buffers ---------------------------------------
# budget.dat, 'regions': from, to (shares of the buffer), row, colour, text colour, name,
# address and size, offset B, size B; 'padding': from, to, row; 'below': at, row, text.
set xrange [0:1]; set yrange [-0.5:rows-0.5]
set border 0; unset grid; unset xtics; unset ytics
b = 0.36
do for [i=0:rows-1] {
  set object 100+i rectangle from 0,i-b to 1,i+b behind fc rgb 0xc4c4c4 fs pattern 4 noborder
  set object 200+i rectangle from 0,i-b to 1,i+b front fs empty border lc rgb 0xaaaaaa lw 0.8
  set label 20+i value(sprintf("name%d", i)) at screen X(left - 12),first i right font f14 tc rgb ink
  set label 40+i value(sprintf("used%d", i)) at screen X(W - right + 14),first i+0.17 left font f13 tc rgb ink
  set label 60+i value(sprintf("free%d", i)) at screen X(W - right + 14),first i-0.2 left font f13 tc rgb grey
}
plot 'budget.dat' index 'regions' using (0.5*($1+$2)):3:1:2:($3-b):($3+b):4 with boxxyerror fs solid 1.0 border lc rgb 0xffffff lw 1 lc rgb variable, \
  '' index 'padding' using (0.5*($1+$2)):3:1:2:($3-b):($3+b) with boxxyerror fs transparent pattern 5 noborder lc rgb 0xffffff, \
  '' index 'regions' using (0.5*($1+$2)):($3+0.15):6:5 with labels font f13 tc rgb variable, \
  '' index 'regions' using (0.5*($1+$2)):($3-0.17):7:5 with labels font f12 tc rgb variable, \
  '' index 'below' using 1:($2-0.49):3 with labels left font f12 tc rgb ink
