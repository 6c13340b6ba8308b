import { type DefaultPattern, password, passwordWords, quote, row } from "./default-pattern.ts";

const text = "(?<secret>[^\"'`\\\\\\r\\n]{4,200})";
const open = "\\\\{0,3}[\"'`]";
const other = `${open}[^"'\`\\\\\\r\\n]{1,80}${open}`;

/** A call whose argument is a secret, such as `jwt.sign(payload, "...")`. */
const call = (
  name: string,
  type: string,
  keywords: string,
  before: string,
  check: "literal" | "token" | "typed" | "pair",
): DefaultPattern => row(name, type, keywords, `(?i)${before}[ \\t]{0,3}${open}${text}${open}`, { check });

/** Secrets in forms, in the arguments of calls, in URLs and in attributes. */
export const formPatterns = [
  row(
    "url-parameter",
    "TOKEN",
    "token= code= apikey= api_key= api-key= key= auth= sig= signature= secret= password= pwd= session= jwt= assertion= ticket=",
    "(?i)(?:token|code|api[_-]?key|key|auth|sig|signature|secret|password|pwd|session|jwt|assertion|ticket)=(?<secret>[A-Za-z0-9_.~+/%:-]{6,1000}={0,2})",
    { check: "parameter" },
  ),
  row(
    "key-of-cipher",
    "SECRET",
    "aes.new( createcipheriv( createdecipheriv( signingkey( secretbox( hmac.new( aesgcm( aes::new(",
    "(?i)(?:aes\\.new|create(?:de)?cipheriv|signingkey|secretbox|hmac\\.new|aesgcm|aes::new)\\([^\\r\\n]{0,60}?[\"'](?<secret>[0-9a-f]{32,128}|[A-Za-z0-9+/]{42,88}={0,2})[\"']",
  ),
  row(
    "database-call",
    "PASSWORD",
    "mysqli( mysqli_connect( mysql_connect( real_connect(",
    `(?i)(?:mysqli|mysqli_connect|mysql_connect|real_connect)\\([^"'\\n]{0,30}["'][^"'\\n]{0,80}["'],[ ]{0,3}["'][^"'\\n]{0,80}["'],[ ]{0,3}["'](?<secret>[^"'\\n]{4,200})["']`,
    { check: "literal" },
  ),
  ...["'", '"'].map((mark, index) =>
    row(
      `constant-${index === 0 ? "single" : "double"}`,
      "SECRET",
      "define(",
      `(?i)define\\(\\s{0,4}["'][a-z0-9_]{0,40}(?:password|passwd|_pass|_pw|secret|token|_key|_salt)["']\\s{0,2},\\s{0,12}${mark}(?<secret>[^${mark}\\r\\n]{4,200})${mark}`,
      { check: "defined" },
    ),
  ),
  row(
    "encrypt-call",
    "SECRET",
    "aes.encrypt( aes.decrypt( des.encrypt( des.decrypt( rabbit.encrypt(",
    `(?i)(?:aes|des|rabbit)\\.(?:en|de)crypt\\([^,\\n]{1,80},[ ]{0,3}["'](?<secret>[^"'\\n]{4,200})["']`,
    { check: "literal" },
  ),
  row(
    "plain-auth-call",
    "PASSWORD",
    "plainauth(",
    '(?i)plainauth\\([ \\t]{0,3}"[^"\\n]{0,60}",[ \\t]{0,3}"[^"\\n]{0,80}",[ \\t]{0,3}"(?<secret>[^"\\n]{4,200})"',
    { check: "literal" },
  ),
  row(
    "hashed-in-query",
    "PASSWORD",
    "user_pass password passwd",
    '(?i)(?:user_pass|password|passwd)[`"]?[ \\t]{0,4}=[ \\t]{0,4}(?:md5|sha1|sha2|sha256|crypt|encrypt|old_password)\\(["\'](?<secret>[^"\'\\n]{4,200})["\']',
    { check: "literal" },
  ),
  row(
    "field-filled-by-script",
    "PASSWORD",
    "pass password passwd",
    `(?i)pass(?:word|wd)?\\\\{0,3}["']?\\]?\\\\{0,3}["']?\\)?\\.value[ ]{0,2}=[ ]{0,2}\\\\{0,3}["'](?<secret>[^"'\\\\\\n]{4,200})`,
    { check: "literal" },
  ),
  row(
    "environment-fallback",
    "PASSWORD",
    passwordWords,
    `(?i)${password}[^\\r\\n]{0,60}?(?:fetch|getenv|get|env)\\([ ]{0,2}["'][^"'\\r\\n]{1,60}["'],[ ]{0,3}["'](?<secret>[^"'\\r\\n]{4,200})["']`,
    { check: "literal" },
  ),
  // How a client shows itself: `Connection(user=ann,password=...,host=db)`.
  row(
    "field-of-object",
    "PASSWORD",
    "password= passwd= pwd= secret= token=",
    "(?i)[(,]\\s?(?:password|passwd|pwd|secret|token)=(?<secret>[^\\s\"'`,()<>{}\\[\\]$]{6,200})[,)]",
    { check: "stated", reach: 2 },
  ),
  row(
    "form-body",
    "PASSWORD",
    "&pass= &passwd= &pw= &pwd= &userpass=",
    "(?i)&(?:user)?(?:pass|passwd|pw|pwd)=(?<secret>[^\\s&\"'`<>\\\\]{4,200})",
    { check: "stated" },
  ),
  row(
    "form-field",
    "PASSWORD",
    passwordWords,
    `(?i)${password}(?:%5d|\\])=(?<secret>[^\\s&"'\`<>\\\\]{4,200})`,
    { check: "literal" },
  ),
  row(
    "multipart-field",
    "SECRET",
    "form-data",
    `(?i)form-data; name=\\\\{0,3}"[a-z0-9_.\\[\\]-]{0,40}(?:password|passwd|passphrase|pwd|token|secret|api_?key|pin|otp)[a-z0-9_.\\]-]{0,10}\\\\{0,3}"(?:\\s|\\\\r|\\\\n){2,12}(?<secret>[^\\s\\\\]{4,400})`,
    { check: "literal" },
  ),
  row(
    "password-input",
    "PASSWORD",
    "password passwd",
    `(?i)pass(?:word|wd)\\\\{0,3}["'][^<>]{0,200}?\\bvalue=\\\\{0,3}["']${text}\\\\{0,3}["']`,
    { check: "literal" },
  ),
  row(
    "password-typed",
    "PASSWORD",
    `${passwordWords} pass`,
    `(?i)pass(?:word|wd|phrase|code|\\b)[^"'\`\\n;]{0,20}["'\`]?\\]?["'\`]?\\)?(?:, {0,2}|\\.(?:fill|type|sendKeys|send_keys|setValue|typeText|pressSequentially|set|enter)\\( {0,2})${open}${text}${open}`,
    { check: "typed" },
  ),
  row(
    "attribute-value",
    "PASSWORD",
    `${passwordWords} secret token`,
    `(?i)(?:${password}|secret|token)["'][ \\t]{1,4}value[ \\t]{0,2}=[ \\t]{0,2}["']${text}["']`,
    { check: "literal" },
  ),
  row(
    "name-and-value",
    "SECRET",
    `${passwordWords} secret token _key _pass`,
    `(?i)(?:${password}|secret|token|_key|_pass)${open}?(?:[ \\t]{0,3},)?[ \\t]{0,3}(?:\\r?\\n|\\\\n)?[ \\t,{-]{0,24}${open}?value${open}?[ \\t]{0,3}[:=][ \\t]{0,3}${open}?(?<secret>[^\\s"'\`\\\\<>{}$]{4,400})`,
    { check: "literal" },
  ),
  // Lines with a type or a description may stand between.
  row(
    "value-below-name",
    "SECRET",
    `${passwordWords} secret api_key api-key apikey access_key private_key`,
    `(?i)(?:${password}|secret|api[_-]?key|(?:access|private)_key)["']?[ \\t]{0,3}[:=][ \\t]{0,3}\\{?[ \\t]{0,3}\\r?\\n(?:[ \\t]{1,24}["']?[a-z_-]{1,20}["']?[ \\t]{0,3}[:=][^\\r\\n]{0,80}\\r?\\n){0,3}[ \\t]{1,24}["']?value["']?[ \\t]{0,3}[:=][ \\t]{0,3}["']?(?<secret>[^\\s"'\`<>{}$,]{4,400})`,
    { check: "literal" },
  ),
  row(
    "value-element",
    "SECRET",
    `${passwordWords} secret token api_key api-key apikey access-key access_key`,
    `(?i)(?:${password}|secret|token|(?:api|access)[_-]?key)(?:["'][ \\t]{0,3}>|</name>)\\s{0,40}<value>(?<secret>[^<>\\s]{4,400})<`,
    { check: "literal" },
  ),
  row(
    "first-of-list",
    "SECRET",
    `${passwordWords} secret token api_key api-key apikey`,
    `(?i)(?:${password}|secret|token|api[_-]?key)s?["']?:[ \\t]{0,4}\\r?\\n[ \\t]{0,20}-[ \\t]{1,3}["']?(?<secret>[^\\s"'\`<>{}$:]{8,200})["']?[ \\t]{0,4}(?:\\r?\\n|$)`,
    { check: "token" },
  ),
  call(
    "definition",
    "SECRET",
    `${passwordWords} secret token _key _salt`,
    `(?:${password}|secret|token|_key|_salt)${open}[ \\t]{0,3},`,
    "pair",
  ),
  call(
    "login-call",
    "PASSWORD",
    "login( basicauth networkcredential( httpbasicauth( authenticate( usernamepassword basic_auth( mysqli_connect( credentials( signin( sign_in( log_in(",
    `(?:login|basicauth[a-z]{0,12}|networkcredential|httpbasicauth|authenticate|usernamepassword[a-z]{0,30}|basic_auth|mysqli_connect|credentials|signin|sign_in|log_in)\\((?:${other}, {0,2}){1,2}`,
    "typed",
  ),
  call(
    "password-call-with-host",
    "PASSWORD",
    "pdo( connect( connection(",
    `(?:pdo|connect|connection)\\((?:${other}, {0,2}){2}`,
    "typed",
  ),
  call(
    "password-call-with-user",
    "PASSWORD",
    "password( password_( passwd( pdo( connect( connection(",
    `(?:password_?|passwd|pdo|connect|connection)\\(${other}, {0,2}`,
    "typed",
  ),
  call(
    "cipher-key",
    "SECRET",
    "aes.new( aes( createcipheriv( createsecretkey( twilio( signer(",
    `(?:aes\\.new|aes|createsecretkey|signer|twilio\\([^"'()\\n]{1,40},|createcipheriv\\([^()\\n]{1,40},)[ (]{0,2}b?`,
    "token",
  ),
  call("auth-pair", "PASSWORD", "auth", `auth[ \\t]{0,3}[:=][ \\t]{0,3}[(\\[]${other}, {0,2}`, "typed"),
  call(
    "jwt-sign",
    "SECRET",
    "jwt",
    `jwt\\.(?:sign|verify|encode|decode)\\([^"'\`()\\n]{1,80}, {0,2}`,
    "literal",
  ),
  call("hmac-key", "SECRET", "hmac", `hmac(?:\\.new)?\\((?:${other}, {0,2})?b?`, "token"),
  call(
    "client-of-key",
    "API_KEY",
    "stripe( openai( anthropic( fernet( wallet( signingkey( secretkeyspec( client(",
    "(?:stripe|openai|anthropic|fernet|wallet|signingkey|secretkeyspec|client)\\(b?",
    "token",
  ),
  call(
    "secure-string",
    "PASSWORD",
    "convertto-securestring",
    "convertto-securestring(?: -string)?",
    "literal",
  ),
  row(
    "secret-on-a-line",
    "SECRET",
    "requirepass masterauth rootpw auth_pass bindpw bind_pw spark.authenticate.secret snmp-server setx add-authtoken rclone",
    `(?:requirepass|masterauth|add-authtoken|rclone obscure|auth_pass|bind_?pw|rootpw(?: --plaintext)?|spark\\.authenticate\\.secret|snmp-server community|setx [A-Z0-9_]{0,60}(?:TOKEN|KEY|SECRET|PASSWORD|PASS))[ \\t]{1,4}["']?(?<secret>[^\\s"'\`<>$]{4,200})`,
    { check: "literal" },
  ),
  row(
    "key-assignment",
    "API_KEY",
    "key _salt -salt",
    `(?i)(?:key|[_-]salt)(?:${quote})?\\]?[ \\t]{0,4}(?::{1,3}=|[?]=|=>|[:=]|,)[ \\t]{0,4}(?:${quote}){0,2}(?<secret>[A-Za-z0-9_./+=-]{16,400})`,
    { check: "key" },
  ),
];
