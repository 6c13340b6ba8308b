import { password as name, row, passwordWords as words } from "./default-pattern.ts";

/** Password in other languages. */
export const nouns = [
  ..."passwort kennwort contraseña contrasena senha пароль пароля 密码 密碼 口令 パスワード 暗証番号 비밀번호 암호".split(
    " ",
  ),
  ..."wachtwoord hasło haslo parola lösenord losenord passord adgangskode kodeord salasana heslo jelszó".split(
    " ",
  ),
  ..."şifre sifre סיסמה סיסמא รหัสผ่าน पासवर्ड κωδικός".split(" "),
  ...["clave de acceso", "код доступа", "mot de passe", "كلمة المرور", "كلمة السر", "mật khẩu", "kata sandi"],
];

const is =
  "(?:[:：=]| is| was| ist| war| lautet| est| es| era| é| è| jest| är| er| on| je| to| это| là| adalah|は|是|为|為|는|은)";
const value = "(?<secret>[^\\s\"'`<>(){}\\[\\],;，。；、「」『』»“”„\\\\]{4,100})";

/** Secrets that somebody tells the agent in a sentence. */
export const prosePatterns = [
  row(
    "password-translated",
    "PASSWORD",
    nouns,
    `(?i)(?:${nouns.join("|")})(?:n|en|et|t|a|e|s|ene)?(?: [^\\s:：=.,;!?]{1,16}){0,3}?[ \\t]{0,2}${is}(?: (?:jetzt|nun|maintenant|ahora|agora|adesso|nu|teraz|теперь))?[ \\t]{0,4}["'\`«„“「]?${value}`,
    { check: "stated" },
  ),
  row(
    "password-translated-near",
    "PASSWORD",
    nouns,
    `(?i)(?:${nouns.join("|")})[^\\r\\n\\\\]{0,40}?[ \\t"'\`(「:：是](?<secret>[A-Za-z0-9][A-Za-z0-9!@#%*_+^&~-]{7,60})(?:[^A-Za-z0-9/.=]|[.](?:\\s|$)|$)`,
    { check: "password-shape" },
  ),
  row(
    "with-password",
    "PASSWORD",
    ["with password", "and password", ", password", "using password", "/ password", "the password"],
    `(?i)(?:with|and|,|using|/|the) password[ \\t]{1,2}["'\`]?(?<secret>[^\\s"'\`<>(){}\\[\\],;\\\\]{6,100})(?:[\\s"'\`,;)]|$)`,
    { check: "stated" },
  ),
  row(
    "password-stated",
    "PASSWORD",
    words,
    `(?i)${name}(?: (?:for|of|on|to) [^\\s:]{1,40}(?: [^\\s:]{1,40}){0,2}?)?(?:${is}| will be| should be| to| =| -| –)(?: now| set to| still)?:?[ \\t]{1,3}["'\`]?${value}`,
    { check: "stated" },
  ),
  row(
    "passphrase-stated",
    "PASSWORD",
    words,
    `(?i)${name}(?: (?:for|of|on|to) [^\\s:]{1,40}(?: [^\\s:]{1,40}){0,2}?)?(?: is| was|:| =|=)(?: now| still)?:?[ \\t]{0,3}["'\`]?(?<secret>[a-z0-9]{2,14}(?: [a-z0-9!?#*]{2,14}){2,11})`,
    { check: "phrase" },
  ),
  row(
    "password-short-name",
    "PASSWORD",
    ["pw:", "pass:", "pw=", "pw is", 'pw":', "pw':", 'pass":', "pass':"],
    `\\b(?:[Pp]w|PW|[Pp]ass)["']?(?::| =|=| is)[ \\t]{0,3}["'\`]?${value}`,
    { check: "stated" },
  ),
  row(
    "password-later-stated",
    "PASSWORD",
    words,
    `(?i)${name}(?: [^\\s:=.;"'\`(){}<>]{1,20}){1,5}?(?: is|: |'s| to| =| now)(?: now)?:?[ \\t]{1,3}["'\`]?${value}`,
    { check: "stated" },
  ),
  row(
    "password-near",
    "PASSWORD",
    [...words.split(" "), "pass ", "(pass", "pw ", "passwort"],
    "(?i)(?:password|passphrase|passcode|passwd|passwort|pwd|pass|pw)\\b[^\\r\\n\\\\]{0,60}?[ \\t\"'`(](?<secret>[A-Za-z0-9][A-Za-z0-9!@#%*_+^&~-]{7,60})(?:[\\s\"'`,;).!?\\\\]|$)",
    { check: "password-shape" },
  ),
  row(
    "phrase-quoted",
    "PASSWORD",
    words,
    "(?i)(?:password|passphrase|passcode|pwd)[^\"'`\\r\\n=:(){}]{1,30}[\"'`](?<secret>[a-z0-9]{2,14}(?: [a-z0-9]{2,14}){2,11})[\"'`]",
    { check: "phrase" },
  ),
  row(
    "password-quoted",
    "PASSWORD",
    words,
    "(?i)(?:password|passphrase|passcode|pwd)[ :]{1,3}[\"'`](?<secret>[^\\s\"'`\\\\]{5,80})[\"'`]",
    { check: "stated" },
  ),
  row(
    "default-password",
    "PASSWORD",
    ["default password", "initial password", "temporary password", "root password", "admin password"],
    "(?i)(?:default|initial|temporary|root|admin) password(?: (?:for|of) [^\\r\\n.:;=]{1,40}?)?(?: is|:| =| was| will be)[ \\t]{1,3}(?:set to )?[\"'`](?<secret>[^\\s\"'`\\\\]{4,80})[\"'`]",
    { check: "literal" },
  ),
  row("short-name-stated", "PASSWORD", ["pw ", "pass "], `(?i)\\b(?:pw|pass)[ \\t]["'\`]?${value}`, {
    check: "prose",
  }),
  row(
    "value-as-password",
    "PASSWORD",
    ["as the password", "as password", "as my password", "as a password", "as its password"],
    "(?<secret>[^\\s\"'`(){}<>]{6,80})[\"'`]? as (?:the |my |a |its )?password",
    { check: "stated", reach: 90 },
  ),
  row(
    "credentials-stated",
    "CREDENTIAL",
    "creds credentials login",
    `(?i)(?:creds|credentials|login)(?: [^\\s:/]{1,20}){0,4}(?::| are| is)[ \\t]{1,3}[^\\s/:"'\`<>(){}]{1,60}[ \\t]{0,2}[/:][ \\t]{0,2}${value}`,
    { check: "stated" },
  ),
  row(
    "logged-in-as",
    "PASSWORD",
    [
      "log in",
      "login",
      "sign in",
      "creds",
      "credentials",
      "connect",
      "zugangsdaten",
      "identifiants",
      "credenciales",
    ],
    `(?i)(?:log ?in|sign in|creds|credentials|connect|zugangsdaten|identifiants|credenciales)[^\\r\\n/|]{0,60}?[ \\t:(][A-Za-z0-9_.@-]{1,60}[ \\t]{0,2}(?:[/|]|:)[ \\t]{1,2}${value}`,
    { check: "stated" },
  ),
  // Nothing but a name tells that it is one: a word below or above the user's name.
  row(
    "password-below-user",
    "PASSWORD",
    ["user:", "username:", "login:", "email:", "e-mail:", "user name:"],
    "(?i)(?:user ?name|user|login|e-?mail):[ \\t]{1,8}[^\\r\\n]{1,80}\\r?\\n[ \\t>*•-]{0,8}pass(?:word|wd|phrase)?:[ \\t]{1,8}(?<secret>[^\\s\"'`<>{}$(),]{4,60})[ \\t]{0,8}(?:\\r?\\n|$)",
    { check: "literal" },
  ),
  row(
    "password-above-user",
    "PASSWORD",
    words,
    "(?i)pass(?:word|wd|phrase):[ \\t]{1,8}(?<secret>[^\\s\"'`<>{}$(),]{4,60})[ \\t]{0,8}\\r?\\n[ \\t>*•-]{0,8}(?:user ?name|user|login|e-?mail|url|host):[ \\t]",
    { check: "literal" },
  ),
  row(
    "password-in-groups",
    "PASSWORD",
    words,
    `(?i)${name}["']?(?:[^\\r\\n]{0,40}?[:=]| is)[ \\t]{0,3}["']?(?<secret>[a-z0-9]{4}(?: [a-z0-9]{4}){3})(?:["'\\s]|$)`,
    { check: "groups" },
  ),
  row(
    "shared-secret-stated",
    "SECRET",
    ["shared secret", "pre-shared", "preshared", "psk"],
    `(?i)(?:shared[ _-]secret|pre-?shared[ _-]?(?:key|secret)|\\bpsk)["']?(?: is|:| =|=)?[ \\t]{0,3}["'\`]?${value}`,
    { check: "stated" },
  ),
  row(
    "shared-secret-phrase",
    "SECRET",
    ["shared secret", "pre-shared", "preshared", "psk"],
    "(?i)(?:shared[ _-]secret|pre-?shared[ _-]?(?:key|secret)|psk)[^\"'`\\r\\n=:(){}]{0,30}[:=]?[ \\t]{0,3}[\"'`](?<secret>[a-z0-9]{2,14}(?: [a-z0-9]{2,14}){1,11})[\"'`]",
    { check: "literal" },
  ),
  row(
    "login-stated",
    "PASSWORD",
    "login creds credentials",
    `(?i)(?:login|creds|credentials)[ \\t]{0,2}=[ \\t]{0,2}[A-Za-z0-9_.@-]{1,40}[ \\t]{1,2}/[ \\t]{1,2}${value}`,
    { check: "stated" },
  ),
  row(
    "api-key-translated",
    "API_KEY",
    [
      "clé api",
      "clave api",
      "chave api",
      "chiave api",
      "api-schlüssel",
      "api schlüssel",
      "ключ api",
      "api密钥",
      "api キー",
    ],
    `(?i)(?:clé api|clave api|chave api|chiave api|api[- ]schlüssel|ключ api|api密钥|api キー)(?: [^\\s:：=]{1,12}){0,2}?[ \\t]{0,2}${is}[ \\t]{0,3}["'\`「]?(?<secret>[A-Za-z0-9_.~+/=-]{12,400})`,
    { check: "token" },
  ),
  row(
    "api-key-stated",
    "API_KEY",
    "key token",
    "(?i)(?:key|token) (?:for|of|to) [^\\r\\n:]{0,30}?(?:api|service|account|server|app|bot)[^\\r\\n:]{0,12}:[ \\t]{1,3}[\"'`]?(?<secret>[A-Za-z0-9_.-]{20,400})",
    { check: "token" },
  ),
  row(
    "token-stated",
    "TOKEN",
    [
      ...["token", "secret", " pat"],
      ...["api key", "access key", "private key", "signing key", "auth key", "license key", "encryption key"],
    ],
    "(?i)(?: pat|token|secret|(?:api|access|private|signing|auth|license|encryption) key)(?: (?:for|of|on|to) [^\\s:]{1,40})?(?: is| was|:)(?: now)?:?[ \\t]{1,3}[\"'`]?(?<secret>[A-Za-z0-9_.~+/=-]{12,400})",
    { check: "token" },
  ),
];
