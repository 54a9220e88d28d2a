/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: tables of all kinds, filled, found in, changed, exported, shared. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "op_case.h"
#include "op_script.h"

#define H64 "h = HashTableV2() key_dtype=int64 value_dtype=int64"
#define M64 "h = MutableHashTableV2() key_dtype=int64 value_dtype=float"
#define D64                                                                                        \
    "h = MutableDenseHashTableV2({int64 [] -1}, {int64 [] -2}) value_dtype=int64 "                 \
    "initial_num_buckets=8"

static const struct op_script scripts[] = {
    {.ops = "HashTableV2 InitializeTableV2 LookupTableFindV2 LookupTableSizeV2 "
            "LookupTableExportV2 LookupTableImportV2",
     .nodes = {H64, "size = LookupTableSizeV2(h)",
               "find = LookupTableFindV2(h, {int64 [2,2] 1 7 2 3}, {int64 [] -1})",
               "none = LookupTableFindV2(h, {int64 [0,2]}, {int64 [] -1})",
               "wrong = LookupTableFindV2(h, {int64 [1] 1}, {int64 [1] 0})",
               "kind = LookupTableFindV2(h, {int32 [1] 1}, {float [] inf})",
               "two = InitializeTableV2(h, {int64 [3] 1 2 1}, {int64 [3] 1 2 3})",
               "init = InitializeTableV2(h, {int64 [4] 7 2 1 7}, {int64 [4] 1 2 1 1})",
               "again = InitializeTableV2(h, {int64 [3] 7 8 9}, {int64 [3] 1 1 1})",
               "other = LookupTableImportV2(h, {int64 [2] 7 8}, {int64 [2] 1 2})",
               "all = LookupTableExportV2(h) Tkeys=int64 Tvalues=int64",
               "put = LookupTableInsertV2(h, {int64 [1] 7}, {int64 [1] 1})",
               "drop = LookupTableRemoveV2(h, {int64 [1] 7})"},
     .runs = {"size -> int64 [] 0", "find ! FAILED_PRECONDITION: Table not initialized.",
              "all ! ABORTED: HashTable is not initialized.",
              "two ! FAILED_PRECONDITION: HashTable has different value for same key. Key 1 has 1 "
              "and trying to add value 3",
              "size -> int64 [] 0", "init", "size -> int64 [] 3", "again",
              "other ! FAILED_PRECONDITION: Table was already initialized with different data.",
              "find none -> int64 [2,2] 1 1 2 -1 | int64 [0,2]",
              "wrong ! INVALID_ARGUMENT: Expected shape [] for default value, got [1]",
              "kind ! INVALID_ARGUMENT: Signature mismatch, have: resource, int32, float->float "
              "expected: resource, int64, int64->int64",
              "all all:1 -> int64 [3] 1 2 7 | int64 [3] 1 2 1",
              "put ! UNIMPLEMENTED: Insert not supported",
              "drop ! UNIMPLEMENTED: Remove not supported"}},
    {.ops = "HashTableV2 InitializeTableV2",
     .nodes = {H64, "k = Feed({int64 [1,2] 1 2})", "v = Feed({int64 [3] 1 2 3})",
               "e = InitializeTableV2(h, {int64 [0]}, {int64 [0]})",
               "find = LookupTableFindV2(h, {int64 [] 1}, {int64 [] 5})",
               "f = InitializeTableV2(h, {float [1] nan}, {float [1] 1})"},
     .runs = {"f ! INVALID_ARGUMENT: Signature mismatch", "e", "find -> int64 [] 5"}},
    {.ops = "HashTable InitializeTable LookupTableFind LookupTableSize LookupTableExport "
            "LookupTableImport",
     .nodes = {"h = HashTable() key_dtype=string value_dtype=float",
               "init = InitializeTable(h, {string [2] 'b' 'a'}, {float [2] nan -0.0})",
               "find = LookupTableFind(h, {string [3] 'a' 'b' 'c'}, {float [] inf}, ^init)",
               "none = LookupTableFind(h, {string [0]}, {float [] inf}, ^init)",
               "size = LookupTableSize(h)", "all = LookupTableExport(h) Tkeys=string Tvalues=float",
               "same = LookupTableImport(h, {string [2] 'b' 'a'}, {float [2] nan inf})",
               "more = LookupTableImport(h, {string [0]}, {float [0]})",
               "nil = InitializeTable(h, {string [0]}, {float [0]})",
               "inum = InitializeTable(h, {int64 [0]}, {float [0]})",
               "numb = LookupTableFind(h, {int64 [0]}, {float [0]})"},
     .runs = {"size -> int64 [] 0", "find none -> float [3] -0.0 nan inf | float [0]",
              "size -> int64 [] 2", "all all:1 -> string [2] 'a' 'b' | float [2] -0.0 nan", "same",
              "more ! FAILED_PRECONDITION: Table was already initialized with different data.",
              "nil ! FAILED_PRECONDITION", "inum ! INVALID_ARGUMENT: string_ref",
              "numb ! INVALID_ARGUMENT"}},
    {.ops = "MutableHashTableV2 LookupTableInsertV2 LookupTableRemoveV2 LookupTableImportV2 "
            "LookupTableExportV2 LookupTableFindV2",
     .nodes = {M64, "f = LookupTableFindV2(h, {int64 [1,3] 1 2 9}, {float [] nan})",
               "put = LookupTableInsertV2(h, {int64 [3] 1 2 1}, {float [3] 1 inf 3})",
               "one = LookupTableInsertV2(h, {int64 [] 5}, {float [] 6})",
               "nil = LookupTableInsertV2(h, {int64 [0,3]}, {float [0,3]})",
               "bad = LookupTableInsertV2(h, {int64 [1] 5}, {float [2] 6 7})",
               "drop = LookupTableRemoveV2(h, {int64 [2] 1 77})",
               "zero = LookupTableRemoveV2(h, {int64 [0]})",
               "new = LookupTableImportV2(h, {int64 [2] 20 10}, {float [2] 1 -inf})",
               "init = InitializeTableV2(h, {int64 [1] 1}, {float [1] 1})",
               "size = LookupTableSizeV2(h)",
               "all = LookupTableExportV2(h) Tkeys=int64 Tvalues=float"},
     .runs = {"f -> float [1,3] nan nan nan", "all all:1 -> int64 [0] | float [0]", "put", "one",
              "nil", "bad ! INVALID_ARGUMENT: Expected shape [1] for value, got [2]",
              "f -> float [1,3] 3 inf nan", "all all:1 -> int64 [3] 1 2 5 | float [3] 3 inf 6",
              "drop", "zero", "all all:1 -> int64 [2] 2 5 | float [2] inf 6", "new",
              "all all:1 size -> int64 [2] 10 20 | float [2] -inf 1 | int64 [] 2",
              "init ! INVALID_ARGUMENT: is not initializable"}},
    {.ops = "MutableHashTable LookupTableInsert LookupTableImport LookupTableFind",
     .nodes = {"h = MutableHashTable() key_dtype=int32 value_dtype=double",
               "put = LookupTableInsert(h, {int32 [2] -1 3}, {double [2] inf nan})",
               "nil = LookupTableInsert(h, {int32 [0]}, {double [0]})",
               "f = LookupTableFind(h, {int32 [3] 3 -1 4}, {double [] 2})",
               "set = LookupTableImport(h, {int32 [1] 4}, {double [1] nan})",
               "init = InitializeTable(h, {int32 [1] 4}, {double [1] nan})"},
     .runs = {"put", "nil", "f -> double [3] nan inf 2", "set", "f -> double [3] 2 2 nan",
              "init ! INVALID_ARGUMENT: is not initializable"}},
    {.ops = "MutableHashTableOfTensorsV2",
     .nodes = {"h = MutableHashTableOfTensorsV2() key_dtype=string value_dtype=int64 "
               "value_shape:[2]",
               "f = LookupTableFindV2(h, {string [1,2] 'k' 'a much longer key than fits inside'}, "
               "{int64 [2] -1 -2})",
               "put = LookupTableInsertV2(h, {string [2] 'a much longer key than fits inside' ''}, "
               "{int64 [2,2] 1 2 3 4})",
               "bad = LookupTableInsertV2(h, {string [1] 'a'}, {int64 [1] 1})",
               "all = LookupTableExportV2(h) Tkeys=string Tvalues=int64",
               "cut = LookupTableFindV2(h, {string [1] 'a'}, {int64 [] 1})"},
     .runs = {"f -> int64 [1,2,2] -1 -2 -1 -2", "put", "f -> int64 [1,2,2] -1 -2 1 2",
              "all all:1 -> string [2] '' 'a much longer key than fits inside' | int64 [2,2] 3 4 1 "
              "2",
              "bad ! INVALID_ARGUMENT: Expected shape [1,2] for value, got [1]",
              "cut ! INVALID_ARGUMENT: Expected shape [2] for default value, got []"}},
    {.ops = "MutableHashTableOfTensors",
     .nodes = {"h = MutableHashTableOfTensors() key_dtype=int64 value_dtype=string value_shape:[1]",
               "put = LookupTableInsert(h, {int64 [2] 1 2}, {string [2,1] 'x' 'y'})",
               "f = LookupTableFind(h, {int64 [3] 2 1 0}, {string [1] '?'})",
               "none = MutableHashTableOfTensors() key_dtype=int64 value_dtype=string",
               "size = LookupTableSize(none)"},
     .runs = {"put", "f -> string [3,1] 'y' 'x' '?'",
              "size ! INVALID_ARGUMENT: Default value must be a vector, got shape []"}},
    {.ops = "MutableDenseHashTableV2 LookupTableExportV2 LookupTableRemoveV2 LookupTableInsertV2",
     .nodes = {D64, "all = LookupTableExportV2(h) Tkeys=int64 Tvalues=int64",
               "put = LookupTableInsertV2(h, {int64 [5] 8 16 1 3 8}, {int64 [5] 1 2 3 4 5})",
               "seven = LookupTableInsertV2(h, {int64 [] -7}, {int64 [] 1})",
               "more = LookupTableInsertV2(h, {int64 [1] 24}, {int64 [1] 1})",
               "drop = LookupTableRemoveV2(h, {int64 [2] 8 100})",
               "f = LookupTableFindV2(h, {int64 [3] 24 8 1}, {int64 [] 9})",
               "free = LookupTableFindV2(h, {int64 [1] -1}, {int64 [] 9})",
               "gone = LookupTableInsertV2(h, {int64 [1] -2}, {int64 [1] 9})",
               "size = LookupTableSizeV2(h)"},
     .runs = {"all all:1 -> int64 [8,1] -1 | int64 [8,1] 0", "put",
              "all all:1 -> int64 [8,1] 8 16 1 3 -1 -1 -1 -1 | int64 [8,1] 5 2 3 4 0 0 0 0",
              "seven",
              "all all:1 -> int64 [8,1] 8 16 1 3 -7 -1 -1 -1 | int64 [8,1] 5 2 3 4 1 0 0 0", "more",
              "more",
              "all all:1 -> int64 [16,1] 16 1 -1 3 -1 -1 -1 -1 8 -7 -1 24 -1 -1 -1 -1 | "
              "int64 [16,1] 2 3 0 4 0 0 0 0 5 1 0 1 0 0 0 0",
              "drop",
              "all all:1 -> int64 [16,1] 16 1 -1 3 -1 -1 -1 -1 -2 -7 -1 24 -1 -1 -1 -1 | "
              "int64 [16,1] 2 3 0 4 0 0 0 0 5 1 0 1 0 0 0 0",
              "more", "size f -> int64 [] 5 | int64 [3] 1 9 3",
              "free ! INVALID_ARGUMENT: Using the empty_key as a table key is not allowed",
              "gone ! INVALID_ARGUMENT: Using the deleted_key as a table key is not allowed"}},
    {.ops = "MutableDenseHashTableV2",
     .nodes = {"h = MutableDenseHashTableV2({int64 [2] -1}, {int64 [2] -2}) value_dtype=float "
               "value_shape:[3] initial_num_buckets=8",
               "put = LookupTableInsertV2(h, {int64 [3,2] 1 2 3 4 1 -1}, "
               "{float [3,3] 0 1 2 3 4 5 6 7 8})",
               "all = LookupTableExportV2(h) Tkeys=int64 Tvalues=float",
               "f = LookupTableFindV2(h, {int64 [2,2] 1 2 5 6}, {float [3] nan inf 3})",
               "nil = LookupTableFindV2(h, {int64 [0,2]}, {float [3] nan inf 3})",
               "one = LookupTableFindV2(h, {int64 [2] 1 2}, {float [3] 1 2 3})",
               "cut = LookupTableFindV2(h, {int64 [1] 1}, {float [3] 1 2 3})"},
     .runs = {"put",
              "all all:1 -> int64 [8,2] -1 -1 -1 -1 -1 -1 1 2 -1 -1 -1 -1 1 -1 3 4 | "
              "float [8,3] 0 0 0 0 0 0 0 0 0 0 1 2 0 0 0 0 0 0 6 7 8 3 4 5",
              "f nil -> float [2,3] 0 1 2 nan inf 3 | float [0,3]",
              "one ! INVALID_ARGUMENT: Expected key shape [2,2] got [2]",
              "cut ! INVALID_ARGUMENT: Input key shape [1] must end with the table's key shape "
              "[2]"}},
    {.ops = "MutableDenseHashTableV2",
     .nodes = {"h = MutableDenseHashTableV2({string [] 'E'}, {string [] 'D'}) value_dtype=int64 "
               "initial_num_buckets=8",
               "put = LookupTableInsertV2(h, {string [4] 'a' 'bc' 'hello world, this is' ''}, "
               "{int64 [4] 1 2 3 4})",
               "all = LookupTableExportV2(h) Tkeys=string Tvalues=int64"},
     .runs = {"put", "all all:1 -> string [8,1] 'hello world, this is' 'E' 'E' '' 'a' 'E' 'bc' 'E' "
                     "| int64 [8,1] 3 0 0 4 1 0 2 0"}},
    {.ops = "MutableDenseHashTableV2 LookupTableImportV2",
     .nodes = {D64, "t = MutableHashTable() key_dtype=int64 value_dtype=int64",
               "fill = LookupTableInsert(t, {int64 [4] 4 1 -2 -1}, {int64 [4] 4 1 -2 -1})",
               "keys = LookupTableFind(t, {int64 [4,1] 4 1 -2 -1}, {int64 [] 9}, ^fill)",
               "vals = LookupTableFind(t, {int64 [4,1] 4 1 -2 -1}, {int64 [] 9}, ^fill)",
               "three = LookupTableFind(t, {int64 [3,1] 4 1 -2}, {int64 [] 9}, ^fill)",
               "new = LookupTableImportV2(h, keys, vals)",
               "odd = LookupTableImportV2(h, three, three)",
               "flat = LookupTableImportV2(h, {int64 [4] 1}, {int64 [4] 1})",
               "put = LookupTableInsertV2(h, {int64 [1] 2}, {int64 [1] 7})",
               "f = LookupTableFindV2(h, {int64 [3] 4 1 2}, {int64 [] 9})",
               "all = LookupTableExportV2(h) Tkeys=int64 Tvalues=int64",
               "size = LookupTableSizeV2(h)"},
     .runs = {"new", "size f -> int64 [] 2 | int64 [3] 4 1 9",
              "odd ! INVALID_ARGUMENT: An import has a power of two of buckets, not 3",
              "flat ! INVALID_ARGUMENT: Expected shape [1] for value, got [4]", "put",
              "all all:1 f -> int64 [4,1] 4 1 2 -1 | int64 [4,1] 4 1 7 -1 | int64 [3] 4 1 7"}},
    {.ops = "MutableDenseHashTable",
     .nodes = {"h = MutableDenseHashTable({string [] ''}) value_dtype=float",
               "none = LookupTableFind(h, {string [0]}, {float [] inf})"},
     .runs = {"none ! INVALID_ARGUMENT: Unknown input name: deleted_key"}},
    {.ops = "MutableDenseHashTableV2",
     .nodes = {"a = MutableDenseHashTableV2({int32 [] 1}, {int32 [] 1}) value_dtype=int32",
               "b = MutableDenseHashTableV2({int32 [0]}, {int32 [0]}) value_dtype=int32",
               "c = MutableDenseHashTableV2({int32 [] 1}, {int32 [] 2}) value_dtype=int32 "
               "initial_num_buckets=6",
               "d = MutableDenseHashTableV2({int32 [] 1}, {int32 [] 2}) value_dtype=int32 "
               "max_load_factor=1.0",
               "e = MutableDenseHashTableV2({int32 [1] 1}, {int32 [] 2}) value_dtype=int32",
               "f = MutableDenseHashTableV2({int32 [] 1}, {int32 [] 2}) value_dtype=int32 "
               "value_shape:[2,3]",
               "g = MutableDenseHashTableV2({int32 [] 1}, {int32 [] 2}) value_dtype=int32 "
               "initial_num_buckets=4611686018427387904"},
     .runs = {"a ! INVALID_ARGUMENT: Empty and deleted keys cannot be equal",
              "b ! INVALID_ARGUMENT",
              "c ! INVALID_ARGUMENT: Number of buckets must be at least 4 and a power of 2, got: 6",
              "d ! INVALID_ARGUMENT: max_load_factor must be between 0 and 1, got: 1",
              "e ! INVALID_ARGUMENT: Empty and deleted keys must have same shape, got shapes: [1] "
              "and []",
              "f ! INVALID_ARGUMENT: Empty value must be a scalar or a vector, got shape [2,3]",
              "g ! RESOURCE_EXHAUSTED"}},
    {.ops = "HashTableV2 MutableHashTableV2",
     .nodes = {"a = MutableHashTableV2() key_dtype=int64 value_dtype=float shared_name='t'",
               "b = MutableHashTableV2() key_dtype=int64 value_dtype=float shared_name='t'",
               "other = HashTableV2() key_dtype=string value_dtype=int64 shared_name='t'",
               "own = MutableHashTableV2() key_dtype=int64 value_dtype=float",
               "c = MutableHashTableV2() key_dtype=int64 value_dtype=float shared_name='t' "
               "container='elsewhere'",
               "put = LookupTableInsertV2(a, {int64 [1] 1}, {float [1] 2})",
               "f = LookupTableFindV2(b, {int64 [1] 1}, {float [] 0})",
               "g = LookupTableFindV2(own, {int64 [1] 1}, {float [] 0})",
               "i = LookupTableFindV2(c, {int64 [1] 1}, {float [] 0})"},
     .runs = {"put", "f g i -> float [1] 2 | float [1] 0 | float [1] 0",
              "other ! INVALID_ARGUMENT: Conflicting key/value dtypes string->int64 with "
              "int64-float for table t"}},
    {.ops = "LookupTableFindV2",
     .nodes = {M64, "f = LookupTableFindV2(h, {int32 [1] 1}, {float [] 0})"},
     .runs = {"building ! INVALID_ARGUMENT: Trying to read value with wrong dtype. Expected int64 "
              "got int32"}},
    {.ops = "InitializeTableFromTextFileV2",
     .nodes = {"name = Const() dtype=string value=(string [] 'leat_table_lines.txt')",
               "text = Const() dtype=string value=(string [] 'a\tb\t1\nc\td\t2\r\ne\tf\t3\n')",
               "write = WriteFile(name, text)",
               "h = HashTableV2() key_dtype=string value_dtype=int64",
               "g = HashTableV2() key_dtype=int64 value_dtype=string",
               "w = HashTableV2() key_dtype=string value_dtype=float",
               "ih = InitializeTableFromTextFileV2(h, name) key_index=0 value_index=-1",
               "ig = InitializeTableFromTextFileV2(g, name) key_index=-1 value_index=-2 "
               "vocab_size=2",
               "iw = InitializeTableFromTextFileV2(w, name) key_index=1 value_index=2",
               "few = InitializeTableFromTextFileV2(h, name) key_index=0 value_index=3",
               "bad = InitializeTableFromTextFileV2(h, name) key_index=0 value_index=1",
               "big = InitializeTableFromTextFileV2(h, name) key_index=0 value_index=-1 "
               "vocab_size=4",
               "no = InitializeTableFromTextFileV2(h, {string [] '/nowhere/at/all'}) key_index=0 "
               "value_index=-1",
               "sep = InitializeTableFromTextFileV2(h, name) key_index=0 value_index=-1 "
               "delimiter='ab'",
               "ah = LookupTableExportV2(h) Tkeys=string Tvalues=int64",
               "ag = LookupTableExportV2(g) Tkeys=int64 Tvalues=string",
               "aw = LookupTableExportV2(w) Tkeys=string Tvalues=float"},
     .runs = {"write", "few ! INVALID_ARGUMENT: Invalid number of columns in",
              "bad ! INVALID_ARGUMENT: Field b in line 0 is not a valid int64.",
              "big ! INVALID_ARGUMENT: expected 4 but got 3", "no ! NOT_FOUND: /nowhere/at/all",
              "sep ! INVALID_ARGUMENT: delimiter should be only 1 char", "ih", "ig", "iw", "ih",
              "ah ah:1 -> string [3] 'a' 'c' 'e' | int64 [3] 0 1 2",
              "ag ag:1 -> int64 [2] 0 1 | string [2] 'a\tb\t1' 'c\td\t2'",
              "aw aw:1 -> string [3] 'b' 'd' 'f' | float [3] 1 2 3"}},
    {.ops = "InitializeTableFromTextFile",
     .nodes = {"name = Const() dtype=string value=(string [] 'leat_table_words.txt')",
               "write = WriteFile(name, {string [] 'x\n\nz'})",
               "h = HashTable() key_dtype=string value_dtype=int64",
               "i = InitializeTableFromTextFile(h, name) key_index=-2 value_index=-1",
               "j = InitializeTableFromTextFile(h, name) key_index=-2 value_index=-1 vocab_size=1",
               "k = InitializeTableFromTextFile(h, {string [] ''}) key_index=-2 value_index=-1",
               "m = InitializeTableFromTextFile(h, name) key_index=-2 value_index=-2",
               "size = LookupTableSize(h)"},
     .runs = {"write", "i ! INVALID_ARGUMENT: empty line found at position 3.",
              "k ! INVALID_ARGUMENT: filename cannot be empty.",
              "m ! INVALID_ARGUMENT: Value index for whole line requires table value dtype of "
              "string, got int64",
              "j", "size -> int64 [] 1"}},
};

/* The scripts' files lie in a folder of their own. */
int main(int argc, char **argv)
{
    const char *tmp = getenv("TMPDIR");
    char dir[4096];
    snprintf(dir, sizeof dir, "%s/leat-lookup-XXXXXX", tmp && tmp[0] ? tmp : "/tmp");
    if (!mkdtemp(dir) || chdir(dir)) {
        perror(dir);
        return 1;
    }
    int rc = op_scripts_main(scripts, ARRAY_LEN(scripts), argc, argv);
    unlink("leat_table_lines.txt");
    unlink("leat_table_words.txt");
    if (chdir("/") || rmdir(dir))
        perror(dir);
    return rc;
}
