# ---- style.gp: what all pictures share -------------------------------------
# Set before: name, W, H (pixels of the SVG). `out` chooses file and format.
if (!exists("out")) out = name . ".png"
is_svg = (strlen(out) > 4 && out[strlen(out)-3:*] eq ".svg")
set encoding utf8
if (is_svg) { set terminal svg size W,H font "DejaVu Sans,13" noenhanced linewidth 1 background "#ffffff" } \
else { set terminal pngcairo size 2*W,2*H font "DejaVu Sans,10" fontscale 2 linewidth 2 pointscale 2 noenhanced background "#ffffff" }
set output out

# Font sizes: the terminals count differently (svg in pixels, cairo in points).
fs(px) = is_svg ? sprintf(",%.1f", px) : sprintf(",%.1f", px * 10.0 / 13.0)
f12 = fs(12); f13 = fs(13); f135 = fs(13.5); f14 = fs(14)
# svg writes the font's name into an attribute: the rest of it makes the title bold.
f18b = (is_svg ? "DejaVu Sans\" font-weight=\"bold" : "DejaVu Sans:Bold") . fs(18)
# Positions in pixels from the top left corner.
X(px) = px / W
Y(px) = 1.0 - px / H

# Okabe-Ito for categories; dark = ping, light = pong.
ink = 0x222222; grey = 0x888888; pale = 0xdddddd
blue = 0x0072b2; orange = 0xe69f00; green = 0x009e73; purple = 0xcc79a7; vermillion = 0xd55e00
blue_light = 0x7fc4ee; orange_light = 0xf5cf7f; green_light = 0x7bd3b5; purple_light = 0xe8bfd5

# viridis (gnuplot 5.4 has no name for it)
set palette defined (0 '#440154', 0.13 '#472f7d', 0.25 '#3b528b', 0.38 '#2c728e', 0.5 '#21918c', \
  0.63 '#28ae80', 0.75 '#5ec962', 0.88 '#addc30', 1 '#fde725')

set border 3 lc rgb ink lw 1.2
set tics nomirror out scale 0.6 textcolor rgb ink
set mxtics 1; set mytics 1
set grid xtics ytics lc rgb 0xeeeeee lw 0.8 lt 1
set key off

# Title and grey lines below it, left-aligned at the plot's left edge.
set label 901 title at screen X(left),Y(34) left font f18b tc rgb ink front
set label 902 sub1 at screen X(left),Y(60) left font f135 tc rgb grey front
set label 903 sub2 at screen X(left),Y(80) left font f135 tc rgb grey front
set lmargin at screen X(left); set rmargin at screen X(W - right)
set tmargin at screen Y(top); set bmargin at screen Y(H - bottom)
