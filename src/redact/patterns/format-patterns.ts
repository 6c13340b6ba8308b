import { assigned, password, passwordWords, quote, row } from "./default-pattern.ts";

const bare = "(?<secret>[^\\s\"'`$<>|;&\\\\-][^\\s\"'`<>|;&\\\\]{2,400})";
/** What is in quotes, as a shell takes it: only the same mark ends it. */
const shellQuoted = ["'", '"'].map((mark) => `${mark}(?<secret>[^${mark}\\\\\\r\\n]{3,200})${mark}`);
const user = "[^\\s:/\"'`<>(){}]{1,60}";
const nextLine = "(?:\\r?\\n|\\\\n)";
const tokenWords = "token secret api_key apikey api-key access_key access-key";
const tokenName = "(?:token|secret|(?:api|access)[_-]?key)";

/** Secrets in the places that a file format, a tool's output or a language has for them. */
export const formatPatterns = [
  // A value that is all of its line, with whatever signs.
  row(
    "password-line",
    "PASSWORD",
    `${passwordWords} pass`,
    `(?i)(?:${password}|pass)["']?[ \\t]{0,4}[:=][ \\t]{0,8}(?<secret>[^\\s"'\`]{8,200})[ \\t]{0,8}(?:\\r?\\n|$|\\\\n|#)`,
    { check: "whole-line" },
  ),
  // Columns: what Vault prints, tables of settings, `TOKEN abc`.
  row(
    "secret-in-columns",
    "SECRET",
    `${tokenWords} ${passwordWords}`,
    `(?i)(?:${tokenName}|${password})(?:[ \\t]{2,40}|\\t)(?<secret>[^\\s"'\`<>|]{8,400})[ \\t]{0,40}(?:\\r?\\n|$|\\\\n)`,
    { check: "column" },
  ),
  row(
    "secret-after-capitals",
    "SECRET",
    "token secret password private access key",
    "(?:TOKEN|SECRET|PASSWORD|PRIVATE|ACCESS|[A-Za-z]KEY|[_ .-]KEY)(?:[ _-]?(?:[Kk]ey|KEY|[Tt]oken|TOKEN))?(?:[ \\t]{0,3}[:=.-][ \\t]{0,3}|\\s{1,4})[\"']?(?<secret>[A-Za-z0-9_./+=~-]{12,400})",
    { check: "capitals", reach: 1 },
  ),
  row(
    "secret-announced",
    "SECRET",
    `${passwordWords} token secret key`,
    `(?i)(?:${password}|token|secret|key)(?:[ \\t][^\\r\\n\\\\]{0,60})?:?[ \\t]{0,4}(?:${nextLine}){1,2}[ \\t>|]{0,8}(?:new )?(?:value:[ \\t]{1,4})?(?<secret>[A-Za-z0-9_./+=~:!@#%^*-]{12,400})[ \\t]{0,4}(?:${nextLine}|$)`,
    { check: "announced" },
  ),

  // Markup.
  row(
    "element-by-attribute",
    "SECRET",
    `${passwordWords} token secret apikey api_key`,
    `(?i)(?:${password}|token|secret|api_?key)["'][^<>\\r\\n]{0,80}>(?:<value>)?(?<secret>[^<>\\s]{6,400})</`,
    { check: "typed" },
  ),
  row(
    "property-list",
    "SECRET",
    `${passwordWords} token secret apikey`,
    `(?i)(?:${password}|token|secret|api_?key)</key>\\s{0,40}<string>(?<secret>[^<>]{6,400})</string>`,
    { check: "literal" },
  ),
  row(
    "character-data",
    "SECRET",
    `${passwordWords} token secret apikey`,
    `(?i)(?:${password}|token|secret|api_?key)><!\\[CDATA\\[(?<secret>[^\\]<>\\r\\n]{4,400})\\]\\]>`,
    { check: "typed" },
  ),
  row(
    "placeholder-default",
    "SECRET",
    `${passwordWords} token secret key pass`,
    `(?i)\\$\\{[a-z0-9_.-]{0,60}(?:${password}|token|secret|key|pass):-?(?<secret>[^\\s{}$"'\`,;()]{6,400})\\}`,
    { check: "stated", reach: 64 },
  ),

  // Code.
  row(
    "fallback-value",
    "SECRET",
    `${passwordWords} token secret _key _pass`,
    `(?i)(?:${password}|token|secret|_key|_pass)(?:${quote})?[\\])]{0,2}[ \\t]{0,2}(?:\\|\\||\\?\\?|\\bor\\b)[ \\t]{0,2}${quote}(?<secret>[^"'\`\\\\\\s$]{6,400})${quote}`,
    { check: "typed" },
  ),
  row(
    "secret-compared",
    "SECRET",
    `${passwordWords} secret token _key apikey`,
    `(?i)(?:${password}|secret|token|_key|apikey)(?:${quote})?[\\])]{0,2}[ \\t]{0,2}(?:[!=]==?|\\.equals\\(|-c?eq|-c?ne)[ \\t]{0,2}${quote}(?<secret>[^"'\`\\\\\\s$]{4,400})${quote}`,
    { check: "typed" },
  ),
  row(
    "password-compared",
    "PASSWORD",
    passwordWords,
    `(?i)${password}(?:${quote})?[\\])]{0,2}[ \\t]{0,2}(?:[!=]==?|\\.equals\\(|-c?eq|-c?ne)[ \\t]{0,2}${quote}(?<secret>[^"'\`\\\\\\s$]{5,200})${quote}`,
    { check: "password" },
  ),
  row(
    "default-of-variable",
    "SECRET",
    `${passwordWords} secret token _key apikey`,
    `(?i)(?:${password}|secret|token|_key|apikey)[ \\t]{0,3}:?[:=][ \\t]{0,3}[A-Za-z0-9_.:]{0,30}(?:env|get|fetch|default)[a-z]{0,10}\\([ \\t]{0,2}${quote}[A-Za-z0-9_.-]{1,60}${quote}[ \\t]{0,3},[ \\t]{0,3}${quote}(?<secret>[^"'\`\\\\\\s$]{4,400})${quote}`,
    { check: "typed" },
  ),
  // Whatever stands between the quotes: with so many signs it is no name, path or template.
  ...["'", '"'].map((mark, index) =>
    row(
      `secret-of-signs-${index === 0 ? "single" : "double"}`,
      "SECRET",
      "secret token _key -key apikey _salt",
      `(?i)(?:secret|token|[_-]key|apikey|_salt)(?:${quote})?[ \\t]{0,4}(?:=>|:=|[:=])[ \\t]{0,4}${mark}(?<secret>[^${mark}\\r\\n]{12,200})${mark}`,
      { check: "signs" },
    ),
  ),
  row(
    "password-hashed",
    "PASSWORD",
    "bcrypt. bcrypt:: argon2. hashpw( password_verify( make_password( generate_password_hash( checkpw( compare( comparesync( check_password(",
    `(?i)(?:(?:bcrypt|argon2)[.:]{1,2}[a-z_]{2,24}|hashpw|password_verify|make_password|generate_password_hash|checkpw|compare(?:sync)?|check_password)\\([ \\t]{0,2}b?${quote}(?<secret>[^"'\`\\\\\\r\\n$]{4,100})${quote},? ?`,
    { check: "typed" },
  ),
  row(
    "pair-encoded",
    "BASIC_AUTH",
    "btoa( buffer.from( b64encode( base64.encode( encodetostring( base64_encode(",
    `(?i)(?:btoa|buffer\\.from|b64encode|base64\\.encode|encodetostring|base64_encode)\\((?:\\[\\]byte\\()?b?${quote}${user}:(?<secret>[^"'\`\\\\\\s$]{4,200})${quote}`,
    { check: "typed" },
  ),
  row(
    "password-argument",
    "PASSWORD",
    "pdo( connect( connection( getconnection( wifi.begin( .auth( authenticate( login( setcredentials( usernamepassword basicauth( basic_auth( networkcredential(",
    `(?i)(?:pdo|connect|(?:get)?connection|wifi\\.begin|\\.auth|authenticate|login|setcredentials|usernamepassword[a-z]{0,30}|basic_?auth|networkcredential)\\((?:(?:${quote}[^"'\`\\\\\\r\\n]{1,80}${quote}|[$@]?[A-Za-z_][A-Za-z0-9_.]{0,40}), {0,2}){1,3}${quote}(?<secret>[^"'\`\\\\\\r\\n]{4,100})${quote}`,
    { check: "typed" },
  ),
  row(
    "named-value",
    "SECRET",
    "plaintext_value secret_value secret_string secret_data secretstring secretvalue",
    `(?i)(?:plaintext_value|secret_?value|secret_?string|secret_data)(?:${quote})?[ \\t]{0,8}[:=][ \\t]{0,4}${quote}(?<secret>[^"'\`\\\\\\r\\n{}$]{4,400})${quote}`,
    { check: "literal" },
  ),
  row(
    "secure-value",
    "SECRET",
    "securestring",
    '(?i)SecureString\\\\{0,3}"[^{}]{0,300}?"Value\\\\{0,3}"\\s{0,4}:\\s{0,4}\\\\{0,3}"(?<secret>[^"\\\\\\r\\n]{4,400})',
    { check: "literal" },
  ),
  row(
    "key-as-numbers",
    "PRIVATE_KEY",
    "secretkey secret_key privatekey private_key keypair",
    `(?i)(?:secret_?key|private_?key|keypair)(?:${quote})?[^\\[\\r\\n]{0,40}\\[\\s{0,8}(?<secret>(?:[0-9]{1,3},\\s{0,8}){31,63}[0-9]{1,3})`,
  ),

  // Commands.
  ...shellQuoted.map((quoted, index) =>
    row(
      `attached-password-${index === 0 ? "single" : "double"}`,
      "PASSWORD",
      "mysql mysqldump mysqladmin mariadb mysqlimport 7z",
      `(?:mysql|mysqldump|mysqladmin|mariadb|mysqlimport|7z)\\b[^\\n;&]{0,300}?[ \\t]-p${quoted}`,
      { check: "literal" },
    ),
  ),
  ...shellQuoted.map((quoted, index) =>
    row(
      `user-option-${index === 0 ? "single" : "double"}`,
      "BASIC_AUTH",
      "-u --user --proxy-user",
      `(?:--user|--proxy-user|-u)[ \\t=]{0,3}${quoted.replace("(?<secret>", `(?<secret>${user}:`).replace("{3,200}", "{4,200}")}`,
      { check: "curl" },
    ),
  ),
  row(
    "windows-option",
    "PASSWORD",
    "psexec psexec64 osql isql evil-winrm xfreerdp plink pscp winscp schtasks wmic kinit ipmitool mosquitto_pub mosquitto_sub svn sc.exe",
    `(?i)(?:psexec(?:64)?|osql|isql|evil-winrm|xfreerdp|plink|pscp|winscp|schtasks|wmic|ipmitool|mosquitto_[ps]ub|svn)\\b[^\\n;&]{0,300}?[ \\t](?:-p|/p:?|-pw|/rp|--password|/pass(?:word)?:)[ \\t=:]{0,3}["']?${bare}`,
    { check: "literal" },
  ),
  row(
    "windows-pass",
    "PASSWORD",
    "/pass: /password: /rp",
    `(?i)(?:/pass(?:word)?:|/rp[ \\t]{1,3})["']?${bare}`,
    {
      check: "literal",
    },
  ),
  row(
    "net-use-before",
    "PASSWORD",
    ["net use ", "net user "],
    `(?i)net user? [^\\n]{1,120}?[ \\t](?<secret>[^\\s"'/*%$<>-][^\\s"'\`<>|;&]{4,100})[ \\t]{1,3}/(?:user:|add|domain|y\\b)`,
    { check: "stated" },
  ),
  row(
    "redis-acl",
    "PASSWORD",
    "setuser",
    "(?i)setuser [^\\n>]{1,120}?[ \"'][>](?<secret>[^\\s\"'`$<>|;&]{4,200})",
    { check: "literal" },
  ),
  row(
    "sql-password-double",
    "PASSWORD",
    ["identified by", "password = ", "password="],
    `(?i)(?:identified by|password ?=)[ \\t]{0,4}(?:values )?\\\\{0,3}["'](?<secret>[^"'\\\\\\r\\n]{4,200})\\\\{0,3}["']`,
    { check: "typed" },
  ),
  row(
    "database-login",
    "PASSWORD",
    "sqlplus sqlcl expdp impdp rman userid=",
    `(?i)(?:(?:sqlplus|sqlcl|expdp|impdp|rman)(?: -[a-z]{1,8}| target){0,3}[ \\t]{1,3}["']?|userid=["']?)[a-z0-9_]{1,40}/(?<secret>[^\\s"'\`$<>@/]{4,100})(?:[@ "']|$|\\r?\\n)`,
    { check: "stated" },
  ),
  row(
    "written-to-secret-file",
    "SECRET",
    ["echo ", "printf "],
    `(?i)(?:echo|printf)[ \\t]{1,3}(?:-n[ \\t]{1,3}|'%s(?:\\\\n)?'[ \\t]{1,3}){0,2}["']?(?<secret>[^\\s"'\`$<>|\\\\]{6,200})["']?[ \\t]{0,3}>{1,2}[ \\t]{0,3}["']?[^\\s"']{0,80}(?:pass|secret|token|cred|netrc|apikey|api_key|api-key|\\.key)`,
    { check: "stated" },
  ),
  row(
    "piped-secret",
    "SECRET",
    ["echo ", "printf "],
    `(?i)(?:echo|printf)[ \\t]{1,3}(?:-n[ \\t]{1,3}|'%s(?:\\\\n)?'[ \\t]{1,3}){0,2}["']?(?<secret>[^\\s"'\`$<>|\\\\]{6,400})["']?[ \\t]{0,3}\\|[ \\t]{0,3}(?:sudo )?(?:gh secret|gh auth|gcloud secrets|wrangler (?:pages )?secret|vercel env|(?:docker|podman) secret|vault |pass insert|bw |cryptsetup|kinit|smbpasswd|passwd|flyctl|heroku|kubeseal|ansible-vault|openssl (?:enc|passwd)|mkpasswd|base64)`,
    { check: "stated" },
  ),
  row(
    "string-secured",
    "PASSWORD",
    "convertto-securestring",
    `(?i)["'](?<secret>[^"'\\r\\n$]{4,200})["'][ \\t]{0,3}\\|[ \\t]{0,3}convertto-securestring`,
    { check: "literal", reach: 220 },
  ),
  row(
    "here-string-secret",
    "SECRET",
    ["secret put", "env add", "secret set", "with-token", "secrets create"],
    `(?i)(?:secret put|env add|secret set|with-token|secrets create)[^\\n<]{0,80}<<< {0,2}["']?(?<secret>[^\\s"'\`$<]{6,400})`,
    { check: "literal" },
  ),

  // Headers and URLs.
  row(
    "raw-authorization",
    "AUTHORIZATION",
    "authorization",
    `(?i)authorization(?:${quote})?\\]?[ \\t]{0,4}(?::|=|,)[ \\t]{0,4}(?:${quote})?(?:[a-z][a-z0-9-]{1,20}[ \\t]{1,3})?(?<secret>[A-Za-z0-9_\\-.~+/=]{12,1000})`,
    { check: "token" },
  ),
  // Headers of whatever service: its name, then what lets one in.
  row(
    "header-of-service",
    "SECRET",
    'authentication -auth: -auth" x-auth -crumb -ticket _auth" _auth=',
    `(?i)(?:x-auth|authentication|-crumb|-ticket|[_-]auth)(?:${quote})?[ \\t]{0,3}[:=][ \\t]{0,3}(?:${quote})?(?<secret>[A-Za-z0-9_~+/-]{16,400}={0,2})`,
    { check: "token" },
  ),
  row(
    "session-value",
    "SESSION",
    "_session= code_verifier= oauth_signature= oauth_token_secret=",
    "(?i)(?:_session|code_verifier|oauth_signature|oauth_token_secret)=\\\\{0,3}[\"']?(?<secret>[A-Za-z0-9%._~+/=:-]{16,1000})",
    { check: "cookie" },
  ),
  row(
    "link-of-secret",
    "TOKEN",
    "/invite/ /invitation/ /reset/ /reset-password/ /password-reset/ /verify/ /confirm/ /activate/ /magic/ /magic-link/ /accept/ /unsubscribe/",
    "(?i)/(?:invite|invitation|reset|reset-password|password-reset|verify|confirm|activate|magic|magic-link|accept|unsubscribe)/(?<secret>[A-Za-z0-9_-]{20,400})",
    { check: "random" },
  ),
  row(
    "webhook-url",
    "WEBHOOK",
    "/hook/ /hooks/ /webhook/ /webhooks/ /with/key/ hc-ping.com/",
    "(?i)(?:/(?:web)?hooks?/|/with/key/|hc-ping\\.com/)(?:catch/)?(?:[0-9]{4,20}/|[a-z0-9_.-]{1,24}/){0,3}(?<secret>[A-Za-z0-9_-]{20,400})",
    { check: "random" },
  ),
  row(
    "zapier-webhook",
    "WEBHOOK",
    "hooks.zapier.com/",
    "hooks\\.zapier\\.com/hooks/catch/(?<secret>[0-9]{4,12}/[a-z0-9]{5,12})",
  ),
  row(
    "secret-in-name",
    "SECRET",
    "password passwd secret token api-key api_key apikey private-key private_key access-key access_key",
    "(?i)(?:password|passwd|(?:secret|api|private|access)[_-]?key|secret|token)[-_](?<secret>[A-Za-z0-9]{12,200}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[\\s.\"'`,;:)/]|$)",
    { check: "joined" },
  ),

  // Prose.
  row(
    "value-is-password",
    "PASSWORD",
    ["is the password", "is my password", "is our password", "is its password", "is the admin password"],
    "(?<secret>[^\\s\"'`(){}<>]{6,80})[\"'`]? is (?:the|my|its|our)(?: admin)? password(?:[.,;!)]|\\s*$|\\r?\\n)",
    { check: "stated", reach: 90 },
  ),
  row(
    "signed-in-with",
    "PASSWORD",
    [
      "log in with ",
      "login with ",
      "sign in with ",
      "signin with ",
      "log in as ",
      "logged in as ",
      "sign in as ",
    ],
    `(?i)(?:log|sign|logged)[ -]?in (?:with|as) [^\\s"'\`]{1,80}(?: and| with|,|/| /|:)(?: the)?(?: password| pw| pass)? ?["'\`]?(?<secret>[^\\s"'\`<>(){}\\[\\],;\\\\]{6,100})`,
    { check: "password-shape" },
  ),
  row(
    "seed-of-codes",
    "OTP_SEED",
    "key code secret app",
    `(?i)(?:key|code|secret|app)[^\\r\\n\\\\:]{0,40}?(?::|is)[ \\t]{1,3}["'\`]?(?<secret>[A-Za-z2-7]{4}(?:[ -][A-Za-z2-7]{4}){3,15})`,
    { check: "base32" },
  ),
  row("seed-in-call", "OTP_SEED", "totp(", `(?i)totp\\(b?["'](?<secret>[A-Za-z2-7]{16,64})["']`, {
    check: "base32",
  }),

  // Hashes of passwords.
  row(
    "password-hash-scram",
    "PASSWORD_HASH",
    "scram-sha-",
    "SCRAM-SHA-(?:1|256|512)\\$[0-9]{1,8}:(?<secret>[A-Za-z0-9+/=]{8,100}\\$[A-Za-z0-9+/=]{20,100}:[A-Za-z0-9+/=]{20,100})",
  ),
  row("password-hash-postgres", "PASSWORD_HASH", "md5", "\\bmd5(?<secret>[0-9a-f]{32})\\b"),
  row(
    "password-hash-windows",
    "PASSWORD_HASH",
    ":::",
    ":[0-9]{3,6}:(?<secret>[0-9a-f]{32}:[0-9a-f]{32}):::",
    { reach: 80 },
  ),
  row(
    "secret-base64",
    "SECRET",
    `${passwordWords} token secret key`,
    `(?i)(?:${password}|token|secret|key)[_-]?(?:b64|base64|enc|encoded|encrypted)${assigned}(?:${quote})?(?<secret>[A-Za-z0-9+/_-]{12,1000}={0,2})`,
    { check: "literal" },
  ),
];
