/* journal.c - frames of bytes, each guarded by a hash.
 *
 * A frame is {head, payload}. A reader walks frames until one does not fit,
 * has the wrong magic, number or hash; whatever stands there is a tail that a
 * crash left. Records are packed as a bitmap of their non-zero 8-byte words
 * followed by those words: an infeasible point takes a fifth of its size. */
#include "record/journal.h"

#include <string.h>

#include "base/hash.h"
#include "base/version.h"

#define JOURNAL_MAGIC   0x4A534C54U /* "TLSJ" */
#define JOURNAL_MAX     ((size_t)1 << 30)
#define SYNC_SECONDS    2.0
#define RECORD_WORDS    (sizeof(struct record) / 8)
#define RECORD_BITMAP   ((RECORD_WORDS + 7) / 8)
#define RECORDS_A_FRAME 1024U

enum frame_kind { FRAME_START = 1, FRAME_RECORDS, FRAME_CHECKPOINT, FRAME_AHEAD };

struct frame_head {
    uint32_t magic, kind;
    uint64_t number, len;
    uint64_t hash; /* of magic .. len and the payload */
};

struct start_payload {
    uint64_t key;
    uint32_t format, model, record_bytes, reserved;
};

static uint64_t frame_hash(const struct frame_head *head, const void *payload)
{
    const uint64_t parts[2] = {hash_bytes(head, offsetof(struct frame_head, hash)),
                               hash_bytes(payload, (size_t)head->len)};
    return hash_bytes(parts, sizeof(parts));
}

static struct start_payload start_of(uint64_t key)
{
    return (struct start_payload){.key = key,
                                  .format = TILESCOPE_FORMAT,
                                  .model = TILESCOPE_MODEL,
                                  .record_bytes = (uint32_t)sizeof(struct record)};
}

static enum status append_frame(struct journal *j, enum frame_kind kind, const void *payload, size_t len,
                                struct diag *d)
{
    struct frame_head head = {.magic = JOURNAL_MAGIC, .kind = kind, .number = j->next, .len = len};
    head.hash = frame_hash(&head, payload);
    struct strbuf frame;
    strbuf_init(&frame);
    strbuf_add_n(&frame, (const char *)&head, sizeof(head));
    strbuf_add_n(&frame, payload, len);
    enum status st = frame.failed ? diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for a journal frame")
                                  : os_append(&j->file, frame.text, frame.len, d);
    if (st == STATUS_OK) {
        j->next++;
        j->bytes += frame.len;
    }
    strbuf_fini(&frame);
    return st;
}

/* ---- records ---- */

static void pack_record(const struct record *r, struct strbuf *out)
{
    uint64_t words[RECORD_WORDS];
    unsigned char bitmap[RECORD_BITMAP] = {0};
    memcpy(words, r, sizeof(words));
    for (size_t i = 0; i < RECORD_WORDS; i++) {
        bitmap[i / 8] |= (unsigned char)((words[i] != 0) << (i % 8));
    }
    strbuf_add_n(out, (const char *)bitmap, sizeof(bitmap));
    for (size_t i = 0; i < RECORD_WORDS; i++) {
        if (words[i]) {
            strbuf_add_n(out, (const char *)&words[i], 8);
        }
    }
}

/* @return bytes taken, 0 if they do not hold a record. */
static size_t unpack_record(const unsigned char *bytes, size_t len, struct record *r)
{
    uint64_t words[RECORD_WORDS] = {0};
    size_t at = RECORD_BITMAP;
    if (len < at) {
        return 0;
    }
    for (size_t i = 0; i < RECORD_WORDS; i++) {
        if (bytes[i / 8] >> (i % 8) & 1) {
            if (len - at < 8) {
                return 0;
            }
            memcpy(&words[i], bytes + at, 8);
            at += 8;
        }
    }
    memcpy(r, words, sizeof(*r));
    return at;
}

enum status journal_records(struct journal *j, const struct record *r, size_t n, struct diag *d)
{
    struct strbuf payload;
    strbuf_init(&payload);
    enum status st = STATUS_OK;
    for (size_t i = 0; i < n && st == STATUS_OK;) {
        strbuf_clear(&payload);
        for (size_t k = 0; k < RECORDS_A_FRAME && i < n; k++, i++) {
            pack_record(&r[i], &payload);
        }
        st = payload.failed ? diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for a journal frame")
                            : append_frame(j, FRAME_RECORDS, payload.text, payload.len, d);
    }
    strbuf_fini(&payload);
    return st;
}

enum status journal_checkpoint(struct journal *j, const void *bytes, size_t len, struct diag *d)
{
    TRY(append_frame(j, FRAME_CHECKPOINT, bytes, len, d));
    const double now = os_seconds();
    if (now - j->synced >= SYNC_SECONDS) {
        TRY(os_sync(&j->file, d));
        j->synced = now;
    }
    return STATUS_OK;
}

enum status journal_ahead(struct journal *j, const struct journal_point *p, struct diag *d)
{
    struct strbuf payload;
    strbuf_init(&payload);
    strbuf_add_n(&payload, (const char *)&p->point, sizeof(p->point));
    pack_record(&p->record, &payload);
    const enum status st = payload.failed ? diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for a journal frame")
                                          : append_frame(j, FRAME_AHEAD, payload.text, payload.len, d);
    strbuf_fini(&payload);
    return st;
}

/* ---- opening ---- */

enum status journal_create(const char *path, uint64_t key, struct journal *out, struct diag *d)
{
    *out = (struct journal){.file = {.fd = -1}, .synced = os_seconds()};
    TRY(os_open_append(path, &out->file, d));
    enum status st = os_truncate(&out->file, 0, d);
    if (st == STATUS_OK) {
        const struct start_payload start = start_of(key);
        st = append_frame(out, FRAME_START, &start, sizeof(start), d);
    }
    if (st != STATUS_OK) {
        journal_close(out);
    }
    return st;
}

/* The frame at `at`, NULL if none stands there whole. */
static const unsigned char *frame_at(const struct strbuf *text, size_t at, uint64_t number, struct frame_head *head)
{
    if (text->len - at < sizeof(*head)) {
        return NULL;
    }
    memcpy(head, text->text + at, sizeof(*head));
    const unsigned char *payload = (const unsigned char *)text->text + at + sizeof(*head);
    if (head->magic != JOURNAL_MAGIC || head->number != number || head->len > text->len - at - sizeof(*head) ||
        head->hash != frame_hash(head, payload)) {
        return NULL;
    }
    return payload;
}

/* End of the last final frame and the number of the frame after it; 0 if there is none. */
static size_t last_final(const struct strbuf *text, uint64_t *next)
{
    struct frame_head head;
    size_t end = 0;
    uint64_t number = 0;
    bool open = false; /* records stand there whose checkpoint is to come */
    for (size_t at = 0; frame_at(text, at, number, &head);) {
        at += sizeof(head) + (size_t)head.len;
        number++;
        open = head.kind == FRAME_RECORDS || (open && head.kind == FRAME_AHEAD);
        if (head.kind == FRAME_CHECKPOINT || (head.kind == FRAME_AHEAD && !open)) {
            end = at;
            *next = number;
        }
    }
    return end;
}

static enum status replay_records(const unsigned char *bytes, size_t len, const struct journal_visitor *v,
                                  struct diag *d)
{
    struct record r;
    for (size_t at = 0; at < len;) {
        const size_t n = unpack_record(bytes + at, len - at, &r);
        if (n == 0) {
            return diag_error(d, STATUS_IO, NULL, "a journal frame with a right hash holds no whole record");
        }
        TRY(v->record(v->ctx, &r));
        at += n;
    }
    return STATUS_OK;
}

static enum status replay_ahead(const unsigned char *bytes, size_t len, const struct journal_visitor *v, struct diag *d)
{
    struct journal_point p;
    if (len < sizeof(p.point) ||
        unpack_record(bytes + sizeof(p.point), len - sizeof(p.point), &p.record) != len - sizeof(p.point)) {
        return diag_error(d, STATUS_IO, NULL, "a journal frame with a right hash holds no whole record");
    }
    memcpy(&p.point, bytes, sizeof(p.point));
    return v->ahead ? v->ahead(v->ctx, &p) : STATUS_OK;
}

static enum status replay(const struct strbuf *text, size_t end, const struct journal_visitor *v, struct diag *d)
{
    struct frame_head head;
    uint64_t number = 0;
    for (size_t at = 0; at < end; number++) {
        const unsigned char *payload = frame_at(text, at, number, &head);
        if (head.kind == FRAME_RECORDS) {
            TRY(replay_records(payload, (size_t)head.len, v, d));
        } else if (head.kind == FRAME_CHECKPOINT) {
            TRY(v->checkpoint(v->ctx, payload, (size_t)head.len));
        } else if (head.kind == FRAME_AHEAD) {
            TRY(replay_ahead(payload, (size_t)head.len, v, d));
        }
        at += sizeof(head) + (size_t)head.len;
    }
    return STATUS_OK;
}

static enum journal_found look(const struct strbuf *text, uint64_t key, size_t *end, uint64_t *next)
{
    struct frame_head head;
    const unsigned char *payload = frame_at(text, 0, 0, &head);
    if (!payload) {
        return JOURNAL_ABSENT;
    }
    const struct start_payload want = start_of(key);
    if (head.kind != FRAME_START || head.len != sizeof(want) || memcmp(payload, &want, sizeof(want)) != 0) {
        return JOURNAL_FOREIGN;
    }
    *end = last_final(text, next);
    return *end ? JOURNAL_RESUMED : JOURNAL_ABSENT;
}

enum status journal_resume(const char *path, uint64_t key, const struct journal_visitor *v, struct journal *out,
                           enum journal_found *found, uint64_t *dropped, struct diag *d)
{
    *found = JOURNAL_ABSENT;
    *dropped = 0;
    if (!os_exists(path)) {
        return journal_create(path, key, out, d);
    }
    struct strbuf text;
    strbuf_init(&text);
    size_t end = 0;
    uint64_t next = 0;
    enum status st = os_read_file(path, JOURNAL_MAX, &text, d);
    if (st == STATUS_OK) {
        *found = look(&text, key, &end, &next);
        *dropped = text.len - end;
        if (*found == JOURNAL_RESUMED) {
            st = replay(&text, end, v, d);
        }
    }
    strbuf_fini(&text);
    if (st != STATUS_OK || *found != JOURNAL_RESUMED) {
        return st != STATUS_OK ? st : journal_create(path, key, out, d);
    }
    *out = (struct journal){.bytes = end, .next = next, .synced = os_seconds()};
    TRY(os_open_append(path, &out->file, d));
    st = os_truncate(&out->file, end, d);
    if (st != STATUS_OK) {
        journal_close(out);
    }
    return st;
}

void journal_close(struct journal *j)
{
    os_close(&j->file);
}
