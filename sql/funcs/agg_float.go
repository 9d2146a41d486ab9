package funcs

import (
	"math"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Float aggregates after Youngs and Cramer: {N, Σx, Σ(x-avg)²}, and for two variables {N, Σx, Sxx, Σy, Syy, Sxy}.

func floats(d types.Datum, n int, caller string) ([]float64, error) {
	elem, _ := types.BuiltinType(types.Float8OID)
	v, err := types.ArrayElements(elem, d, nil)
	if err != nil || len(v) != n || types.ArrayNDims(d) != 1 {
		return nil, pgerr.Internal("%s: expected %d-element float8 array", caller, n)
	}
	f := make([]float64, n)
	for i := range v {
		f[i] = v[i].Float8()
	}
	return f, nil
}

func floatArray(f ...float64) types.Datum {
	elem, _ := types.BuiltinType(types.Float8OID)
	v := make([]types.Datum, len(f))
	for i := range f {
		v[i] = types.Float8(f[i])
	}
	return types.MakeArray(elem, v)
}

func finite(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }

func init() {
	types.RegisterFunc("float8_accum", func(c *types.Call) (types.Datum, error) {
		return floatAccum(c, "float8_accum", c.Args[1].Float8())
	})
	types.RegisterFunc("float4_accum", func(c *types.Call) (types.Datum, error) {
		return floatAccum(c, "float4_accum", float64(c.Args[1].Float4()))
	})
	types.RegisterFunc("float8_combine", floatCombine)
	types.RegisterFunc("float8_regr_accum", regrAccum)
	one := func(name string, least float64, f func(n, sx, sxx float64) float64) {
		types.RegisterFunc(name, func(c *types.Call) (types.Datum, error) {
			s, err := floats(c.Args[0], 3, name)
			if err != nil || s[0] < least {
				return types.Null, err
			}
			return types.Float8(f(s[0], s[1], s[2])), nil
		})
	}
	one("float8_avg", 1, func(n, sx, _ float64) float64 { return sx / n })
	one("float8_var_pop", 1, func(n, _, sxx float64) float64 { return sxx / n })
	one("float8_var_samp", 2, func(n, _, sxx float64) float64 { return sxx / (n - 1) })
	one("float8_stddev_pop", 1, func(n, _, sxx float64) float64 { return math.Sqrt(sxx / n) })
	one("float8_stddev_samp", 2, func(n, _, sxx float64) float64 { return math.Sqrt(sxx / (n - 1)) })
	registerRegr()
}

func floatAccum(c *types.Call, name string, x float64) (types.Datum, error) {
	s, err := floats(c.Args[0], 3, name)
	if err != nil {
		return types.Null, err
	}
	n, sx, sxx := s[0]+1, s[1]+x, s[2]
	if s[0] > 0 {
		d := x*n - sx
		sxx += d * d / (n * s[0])
		if math.IsInf(sx, 0) || math.IsInf(sxx, 0) {
			if finite(s[1]) && finite(x) {
				return types.Null, types.FloatOverflow()
			}
			sxx = math.NaN()
		}
	} else if !finite(x) {
		sxx = math.NaN()
	}
	return floatArray(n, sx, sxx), nil
}

func floatCombine(c *types.Call) (types.Datum, error) {
	a, err := floats(c.Args[0], 3, "float8_combine")
	if err != nil {
		return types.Null, err
	}
	b, err := floats(c.Args[1], 3, "float8_combine")
	if err != nil {
		return types.Null, err
	}
	switch {
	case a[0] == 0:
		return floatArray(b...), nil
	case b[0] == 0:
		return floatArray(a...), nil
	}
	n, sx := a[0]+b[0], a[1]+b[1]
	if math.IsInf(sx, 0) && finite(a[1]) && finite(b[1]) {
		return types.Null, types.FloatOverflow()
	}
	d := a[1]/a[0] - b[1]/b[0]
	sxx := a[2] + b[2] + a[0]*b[0]*d*d/n
	if math.IsInf(sxx, 0) && finite(a[2]) && finite(b[2]) {
		return types.Null, types.FloatOverflow()
	}
	return floatArray(n, sx, sxx), nil
}

func regrAccum(c *types.Call) (types.Datum, error) {
	s, err := floats(c.Args[0], 6, "float8_regr_accum")
	if err != nil {
		return types.Null, err
	}
	y, x := c.Args[1].Float8(), c.Args[2].Float8()
	n, sx, sxx, sy, syy, sxy := s[0]+1, s[1]+x, s[2], s[3]+y, s[4], s[5]
	if s[0] > 0 {
		dx, dy, scale := x*n-sx, y*n-sy, 1/(n*s[0])
		sxx += dx * dx * scale
		syy += dy * dy * scale
		sxy += dx * dy * scale
		if math.IsInf(sx, 0) || math.IsInf(sxx, 0) || math.IsInf(sy, 0) || math.IsInf(syy, 0) || math.IsInf(sxy, 0) {
			xBad, yBad := finite(s[1]) && finite(x), finite(s[3]) && finite(y)
			if (math.IsInf(sx, 0) || math.IsInf(sxx, 0)) && xBad || (math.IsInf(sy, 0) || math.IsInf(syy, 0)) && yBad ||
				math.IsInf(sxy, 0) && xBad && yBad {
				return types.Null, types.FloatOverflow()
			}
			nan := func(f *float64) {
				if math.IsInf(*f, 0) {
					*f = math.NaN()
				}
			}
			nan(&sxx)
			nan(&syy)
			nan(&sxy)
		}
	} else {
		if !finite(x) {
			sxx, sxy = math.NaN(), math.NaN()
		}
		if !finite(y) {
			syy, sxy = math.NaN(), math.NaN()
		}
	}
	return floatArray(n, sx, sxx, sy, syy, sxy), nil
}

// registerRegr registers the results over two variables; NaN as the least count stands for "null".
func registerRegr() {
	two := func(name string, least float64, f func(n, sx, sxx, sy, syy, sxy float64) (float64, bool)) {
		types.RegisterFunc(name, func(c *types.Call) (types.Datum, error) {
			s, err := floats(c.Args[0], 6, name)
			if err != nil || s[0] < least {
				return types.Null, err
			}
			v, ok := f(s[0], s[1], s[2], s[3], s[4], s[5])
			if !ok {
				return types.Null, nil
			}
			return types.Float8(v), nil
		})
	}
	two("float8_regr_sxx", 1, func(n, sx, sxx, sy, syy, sxy float64) (float64, bool) { return sxx, true })
	two("float8_regr_syy", 1, func(n, sx, sxx, sy, syy, sxy float64) (float64, bool) { return syy, true })
	two("float8_regr_sxy", 1, func(n, sx, sxx, sy, syy, sxy float64) (float64, bool) { return sxy, true })
	two("float8_regr_avgx", 1, func(n, sx, sxx, sy, syy, sxy float64) (float64, bool) { return sx / n, true })
	two("float8_regr_avgy", 1, func(n, sx, sxx, sy, syy, sxy float64) (float64, bool) { return sy / n, true })
	two("float8_covar_pop", 1, func(n, sx, sxx, sy, syy, sxy float64) (float64, bool) { return sxy / n, true })
	two("float8_covar_samp", 2, func(n, sx, sxx, sy, syy, sxy float64) (float64, bool) { return sxy / (n - 1), true })
	two("float8_corr", 1, func(n, sx, sxx, sy, syy, sxy float64) (float64, bool) {
		return sxy / math.Sqrt(sxx*syy), sxx != 0 && syy != 0
	})
	two("float8_regr_r2", 1, func(n, sx, sxx, sy, syy, sxy float64) (float64, bool) {
		if syy == 0 {
			return 1, sxx != 0
		}
		return (sxy * sxy) / (sxx * syy), sxx != 0
	})
	two("float8_regr_slope", 1, func(n, sx, sxx, sy, syy, sxy float64) (float64, bool) { return sxy / sxx, sxx != 0 })
	two("float8_regr_intercept", 1, func(n, sx, sxx, sy, syy, sxy float64) (float64, bool) {
		return (sy - sx*sxy/sxx) / n, sxx != 0
	})
}
