package types

// The words of date and time input. Types of words:
type wordKind uint8

const (
	wordUnknown wordKind = iota
	wordMonth
	wordDOW
	wordAMPM
	wordADBC
	wordUnits   // y, mon, d ... before a number
	wordISOTime // t
	wordIgnore
	wordReserved // now, today, infinity ...
	wordDTZMod   // dst
)

// values of reserved words and of units
const (
	valEpoch = iota + 1
	valLate
	valEarly
	valNow
	valToday
	valTomorrow
	valYesterday
	valZulu
	unitYear
	unitMonth
	unitDay
	unitHour
	unitMinute
	unitSecond
	unitJulian
	unitTime
)

type dateWord struct {
	kind wordKind
	val  int
}

var dateWords = func() map[string]dateWord {
	m := map[string]dateWord{
		"-infinity": {wordReserved, valEarly}, "infinity": {wordReserved, valLate}, "epoch": {wordReserved, valEpoch},
		"now": {wordReserved, valNow}, "today": {wordReserved, valToday}, "tomorrow": {wordReserved, valTomorrow},
		"yesterday": {wordReserved, valYesterday}, "allballs": {wordReserved, valZulu},
		"am": {wordAMPM, 0}, "pm": {wordAMPM, 1}, "ad": {wordADBC, 0}, "bc": {wordADBC, 1}, "at": {wordIgnore, 0}, "on": {wordIgnore, 0},
		"t": {wordISOTime, unitTime}, "dst": {wordDTZMod, 3600},
		"y": {wordUnits, unitYear}, "m": {wordUnits, unitMonth}, "d": {wordUnits, unitDay}, "h": {wordUnits, unitHour},
		"mm": {wordUnits, unitMinute}, "s": {wordUnits, unitSecond}, "j": {wordUnits, unitJulian}, "jd": {wordUnits, unitJulian},
		"julian": {wordUnits, unitJulian}, "sept": {wordMonth, 9}, "tues": {wordDOW, 2}, "weds": {wordDOW, 3}, "thur": {wordDOW, 4},
		"thurs": {wordDOW, 4},
	}
	for i, n := range monthNames {
		m[lower(n)], m[lower(n[:3])] = dateWord{wordMonth, i + 1}, dateWord{wordMonth, i + 1}
	}
	for i, n := range dayNames {
		m[lower(n)], m[lower(n[:3])] = dateWord{wordDOW, i}, dateWord{wordDOW, i}
	}
	return m
}()

var (
	monthNames = [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	dayNames   = [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
)

// MonthName and DayName give English names.
func MonthName(m int) string { return monthNames[m-1] }
func DayName(d int) string   { return dayNames[d] }

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 32
		}
	}
	return string(b)
}

// lookupWord finds a word; tables know words by their first ten letters.
func lookupWord(s string) dateWord {
	if len(s) > 10 {
		s = s[:10]
	}
	return dateWords[s]
}
