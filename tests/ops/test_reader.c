/* SPDX-License-Identifier: Apache-2.0 */
/* needs: zlib */
/* Scripts: readers of each kind over files that the program writes into a folder of its own; what
 * each run gives is what TensorFlow 1.15 gives. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"
#include "codec/zstream.h"
#include "io/record.h"
#include "op_script.h"

#define QUEUE(files)                                                                               \
    "q = FIFOQueueV2() component_types=[string] shapes=[[]]",                                      \
        "put = QueueEnqueueManyV2(q, [" files "])", "close = QueueCloseV2(q, ^put)"
#define READ(n)                                                                                    \
    "read = ReaderReadV2(r, q)", "up = ReaderReadUpToV2(r, q, {int64 [] " #n "})",                 \
        "n = ReaderNumRecordsProducedV2(r)", "u = ReaderNumWorkUnitsCompletedV2(r)",               \
        "reset = ReaderResetV2(r)", "save = ReaderSerializeStateV2(r)"
static const struct op_script scripts[] = {
    {.ops = "TextLineReaderV2 ReaderReadV2 ReaderNumRecordsProducedV2 "
            "ReaderNumWorkUnitsCompletedV2 ReaderResetV2",
     .nodes = {"r = TextLineReaderV2()", QUEUE("{string [4] 'a.txt' 'none' 'empty' 'b.txt'}"),
               READ(2)},
     .runs = {"close", "read:0 read:1 -> string [] 'a.txt:1' | string [] 'one'",
              "read:0 read:1 -> string [] 'a.txt:2' | string [] 'two'",
              "read:0 read:1 -> string [] 'a.txt:3' | string [] ''",
              "n u -> int64 [] 3 | int64 [] "
              "0",
              "read:0 read:1 -> string [] 'a.txt:4' | string [] 'four'",
              "read ! NOT_FOUND: none; No such file or directory",
              "read:0 read:1 -> string [] 'b.txt:1' | string [] 'x'",
              "n u -> int64 [] 5 | int64 [] 2", "save ! UNIMPLEMENTED: Reader SerializeState",
              "up:0 up:1 -> string [1] 'b.txt:2' | string [1] 'y'",
              "up ! OUT_OF_RANGE: is closed and has insufficient elements (requested 1, current "
              "size 0)",
              "reset", "n u -> int64 [] 0 | int64 [] 0"}},
    {.ops = "TextLineReaderV2 ReaderReadUpToV2",
     .nodes = {"r = TextLineReaderV2() skip_header_lines=1",
               QUEUE("{string [3] 'a.txt' 'empty' 'b.txt'}"), READ(2),
               "none = ReaderReadUpToV2(r, q, {int64 [] 0})"},
     .runs = {"close", "none:0 none:1 -> string [0] | string [0]",
              "up:0 up:1 -> string [2] 'a.txt:2' 'a.txt:3' | string [2] 'two' ''",
              "up:0 -> string [1] 'a.txt:4'", "up:0 -> string [1] 'b.txt:2'",
              "n u -> int64 [] 4 | int64 [] 3"}},
    {.ops = "TextLineReader ReaderRead ReaderReadUpTo ReaderNumRecordsProduced "
            "ReaderNumWorkUnitsCompleted ReaderReset",
     .nodes = {"r = TextLineReader()", "q = FIFOQueue() component_types=[string] shapes=[[]]",
               "put = QueueEnqueueMany(q, [{string [1] 'b.txt'}])", "close = QueueClose(q, ^put)",
               "read = ReaderRead(r, q)", "up = ReaderReadUpTo(r, q, {int64 [] 2})",
               "none = ReaderReadUpTo(r, q, {int64 [] 0})", "n = ReaderNumRecordsProduced(r)",
               "u = ReaderNumWorkUnitsCompleted(r)", "reset = ReaderReset(r)",
               "save = ReaderSerializeState(r)"},
     .runs = {"close", "none:0 none:1 -> string [0] | string [0]",
              "read:0 read:1 -> string [] 'b.txt:1' | string [] 'x'",
              "up:0 up:1 -> string [1] 'b.txt:2' | string [1] 'y'",
              "read ! OUT_OF_RANGE: FIFOQueue", "n u -> int64 [] 2 | int64 [] 1", "reset",
              "n u -> int64 [] 0 | int64 [] 0", "save ! UNIMPLEMENTED"},
     .producer = 25},
    {.ops = "WholeFileReaderV2 ReaderReadUpToV2 ReaderSerializeStateV2 ReaderRestoreStateV2",
     .nodes = {"r = WholeFileReaderV2()", QUEUE("{string [3] 'b.txt' 'empty' 'none'}"), READ(5),
               "back = ReaderRestoreStateV2(r, {string [] '\\x08\\x02\\x10\\x02\\x18\\x05'})",
               "junk = ReaderRestoreStateV2(r, {string [] 'junk'})",
               "odd = ReaderRestoreStateV2(r, {string [] '\\x08\\x03\\x10\\x02'})",
               "neg = ReaderRestoreStateV2(r, {string [] "
               "'\\x18\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x01'})"},
     .runs = {"close", "read:0 read:1 -> string [] 'b.txt' | string [] 'x\\x0ay\\x0a'",
              "up:0 up:1 -> string [1] 'empty' | string [1] ''",
              "read ! NOT_FOUND: none; No such file or directory",
              "save -> string [] '\\x08\\x03\\x10\\x02\\x18\\x02\\x22\\x04none'",
              "read ! NOT_FOUND: none", "back", "n u -> int64 [] 5 | int64 [] 2",
              "read ! OUT_OF_RANGE",
              "junk ! INVALID_ARGUMENT: Could not parse state for "
              "WholeFileReader",
              "odd ! INVALID_ARGUMENT: Inconsistent work started vs. finished when restoring in "
              "WholeFileReader",
              "neg ! INVALID_ARGUMENT: Unexpected negative value when restoring"}},
    {.ops = "WholeFileReader ReaderSerializeState ReaderRestoreState",
     .nodes = {"r = WholeFileReader()", "save = ReaderSerializeState(r)",
               "back = ReaderRestoreState(r, {string [] "
               "'\\x08\\x03\\x10\\x02\\x18\\x05\\x22\\x05b.txt'})",
               "q = FIFOQueue() component_types=[string]", "read = ReaderRead(r, q)"},
     .runs = {"save -> string [] ''", "back",
              "read:0 read:1 -> string [] 'b.txt' | string [] 'x\\x0ay\\x0a'",
              "save -> string [] '\\x08\\x03\\x10\\x03\\x18\\x06'"}},
    {.ops = "IdentityReaderV2",
     .nodes = {"r = IdentityReaderV2() shared_name='i' container='c'",
               "r2 = IdentityReaderV2() shared_name='i' container='c'",
               QUEUE("{string [2] 'a' 'b'}"), READ(5), "n2 = ReaderNumRecordsProducedV2(r2)"},
     .runs = {"close", "read:0 read:1 -> string [] 'a' | string [] 'a'",
              "up:0 up:1 -> string [1] 'b' | string [1] 'b'", "n2 -> int64 [] 2"}},
    {.ops = "IdentityReader",
     .nodes = {"r = IdentityReader()", "q = FIFOQueue() component_types=[int32]",
               "read = ReaderRead(r, q)", "p = FIFOQueue() component_types=[string] shapes=[[2]]",
               "put = QueueEnqueue(p, [{string [2] 'a' 'b'}])", "two = ReaderRead(r, p)"},
     .runs = {"read ! INVALID_ARGUMENT: Expected a queue of strings", "put",
              "two ! INVALID_ARGUMENT: Expected to dequeue a one-element string tensor"},
     .producer = 25},
    {.ops = "FixedLengthRecordReaderV2",
     .nodes = {"r = FixedLengthRecordReaderV2() record_bytes=3 header_bytes=2 footer_bytes=1",
               QUEUE("{string [3] 'f.bin' 'short' 'empty'}"), READ(9)},
     .runs = {"close",
              "up:0 up:1 -> string [3] 'f.bin:0' 'f.bin:1' 'f.bin:2' | string [3] 'aaa' 'bbb' "
              "'ccc'",
              "up:1 -> string [2] 'aaa' 'bbb'", "read ! OUT_OF_RANGE: reached end of file"}},
    {.ops = "FixedLengthRecordReaderV2",
     .nodes = {"r = FixedLengthRecordReaderV2() record_bytes=3 header_bytes=2 footer_bytes=1 "
               "hop_bytes=4 encoding='ZLIB'",
               QUEUE("{string [2] 'f.zl' 'f.bin'}"), READ(9)},
     .runs = {"close", "up:1 -> string [2] 'aaa' 'bbc'", "read ! DATA_LOSS"}},
    {.ops = "FixedLengthRecordReader",
     .nodes = {"r = FixedLengthRecordReader() record_bytes=3 hop_bytes=-1",
               "n = ReaderNumRecordsProduced(r)"},
     .runs = {"n ! INVALID_ARGUMENT: hop_bytes must be >= 0 not -1"},
     .producer = 25},
    {.ops = "FixedLengthRecordReader",
     .nodes = {"r = FixedLengthRecordReader() record_bytes=3 header_bytes=2 footer_bytes=1 "
               "hop_bytes=1",
               "q = FIFOQueue() component_types=[string]",
               "put = QueueEnqueue(q, [{string [] 'f.bin'}])",
               "up = ReaderReadUpTo(r, q, {int64 [] 4})"},
     .runs = {"put", "up:1 -> string [4] 'aaa' 'aab' 'abb' 'bbb'"},
     .producer = 25},
    {.ops = "TFRecordReaderV2",
     .nodes = {"r = TFRecordReaderV2()", QUEUE("{string [3] 'r.tfr' 'empty' 'cut'}"), READ(2)},
     .runs = {"close", "up:0 up:1 -> string [2] 'r.tfr:0' 'r.tfr:18' | string [2] 'r1' ''",
              "read:0 read:1 -> string [] 'r.tfr:34' | string [] 'r3'",
              "up:0 -> string [2] 'cut:0' 'cut:18'", "n u -> int64 [] 5 | int64 [] 2",
              "read ! DATA_LOSS: truncated record at 34", "up ! DATA_LOSS", "reset",
              "read ! OUT_OF_RANGE"}},
    {.ops = "TFRecordReader",
     .nodes = {"r = TFRecordReader()", "q = FIFOQueue() component_types=[string]",
               "put = QueueEnqueue(q, [{string [] 'r.tfr'}])", "read = ReaderRead(r, q)"},
     .runs = {"put", "read:0 read:1 -> string [] 'r.tfr:0' | string [] 'r1'"},
     .producer = 25},
    {.ops = "LMDBReader",
     .nodes = {"r = LMDBReader()", "n = ReaderNumRecordsProduced(r)"},
     .runs = {"n ! UNIMPLEMENTED: LMDB databases cannot be read here"}},
    {.ops = "RecordInput",
     .nodes = {"r = RecordInput() file_pattern='r.tf?' file_buffer_size=1 batch_size=2",
               "many = RecordInput() file_pattern='r.tfr' file_buffer_size=2 batch_size=3 "
               "file_parallelism=1 file_shuffle_shift_ratio=0.5",
               "n = StringLength(many)", "sum = Sum(n, {int32 [] 0})",
               "zero = RecordInput() file_pattern='none' batch_size=0",
               "none = RecordInput() file_pattern='none*'",
               "empty = RecordInput() file_pattern='empty'",
               "cut = RecordInput() file_pattern='cut' batch_size=3",
               "plain = RecordInput() file_pattern='f.bin' compression_type='ZLIB'",
               "half = RecordInput() file_pattern='r.tfr' file_parallelism=0",
               "room = RecordInput() file_pattern='r.tfr' file_buffer_size=0",
               "far = RecordInput() file_pattern='r.tfr' file_shuffle_shift_ratio=2.0"},
     .runs = {"r -> string [2] 'r1' ''", "r -> string [2] 'r3' 'r1'", "r -> string [2] '' 'r3'",
              "sum -> int32 [] 4", "sum -> int32 [] 4", "zero -> string [0]",
              "none ! NOT_FOUND: Found no files at none*", "empty ! NOT_FOUND: no records",
              "cut ! DATA_LOSS: truncated record at 34", "cut ! DATA_LOSS", "plain ! DATA_LOSS",
              "half ! INVALID_ARGUMENT: must be positive",
              "room ! INVALID_ARGUMENT: must be positive", "far ! INVALID_ARGUMENT: in [0, 1]"}},
    {.ops = "RecordInput",
     .nodes = {"r = RecordInput() file_pattern='r.tfr' batch_size=-1"},
     .runs = {"r ! INVALID_ARGUMENT: batch_size not negative"}},
};

static void put(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0) {
        perror(path);
        exit(1);
    }
}

static void must(bool ok, struct status *st)
{
    if (ok)
        return;
    fprintf(stderr, "%s\n", status_message(st));
    exit(1);
}

static void put_records(void)
{
    static const char *const records[] = {"r1", "", "r3"};
    struct status st = {0};
    struct record_writer *w = record_writer_open("r.tfr", RECORD_PLAIN, &st);
    char bytes[64];

    must(w != NULL, &st);
    for (int i = 0; i < 3; i++)
        must(record_writer_add(w, str_of(records[i]), &st), &st);
    must(record_writer_close(w, &st), &st);
    FILE *f = fopen("r.tfr", "rb");
    size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;

    if (!f || fclose(f) != 0 || n < 3)
        exit(1);
    put("cut", bytes, n - 3);
}

static void put_packed(void)
{
    struct status st = {0};
    struct strbuf packed = {0};
    struct deflater *z = deflater_new(ZFORM_ZLIB, &st);

    must(z && deflater_run(z, str_of("HHaaabbbcccF"), ZFLUSH_FINISH, &packed, &st), &st);
    put("f.zl", strbuf_text(&packed), packed.n);
    deflater_free(z);
    strbuf_release(&packed);
}

static const char *const files[] = {"a.txt", "b.txt", "empty", "f.bin",
                                    "short", "r.tfr", "cut",   "f.zl"};

int main(int argc, char **argv)
{
    char folder[] = "/tmp/test_reader_XXXXXX";

    if (!mkdtemp(folder) || chdir(folder) != 0) {
        perror(folder);
        return 1;
    }
    put("a.txt", "one\ntwo\r\n\nfour", 14);
    put("b.txt", "x\ny\n", 4);
    put("empty", "", 0);
    put("f.bin", "HHaaabbbcccF", 12);
    put("short", "HHaaabbbccF", 11);
    put_records();
    put_packed();
    int result = op_scripts_main(scripts, sizeof scripts / sizeof *scripts, argc, argv);

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        (void)unlink(files[i]);
    (void)(chdir("/") == 0 && rmdir(folder) == 0);
    return result;
}
