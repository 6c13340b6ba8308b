import { type DefaultPattern, row } from "./default-pattern.ts";

/** A value that ends at a space, and one in quotes, which may contain spaces. */
const bare = "(?<secret>[^\\s\"'`$<>|;&:\\\\-][^\\s\"'`<>|;&\\\\]{2,400})";
const quoted = "\\\\{0,3}[\"'](?<secret>[^\"'`$\\\\\\r\\n]{3,400})\\\\{0,3}[\"']";

/** Options of programs whose value is a secret. */
function option(name: string, programs: string, options: string): DefaultPattern[] {
  const before = `(?:${programs.replaceAll(" ", "|")})\\b[^\\n;&]{0,300}?[ \\t](?:${options})`;
  return [
    row(`${name}-quoted`, "PASSWORD", programs, `${before}[ \\t=]{1,3}${quoted}`, { check: "literal" }),
    row(name, "PASSWORD", programs, `${before}[ \\t=]{1,3}${bare}`, { check: "literal" }),
  ];
}

/** Passwords on the command lines of programs that are known to take one there. */
export const optionPatterns = [
  ...option(
    "database-option",
    "mongo mongosh mongodump mongorestore mongoimport mongoexport cqlsh rabbitmqadmin neo4j cypher-shell",
    "-p|--password",
  ),
  ...option("redis-option", "redis-cli valkey-cli", "-a|--pass"),
  ...option("sqlcmd-option", "sqlcmd bcp", "-P"),
  ...option("influx-option", "influx clickhouse-client", "-password|--password"),
  ...option("ldap-option", "ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami", "-w"),
  ...option("openssl-option", "openssl", "-k|-K"),
  ...option("keystore-option", "keytool jarsigner", "-storepass|-keypass|-srcstorepass|-deststorepass"),
  ...option("key-option", "keytool", "-keypass|-destkeypass"),
  ...option("archive-option", "unzip zip", "-P|--password"),
  ...option("login-option", "login", "-p|--password"),
  ...option("ssh-key-option", "ssh-keygen", "-N|-P"),
  ...option("wifi-password", "nmcli", "password"),
  ...option("snmp-authentication", "snmpwalk snmpget snmpset snmpbulkwalk snmptranslate", "-A"),
  ...option("snmp-privacy", "snmpwalk snmpget snmpset snmpbulkwalk snmptranslate", "-X"),
  // Of any program: it takes a user before it.
  row(
    "user-then-password",
    "PASSWORD",
    ["-u ", "-u", "--user "],
    "(?:-[uU]|--user)[ =]{0,2}[\"']?[A-Za-z0-9_.@\\\\-]{1,60}[\"']?(?: -[hHPdDn] ?[^\\s-][^\\s]{0,80})?[ \\t]{1,3}-[pPwW][ =]{0,2}[\"']?(?<secret>[0-9!@#%^*_]{0,16}[A-Za-z][^\\s\"'`<>|;&$\\\\]{3,200})",
    { check: "stated" },
  ),
  row(
    "password-flag",
    "PASSWORD",
    "password passwd passphrase --pass",
    `(?i)(?:--(?:[a-z0-9]{1,20}-){0,2})?pass(?:word|wd|phrase)?(?:=|[ \\t]{1,3})["']?${bare}`,
    { check: "password-flag" },
  ),
  row(
    "phrase-flag",
    "PASSWORD",
    "--passphrase --password --pass",
    `(?i)--pass(?:word|phrase)?(?:=|[ \\t]{1,3})${quoted}`,
    { check: "literal" },
  ),
  // The user or the password may be in quotes of its own, and a key may be the user alone.
  row(
    "curl-password",
    "PASSWORD",
    "-u --user --proxy-user",
    "(?:--user|--proxy-user|-u)[ \\t=]{0,3}[\"']?[^\\s:\"'$<>]{0,100}[\"']?:[\"']?(?<secret>[^\\s\"'$<>]{4,200})",
    { check: "curl" },
  ),
  row(
    "curl-key",
    "API_KEY",
    "-u --user",
    "(?:--user|-u)[ \\t=]{0,3}[\"']?(?<secret>[^\\s:\"'`$<>(){}\\\\]{8,200}):[\"']?(?:\\s|$)",
    { check: "curl" },
  ),
  row(
    "header-option",
    "SECRET",
    "-h --header",
    `(?i)(?:-H|--header)[ \\t=]{0,3}["'][a-z0-9_-]{0,40}(?:token|key|secret|auth|password|crumb|session|cookie)[a-z_-]{0,10}:[ \\t]{0,3}(?<secret>[^\\s"'\`$<>]{6,1000})["']`,
    { check: "stated" },
  ),
  row("lftp-login", "PASSWORD", "lftp", `lftp\\b[^\\n;&|]{0,100}?-u[ \\t]{0,2}["']?[^\\s,"']{1,60},${bare}`, {
    check: "literal",
  }),
  row(
    "httpie-auth",
    "PASSWORD",
    ["http ", "https ", "xh "],
    `(?:https?|xhs?) [^\\n;&|]{0,100}?(?:-a|--auth)[ =]["']?[^\\s:"'\`$]{1,60}:${bare}`,
    { check: "literal" },
  ),
  row("echoed-password-file", "PASSWORD", "password-file", `password-file[= ]<\\(echo ["']?${bare}`, {
    check: "literal",
  }),
  row("mount-option", "PASSWORD", ",password= ,pass=", `(?i),pass(?:word)?=${bare.replace(";&", ";&,")}`, {
    check: "literal",
  }),
  ...option("gpg-option", "gpg gpg2", "--passphrase"),
  ...option("sshpass-option", "sshpass", "-p"),
  ...option("cloud-secret", "put-parameter create-secret put-secret-value", "--value|--secret-string"),
  ...option("github-secret", "gh glab", "--body|-b"),
  row(
    "user-added",
    "PASSWORD",
    "add_user change_password adduser",
    `(?:add_user|change_password|adduser)[ \\t]{1,3}[A-Za-z0-9_.@-]{1,60}[ \\t]{1,3}["']?${bare}`,
    { check: "stated" },
  ),
  row(
    "attached-password",
    "PASSWORD",
    "7z 7za 7zz mysql mysqldump mysqladmin mariadb mariadb-dump",
    `(?:7z[az]?|mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\\b[^\\n;&]{0,300}?[ \\t]-p["']?${bare}`,
    { check: "literal" },
  ),
  row(
    "htpasswd-command",
    "PASSWORD",
    "htpasswd",
    `htpasswd[ \\t]{1,4}-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[ \\t][^\\n;&|]{1,160}?[ \\t]["']?${bare}["']?(?:\\s|$)`,
    { check: "literal" },
  ),
  row(
    "user-and-password",
    "PASSWORD",
    "smbclient mount.cifs rpcclient",
    "(?:smbclient|mount\\.cifs|rpcclient)\\b[^\\n;&|]{0,200}?-U[ \\t]{0,3}[\"']?[^\\s%\"']{1,60}%(?<secret>[^\\s\"'`$<>]{4,100})",
    { check: "literal" },
  ),
  row("net-use", "PASSWORD", "/user:", `(?i)/user:[^\\s]{1,80}[ \\t]{1,3}["']?${bare}`, { check: "stated" }),
  row(
    "oracle-login",
    "PASSWORD",
    "sqlplus jdbc:oracle",
    "(?:sqlplus(?: -[sSlL]){0,3}[ \\t]{1,3}[\"']?|jdbc:oracle:thin:)[A-Za-z0-9_]{1,40}/(?<secret>[^\\s\"'`$<>@/]{3,100})@",
    { check: "literal" },
  ),
  row("redis-auth", "PASSWORD", ["> auth "], `(?i)> AUTH (?:[a-z0-9_-]{1,30} )?["']?${bare}`, {
    check: "literal",
  }),
  row(
    "piped-password",
    "PASSWORD",
    ["echo ", "printf "],
    "(?:echo|printf)[ \\t]{1,3}(?:-n[ \\t]{1,3})?\\\\{0,3}[\"']?(?:[a-z0-9_-]{1,32}:)?(?<secret>[^\\s\"'`$<>|\\\\]{4,100})(?:\\\\n)?\\\\{0,3}[\"']?[ \\t]{0,3}\\|[ \\t]{0,3}(?:sudo -S|sudo --stdin|(?:sudo )?chpasswd|(?:docker|podman|helm|gh|npm|az|oc)[^\\n|]{0,80}(?:stdin|with-token))",
    { check: "literal" },
  ),
  row(
    "go-dsn",
    "PASSWORD",
    "@tcp( @unix( @(",
    "[A-Za-z0-9_.-]{1,60}:(?<secret>[^\\s\"'`$<>@/:]{3,100})@(?:tcp|unix)?\\(",
    { check: "literal", reach: 170 },
  ),
  row(
    "braced-password",
    "PASSWORD",
    "pwd={ password={",
    "(?i)(?:pwd|password)=\\{(?<secret>[^{}\\r\\n$]{3,100})\\}",
    { check: "literal" },
  ),
  row(
    "vault-put",
    "SECRET",
    ["kv put ", "vault write "],
    `(?:kv put|vault write) [^\\n]{0,200}?[ \\t][A-Za-z0-9_.-]{1,60}=["']?${bare}`,
    { check: "literal" },
  ),
  row(
    "secrets-set",
    "SECRET",
    ["config:set ", "secrets set ", "secrets:set "],
    `(?:config|secrets)[: ]set [^\\n=]{0,120}?(?:SECRET|TOKEN|KEY|PASSWORD|PASS|PWD|DSN)[A-Z0-9_]{0,20}=["']?${bare}`,
    { check: "literal" },
  ),
  row(
    "from-literal",
    "SECRET",
    "--from-literal",
    `--from-literal[= ]["']?[A-Za-z0-9_.-]{1,80}=["']?${bare}`,
    {
      check: "literal",
    },
  ),
  row("npm-auth-token", "NPM_TOKEN", ":_authtoken", `(?i):_authToken["']?[ \\t=]{1,3}["']?${bare}`, {
    check: "literal",
  }),
  row(
    "sent-to-prompt",
    "PASSWORD",
    "send",
    "send(?:line)?(?: --)? \\\\{0,3}[\"'](?<secret>[^\"'\\\\\\s$]{4,100})\\\\{1,4}[rn]",
    { check: "stated" },
  ),
  row(
    "pgpass-line",
    "PASSWORD",
    ":5432: :5433: :6432: :*:",
    "(?:(?::543[23]:|:6432:)[^:\\s]{1,64}:|:\\*:(?:\\*:){0,2}(?:[^:\\s*]{1,64}:)?)[^:\\s*]{1,64}:(?<secret>[^\\s\"'`:$]{4,200})",
    { check: "literal" },
  ),
  row(
    "environment-call",
    "SECRET",
    "setenvironmentvariable( setenv( putenv(",
    "(?i)(?:setenvironmentvariable|setenv|putenv)\\([\"'][a-z0-9_]{0,60}(?:token|secret|password|key)(?:[\"'], {0,2}[\"']|=)(?<secret>[^\"'\\n]{4,400})[\"']",
    { check: "literal" },
  ),
  row(
    "package-source-login",
    "PASSWORD",
    ["bundle config", "composer config"],
    `(?:bundle config [^\\n]{0,80}? [A-Za-z0-9_.@-]{1,60}:|composer config [^\\n]{0,40}http-basic\\.[^\\s]{1,80} [^\\s]{1,60} )["']?${bare}`,
    { check: "literal" },
  ),
  row(
    "user-option",
    "PASSWORD",
    ["--user ", "--user=", "--auth ", "--auth="],
    "--(?:user|auth)[ =][\"']?[A-Za-z][A-Za-z0-9_.@-]{0,60}:(?<secret>[^\\s\"'`<>|;&$\\\\]{4,200})",
    { check: "stated" },
  ),
  row(
    "minio-user",
    "SECRET",
    ["admin user add", "admin user svcacct add"],
    `admin user (?:svcacct )?add [^\\s]{1,60} [^\\s]{1,60} ["']?${bare}`,
    { check: "literal" },
  ),
  row(
    "here-document",
    "SECRET",
    ["env add ", "secret put ", "secrets set ", "secret create ", "secrets create "],
    "(?:env add|secrets? (?:put|set|create)) [^\\r\\n]{0,120}<<-?[ ]?[\"']?[A-Za-z_]{2,16}[\"']?\\r?\\n(?<secret>[^\\s]{6,400})",
    { check: "literal" },
  ),
  row(
    "here-phrase",
    "PASSWORD",
    ["<<<"],
    "<<<[ ]{0,2}[\"'](?<secret>[a-z0-9]{2,14}(?: [a-z0-9]{2,14}){2,11})[\"']",
    { check: "phrase" },
  ),
  row(
    "network-server-key",
    "PASSWORD",
    "tacacs-server radius-server",
    "(?:tacacs|radius)-server[^\\r\\n]{0,80}? key (?:[0-9] )?(?<secret>[^\\s]{4,100})",
    { check: "stated" },
  ),
  row(
    "defined-secret",
    "SECRET",
    ["#define "],
    '#define[ \\t]{1,8}[A-Za-z0-9_]{0,40}(?:PASS|PASSWORD|PASSWD|PASSPHRASE|PWD|PW|PSK|SECRET|TOKEN|APIKEY|API_KEY)[ \\t]{1,16}"(?<secret>[^"\\r\\n]{4,200})"',
    { check: "literal" },
  ),
  row("here-string", "PASSWORD", "<<<", "<<< {0,2}[\"']?(?<secret>[^\\s\"'`$<]{4,200})", { check: "stated" }),
  row(
    "variable-set",
    "SECRET",
    ["env ", "setenv ", "\\set ", "fastcgi_param ", "arg "],
    "(?i)(?:^|[\\r\\n])[ \\t]{0,8}(?:ENV|setenv|SetEnv|\\\\set|fastcgi_param)[ \\t]{1,8}[A-Za-z0-9_]{0,60}(?:password|passwd|_pass|_pw|secret|token|_key)[ \\t]{1,8}[\"']?(?<secret>[^\\s\"'`$<>{}=]{4,400})[\"']?;?[ \\t]{0,8}(?:\\r?\\n|$)",
    { check: "literal", reach: 10 },
  ),
  row(
    "fish-variable",
    "SECRET",
    ["set -gx ", "set -x ", "set -ux "],
    "(?i)set -[gux]{1,3} [a-z0-9_]{0,60}(?:token|secret|password|pass|key)[ \\t]{1,3}[\"']?(?<secret>[^\\s\"'`$()]{6,400})",
    { check: "literal" },
  ),
  row(
    "block-value",
    "SECRET",
    "password passphrase secret token _key -key",
    "(?i)(?:password|passphrase|secret|token|[_-]key)[\"']?:[ \\t]{0,3}[|>][+-]?[ \\t]{0,4}\\r?\\n[ \\t]{1,20}(?<secret>[A-Za-z0-9_./+=-]{8,400})",
    { check: "token" },
  ),
];
