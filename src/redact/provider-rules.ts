import { rules as recommended } from "@secretlint/secretlint-rule-preset-recommend";
import type { SecretLintRuleContext, SecretLintSourceCode } from "@secretlint/types";

/** A rule of secretlint (https://github.com/secretlint/secretlint), called without its asynchronous engine. */
export interface ProviderRule {
  name: string;
  type: string;
  keywords: readonly string[];
  /** Ranges of secrets in a text. */
  find(text: string): [start: number, end: number][];
}

/** How far around a keyword a rule looks. Characters; the longest is a private key's body. */
export const providerReach = { before: 200, after: 11_000 };

/**
 * Where to try which rule. Left out are: gcp, which reads files; filter-comments, by which a text could switch the
 * others off; basicauth and database-connection-string, which report whole URLs where only the credentials shall go.
 */
const wanted: Record<string, { type: string; keywords: string[]; options?: object }> = {
  aws: {
    type: "AWS_KEY",
    keywords: ["a3t", "akia", "agpa", "aroa", "asia", "secret"],
    options: { enableIDScanRule: true },
  },
  privatekey: { type: "PRIVATE_KEY", keywords: ["-----begin"] },
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
  const context: SecretLintRuleContext = {
    sharedOptions: {},
    createTranslator: () => (messageId) => ({ message: "", messageId: String(messageId), data: {} }),
    report: ({ range }) => ranges.push([range[0], range[1]]),
    ignore: () => {},
  };
  const { file } = rule.create(context, choice.options ?? {});
  return [
    {
      name: `secretlint-${id}`,
      type: choice.type,
      keywords: choice.keywords,
      find(text) {
        ranges.length = 0;
        file?.(sourceOf(text));
        return ranges.slice();
      },
    },
  ];
});

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
