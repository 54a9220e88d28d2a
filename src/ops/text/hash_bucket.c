/* SPDX-License-Identifier: Apache-2.0 */
/* StringToHashBucket, ...Fast and ...Strong: the hash of each string, modulo a number of buckets.
 * The values are TensorFlow's: models are trained on them. */
#include "codec/hash.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/text/text.h"

struct bucket {
    uint64_t num;
    uint64_t key[2]; /* of Strong */
};

static bool bucket_init(struct kernel *k, void *state, struct status *st)
{
    struct bucket *s = state;
    (void)st;
    s->num = (uint64_t)attrs_int(k->attrs, "num_buckets");
    return true;
}

static bool strong_init(struct kernel *k, void *state, struct status *st)
{
    struct bucket *s = state;
    const struct attr_value *key = attrs_list(k->attrs, "key");
    if (key->n != 2)
        return status_invalid(st, "Key must have 2 elements");
    s->key[0] = (uint64_t)key->is[0];
    s->key[1] = (uint64_t)key->is[1];
    return bucket_init(k, state, st);
}

static bool hash_all(struct kctx *c, uint64_t (*hash)(struct str s, const struct bucket *b),
                     struct status *st)
{
    const struct bucket *b = kernel_state(c);
    const struct tensor *in = kernel_in(c, 0);
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    for (int64_t i = 0; out && i < in->num_elems; i++)
        tensor_i64(out)[i] = (int64_t)(hash(tstr_view(&tensor_str(in)[i]), b) % b->num);
    return out != NULL;
}

static uint64_t plain(struct str s, const struct bucket *b)
{
    (void)b;
    return hash_murmur64(s, 0xdecafcaffe);
}
static uint64_t fast(struct str s, const struct bucket *b)
{
    (void)b;
    return hash_farm64(s);
}
static uint64_t strong(struct str s, const struct bucket *b)
{
    return hash_sip24(s, b->key);
}

static bool plain_run(struct kctx *c, struct status *st)
{
    return hash_all(c, plain, st);
}
static bool fast_run(struct kctx *c, struct status *st)
{
    return hash_all(c, fast, st);
}
static bool strong_run(struct kctx *c, struct status *st)
{
    return hash_all(c, strong, st);
}

OP_DEF(string_to_hash_bucket) = {
    .name = "StringToHashBucket",
    .summary = "A bucket for each string, by a hash that later versions may change.",
    .inputs = {"string_tensor: string"},
    .outputs = {"output: int64"},
    .attrs = {"num_buckets: int >= 1"},
    .shape = infer_unchanged,
    .no_grad = "strings have no gradient",
};
KERNEL_DEF(string_to_hash_bucket_cpu) = {.op = "StringToHashBucket",
                                         .device = "CPU",
                                         .state_bytes = sizeof(struct bucket),
                                         .init = bucket_init,
                                         .run = plain_run};

OP_DEF(string_to_hash_bucket_fast) = {
    .name = "StringToHashBucketFast",
    .summary = "A bucket for each string, by FarmHash's Fingerprint64.",
    .inputs = {"input: string"},
    .outputs = {"output: int64"},
    .attrs = {"num_buckets: int >= 1"},
    .shape = infer_unchanged,
    .no_grad = "strings have no gradient",
};
KERNEL_DEF(string_to_hash_bucket_fast_cpu) = {.op = "StringToHashBucketFast",
                                              .device = "CPU",
                                              .state_bytes = sizeof(struct bucket),
                                              .init = bucket_init,
                                              .run = fast_run};

OP_DEF(string_to_hash_bucket_strong) = {
    .name = "StringToHashBucketStrong",
    .summary = "A bucket for each string, by SipHash-2-4 under a key of two words.",
    .inputs = {"input: string"},
    .outputs = {"output: int64"},
    .attrs = {"num_buckets: int >= 1", "key: list(int)"},
    .shape = infer_unchanged,
    .no_grad = "strings have no gradient",
};
KERNEL_DEF(string_to_hash_bucket_strong_cpu) = {.op = "StringToHashBucketStrong",
                                                .device = "CPU",
                                                .state_bytes = sizeof(struct bucket),
                                                .init = strong_init,
                                                .run = strong_run};
