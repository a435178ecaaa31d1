# ---- insn.gp: which fractal goes where -------------------------------------------------
# insn.dat, 'cells' and 'gaps': x0, x1, y0, y1 (pixels), colour, text colour, number, label.
set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0
set xrange [0:W]; set yrange [H:0]
set border 0; unset grid; unset xtics; unset ytics
do for [i=0:panels-1] {
  set label 20+i value(sprintf("panel%d", i)) at first value(sprintf("px%d", i)),first value(sprintf("py%d", i)) left font f14 tc rgb ink
}
plot 'insn.dat' index 'gaps' using (0.5*($1+$2)):(0.5*($3+$4)):1:2:3:4 with boxxyerror fs pattern 4 border lc rgb 0xd8d8d8 lc rgb 0xd8d8d8 lw 0.8, \
  '' index 'cells' using (0.5*($1+$2)):(0.5*($3+$4)):1:2:3:4:5 with boxxyerror fs solid 1.0 border lc rgb 0xffffff lc rgb variable lw 2, \
  '' index 'cells' using (0.5*($1+$2)):(0.5*($3+$4)-(strlen(strcol(8)) ? 7 : 0)):7:6 with labels font f13 tc rgb variable, \
  '' index 'cells' using (0.5*($1+$2)):(0.5*($3+$4)+9):8:6 with labels font f12 tc rgb variable, \
  '' index 'gaps' using (0.5*($1+$2)):(0.5*($3+$4)):7:6 with labels font f12 tc rgb variable
