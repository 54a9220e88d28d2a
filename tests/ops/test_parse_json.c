/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: examples in JSON, as TensorFlow 1.15.5 reads them. */
#include "op_case.h"

static const struct op_case cases[] = {
    {.op = "DecodeJSONExample", .in = {"string [1] '{}'"}, .out = {"string [1] ''"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22int64List\\x22:{"
            "\\x22value\\x22:[\\x221\\x22,2]}}}}}'"},
     .out =
         {"string [1] '\\x0a\\x0d\\x0a\\x0b\\x0a\\x01a\\x12\\x06\\x1a\\x04\\x08\\x01\\x08\\x02'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22int64_list\\x22:{"
            "\\x22value\\x22:[1]}},\\x22b\\x22:{\\x22bytesList\\x22:{\\x22value\\x22:[\\x22aGk="
            "\\x22]}}}}}'"},
     .out = {"string [1] "
             "'\\x0a\\x18\\x0a\\x09\\x0a\\x01a\\x12\\x04\\x1a\\x02\\x08\\x01\\x0a\\x0b\\x0a\\x01b\\"
             "x12\\x06\\x0a\\x04\\x0a\\x02hi'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22floatList\\x22:{"
            "\\x22value\\x22:[1.5,\\x22NaN\\x22,\\x22Infinity\\x22,1e3,\\x222.5\\x22]}}}}}'"},
     .out =
         {"string [1] '\\x0a\\x22\\x0a "
          "\\x0a\\x01a\\x12\\x1b\\x12\\x19\\x0d\\x00\\x00\\xc0?"
          "\\x0d\\x00\\x00\\xc0\\x7f\\x0d\\x00\\x00\\x80\\x7f\\x0d\\x00\\x00zD\\x0d\\x00\\x00 @'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] '{\\x22x\\x22:1}'"},
     .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJSONExample", .in = {"string [1] ''"}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJSONExample", .in = {"string [1] '[]'"}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJSONExample", .in = {"string [1] 'null'"}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJSONExample",
     .in = {"string [1] '{\\x22features\\x22:null}'"},
     .out = {"string [1] ''"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] '{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:null}}}'"},
     .out = {"string [1] '\\x0a\\x05\\x0a\\x03\\x0a\\x01a'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] '{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{}}}}'"},
     .out = {"string [1] '\\x0a\\x07\\x0a\\x05\\x0a\\x01a\\x12\\x00'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22int64List\\x22:{"
            "\\x22value\\x22:[1.0]}}}}}'"},
     .out = {"string [1] '\\x0a\\x0b\\x0a\\x09\\x0a\\x01a\\x12\\x04\\x1a\\x02\\x08\\x01'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22int64List\\x22:{"
            "\\x22value\\x22:[1.5]}}}}}'"},
     .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22bytesList\\x22:{"
            "\\x22value\\x22:[\\x22aGk\\x22]}}}}}'"},
     .out = {"string [1] '\\x0a\\x0d\\x0a\\x0b\\x0a\\x01a\\x12\\x06\\x0a\\x04\\x0a\\x02hi'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22bytesList\\x22:{"
            "\\x22value\\x22:[\\x22_-8=\\x22]}}}}}'"},
     .out =
         {"string [1] '\\x0a\\x0d\\x0a\\x0b\\x0a\\x01a\\x12\\x06\\x0a\\x04\\x0a\\x02\\xff\\xef'"}},
    {.op = "DecodeJSONExample",
     .in =
         {"string [1] '{\\x22features\\x22:{\\x22feature\\x22:{\\x22b\\x22:{},\\x22a\\x22:{}}}}'"},
     .out =
         {"string [1] '\\x0a\\x0e\\x0a\\x05\\x0a\\x01b\\x12\\x00\\x0a\\x05\\x0a\\x01a\\x12\\x00'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] '{\\x27features\\x27:{}}'"},
     .out = {"string [1] '\\x0a\\x00'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] '{features:{}}'"},
     .out = {"string [1] '\\x0a\\x00'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22int64List\\x22:{},"
            "\\x22floatList\\x22:{}}}}}'"},
     .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{},\\x22a\\x22:{"
            "\\x22int64List\\x22:{}}}}}'"},
     .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJSONExample",
     .in = {"string [1] '{\\x22features\\x22:{}, }'"},
     .out = {"string [1] '\\x0a\\x00'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22int64List\\x22:{"
            "\\x22value\\x22:1}}}}}'"},
     .out = {"string [1] '\\x0a\\x0b\\x0a\\x09\\x0a\\x01a\\x12\\x04\\x1a\\x02\\x08\\x01'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22int64List\\x22:{"
            "\\x22value\\x22:[9223372036854775808]}}}}}'"},
     .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22int64List\\x22:{"
            "\\x22value\\x22:[true]}}}}}'"},
     .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22\\x5cu00e4\\x22:{\\x22bytesList\\x22:{"
            "\\x22value\\x22:[\\x22!!\\x22]}}}}}'"},
     .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJSONExample", .in = {"string [1] '{} x'"}, .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22floatList\\x22:{"
            "\\x22value\\x22:[1e40]}}}}}'"},
     .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22floatList\\x22:{"
            "\\x22value\\x22:[null]}}}}}'"},
     .out = {"string [1] '\\x0a\\x09\\x0a\\x07\\x0a\\x01a\\x12\\x02\\x12\\x00'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22bytesList\\x22:{"
            "\\x22value\\x22:[\\x22\\x5cn\\x22]}}}}}'"},
     .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22int64List\\x22:{"
            "\\x22value\\x22:[]}}}}}'"},
     .out = {"string [1] '\\x0a\\x09\\x0a\\x07\\x0a\\x01a\\x12\\x02\\x1a\\x00'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22int64List\\x22:{"
            "\\x22value\\x22:[\\x221.0\\x22,\\x221e2\\x22,\\x22-0\\x22,\\x22 "
            "1\\x22,\\x220x1\\x22]}}}}}'"},
     .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22int64List\\x22:{"
            "\\x22value\\x22:[1e2]}}}}}'"},
     .out = {"string [1] '\\x0a\\x0b\\x0a\\x09\\x0a\\x01a\\x12\\x04\\x1a\\x02\\x08d'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22\\x5cu00e4\\x5cud83d\\x5cude00\\x22:{"
            "\\x22int64List\\x22:{\\x22value\\x22:[-5]}}}}}'"},
     .out = {"string [1] "
             "'\\x0a\\x19\\x0a\\x17\\x0a\\x06\\xc3\\xa4\\xf0\\x9f\\x98\\x80\\x12\\x0d\\x1a\\x0b\\x0"
             "8\\xfb\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x01'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22bytesList\\x22:{"
            "\\x22value\\x22:[\\x22aGk=\\x22,\\x22YQ==\\x22,\\x22\\x22]}}}}}'"},
     .out = {"string [1] "
             "'\\x0a\\x12\\x0a\\x10\\x0a\\x01a\\x12\\x0b\\x0a\\x09\\x0a\\x02hi\\x0a\\x01a\\x0a\\x00"
             "'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] ' { \\x22features\\x22 : { \\x22feature\\x22 : { \\x22a\\x22 : { "
            "\\x22floatList\\x22 : { \\x22value\\x22 : [ -1.5e-3 , ] } , } , } } } '"},
     .out = {"string [1] "
             "'\\x0a\\x0e\\x0a\\x0c\\x0a\\x01a\\x12\\x07\\x12\\x05\\x0d\\xa6\\x9b\\xc4\\xba'"}},
    {.op = "DecodeJSONExample",
     .in = {"string [1] '{\\x22features\\x22'"},
     .error = "INVALID_ARGUMENT"},
    {.op = "DecodeJSONExample",
     .in = {"string [1] "
            "'{\\x22features\\x22:{\\x22feature\\x22:{\\x22a\\x22:{\\x22int64List\\x22:{"
            "\\x22value\\x22:[1 2]}}}}}'"},
     .error = "INVALID_ARGUMENT"},
};

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
