package kernel

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"time"
)

// protocolVersion is that of the messages, https://jupyter-client.readthedocs.io/en/stable/messaging.html.
const protocolVersion = "5.4"

// delimiter stands between the identities of whom a message went through and its signature.
var delimiter = []byte("<IDS|MSG>")

// header says what a message is.
type header struct {
	ID       string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	Type     string `json:"msg_type"`
	Version  string `json:"version"`
}

// message is a request of a client. What is not ours stays as it came.
type message struct {
	ids     [][]byte // before the delimiter, without that of the peer
	header  header
	origin  json.RawMessage // the header as it came: the parent of what answers it
	content json.RawMessage
	size    int
}

// signer signs messages and checks signatures. The zero one does neither.
type signer struct {
	key  []byte
	hash func() hash.Hash
}

// newSigner takes the key and the name of the scheme from a connection file.
func newSigner(scheme, key string) (signer, error) {
	s := signer{key: []byte(key)}
	switch scheme {
	case "", "hmac-sha256":
		s.hash = sha256.New
	case "hmac-sha384":
		s.hash = sha512.New384
	case "hmac-sha512":
		s.hash = sha512.New
	default:
		return s, fmt.Errorf("signature_scheme %q is not known: there are hmac-sha256, hmac-sha384 and hmac-sha512", scheme)
	}
	return s, nil
}

// sign is the signature of four frames as it stands in a message.
func (s signer) sign(frames [][]byte) []byte {
	if len(s.key) == 0 {
		return []byte{}
	}
	mac := hmac.New(s.hash, s.key)
	for _, f := range frames {
		mac.Write(f)
	}
	return hex.AppendEncode(nil, mac.Sum(nil))
}

var errSignature = errors.New("its signature is wrong: it comes from somebody who does not know the key of the connection file")

// parse reads a request. Frames behind the content are buffers, which no request of ours has a use for.
func (s signer) parse(frames [][]byte) (*message, error) {
	at := -1
	for i, f := range frames {
		if bytes.Equal(f, delimiter) {
			at = i
			break
		}
	}
	if at < 0 || len(frames) < at+6 {
		return nil, fmt.Errorf("%d frames, of which %d stand before the delimiter, are no message", len(frames), max(at, 0))
	}
	signature, parts := frames[at+1], frames[at+2:at+6]
	if !hmac.Equal(signature, s.sign(parts)) {
		return nil, errSignature
	}
	m := &message{ids: frames[:at], origin: parts[0], content: parts[3]}
	for _, p := range parts {
		m.size += len(p)
	}
	if err := json.Unmarshal(parts[0], &m.header); err != nil {
		return nil, fmt.Errorf("its header is no JSON of a header: %w", err)
	}
	if m.header.Type == "" || m.header.ID == "" {
		return nil, errors.New("its header lacks msg_type or msg_id")
	}
	for i, name := range []string{"header", "parent header", "metadata", "content"} {
		if p := bytes.TrimLeft(parts[i], " \t\r\n"); len(p) == 0 || p[0] != '{' || !json.Valid(p) {
			return nil, fmt.Errorf("its %s is no JSON object", name)
		}
	}
	return m, nil
}

// emptyObject is the parent of what answers nothing.
var emptyObject = json.RawMessage("{}")

// compose makes the frames of a message, without identities.
func (s signer) compose(h header, parent json.RawMessage, metadata, content any) ([][]byte, error) {
	if len(parent) == 0 {
		parent = emptyObject
	}
	parts := [][]byte{nil, parent, nil, nil}
	for i, v := range map[int]any{0: h, 2: metadata, 3: content} {
		data, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", h.Type, err)
		}
		parts[i] = data
	}
	return append([][]byte{delimiter, s.sign(parts)}, parts...), nil
}

// newHeader is the header of a message of a session.
func newHeader(session, kind string) header {
	return header{ID: rand.Text(), Session: session, Username: "kernel", Type: kind, Version: protocolVersion,
		Date: time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")}
}
