/* The fastest Cloud Storage that TensorFlow could meet: ends TLS, reads, discards, answers.
 *
 *     tls_sink PORT LEAF.pem
 *
 * A CONNECT proxy on loopback that answers every tunnel itself. It knows two requests: one that
 * starts a resumable upload gets a session to send to, anything else a small JSON object. Bodies
 * are read, by length or in chunks, and forgotten. One process per connection.
 */
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 1 << 18 };

struct stream {
    SSL *tls;
    char data[BUFFER];
    int start, end;
};

static int fill(struct stream *stream) {
    stream->start = 0;
    stream->end = SSL_read(stream->tls, stream->data, BUFFER);
    return stream->end > 0;
}

static int next_line(struct stream *stream, char *line, int size) {
    int length = 0;
    for (;;) {
        if (stream->start == stream->end && !fill(stream)) return -1;
        char c = stream->data[stream->start++];
        if (c == '\n') break;
        if (c != '\r' && length < size - 1) line[length++] = c;
    }
    line[length] = 0;
    return length;
}

static int skip(struct stream *stream, long count) {
    while (count > 0) {
        if (stream->start == stream->end && !fill(stream)) return 0;
        long here = stream->end - stream->start;
        if (here > count) here = count;
        stream->start += here;
        count -= here;
    }
    return 1;
}

static int skip_chunks(struct stream *stream) {
    char line[64];
    for (;;) {
        if (next_line(stream, line, sizeof line) < 0) return 0;
        long size = strtol(line, NULL, 16);
        if (!skip(stream, size) || next_line(stream, line, sizeof line) < 0) return 0;
        if (size == 0) return 1;
    }
}

static void answer(struct stream *stream, const char *head, const char *body) {
    char text[1024];
    int length = snprintf(text, sizeof text,
                          "HTTP/1.1 200 OK\r\n%sContent-Type: application/json\r\n"
                          "Content-Length: %zu\r\n\r\n%s",
                          head, strlen(body), body);
    SSL_write(stream->tls, text, length);
}

static void serve(struct stream *stream) {
    char first[4096], line[4096];
    while (next_line(stream, first, sizeof first) > 0) {
        long length = 0;
        int chunked = 0;
        while (next_line(stream, line, sizeof line) > 0) {
            if (!strncasecmp(line, "content-length:", 15)) length = atol(line + 15);
            if (!strncasecmp(line, "transfer-encoding: chunked", 26)) chunked = 1;
            if (!strncasecmp(line, "expect: 100", 11))
                SSL_write(stream->tls, "HTTP/1.1 100 Continue\r\n\r\n", 25);
        }
        if (chunked ? !skip_chunks(stream) : !skip(stream, length)) return;
        if (strstr(first, "uploadType=resumable") && !strncmp(first, "POST", 4))
            answer(stream, "Location: https://www.googleapis.com/upload/session\r\n", "{}");
        else
            answer(stream, "", "{\"name\": \"x\", \"size\": \"1\", \"generation\": \"1\"}");
    }
}

int main(int count, char **words) {
    if (count != 3) return fprintf(stderr, "usage: tls_sink PORT LEAF.pem\n"), 2;
    signal(SIGCHLD, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (SSL_CTX_use_certificate_chain_file(context, words[2]) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, words[2], SSL_FILETYPE_PEM) != 1)
        return fprintf(stderr, "tls_sink: cannot read %s\n", words[2]), 2;
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(words[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 16))
        return perror("tls_sink"), 2;
    for (;;) {
        int peer = accept(listener, NULL, NULL);
        if (peer < 0 || fork()) {
            close(peer);
            continue;
        }
        char request[4096];
        if (read(peer, request, sizeof request) <= 0) return 0;
        if (write(peer, "HTTP/1.1 200 OK\r\n\r\n", 19) != 19) return 0;
        struct stream *stream = calloc(1, sizeof *stream);
        stream->tls = SSL_new(context);
        SSL_set_fd(stream->tls, peer);
        if (SSL_accept(stream->tls) == 1) serve(stream);
        return 0;
    }
}
