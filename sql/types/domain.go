package types

// domainIn parses a value of a domain: its base type's form, then the constraints of the domain and of those it is made over. The typmod is the
// domain's own.
func domainIn(env *Env, io *IO, s string, _ int32) (Datum, error) {
	base, mod := io.DomainBase()
	d, err := base.Input(env, s, mod)
	if err != nil {
		return Null, err
	}
	return d, checkDomain(env, io.Info.OID, d)
}

func domainRecv(env *Env, io *IO, b []byte, _ int32) (Datum, error) {
	base, mod := io.DomainBase()
	d, err := base.Receive(env, b, mod)
	if err != nil {
		return Null, err
	}
	return d, checkDomain(env, io.Info.OID, d)
}

// DomainBase gives the type under a domain, or under the domains that it is made over, and the typmod that its values have.
func (io *IO) DomainBase() (base *IO, typmod int32) {
	for typmod = -1; io.Info.Kind == 'd'; io = io.elem {
		typmod = io.Info.TypMod
	}
	return io, typmod
}

// InputNull reads a null: a domain may refuse it.
func (io *IO) InputNull(env *Env) (Datum, error) {
	if io.Info.Kind != 'd' {
		return Null, nil
	}
	return Null, checkDomain(env, io.Info.OID, Null)
}

func checkDomain(env *Env, typ OID, d Datum) error {
	cat, err := env.catalog("domain")
	if err != nil {
		return err
	}
	return cat.CheckDomain(typ, d)
}
