import { posix } from "node:path";
import { defineConfig } from "vitepress";

const repository = "https://github.com/pommel-dev/pommel";

/** The documentation site. Its pages also read well on GitHub and in the npm package. */
export default defineConfig({
  title: "Pommel",
  description: "The memory of a coding agent",
  cleanUrls: true,
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
    search: { provider: "local" },
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: repository }],
    editLink: { pattern: `${repository}/edit/main/docs/:path` },
    sidebar: [
      {
        text: "Guide",
        items: [
          { text: "Getting started", link: "/getting-started" },
          { text: "Find code", link: "/find-code" },
          { text: "Find past sessions", link: "/find-sessions" },
          { text: "Why is this line here?", link: "/why" },
          { text: "See it in the browser", link: "/page" },
          { text: "Set up agents", link: "/agents" },
          { text: "Pull requests", link: "/pull-requests" },
          { text: "Digest", link: "/digest" },
          { text: "Editor and shell", link: "/editors" },
          { text: "Share the memory", link: "/share" },
          { text: "Privacy", link: "/privacy" },
          { text: "Scrubbing", link: "/scrubbing" },
        ],
      },
      {
        text: "Reference",
        items: [
          { text: "Command line", link: "/cli" },
          { text: "JSON of commands", link: "/json" },
          { text: "Configuration", link: "/configuration" },
          { text: "MCP server", link: "/mcp" },
          { text: "HTTP", link: "/http" },
          { text: "Coming from", link: "/coming-from" },
          { text: "Exports and open formats", link: "/export" },
          { text: "Languages", link: "/languages" },
          { text: "Models", link: "/models" },
          { text: "Engines", link: "/engines" },
          { text: "Containers", link: "/containers" },
          { text: "Reliability", link: "/reliability" },
        ],
      },
      {
        text: "How it works",
        items: [
          { text: "Architecture", link: "/architecture" },
          { text: "Ranking of code", link: "/ranking" },
          { text: "Sessions", link: "/sessions" },
          { text: "Commits and their sessions", link: "/git" },
          { text: "Benchmarks", link: "/benchmarks" },
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
