import { base62, base64, base64url, collector, digits, hex, lower, maker, type SecretCase } from "./make.ts";

/** Secrets recognised by their place or their form. */
export function placedSecrets(seed: number): SecretCase[] {
  const { of, lines, mixed } = maker(seed);
  const { cases, add } = collector();
  let s = "";

  // Private keys.
  const pem = (label: string, body: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`;
  s = lines(base64, 13);
  add("private-key", s.split("\n"), `$ cat id_rsa\n${pem("RSA PRIVATE KEY", s)}\n$ `, ["$ cat id_rsa"]);
  s = lines(base64, 6, 70);
  add("private-key", s.split("\n"), pem("OPENSSH PRIVATE KEY", s));
  s = lines(base64, 3);
  add("private-key", s.split("\n"), `${pem("EC PRIVATE KEY", s)}\nafter`, ["after"]);
  s = lines(base64, 20);
  add(
    "private-key",
    s.split("\n"),
    `{"type":"service_account","private_key":${JSON.stringify(`${pem("PRIVATE KEY", s)}\n`)},"client_email":"x"}`,
    ["service_account", '"client_email":"x"'],
  );
  s = lines(base64, 12);
  add(
    "private-key",
    s.split("\n"),
    pem("RSA PRIVATE KEY", `Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${of(hex, 32)}\n\n${s}`),
  );
  s = lines(base64, 10);
  add("private-key-cut-off", s.split("\n"), `-----BEGIN PRIVATE KEY-----\n${s}\n${of(base64, 20)}`);
  s = lines(base64, 10);
  add(
    "private-key-tail",
    s.split("\n"),
    `[... 900 characters left out ...]\n${s}\n${of(base64, 30)}=\n-----END RSA PRIVATE KEY-----\nok`,
    ["ok"],
  );
  s = lines(base64, 8);
  add(
    "private-key-in-diff",
    s.split("\n"),
    `+-----BEGIN RSA PRIVATE KEY-----\n${s.replace(/^/gm, "+")}\n+-----END RSA PRIVATE KEY-----\n+# end`,
    ["+# end"],
  );
  s = lines(base64, 8);
  add(
    "private-key-in-yaml",
    s.split("\n"),
    `tls:\n  key: |\n    -----BEGIN PRIVATE KEY-----\n${s.replace(/^/gm, "    ")}\n    -----END PRIVATE KEY-----\n  port: 443`,
    ["port: 443"],
  );
  s = lines(base64, 8);
  add(
    "private-key-numbered",
    s.split("\n"),
    ["-----BEGIN RSA PRIVATE KEY-----", ...s.split("\n"), "-----END RSA PRIVATE KEY-----"]
      .map((line, index) => `${String(index + 1).padStart(6)}\u2192${line}`)
      .join("\n"),
  );
  s = lines(base64, 12);
  add("pgp-key", s.split("\n"), pem("PGP PRIVATE KEY BLOCK", `\n${s}\n=${of(base62, 4)}`));
  s = lines(base64, 14);
  add(
    "putty-key",
    s.split("\n"),
    `PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 14\n${s}\nPrivate-MAC: 00`,
    ["ssh-rsa"],
  );

  // Connection strings.
  const pw = () => mixed(base62, 14);
  for (const [kind, scheme, rest] of [
    ["postgres", "postgres", "db.acme.test:5432/shop"],
    ["postgres", "postgresql+asyncpg", "localhost/shop?sslmode=require"],
    ["mysql", "mysql", "10.0.0.5:3306/orders"],
    ["mysql", "jdbc:mysql", "db:3306/orders"],
    ["mongodb", "mongodb+srv", "cluster0.abcde.mongodb.net/shop?retryWrites=true"],
    ["mongodb", "mongodb", "a:27017,b:27017/shop"],
    ["amqp", "amqp", "rabbit:5672/%2f"],
    ["url", "https", "artifacts.acme.test/repo"],
    ["url", "ftp", "files.acme.test"],
    ["url", "socks5", "proxy.acme.test:1080"],
  ] as const) {
    s = pw();
    add(`connection-${kind}`, s, `DATABASE_URL=${scheme}://shop:${s}@${rest}\nPORT=80`, [
      `@${rest}`,
      "PORT=80",
      `${scheme}://`,
    ]);
  }
  s = pw();
  add("connection-redis", s, `redis.from_url("redis://:${s}@cache:6379/0")`, ["@cache:6379/0"]);
  s = `${of(base62, 5)}@${of(base62, 6)}#1`;
  add("connection-postgres", s, `psql "postgresql://app:${s}@db.internal/app"`, ["@db.internal/app"]);
  s = pw();
  add(
    "connection-sqlserver",
    s,
    `Server=tcp:sql.acme.test,1433;Database=shop;User Id=sa;Password=${s};Encrypt=True`,
    ["Server=tcp:sql.acme.test,1433", "Encrypt=True"],
  );
  s = pw();
  add("connection-dsn", s, `dsn = "host=db user=app password=${s} dbname=shop"`, ["host=db", "dbname=shop"]);

  // Assignments.
  add("password", "hunter22", `password = "hunter22"`, ["password ="]);
  add("password", "correct horse battery staple", `passphrase: "correct horse battery staple"`);
  s = pw();
  add("password", s, `{"user": "ann", "password": "${s}", "remember": true}`, ['"remember": true']);
  s = pw();
  add("password", s, JSON.stringify(`{"password": "${s}"}`));
  s = pw();
  add("password", s, `DB_PASSWORD=${s}`, ["DB_PASSWORD="]);
  s = pw();
  add("password", s, `      - POSTGRES_PASSWORD=${s}\n      - POSTGRES_DB=shop`, ["POSTGRES_DB=shop"]);
  s = pw();
  add("password", s, `database:\n  user: shop\n  password: ${s}\n  pool: 5`, ["user: shop", "pool: 5"]);
  s = pw();
  add("password", s, `spring.datasource.password=${s}`, ["spring.datasource.password"]);
  s = `P@ss${of(base62, 6)}!`;
  add("password", s, `$env:ADMIN_PASSWORD = '${s}'`);
  s = pw();
  add("password", s, `  const dbPassword: string = '${s}';`, ["const dbPassword"]);
  s = pw();
  add("password", s, `os.environ["DB_PASSWORD"] = "${s}"`, ['os.environ["DB_PASSWORD"]']);
  s = pw();
  add("password", s, `<property><password>${s}</password></property>`, ["</password>"]);
  s = pw();
  add("password", s, `mysqldump -u root -p${s} shop > dump.sql`, ["mysqldump -u root", "dump.sql"]);
  s = pw();
  add("password", s, `sshpass -p '${s}' ssh root@10.0.0.1`, ["ssh root@10.0.0.1"]);
  s = pw();
  add("password", s, `PGPASSWORD=${s} psql -h db`, ["psql -h db"]);
  s = pw();
  add("password", s, `machine api.acme.test\n  login ann\n  password ${s}\n`, [
    "machine api.acme.test",
    "login ann",
  ]);
  s = pw();
  add("password", s, `the staging password is ${s}, do not commit it`, ["do not commit it"]);
  s = pw();
  add("password", s, `az login --username a --password ${s}`, ["az login --username a"]);
  s = pw();
  add("password", s, `redis-cli -h cache -a ${s} ping`, ["ping"]);
  s = pw();
  add("password", s, `nodemailer.createTransport({ auth: { user: "a@b.test", pass: "${s}" } })`, [
    "a@b.test",
  ]);
  s = pw();
  add("password", s, `curl -d "username=ann&password=${s}" https://acme.test/login`, [
    "https://acme.test/login",
  ]);

  s = of(hex, 64);
  add("secret", s, `SECRET_KEY_BASE=${s}`);
  s = mixed(base62, 32);
  add("secret", s, `jwt:\n  secret: ${s}\n  ttl: 3600`, ["ttl: 3600"]);
  s = mixed(base62, 40);
  add("secret", s, `client_secret: '${s}'`);
  s = `django-insecure-${of(`${lower + digits}@#%^*=+`, 50)}`;
  add("secret", s, `SECRET_KEY = "${s}"`);
  s = mixed(base62, 36);
  add("api-key", s, `api_key = "${s}"`);
  s = of(hex, 32);
  add("api-key", s, `x-api-key: ${s}`);
  s = mixed(base62, 30);
  add("api-key", s, `https://api.weather.test/v1?q=Aarhus&apikey=${s}&units=metric`, [
    "q=Aarhus",
    "&units=metric",
  ]);
  s = mixed(base62, 40);
  add("api-key", s, `  algolia_api_key: ${s}`);
  s = of(hex, 40);
  add("token", s, `SENTRY_AUTH_TOKEN=${s}`);
  s = mixed(base64url, 44);
  add("token", s, `"refresh_token": "${s}"`);
  s = mixed(base62, 24);
  add("token", s, `cli deploy --token=${s} --prod`, ["--prod"]);
  s = mixed(base62, 32);
  add("token", s, `apiVersion: v1\nusers:\n- name: admin\n  user:\n    token: ${s}`, ["name: admin"]);
  s = `${of(base64, 400)}==`;
  add("kubeconfig", s, `    client-key-data: ${s}\n`);
  s = mixed(base62, 20);
  add("env", s, `MY_SERVICE_TOKEN=${s}`);

  // Headers.
  s = mixed(base62, 32);
  add("bearer", s, `curl -H "Authorization: Bearer ${s}" https://api.acme.test/me`, [
    "https://api.acme.test/me",
  ]);
  s = mixed(base62, 40);
  add("bearer", s, `headers: { Authorization: \`Bearer ${s}\` }`);
  s = Buffer.from(`ann:${of(base62, 12)}`).toString("base64");
  add("basic", s, `Authorization: Basic ${s}\nAccept: */*`, ["Accept: */*"]);
  s = Buffer.from(`ann:${of(base62, 12)}`).toString("base64");
  add("basic", s, `{"auths":{"ghcr.io":{"auth":"${s}"}}}`, ["ghcr.io"]);
  s = pw();
  add("curl-user", s, `curl -u ann:${s} https://api.acme.test`, ["https://api.acme.test"]);
  s = mixed(base62, 40);
  add("cookie", s, `Cookie: theme=dark; session=${s}\nHost: acme.test`, ["Host: acme.test"]);
  s = of(hex, 26) + of(digits, 6);
  add("cookie", s, `Set-Cookie: PHPSESSID=${s}; path=/; HttpOnly`);

  // Only the text before it shows that it is one.
  s = mixed(base62, 40);
  add("high-entropy", s, `here is the key for staging: ${s}`, ["here is the key for staging"]);
  s = mixed(base64url, 43);
  add("high-entropy", s, `Your credentials were created. Secret (shown once) ${s}`, ["shown once"]);
  s = mixed(base62, 32);
  add("high-entropy", s, `auth:\n  - deploy key ${s}`);
  return cases;
}
