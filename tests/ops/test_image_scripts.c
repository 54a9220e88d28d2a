/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: pictures written to files and read again. */
/* needs: png, jpeg */
#include "op_script.h"

#include "op_case.h"

static const struct op_script scripts[] = {
    {.ops = "EncodePng DecodePng",
     .nodes = {"grey = EncodePng({uint8 [2,2,1] 1 2 3 255})", "g = DecodePng(grey)",
               "two = EncodePng({uint8 [1,2,2] 1 2 3 4}) compression=9", "t = DecodePng(two)",
               "wide = EncodePng({uint16 [1,2,3] 1 256 65535 7 8 515}) compression=0",
               "w = DecodePng(wide) dtype=uint16", "w8 = DecodePng(wide)",
               "wide4 = EncodePng({uint16 [1,1,4] 1 256 65535 7})",
               "w4 = DecodePng(wide4) dtype=uint16",
               "cut = Substr(wide4, {int32 [] 0}, {int32 [] 50})", "bad = DecodePng(cut)"},
     .runs = {"g t -> uint8 [2,2,1] 1 2 3 255 | uint8 [1,2,2] 1 2 3 4",
              "w w8 -> uint16 [1,2,3] 1 256 65535 7 8 515 | uint8 [1,2,3] 0 1 255 0 0 2",
              "w4 -> uint16 [1,1,4] 1 256 65535 7", "bad ! INVALID_ARGUMENT: Invalid PNG data"}},
    {.ops = "EncodeJpeg EncodeJpegVariableQuality DecodeJpeg ExtractJpegShape",
     .nodes = {"grey = EncodeJpeg({uint8 [2,3,1] 77})", "g = DecodeJpeg(grey)",
               "red = EncodeJpeg({uint8 [9,17,3] 200}) quality=100 chroma_downsampling=false "
               "progressive=true optimize_size=true xmp_metadata='words'",
               "r = DecodeJpeg(red)", "size = ExtractJpegShape(red)",
               "v = EncodeJpegVariableQuality({uint8 [8,8,3] 9}, {int32 [] 100})",
               "vd = DecodeJpeg(v)",
               "named = RegexFullMatch(red, {string [] '(?s).*xap/1.0/.words.*'})",
               "plain = EncodeJpeg({uint8 [4,4,3] 10 200 30 40 50 60 0}) quality=70",
               "q = EncodeJpegVariableQuality({uint8 [4,4,3] 10 200 30 40 50 60 0}, {int32 [] 70})",
               "same = Equal(plain, q)", "cut = Substr(red, {int32 [] 0}, {int32 [] 300})",
               "bad = DecodeJpeg(cut)"},
     .runs = {"g r -> uint8 [2,3,1] 77 | uint8 [9,17,3] 200", "size -> int32 [3] 9 17 3",
              "vd -> uint8 [8,8,3] 9", "named same -> bool [] 1 | bool [] 1",
              "bad ! INVALID_ARGUMENT: Invalid JPEG data"}},
};

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, ARRAY_LEN(scripts), argc, argv);
}
