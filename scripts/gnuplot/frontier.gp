# ---- frontier.gp: base blocks that fit, four buffer depths --------------------
# frontier.dat, for panel P and baseK number K: 'pPkK' outline baseM baseN;
# 'pPlabels' x y colour text; 'pPpoint' baseM baseN text (the tiling).
set logscale xy 2
set xrange [low:high*1.1]; set yrange [low:high*1.1]
set xtics (16,32,64,128,256,512,1024,2048,4080) font f12
set ytics (16,32,64,128,256,512,1024,2048,4080) font f12
unset grid
array shade[6] = [0xe3eef8, 0xbfd8ee, 0x8fbfe2, 0x4f97cc, 0x1f6fb0, 0x0a4a86]
gap_x = 74.0; gap_y = 74.0
pw = (W - left - right - gap_x) / 2; ph = (H - top - bottom - gap_y) / 2
set object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb 0xd0d0d0 fs pattern 4 noborder
f13b = (is_svg ? "DejaVu Sans\" font-weight=\"bold" : "DejaVu Sans:Bold") . fs(13)
set multiplot
do for [P=0:3] {
  col = P % 2; row = P / 2
  x0 = left + col * (pw + gap_x); y0 = top + row * (ph + gap_y)
  set lmargin at screen X(x0); set rmargin at screen X(x0 + pw)
  set tmargin at screen Y(y0); set bmargin at screen Y(y0 + ph)
  if (P > 0) { unset label 901; unset label 902; unset label 903 }
  set label 910 value(sprintf("title%d", P)) at graph 0,1 offset 0,0.8 left font f13b tc rgb ink front
  if (row == 1) { set xlabel "baseM  (rows of C of one Mmad)" font f13 offset 0,0.2 } else { unset xlabel }
  if (col == 0) { set ylabel "baseN  (columns of C)" font f13 offset 0.6,0 } else { unset ylabel }
  plot for [K=0:kcount-1] 'frontier.dat' index sprintf("p%dk%d", P, K) using 1:2 with filledcurves closed \
         fs solid 1.0 border lc rgb 0xffffff fc rgb shade[K+1], \
       '' index sprintf("p%dlabels", P) using 1:2:4:3 with labels left font f12 tc rgb variable, \
       '' index sprintf("p%dpoint", P) using 1:2 with points pt 7 ps 1.5 lc rgb 0xffffff, \
       '' index sprintf("p%dpoint", P) using 1:2 with points pt 7 ps 1.1 lc rgb vermillion, \
       '' index sprintf("p%dpoint", P) using ($1*1.08):2:3 with labels left font f13 tc rgb vermillion
}
unset multiplot
