import { rules as recommended } from "@secretlint/secretlint-rule-preset-recommend";
import type { SecretLintRuleContext, SecretLintSourceCode } from "@secretlint/types";

/** A rule of secretlint (https://github.com/secretlint/secretlint), called without its asynchronous engine. */
export interface ProviderRule {
  name: string;
  type: string;
  keywords: readonly string[];
  /** How far around a keyword it looks. Characters. */
  before: number;
  after: number;
  /** Ranges of secrets in a text. */
  find(text: string): [start: number, end: number][];
}

/**
 * Where to try which rule. Omitted: gcp, which reads files; filter-comments, which would let a text disable the others;
 * basicauth and database-connection-string, which report whole URLs instead of the credentials.
 */
const wanted: Record<string, { type: string; keywords: string[]; options?: object; after?: number }> = {
  aws: {
    type: "AWS_KEY",
    keywords: ["a3t", "akia", "agpa", "aroa", "asia", "secret_access_key", "secretaccesskey"],
    options: { enableIDScanRule: true },
  },
  privatekey: { type: "PRIVATE_KEY", keywords: ["-----begin"], after: 11_000 },
  npm: { type: "NPM_TOKEN", keywords: ["npm_", ":x-oauth-basic"] },
  slack: {
    type: "SLACK_TOKEN",
    keywords: ["xoxb", "xoxp", "xapp", "xoxa", "xoxo", "xoxr", "hooks.slack.com"],
  },
  sendgrid: { type: "SENDGRID_KEY", keywords: ["sg."] },
  shopify: { type: "SHOPIFY_TOKEN", keywords: ["shppa_", "shpca_", "shpat_", "shpss_"] },
  github: { type: "GITHUB_TOKEN", keywords: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"] },
  openai: { type: "OPENAI_KEY", keywords: ["t3blbkfj"] },
  anthropic: { type: "ANTHROPIC_KEY", keywords: ["sk-ant-api0"] },
  linear: { type: "LINEAR_KEY", keywords: ["lin_api_"] },
  "1password": { type: "ONEPASSWORD_TOKEN", keywords: ["ops_ey"] },
};

export const providerRules: readonly ProviderRule[] = recommended.flatMap((rule) => {
  const id = rule.meta.id.replace("@secretlint/secretlint-rule-", "");
  const choice = wanted[id];
  if (choice === undefined) return [];
  const ranges: [number, number][] = [];
  let searched = "";
  const context: SecretLintRuleContext = {
    sharedOptions: {},
    createTranslator: () => (messageId, data) => ({
      message: "",
      messageId: String(messageId),
      data: data ?? {},
    }),
    // An account's number names it, and opens nothing.
    report: ({ message, range }) =>
      message.messageId === "AWSAccountID" || ranges.push(located(searched, message.data, range)),
    ignore: () => {},
  };
  const { file } = rule.create(context, choice.options ?? {});
  return [
    {
      name: `secretlint-${id}`,
      type: choice.type,
      keywords: choice.keywords,
      before: 200,
      after: choice.after ?? 1_500,
      find(text) {
        ranges.length = 0;
        searched = text;
        file?.(sourceOf(text));
        return ranges.slice();
      },
    },
  ];
});

/**
 * The secret's range: some rules report it from the start of the name, but all name the secret first in their message.
 */
function located(text: string, data: object, [start, end]: readonly [number, number]): [number, number] {
  const secret: unknown = Object.values(data)[0];
  if (typeof secret !== "string" || secret === "") return [start, end];
  const at = text.indexOf(secret, start);
  return at === -1 || at > end ? [start, end] : [at, at + secret.length];
}

function sourceOf(content: string): SecretLintSourceCode {
  const none = () => {
    throw new Error("positions in lines are not needed");
  };
  return {
    content,
    hasBOM: false,
    filePath: undefined,
    physicalFilePath: undefined,
    contentType: "text",
    ext: "",
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    locationToRange: none,
    rangeToLocation: none,
    positionToIndex: none,
    indexToPosition: none,
  };
}
