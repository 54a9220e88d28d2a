/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: candidate samplers. With a seed the numbers are TensorFlow's own; tests/interop
 * compares later steps too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "op_case.h"

#define UNIGRAMS "unigrams=[5.0,4.0,3.0,2.0,1.0] "

static char vocab_attrs[256], bad_attrs[256];

static struct op_case cases[] = {
    {.op = "UniformCandidateSampler",
     .attrs = "num_true=2 num_sampled=5 unique=false range_max=16 seed=3 seed2=7",
     .in = {"int64 [2,2] 1 2 0 9"},
     .out = {"int64 [5] 8 5 10 3 1", "float [2,2] 0.3125", "float [5] 0.3125"}},
    {.op = "UniformCandidateSampler",
     .attrs = "num_true=2 num_sampled=5 unique=true range_max=10 seed=3 seed2=7",
     .in = {"? int64 [2,2] 1 2 0 9"},
     .out = {"int64 [5] 2 3 4 7 1", "float [2,2] 0.5", "float [5] 0.5"}},
    {.op = "UniformCandidateSampler",
     .attrs = "num_true=2 num_sampled=3 unique=true range_max=2",
     .in = {"int64 [0,2]"},
     .error = "INVALID_ARGUMENT: Sampler's range is too small."},
    {.op = "UniformCandidateSampler",
     .attrs = "num_true=2 num_sampled=3 unique=true range_max=5",
     .in = {"int64 [1,3] 1 2 3"},
     .error = "INVALID_ARGUMENT: true_classes must have num_true columns, expected: 3 was: 2"},
    {.op = "UniformCandidateSampler",
     .attrs = "num_true=2 num_sampled=3 unique=true range_max=5",
     .in = {"? int64 [2] 1 2"},
     .error = "INVALID_ARGUMENT: true_classes must be a matrix"},
    {.op = "UniformCandidateSampler",
     .attrs = "num_true=1 num_sampled=3 unique=false range_max=5",
     .in = {"int64 [1,1] 1"},
     .out = {"int64 [3] ~", "float [1,1] 0.6", "float [3] 0.6"},
     .note = "unseeded"},
    {.op = "LogUniformCandidateSampler",
     .attrs = "num_true=2 num_sampled=5 unique=false range_max=10 seed=3 seed2=7",
     .in = {"int64 [2,2] 1 2 0 9"},
     .out = {"int64 [5] 6 0 6 3 4",
             "float [2,2] 0.8454604148864746 0.5998637080192566 1.445324182510376 "
             "0.19873715937137604",
             "float [5] 0.2784345746040344 1.445324182510376 0.2784345746040344 0.4652904272079468 "
             "0.38016998767852783"}},
    {.op = "LogUniformCandidateSampler",
     .attrs = "num_true=2 num_sampled=5 unique=true range_max=10 seed=3 seed2=7",
     .in = {"int64 [2,2] 1 2 0 9"},
     .out = {"int64 [5] 6 0 3 4 1",
             "float [2,2] 0.7727922201156616 0.6402763724327087 0.9347410798072815 "
             "0.2770906984806061",
             "float [5] 0.3676929175853729 0.9347410798072815 0.542242169380188 "
             "0.46881237626075745 0.7727922201156616"}},
    {.op = "LearnedUnigramCandidateSampler",
     .attrs = "num_true=2 num_sampled=5 unique=false range_max=10 seed=3 seed2=7",
     .in = {"int64 [2,2] 1 2 0 9"},
     .out = {"int64 [5] 6 6 3 0 4", "float [2,2] 0.5", "float [5] 0.5"}},
    {.op = "LearnedUnigramCandidateSampler",
     .attrs = "num_true=2 num_sampled=5 unique=false range_max=10",
     .in = {"int64 [1,2] 1 10"},
     .error = "INVALID_ARGUMENT: true_classes: 10 is not in [0, 10)"},
    {.op = "LearnedUnigramCandidateSampler",
     .attrs = "num_true=1 num_sampled=5 unique=false range_max=4294967296",
     .in = {"int64 [1,1] 1"},
     .error = "INVALID_ARGUMENT: range_max must be less than"},
    {.op = "ThreadUnsafeUnigramCandidateSampler",
     .attrs = "num_true=2 num_sampled=5 unique=true range_max=10 seed=3 seed2=7",
     .in = {"int64 [2,2] 1 2 0 9"},
     .out = {"int64 [5] 6 3 0 4 5", "float [2,2] 0.46855899691581726",
             "float [5] 0.46855899691581726"}},
    {.op = "FixedUnigramCandidateSampler",
     .attrs = "num_true=2 num_sampled=3 unique=true range_max=5 distortion=0.75 " UNIGRAMS
              "seed=3 seed2=7",
     .in = {"int64 [2,2] 1 2 0 4"},
     .out = {"int64 [3] 1 0 2",
             "float [2,2] 0.7690308690071106 0.6819219589233398 0.8323256969451904 "
             "0.3753490149974823",
             "float [3] 0.7690308690071106 0.8323256969451904 0.6819219589233398"}},
    {.op = "FixedUnigramCandidateSampler",
     .attrs = "num_true=2 num_sampled=4 unique=false range_max=3 num_shards=2 shard=0 "
              "num_reserved_ids=1 " UNIGRAMS "seed=3 seed2=7",
     .in = {"int64 [1,2] 1 0"},
     .out = {"int64 [4] 1 2 2 1", "float [1,2] 2.6666667461395264 0",
             "float [4] 2.6666667461395264 1.3333333730697632 1.3333333730697632 "
             "2.6666667461395264"}},
    {.op = "FixedUnigramCandidateSampler",
     .attrs = "num_true=2 num_sampled=3 unique=false range_max=5 unigrams=[1.0,1.0,1.0,1.0,1.0] "
              "seed=3 seed2=7",
     .in = {"int64 [2,2] 1 20 -5 99"},
     .out = {"int64 [3] 1 0 0", "float [2,2] 0.6 0 0 0", "float [3] 0.6"}},
    {.op = "FixedUnigramCandidateSampler",
     .attrs = "num_true=1 num_sampled=3 unique=false range_max=5 unigrams=[1.0]",
     .in = {"int64 [0,1]"},
     .error = "INVALID_ARGUMENT: range_max is 5, but there are 1 weights"},
    {.op = "FixedUnigramCandidateSampler",
     .attrs = "num_true=1 num_sampled=3 unique=false range_max=5",
     .in = {"int64 [0,1]"},
     .error = "INVALID_ARGUMENT: Must provide either vocab_file or unigrams."},
    {.op = "FixedUnigramCandidateSampler",
     .attrs = "num_true=1 num_sampled=3 unique=false range_max=5 vocab_file='/not/there' " UNIGRAMS,
     .in = {"int64 [0,1]"},
     .error = "INVALID_ARGUMENT: Must only provide one of vocab_file and unigrams."},
    {.op = "FixedUnigramCandidateSampler",
     .attrs = "num_true=1 num_sampled=3 unique=false range_max=5 vocab_file='/not/there'",
     .in = {"int64 [0,1]"},
     .error = "NOT_FOUND: /not/there"},
    {.op = "FixedUnigramCandidateSampler",
     .attrs = vocab_attrs,
     .in = {"int64 [1,2] 1 2"},
     .out = {"int64 [5] 0 2 1 0 0", "float [1,2] 1.9230769872665405 0.7692307829856873",
             "float [5] 2.307692289352417 0.7692307829856873 1.9230769872665405 2.307692289352417 "
             "2.307692289352417"}},
    {.op = "FixedUnigramCandidateSampler",
     .attrs = bad_attrs,
     .in = {"int64 [0,1]"},
     .error = "INVALID_ARGUMENT: Wrong vocabulary format at line: b"},
    {.op = "AllCandidateSampler",
     .attrs = "num_true=2 num_sampled=5 unique=true seed=3",
     .in = {"int64 [2,2] 1 2 0 9"},
     .out = {"int64 [5] 0 1 2 3 4", "float [2,2] 1", "float [5] 1"}},
    {.op = "ComputeAccidentalHits",
     .attrs = "num_true=2",
     .in = {"int64 [3,2] 1 2 0 9 2 2", "int64 [4] 2 2 9 5"},
     .out = {"int32 [4] 0 1 2 2", "int64 [4] 1 2 1 1", "float [4] -3.4028234663852886e+38"}},
    {.op = "ComputeAccidentalHits",
     .attrs = "num_true=2",
     .in = {"int64 [0,2]", "? int64 [0]"},
     .out = {"int32 [0]", "int64 [0]", "float [0]"}},
    {.op = "ComputeAccidentalHits",
     .attrs = "num_true=2",
     .in = {"? int64 [2] 1 2", "int64 [1] 2"},
     .error = "INVALID_ARGUMENT: true_candidates must be a batch_size * num_true matrix"},
    {.op = "ComputeAccidentalHits",
     .attrs = "num_true=1",
     .in = {"int64 [1,1] 1", "? int64 [1,1] 2"},
     .error = "INVALID_ARGUMENT: sampled_candidates must be a vector"},
};

/* Writes a vocabulary to a new file and the attrs that name it to attrs. */
static int make_vocab(const char *text, char path[64], const char *more, char attrs[256])
{
    snprintf(path, 64, "/tmp/leat-vocab-XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0)
        return 0;
    int ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    snprintf(attrs, 256, "%s vocab_file='%s'", more, path);
    return ok;
}

int main(int argc, char **argv)
{
    char good[64], bad[64];
    if (!make_vocab("a,3\nb,2.5\n\nc, 1 \r\nd,0", good,
                    "num_true=2 num_sampled=5 unique=false range_max=4 seed=3 seed2=7",
                    vocab_attrs) ||
        !make_vocab("a,3\nb\n", bad, "num_true=1 num_sampled=5 unique=false range_max=4",
                    bad_attrs)) {
        perror("test_candidates");
        return 1;
    }
    int result = op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
    unlink(good);
    unlink(bad);
    return result;
}
