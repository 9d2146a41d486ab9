// Package scram makes and reads the password secrets that pg_authid.rolpassword holds, in PostgreSQL's form:
//
//	SCRAM-SHA-256$4096:<salt>$<StoredKey>:<ServerKey>      (base64 each; RFC 5802, RFC 7677)
//
// The exchange with the client is pgwire's; this package is what CREATE ROLE ... PASSWORD needs too. It imports libraries only.
package scram

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/xdg-go/stringprep"
)

const (
	prefix            = "SCRAM-SHA-256$"
	DefaultIterations = 4096
	saltBytes         = 16
)

// Secret is a parsed SCRAM-SHA-256 secret.
type Secret struct {
	Iterations int
	Salt       []byte
	StoredKey  []byte // 32 bytes
	ServerKey  []byte // 32 bytes
}

// String is the form that is stored.
func (s *Secret) String() string {
	b64 := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("%s%d:%s$%s:%s", prefix, s.Iterations, b64(s.Salt), b64(s.StoredKey), b64(s.ServerKey))
}

// Build makes the secret of a password with a fresh salt.
func Build(password string) (*Secret, error) {
	salt := make([]byte, saltBytes)
	if _, err := rand.Read(salt); err != nil {
		return nil, fmt.Errorf("making a salt: %w", err)
	}
	return derive(password, salt, DefaultIterations)
}

func derive(password string, salt []byte, iterations int) (*Secret, error) {
	salted, err := pbkdf2.Key(sha256.New, prepare(password), salt, iterations, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("deriving keys: %w", err)
	}
	stored := sha256.Sum256(mac(salted, "Client Key"))
	return &Secret{Iterations: iterations, Salt: salt, StoredKey: stored[:], ServerKey: mac(salted, "Server Key")}, nil
}

// prepare is SASLprep; a password that it does not accept is used as it is, as in PostgreSQL.
func prepare(password string) string {
	if p, err := stringprep.SASLprep.Prepare(password); err == nil {
		return p
	}
	return password
}

func mac(key []byte, s string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(s))
	return h.Sum(nil)
}

// Parse reads a stored secret. ok is false when it is not a well-formed SCRAM-SHA-256 secret.
func Parse(stored string) (s *Secret, ok bool) {
	rest, found := strings.CutPrefix(stored, prefix)
	if !found {
		return nil, false
	}
	head, keys, ok1 := strings.Cut(rest, "$")
	iter, salt, ok2 := strings.Cut(head, ":")
	storedKey, serverKey, ok3 := strings.Cut(keys, ":")
	if !ok1 || !ok2 || !ok3 {
		return nil, false
	}
	s = &Secret{}
	var errs [4]error
	s.Iterations, errs[0] = strconv.Atoi(iter)
	s.Salt, errs[1] = base64.StdEncoding.DecodeString(salt)
	s.StoredKey, errs[2] = base64.StdEncoding.DecodeString(storedKey)
	s.ServerKey, errs[3] = base64.StdEncoding.DecodeString(serverKey)
	for _, err := range errs {
		if err != nil {
			return nil, false
		}
	}
	if s.Iterations < 1 || len(s.StoredKey) != sha256.Size || len(s.ServerKey) != sha256.Size {
		return nil, false
	}
	return s, true
}

// IsMD5 says whether stored is an md5 secret ("md5" and 32 hexadecimal digits).
func IsMD5(stored string) bool {
	if len(stored) != 35 || !strings.HasPrefix(stored, "md5") {
		return false
	}
	_, err := hex.DecodeString(stored[3:])
	return err == nil && strings.ToLower(stored) == stored
}

// MD5 is the md5 secret of a password.
func MD5(user, password string) string { return MD5Salted([]byte(password), user) }

// MD5Salted is "md5" and the digest of secret and salt: the two steps of PostgreSQL's md5 authentication.
func MD5Salted(secret []byte, salt string) string {
	sum := md5.Sum(append(append([]byte(nil), secret...), salt...))
	return "md5" + hex.EncodeToString(sum[:])
}

// Verify compares a clear-text password with a stored secret of either kind.
func Verify(user, password, stored string) bool {
	if s, ok := Parse(stored); ok {
		got, err := derive(password, s.Salt, s.Iterations)
		return err == nil && subtle.ConstantTimeCompare(got.StoredKey, s.StoredKey) == 1
	}
	return IsMD5(stored) && subtle.ConstantTimeCompare([]byte(MD5(user, password)), []byte(stored)) == 1
}

// IsSecret says whether a string given as a password is already a secret, to be stored as it is.
func IsSecret(password string) bool {
	if _, ok := Parse(password); ok {
		return true
	}
	return IsMD5(password)
}
