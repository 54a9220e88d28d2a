/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: summaries, byte for byte as TensorFlow 1.15.5 makes them. */
/* needs: png */
#include "op_case.h"

static const struct op_case cases[] = {
    {.op = "ScalarSummary",
     .in = {"string [2] 'a' 'b/c'", "int32 [2] 1 2"},
     .out = {"string [] "
             "'\\x0a\\x08\\x0a\\x01a\\x15\\x00\\x00\\x80?\\x0a\\x0a\\x0a\\x03b/"
             "c\\x15\\x00\\x00\\x00@'"}},
    {.op = "ScalarSummary",
     .in = {"string [2] 'a' 'b/c'", "half [2] 1 2"},
     .out = {"string [] "
             "'\\x0a\\x08\\x0a\\x01a\\x15\\x00\\x00\\x80?\\x0a\\x0a\\x0a\\x03b/"
             "c\\x15\\x00\\x00\\x00@'"}},
    {.op = "ScalarSummary",
     .in = {"string [2] 'a' 'b/c'", "uint8 [2] 1 2"},
     .out = {"string [] "
             "'\\x0a\\x08\\x0a\\x01a\\x15\\x00\\x00\\x80?\\x0a\\x0a\\x0a\\x03b/"
             "c\\x15\\x00\\x00\\x00@'"}},
    {.op = "ScalarSummary",
     .in = {"string [2] 'a' 'b/c'", "int64 [2] 1 2"},
     .out = {"string [] "
             "'\\x0a\\x08\\x0a\\x01a\\x15\\x00\\x00\\x80?\\x0a\\x0a\\x0a\\x03b/"
             "c\\x15\\x00\\x00\\x00@'"}},
    {.op = "ScalarSummary",
     .in = {"string [] 'a'", "float [] 2.5"},
     .out = {"string [] '\\x0a\\x08\\x0a\\x01a\\x15\\x00\\x00 @'"}},
    {.op = "ScalarSummary",
     .in = {"string [] 'a'", "float [] nan"},
     .out = {"string [] '\\x0a\\x08\\x0a\\x01a\\x15\\x00\\x00\\xc0\\x7f'"}},
    {.op = "ScalarSummary", .in = {"string [0]", "float [0]"}, .out = {"string [] ''"}},
    {.op = "ScalarSummary",
     .in = {"string [] 'a'", "float [2] 1 2"},
     .error = "INVALID_ARGUMENT: tags and values not the same shape: [] != [2] (tag 'a')"},
    {.op = "ScalarSummary",
     .in = {"string [2] 'a' 'b'", "float [1,2] 1 2"},
     .error = "INVALID_ARGUMENT: tags and values not the same shape: [2] != [1,2]"},
    {.op = "HistogramSummary",
     .in = {"string [] 'a'", "float [6] 1 2 2 -3 0 -0"},
     .out =
         {"string [] "
          "'\\x0a\\xc7\\x01\\x0a\\x01a*"
          "\\xc1\\x01\\x09\\x00\\x00\\x00\\x00\\x00\\x00\\x08\\xc0\\x11\\x00\\x00\\x00\\x00\\x00\\x"
          "00\\x00@\\x19\\x00\\x00\\x00\\x00\\x00\\x00\\x18@!\\x00\\x00\\x00\\x00\\x00\\x00\\x00@)"
          "\\x00\\x00\\x00\\x00\\x00\\x002@2H\\x0d\\x9c\\xc5\\xa0)"
          "U\\x09\\xc0h\\xbc\\x105\\x9a\\x07\\x07\\xc0\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x11"
          "\\xea-\\x81\\x99\\x97q=\\x08\\x99i\\x19\\x15Z\\xed?+\\x14\\xfa\\xcd\\xbe$\\xf0?"
          "\\xdc\\x94\\xcd.\\x8du\\xff?\\xe0\\x11\\xf1\\x0ctM\\x01@"
          "\\xff\\xff\\xff\\xff\\xff\\xff\\xef\\x7f:"
          "H\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00@"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00@"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00'"}},
    {.op = "HistogramSummary",
     .in = {"string [] 'a'", "float [0]"},
     .out = {"string [] "
             "'\\x0a+\\x0a\\x01a*&"
             "\\x09\\xff\\xff\\xff\\xff\\xff\\xff\\xef\\x7f\\x11\\xff\\xff\\xff\\xff\\xff\\xff\\xef"
             "\\xff2\\x08\\xff\\xff\\xff\\xff\\xff\\xff\\xef\\x7f:"
             "\\x08\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00'"}},
    {.op = "HistogramSummary",
     .in = {"string [] 'h'", "double [6] 1e+300 -1e+300 1e-300 -1e-13 1e+20 1e+19"},
     .out = {"string [] "
             "'\\x0a\\xc7\\x01\\x0a\\x01h*\\xc1\\x01\\x09\\x9cu\\x00\\x88<"
             "\\xe47\\xfe\\x11\\x9cu\\x00\\x88<\\xe47~\\x19\\x00\\x00\\x00\\x00\\x00\\x00\\x18@!"
             "\\xe0\\xb3\\xc7\\x04:\\xda\\x17D)"
             "\\x00\\x00\\x00\\x00\\x00\\x00\\xf0\\x7f2H\\xff\\xff\\xff\\xff\\xff\\xff\\xef\\xffLT"
             "\\x9f\\x02#\\x83\\x15\\xc4\\x11\\xea-"
             "\\x81\\x99\\x97q\\xbd\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x11\\xea-"
             "\\x81\\x99\\x97q=?\\xc68B\\x96\\xc4\\xdfC=\\xa0\\x05>\\xecx\\xe1CLT\\x9f\\x02#"
             "\\x83\\x15D\\xff\\xff\\xff\\xff\\xff\\xff\\xef\\x7f:"
             "H\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
             "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
             "\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
             "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
             "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00@'"}},
    {.op = "HistogramSummary",
     .in = {"string [] 'a'", "float [2] 1 nan"},
     .error = "INVALID_ARGUMENT: Nan in summary histogram for: op"},
    {.op = "HistogramSummary",
     .in = {"string [] 'a'", "float [2] 1 -inf"},
     .error = "INVALID_ARGUMENT: Infinity in summary histogram for: op"},
    {.op = "HistogramSummary",
     .in = {"string [1] 'a'", "float [2] 1 2"},
     .error = "INVALID_ARGUMENT: tags must be scalar"},
    {.op = "HistogramSummary",
     .in = {"string [] 'a'",
            "int16 [40] -140 -133 -126 -119 -112 -105 -98 -91 -84 -77 -70 -63 -56 -49 -42 -35 -28 "
            "-21 -14 -7 0 7 14 21 28 35 42 49 56 63 70 77 84 91 98 105 112 119 126 133"},
     .out =
         {"string [] "
          "'\\x0a\\xe9\\x06\\x0a\\x01a*"
          "\\xe3\\x06\\x09\\x00\\x00\\x00\\x00\\x00\\x80a\\xc0\\x11\\x00\\x00\\x00\\x00\\x00\\xa0`@"
          "\\x19\\x00\\x00\\x00\\x00\\x00\\x00D@!\\x00\\x00\\x00\\x00\\x00\\x80a\\xc0)"
          "\\x00\\x00\\x00\\x00\\xe0\\xf0\\x0fA2\\x98\\x03\\xdf\\xb1\\x1b\\x87&"
          "\\xeaa\\xc0\\xf9\\xb8GL:I`\\xc0~\\x0a\\x0e\\xffi\\x9c]"
          "\\xc0\\xfe\\xdai\\x16I\\xebZ\\xc0r;`\\x14\\xcexX\\xc0\\x0a6@\\xfbF?"
          "V\\xc0\\x94\\x02\\xc6X\\x869T\\xc0\\xe30n9\\xd7bR\\xc0\\xce\\xa054\\xf2\\xb6P\\xc0\\x18"
          "\\x0d\\x90\\xea\\xe6cN\\xc0\\xe7\\x0b\\xe0`"
          "\\xa3\\xa0K\\xc0t\\x96n\\xcc\\xab\\x1dI\\xc0R\\xb7\\x1e\\xd1\\x27\\xd5F\\xc0J23\\x1b\\xc"
          "7\\xc1D\\xc0C\\x5ct\\x01\\xb5\\xdeB\\xc0\\xc8\\xf6#G\\x8d\\x27A\\xc0o\\x8f=o\\xc3Z<"
          "\\xc0\\x07\\x0e\\x956\\xe0\\xc69\\xc0}w\\xc9\\xcb\\x9dM5\\xc0q\\xb2\\xe5D\\xd5]"
          "3\\xc0\\xd2\\x1d}h\\xc9\\x19-\\xc0\\xd6\\x03\\x89\\x8d\\x88t*\\xc0a/"
          "5L\\xd6\\xdd\\x1d\\xc0)\\x88\\xea\\xd0\\xc2&"
          "\\x1b\\xc0\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x11\\xea-\\x81\\x99\\x97q=)"
          "\\x88\\xea\\xd0\\xc2&\\x1b@a/"
          "5L\\xd6\\xdd\\x1d@\\xd6\\x03\\x89\\x8d\\x88t*@\\xd2\\x1d}h\\xc9\\x19-@q\\xb2\\xe5D\\xd5]"
          "3@}w\\xc9\\xcb\\x9dM5@\\x07\\x0e\\x956\\xe0\\xc69@o\\x8f=o\\xc3Z<@\\xc8\\xf6#"
          "G\\x8d\\x27A@C\\x5ct\\x01\\xb5\\xdeB@J23\\x1b\\xc7\\xc1D@R\\xb7\\x1e\\xd1\\x27\\xd5F@"
          "t\\x96n\\xcc\\xab\\x1dI@\\xe7\\x0b\\xe0`\\xa3\\xa0K@\\x18\\x0d\\x90\\xea\\xe6cN@"
          "\\xce\\xa054\\xf2\\xb6P@\\xe30n9\\xd7bR@\\x94\\x02\\xc6X\\x869T@\\x0a6@\\xfbF?V@r;`"
          "\\x14\\xcexX@\\xfe\\xdai\\x16I\\xebZ@~\\x0a\\x0e\\xffi\\x9c]@\\xf9\\xb8GL:I`@"
          "\\xdf\\xb1\\x1b\\x87&\\xeaa@\\xff\\xff\\xff\\xff\\xff\\xff\\xef\\x7f:"
          "\\x98\\x03\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00@"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00@\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00@\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?\\x00\\x00\\x00\\x00\\x00\\x00\\x00@"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?\\x00\\x00\\x00\\x00\\x00\\x00\\x00@"
          "\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00'"}},
    {.op = "ImageSummary",
     .in = {"string [] 'a'", "uint8 [1,2,3,1] 37 235 140 72 255 137"},
     .out = {"string [] "
             "'\\x0a^\\x0a\\x09a/image/"
             "0\\x22Q\\x08\\x02\\x10\\x03\\x18\\x01\\x22I\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x0"
             "0\\x0dIHDR\\x00\\x00\\x00\\x03\\x00\\x00\\x00\\x02\\x08\\x00\\x00\\x00\\x00\\xb8\\x1f"
             "9\\xc6\\x00\\x00\\x00\\x10IDAT\\x08\\x99cV\\xbd)\\xce\\xa4,"
             "\\xf2\\x17\\x00\\x08B\\x02O\\xb5\\xdc\\xaaJ\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"}},
    {.op = "ImageSummary",
     .attrs = "max_images=1",
     .in = {"string [] 'a'",
            "uint8 [2,2,3,3] 203 133 79 192 144 129 204 71 237 252 134 25 178 20 254 101 146 212 "
            "139 252 234 156 157 142 50 68 215 215 233 241 247 222 96 86 141 233"},
     .out = {"string [] "
             "'\\x0ai\\x0a\\x07a/"
             "image\\x22^"
             "\\x08\\x02\\x10\\x03\\x18\\x03\\x22V\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dI"
             "HDR\\x00\\x00\\x00\\x03\\x00\\x00\\x00\\x02\\x08\\x02\\x00\\x00\\x00\\x12\\x16\\xf1M"
             "\\x00\\x00\\x00\\x1dIDAT\\x08\\x99c<\\xdd\\xea\\xff\\x95\\xdb\\x88g{"
             "\\x0e\\xc3\\x9f6\\xc9M\\x22\\xffR\\x27]\\x01\\x00W\\xc1\\x09,\\xa2\\xec#"
             "\\xfd\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"}},
    {.op = "ImageSummary",
     .attrs = "max_images=2",
     .in = {"string [] 'a'",
            "uint8 [2,1,2,4] 137 7 63 61 22 57 1 128 60 209 8 216 141 115 175 234"},
     .out =
         {"string [] "
          "'\\x0a_\\x0a\\x09a/image/"
          "0\\x22R\\x08\\x01\\x10\\x02\\x18\\x04\\x22J\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\"
          "x0dIHDR\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x01\\x08\\x06\\x00\\x00\\x00\\xf4\\x22\\x7f"
          "\\x8a\\x00\\x00\\x00\\x11IDAT\\x08\\x99c\\xe8d\\xb7\\xb7\\x15\\xb3dl\\x00\\x00\\x08\\xb2"
          "\\x01\\xddm\\xf3\\xd5\\xa0\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82\\x0a_\\x0a\\x09a/image/"
          "1\\x22R\\x08\\x01\\x10\\x02\\x18\\x04\\x22J\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\"
          "x0dIHDR\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x01\\x08\\x06\\x00\\x00\\x00\\xf4\\x22\\x7f"
          "\\x8a\\x00\\x00\\x00\\x11IDAT\\x08\\x99c\\xb4\\xb9\\xc8q#p\\xd1r!"
          "\\x00\\x10\\x9b\\x03\\x9b\\x1f\\x1b\\xa5\\xb7\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"}},
    {.op = "ImageSummary",
     .in =
         {"string [] 'a'",
          "float [1,4,5,3] 0.533810914 -0.0919732973 1.91382039 0.330797136 1.1419425 -1.12959516 "
          "-0.850052357 0.960820019 -0.217418179 0.158514887 0.873418212 -0.111383371 -1.03803873 "
          "-1.00947988 -1.05825651 0.656284094 -0.062491592 -1.73865426 0.103162996 -0.621666849 "
          "0.275718033 -1.09067488 -0.609985232 0.306412369 1.69182611 -0.747953713 -0.580797195 "
          "-0.110753968 2.04202867 0.447520703 0.68338424 0.0228859745 0.857234299 0.183930576 "
          "-0.416111588 1.25005007 1.24829984 -0.757674158 0.588294148 0.346859336 1.36703265 "
          "0.673716068 -1.29156268 -0.848243892 -0.166599572 0.917196035 0.080250591 0.228238776 "
          "-0.880476773 0.278128833 -0.0701567754 0.629587948 -1.81342351 1.54744864 0.325057417 "
          "-0.21191293 -1.54672408 1.04520059 1.0103755 0.0708366409"},
     .out = {"string [] "
             "'\\x0a\\x9b\\x01\\x0a\\x09a/image/"
             "0\\x22\\x8d\\x01\\x08\\x04\\x10\\x05\\x18\\x03\\x22\\x84\\x01\\x89PNG\\x0d\\x0a\\x1a"
             "\\x0a\\x00\\x00\\x00\\x0dIHDR\\x00\\x00\\x00\\x05\\x00\\x00\\x00\\x04\\x08\\x02\\x00"
             "\\x00\\x00\\xc9Qb\\x17\\x00\\x00\\x00KIDAT\\x08\\x99\\x01@"
             "\\x00\\xbf\\xff\\x01\\xa1z\\xf7\\xf3MB\\xb7\\xf49>"
             "\\xfb\\x07\\xb6\\x8b\\xc5\\x04\\x07\\x02\\x1c\\xe5\\x92~\\xf1\\x01\\x02`"
             "\\xf7\\xc8\\xf0\\xbe]\\x02\\x02\\x05\\xa2\\x05\\x0d<"
             "\\x91\\xf6\\x11\\xac\\x84N\\xb6L\\xda\\x02\\x0f\\x03\\xd9\\xbe+\\xae\\xda\\xbf<"
             "\\xff\\x9dv\\x92s\\x0f\\xc1 "
             "\\x1df\\x09\\x1a\\xe5p\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"}},
    {.op = "ImageSummary",
     .in = {"string [] 'a'", "float [1,3,3,1] 0.357269764 0.908535123 0.623360097 0.0158212427 "
                             "0.92943722 0.690896928 0.997322857 0.172340512 0.137135744"},
     .out =
         {"string [] "
          "'\\x0ab\\x0a\\x09a/image/"
          "0\\x22U\\x08\\x03\\x10\\x03\\x18\\x01\\x22M\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\"
          "x0dIHDR\\x00\\x00\\x00\\x03\\x00\\x00\\x00\\x03\\x08\\x00\\x00\\x00\\x00sC\\xeac\\x00\\x"
          "00\\x00\\x14IDAT\\x08\\x99c\\x8e\\xde\\xad\\xcd\\xc8\\xf2\\xf20\\xe3\\x7f\\xdd\\xef\\x00"
          "\\x1a\\xa5\\x05\\x1a\\x09\\x8c\\xdfm\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"}},
    {.op = "ImageSummary",
     .in = {"string [] 'a'",
            "float [1,3,3,1] 1.86561397e-08 4.10051655e-08 1.98299723e-08 1.19008643e-08 "
            "-6.70662317e-08 3.77563794e-08 1.21821273e-08 1.12948392e-07 1.19891794e-07"},
     .out = {"string [] "
             "'\\x0a]\\x0a\\x09a/image/"
             "0\\x22P\\x08\\x03\\x10\\x03\\x18\\x01\\x22H\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x0"
             "0\\x0dIHDR\\x00\\x00\\x00\\x03\\x00\\x00\\x00\\x03\\x08\\x00\\x00\\x00\\x00sC\\xeac\\"
             "x00\\x00\\x00\\x0fIDAT\\x08\\x99cl```b\\x80`\\x00\\x05\\xb0\\x00\\x86\\x1d\\xb6;"
             "M\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"}},
    {.op = "ImageSummary",
     .in = {"string [] 'a'",
            "float [1,2,3,3] 0.18515642 -0.37528494 -0.638730407 0.423494369 0.0773400664 "
            "-0.343853682 inf -0.620000839 0.698032022 -0.447128564 1.22450769 0.403491646 "
            "0.593578517 -1.09491181 nan 0.740556479 -0.953700602 -0.266218513"},
     .out = {"string [] "
             "'\\x0ak\\x0a\\x09a/image/"
             "0\\x22^"
             "\\x08\\x02\\x10\\x03\\x18\\x03\\x22V\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dI"
             "HDR\\x00\\x00\\x00\\x03\\x00\\x00\\x00\\x02\\x08\\x02\\x00\\x00\\x00\\x12\\x16\\xf1M"
             "\\x00\\x00\\x00\\x1dIDAT\\x08\\x99c\\x98\\x1ci\\xbb\\xba#\\xe6?"
             "\\x03\\x03C\\xe0\\xff\\x95\\xff\\x19\\x18\\xce\\xc8\\xa6\\x00\\x00R["
             "\\x07\\xfd\\xf4\\x90&\\xa6\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"},
     .note = "bad pixels"},
    {.op = "ImageSummary",
     .in = {"string [] 'a'", "float [1,1,1,1] nan"},
     .out = {"string [] "
             "'\\x0aX\\x0a\\x09a/image/"
             "0\\x22K\\x08\\x01\\x10\\x01\\x18\\x01\\x22C\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x0"
             "0\\x0dIHDR\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x01\\x08\\x00\\x00\\x00\\x00:~"
             "\\x9bU\\x00\\x00\\x00\\x0aIDAT\\x08\\x99c\\xf8\\x0f\\x00\\x01\\x01\\x01\\x00\\x0d\\xe"
             "66\\xc3\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"}},
    {.op = "ImageSummary",
     .in = {"string [] 'a'",
            "half [1,3,4,1] 0.032623291 -1.37304688 0.315185547 0.846191406 -0.859375 0.350585938 "
            "-1.3125 -0.0386962891 -1.61621094 1.12109375 0.408935547 -0.0246124268"},
     .out = {"string [] "
             "'\\x0ae\\x0a\\x09a/image/"
             "0\\x22X\\x08\\x03\\x10\\x04\\x18\\x01\\x22P\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x0"
             "0\\x0dIHDR\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x03\\x08\\x00\\x00\\x00\\x00\\x91\\x9f"
             "\\xf1\\x1a\\x00\\x00\\x00\\x17IDAT\\x08\\x99ch\\x12\\x99q\\x88\\xf9wq=?#"
             "\\xe3\\xf5\\x13\\xf7\\x00,\\xfd\\x06o\\x90Fi\\x1e\\x00\\x00\\x00\\x00IEND\\xaeB`"
             "\\x82'"}},
    {.op = "ImageSummary",
     .in = {"string [] 'a'",
            "half [1,3,4,3] 0.606445312 0.568847656 0.317382812 0.988769531 0.579589844 "
            "0.380126953 0.55078125 0.745117188 0.669433594 0.264892578 0.0663452148 0.370117188 "
            "0.629882812 0.210205078 0.752929688 0.0665283203 0.260253906 0.8046875 0.193481445 "
            "0.639648438 0.524902344 0.924804688 0.263183594 0.0659790039 0.734863281 0.771972656 "
            "0.907714844 0.932128906 0.0139541626 0.234375 0.616699219 0.94921875 0.950195312 "
            "0.556640625 0.915527344 0.641601562"},
     .out = {"string [] "
             "'\\x0a\\x80\\x01\\x0a\\x09a/image/"
             "0\\x22s\\x08\\x03\\x10\\x04\\x18\\x03\\x22k\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x0"
             "0\\x0dIHDR\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x03\\x08\\x02\\x00\\x00\\x00;"
             "\\x969\\x91\\x00\\x00\\x002IDAT\\x08\\x99\\x01\\x27\\x00\\xd8\\xff\\x03\\x9c\\x92Q\\x"
             "b1L:\\x0fv{\\xfd\\xb1\\x09\\x04\\x06\\xa4q\\x12\\x0d\\x0d "
             "\\x10\\xb8\\xbd2\\xb2\\x00\\xbd\\xc7\\xea\\xf0\\x03<\\x9f\\xf4\\xf5\\x8f\\xec\\xa5-/"
             "\\x11\\x8ab\\xb5.\\x0e\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"}},
    {.op = "ImageSummary",
     .in =
         {"string [] 'a'",
          "double [1,3,4,1] -0.775161619 -0.310116774 -2.43483776 1.0388246 2.18697965 0.441364444 "
          "-0.100155233 -0.136444744 -0.119054188 0.0174094083 -1.12201873 -0.517094458"},
     .out =
         {"string [] "
          "'\\x0af\\x0a\\x09a/image/"
          "0\\x22Y\\x08\\x03\\x10\\x04\\x18\\x01\\x22Q\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\"
          "x0dIHDR\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x03\\x08\\x00\\x00\\x00\\x00\\x91\\x9f\\xf1"
          "\\x1a\\x00\\x00\\x00\\x18IDAT\\x08\\x99c\\x08\\xcfg\\xdc\\xc6\\xf8i\\xe9\\xe3\\x7f\\xcc"
          "\\x0c?N\\xb0\\x03\\x000\\xbd\\x06\\xc1\\x1c\\x7f0\\x03\\x00\\x00\\x00\\x00IEND\\xaeB`"
          "\\x82'"}},
    {.op = "ImageSummary", .in = {"string [] 'a'", "float [0,2,3,1]"}, .out = {"string [] ''"}},
    {.op = "ImageSummary",
     .in = {"string [] 'a'", "uint8 [1,2,3,2] 89 27 43 1 82 127 94 224 154 84 30 103"},
     .error = "INVALID_ARGUMENT: Tensor must be 4-D with last dim 1, 3, or 4, not [1,2,3,2]"},
    {.op = "ImageSummary",
     .in = {"string [1] 'a'", "uint8 [1,2,3,1] 64 150 98 52 131 70"},
     .error = "INVALID_ARGUMENT: Tags must be a scalar"},
    {.op = "ImageSummary",
     .in = {"string [] 'a'", "uint8 [1,0,3,1]"},
     .error = "INVALID_ARGUMENT: input tensor must have non-zero dims. Found: ["},
    {.op = "ImageSummary",
     .attrs = "bad_color=(uint8 [2] 1 2)",
     .in = {"string [] 'a'", "float [1,1,2,3] -0.997026801 1.40248668 0.217682555 -0.0835994557 "
                             "-1.83797562 -0.206062406"},
     .error =
         "INVALID_ARGUMENT: expected depth <= bad_color.size, got depth = 3, bad_color.size = 2"},
    {.op = "ImageSummary",
     .attrs = "bad_color=(uint8 [3] 9 8 7)",
     .in = {"string [] 'a'",
            "float [1,2,3,3] 0.18515642 -0.37528494 -0.638730407 0.423494369 0.0773400664 "
            "-0.343853682 inf -0.620000839 0.698032022 -0.447128564 1.22450769 0.403491646 "
            "0.593578517 -1.09491181 nan 0.740556479 -0.953700602 -0.266218513"},
     .out = {"string [] "
             "'\\x0aj\\x0a\\x09a/image/"
             "0\\x22]"
             "\\x08\\x02\\x10\\x03\\x18\\x03\\x22U\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00\\x00\\x00\\x0dI"
             "HDR\\x00\\x00\\x00\\x03\\x00\\x00\\x00\\x02\\x08\\x02\\x00\\x00\\x00\\x12\\x16\\xf1M"
             "\\x00\\x00\\x00\\x1cIDAT\\x08\\x99c\\x98\\x1ci\\xbb\\xba#\\x86\\x93\\x83\\x9d!"
             "\\xf0\\xffJN\\x0e\\xf63\\xb2)\\x00A\\x0a\\x06/"
             "\\x5c\\xe34\\x0b\\x00\\x00\\x00\\x00IEND\\xaeB`\\x82'"}},
    {.op = "ImageSummary",
     .attrs = "bad_color=(int32 [3] 9 8 7)",
     .in = {"string [] 'a'",
            "float [1,2,3,3] 0.18515642 -0.37528494 -0.638730407 0.423494369 0.0773400664 "
            "-0.343853682 inf -0.620000839 0.698032022 -0.447128564 1.22450769 0.403491646 "
            "0.593578517 -1.09491181 nan 0.740556479 -0.953700602 -0.266218513"},
     .error = "INVALID_ARGUMENT: bad_color must be uint8, got int32"},
    {.op = "AudioSummary",
     .attrs = "sample_rate=8000.0",
     .in = {"string [] 'a'", "float [1,2,1] 0.5 -0.25"},
     .out =
         {"string [] "
          "'\\x0aS\\x0a\\x09a/audio/"
          "02F\\x0d\\x00\\x00\\xfaE\\x10\\x01\\x18\\x02\\x220RIFF(\\x00\\x00\\x00WAVEfmt "
          "\\x10\\x00\\x00\\x00\\x01\\x00\\x01\\x00@\\x1f\\x00\\x00\\x80>"
          "\\x00\\x00\\x02\\x00\\x10\\x00data\\x04\\x00\\x00\\x00\\x00@\\x00\\xe0*\\x09audio/wav'"},
     .producer = 14},
    {.op = "AudioSummary",
     .attrs = "sample_rate=8000.0",
     .in = {"string [] 'a'", "float [0,2]"},
     .out = {"string [] ''"},
     .producer = 14},
    {.op = "AudioSummary",
     .attrs = "sample_rate=8000.0",
     .in = {"string [] 'a'", "float [1,2] nan inf"},
     .out = {"string [] "
             "'\\x0aS\\x0a\\x09a/audio/"
             "02F\\x0d\\x00\\x00\\xfaE\\x10\\x01\\x18\\x02\\x220RIFF(\\x00\\x00\\x00WAVEfmt "
             "\\x10\\x00\\x00\\x00\\x01\\x00\\x01\\x00@\\x1f\\x00\\x00\\x80>"
             "\\x00\\x00\\x02\\x00\\x10\\x00data\\x04\\x00\\x00\\x00\\x00\\x00\\xff\\x7f*"
             "\\x09audio/wav'"},
     .producer = 14},
    {.op = "AudioSummaryV2",
     .in = {"string [] 'a'", "float [1,4,2] 0.5 -0.5 1 -1 2 -2 9.99999975e-06 0.300000012",
            "float [] 44100.5"},
     .out = {"string [] "
             "'\\x0a_\\x0a\\x09a/audio/"
             "02R\\x0d\\x80D,G\\x10\\x02\\x18\\x04\\x22<RIFF4\\x00\\x00\\x00WAVEfmt "
             "\\x10\\x00\\x00\\x00\\x01\\x00\\x02\\x00D\\xac\\x00\\x00\\x10\\xb1\\x02\\x00\\x04\\x0"
             "0\\x10\\x00data\\x10\\x00\\x00\\x00\\x00@"
             "\\x00\\xc0\\xff\\x7f\\x00\\x80\\xff\\x7f\\x00\\x80\\x00\\x00f&*\\x09audio/wav'"}},
    {.op = "AudioSummaryV2",
     .in = {"string [] 'a'", "float [2,2] 0.5 -0.5 1 -1", "float [] 8000"},
     .out = {"string [] "
             "'\\x0aS\\x0a\\x09a/audio/"
             "02F\\x0d\\x00\\x00\\xfaE\\x10\\x01\\x18\\x02\\x220RIFF(\\x00\\x00\\x00WAVEfmt "
             "\\x10\\x00\\x00\\x00\\x01\\x00\\x01\\x00@\\x1f\\x00\\x00\\x80>"
             "\\x00\\x00\\x02\\x00\\x10\\x00data\\x04\\x00\\x00\\x00\\x00@\\x00\\xc0*\\x09audio/"
             "wav\\x0aS\\x0a\\x09a/audio/"
             "12F\\x0d\\x00\\x00\\xfaE\\x10\\x01\\x18\\x02\\x220RIFF(\\x00\\x00\\x00WAVEfmt "
             "\\x10\\x00\\x00\\x00\\x01\\x00\\x01\\x00@\\x1f\\x00\\x00\\x80>"
             "\\x00\\x00\\x02\\x00\\x10\\x00data\\x04\\x00\\x00\\x00\\xff\\x7f\\x00\\x80*"
             "\\x09audio/wav'"}},
    {.op = "AudioSummaryV2",
     .attrs = "max_outputs=1",
     .in = {"string [] 'a'", "float [2,2] 0.5 -0.5 1 -1", "float [] 0.5"},
     .out = {"string [] "
             "'\\x0aQ\\x0a\\x07a/"
             "audio2F\\x0d\\x00\\x00\\x00?\\x10\\x01\\x18\\x02\\x220RIFF(\\x00\\x00\\x00WAVEfmt "
             "\\x10\\x00\\x00\\x00\\x01\\x00\\x01\\x00\\x01\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x02"
             "\\x00\\x10\\x00data\\x04\\x00\\x00\\x00\\x00@\\x00\\xc0*\\x09audio/wav'"}},
    {.op = "AudioSummaryV2",
     .in = {"string [] 'a'", "float [1,3] nan inf -inf", "float [] 1"},
     .out =
         {"string [] "
          "'\\x0aU\\x0a\\x09a/audio/"
          "02H\\x0d\\x00\\x00\\x80?\\x10\\x01\\x18\\x03\\x222RIFF*\\x00\\x00\\x00WAVEfmt "
          "\\x10\\x00\\x00\\x00\\x01\\x00\\x01\\x00\\x01\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x02\\x"
          "00\\x10\\x00data\\x06\\x00\\x00\\x00\\x00\\x00\\xff\\x7f\\x00\\x80*\\x09audio/wav'"}},
    {.op = "AudioSummaryV2",
     .in = {"string [] 'a'", "float [1,1] 0.5", "float [] 0"},
     .error = "INVALID_ARGUMENT: sample_rate must be > 0"},
    {.op = "AudioSummaryV2",
     .in = {"string [] 'a'", "float [1] 0.5", "float [] 1"},
     .error = "INVALID_ARGUMENT: Tensor must be 3-D or 2-D, got: [1]"},
    {.op = "AudioSummaryV2",
     .in = {"string [] 'a'", "float [1,0,2]", "float [] 1"},
     .error = "INVALID_ARGUMENT: audio is null"},
    {.op = "AudioSummaryV2",
     .in = {"string [] 'a'",
            "float [2,5] 0.0421554409 -1.40456057 1.97969055 -0.594019413 0.98821646 0.183104068 "
            "0.923992991 0.533172011 -0.585133016 -0.560536921",
            "float [] 22050"},
     .out = {"string [] "
             "'\\x0aY\\x0a\\x09a/audio/"
             "02L\\x0d\\x00D\\xacF\\x10\\x01\\x18\\x05\\x226RIFF.\\x00\\x00\\x00WAVEfmt "
             "\\x10\\x00\\x00\\x00\\x01\\x00\\x01\\x00\\x22V\\x00\\x00D\\xac\\x00\\x00\\x02\\x00\\x"
             "10\\x00data\\x0a\\x00\\x00\\x00e\\x05\\x00\\x80\\xff\\x7f\\xf7\\xb3~~*\\x09audio/"
             "wav\\x0aY\\x0a\\x09a/audio/"
             "12L\\x0d\\x00D\\xacF\\x10\\x01\\x18\\x05\\x226RIFF.\\x00\\x00\\x00WAVEfmt "
             "\\x10\\x00\\x00\\x00\\x01\\x00\\x01\\x00\\x22V\\x00\\x00D\\xac\\x00\\x00\\x02\\x00\\x"
             "10\\x00data\\x0a\\x00\\x00\\x00p\\x17Ev?D\\x1a\\xb5@\\xb8*\\x09audio/wav'"}},
    {.op = "AudioSummaryV2",
     .in = {"string [] 'a'", "float [0,2]", "float [] 1"},
     .out = {"string [] ''"}},
    {.op = "TensorSummary",
     .attrs = "description='d' display_name='n'",
     .in = {"float [2] 1 2"},
     .out = {"string [] "
             "'\\x0a\\x18:"
             "\\x02opB\\x12\\x08\\x01\\x12\\x04\\x12\\x02\\x08\\x02\\x22\\x08\\x00\\x00\\x80?"
             "\\x00\\x00\\x00@'"}},
    {.op = "TensorSummary",
     .in = {"string [2] 'x' 'yz'"},
     .out = {"string [] "
             "'\\x0a\\x15:\\x02opB\\x0f\\x08\\x07\\x12\\x04\\x12\\x02\\x08\\x02B\\x01xB\\x02yz'"}},
    {.op = "TensorSummary",
     .in = {"bool [] 1"},
     .out = {"string [] '\\x0a\\x0d:\\x02opB\\x07\\x08\\x0a\\x12\\x00\\x22\\x01\\x01'"}},
    {.op = "TensorSummaryV2",
     .in = {"string [] 't'", "float [2] 1 2",
            "string [] '\\x0a\\x06\\x0a\\x01p\\x12\\x01\\x00\\x12\\x01d'"},
     .out = {"string [] "
             "'\\x0a$"
             "\\x0a\\x01tB\\x12\\x08\\x01\\x12\\x04\\x12\\x02\\x08\\x02\\x22\\x08\\x00\\x00\\x80?"
             "\\x00\\x00\\x00@J\\x0b\\x0a\\x06\\x0a\\x01p\\x12\\x01\\x00\\x12\\x01d'"}},
    {.op = "TensorSummaryV2",
     .in = {"string [] 't'", "float [2] 1 2", "string [] ''"},
     .out = {"string [] "
             "'\\x0a\\x19\\x0a\\x01tB\\x12\\x08\\x01\\x12\\x04\\x12\\x02\\x08\\x02\\x22\\x08\\x00\\"
             "x00\\x80?\\x00\\x00\\x00@J\\x00'"}},
    {.op = "TensorSummaryV2",
     .in = {"string [] 't'", "float [2] 1 2", "string [] 'abc'"},
     .out = {"string [] "
             "'\\x0a\\x19\\x0a\\x01tB\\x12\\x08\\x01\\x12\\x04\\x12\\x02\\x08\\x02\\x22\\x08\\x00\\"
             "x00\\x80?\\x00\\x00\\x00@J\\x00'"}},
    {.op = "TensorSummaryV2",
     .in = {"string [1] 't'", "float [2] 1 2", "string [] ''"},
     .error = "INVALID_ARGUMENT: tag must be scalar"},
    {.op = "MergeSummary",
     .in = {"*3 string [] '\\x0a\\x08\\x0a\\x01a\\x15\\x00\\x00\\x80?'",
            "string [2] '\\x0a\\x08\\x0a\\x01b\\x15\\x00\\x00\\x80?' "
            "'\\x0a\\x05\\x15\\x00\\x00\\x80?'",
            "string [] '\\x0a\\x05\\x15\\x00\\x00\\x80?'"},
     .out = {"string [] "
             "'\\x0a\\x08\\x0a\\x01a\\x15\\x00\\x00\\x80?\\x0a\\x08\\x0a\\x01b\\x15\\x00\\x00\\x80?"
             "\\x0a\\x05\\x15\\x00\\x00\\x80?\\x0a\\x05\\x15\\x00\\x00\\x80?'"}},
    {.op = "MergeSummary",
     .in = {"*3 string [] '\\x0a\\x08\\x0a\\x01a\\x15\\x00\\x00\\x80?'",
            "string [] '\\x0a\\x08\\x0a\\x01b\\x15\\x00\\x00\\x80?'",
            "string [] '\\x0a\\x08\\x0a\\x01a\\x15\\x00\\x00\\x80?'"},
     .error = "INVALID_ARGUMENT: Duplicate tag a found in summary inputs"},
    {.op = "MergeSummary",
     .in = {"*2 string [] '\\x0a\\x08\\x0a\\x01a\\x15\\x00\\x00\\x80?'", "string [] 'abc'"},
     .error = "INVALID_ARGUMENT: Could not parse one of the summary inputs"},
    {.op = "MergeSummary", .in = {"*1 string [] ''"}, .out = {"string [] ''"}},
};

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
