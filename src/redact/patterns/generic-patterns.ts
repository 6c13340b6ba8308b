import { assigned, type DefaultPattern, password, passwordWords, quote, row } from "./default-pattern.ts";

/** What may follow the telling part of a name without making it the name of something else ("password_hint"). */
const tail =
  "(?:[_-]?[0-9]{1,3}|[_-]?(?:value|string|plain|plaintext|prod|production|staging|dev|live|test|default|old|new|confirmation|confirm|again|repeat))?";

const keyKinds = (
  "api secret access auth authentication account encryption signing private master license subscription consumer " +
  "admin app application client device ingest ingestion integration personal project server service shared webhook write"
).split(" ");
const keyWords = keyKinds.flatMap((kind) => ["_", "-", "", " "].map((gap) => `${kind}${gap}key`));
const key = `(?:${keyKinds.join("|")})[ _-]?key`;

/** Characters of tokens; `$`, brackets and quotes begin something else. */
const token = "(?<secret>[A-Za-z0-9_\\-./+=~:!@#%^*]{8,})";
const userPart = "[^\\s:/?\"'`<>(){}\\\\\\[\\]]";
const secretPart = "[^\\s/?\"'`<>(){}\\\\\\[\\]]";

/** Keeps scheme, host and database, and takes the user with the password: both are needed to log in. */
const connection = (name: string, type: string, words: string, scheme: string): DefaultPattern =>
  row(name, `${type}_CREDENTIALS`, words, `${scheme}://(?<secret>${userPart}{0,100}:${secretPart}{1,200})@`, {
    check: "url",
  });

const pemKey = "(?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----";
const pemBreak = "(?:\\r?\\n|\\\\r|\\\\n|\\\\\\\\n){1,3}[ \\t\"'+|>#]{0,20}(?:[0-9]{1,6}[\\t \u2192:]{1,2})?";

/** Secrets recognised by their names, and keys and connections by their form. */
export const genericPatterns = [
  row(
    "private-key-header",
    "PRIVATE_KEY",
    "-----begin",
    `-----BEGIN ${pemKey}[^-]*(?:-{1,4}[^-]+)*-----END ${pemKey}`,
    { check: "pem" },
  ),
  row(
    "private-key-cut-off",
    "PRIVATE_KEY",
    "-----begin",
    `-----BEGIN ${pemKey}(?:${pemBreak}(?:Proc-Type|DEK-Info|Version|Comment):[^\\r\\n\\\\]{0,100})*${pemBreak}[A-Za-z0-9+/=]{16,}(?:${pemBreak}[A-Za-z0-9+/=]{4,})*`,
  ),
  row(
    "putty-private-key",
    "PRIVATE_KEY",
    "private-lines:",
    "Private-Lines: [0-9]{1,3}(?<secret>(?:\\r?\\nPrivate-MAC: [0-9a-f]{40,64}|\\r?\\n[A-Za-z0-9+/=]{4,80})+)",
  ),

  connection("connection-string-mongo", "MONGODB", "mongodb", "mongodb(?:\\+srv)?"),
  connection("connection-string-postgres", "POSTGRES", "postgres", "postgres(?:ql)?(?:\\+[a-z0-9]{2,12})?"),
  connection(
    "connection-string-mysql",
    "MYSQL",
    "mysql mariadb",
    "(?:mysqlx?|mariadb)(?:\\+[a-z0-9]{2,12})?",
  ),
  connection("connection-string-redis", "REDIS", "redis", "rediss?"),
  connection("connection-string-amqp", "AMQP", "amqp", "amqps?"),
  connection("url-credentials", "URL", "://", ""),
  row("url-token", "URL_CREDENTIALS", "://", "://(?<secret>[A-Za-z0-9_-]{20,255})@", { check: "random" }),
  row("pgpass", "PASSWORD", ":5432:", ":5432:[^:\\s]{1,64}:[^:\\s]{1,64}:(?<secret>[^\\s\"'`:]{4,200})", {
    check: "prose",
  }),

  ...['"', "'", "`"].map((mark, index) =>
    row(
      `password-assignment${["", "-single", "-backtick"][index]}`,
      "PASSWORD",
      passwordWords,
      `(?i)${password}${tail}${assigned}\\\\{0,3}${mark}(?<secret>[^${mark}\\\\\\r\\n]{4,200})\\\\{0,3}${mark}`,
      { check: "password" },
    ),
  ),
  row(
    "password-unquoted",
    "PASSWORD",
    `${passwordWords} _pass _pw`,
    `(?i)(?:${password}|_pass|_pw)${tail}${assigned}(?:!![a-z]{2,8} )?(?<secret>[^\\s"'\`<>{}()\\[\\],;&|\\\\]{4,200})`,
    { check: "password" },
  ),
  row(
    "pass-assignment",
    "PASSWORD",
    "pass",
    `(?i)pass${assigned}\\\\{0,3}["'](?<secret>[^"'\`\\\\\\r\\n]{4,200})\\\\{0,3}["']`,
    { check: "stated" },
  ),
  row(
    "password-defined",
    "PASSWORD",
    passwordWords,
    "(?:PASSWORD|PASSWD|PASSPHRASE|PWD)[ \\t]{1,8}[\"'](?<secret>[^\"'`\\\\\\s]{4,200})[\"'][ \\t]{0,8}(?:\\r?\\n|$|//|/\\*|#)",
    { check: "literal" },
  ),
  row(
    "password-call",
    "PASSWORD",
    passwordWords,
    `(?i)${password}\\(\\\\{0,3}["'](?<secret>[^"'\\\\\\r\\n]{4,200})\\\\{0,3}["']`,
    { check: "argument" },
  ),
  row(
    "sql-password",
    "PASSWORD",
    "identified password",
    `(?i)(?:identified[ \\t]{1,4}by|password[ \\t]{1,4}by|password)[ \\t]{1,4}(?:password[ \\t]{1,4})?\\\\{0,3}'(?<secret>[^'\\\\\\r\\n]{4,200})\\\\{0,3}'`,
    { check: "password" },
  ),
  row(
    "sql-identified",
    "PASSWORD",
    ["identified by", "identified with"],
    `(?i)identified(?:\\s{1,4}with\\s{1,4}["'\`]?[a-z0-9_]{1,40}["'\`]?)?\\s{1,4}(?:by|as)\\s{1,4}(?:password\\s{1,4})?\\\\{0,3}["'](?<secret>[^"'\`\\\\\\r\\n]{4,200})["'\\\\]`,
    { check: "literal" },
  ),
  row(
    "sql-identified-bare",
    "PASSWORD",
    ["identified by"],
    "(?i)identified by[ \\t]{1,4}(?<secret>[A-Za-z0-9_#$!@%^*+-]{5,100})[ \\t]{0,4}(?:;|\\r?\\n|$|account|default|quota|profile)",
    { check: "stated" },
  ),
  row(
    "sql-set-password",
    "PASSWORD",
    "password",
    `(?i)password(?:[ \\t]{1,4}for[ \\t]{1,4}[^\\r\\n=;]{1,80}?)?[ \\t]{0,4}(?:=|to)?[ \\t]{0,4}(?:N|password\\()?\\\\{0,3}'(?<secret>[^'\\\\\\r\\n]{4,200})\\\\{0,3}'[ \\t]{0,3}\\)?[ \\t]{0,3}(?:;|login\\b|valid\\b|createdb\\b|superuser\\b|in role\\b|must_change\\b|check_policy\\b|default_database\\b)`,
    { check: "literal" },
  ),
  row("password-element", "PASSWORD", passwordWords, `(?i)${password}>(?<secret>[^<>\\s]{4,200})</`, {
    check: "password",
  }),
  row(
    "password-element-with-attributes",
    "PASSWORD",
    "password passwd passphrase",
    `(?i)(?:password|passwd|passphrase)(?: [a-z:_-]{1,30}="[^"<>]{0,60}"){1,4}>(?<secret>[^<>\\s]{4,200})</`,
    { check: "literal" },
  ),
  // Its value is a field of an object, as of `terraform output -json`.
  row(
    "secret-object",
    "SECRET",
    `${passwordWords} secret token _key apikey api_key`,
    "(?i)(?:password|passwd|passphrase|pwd|secret|token|_key|apikey)\\\\{0,3}[\"']?[ \\t]{0,3}[:=]\\s{0,4}\\{[^{}]{0,300}?\\\\{0,3}[\"']?(?:value|computed|current|raw|plain(?:text)?|secret)\\\\{0,3}[\"']?\\s{0,4}[:=]\\s{0,4}\\\\{0,3}[\"'](?<secret>[^\"'\\\\\\n]{4,400})",
    { check: "literal" },
  ),
  row("password-entry", "PASSWORD", passwordWords, `(?i)${password}["']>(?<secret>[^<>\\s]{4,200})</`, {
    check: "stated",
  }),
  row(
    "password-in-prose",
    "PASSWORD",
    "password passphrase passcode pwd",
    `(?i)${password}(?: (?:for|of|to) [A-Za-z0-9_.@-]{1,40})?(?: is| was|:)?[ \\t]{1,3}["'\`]?(?<secret>[^\\s"'\`<>(){}\\[\\],;\\\\]{6,100})`,
    { check: "prose" },
  ),
  row(
    "netrc",
    "PASSWORD",
    "login",
    "(?i)login\\s{1,8}[^\\s]{1,100}\\s{1,8}password\\s{1,8}(?<secret>[^\\s\"'`<$]{4,200})",
    { check: "stated" },
  ),

  row("generic-api-key", "API_KEY", keyWords, `(?i)${key}${tail}${assigned}(?:${quote})?${token}`, {
    check: "token",
  }),
  row(
    "secret-assignment",
    "SECRET",
    "secret",
    `(?i)secret(?:[_-]?(?:token|base|key[_-]?base|id))?${tail}${assigned}(?:${quote})?${token}`,
    { check: "token" },
  ),
  row(
    "secret-in-call",
    "SECRET",
    `${passwordWords} secret token _key`,
    `(?i)(?:${password}|secret|token|_key)[ \\t]{0,3}:?[:=][ \\t]{0,3}[A-Za-z0-9_.]{1,40}\\([ \\t]{0,2}b?\\\\{0,3}["'](?<secret>[^"'\\\\\\s]{12,400})\\\\{0,3}["']`,
    { check: "token" },
  ),
  row(
    "secret-phrase",
    "SECRET",
    "secret psk",
    `(?i)(?:secret|psk)${tail}${assigned}\\\\{0,3}["'](?<secret>[a-z0-9]{2,14}(?: [a-z0-9]{2,14}){1,11}) ?\\\\{0,3}["']`,
    { check: "literal" },
  ),
  row(
    "terraform-default",
    "SECRET",
    "password secret token _key",
    '(?i)(?:password|secret|token|_key)"\\s{0,4}\\{[^{}]{0,300}?default\\s{0,10}=\\s{0,4}"(?<secret>[^"\\n]{4,400})"',
    { check: "literal" },
  ),
  row(
    "secret-phrase-line",
    "SECRET",
    ["secret=", "secret: "],
    "(?i)secret(?:=|: )(?<secret>[a-z0-9]{2,14}(?: [a-z0-9]{2,14}){2,11})(?:\\r?\\n|$)",
    { check: "phrase" },
  ),
  row("token-assignment", "TOKEN", "token", `(?i)token${tail}${assigned}(?:${quote})?${token}`, {
    check: "token",
  }),
  row(
    "credential-assignment",
    "CREDENTIAL",
    "credential credentials",
    `(?i)credentials?${tail}${assigned}(?:${quote})?${token}`,
    { check: "token" },
  ),
  row(
    "secret-element",
    "SECRET",
    "token secret apikey api_key accesskey",
    "(?i)(?:token|secret|api_?key|accesskey)>(?<secret>[^<>\\s]{8,500})</",
    { check: "token" },
  ),
  // With white space or brackets around it, as Jenkins keeps its credentials.
  row(
    "secret-element-framed",
    "SECRET",
    `token secret apikey api_key accesskey ${passwordWords} privatekey`,
    "(?i)(?:token|secret|key|password|passphrase|passwd)>(?<secret>[^<>\\r\\n]{12,400})</",
    { check: "framed" },
  ),
  row(
    "secret-after-dash",
    "SECRET",
    `token secret key ${passwordWords}`,
    `(?i)(?:token|secret|key|${password})[ \\t]{1,3}(?:[-–]|->|\\|)[ \\t]{1,3}["'\`](?<secret>[^"'\`\\s]{8,400})["'\`]`,
    { check: "typed" },
  ),
  row(
    "secret-in-table",
    "SECRET",
    `token secret key ${passwordWords}`,
    `(?i)(?:token|secret|key|${password})[ \\t]{0,40}\\|[ \\t]{0,40}["'\`]?(?<secret>[A-Za-z0-9_.~+/=!@#%^*-]{8,400})["'\`]?[ \\t]{0,40}(?:\\||\\r?\\n|$)`,
    { check: "column" },
  ),
  row(
    "signed-url",
    "SIGNATURE",
    "x-amz-signature x-goog-signature x-amz-credential",
    "(?i)(?:x-amz-signature|x-goog-signature|x-amz-credential)=(?<secret>[A-Za-z0-9%/_-]{16,600})",
  ),
];
