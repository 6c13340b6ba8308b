import { base62, base64, base64url, collector, digits, hex, maker, type SecretCase, upper } from "./make.ts";

/** Keys of providers in the places where they turn up in conversations with an agent. */
export function providerSecrets(seed: number): SecretCase[] {
  const { of, uuid, mixed } = maker(seed);
  const { cases, add } = collector();
  let s = "";

  // Keys of providers.
  s = `AKIA${of(upper + digits, 16)}`;
  add("aws-access-key", s, `[default]\naws_access_key_id = ${s}\nregion = eu-west-1`, ["region = eu-west-1"]);
  s = `ASIA${of(upper + digits, 16)}`;
  add("aws-access-key", s, `{"AccessKeyId": "${s}", "Expiration": "2025-01-01"}`, ["Expiration"]);
  s = mixed(base64, 40);
  add("aws-secret-key", s, `[default]\naws_secret_access_key = ${s}\noutput = json`, ["output = json"]);
  s = mixed(base62, 40);
  add("aws-secret-key", s, `export AWS_SECRET_ACCESS_KEY="${s}"`, ["AWS_SECRET_ACCESS_KEY"]);
  s = mixed(base62, 40);
  add("aws-secret-key", s, `  "SecretAccessKey": "${s}",`, ["SecretAccessKey"]);
  s = mixed(base64, 300);
  add("aws-session-token", s, `AWS_SESSION_TOKEN=${s}\n`);
  s = `ghp_${of(base62, 36)}`;
  add("github-token", s, `git remote set-url origin https://${s}@github.com/acme/shop.git`, [
    "@github.com/acme/shop.git",
  ]);
  s = `ghp_${of(base62, 36)}`;
  add("github-token", s, `please use my token ${s} for the release`, [
    "please use my token",
    "for the release",
  ]);
  for (const prefix of ["gho", "ghu", "ghs", "ghr"]) {
    s = `${prefix}_${of(base62, 36)}`;
    add("github-token", s, `GITHUB_TOKEN=${s} gh pr list`, ["gh pr list"]);
  }
  s = `github_pat_${of(base62, 22)}_${of(base62, 59)}`;
  add("github-pat", s, `    env:\n      GH_TOKEN: ${s}\n    run: make`, ["run: make"]);
  s = `glpat-${of(base64url, 20)}`;
  add("gitlab-token", s, `curl --header "PRIVATE-TOKEN: ${s}" https://gitlab.example.org/api/v4/projects`, [
    "api/v4/projects",
  ]);
  s = `glrt-${of(base62, 20)}`;
  add("gitlab-token", s, `gitlab-runner register --token ${s}`);
  s = `ATATT3${of(base64url, 180)}`;
  add("atlassian-token", s, `JIRA_TOKEN='${s}'`);
  s = `sk-ant-api03-${of(base64url, 93)}AA`;
  add("anthropic-key", s, `ANTHROPIC_API_KEY=${s}\nMODEL=opus`, ["MODEL=opus"]);
  s = `sk-ant-api03-${of(base64url, 93)}AA`;
  add("anthropic-key", s, `const client = new Anthropic({ apiKey: "${s}" });`, ["new Anthropic"]);
  s = `sk-ant-oat01-${of(base64url, 80)}AA`;
  add("anthropic-key", s, `{"accessToken":"${s}","scopes":["user:inference"]}`, ["user:inference"]);
  s = `sk-proj-${of(base64url, 74)}T3BlbkFJ${of(base64url, 74)}`;
  add("openai-key", s, `openai.api_key = "${s}"`, ["openai.api_key"]);
  s = `sk-${of(base62, 48)}`;
  add("openai-key", s, `OpenAI(api_key="${s}")`, ["OpenAI("]);
  s = `sk-${of(base62, 48)}`;
  add("openai-key", s, `Error: Incorrect API key provided: ${s}. You can find your key at`, [
    "You can find your key at",
  ]);
  s = `sk-or-v1-${of(hex, 64)}`;
  add("openrouter-key", s, `Authorization: Bearer ${s}`);
  s = `gsk_${of(base62, 52)}`;
  add("groq-key", s, `GROQ_API_KEY=${s}`);
  s = `r8_${of(base62, 37)}`;
  add("replicate-token", s, `replicate auth ${s}`);
  s = `hf_${mixed(base62, 34)}`;
  add("huggingface-token", s, `huggingface-cli login --token ${s}`);
  s = `hf_${mixed(base62, 34)}`;
  add("huggingface-token", s, `HfApi(token='${s}')`);
  s = `AIza${of(base64url, 34)}9`;
  add("google-api-key", s, `https://maps.googleapis.com/maps/api/js?key=${s}&libraries=places`, [
    "&libraries=places",
  ]);
  s = `AIza${of(base64url, 34)}x`;
  add("google-api-key", s, `  apiKey: "${s}",\n  authDomain: "shop.firebaseapp.com",`, ["authDomain"]);
  s = `ya29.${of(base64url, 120)}`;
  add("google-oauth-token", s, `{"access_token": "${s}", "expires_in": 3599}`, ["expires_in"]);
  s = `GOCSPX-${of(base64url, 28)}`;
  add("google-client-secret", s, `"client_secret":"${s}","redirect_uris"`, ["redirect_uris"]);
  s = `${of(base64, 86)}==`;
  add(
    "azure-storage-key",
    s,
    `DefaultEndpointsProtocol=https;AccountName=shopdata;AccountKey=${s};EndpointSuffix=core.windows.net`,
    ["AccountName=shopdata", "EndpointSuffix=core.windows.net"],
  );
  s = `${of(base64, 43)}=`;
  add(
    "azure-shared-access-key",
    s,
    `Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${s}`,
    ["sb://shop.servicebus.windows.net/"],
  );
  s = `${of(base62, 43)}%3D`;
  add(
    "azure-sas",
    s,
    `https://shop.blob.core.windows.net/c/f.txt?sv=2022-11-02&se=2025-01-01&sr=b&sp=r&sig=${s}`,
    ["shop.blob.core.windows.net/c/f.txt"],
  );
  s = `${of(base62, 3)}8Q~${of(base62, 34)}`;
  add("azure-client-secret", s, `AZURE_CLIENT_SECRET=${s}`);
  s = `dop_v1_${of(hex, 64)}`;
  add("digitalocean-token", s, `doctl auth init -t ${s}`);
  s = `npm_${of(base62, 36)}`;
  add("npm-token", s, `//registry.acme.test/:_authToken=${s}\nregistry=https://registry.acme.test/`, [
    "//registry.acme.test/:_authToken=",
  ]);
  s = uuid();
  add("npmrc", s, `//npm.acme.test/:_authToken=${s}`);
  s = Buffer.from(`ci:${of(base62, 12)}`).toString("base64");
  add("npmrc", s, `//npm.acme.test/:_auth=${s}`);
  s = `pypi-AgEIcHlwaS5vcmc${of(base64url, 120)}`;
  add("pypi-token", s, `[pypi]\n  username = __token__\n  password = ${s}`, ["username = __token__"]);
  s = `xoxb-${of(digits, 12)}-${of(digits, 12)}-${of(base62, 24)}`;
  add("slack-token", s, `SLACK_BOT_TOKEN=${s}`);
  s = `xoxp-${of(digits, 12)}-${of(digits, 12)}-${of(digits, 12)}-${of(hex, 32)}`;
  add("slack-token", s, `new WebClient('${s}')`, ["new WebClient("]);
  s = `T${of(upper + digits, 8)}/B${of(upper + digits, 10)}/${of(base62, 24)}`;
  add("slack-webhook", s, `curl -X POST https://hooks.slack.com/services/${s} -d '{"text":"hi"}'`, [
    '{"text":"hi"}',
  ]);
  s = `${of(digits, 18)}/${of(base64url, 68)}`;
  add("discord-webhook", s, `url: https://discord.com/api/webhooks/${s}`, [
    "https://discord.com/api/webhooks/",
  ]);
  s = `${of(digits, 10)}:AA${of(base62, 33)}`;
  add("telegram-token", s, `https://api.telegram.org/bot${s}/getMe`.replace(`bot${s}`, `bot/${s}`));
  s = `${of(digits, 9)}:AA${of(base62, 33)}`;
  add("telegram-token", s, `TELEGRAM_BOT_TOKEN=${s}`);
  s = `SK${of(hex, 32)}`;
  add("twilio-key", s, `client = Client("${s}", os.environ["TWILIO_SECRET"])`, [
    'os.environ["TWILIO_SECRET"]',
  ]);
  s = of(hex, 32);
  add("twilio-auth-token", s, `TWILIO_AUTH_TOKEN=${s}`);
  s = `SG.${of(base64url, 22)}.${of(base64url, 43)}`;
  add("sendgrid-key", s, `sgMail.setApiKey('${s}')`, ["sgMail.setApiKey("]);
  s = `key-${of(hex, 32)}`;
  add("mailgun-key", s, `curl -s --user 'api:${s}' https://api.mailgun.net/v3/mg.acme.test/messages`, [
    "api.mailgun.net/v3",
  ]);
  s = `${of(hex, 32)}-us14`;
  add("mailchimp-key", s, `mailchimp.setConfig({ apiKey: "${s}", server: "us14" })`, ['server: "us14"']);
  s = `sk_live_${of(base62, 24)}`;
  add("stripe-key", s, `stripe.api_key = '${s}'`);
  s = `sk_test_${of(base62, 99)}`;
  add("stripe-key", s, `Stripe(${JSON.stringify(s)})`);
  s = `rk_live_${of(base62, 24)}`;
  add("stripe-key", s, `- STRIPE_RESTRICTED=${s}`);
  s = `whsec_${of(base62, 32)}`;
  add("stripe-webhook", s, `> Ready! Your webhook signing secret is ${s} (^C to quit)`, ["(^C to quit)"]);
  s = `shpat_${of(hex, 32)}`;
  add("shopify-token", s, `X-Shopify-Access-Token: ${s}`);
  s = `lin_api_${of(base62, 40)}`;
  add("linear-key", s, `LINEAR_API_KEY="${s}"`);
  s = `ntn_${of(base62, 46)}`;
  add("notion-token", s, `Notion token: ${s}`);
  s = `figd_${of(base64url, 43)}`;
  add("figma-token", s, `curl -H 'X-Figma-Token: ${s}' https://api.figma.com/v1/me`, ["api.figma.com/v1/me"]);
  s = `hvs.${of(base64url, 90)}`;
  add("vault-token", s, `VAULT_TOKEN=${s} vault kv get secret/shop`, ["vault kv get secret/shop"]);
  s = `dckr_pat_${of(base64url, 27)}`;
  add("docker-token", s, `echo ${s} | docker login -u acme --password-stdin`, [
    "docker login -u acme --password-stdin",
  ]);
  s = `glsa_${of(base62, 32)}_${of(hex, 8)}`;
  add("grafana-token", s, `GRAFANA_SA=${s}`);
  s = `dapi${of(hex, 32)}`;
  add("databricks-token", s, `host = https://adb-1.azuredatabricks.net\ntoken = ${s}`, ["host = https"]);
  s = `tskey-auth-${of(base62, 12)}-${of(base62, 32)}`;
  add("tailscale-key", s, `tailscale up --authkey ${s}`);
  s = `NRAK-${of(upper + digits, 27)}`;
  add("newrelic-key", s, `"api-key": "${s}"`);
  s = `AGE-SECRET-KEY-1${of(upper + digits, 58)}`;
  add("age-key", s, `# created: 2025-01-01T00:00:00Z\n${s}\n`, ["# created"]);
  const jwt = () => `eyJ${of(base64url, 30)}.eyJ${of(base64url, 120)}.${of(base64url, 43)}`;
  s = jwt();
  add("jwt", s, `{"id_token":"${s}"}`);
  s = jwt();
  add("jwt", s, `Decoded payload of ${s}:\n{ "sub": "42" }`, ['{ "sub": "42" }']);
  return cases;
}
