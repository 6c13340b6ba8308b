/** The colours are those of the local page (src/ui/styles/tokens.css). */
export const style = `
:root { color-scheme: light dark;
  --background: #fbfbfa; --surface: #fff; --border: #e7e5e1; --text: #1d1c1a; --muted: #66635d; --accent: #4549c4;
  --accent-soft: #ededfc; --added: #1b6e45; --added-soft: #e5f4ec; --removed: #b3261e; --removed-soft: #fcebe9;
  --agent: #6d3bbd; --warning: #8a5300;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
@media (prefers-color-scheme: dark) { :root {
  --background: #101113; --surface: #17181b; --border: #292b30; --text: #ececeb; --muted: #a0a1a7; --accent: #a5a9ff;
  --accent-soft: #24264a; --added: #7bd3a4; --added-soft: #173427; --removed: #ff9a92; --removed-soft: #431f1c;
  --agent: #c3a0ff; --warning: #f0b95c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 32px 20px 80px; max-width: 860px; background: var(--background); color: var(--text);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0 0 8px; font-size: 24px; line-height: 1.25; }
h2 { margin: 28px 0 10px; font-size: 18px; }
a { color: var(--accent); }
.facts { display: flex; flex-wrap: wrap; gap: 4px 14px; margin: 0; color: var(--muted); font-size: 13px; }
.id, code, pre { font-family: var(--mono); font-size: 13px; }
.id { margin: 4px 0 20px; color: var(--muted); }
.block { margin: 8px 0; padding: 8px 14px; border: 1px solid var(--border); border-radius: 8px; background: var(--surface); }
summary { cursor: pointer; }
.block > summary { color: var(--muted); }
.outline, .block ul { margin: 8px 0 4px; padding-left: 20px; }
.outline { padding-left: 0; list-style: none; }
.turn { margin-top: 36px; scroll-margin-top: 16px; }
.turn > h2 { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 14px; margin: 0 0 12px; padding-bottom: 6px;
  border-bottom: 1px solid var(--border); font-size: 14px; }
.turn > h2 a { color: inherit; text-decoration: none; }
.turn > h2 span { color: var(--muted); font-weight: 400; font-size: 13px; }
.abandoned { opacity: .7; }
.text { margin: 12px 0; }
.text > :first-child { margin-top: 0; }
.text > :last-child { margin-bottom: 0; }
.text h1, .text h2, .text h3 { font-size: 16px; margin: 18px 0 8px; }
.text pre, .call pre { margin: 8px 0; padding: 10px 12px; max-height: 70vh; overflow: auto; border: 1px solid var(--border);
  border-radius: 6px; background: var(--surface); line-height: 1.45; }
.text blockquote { margin: 8px 0; padding-left: 12px; border-left: 3px solid var(--border); color: var(--muted); }
.text table { display: block; overflow-x: auto; border-collapse: collapse; }
.text th, .text td { padding: 4px 10px; border: 1px solid var(--border); text-align: left; }
.text .right { text-align: right; } .text .center { text-align: center; }
.prompt { padding: 12px 16px; border-left: 3px solid var(--accent); border-radius: 0 8px 8px 0; background: var(--accent-soft); }
.call { margin: 6px 0; font-size: 13px; }
.call > summary { color: var(--muted); }
.call.bare > p { margin: 0; padding-left: 17px; color: var(--muted); }
.call b { color: var(--agent); font-weight: 600; }
.call .says { font-family: var(--mono); font-size: 12.5px; }
.call summary span + span, .call.bare span + span { margin-left: 8px; }
.call .file { margin: 8px 0 0; color: var(--muted); font-family: var(--mono); }
.call .facts { margin: 4px 0 8px; }
.added { color: var(--added); } .removed, .failed { color: var(--removed); } .hunk { color: var(--muted); }
.diff { padding: 6px 0 !important; }
.diff span { display: block; min-width: max-content; padding: 0 12px; }
.diff .added { background: var(--added-soft); } .diff .removed { background: var(--removed-soft); }
.compaction { margin: 20px 0; color: var(--warning); font-size: 13px; text-align: center; }
.beside { margin: 14px 0 0; padding: 10px 14px; list-style: none; border: 1px dashed var(--border); border-radius: 8px; font-size: 14px; }
.beside li + li { margin-top: 6px; }
.beside b { margin-right: 4px; font-size: 12px; }
.note { color: var(--added); } .decided { color: var(--agent); } .commit { color: var(--warning); }
.rows { margin: 16px 0; padding: 0; list-style: none; }
.rows > li { padding: 10px 0; border-top: 1px solid var(--border); }
.rows > li > .facts { margin-top: 3px; }
@media (max-width: 560px) { body { padding: 20px 14px 60px; } h1 { font-size: 20px; } }
.explored { padding-left: 0; } .explored > :not(summary) { margin-left: 18px; }
@media print { details::details-content { content-visibility: visible; block-size: auto; } body { max-width: none; } .text pre, .call pre { max-height: none; white-space: pre-wrap; } }
`;
