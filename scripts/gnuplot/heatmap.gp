# ---- heatmap.gp: best time for each pair of two fields ----------------------
# heatmap.dat: block 'cells' column row x y time_us text_colour label,
# 'hatched' column row x y, 'best' and 'close' column row.
set xrange [-0.5:nx-0.5]; set yrange [-0.5:ny-0.5]
set border 0; unset grid
set tics scale 0
eval 'set xtics (' . xtics . ')'
eval 'set ytics (' . ytics . ')'
set xlabel xtitle font f14 offset 0,-0.3
set ylabel ytitle font f14
set xtics font f13 offset 0,-0.1; set ytics font f13
set cblabel cbtitle font f14 offset 1.6,0
set colorbox user origin screen X(W - right + 26),Y(H - bottom) size screen 18.0/W,(H - top - bottom)/H noborder
if (log_colour) { set log cb }
set cbrange [cb_low:cb_high]
eval 'set cbtics (' . cbtics . ') scale 0.3 font f13'
set style fill solid 1.0 noborder
e = 0.5 - gap_x; v = 0.5 - gap_y; fcell = fs(cell_font)
plot 'heatmap.dat' index 'hatched' using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5) with boxxyerror \
       fs transparent pattern 4 noborder lc rgb 0xc4c4c4, \
  '' index 'cells' using 1:2:($1-e):($1+e):($2-v):($2+v):5 with boxxyerror fs solid 1.0 noborder fc palette, \
  '' index 'close' using ($1-e):($2-v):(2*e):(0) with vectors nohead lc rgb orange lw 1.8 dt (5,4), \
  '' index 'close' using ($1-e):($2+v):(2*e):(0) with vectors nohead lc rgb orange lw 1.8 dt (5,4), \
  '' index 'close' using ($1-e):($2-v):(0):(2*v) with vectors nohead lc rgb orange lw 1.8 dt (5,4), \
  '' index 'close' using ($1+e):($2-v):(0):(2*v) with vectors nohead lc rgb orange lw 1.8 dt (5,4), \
  '' index 'best' using ($1-e):($2-v):(2*e):(0) with vectors nohead lc rgb orange lw 3.4, \
  '' index 'best' using ($1-e):($2+v):(2*e):(0) with vectors nohead lc rgb orange lw 3.4, \
  '' index 'best' using ($1-e):($2-v):(0):(2*v) with vectors nohead lc rgb orange lw 3.4, \
  '' index 'best' using ($1+e):($2-v):(0):(2*v) with vectors nohead lc rgb orange lw 3.4, \
  '' index 'cells' using 1:2:7:6 with labels font fcell tc rgb variable
