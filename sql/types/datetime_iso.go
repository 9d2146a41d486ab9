package types

// parseISO reads the form that this server writes itself, 2020-01-31 or 2020-01-31 23:59:59.123456, and says whether s is exactly that. COPY
// meets it a million times, and the general reader (datetime_decode.go) takes ten times as long. It means the same in every DateStyle. What is not
// plainly right (a 31st of June, second 60, a seventh digit) is left to the general reader.
func parseISO(s string) (dt DateTime, ok bool) {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return dt, false
	}
	year, month, day := digits(s[:4]), digits(s[5:7]), digits(s[8:10])
	if year < 1 || month < 1 || month > 12 || day < 1 || day > DaysInMonth(year, month) {
		return dt, false
	}
	dt.Year, dt.Month, dt.Day = year, month, day
	if len(s) == 10 {
		return dt, true
	}
	if len(s) < 19 || s[10] != ' ' || s[13] != ':' || s[16] != ':' {
		return dt, false
	}
	dt.Hour, dt.Min, dt.Sec = digits(s[11:13]), digits(s[14:16]), digits(s[17:19])
	if uint(dt.Hour) > 23 || uint(dt.Min) > 59 || uint(dt.Sec) > 59 {
		return dt, false
	}
	if len(s) == 19 {
		return dt, true
	}
	n := len(s) - 20 // digits of the fraction
	if s[19] != '.' || n < 1 || n > 6 {
		return dt, false
	}
	if dt.Usec = digits(s[20:]); dt.Usec < 0 {
		return dt, false
	}
	for ; n < 6; n++ {
		dt.Usec *= 10
	}
	return dt, true
}

// digits is the number that s writes, -1 when it is not all digits.
func digits(s string) (n int) {
	for i := range len(s) {
		c := s[i] - '0'
		if c > 9 {
			return -1
		}
		n = 10*n + int(c)
	}
	return n
}
