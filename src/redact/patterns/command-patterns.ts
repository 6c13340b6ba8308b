import { key, password, passwordWords, quote, row } from "./default-pattern.ts";

/** Secrets in headers, on command lines and in the files that tools keep them in. */
export const commandPatterns = [
  row(
    "authorization-header",
    "AUTHORIZATION",
    "authorization",
    `(?i)authorization(?:${quote})?\\]?[ \\t]{0,4}(?::|=|,)[ \\t]{0,4}(?:${quote})?(?:bearer|basic|token|digest|apikey|bot)[ \\t]{1,4}(?<secret>[A-Za-z0-9_\\-.~+/=|:]{6,1000})`,
    { check: "flag" },
  ),
  key("bearer-token", "bearer", "(?i)bearer[ \\t]{1,4}(?<secret>[A-Za-z0-9_\\-.~+/=]{12,1000})", {
    check: "token",
  }),
  row("basic-credentials", "BASIC_AUTH", "basic", "\\b[Bb]asic[ \\t](?<secret>[A-Za-z0-9+/]{10,400}={0,2})", {
    check: "basic",
  }),
  row(
    "cookie-header",
    "COOKIE",
    "cookie",
    `(?i)cookie(?:${quote})?[ \\t]{0,3}[:=,][ \\t]{0,3}(?:${quote})?(?<secret>[A-Za-z0-9_.-]{1,60}=[^\\r\\n"'\`\\\\]{4,1000})`,
    { check: "cookie" },
  ),
  row(
    "session-cookie",
    "SESSION",
    "sessid= sessionid= jsessionid= connect.sid= session= session_token=",
    "(?i)(?:sessid|sessionid|connect\\.sid|session(?:_token)?)=(?<secret>[A-Za-z0-9%._~+/=:-]{16,1000})",
    { check: "cookie" },
  ),

  row(
    "command-line-flag",
    "SECRET",
    `${passwordWords} token secret api-key api_key apikey access-key`,
    `(?i)(?:${password}|token|secret|api[_-]?key|access-key)(?:=|[ \\t]{1,4})["']?(?<secret>[^\\s"'\`$<>|;&(){}\\\\]{4,500})`,
    { check: "flag" },
  ),
  row(
    "npmrc-auth",
    "NPM_TOKEN",
    ":_auth :_password _authtoken",
    "(?i):?_(?:authToken|auth|password)[ \\t]{0,3}=[ \\t]{0,3}[\"']?(?<secret>[A-Za-z0-9+/=_.~-]{8,1000})",
  ),
  row(
    "curl-user",
    "BASIC_AUTH",
    "-u --user --proxy-user",
    "(?:--user|--proxy-user|-u)[ \\t=]{0,3}[\"']?(?<secret>[^\\s:\"'`$<>(){}\\\\]{1,100}:[^\\s\"'`$<>(){}\\\\]{3,200})",
    {
      check: "curl",
    },
  ),
  row(
    "mysql-password",
    "PASSWORD",
    "mysql mariadb",
    "(?:mysql|mysqldump|mysqladmin|mariadb|mysqlimport)\\b[^\\n|;&]{0,200}?[ \\t]-p(?<secret>[^\\s\"'`$<>=-][^\\s\"'`$<>]{3,100})",
    {
      check: "prose",
    },
  ),
  row(
    "sshpass",
    "PASSWORD",
    "sshpass",
    "sshpass[ \\t]{1,3}-p[ \\t]{0,3}[\"']?(?<secret>[^\\s\"'`$<>]{3,100})",
  ),
  row(
    "redis-cli",
    "PASSWORD",
    "redis-cli",
    "redis-cli\\b[^\\n|;&]{0,200}?[ \\t]-a[ \\t]{1,3}[\"']?(?<secret>[^\\s\"'`$<>]{3,200})",
  ),
  row(
    "docker-login",
    "PASSWORD",
    "login",
    "login\\b[^\\n|;&]{0,120}?[ \\t]-p[ \\t]{1,3}[\"']?(?<secret>[^\\s\"'`$<>-][^\\s\"'`$<>]{3,200})",
    {
      check: "flag",
    },
  ),
  // Of a network without wires: wpa_supplicant, OpenWrt, Windows, and the code that telephones read.
  row(
    "wireless-key",
    "PASSWORD",
    ["psk=", "psk =", "wpa_passphrase ", "option key"],
    "(?i)(?:psk[ \\t]{0,3}=[ \\t]{0,3}|wpa_passphrase[ \\t]{1,4}[\"']?[^\\s\"']{1,32}[\"']?[ \\t]{1,4}|option key[ \\t]{1,4}[\"'])[\"']?(?<secret>[^\"'\\r\\n$<>{}|;&]{8,63})(?:[\"'\\r\\n]|$)",
    { check: "literal" },
  ),
  row("wireless-key-in-code", "PASSWORD", "wifi:", "WIFI:[^\\s\"']{0,100}?P:(?<secret>[^;\\r\\n]{5,63});", {
    check: "literal",
  }),
  row("wireless-key-material", "PASSWORD", "<keymaterial>", "<keyMaterial>(?<secret>[^<>\\r\\n]{5,64})<"),
  row("openssl-pass", "PASSWORD", "pass:", "\\bpass:(?<secret>[^\\s\"'`$<>]{4,100})", { check: "curl" }),
  key(
    "docker-auth",
    '"auth"',
    '"auth\\\\{0,3}"\\s{0,4}:\\s{0,4}\\\\{0,3}"(?<secret>[A-Za-z0-9+/]{12,800}={0,2})\\\\{0,3}"',
    {
      check: "basic",
    },
  ),
  row(
    "kubeconfig-key",
    "PRIVATE_KEY",
    "client-key-data",
    "client-key-data[\"']?:\\s{0,8}[\"']?(?<secret>[A-Za-z0-9+/=]{40,})",
  ),
];
