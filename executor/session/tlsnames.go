package session

import (
	"crypto/tls"
	"strings"
)

// tlsVersion names a protocol version as OpenSSL does: TLSv1.3.
func tlsVersion(v uint16) string { return strings.Replace(tls.VersionName(v), "TLS ", "TLSv", 1) }

// tlsCipher names a cipher suite as OpenSSL does: those of TLS 1.3 as they are, older ones ECDHE-RSA-AES128-GCM-SHA256.
func tlsCipher(id uint16) string {
	name := tls.CipherSuiteName(id)
	rest, ok := strings.CutPrefix(name, "TLS_ECDHE_")
	if !ok {
		return name
	}
	auth, cipher, _ := strings.Cut(rest, "_WITH_")
	cipher = strings.NewReplacer("AES_", "AES", "CHACHA20_POLY1305_SHA256", "CHACHA20-POLY1305", "_CBC_SHA", "_SHA").Replace(cipher)
	return "ECDHE-" + auth + "-" + strings.ReplaceAll(cipher, "_", "-")
}

// tlsBits is a cipher suite's key size.
func tlsBits(id uint16) int32 {
	name := tls.CipherSuiteName(id)
	if strings.Contains(name, "256_GCM") || strings.Contains(name, "CHACHA20") || strings.Contains(name, "256_CBC") {
		return 256
	}
	return 128
}
