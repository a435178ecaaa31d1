/* widths.h - the largest values of instruction fields a plan must respect. */
#ifndef TILING_WIDTHS_H
#define TILING_WIDTHS_H

#define WIDTH_MMAD            4095  /* MmadParams m, n, k */
#define WIDTH_REPEAT          255   /* LoadData2DParams, LoadData2dTransposeParams repeatTimes */
#define WIDTH_STEP            255   /* LoadData2DParamsV2 mStep, kStep */
#define WIDTH_MAP_SIDE        32767 /* LoadData3DParamsV2 l1H, l1W, mStartPt */
#define WIDTH_CHANNELS        65535 /* LoadData3DParamsV2 channelSize, kExtension, kStartPt */
#define WIDTH_ND2NZ_C0_STRIDE 16384 /* Nd2NzParams dstNzC0Stride, nValue */
#define WIDTH_ND2NZ_D_VALUE   65535 /* Nd2NzParams dValue */
#define WIDTH_DN2NZ_N_VALUE   16384 /* Dn2NzParams nValue, dstNzC0Stride (MX scales) */

#endif
