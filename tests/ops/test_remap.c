/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: matrices of checkpoints for other vocabularies. Values and words are
 * TensorFlow 1.15.5's. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "op_case.h"
#include "op_script.h"

/* clang-format off */
#define TEXT(name, text) name " = Const() dtype=string value=(string [] '" text "')"
#define VOCAB(name, fresh, old, attrs) name " = GenerateVocabRemapping(" fresh ", " old ") " attrs
#define LOAD(name, tensor, rows, cols, fill, attrs) \
    name " = LoadAndRemapMatrix(path, {string [] '" tensor "'}, {int64 " rows "}, {int64 " cols "}, {float " fill "}) " attrs
#define SAVED \
    TEXT("path", "leat_remap_ckpt"), "save = SaveV2(path, {string [3] 'm' 'i' 'v'}, {string [3] ''}, [{float [4,3] 0 1 2 3 4 5 6 7 8 9 10 nan}, {int64 [3] 0 1 2}, {float [2] 1 2}])"
static const struct op_script scripts[] = {
    {.ops = "GenerateVocabRemapping",
     .nodes = {TEXT("old", "leat_remap_old.txt"), TEXT("new", "leat_remap_new.txt"), TEXT("gap", "leat_remap_gap.txt"),
               "w1 = WriteFile(old, {string [] 'a\nb\r\nc\nd\n'})", "w2 = WriteFile(new, {string [] 'd\nb\nx'})", "w3 = WriteFile(gap, {string [] 'd\r\nb\n\nb\n'})",
               VOCAB("m", "new", "old", "new_vocab_offset=0 num_new_vocab=3"), VOCAB("off", "new", "old", "new_vocab_offset=1 num_new_vocab=2"),
               VOCAB("two", "new", "old", "new_vocab_offset=0 num_new_vocab=3 old_vocab_size=2"), VOCAB("zero", "new", "old", "new_vocab_offset=0 num_new_vocab=0"),
               VOCAB("many", "new", "old", "new_vocab_offset=1 num_new_vocab=3"), VOCAB("nine", "new", "old", "new_vocab_offset=0 num_new_vocab=3 old_vocab_size=9"),
               VOCAB("none", "new", "old", "new_vocab_offset=0 num_new_vocab=3 old_vocab_size=0"), VOCAB("gaps", "new", "gap", "new_vocab_offset=0 num_new_vocab=3"),
               VOCAB("lost", "new", "{string [] '/no/such/file'}", "new_vocab_offset=0 num_new_vocab=3"), VOCAB("unnamed", "{string [] ''}", "old", "new_vocab_offset=0 num_new_vocab=3"),
               VOCAB("same", "new", "{string [] 'leat_remap_gap2.txt'}", "new_vocab_offset=0 num_new_vocab=1"), "w4 = WriteFile({string [] 'leat_remap_gap2.txt'}, {string [] 'b\nb\n'})"},
     .runs = {"w1 w2 w3 w4", "m m:1 -> int64 [3] 3 1 -1 | int32 [] 2", "off off:1 -> int64 [2] 1 -1 | int32 [] 1", "two two:1 -> int64 [3] -1 1 -1 | int32 [] 1",
              "zero zero:1 -> int64 [0] | int32 [] 0", "many ! INVALID_ARGUMENT: lookup table size must be larger than last new vocab entry's line",
              "nine ! INVALID_ARGUMENT: expected 9 but got 4", "none ! OUT_OF_RANGE: Finished reading 0 of lines from", "gaps ! INVALID_ARGUMENT: empty line found at position 6.",
              "lost ! NOT_FOUND: /no/such/file; No such file or directory", "unnamed ! INVALID_ARGUMENT: new vocab filename cannot be empty.",
              "same ! FAILED_PRECONDITION: HashTable has different value for same key. Key b"}},
    {.ops = "LoadAndRemapMatrix",
     .nodes = {SAVED, LOAD("l", "m", "[3] 1 0 -1", "[3] 2 -1 0", "[5] 100 101 102 103 104", "num_rows=3 num_cols=3"),
               LOAD("rows", "m", "[2] 3 1", "[0]", "[0]", "num_rows=2 num_cols=3"), LOAD("chunks", "m", "[3] 1 0 3", "[0]", "[0]", "num_rows=3 num_cols=3 max_rows_in_memory=1"),
               LOAD("fresh", "m", "[1] -1", "[0]", "[3] 1 inf 3", "num_rows=1 num_cols=3"), LOAD("zero", "m", "[0]", "[0]", "[0]", "num_rows=0 num_cols=3"),
               LOAD("twice", "m", "[2] 1 1", "[0]", "[0]", "num_rows=2 num_cols=3"), LOAD("far", "m", "[1] 9", "[0]", "[0]", "num_rows=1 num_cols=3"),
               LOAD("wide", "m", "[1] 1", "[3] 0 1 7", "[0]", "num_rows=1 num_cols=3"), LOAD("few", "m", "[2] 1 -1", "[0]", "[1] 1", "num_rows=2 num_cols=3")},
     .runs = {"save", "l rows chunks fresh zero -> float [3,3] 5 100 3 2 101 0 102 103 104 | float [2,3] 9 10 nan 3 4 5 | float [3,3] 3 4 5 0 1 2 9 10 nan | float [1,3] 1 inf 3 | float [0,3]",
              "twice ! UNIMPLEMENTED: Old ID 1 is mapped to both new ID 0 and 1, which is not supported.", "far ! INTERNAL: out of bounds", "wide ! INTERNAL: out of bounds",
              "few ! INVALID_ARGUMENT: initializing_values contained 1 elements, but more missing values remain."}},
    {.ops = "LoadAndRemapMatrix",
     .nodes = {SAVED, LOAD("many", "m", "[2] 1 -1", "[0]", "[4] 1 2 3 4", "num_rows=2 num_cols=3"), LOAD("nr", "m", "[1] 1", "[0]", "[0]", "num_rows=3 num_cols=3"),
               LOAD("nc", "m", "[1] 1", "[2] 0 1", "[0]", "num_rows=1 num_cols=3"), LOAD("ncn", "m", "[1] 1", "[0]", "[0]", "num_rows=1 num_cols=2"),
               LOAD("type", "i", "[1] 1", "[0]", "[0]", "num_rows=1 num_cols=3"), LOAD("vec", "v", "[1] 1", "[0]", "[0]", "num_rows=1 num_cols=3"),
               LOAD("lost", "zz", "[1] 1", "[0]", "[0]", "num_rows=1 num_cols=3")},
     .runs = {"save", "many ! INVALID_ARGUMENT: initializing_values contained 4 elements, but only 3 elements were used to fill in missing values.",
              "nr ! INVALID_ARGUMENT: Size of row_remapping is 1 instead of being equal to num_rows=3", "nc ! INVALID_ARGUMENT: Provided col_remapping, but its size is 2 instead of being equal to num_cols=3",
              "ncn ! INVALID_ARGUMENT: Tensor m has shape [4,3], where the size of its 2nd dimension is 3 instead of being equal to num_cols=2",
              "type ! INVALID_ARGUMENT: Tensor i has invalid type int64 instead of expected type float", "vec ! INVALID_ARGUMENT: of invalid rank 1 instead of expected shape of rank 2.",
              "lost ! NOT_FOUND: Key zz not found in checkpoint"}},
};
/* clang-format on */

/* The scripts write files: in a folder of their own, gone afterwards. */
int main(int argc, char **argv)
{
    static const char *const files[] = {
        "leat_remap_old.txt",  "leat_remap_new.txt",    "leat_remap_gap.txt",
        "leat_remap_gap2.txt", "leat_remap_ckpt.index", "leat_remap_ckpt.data-00000-of-00001"};
    char folder[] = "/tmp/leat-remap-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        perror(folder);
        return 1;
    }
    const int rc = op_scripts_main(scripts, ARRAY_LEN(scripts), argc, argv);
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        (void)unlink(files[i]);
    if (chdir("/") != 0 || rmdir(folder) != 0)
        perror(folder);
    return rc;
}
