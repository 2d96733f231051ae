"""The white space of each kind that a contract can name, as the signs themselves."""

from collections.abc import Mapping

WHITE_SPACE: Mapping[str, str] = {
    "space": " ",
    "ascii": "\t\n\v\f\r ",
    "unicode": "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000",
}
