/** A quote as it stands in source code, in JSON, or in JSON inside of JSON. */
export const quote = "\\\\{0,3}[\"'`]";
/** From a name to its value: the end of a quoted name, a type, then `:`, `=`, `:=` or `=>`. */
export const assigned = `(?:${quote})?\\]?(?:[ \\t]?:[ \\t]?(?:str|string|String))?[ \\t]{0,8}(?::=|=>|[:=])[ \\t]{0,8}`;

export const passwordWords = "password passwd passphrase passcode pwd";
export const password = "(?:password|passwd|passphrase|passcode|pwd)";
