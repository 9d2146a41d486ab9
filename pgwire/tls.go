package pgwire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// TLSFiles says where the server's certificate is. The names are PostgreSQL's settings ssl_cert_file, ssl_key_file, ssl_ca_file;
// relative ones are relative to Dir.
type TLSFiles struct {
	Dir              string
	Cert, Key, CA    string // default server.crt, server.key, none
	MinProto, MaxTLS string // TLSv1.2 and the like; "" = no bound
	// MakeOwn makes a self-signed certificate when neither file exists.
	MakeOwn bool
}

var tlsVersions = map[string]uint16{
	"": 0, "TLSv1": tls.VersionTLS10, "TLSv1.1": tls.VersionTLS11, "TLSv1.2": tls.VersionTLS12, "TLSv1.3": tls.VersionTLS13,
}

// LoadTLS makes the configuration for `ssl = on`.
func LoadTLS(f TLSFiles) (*tls.Config, error) {
	certPath, keyPath := f.path(f.Cert, "server.crt"), f.path(f.Key, "server.key")
	if f.MakeOwn && missing(certPath) && missing(keyPath) {
		if err := makeCertificate(certPath, keyPath); err != nil {
			return nil, err
		}
	}
	if info, err := os.Stat(keyPath); err == nil && info.Mode().Perm()&0o027 != 0 {
		return nil, fmt.Errorf("private key file %q has group or world access: file must have permissions u=rw (0600) or less", keyPath)
	}
	cert, err := tls.LoadX509KeyPair(certPath, keyPath)
	if err != nil {
		return nil, fmt.Errorf("could not load server certificate: %w", err)
	}
	conf := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tlsVersions[f.MinProto], MaxVersion: tlsVersions[f.MaxTLS]}
	if f.CA != "" {
		if conf.ClientCAs, err = readCA(f.path(f.CA, "")); err != nil {
			return nil, err
		}
		conf.ClientAuth = tls.VerifyClientCertIfGiven
	}
	return conf, nil
}

func (f *TLSFiles) path(name, byDefault string) string {
	if name == "" {
		name = byDefault
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.Dir, name)
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}

func readCA(path string) (*x509.CertPool, error) {
	pemBytes, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("could not load root certificate file: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pemBytes) {
		return nil, fmt.Errorf("could not load root certificate file %q: no certificates in it", path)
	}
	return pool, nil
}

// makeCertificate writes a self-signed certificate, good for ten years, and its key (mode 0600).
func makeCertificate(certPath, keyPath string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("making a certificate: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return fmt.Errorf("making a certificate: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: host},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().AddDate(10, 0, 0),
		DNSNames:     []string{host, "localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return fmt.Errorf("making a certificate: %w", err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("making a certificate: %w", err)
	}
	if err := writePEM(keyPath, "PRIVATE KEY", keyDER, 0o600); err != nil {
		return err
	}
	return writePEM(certPath, "CERTIFICATE", der, 0o644)
}

func writePEM(path, kind string, der []byte, mode os.FileMode) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode)
}
