/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: pictures from files (PNG, JPEG, GIF, BMP) and as files. What is written and read
 * again stands in test_image_scripts.c. */
/* needs: png, jpeg, gif */
#include "op_case.h"

/* clang-format off */
#define BMP16 "string [] 'BM:\\x00\\x00\\x00\\x00\\x00\\x00\\x006\\x00\\x00\\x00(\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x01\\x00\\x10\\x00\\x00\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x13\\x0b\\x00\\x00\\x13\\x0b\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x02\\x03\\x04'"
#define BMP24 "string [] 'BMF\\x00\\x00\\x00\\x00\\x00\\x00\\x006\\x00\\x00\\x00(\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x01\\x00\\x18\\x00\\x00\\x00\\x00\\x00\\x10\\x00\\x00\\x00\\x13\\x0b\\x00\\x00\\x13\\x0b\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x02\\x03\\x04\\x05\\x06\\x00\\x00\\x0a\\x0b\\x0c\\x0d\\x0e\\x0f\\x00\\x00'"
#define BMP24_DOWN "string [] 'BMF\\x00\\x00\\x00\\x00\\x00\\x00\\x006\\x00\\x00\\x00(\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\xfe\\xff\\xff\\xff\\x01\\x00\\x18\\x00\\x00\\x00\\x00\\x00\\x10\\x00\\x00\\x00\\x13\\x0b\\x00\\x00\\x13\\x0b\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x02\\x03\\x04\\x05\\x06\\x00\\x00\\x0a\\x0b\\x0c\\x0d\\x0e\\x0f\\x00\\x00'"
#define BMP24_SHORT "string [] 'BMF\\x00\\x00\\x00\\x00\\x00\\x00\\x006\\x00\\x00\\x00(\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x01\\x00\\x18\\x00\\x00\\x00\\x00\\x00\\x10\\x00\\x00\\x00\\x13\\x0b\\x00\\x00\\x13\\x0b\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x02\\x03\\x04\\x05\\x06\\x00\\x00\\x0a\\x0b'"
#define BMP32 "string [] 'BM>\\x00\\x00\\x00\\x00\\x00\\x00\\x006\\x00\\x00\\x00(\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x01\\x00 \\x00\\x00\\x00\\x00\\x00\\x08\\x00\\x00\\x00\\x13\\x0b\\x00\\x00\\x13\\x0b\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x02\\x03\\x04\\x05\\x06\\x07\\x08'"
#define BMP8 "string [] 'BM>\\x00\\x00\\x00\\x00\\x00\\x00\\x006\\x00\\x00\\x00(\\x00\\x00\\x00\\x03\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x01\\x00\\x08\\x00\\x00\\x00\\x00\\x00\\x08\\x00\\x00\\x00\\x13\\x0b\\x00\\x00\\x13\\x0b\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x02\\x03\\x00\\x04\\x05\\x06\\x00'"
#define GIF_FIRST_PARTIAL "string [] 'GIF89a\\x03\\x00\\x02\\x00\\x81\\x00\\x00\\x00\\x00\\x00\\xff\\x00\\x00\\x00\\xff\\x00\\x0a\\x14\\xc8,\\x01\\x00\\x00\\x00\\x02\\x00\\x02\\x00\\x00\\x02\\x03D\\xa8\\x15\\x00;'"
#define GIF_FRAMES "string [] 'GIF89a\\x03\\x00\\x02\\x00\\x81\\x00\\x00\\x00\\x00\\x00\\xff\\x00\\x00\\x00\\xff\\x00\\x0a\\x14\\xc8,\\x00\\x00\\x00\\x00\\x03\\x00\\x02\\x00\\x00\\x02\\x04D\\xa8Q)\\x00,\\x01\\x00\\x01\\x00\\x02\\x00\\x01\\x00\\x81\\x09\\x08\\x07\\x01\\x02\\x03\\x04\\x05\\x06\\xfa\\xfb\\xfc\\x02\\x02\\xcc\\x0a\\x00,\\x00\\x00\\x00\\x00\\x03\\x00\\x02\\x00\\x00\\x02\\x04\\xdc\\xb80)\\x00;'"
#define GIF_INTERLACED "string [] 'GIF89a\\x01\\x00\\x05\\x00\\x81\\x00\\x00\\x00\\x00\\x00\\xff\\x00\\x00\\x00\\xff\\x00\\x0a\\x14\\xc8,\\x00\\x00\\x00\\x00\\x01\\x00\\x05\\x00@\\x02\\x04D\\xa81\\x05\\x00;'"
#define GIF_NO_MAP "string [] 'GIF89a\\x02\\x00\\x02\\x00\\x00\\x00\\x00,\\x00\\x00\\x00\\x00\\x02\\x00\\x02\\x00\\x00\\x02\\x03D\\xa8\\x15\\x00;'"
#define GIF_NONE "string [] 'GIF89a\\x02\\x00\\x02\\x00\\x81\\x00\\x00\\x00\\x00\\x00\\xff\\x00\\x00\\x00\\xff\\x00\\x0a\\x14\\xc8;'"
#define GIF_ONE "string [] 'GIF89a\\x02\\x00\\x02\\x00\\x81\\x00\\x00\\x00\\x00\\x00\\xff\\x00\\x00\\x00\\xff\\x00\\x0a\\x14\\xc8,\\x00\\x00\\x00\\x00\\x02\\x00\\x02\\x00\\x00\\x02\\x03D\\xa8\\x15\\x00;'"
#define GIF_OUTSIDE "string [] 'GIF89a\\x02\\x00\\x02\\x00\\x81\\x00\\x00\\x00\\x00\\x00\\xff\\x00\\x00\\x00\\xff\\x00\\x0a\\x14\\xc8,\\x00\\x00\\x00\\x00\\x02\\x00\\x02\\x00\\x00\\x02\\x03D\\xa8\\x15\\x00,\\x01\\x00\\x01\\x00\\x02\\x00\\x02\\x00\\x00\\x02\\x03L\\x98\\x14\\x00;'"
#define JPEG_CMYK "string [] '\\xff\\xd8\\xff\\xee\\x00\\x0eAdobe\\x00d\\x00\\x00\\x00\\x00\\x00\\xff\\xdb\\x00C\\x00\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\xff\\xc0\\x00\\x14\\x08\\x00\\x02\\x00\\x03\\x04C\\x11\\x00M\\x11\\x00Y\\x11\\x00K\\x11\\x00\\xff\\xc4\\x00\\x16\\x00\\x01\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x0a\\x07\\x09\\xff\\xc4\\x00 \\x10\\x00\\x00\\x05\\x03\\x05\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07\\x08\\x099\\x02x\\xb7\\x06\\x0av\\x87\\xb5\\xff\\xda\\x00\\x0e\\x04C\\x00M\\x00Y\\x00K\\x00\\x00\\x3f\\x00\\xc0-\\xc6sN\\xbb9\\xb9q\\x82\\xca\\xd0v\\x9e\\x92W\\x97\\xf5\\xcd\\x99^\\xbd@\\xf2:\\x84\\x98\\xb8\\x1d\\xe6\\xa9\\x5c\\xc1\\xab\\x85Y\\xe3d}Fu\\x16\\x08,\\x07\\xff\\xd9'"
#define JPEG_GREY "string [] '\\xff\\xd8\\xff\\xe0\\x00\\x10JFIF\\x00\\x01\\x01\\x01\\x01,\\x01,\\x00\\x00\\xff\\xdb\\x00C\\x00\\x10\\x0b\\x0c\\x0e\\x0c\\x0a\\x10\\x0e\\x0d\\x0e\\x12\\x11\\x10\\x13\\x18(\\x1a\\x18\\x16\\x16\\x181#%\\x1d(:3=<9387@H\\x5cN@DWE78PmQW_bghg>Mqypdx\\x5cegc\\xff\\xc0\\x00\\x0b\\x08\\x00\\x03\\x00\\x04\\x01\\x01\\x11\\x00\\xff\\xc4\\x00\\x14\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x05\\xff\\xc4\\x00\\x1b\\x10\\x00\\x01\\x04\\x03\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x05\\x00\\x02\\x03\\x04\\x14$\\x91\\xff\\xda\\x00\\x08\\x01\\x01\\x00\\x00\\x3f\\x00b\\x90Q\\xb8\\xcd\\xd3\\x8f\\x8b\\xff\\xd9'"
#define JPEG_RGB "string [] '\\xff\\xd8\\xff\\xe0\\x00\\x10JFIF\\x00\\x01\\x01\\x01\\x01,\\x01,\\x00\\x00\\xff\\xdb\\x00C\\x00\\x06\\x04\\x05\\x06\\x05\\x04\\x06\\x06\\x05\\x06\\x07\\x07\\x06\\x08\\x0a\\x10\\x0a\\x0a\\x09\\x09\\x0a\\x14\\x0e\\x0f\\x0c\\x10\\x17\\x14\\x18\\x18\\x17\\x14\\x16\\x16\\x1a\\x1d%\\x1f\\x1a\\x1b#\\x1c\\x16\\x16 , #&\\x27)*)\\x19\\x1f-0-(0%()(\\xff\\xdb\\x00C\\x01\\x07\\x07\\x07\\x0a\\x08\\x0a\\x13\\x0a\\x0a\\x13(\\x1a\\x16\\x1a((((((((((((((((((((((((((((((((((((((((((((((((((\\xff\\xc0\\x00\\x11\\x08\\x00\\x06\\x00\\x0a\\x03\\x01\\x22\\x00\\x02\\x11\\x01\\x03\\x11\\x01\\xff\\xc4\\x00\\x16\\x00\\x01\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x05\\x07\\xff\\xc4\\x00\\x1e\\x10\\x00\\x01\\x03\\x04\\x03\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x03\\x051\\x01\\x02\\x07\\x13#2A\\xff\\xc4\\x00\\x15\\x01\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x04\\x06\\xff\\xc4\\x00\\x1d\\x11\\x00\\x01\\x03\\x05\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x04\\x00\\x01\\x05\\x06\\x13\\x1423A\\xff\\xda\\x00\\x0c\\x03\\x01\\x00\\x02\\x11\\x03\\x11\\x00\\x3f\\x00\\x93\\x8d\\x99\\xd2\\xe2\\x8f\\x0d\\xc9\\x16t\\xf5Y\\x1dh\\x01!]\\xc9\\x15\\x9d\\xd1\\xfdL:8[\\x9a2\\xff\\xd9'"
#define JPEG_YCCK "string [] '\\xff\\xd8\\xff\\xee\\x00\\x0eAdobe\\x00d\\x00\\x00\\x00\\x00\\x02\\xff\\xdb\\x00C\\x00\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\xff\\xdb\\x00C\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\xff\\xc0\\x00\\x14\\x08\\x00\\x02\\x00\\x03\\x04\\x01\\x11\\x00\\x02\\x11\\x01\\x03\\x11\\x01\\x04\\x11\\x00\\xff\\xc4\\x00\\x15\\x00\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07\\x0a\\xff\\xc4\\x00\\x1e\\x10\\x00\\x00\\x04\\x07\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x08\\x099\\x05\\x06\\x07x\\x87\\xb4\\xb7\\xff\\xc4\\x00\\x15\\x01\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x05\\xff\\xc4\\x00\\x1c\\x11\\x00\\x00\\x06\\x03\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x03\\x06\\x076v\\x04\\xb6\\xb7\\xff\\xda\\x00\\x0e\\x04\\x01\\x00\\x02\\x11\\x03\\x11\\x04\\x00\\x00\\x3f\\x00\\xa1\\x149i\\x02\\x0bo\\x92\\xc6\\xd4H\\x1c9!UT\\x06\\x86\\x9a\\x13[\\x08\\xbeU\\xd9\\xcf\\xe9j\\xe0\\xac\\xb1\\xae>c1\\x17\\x08\\xa6\\x03\\xff\\xd9'"
#define PNG_1BIT "string [] '\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dIHDR\\x00\\x00\\x00\\x08\\x00\\x00\\x00\\x01\\x01\\x00\\x00\\x00\\x00\\xcb{\\xd2\\xee\\x00\\x00\\x00\\x0aIDATx\\xdacX\\x0a\\x00\\x00\\xa7\\x00\\xa6H1\\xbfo\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"
#define PNG_4BIT "string [] '\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dIHDR\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x01\\x04\\x00\\x00\\x00\\x00\\x14\\xb9\\xcdW\\x00\\x00\\x00\\x0aIDATx\\xdac\\xb0\\x01\\x00\\x00>\\x00=\\x87\\xa6no\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"
#define PNG_GREY "string [] '\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dIHDR\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x02\\x08\\x00\\x00\\x00\\x00W\\xddR\\xf8\\x00\\x00\\x00\\x0eIDATx\\xdac`l`\\xf8\\xc7\\x0e\\x00\\x04\\x0e\\x01\\x87\\xad\\x04\\xc5}\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"
#define PNG_GREY16 "string [] '\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dIHDR\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x01\\x10\\x00\\x00\\x00\\x00\\x81\\xd9\\xfc\\x15\\x00\\x00\\x00\\x0dIDATx\\xdac\\x10\\xfa\\xc2\\xf0\\x1f\\x00\\x04(\\x02\\x065\\xdf\\x89.\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"
#define PNG_GREY_ALPHA "string [] '\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dIHDR\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x01\\x08\\x04\\x00\\x00\\x00^+\\xb7\\x01\\x00\\x00\\x00\\x0dIDATx\\xdac\\xe0\\x129\\xf1\\x1f\\x00\\x02\\xf8\\x01\\xe6\\x83\\xce\\xfe\\xbb\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"
#define PNG_GREY_TRNS "string [] '\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dIHDR\\x00\\x00\\x00\\x03\\x00\\x00\\x00\\x01\\x08\\x00\\x00\\x00\\x00>\\x8bKh\\x00\\x00\\x00\\x02tRNS\\x00\\x06\\x9f\\xf0h\\x0d\\x00\\x00\\x00\\x0cIDATx\\xdac`ec\\x07\\x00\\x00&\\x00\\x13d\\x97,~\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"
#define PNG_INTERLACED "string [] '\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dIHDR\\x00\\x00\\x00\\x05\\x00\\x00\\x00\\x05\\x08\\x00\\x00\\x00\\x01\\xdf\\x03I\\xaf\\x00\\x00\\x00,IDATx\\xdac```a\\xd0\\xd0a`b\\xd0b\\x10\\x11\\x93``df\\x10\\x15g\\xd0\\xd4f\\xe0\\xe2\\xe6\\xe1\\xe5c\\x90\\x93WPT\\x02\\x00 \\x85\\x02\\x27\\xc4\\x87\\xb1\\x07\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"
#define PNG_PALETTE "string [] '\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dIHDR\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x01\\x02\\x03\\x00\\x00\\x00\\x84R\\xe7^\\x00\\x00\\x00\\x0cPLTE\\x00\\x00\\x00\\xff\\x00\\x00\\x00\\xff\\x00\\x0a\\x14\\xc8\\x00D\\xe4P\\x00\\x00\\x00\\x0aIDATx\\xdac\\x90\\x06\\x00\\x00\\x1d\\x00\\x1c#|\\x8f\\xac\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"
#define PNG_PALETTE_TRNS "string [] '\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dIHDR\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x01\\x02\\x03\\x00\\x00\\x00\\x84R\\xe7^\\x00\\x00\\x00\\x0cPLTE\\x00\\x00\\x00\\xff\\x00\\x00\\x00\\xff\\x00\\x0a\\x14\\xc8\\x00D\\xe4P\\x00\\x00\\x00\\x02tRNS\\x00\\x80\\x9b+N\\x18\\x00\\x00\\x00\\x0aIDATx\\xdac\\x90\\x06\\x00\\x00\\x1d\\x00\\x1c#|\\x8f\\xac\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"
#define PNG_RGB "string [] '\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dIHDR\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x02\\x08\\x02\\x00\\x00\\x00\\xfd\\xd4\\x9as\\x00\\x00\\x00\\x14IDATx\\xdac\\xf8\\xcf\\xc0\\xc0\\x00\\xc2\\x0c\\xffS\\xa6\\x9d\\x00\\x00\\x1d\\x14\\x04\\xc0\\x7f\\xa0\\xe0\\x16\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"
#define PNG_RGB16 "string [] '\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dIHDR\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x01\\x10\\x02\\x00\\x00\\x00+\\xd04\\x9e\\x00\\x00\\x00\\x15IDATx\\xdac\\x102\\xf9\\xff\\x9f\\x81\\xb1\\x81\\xa1\\xfe\\x3f\\xc3\\x7f\\x00\\x1f\\x0d\\x05C\\xde\\xb7\\xf7^\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"
#define PNG_RGB_TRNS "string [] '\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dIHDR\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x01\\x08\\x02\\x00\\x00\\x00{@\\xe8\\xdd\\x00\\x00\\x00\\x06tRNS\\x00\\x05\\x00\\x06\\x00\\x07<\\xafa\\xf0\\x00\\x00\\x00\\x0fIDATx\\xdac`ecgdb\\x06\\x00\\x00i\\x00\\x19\\x84\\xf2&d\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"
#define PNG_RGBA "string [] '\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dIHDR\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x01\\x08\\x06\\x00\\x00\\x00\\xf4\\x22\\x7f\\x8a\\x00\\x00\\x00\\x11IDATx\\xdac\\xf8\\xdf\\xc0 \\xc8%\\x22\\xa7\\x01\\x00\\x0c\\x9e\\x01\\xf5\\xfa3\\xf2Z\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"
#define SHORT_JPEG "string [] '\\xff\\xd8\\xff\\xe0\\x00\\x10JFIF\\x00\\x01\\x01\\x01\\x01,\\x01,\\x00\\x00\\xff\\xdb\\x00C\\x00\\x06\\x04\\x05\\x06\\x05\\x04\\x06\\x06\\x05\\x06\\x07\\x07\\x06\\x08\\x0a\\x10\\x0a\\x0a\\x09\\x09\\x0a\\x14\\x0e\\x0f\\x0c\\x10\\x17\\x14\\x18\\x18\\x17\\x14\\x16\\x16\\x1a\\x1d%\\x1f\\x1a\\x1b#\\x1c\\x16\\x16 , #&\\x27)*)\\x19\\x1f-0-(0%()(\\xff\\xdb\\x00C\\x01\\x07\\x07\\x07\\x0a\\x08\\x0a\\x13\\x0a\\x0a\\x13(\\x1a\\x16\\x1a((((((((((((((((((((((((((((((((((((((((((((((((((\\xff\\xc0\\x00\\x11\\x08\\x00\\x06\\x00\\x0a\\x03\\x01\\x22\\x00\\x02\\x11\\x01\\x03\\x11\\x01\\xff\\xc4\\x00\\x16\\x00\\x01\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x05\\x07\\xff\\xc4\\x00\\x1e\\x10\\x00\\x01\\x03\\x04\\x03\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x03\\x051\\x01\\x02\\x07\\x13#2A\\xff\\xc4\\x00\\x15\\x01\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x04\\x06\\xff\\xc4\\x00\\x1d\\x11\\x00\\x01\\x03\\x05\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x04\\x00\\x01\\x05\\x06\\x13\\x1423A\\xff\\xda\\x00\\x0c\\x03\\x01\\x00\\x02\\x11\\x03\\x11\\x00\\x3f\\x00\\x93\\x8d\\x99\\xd2\\xe2\\x8f\\x0d\\xc9\\x16t'"
#define SHORT_JPEG2 "string [] '\\xff\\xd8\\xff\\xe0\\x00\\x10JFIF\\x00\\x01\\x01\\x01\\x01,\\x01,\\x00\\x00\\xff\\xdb\\x00C\\x00\\x06\\x04\\x05\\x06\\x05\\x04\\x06\\x06\\x05\\x06\\x07\\x07\\x06\\x08\\x0a\\x10\\x0a\\x0a\\x09\\x09\\x0a\\x14\\x0e\\x0f\\x0c\\x10\\x17\\x14\\x18\\x18\\x17\\x14\\x16\\x16\\x1a\\x1d%\\x1f\\x1a\\x1b#\\x1c\\x16\\x16 , #&\\x27)*)\\x19\\x1f-0-(0%()(\\xff\\xdb\\x00C\\x01\\x07\\x07\\x07\\x0a\\x08\\x0a\\x13\\x0a\\x0a\\x13(\\x1a\\x16\\x1a((((((((((((((((((((((((((((((((((((((((((((((((((\\xff\\xc0\\x00\\x11\\x08\\x00\\x06\\x00\\x0a\\x03\\x01\\x22\\x00\\x02\\x11\\x01\\x03\\x11\\x01\\xff\\xc4\\x00\\x16\\x00\\x01\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x05\\x07\\xff\\xc4\\x00\\x1e\\x10\\x00\\x01\\x03\\x04\\x03\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x03\\x051\\x01\\x02\\x07\\x13#2A\\xff\\xc4\\x00\\x15\\x01\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x04\\x06\\xff\\xc4\\x00\\x1d\\x11\\x00\\x01\\x03\\x05\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x04\\x00\\x01\\x05\\x06\\x13\\x1423A\\xff\\xda\\x00\\x0c\\x03\\x01\\x00\\x02\\x11\\x03\\x11\\x00\\x3f\\x00\\x93\\x8d\\x99\\xd2\\xe2\\x8f\\x0d\\xc9\\x16t\\xf5Y\\x1dh\\x01!]\\xc9\\x15\\x9d\\xd1\\xfdL:8[\\x9a2'"
static const struct op_case cases[] = {
    {.op = "DecodeBmp", .in = {BMP16}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeBmp", .in = {BMP24}, .out = {"uint8 [2,2,3] 12 11 10 15 14 13 3 2 1 6 5 4"}},
    {.op = "DecodeBmp", .attrs = "channels=1", .in = {BMP24}, .error = "INVALID_ARGUMENT: channels attribute 1 does not match bits per pixel from file 3"},
    {.op = "DecodeBmp", .attrs = "channels=3", .in = {BMP24}, .out = {"uint8 [2,2,3] 12 11 10 15 14 13 3 2 1 6 5 4"}},
    {.op = "DecodeBmp", .in = {BMP24_DOWN}, .out = {"uint8 [2,2,3] 3 2 1 6 5 4 12 11 10 15 14 13"}},
    {.op = "DecodeBmp", .attrs = "channels=1", .in = {BMP24_DOWN}, .error = "INVALID_ARGUMENT: channels attribute 1 does not match bits per pixel from file 3"},
    {.op = "DecodeBmp", .attrs = "channels=3", .in = {BMP24_DOWN}, .out = {"uint8 [2,2,3] 3 2 1 6 5 4 12 11 10 15 14 13"}},
    {.op = "DecodeBmp", .in = {BMP24_SHORT}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeBmp", .attrs = "channels=1", .in = {BMP24_SHORT}, .error = "INVALID_ARGUMENT: channels attribute 1 does not match bits per pixel from file 3"},
    {.op = "DecodeBmp", .attrs = "channels=3", .in = {BMP24_SHORT}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeBmp", .attrs = "channels=4", .in = {BMP24_SHORT}, .error = "INVALID_ARGUMENT: channels attribute 4 does not match bits per pixel from file 3"},
    {.op = "DecodeBmp", .in = {BMP32}, .out = {"uint8 [2,1,4] 7 6 5 8 3 2 1 4"}},
    {.op = "DecodeBmp", .attrs = "channels=1", .in = {BMP32}, .error = "INVALID_ARGUMENT: channels attribute 1 does not match bits per pixel from file 4"},
    {.op = "DecodeBmp", .attrs = "channels=4", .in = {BMP32}, .out = {"uint8 [2,1,4] 7 6 5 8 3 2 1 4"}},
    {.op = "DecodeBmp", .in = {BMP8}, .out = {"uint8 [2,3,1] 4 5 6 1 2 3"}},
    {.op = "DecodeBmp", .attrs = "channels=1", .in = {BMP8}, .out = {"uint8 [2,3,1] 4 5 6 1 2 3"}},
    {.op = "DecodeGif", .in = {GIF_FIRST_PARTIAL}, .error = "INVALID_ARGUMENT: the first frame does not fill the canvas"},
    {.op = "DecodeGif", .in = {GIF_FRAMES}, .out = {"uint8 [3,2,3,3] 0 0 0 255 0 0 0 255 0 10 20 200 0 255 0 255 0 0 0 0 0 255 0 0 0 255 0 10 20 200 1 2 3 250 251 252 10 20 200 10 20 200 10 20 200 255 0 0 255 0 0 255 0"}},
    {.op = "DecodeGif", .in = {GIF_INTERLACED}, .out = {"uint8 [1,5,1,3] 0 0 0 10 20 200 0 255 0 255 0 0 255 0"}},
    {.op = "DecodeGif", .in = {GIF_NO_MAP}, .error = "INVALID_ARGUMENT: missing color map for frame 0"},
    {.op = "DecodeGif", .in = {GIF_NONE}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeGif", .in = {GIF_ONE}, .out = {"uint8 [1,2,2,3] 0 0 0 255 0 0 0 255 0 10 20 200"}},
    {.op = "DecodeGif", .in = {GIF_OUTSIDE}, .out = {"uint8 [2,2,2,3] 0 0 0 255 0 0 0 255 0 10 20 200 0 0 0 255 0 0 0 255 0 255 0"}},
    {.op = "DecodeJpeg", .in = {JPEG_CMYK}, .out = {"uint8 [2,3,3] 255 255 255 202 104 55 6 8 11 255 255 255 202 104 55 6 8 11"}},
    {.op = "DecodeJpeg", .attrs = "channels=1", .in = {JPEG_CMYK}, .error = "INVALID_ARGUMENT"},
    {.op = "ExtractJpegShape", .in = {JPEG_CMYK}, .out = {"int32 [3] 2 3 4"}},
    {.op = "DecodeJpeg", .in = {JPEG_GREY}, .out = {"uint8 [3,4,1] 0 18 41 57 87 105 129 144 155 173 197 212"}},
    {.op = "DecodeJpeg", .attrs = "channels=1", .in = {JPEG_GREY}, .out = {"uint8 [3,4,1] 0 18 41 57 87 105 129 144 155 173 197 212"}},
    {.op = "DecodeJpeg", .attrs = "channels=3", .in = {JPEG_GREY}, .out = {"uint8 [3,4,3] 0 0 0 18 18 18 41 41 41 57 57 57 87 87 87 105 105 105 129 129 129 144 144 144 155 155 155 173 173 173 197 197 197 212"}},
    {.op = "DecodeJpeg", .attrs = "channels=4", .in = {JPEG_GREY}, .error = "INVALID_ARGUMENT: channels must be 0, 1, or 3 for JPEG, got 4"},
    {.op = "DecodeJpeg", .attrs = "ratio=2", .in = {JPEG_GREY}, .out = {"uint8 [2,2,1] 53 94 170 210"}},
    {.op = "DecodeJpeg", .attrs = "ratio=4", .in = {JPEG_GREY}, .out = {"uint8 [1,1,1] 132"}},
    {.op = "DecodeJpeg", .attrs = "ratio=8", .in = {JPEG_GREY}, .out = {"uint8 [1,1,1] 176"}},
    {.op = "DecodeJpeg", .attrs = "fancy_upscaling=false", .in = {JPEG_GREY}, .out = {"uint8 [3,4,1] 0 18 41 57 87 105 129 144 155 173 197 212"}},
    {.op = "DecodeJpeg", .attrs = "dct_method='INTEGER_ACCURATE'", .in = {JPEG_GREY}, .out = {"uint8 [3,4,1] 0 19 42 58 88 106 130 145 155 174 197 213"}},
    {.op = "ExtractJpegShape", .in = {JPEG_GREY}, .out = {"int32 [3] 3 4 1"}},
    {.op = "ExtractJpegShape", .attrs = "output_type=int64", .in = {JPEG_GREY}, .out = {"int64 [3] 3 4 1"}},
    {.op = "DecodeJpeg", .in = {JPEG_RGB}, .out = {"uint8 [6,10,3] 4 2 225 18 23 226 32 47 212 39 70 195 52 97 188 58 121 172 67 145 157 77 172 140 90 198 122 102 218 119 23 7 217 39 28 218 50 51 203 59 75 188 71 103 180 78 126 164 86 150 149 96 178 132 108 203 113 120 222 110 57 11 195 71 33 196 82 56 179 92 80 166 103 106 157 111 131 142 119 155 127 130 182 110 141 206 88 153 226 85 87 15 175 101 37 175 112 60 160 121 83 144 133 110 136 141 135 123 149 159 106 160 186 89 170 209 68 182 229 63 113 19 157 129 40 156 140 63 141 149 87 126 161 115 118 168 138 104 176 162 87 186 190 70 197 214 50 209 234 46 130 24 150 144 45 151 157 68 134 164 91 118 177 118 112 184 143 97 193 167 80 203 194 63 214 218 43 226 238 40"}},
    {.op = "DecodeJpeg", .attrs = "channels=1", .in = {JPEG_RGB}, .out = {"uint8 [6,10,1] 28 45 61 75 94 108 123 140 157 172 36 53 68 83 102 116 131 148 164 179 46 63 78 93 111 126 141 158 173 188 55 72 87 101 120 135 150 167 181 196 63 80 95 110 129 143 158 175 190 205 70 87 102 116 135 150 165 182 197 212"}},
    {.op = "DecodeJpeg", .attrs = "ratio=2", .in = {JPEG_RGB}, .out = {"uint8 [3,5,3] 17 15 238 40 62 207 60 114 186 77 164 155 98 214 115 81 22 192 104 69 159 124 121 140 141 171 109 161 220 66 135 29 155 158 76 122 178 128 103 195 178 70 215 227 29"}},
    {.op = "DecodeJpeg", .attrs = "ratio=4", .in = {JPEG_RGB}, .out = {"uint8 [2,3,3] 62 42 201 101 142 148 133 223 89 152 54 139 191 154 86 223 235 27"}},
    {.op = "DecodeJpeg", .attrs = "ratio=8", .in = {JPEG_RGB}, .out = {"uint8 [1,2,3] 126 99 144 180 232 59"}},
    {.op = "DecodeJpeg", .attrs = "fancy_upscaling=false", .in = {JPEG_RGB}, .out = {"uint8 [6,10,3] 4 2 225 21 19 242 29 51 196 43 65 210 48 102 174 62 116 188 63 150 141 80 167 158 87 203 104 102 218 119 12 10 233 29 27 250 36 58 203 51 73 218 56 110 182 70 124 196 71 158 149 88 175 166 94 210 111 109 225 126 68 9 179 85 26 196 92 57 147 107 72 162 111 108 127 126 123 142 127 157 95 144 174 112 149 208 54 164 223 69 77 18 188 94 35 205 101 66 156 115 80 170 120 117 136 135 132 151 136 166 104 153 183 121 157 216 62 172 231 77 123 17 143 140 34 160 147 65 111 162 80 126 167 117 92 181 131 106 182 165 57 199 182 74 204 216 18 219 231 33 130 24 150 147 41 167 154 72 118 168 86 132 173 123 98 188 138 113 189 172 64 206 189 81 211 223 25 226 238 40"}},
    {.op = "DecodeJpeg", .attrs = "dct_method='INTEGER_ACCURATE'", .in = {JPEG_RGB}, .out = {"uint8 [6,10,3] 6 1 226 21 23 229 32 47 212 39 70 195 52 97 190 59 122 175 68 146 158 79 174 142 90 198 122 102 218 119 25 6 219 40 29 221 51 52 204 59 75 188 71 103 180 79 127 167 87 151 150 97 179 133 108 203 113 121 223 111 59 11 195 74 33 197 85 56 182 92 80 166 104 107 158 112 132 143 120 156 128 131 183 111 142 207 91 154 226 88 89 14 175 103 36 177 114 59 160 122 83 146 134 111 137 141 135 123 149 159 106 161 187 90 171 210 69 183 230 66 115 18 157 131 40 159 142 63 142 149 87 128 161 115 118 169 139 105 177 163 88 189 190 71 198 213 50 211 233 47 132 23 150 146 45 151 158 67 136 166 91 121 178 119 113 184 143 97 193 167 82 204 195 66 215 218 43 227 238 40"}},
    {.op = "ExtractJpegShape", .in = {JPEG_RGB}, .out = {"int32 [3] 6 10 3"}},
    {.op = "ExtractJpegShape", .attrs = "output_type=int64", .in = {JPEG_RGB}, .out = {"int64 [3] 6 10 3"}},
    {.op = "DecodeAndCropJpeg", .in = {JPEG_RGB, "int32 [4] 1 1 1 2"}, .out = {"uint8 [1,2,3] 39 28 218 50 51 203"}},
    {.op = "DecodeAndCropJpeg", .in = {JPEG_RGB, "int32 [4] 0 0 0 1"}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeAndCropJpeg", .in = {JPEG_RGB, "int32 [4] 0 0 9 1"}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeAndCropJpeg", .in = {JPEG_RGB, "int32 [4] -1 0 1 1"}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJpeg", .in = {JPEG_YCCK}, .out = {"uint8 [2,3,3] 255 254 253 204 104 55 7 8 13 255 254 253 204 104 55 7 8 13"}},
    {.op = "DecodePng", .in = {PNG_1BIT}, .out = {"uint8 [1,8,1] 255 0 255 0 0 255 0 255"}},
    {.op = "DecodePng", .attrs = "channels=4", .in = {PNG_1BIT}, .out = {"uint8 [1,8,4] 255 255 255 1 0 0 0 1 255 255 255 1 0 0 0 1 0 0 0 1 255 255 255 1 0 0 0 1 255 255 255 1"}},
    {.op = "DecodePng", .attrs = "dtype=uint16", .in = {PNG_1BIT}, .out = {"uint16 [1,8,1] 65535 0 65535 0 0 65535 0 65535"}},
    {.op = "DecodePng", .in = {PNG_4BIT}, .out = {"uint8 [1,2,1] 51 204"}},
    {.op = "DecodePng", .attrs = "channels=1", .in = {PNG_4BIT}, .out = {"uint8 [1,2,1] 51 204"}},
    {.op = "DecodePng", .attrs = "channels=3", .in = {PNG_4BIT}, .out = {"uint8 [1,2,3] 51 51 51 204"}},
    {.op = "DecodePng", .attrs = "channels=4", .in = {PNG_4BIT}, .out = {"uint8 [1,2,4] 51 51 51 15 204 204 204 15"}},
    {.op = "DecodePng", .attrs = "dtype=uint16", .in = {PNG_4BIT}, .out = {"uint16 [1,2,1] 13107 52428"}},
    {.op = "DecodePng", .attrs = "channels=1 dtype=uint16", .in = {PNG_4BIT}, .out = {"uint16 [1,2,1] 13107 52428"}},
    {.op = "DecodePng", .attrs = "channels=3 dtype=uint16", .in = {PNG_4BIT}, .out = {"uint16 [1,2,3] 13107 13107 13107 52428"}},
    {.op = "DecodePng", .attrs = "channels=4 dtype=uint16", .in = {PNG_4BIT}, .out = {"uint16 [1,2,4] 13107 13107 13107 3855 52428 52428 52428 3855"}},
    {.op = "DecodePng", .in = {PNG_GREY}, .out = {"uint8 [2,2,1] 1 128 254 7"}},
    {.op = "DecodePng", .attrs = "channels=4", .in = {PNG_GREY}, .out = {"uint8 [2,2,4] 1 1 1 255 128 128 128 255 254 254 254 255 7 7 7 255"}},
    {.op = "DecodePng", .attrs = "dtype=uint16", .in = {PNG_GREY}, .out = {"uint16 [2,2,1] 257 32896 65278 1799"}},
    {.op = "DecodePng", .in = {PNG_GREY16}, .out = {"uint8 [1,2,1] 18 0"}},
    {.op = "DecodePng", .attrs = "channels=1", .in = {PNG_GREY16}, .out = {"uint8 [1,2,1] 18 0"}},
    {.op = "DecodePng", .attrs = "channels=3", .in = {PNG_GREY16}, .out = {"uint8 [1,2,3] 18 18 18 0"}},
    {.op = "DecodePng", .attrs = "channels=4", .in = {PNG_GREY16}, .out = {"uint8 [1,2,4] 18 18 18 255 0 0 0 255"}},
    {.op = "DecodePng", .attrs = "dtype=uint16", .in = {PNG_GREY16}, .out = {"uint16 [1,2,1] 4852 255"}},
    {.op = "DecodePng", .attrs = "channels=1 dtype=uint16", .in = {PNG_GREY16}, .out = {"uint16 [1,2,1] 4852 255"}},
    {.op = "DecodePng", .attrs = "channels=3 dtype=uint16", .in = {PNG_GREY16}, .out = {"uint16 [1,2,3] 4852 4852 4852 255"}},
    {.op = "DecodePng", .attrs = "channels=4 dtype=uint16", .in = {PNG_GREY16}, .out = {"uint16 [1,2,4] 4852 4852 4852 65535 255 255 255 65535"}},
    {.op = "DecodePng", .in = {PNG_GREY_ALPHA}, .out = {"uint8 [1,2,2] 10 20 200 255"}},
    {.op = "DecodePng", .attrs = "channels=1", .in = {PNG_GREY_ALPHA}, .out = {"uint8 [1,2,1] 10 200"}},
    {.op = "DecodePng", .attrs = "channels=3", .in = {PNG_GREY_ALPHA}, .out = {"uint8 [1,2,3] 10 10 10 200"}},
    {.op = "DecodePng", .attrs = "channels=4", .in = {PNG_GREY_ALPHA}, .out = {"uint8 [1,2,4] 10 10 10 20 200 200 200 255"}},
    {.op = "DecodePng", .attrs = "dtype=uint16", .in = {PNG_GREY_ALPHA}, .out = {"uint16 [1,2,2] 2570 5140 51400 65535"}},
    {.op = "DecodePng", .in = {PNG_GREY_TRNS}, .out = {"uint8 [1,3,1] 5 6 7"}},
    {.op = "DecodePng", .attrs = "channels=1", .in = {PNG_GREY_TRNS}, .out = {"uint8 [1,3,1] 5 6 7"}},
    {.op = "DecodePng", .attrs = "channels=3", .in = {PNG_GREY_TRNS}, .out = {"uint8 [1,3,3] 5 5 5 6 6 6 7"}},
    {.op = "DecodePng", .attrs = "channels=4", .in = {PNG_GREY_TRNS}, .out = {"uint8 [1,3,4] 5 5 5 255 6 6 6 0 7 7 7 255"}},
    {.op = "DecodePng", .attrs = "dtype=uint16", .in = {PNG_GREY_TRNS}, .out = {"uint16 [1,3,1] 1285 1542 1799"}},
    {.op = "DecodePng", .attrs = "channels=1 dtype=uint16", .in = {PNG_GREY_TRNS}, .out = {"uint16 [1,3,1] 1285 1542 1799"}},
    {.op = "DecodePng", .attrs = "channels=3 dtype=uint16", .in = {PNG_GREY_TRNS}, .out = {"uint16 [1,3,3] 1285 1285 1285 1542 1542 1542 1799"}},
    {.op = "DecodePng", .attrs = "channels=4 dtype=uint16", .in = {PNG_GREY_TRNS}, .out = {"uint16 [1,3,4] 1285 1285 1285 65535 1542 1542 1542 0 1799 1799 1799 65535"}},
    {.op = "DecodePng", .in = {PNG_INTERLACED}, .out = {"uint8 [5,5,1] 0 1 2 3 4 10 11 12 13 14 20 21 22 23 24 30 31 32 33 34 40 41 42 43 44"}},
    {.op = "DecodePng", .attrs = "channels=4", .in = {PNG_INTERLACED}, .out = {"uint8 [5,5,4] 0 0 0 255 1 1 1 255 2 2 2 255 3 3 3 255 4 4 4 255 10 10 10 255 11 11 11 255 12 12 12 255 13 13 13 255 14 14 14 255 20 20 20 255 21 21 21 255 22 22 22 255 23 23 23 255 24 24 24 255 30 30 30 255 31 31 31 255 32 32 32 255 33 33 33 255 34 34 34 255 40 40 40 255 41 41 41 255 42 42 42 255 43 43 43 255 44 44 44 255"}},
    {.op = "DecodePng", .attrs = "dtype=uint16", .in = {PNG_INTERLACED}, .out = {"uint16 [5,5,1] 0 257 514 771 1028 2570 2827 3084 3341 3598 5140 5397 5654 5911 6168 7710 7967 8224 8481 8738 10280 10537 10794 11051 11308"}},
    {.op = "DecodePng", .in = {PNG_PALETTE}, .out = {"uint8 [1,4,3] 0 0 0 255 0 0 0 255 0 10 20 200"}},
    {.op = "DecodePng", .attrs = "channels=1", .in = {PNG_PALETTE}, .out = {"uint8 [1,4,1] 0 76 149 37"}},
    {.op = "DecodePng", .attrs = "channels=3", .in = {PNG_PALETTE}, .out = {"uint8 [1,4,3] 0 0 0 255 0 0 0 255 0 10 20 200"}},
    {.op = "DecodePng", .attrs = "channels=4", .in = {PNG_PALETTE}, .out = {"uint8 [1,4,4] 0 0 0 3 255 0 0 3 0 255 0 3 10 20 200 3"}},
    {.op = "DecodePng", .attrs = "dtype=uint16", .in = {PNG_PALETTE}, .out = {"uint16 [1,4,3] 0 0 0 65535 0 0 0 65535 0 2570 5140 51400"}},
    {.op = "DecodePng", .in = {PNG_PALETTE_TRNS}, .out = {"uint8 [1,4,4] 0 0 0 0 255 0 0 128 0 255 0 255 10 20 200 255"}},
    {.op = "DecodePng", .attrs = "channels=1", .in = {PNG_PALETTE_TRNS}, .out = {"uint8 [1,4,1] 0 76 149 37"}},
    {.op = "DecodePng", .attrs = "channels=3", .in = {PNG_PALETTE_TRNS}, .out = {"uint8 [1,4,3] 0 0 0 255 0 0 0 255 0 10 20 200"}},
    {.op = "DecodePng", .attrs = "channels=4", .in = {PNG_PALETTE_TRNS}, .out = {"uint8 [1,4,4] 0 0 0 0 255 0 0 128 0 255 0 255 10 20 200 255"}},
    {.op = "DecodePng", .attrs = "dtype=uint16", .in = {PNG_PALETTE_TRNS}, .out = {"uint16 [1,4,4] 0 0 0 0 65535 0 0 32896 0 65535 0 65535 2570 5140 51400 65535"}},
    {.op = "DecodePng", .attrs = "channels=1 dtype=uint16", .in = {PNG_PALETTE_TRNS}, .out = {"uint16 [1,4,1] 0 19532 38293 9509"}},
    {.op = "DecodePng", .attrs = "channels=3 dtype=uint16", .in = {PNG_PALETTE_TRNS}, .out = {"uint16 [1,4,3] 0 0 0 65535 0 0 0 65535 0 2570 5140 51400"}},
    {.op = "DecodePng", .attrs = "channels=4 dtype=uint16", .in = {PNG_PALETTE_TRNS}, .out = {"uint16 [1,4,4] 0 0 0 0 65535 0 0 32896 0 65535 0 65535 2570 5140 51400 65535"}},
    {.op = "DecodePng", .in = {PNG_RGB}, .out = {"uint8 [2,2,3] 255 0 0 0 255 0 0 0 255 100 150 200"}},
    {.op = "DecodePng", .attrs = "channels=4", .in = {PNG_RGB}, .out = {"uint8 [2,2,4] 255 0 0 255 0 255 0 255 0 0 255 255 100 150 200 255"}},
    {.op = "DecodePng", .attrs = "dtype=uint16", .in = {PNG_RGB}, .out = {"uint16 [2,2,3] 65535 0 0 0 65535 0 0 0 65535 25700 38550 51400"}},
    {.op = "DecodePng", .in = {PNG_RGB16}, .out = {"uint8 [1,2,3] 18 255 0 128 127 0"}},
    {.op = "DecodePng", .attrs = "channels=1", .in = {PNG_RGB16}, .out = {"uint8 [1,2,1] 155 113"}},
    {.op = "DecodePng", .attrs = "channels=3", .in = {PNG_RGB16}, .out = {"uint8 [1,2,3] 18 255 0 128 127 0"}},
    {.op = "DecodePng", .attrs = "channels=4", .in = {PNG_RGB16}, .out = {"uint8 [1,2,4] 18 255 0 255 128 127 0 255"}},
    {.op = "DecodePng", .attrs = "dtype=uint16", .in = {PNG_RGB16}, .out = {"uint16 [1,2,3] 4660 65535 1 32768 32767 255"}},
    {.op = "DecodePng", .attrs = "channels=1 dtype=uint16", .in = {PNG_RGB16}, .out = {"uint16 [1,2,1] 39861 29059"}},
    {.op = "DecodePng", .attrs = "channels=3 dtype=uint16", .in = {PNG_RGB16}, .out = {"uint16 [1,2,3] 4660 65535 1 32768 32767 255"}},
    {.op = "DecodePng", .attrs = "channels=4 dtype=uint16", .in = {PNG_RGB16}, .out = {"uint16 [1,2,4] 4660 65535 1 65535 32768 32767 255 65535"}},
    {.op = "DecodePng", .in = {PNG_RGB_TRNS}, .out = {"uint8 [1,2,3] 5 6 7 1 2 3"}},
    {.op = "DecodePng", .attrs = "channels=1", .in = {PNG_RGB_TRNS}, .out = {"uint8 [1,2,1] 5 1"}},
    {.op = "DecodePng", .attrs = "channels=3", .in = {PNG_RGB_TRNS}, .out = {"uint8 [1,2,3] 5 6 7 1 2 3"}},
    {.op = "DecodePng", .attrs = "channels=4", .in = {PNG_RGB_TRNS}, .out = {"uint8 [1,2,4] 5 6 7 0 1 2 3 255"}},
    {.op = "DecodePng", .attrs = "dtype=uint16", .in = {PNG_RGB_TRNS}, .out = {"uint16 [1,2,3] 1285 1542 1799 257 514 771"}},
    {.op = "DecodePng", .attrs = "channels=1 dtype=uint16", .in = {PNG_RGB_TRNS}, .out = {"uint16 [1,2,1] 1285 257"}},
    {.op = "DecodePng", .attrs = "channels=3 dtype=uint16", .in = {PNG_RGB_TRNS}, .out = {"uint16 [1,2,3] 1285 1542 1799 257 514 771"}},
    {.op = "DecodePng", .attrs = "channels=4 dtype=uint16", .in = {PNG_RGB_TRNS}, .out = {"uint16 [1,2,4] 1285 1542 1799 0 257 514 771 65535"}},
    {.op = "DecodePng", .in = {PNG_RGBA}, .out = {"uint8 [1,2,4] 255 128 0 17 10 20 30 40"}},
    {.op = "DecodePng", .attrs = "channels=1", .in = {PNG_RGBA}, .out = {"uint8 [1,2,1] 151 18"}},
    {.op = "DecodePng", .attrs = "channels=3", .in = {PNG_RGBA}, .out = {"uint8 [1,2,3] 255 128 0 10 20 30"}},
    {.op = "DecodePng", .attrs = "channels=4", .in = {PNG_RGBA}, .out = {"uint8 [1,2,4] 255 128 0 17 10 20 30 40"}},
    {.op = "DecodePng", .attrs = "dtype=uint16", .in = {PNG_RGBA}, .out = {"uint16 [1,2,4] 65535 32896 0 4369 2570 5140 7710 10280"}},
    {.op = "DecodePng", .in = {GIF_ONE}, .out = {"uint8 [2,2,3] 0 0 0 255 0 0 0 255 0 10 20 200"}},
    {.op = "DecodePng", .in = {GIF_FRAMES}, .error = "INVALID_ARGUMENT: Got 3 frames, but animated gifs can only be decoded by tf.image.decode_gif or tf.image.decode_image"},
    {.op = "DecodeJpeg", .in = {PNG_RGB}, .out = {"uint8 [2,2,3] 255 0 0 0 255 0 0 0 255 100 150 200"}},
    {.op = "DecodePng", .in = {JPEG_GREY}, .out = {"uint8 [3,4,1] 0 18 41 57 87 105 129 144 155 173 197 212"}},
    {.op = "DecodeGif", .in = {PNG_RGB}, .out = {"uint8 [1,2,2,3] 255 0 0 0 255 0 0 0 255 100 150 200"}},
    {.op = "DecodeBmp", .in = {PNG_RGB}, .error = "INVALID_ARGUMENT"},
    {.op = "ExtractJpegShape", .in = {PNG_RGB}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeGif", .in = {JPEG_GREY}, .out = {"uint8 [1,3,4,3] 0 0 0 18 18 18 41 41 41 57 57 57 87 87 87 105 105 105 129 129 129 144 144 144 155 155 155 173 173 173 197 197 197 212"}},
    {.op = "DecodeJpeg", .in = {SHORT_JPEG}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJpeg", .attrs = "try_recover_truncated=true", .in = {SHORT_JPEG}, .out = {"uint8 [6,10,3] ~"}},
    {.op = "DecodeJpeg", .attrs = "try_recover_truncated=true acceptable_fraction=0.01", .in = {SHORT_JPEG}, .out = {"uint8 [6,10,3] ~"}},
    {.op = "DecodeJpeg", .in = {SHORT_JPEG2}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJpeg", .attrs = "try_recover_truncated=true", .in = {SHORT_JPEG2}, .out = {"uint8 [6,10,3] 4 2 225 18 23 226 32 47 212 39 70 195 52 97 188 58 121 172 67 145 157 77 172 140 90 198 122 102 218 119 23 7 217 39 28 218 50 51 203 59 75 188 71 103 180 78 126 164 86 150 149 96 178 132 108 203 113 120 222 110 57 11 195 71 33 196 82 56 179 92 80 166 103 106 157 111 131 142 119 155 127 130 182 110 141 206 88 153 226 85 87 15 175 101 37 175 112 60 160 121 83 144 133 110 136 141 135 123 149 159 106 160 186 89 170 209 68 182 229 63 113 19 157 129 40 156 140 63 141 149 87 126 161 115 118 168 138 104 176 162 87 186 190 70 197 214 50 209 234 46 130 24 150 144 45 151 157 68 134 164 91 118 177 118 112 184 143 97 193 167 80 203 194 63 214 218 43 226 238 40"}},
    {.op = "DecodeJpeg", .attrs = "try_recover_truncated=true acceptable_fraction=0.01", .in = {SHORT_JPEG2}, .out = {"uint8 [6,10,3] 4 2 225 18 23 226 32 47 212 39 70 195 52 97 188 58 121 172 67 145 157 77 172 140 90 198 122 102 218 119 23 7 217 39 28 218 50 51 203 59 75 188 71 103 180 78 126 164 86 150 149 96 178 132 108 203 113 120 222 110 57 11 195 71 33 196 82 56 179 92 80 166 103 106 157 111 131 142 119 155 127 130 182 110 141 206 88 153 226 85 87 15 175 101 37 175 112 60 160 121 83 144 133 110 136 141 135 123 149 159 106 160 186 89 170 209 68 182 229 63 113 19 157 129 40 156 140 63 141 149 87 126 161 115 118 168 138 104 176 162 87 186 190 70 197 214 50 209 234 46 130 24 150 144 45 151 157 68 134 164 91 118 177 118 112 184 143 97 193 167 80 203 194 63 214 218 43 226 238 40"}},
    {.op = "DecodePng", .in = {"string [] ''"}, .error = "INVALID_ARGUMENT: Expected image (JPEG, PNG, or GIF), got unknown format"},
    {.op = "DecodePng", .attrs = "channels=2", .in = {PNG_GREY}, .error = "INVALID_ARGUMENT: channels must be 0, 1, 3, or 4, got 2"},
    {.op = "DecodePng", .attrs = "channels=-1", .in = {PNG_GREY}, .error = "INVALID_ARGUMENT: channels must be non-negative, got -1"},
    {.op = "DecodePng", .in = {"? string [1] 'a'"}, .error = "INVALID_ARGUMENT: contents must be scalar, got shape [1]"},
    {.op = "DecodePng", .in = {"string [1] 'a'"}, .error = "INVALID_ARGUMENT: Shape must be rank 0 but is rank 1"},
    {.op = "DecodePng", .attrs = "dtype=uint16", .in = {JPEG_GREY}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJpeg", .attrs = "ratio=3", .in = {JPEG_GREY}, .error = "INVALID_ARGUMENT: ratio must be 1, 2, 4, or 8, got 3"},
    {.op = "DecodeJpeg", .attrs = "dct_method='FASTEST'", .in = {JPEG_GREY}, .error = "INVALID_ARGUMENT: dct_method must be one of"},
    {.op = "DecodeAndCropJpeg", .in = {JPEG_GREY, "? int32 [3] 1"}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeAndCropJpeg", .in = {JPEG_GREY, "? int32 [0]"}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeAndCropJpeg", .in = {JPEG_RGB, "const int32 [4] 1 1 1 2"}, .out = {"uint8 [1,2,3] ~"}},
    {.op = "DecodeAndCropJpeg", .in = {JPEG_RGB, "int32 [4] 2147483647 1 2147483647 2"}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeGif", .in = {"string [] 'GIF89a'"}, .error = "INVALID_ARGUMENT: Invalid GIF data"},
    {.op = "DecodeGif", .in = {"? string [1] 'GIF89a'"}, .error = "INVALID_ARGUMENT: contents must be scalar, got shape [1]"},
    {.op = "DecodeBmp", .in = {"string [] 'BM'"}, .error = "INVALID_ARGUMENT: Incomplete bmp content, requires at least 32 bytes"},
    {.op = "DecodeBmp", .attrs = "channels=2", .in = {BMP24}, .error = "INVALID_ARGUMENT: channels must be 0, 1, 3 or 4, got 2"},
    {.op = "DecodeBmp", .in = {"? string [1] 'a'"}, .error = "INVALID_ARGUMENT: contents must be scalar"},
    {.op = "ExtractJpegShape", .in = {"string [] ''"}, .error = "INVALID_ARGUMENT: Invalid JPEG data"},

    {.op = "EncodePng", .in = {"uint8 [2,1,3] 1 2 3 4 5 6"}, .out = {"string [] ~"}},
    {.op = "EncodePng", .in = {"uint8 [0,1,3]"}, .error = "INVALID_ARGUMENT: image cannot be empty"},
    {.op = "EncodePng", .in = {"uint16 [1,1,5] 1"}, .error = "INVALID_ARGUMENT: image must have 1, 2, 3, or 4 channels, got 5"},
    {.op = "EncodePng", .in = {"? uint8 [4] 1"}, .error = "INVALID_ARGUMENT: image must be 3-dimensional[4]"},
    {.op = "EncodePng", .in = {"uint8 [4] 1"}, .error = "INVALID_ARGUMENT: Shape must be rank 3 but is rank 1"},
    {.op = "EncodePng", .attrs = "compression=10", .in = {"uint8 [1,1,1] 1"}, .error = "INVALID_ARGUMENT: compression should be in [-1,9], got 10"},
    {.op = "EncodeJpeg", .in = {"uint8 [2,1,3] 1 2 3 4 5 6"}, .out = {"string [] ~"}},
    {.op = "EncodeJpeg", .in = {"uint8 [0,1,3]"}, .error = "INVALID_ARGUMENT"},
    {.op = "EncodeJpeg", .in = {"uint8 [1,1,2] 1"}, .error = "INVALID_ARGUMENT: image must have 1 or 3 channels, got 2"},
    {.op = "EncodeJpeg", .attrs = "format='rgb'", .in = {"uint8 [1,1,1] 1"}, .error = "INVALID_ARGUMENT: format expects 3 channels, got 1"},
    {.op = "EncodeJpeg", .attrs = "quality=101", .in = {"uint8 [1,1,1] 1"}, .error = "INVALID_ARGUMENT: quality must be in [0,100], got 101"},
    {.op = "EncodeJpeg", .in = {"? uint8 [3] 1"}, .error = "INVALID_ARGUMENT: image must be 3-dimensional[3]"},
    {.op = "EncodeJpeg", .in = {"uint8 [1,65536,1] 1"}, .error = "INVALID_ARGUMENT", .note = "wider than the format has"},
    {.op = "EncodeJpegVariableQuality", .in = {"uint8 [2,1,3] 1 2 3 4 5 6", "int32 [] 50"}, .out = {"string [] ~"}},
    {.op = "EncodeJpegVariableQuality", .in = {"uint8 [0,1,3]", "int32 [] 50"}, .error = "INVALID_ARGUMENT"},
    {.op = "EncodeJpegVariableQuality", .in = {"uint8 [1,1,1] 1", "int32 [] -1"}, .error = "INVALID_ARGUMENT: quality must be in [0,100], got -1"},
    {.op = "EncodeJpegVariableQuality", .in = {"uint8 [1,1,1] 1", "? int32 [1] 1"}, .error = "INVALID_ARGUMENT: quality must be scalar"},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
