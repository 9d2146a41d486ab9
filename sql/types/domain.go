package types

// domainIn parses a value of a domain: its base type's form, then the domain's constraints. The typmod is the domain's own.
func domainIn(env *Env, io *IO, s string, _ int32) (Datum, error) {
	d, err := io.elem.Input(env, s, io.Info.TypMod)
	if err != nil {
		return Null, err
	}
	return d, checkDomain(env, io.Info.OID, d)
}

func domainRecv(env *Env, io *IO, b []byte, _ int32) (Datum, error) {
	d, err := io.elem.Receive(env, b, io.Info.TypMod)
	if err != nil {
		return Null, err
	}
	return d, checkDomain(env, io.Info.OID, d)
}

func checkDomain(env *Env, typ OID, d Datum) error {
	cat, err := env.catalog("domain")
	if err != nil {
		return err
	}
	return cat.CheckDomain(typ, d)
}
