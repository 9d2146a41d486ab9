package funcs

import (
	"math"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/sql/types/libm"
)

// Trigonometry in degrees. The functions are scaled so that the well-known values (sind(30), cosd(60), tand(45) ...) come out exact: each
// is reduced to the first octant or so and divided by the library's own result at the known point.

// A variable, so that products with constants are rounded as at run time.
var radiansPerDegree = 0.0174532925199432957692

var (
	sin30         = libm.Sin(30 * radiansPerDegree)
	oneMinusCos60 = 1 - libm.Cos(60*radiansPerDegree)
	asin05        = libm.Asin(0.5)
	acos05        = libm.Acos(0.5)
	atan10        = libm.Atan(1)
	tan45         = sinFirst(45) / cosFirst(45)
	cot45         = cosFirst(45) / sinFirst(45)
)

func sinTo30(x float64) float64 { return libm.Sin(x*radiansPerDegree) / sin30 / 2 }
func cosTo60(x float64) float64 { return 1 - (1-libm.Cos(x*radiansPerDegree))/oneMinusCos60/2 }

// sinFirst and cosFirst serve the first quadrant.
func sinFirst(x float64) float64 {
	if x <= 30 {
		return sinTo30(x)
	}
	return cosTo60(90 - x)
}

func cosFirst(x float64) float64 {
	if x <= 60 {
		return cosTo60(x)
	}
	return sinTo30(90 - x)
}

func asinFirst(x float64) float64 {
	if x <= 0.5 {
		return libm.Asin(x) / asin05 * 30
	}
	return 90 - libm.Acos(x)/acos05*60
}

func acosFirst(x float64) float64 {
	if x <= 0.5 {
		return 90 - libm.Asin(x)/asin05*30
	}
	return libm.Acos(x) / acos05 * 60
}

// quadrant brings x into [0, 90] and tells the signs that sine and cosine have there.
func quadrant(x float64) (first, sine, cosine float64) {
	x = math.Mod(x, 360)
	sine, cosine = 1, 1
	if x < 0 {
		x, sine = -x, -1
	}
	if x > 180 {
		x, sine = 360-x, -sine
	}
	if x > 90 {
		x, cosine = 180-x, -1
	}
	return x, sine, cosine
}

func init() {
	of1("dsind", finiteArg(func(x float64) float64 { x, s, _ := quadrant(x); return s * sinFirst(x) }))
	of1("dcosd", finiteArg(func(x float64) float64 { x, _, c := quadrant(x); return c * cosFirst(x) }))
	of1("dtand", finiteArg(func(x float64) float64 {
		x, s, c := quadrant(x)
		return s*c*(sinFirst(x)/cosFirst(x)/tan45) + 0 // no negative zero
	}))
	of1("dcotd", finiteArg(func(x float64) float64 {
		x, s, c := quadrant(x)
		return s*c*(cosFirst(x)/sinFirst(x)/cot45) + 0
	}))
	of1("dasind", within(-1, 1, func(x float64) float64 {
		if x >= 0 {
			return asinFirst(x)
		}
		return -asinFirst(-x)
	}))
	of1("dacosd", within(-1, 1, func(x float64) float64 {
		if x >= 0 {
			return acosFirst(x)
		}
		return 90 + asinFirst(-x)
	}))
	of1("datand", total(func(x float64) float64 { return libm.Atan(x) / atan10 * 45 }))
	types.RegisterFunc("datan2d", func(c *types.Call) (types.Datum, error) {
		return types.Float8(libm.Atan2(c.Args[0].Float8(), c.Args[1].Float8()) / atan10 * 45), nil
	})
}
