/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the readers of pictures: each by each file, whatever its first bytes say. What is read is
 * summed up, so that pixels that nobody wrote are seen. */
/* needs: png, jpeg, gif */
#include <stdlib.h>

#include "codec/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 1 << 20 };

struct place {
    uint8_t *pixels;
    size_t n;
};

static void *give(void *arg, const struct picture_size *s, struct status *st)
{
    struct place *p = arg;
    const int64_t frames = s->frames ? s->frames : 1;
    if (p->pixels || s->height < 1 || s->width < 1 || s->channels < 1 || s->channels > 4 ||
        frames * s->height * s->width > PICTURE_MAX_BYTES)
        abort();
    if (frames * s->height * s->width * s->channels > ROOM) {
        status_exhausted(st, "no room");
        return NULL;
    }
    p->n = (size_t)(frames * s->height * s->width * s->channels);
    p->pixels = malloc(p->n);
    if (!p->pixels)
        abort();
    return p->pixels;
}

static void finish(bool ok, struct place *p, struct status *st)
{
    unsigned sum = 0;
    for (size_t i = 0; ok && i < p->n; i++)
        sum += p->pixels[i];
    if (sum > 255 * p->n || ok != (st->code == STATUS_OK))
        abort();
    free(p->pixels);
    status_clear(st);
    *p = (struct place){0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int channels[] = {0, 1, 3, 4};
    const struct str file = {(const char *)data, size};
    struct status st = {0};
    struct place p = {0};
    const struct picture_room room = {give, &p};
    for (int i = 0; i < 4; i++) {
        const struct jpeg_reading how = {.channels = channels[i],
                                         .ratio = 1 << i,
                                         .try_recover = i % 2,
                                         .crop = i == 2,
                                         .crop_height = 1,
                                         .crop_width = 1};
        finish(png_decode(file, channels[i], false, room, &st), &p, &st);
        finish(jpeg_decode(file, &how, room, &st), &p, &st);
    }
    finish(gif_decode(file, room, &st), &p, &st);
    finish(bmp_decode(file, 0, room, &st), &p, &st);
    return 0;
}
