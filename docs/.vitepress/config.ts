import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { listCommands } from "../commands/list-commands.ts";

const readRepositoryFile = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

/** The page's own. */
const readIcon = () =>
  `data:image/svg+xml,${encodeURIComponent(readRepositoryFile("src/faces/page/public/icon.svg"))}`;

/** What a page is about: its first paragraph, without the marks of Markdown. */
function readFirstParagraph(path: string): string {
  const text = readRepositoryFile(`docs/${path}`);
  const isProse = (paragraph: string) => /^(?!```)[A-Z`[*]/.test(paragraph);
  const first =
    text
      .replace(/^---[\s\S]*?\n---\n/, "")
      .split("\n\n")
      .find(isProse) ?? "";
  return first
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[*`]/g, "")
    .replaceAll("\n", " ");
}

const repository = "https://github.com/pommel-dev/pommel";

/** The documentation site. Its pages also read well on GitHub and in the npm package. */
export default defineConfig({
  title: "Pommel",
  description: "The memory of a coding agent",
  cleanUrls: true,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: readIcon() }]],
  transformPageData(page) {
    const description = readFirstParagraph(page.filePath);
    page.description ||= description;
    page.frontmatter.head ??= [];
    page.frontmatter.head.push(
      ["meta", { property: "og:title", content: page.title }],
      ["meta", { property: "og:description", content: description }],
    );
  },
  ignoreDeadLinks: false,
  markdown: {
    // As on GitHub, so that one link works in both places.
    anchor: { slugify: githubSlug },
    config(md) {
      md.core.ruler.push("links-out-of-docs", ({ tokens, env }) => {
        const folder = posix.dirname(env.relativePath);
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.attrGet("href");
          const path = href?.startsWith("../") ? posix.join(folder, href) : "";
          if (path.startsWith("../")) token.attrSet("href", `${repository}/blob/main/${path.slice(3)}`);
        }
      });
    },
  },
  themeConfig: {
    search: {
      provider: "local",
      // Each command has a page of its own.
      options: { _render: (src, env, md) => (env.relativePath === "cli.md" ? "" : md.render(src, env)) },
    },
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: repository }],
    editLink: { pattern: `${repository}/edit/main/docs/:path` },
    sidebar: [
      {
        text: "Begin",
        items: [
          { text: "Tour", link: "/tour" },
          { text: "Getting started", link: "/getting-started" },
          { text: "Cookbook", link: "/cookbook" },
          { text: "Questions", link: "/questions" },
          { text: "Troubleshooting", link: "/troubleshooting" },
          { text: "Glossary", link: "/glossary" },
        ],
      },
      {
        text: "Guides",
        items: [
          { text: "Find code", link: "/find-code" },
          { text: "Find past sessions", link: "/find-sessions" },
          { text: "Why is this line here?", link: "/why" },
          { text: "What happened lately", link: "/digest" },
          { text: "On the pull request", link: "/pull-requests" },
          { text: "Undo one agent's work", link: "/undo" },
          { text: "Rules", link: "/rules" },
          { text: "Radar", link: "/radar" },
          { text: "Dead ends", link: "/dead-ends" },
          { text: "In the browser", link: "/page" },
          { text: "In your editor and shell", link: "/editors" },
          { text: "Set up agents", link: "/agents" },
          { text: "Share the memory", link: "/share" },
        ],
      },
      {
        text: "Before you rely on it",
        items: [
          { text: "Privacy", link: "/privacy" },
          { text: "Scrubbing", link: "/scrubbing" },
          { text: "For a company", link: "/rollout" },
          { text: "What it costs", link: "/costs" },
          { text: "Limits", link: "/limits" },
          { text: "Compared with other tools", link: "/compared" },
          { text: "Reliability", link: "/reliability" },
          { text: "Benchmarks", link: "/benchmarks" },
        ],
      },
      {
        text: "Reference",
        collapsed: true,
        items: [
          {
            text: "Command line",
            link: "/cli",
            collapsed: true,
            items: listCommands().map(({ command }) => ({
              text: `pm ${command}`,
              link: `/commands/${command}`,
            })),
          },
          { text: "JSON of commands", link: "/json" },
          { text: "Configuration", link: "/configuration" },
          { text: "MCP server", link: "/mcp" },
          { text: "HTTP", link: "/http" },
          { text: "Coming from another tool", link: "/coming-from" },
          { text: "Exports and open formats", link: "/export" },
          { text: "Languages", link: "/languages" },
          { text: "Models", link: "/models" },
          { text: "Engines", link: "/engines" },
          { text: "Containers", link: "/containers" },
        ],
      },
      {
        text: "How it works",
        collapsed: true,
        items: [
          { text: "Architecture", link: "/architecture" },
          { text: "Ranking of code", link: "/ranking" },
          { text: "Sessions", link: "/sessions" },
          { text: "Commits and their sessions", link: "/git" },
          { text: "Writing an adapter", link: "/adapters" },
          { text: "Design decisions", link: "/decisions/README" },
        ],
      },
    ],
  },
});

function githubSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- _]/gu, "")
    .replaceAll(" ", "-");
}
