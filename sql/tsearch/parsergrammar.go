package tsearch

// grammar is the default parser's automaton, a state a line: its rules, the first whose class of characters fits is taken.
//
//	class [action] [>state] [=token] [!special]
//
// Without an action the character joins the token. A state that is pushed comes back, behind the rule that pushed it, by pop.
//
//	token     the token is complete, without this character       push      keep where we are, and go on
//	pop       back to what was pushed                             clear     forget what was pushed last
//	clearAll  forget all that was pushed                          merge     pop, but stay at this character
//	rerun     look at the same character in the next state
//	!retake, !hyphen, !url  the token's characters are read again, as others    !tags  <script> and <style> hide what is in them
//
// A class is a character after ', or what classes lists.
const grammar = `
Base: eof; '< push >TagFirst; ignore >Space; asclet >AsciiWord; alpha >Word; digit >UnsignedInt; '- push >SignedIntFirst; '+ push >SignedIntFirst; '& push >XMLEntityFirst; '~ push >FileTwiddle; '/ push >FileFirst; '. push >PathFirstFirst; any >Space
NumWord: eof token >Base =numword; alnum >NumWord; special >NumWord; '@ push >Email; '/ push >FileFirst; '. push >FileNext; '- push >HyphenNumWordFirst; any token >Base =numword
AsciiWord: eof token >Base =asciiword; asclet; '. push >HostFirstDomain; '. push >FileNext; '- push >HostFirstAN; '- push >HyphenAsciiWordFirst; '_ push >HostFirstAN; '@ push >Email; ': push >ProtocolFirst; '/ push >FileFirst; digit push >Host; digit >NumWord; alpha >Word; special >Word; any token >Base =asciiword
Word: eof token >Base =word; alpha; special; digit >NumWord; '- push >HyphenWordFirst; any token >Base =word
UnsignedInt: eof token >Base =uint; digit; '. push >HostFirstDomain; '. push >UDecimalFirst; 'e push >MantissaFirst; 'E push >MantissaFirst; '- push >HostFirstAN; '_ push >HostFirstAN; '@ push >Email; asclet push >Host; alpha >NumWord; special >NumWord; '/ push >FileFirst; any token >Base =uint
SignedIntFirst: eof pop; digit clear >SignedInt; any pop
SignedInt: eof token >Base =int; digit; '. push >DecimalFirst; 'e push >MantissaFirst; 'E push >MantissaFirst; any token >Base =int
Space: eof token >Base =blank; '< token >Base =blank; ignore; '- token >Base =blank; '+ token >Base =blank; '& token >Base =blank; '/ token >Base =blank; notalnum >Space; any token >Base =blank
UDecimalFirst: eof pop; digit clear >UDecimal; any pop
UDecimal: eof token >Base =float; digit >UDecimal; '. push >VersionFirst; 'e push >MantissaFirst; 'E push >MantissaFirst; any token >Base =float
DecimalFirst: eof pop; digit clear >Decimal; any pop
Decimal: eof token >Base =float; digit >Decimal; '. push >VerVersion; 'e push >MantissaFirst; 'E push >MantissaFirst; any token >Base =float
VerVersion: eof pop; digit rerun >SVerVersion !retake; any pop
SVerVersion: eof pop; digit token+clearAll >UnsignedInt =blank; any
VersionFirst: eof pop; digit clear >Version; any pop
Version: eof token >Base =version; digit >Version; '. push >VersionFirst; any token >Base =version
MantissaFirst: eof pop; digit clear >Mantissa; '+ >MantissaSign; '- >MantissaSign; any pop
MantissaSign: eof pop; digit clear >Mantissa; any pop
Mantissa: eof token >Base =sfloat; digit >Mantissa; any token >Base =sfloat
XMLEntityFirst: eof pop; '# >XMLEntityNumFirst; asclet >XMLEntity; ': >XMLEntity; '_ >XMLEntity; any pop
XMLEntity: eof pop; alnum >XMLEntity; ': >XMLEntity; '_ >XMLEntity; '. >XMLEntity; '- >XMLEntity; 'semicolon >XMLEntityEnd; any pop
XMLEntityNumFirst: eof pop; 'x >XMLEntityHexNumFirst; 'X >XMLEntityHexNumFirst; digit >XMLEntityNum; any pop
XMLEntityHexNumFirst: eof pop; xdigit >XMLEntityHexNum; any pop
XMLEntityNum: eof pop; digit >XMLEntityNum; 'semicolon >XMLEntityEnd; any pop
XMLEntityHexNum: eof pop; xdigit >XMLEntityHexNum; 'semicolon >XMLEntityEnd; any pop
XMLEntityEnd: any token+clear >Base =entity
TagFirst: eof pop; '/ push >TagCloseFirst; '! push >CommentFirst; '? push >XMLBegin; asclet push >TagName; ': push >TagName; '_ push >TagName; any pop
XMLBegin: eof pop; 'x >Tag; any pop
TagCloseFirst: eof pop; asclet >TagName; any pop
TagName: eof pop; '/ >TagBeginEnd; '> >TagEnd !tags; space >Tag !tags; alnum; ':; '_; '.; '-; any pop
TagBeginEnd: eof pop; '> >TagEnd; any pop
Tag: eof pop; '> >TagEnd !tags; '' >TagEscapeK; '" >TagEscapeKK; asclet; digit; '=; '-; '_; '#; '/; ':; '.; '&; '?; '%; '~; space !tags; any pop
TagEscapeK: eof pop; '\ push >TagBackSlashed; '' >Tag; any >TagEscapeK
TagEscapeKK: eof pop; '\ push >TagBackSlashed; '" >Tag; any >TagEscapeKK
TagBackSlashed: eof pop; any merge
TagEnd: any token+clearAll >Base =tag
CommentFirst: eof pop; '- >CommentLast; 'D >Tag; 'd >Tag; any pop
CommentLast: eof pop; '- >Comment; any pop
Comment: eof pop; '- >CloseCommentFirst; any
CloseCommentFirst: eof pop; '- >CloseCommentLast; any >Comment
CloseCommentLast: eof pop; '-; '> >CommentEnd; any >Comment
CommentEnd: any token+clearAll >Base =tag
HostFirstDomain: eof pop; asclet >HostDomainSecond; digit >Host; any pop
HostDomainSecond: eof pop; asclet >HostDomain; digit push >Host; '- push >HostFirstAN; '_ push >HostFirstAN; '. push >HostFirstDomain; '@ push >Email; any pop
HostDomain: eof token+clearAll >Base =host; asclet >HostDomain; digit push >Host; ': push >PortFirst; '- push >HostFirstAN; '_ push >HostFirstAN; '. push >HostFirstDomain; '@ push >Email; digit pop; stophost token+clearAll >URLPathStart =host; '/ push >FURL; any token+clearAll >Base =host
PortFirst: eof pop; digit >Port; any pop
Port: eof token+clearAll >Base =host; digit >Port; stophost token+clearAll >URLPathStart =host; '/ push >FURL; any token+clearAll >Base =host
HostFirstAN: eof pop; digit >Host; asclet >Host; any pop
Host: eof pop; digit >Host; asclet >Host; '@ push >Email; '. push >HostFirstDomain; '- push >HostFirstAN; '_ push >HostFirstAN; any pop
Email: stophost pop; host token+clearAll >Base =email; any pop
FileFirst: eof pop; asclet >File; digit >File; '. >PathFirst; '_ >File; '~ push >FileTwiddle; any pop
FileTwiddle: eof pop; asclet >File; digit >File; '_ >File; '/ >FileFirst; any pop
PathFirst: eof pop; asclet >File; digit >File; '_ >File; '. >PathSecond; '/ >FileFirst; any pop
PathFirstFirst: eof pop; '. >PathSecond; '/ >FileFirst; any pop
PathSecond: eof token+clear >Base =file; '/ push >FileFirst; '/ token+clear >Base =file; space token+clear >Base =file; any pop
File: eof token >Base =file; asclet >File; digit >File; '. push >FileNext; '_ >File; '- >File; '/ push >FileFirst; any token >Base =file
FileNext: eof pop; asclet clear >File; digit clear >File; '_ clear >File; any pop
URLPathFirst: eof pop; urlchar >URLPath; any pop
URLPathStart: any >URLPath
URLPath: eof token >Base =url_path; urlchar >URLPath; any token >Base =url_path
FURL: eof pop; urlpath token+clearAll >Base =url !url; any pop
ProtocolFirst: eof pop; '/ >ProtocolSecond; any pop
ProtocolSecond: eof pop; '/ >ProtocolEnd; any pop
ProtocolEnd: any token+clearAll >Base =protocol
HyphenAsciiWordFirst: eof pop; asclet >HyphenAsciiWord; alpha >HyphenWord; digit >HyphenDigitLookahead; any pop
HyphenAsciiWord: eof token+clearAll >ParseHyphen =asciihword !hyphen; asclet >HyphenAsciiWord; alpha >HyphenWord; special >HyphenWord; digit >HyphenNumWord; '- push >HyphenAsciiWordFirst; any token+clearAll >ParseHyphen =asciihword !hyphen
HyphenWordFirst: eof pop; alpha >HyphenWord; digit >HyphenDigitLookahead; any pop
HyphenWord: eof token+clearAll >ParseHyphen =hword !hyphen; alpha >HyphenWord; special >HyphenWord; digit >HyphenNumWord; '- push >HyphenWordFirst; any token+clearAll >ParseHyphen =hword !hyphen
HyphenNumWordFirst: eof pop; alpha >HyphenNumWord; digit >HyphenDigitLookahead; any pop
HyphenNumWord: eof token+clearAll >ParseHyphen =numhword !hyphen; alnum >HyphenNumWord; special >HyphenNumWord; '- push >HyphenNumWordFirst; any token+clearAll >ParseHyphen =numhword !hyphen
HyphenDigitLookahead: eof pop; digit >HyphenDigitLookahead; alpha >HyphenNumWord; special >HyphenNumWord; any pop
ParseHyphen: eof rerun >Base; asclet >HyphenAsciiWordPart; alpha >HyphenWordPart; digit push >HyphenUnsignedInt; '- push >ParseHyphenHyphen; any rerun >Base
ParseHyphenHyphen: eof pop; alnum token+clear >ParseHyphen =blank; special token+clear >ParseHyphen =blank; any pop
HyphenWordPart: eof token >Base =hword_part; alpha >HyphenWordPart; special >HyphenWordPart; digit >HyphenNumWordPart; any token >ParseHyphen =hword_part
HyphenAsciiWordPart: eof token >Base =hword_asciipart; asclet >HyphenAsciiWordPart; alpha >HyphenWordPart; special >HyphenWordPart; digit >HyphenNumWordPart; any token >ParseHyphen =hword_asciipart
HyphenNumWordPart: eof token >Base =hword_numpart; alnum >HyphenNumWordPart; special >HyphenNumWordPart; any token >ParseHyphen =hword_numpart
HyphenUnsignedInt: eof pop; digit; alpha clear >HyphenNumWordPart; special clear >HyphenNumWordPart; any pop
`
