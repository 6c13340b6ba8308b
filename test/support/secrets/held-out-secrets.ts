import { base62, base64, base64url, collector, digits, hex, maker, type SecretCase, upper } from "./make.ts";

/**
 * Secrets that were written before any pattern was tried, and looked at when the patterns were done: 48 of 56 were found
 * by the first patterns, 52 by those that were chosen on the other part. `sql-password`, `password-call` and
 * repetitions.ts came from looking, so a later change of patterns needs a new part to be judged by.
 */
export function heldOutSecretCases(seed = 777): SecretCase[] {
  const { of, lines, mixed, uuid } = maker(seed);
  const { cases, add } = collector();
  let s = "";
  s = `AKIA${of(upper + digits, 16)}`;
  add("aws-access-key", s, `boto3.client("s3", aws_access_key_id="${s}")`);
  s = mixed(base62, 40);
  add("aws-secret-key", s, `aws configure set aws_secret_access_key ${s} --profile ci`);
  s = mixed(base62, 40);
  add("aws-secret-key", s, `provider "aws" {\n  access_key = var.key\n  secret_key = "${s}"\n}`);
  s = `ghp_${of(base62, 36)}`;
  add("github-token", s, `fatal: Authentication failed for 'https://ann:${s}@github.com/acme/shop/'`);
  s = `ghs_${of(base62, 36)}`;
  add("github-token", s, `\u001b[32mtoken\u001b[0m: ${s}\r\n`);
  s = `glpat-${of(base62, 20)}`;
  add("gitlab-token", s, `git clone https://oauth2:${s}@gitlab.com/acme/shop.git`);
  s = `sk-ant-api03-${of(base64url, 93)}AA`;
  add("anthropic-key", s, `I pasted it in .env: ${s}`);
  s = `sk-proj-${of(base62, 120)}`;
  add("openai-key", s, `os.environ['OPENAI_API_KEY'] = '${s}'`);
  s = `AIza${of(base62, 35)}`;
  add("google-api-key", s, `GET /geocode?address=x&key=${s} 200`);
  s = `xoxb-${of(digits, 11)}-${of(digits, 13)}-${of(base62, 24)}`;
  add("slack-token", s, `"token" => "${s}",`);
  s = `sk_live_${of(base62, 24)}`;
  add("stripe-key", s, `if key.startswith("${s}"):`);
  s = `npm_${of(base62, 36)}`;
  add("npm-token", s, `NODE_AUTH_TOKEN: ${s}`);
  s = `SG.${of(base62, 22)}.${of(base62, 43)}`;
  add("sendgrid-key", s, `apikey:${s}`);
  s = lines(base64, 12);
  add(
    "private-key",
    s.split("\n"),
    `const key = \`-----BEGIN RSA PRIVATE KEY-----\n${s}\n-----END RSA PRIVATE KEY-----\`;`,
  );
  s = lines(base64, 6, 70);
  add(
    "private-key",
    s.split("\n"),
    `key = ("-----BEGIN OPENSSH PRIVATE KEY-----\\n"\n${s.replace(/^(.*)$/gm, '       "$1\\n"')}\n       "-----END OPENSSH PRIVATE KEY-----")`,
  );
  s = lines(base64, 9);
  add(
    "private-key",
    s.split("\n"),
    `PRIVATE_KEY="-----BEGIN PRIVATE KEY-----\\n${s.replaceAll("\n", "\\n")}\\n-----END PRIVATE KEY-----\\n"`,
  );
  s = mixed(base62, 12);
  add("connection", s, `engine = create_engine("postgresql+psycopg2://shop:${s}@db:5432/shop")`);
  s = mixed(base62, 12);
  add("connection", s, `spring.data.mongodb.uri=mongodb://root:${s}@mongo:27017/admin`);
  s = mixed(base62, 12);
  add("connection", s, `  "connectionString": "Host=db;Username=app;Password=${s};Database=shop"`);
  s = mixed(base62, 12);
  add("connection", s, `HTTP_PROXY=http://ann:${s}@proxy:8080 npm ci`);
  s = mixed(base62, 12);
  add("connection", s, `ConnectionFactory("amqps://svc:${s}@mq.acme.test/vhost")`);
  s = mixed(base62, 12);
  add("password", s, `ALTER USER shop WITH PASSWORD '${s}';`);
  s = mixed(base62, 12);
  add("password", s, `CREATE USER 'shop'@'%' IDENTIFIED BY '${s}';`);
  s = mixed(base62, 12);
  add("password", s, `echo "${s}" | sudo -S apt update # password: ${s}`);
  s = mixed(base62, 12);
  add("password", s, `user: ann\npass: ${s}\n`);
  s = mixed(base62, 12);
  add("password", s, `:password => "${s}",`);
  s = mixed(base62, 12);
  add("password", s, `password: '${s}' # rotate me`);
  s = mixed(base62, 12);
  add("password", s, `docker login registry.acme.test -u ann -p ${s}`);
  s = mixed(base62, 12);
  add("password", s, `use ann / password ${s} to log in`);
  s = mixed(base62, 12);
  add("password", s, `.withPassword("${s}")`);
  s = mixed(base62, 12);
  add("password", s, `  "DB_PASS": "${s}",`);
  s = mixed(base62, 12);
  add("password", s, `ENV ADMIN_PASSWORD ${s}`);
  s = mixed(base62, 12);
  add("password", s, `ansible_become_pass: ${s}`);
  s = mixed(base62, 12);
  add("password", s, `localdb:5432:shop:app:${s}`);
  s = of(hex, 64);
  add("secret", s, `app.config["SECRET_KEY"] = "${s}"`);
  s = mixed(base62, 48);
  add("secret", s, `NEXTAUTH_SECRET="${s}"`);
  s = mixed(base62, 32);
  add("secret", s, `oauth2:\n  client-secret: ${s}`);
  s = mixed(base62, 32);
  add("secret", s, `cookieSecret: "${s}",`);
  s = `${of(base64, 43)}=`;
  add("wireguard", s, `[Interface]\nPrivateKey = ${s}\nAddress = 10.0.0.2/32`);
  s = mixed(base62, 32);
  add("api-key", s, `apiKey=${s}`);
  s = of(hex, 32);
  add("api-key", s, `DD_API_KEY=${s}`);
  s = uuid();
  add("api-key", s, `HEROKU_API_KEY=${s}`);
  s = mixed(base62, 32);
  add("api-key", s, `"X-Api-Key": "${s}"`);
  s = mixed(base62, 40);
  add("token", s, `set_token('${s}')  # access token`);
  s = mixed(base62, 36);
  add("token", s, `{"access_token":"${s}","token_type":"bearer"}`);
  s = mixed(base62, 36);
  add("token", s, `Authorization: token ${s}`);
  s = mixed(base62, 36);
  add("token", s, `-H 'X-Auth-Token: ${s}'`);
  s = mixed(base62, 36);
  add("token", s, `wss://stream.acme.test/?access_token=${s}`);
  s = mixed(base62, 36);
  add("token", s, `token=${s}\n`);
  s = mixed(base62, 36);
  add("bearer", s, `req.headers["authorization"] = "Bearer ${s}"`);
  s = `eyJ${of(base62, 33)}.eyJ${of(base62, 80)}.${of(base64url, 86)}`;
  add("jwt", s, `localStorage.setItem("jwt", "${s}")`);
  s = `eyJ${of(base62, 33)}.eyJ${of(base62, 80)}.${of(base64url, 86)}`;
  add("jwt", s, `kubectl config set-credentials sa --token=${s}`);
  s = mixed(base62, 40);
  add("cookie", s, `"cookie": "csrftoken=${s}; theme=dark"`);
  s = mixed(base62, 40);
  add("cookie", s, `curl -b 'connect.sid=s%3A${s}' https://acme.test`);
  s = mixed(base62, 40);
  add("high-entropy", s, `The password manager gave me ${s}`);
  s = mixed(base62, 32);
  add("high-entropy", s, `login token -> ${s}`);
  return cases;
}
