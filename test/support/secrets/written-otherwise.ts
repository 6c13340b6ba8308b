import { gzipSync } from "node:zlib";
import type { SecretCase } from "./make.ts";
import { casesOf, dashes, type Templates } from "./templates.ts";

/** Secrets in other writings than the plain one, drawn up before any pattern was made for them. */
const plainWritings: Templates = {
  "letters of other alphabets": [
    "password: «Зимний{dig:4}Вечер»",
    "DB_PASSWORD: «Ключ-от-склада-{dig:3}»\n",
    "пароль от базы: «Берёзка{dig:5}»",
    "логин: olga пароль: «ТихийДон{dig:3}!»",
    "Пароль администратора — «Снежинка#{dig:3}»",
    "비밀번호: «푸른바다{dig:4}»",
    "관리자 비밀번호는 «달빛{dig:4}고양이» 입니다",
    "密码：«春眠不觉晓{dig:4}»",
    "登录密码是 «青山绿水{dig:4}»",
    "口令: «长城{dig:5}»",
    "パスワード：«さくら{dig:4}もみじ»",
    "パスワードは「«富士山{dig:4}»」です",
    'password = "«Köln{dig:4}Brücke»"',
    "SMTP_PASSWORD=«Žluťoučký{dig:3}Kůň»",
    "mot de passe : «Éléphant{dig:4}»",
    "contraseña: «Niñez{dig:4}Año»",
    "hasło: «Zażółć{dig:4}gęślą»",
    "heslo do databáze: «Příliš{dig:4}»",
    "κωδικός: «Θάλασσα{dig:4}»",
    "סיסמה: «שלום{dig:5}»",
    "كلمة المرور: «نخلة{dig:5}»",
    "şifre: «Güneş{dig:4}Işık»",
    "парола: «Планина{dig:4}»",
    "лозинка: «Дунав{dig:4}»",
    '{"password": "«Ørsted{dig:4}Å»"}',
    "jelszó: «Tükörfúró{dig:3}»",
  ],
  "unusual blanks and widths": [
    "password:\u00a0«{pw}»",
    "DB_PASSWORD\u00a0=\u00a0«{pw}»",
    "passwd\u3000:\u3000«{pw}»",
    "The password is\u00a0«{pw}»",
    "api_key：«{b62:32}»",
    "client_secret＝«{b62:36}»",
    "password\u202f:\u202f«{pw}»",
    "user: ann\u2028password: «{weak}»\u2028host: db",
    "token\u2003=\u2003«{b62:40}»",
    "export STRIPE_SECRET\u00a0=«{b62:30}»",
    "密码\u3000：\u3000«{pw}»",
    "ｐａｓｓｗｏｒｄ: «{pw}»",
    "curl\u00a0-u\u00a0ann:«{pw}»\u00a0https://acme.test",
    "sshpass\u00a0-p\u00a0«{pw}» ssh ann@acme.test",
    "Authorization:\u00a0Bearer\u00a0«{b62:40}»",
    'password\u2009=\u2009"«{phrase:3}»"',
    "mysql\u00a0-u\u00a0root\u00a0-p«{pw}» shop",
    "credentials:\u00a0admin\u00a0/\u00a0«{pw}»",
    "| password\u00a0|\u00a0«{pw}» |",
    "secret_key\u205f=\u205f«{b62:40}»",
    "password﹕ «{pw}»",
    "MYSQL_PASSWORD\u0085= «{pw}»",
    "PIN\u00a0:\u00a0«{dig:6}»",
    "sign in with\u00a0ann\u00a0/\u00a0«{pw}»",
  ],
  tables: [
    "name,url,username,password,note\nShop,https://shop.test,ann,«{pw}»,\nMail,https://mail.test,bob,«{pw}»,old",
    '"url","username","password","httpRealm"\n"https://a.test","ann","«{pw}»",""\n"https://b.test","eve","«{weak}»",""',
    "id;login;passwort;aktiv\n1;ann;«{pw}»;ja\n2;bob;«{pw}»;nein",
    "user\tpassword\thost\nann\t«{pw}»\tdb1\nbob\t«{weak}»\tdb2",
    "folder,favorite,type,name,login_uri,login_username,login_password\n,,login,Acme,https://acme.test,ann,«{pw}»",
    "Title,Username,Password,OTPAuth\nBank,ann,«{pw}»,\nForum,ann,«{weak}»,",
    "┌────┬───────┬──────────────┐\n│ id │ login │ password     │\n├────┼───────┼──────────────┤\n│ 1  │ ann   │ «{pw}» │\n│ 2  │ bob   │ «{pw}» │\n└────┴───────┴──────────────┘",
    "┌─────────┬───────┬────────────────────┐\n│ (index) │ name  │ apiKey             │\n├─────────┼───────┼────────────────────┤\n│ 0       │ 'ann' │ '«{b62:24}»' │\n│ 1       │ 'bob' │ '«{b62:24}»' │\n└─────────┴───────┴────────────────────┘",
    "NAME     TOKEN                           AGE\nci       «{b62:24}»        4d\ndeploy   «{b62:24}»        9d",
    "USERNAME   PASSWORD        ROLE\nann        «{pw}»   admin\nbob        «{pw}»   viewer",
    "+----+------+-------------+\n| id | user | passwd      |\n+----+------+-------------+\n|  1 | ann  | «{pw}» |\n+----+------+-------------+",
    "email,api_token,created\nann@acme.test,«{b62:32}»,2026-01-01\nbob@acme.test,«{hex:40}»,2026-01-02",
    "user_id|client_secret|scope\n7|«{b62:36}»|read\n8|«{b62:36}»|write",
    "Name;Secret Key;Region\nbackup;«{b64:40}»;eu\nlogs;«{b64:40}»;us",
    "service\taccess_key\tsecret_key\nminio\tACME\t«{b62:32}»",
    "host,port,user,pass\ndb1,5432,app,«{pw}»\ndb2,5432,app,«{weak}»",
    "login | pwd\n------+-----\nann   | «{pw}»\nbob   | «{weak}»",
    "Account,Login Name,Password,Web Site,Comments\nAcme,ann,«{pw}»,https://acme.test,",
    "key,value\nDB_HOST,db1\nDB_PASSWORD,«{pw}»\nAPI_SECRET,«{b62:32}»",
    "╭───┬──────┬────────────╮\n│ # │ name │ secret     │\n├───┼──────┼────────────┤\n│ 0 │ hook │ «{b62:20}» │\n╰───┴──────┴────────────╯",
    "username, password, group\r\nann, «{pw}», staff\r\nbob, «{pw}», staff\r\n",
    "NAME          API_KEY                           EXPIRES\nprod-reader   «{hex:32}»  never",
    "first,last,email,temporary password\nAnn,Lee,ann@acme.test,«{pw}»",
    '"hostname","admin_password"\n"web1","«{pw}»"\n"web2","«{pw}»"',
  ],
  commands: [
    "printf '%s' '«{pw}»' | docker login ghcr.io -u ann --password-stdin",
    'echo "«{b62:40}»" | npx wrangler secret put API_TOKEN',
    "az keyvault secret set --vault-name shop --name db --value '«{pw}»'",
    "pulumi config set --secret dbPassword «{pw}»",
    "pulumi config set app:token «{b62:30}» --secret",
    "netlify env:set SESSION_SECRET «{b62:30}»",
    "vault login «{b62:26}»",
    "cargo login «{b62:35}»",
    'dotnet user-secrets set "Smtp:Password" "«{pw}»"',
    "poetry config http-basic.acme ann «{pw}»",
    "poetry config pypi-token.acme «{b62:60}»",
    "echo '«{b62:30}»' | vercel env add STRIPE_KEY production",
    "fly secrets set SESSION_KEY=«{b62:30}»",
    "printf «{b62:30}» | gcloud secrets create db-pass --data-file=-",
    "echo -n «{pw}» | kubectl create secret generic db --from-file=password=/dev/stdin",
    "supabase secrets set RESEND=«{b62:30}»",
    "npx convex env set OPENROUTER «{b62:40}»",
    "railway variables --set 'MAILER_SECRET=«{b62:30}»'",
    "gh secret set NPM -b'«{b62:36}»'",
    "heroku config:set MAILER=«{b62:30}» SESSION_SECRET=«{b62:30}»",
    "helm registry login ghcr.io -u ann -p «{b62:36}»",
    "echo «{pw}» | skopeo login --username ann --password-stdin quay.io",
    "twine upload -u __token__ -p «{b62:60}» dist/*",
    "conan remote login acme ann -p «{pw}»",
    "nuget sources add -Name acme -Source https://nuget.test -Username ann -Password «{pw}»",
    "echo «{pw}» | cryptsetup luksOpen /dev/sdb1 backup -",
    "aws secretsmanager put-secret-value --secret-id db --secret-string «{pw}»",
    "doppler secrets set STRIPE=«{b62:30}»",
    "tailscale up --authkey «{b62:40}»",
    "ngrok config add-authtoken «{b62:44}»",
  ],
  prose: [
    "log in as admin with «{pw}» and check the dashboard",
    "Login as root with «{pw}», please",
    "sign in as ann@acme.test with «{pw}»",
    "pw «{pw}»",
    "user ann, pw «{pw}»",
    "creds: root/«{pw}»",
    "creds: admin:«{pw}»",
    "credentials for staging: deploy / «{pw}»",
    "creds are ann/«{pw}»",
    "here is the key: «{b62:40}»",
    "Here's the key:\n«{b62:36}»",
    "this is my api key «{b62:40}»",
    "authenticate as svc-ci using «{pw}»",
    "you can get in with ann and «{pw}»",
    "connect as sa with «{pw}» to the staging db",
    "the vpn pw is «{pw}»",
    "wifi pw: «{pw}»",
    "ssh in as pi with «{pw}»",
    "pass is «{pw}» for both",
    "user: ann pass: «{pw}»",
    "username ann / password «{pw}»",
    "my login is ann@acme.test and «{pw}»",
    "Key is «{b62:44}», don't commit it",
    "use this token: «{b62:40}»",
    "admin creds -> admin / «{pw}»",
    "try logging in as ann with «{pw}»",
  ],
  "diffs and new kinds": [
    `-${dashes}BEGIN RSA PRIVATE KEY${dashes}\n-«{b64:64}»\n-«{b64:64}»\n-«{b64:40}»\n-${dashes}END RSA PRIVATE KEY${dashes}`,
    `diff --git a/k.pem b/k.pem\ndeleted file mode 100644\nindex 1234567..0000000\n--- a/k.pem\n+++ /dev/null\n@@ -1,4 +0,0 @@\n-${dashes}BEGIN PRIVATE KEY${dashes}\n-«{b64:64}»\n-«{b64:30}»==\n-${dashes}END PRIVATE KEY${dashes}`,
    `Removed it:\n\n-${dashes}BEGIN EC PRIVATE KEY${dashes}\n-«{b64:64}»\n-«{b64:64}»\n-${dashes}END EC PRIVATE KEY${dashes}\n\nDone.`,
    `@@ -3,5 +3,5 @@ services:\n   db:\n-    password: «{pw}»\n+    password: «{pw}»\n     port: 5432`,
    `- ${dashes}BEGIN OPENSSH PRIVATE KEY${dashes}\n- «{b64:64}»\n- «{b64:64}»\n- ${dashes}END OPENSSH PRIVATE KEY${dashes}`,
    `< ${dashes}BEGIN RSA PRIVATE KEY${dashes}\n< «{b64:64}»\n< «{b64:44}»\n< ${dashes}END RSA PRIVATE KEY${dashes}`,
    `    1 -${dashes}BEGIN PRIVATE KEY${dashes}\n    2 -«{b64:64}»\n    3 -«{b64:64}»\n    4 -${dashes}END PRIVATE KEY${dashes}`,
    `$ git show\ncommit {hex:40}\nAuthor: Ann\n\n    Remove key\n\n--- a/id\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-${dashes}BEGIN OPENSSH PRIVATE KEY${dashes}\n-«{b64:70}»\n-${dashes}END OPENSSH PRIVATE KEY${dashes}`,
    `-DB_PASSWORD=«{pw}»\n+DB_PASSWORD=\${DB_PASSWORD}`,
    "BLOB_READ_WRITE_TOKEN=vercel_blob_rw_«{b62:16}_{b62:30}»",
    'put(name, body, { token: "vercel_blob_rw_«{b62:16}_{b62:30}»" })',
    "we use vercel_blob_rw_«{b62:16}_{b62:30}» for uploads",
    "Access key:\nACME-READER\nSecret key:\n«{uuid}»",
    "secret key\n\n«{uuid}»",
    '{\n  "secretKey":\n    "«{uuid}»"\n}',
    "API secret key:\n\n   «{uuid}»\n",
    "+const SECRET = '«{b62:40}»';\n-const SECRET = '«{b62:40}»';",
    "here is the key:\n\n«{b62:48}»\n\nuse it",
    "Here is the key: `«{b64u:43}»`",
    "the new key:\n```\n«{b62:40}»\n```",
  ],
};

/** Written whole or in part in an encoding: `[frame, text]`, where `%s` in the frame is the encoded text. */
const encodedTexts: Framed = [
  ["DATABASE_URL=%s", "postgres://{word}:«{pw}»@db.acme.test/shop"],
  ["https://acme.test/cb?state=%s&x=1", '{"user":"ann","password":"«{pw}»"}'],
  ["MONGO=%s", "mongodb+srv://app:«{weak}»@c0.acme.test"],
  ["GET /login?next=%s", "/api?api_key=«{b62:32}»"],
  ["redirect_uri=%s", "https://acme.test/?access_token=«{b62:40}»"],
  ["body: %s", 'client_secret="«{b62:36}»"'],
  ['<div data-config="%s">', '{"db_password":"«{pw}»"}'],
  ["config=%s", "user=ann;password=«{pw}»;host=db"],
  ["%s", "password='«{pw}»'"],
  ["log: %s", '{"token":"«{b62:40}»","n":1}'],
  ["x=%s", "redis://:«{pw}»@cache:6379/0"],
  ['{"q": "%s"}', "secret_key: «{b62:40}»"],
  ["POST /graphql?variables=%s", '{"input":{"email":"ann@acme.test","password":"«{pw}»"}}'],
  ["header %s", "Authorization: Bearer «{b62:40}»"],
  ["value=%s", "amqp://svc:«{pw}»@mq:5672"],
  ["d=%s", '{"passphrase":"«{pw}»"}'],
  ["env: %s", "MYSQL_PWD=«{pw}»"],
  ["[%s]", "access_key = «{b62:32}»"],
  ["(%s)", "https://ann:«{pw}»@git.acme.test/x.git"],
  ["note %s", 'adminPassword: "«{weak}»"'],
];

const bareKeys = [
  "ghp_{b62:36}",
  "AKIA{up:16}",
  "glpat-{b62:20}",
  "xoxb-{dig:11}-{dig:12}-{b62:24}",
  "npm_{b62:36}",
  "sk-ant-api03-{b62:93}AA",
  "AIza{b62:35}",
  "hf_{b62:34}",
  "sk_live_{b62:24}",
  "glsa_{b62:32}_{hex:8}",
];
const frames = ["%s", "value: %s", "echo %s | base64 -d", '{"data": "%s"}', "data:text/plain;base64,%s"];
const assignments = [
  "DB_PASS=«{pw}»",
  "SMTP_PASSWORD=«{weak}»\nSMTP_HOST=mail\n",
  "password: «{pw}»\n",
  "API_KEY=«{b62:32}»",
  '{"db":{"password":"«{pw}»"}}',
  "[default]\naws_secret_access_key = «{b64:40}»\n",
  "token=«{b62:40}»",
  "postgres://app:«{pw}»@db/shop",
  "PGPASSWORD=«{pw}» psql",
  "client_secret: «{b62:36}»",
];

const hexOf = (letter: string) => letter.charCodeAt(0).toString(16);
const percent = (text: string) =>
  text.replace(/[^A-Za-z0-9_.~-]/g, (letter) => `%${hexOf(letter).padStart(2, "0").toUpperCase()}`);
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Each letter has its own place: a part of the text stays a part of what is written. */
export const letterwise: Record<string, (text: string) => string> = {
  percent,
  "percent, twice": (text) => percent(percent(text)),
  "HTML entities": (text) =>
    text.replace(/["'&<>]/g, (sign) => ({ '"': "&quot;", "'": "&#39;", "&": "&amp;" })[sign] ?? sign),
  "numbers of HTML": (text) => text.replace(/["':=/@{}]/g, (sign) => `&#x${hexOf(sign)};`),
  "escapes of JSON": (text) =>
    text.replace(/["':=&/@{}<>pPsS]/g, (sign) => `\\u00${hexOf(sign).padStart(2, "0")}`),
};
export const blockwise: Record<string, (text: string) => string> = {
  base64,
  "base64, twice": (text) => base64(base64(text)),
  "base64 of gzip": (text) => gzipSync(text).toString("base64"),
};

/** `text` as one case of templates, and what is written around its encoded form. */
function encodedCases(kind: string, seed: number, pairs: Framed) {
  const texts = casesOf({ [kind]: pairs.map(([, text]) => text) }, seed);
  return texts.map((item, index) => ({ ...item, frame: pairs[index]![0] }));
}

/** All of them, the same for the same seed. */
export const secretsWrittenOtherwise = (seed: number): SecretCase[] => [
  ...casesOf(plainWritings, seed),
  ...secretsInEncodings(seed, encodedTexts, [
    ...bareKeys.flatMap((key) => frames.slice(0, 2).map((frame) => [frame, `«${key}»`] as const)),
    ...assignments.map((text, index) => [frames[index % frames.length]!, text] as const),
  ]),
];

type Framed = readonly (readonly [frame: string, text: string])[];

/** Texts in every encoding, letter by letter and as blocks. */
export function secretsInEncodings(seed: number, letters: Framed, blocks: Framed): SecretCase[] {
  const cases: SecretCase[] = [];
  for (const [kind, write] of Object.entries(letterwise)) {
    for (const { text, secrets, frame } of encodedCases(kind, seed, letters)) {
      const written = frame.replace("%s", () => write(text));
      cases.push({ kind, text: written, secrets: secrets.map(write), keep: [] });
    }
  }
  for (const [kind, write] of Object.entries(blockwise)) {
    for (const { text, frame } of encodedCases(kind, seed, blocks)) {
      const written = write(text);
      cases.push({ kind, text: frame.replace("%s", () => written), secrets: [written], keep: [] });
    }
  }
  return cases;
}

const plainLookAlikes: Templates = {
  "letters of other alphabets": [
    "password: Пароль",
    "Пароль: обязательное поле",
    "비밀번호: 필수 항목입니다",
    "密码：不能为空",
    "密码长度必须大于8位",
    "パスワード：必須",
    "パスワードを入力してください",
    "label.password=Contraseña",
    "mot de passe : obligatoire",
    '"password": "Mot de passe oublié ?"',
    "пароль должен содержать 8 символов",
    "Hasło: wymagane",
    "şifre: gerekli",
    "heslo: povinné",
    '"password_label": "Das Passwort muss 12 Zeichen haben"',
  ],
  "unusual blanks and widths": [
    "password\u00a0: required",
    "The password\u00a0is optional",
    "价格：１２３４５６７８",
    "token\u00a0count:\u00a012345",
    "10\u00a0000\u00a0tokens",
    "auth：OAuth2，scope：read",
    "key\u3000：\u3000name of the map",
    "api_key\u00a0=\u00a0process.env.API_KEY",
  ],
  tables: [
    "name,tokens,cost\nann,12000,0.3\nbob,4000,0.1",
    "NAME                  TYPE     DATA   AGE\ndb-credentials        Opaque   2      4d\nregistry-login-7f     Opaque   1      9d",
    "id;titel;status\n1;Passwort vergessen;offen\n2;Token abgelaufen;zu",
    "column,type,nullable\npassword,varchar(255),no\ntoken,text,yes",
    "| field | type | secret |\n|---|---|---|\n| name | string | no |\n| key | string | yes |",
    "user\tpassword_changed_at\nann\t2026-01-01T10:00:00Z\nbob\t2026-02-01T10:00:00Z",
    "key,value\nhost,db1\nport,5432",
    "feature,password,sso,token\nfree,yes,no,no\npro,yes,yes,yes",
    "┌─────────┬────────┐\n│ (index) │ tokens │\n├─────────┼────────┤\n│ 0       │ 1234567 │\n└─────────┴────────┘",
    "SECRET              VERSION   CREATED\ndb-password-prod    12        2026-01-01\napi-token-stage     3         2026-01-02",
    "username,password_hash_algorithm\nann,argon2id\nbob,bcrypt",
    "token,lemma,pos\nrunning,run,VERB\ncats,cat,NOUN2024",
    "secret,description\nDB_PASSWORD,The password of the database\nAPI_TOKEN,Token of the API",
  ],
  commands: [
    "cat token.txt | docker login ghcr.io -u ann --password-stdin",
    "echo $TOKEN | docker login --password-stdin",
    `printf "%s" "\${DB_PASSWORD}" | npx wrangler secret put DB_PASSWORD`,
    "npx wrangler secret put API_TOKEN",
    "npx wrangler secret list",
    "vault login -method=oidc",
    "vault login",
    "cargo login --registry acme",
    "az keyvault secret set --vault-name shop --name db --file pw.txt",
    "az keyvault secret show --name db",
    'dotnet user-secrets set "Smtp:Host" "mail.acme.test"',
    "poetry config virtualenvs.in-project true",
    "pulumi config set aws:region eu-central-1",
    "netlify env:set NODE_ENV production",
    "netlify env:list",
    "gh secret set NPM_TOKEN < token.txt",
    "fly secrets list",
    "heroku config:set NODE_ENV=production LOG_LEVEL=debug",
    "echo done | tee out.log",
    "kubectl get secret db -o yaml",
    "aws secretsmanager get-secret-value --secret-id db",
    "pulumi config set dbUser app",
  ],
  prose: [
    "log in as admin with your company account",
    "log in as admin with SSO enabled",
    "sign in as a guest with read-only access",
    "log in as root with sudo",
    "pw reset is broken",
    "creds: see the vault",
    "creds: ~/.aws/credentials",
    "here is the key: value pairs are sorted",
    "Here is the key: `cache-key-2024-01-01`",
    "here is the key insight: tests first",
    "credentials: include/omit",
    "connect as a client with TLS1.3",
    "authenticate as a service using OAuth2",
    "the key: src/features/login/key-handler.ts",
    "login: ann/feature-branch-12",
    "pass 3/4 tests",
    "log in with user2 and check ticket ABC-1234",
  ],
  "diffs and new kinds": [
    `-${dashes}BEGIN CERTIFICATE${dashes}\n-{b64:64}\n-{b64:64}\n-${dashes}END CERTIFICATE${dashes}`,
    `-${dashes}BEGIN PUBLIC KEY${dashes}\n-{b64:64}\n-${dashes}END PUBLIC KEY${dashes}`,
    "-  password: string;\n+  password: string | null;",
    "Session key:\n\n{uuid}",
    "primary key:\n{uuid}",
    "request id\n\n{uuid}",
    "vercel_blob_rw_TOKEN",
    "vaultKey: 'abc-prod-02-secret-name'",
    "keyVaultSecretId: 'shop-eu-01-secret-id'",
    "secretName: 'inf-weu1-03-db-secret'",
    'placeholder="Password123!"',
    'placeholder="e.g. Passw0rd!"',
    '<input type="password" placeholder="P@ssw0rd1">',
    'placeholder: "MyS3cret!"',
    "here is the key:\n\nsrc/app/main.ts",
    "the new key: {hex:40} is the commit",
  ],
};

const sentences = [
  "This is the text of a message that says nothing at all.",
  "Hello world, this is a test of the encoder.",
  "The password must not be empty and has to be changed every month.",
  "Please read the manual before use.",
  "Enter your token in the field below to continue with the setup.",
  "No secret is in this sentence.",
  "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
  "the quick brown fox jumps over the lazy dog",
];
const harmless = [
  "https://acme.test/search?q=hello world&page=2",
  '{"name":"ann","age":7,"tags":["a","b"]}',
  `password=\${DB_PASSWORD}`,
  "name=ann&city=Köln",
  '<b class="token">x</b>',
  "postgres://localhost/shop",
  '{"password":"required","min":8}',
  "SELECT * FROM users WHERE token = ?",
  "redis://cache:6379/0",
];

/** What looks like them. */
export function lookAlikesWrittenOtherwise(seed: number): SecretCase[] {
  const cases = casesOf(plainLookAlikes, seed);
  const add = (kind: string, text: string) => cases.push({ kind, text, secrets: [], keep: [] });
  for (const [kind, write] of Object.entries(letterwise)) {
    for (const [index, text] of harmless.entries())
      add(
        kind,
        encodedTexts[index]![0].replace("%s", () => write(text)),
      );
  }
  for (const [kind, write] of Object.entries(blockwise)) {
    for (const text of sentences)
      for (const frame of ["%s", "token: %s", 'const secret = "%s";', "message=%s"])
        add(
          kind,
          frame.replace("%s", () => write(text)),
        );
    for (const text of harmless) add(kind, `data: ${write(text)}`);
  }
  return cases;
}
