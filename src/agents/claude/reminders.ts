/** What the client puts into a text for the agent alone: its own reminders, and what is open in the editor. */
const asides = ["system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics"];

/** A text without what the human did not write and the tool did not print. */
export function withoutReminders(text: string): string {
  return asides.reduce((left, tag) => withoutSpans(left, `<${tag}>`, `</${tag}>`), text);
}

function withoutSpans(text: string, open: string, close: string): string {
  let kept = "";
  let from = 0;
  for (;;) {
    const start = text.indexOf(open, from);
    const end = start === -1 ? -1 : text.indexOf(close, start);
    if (end === -1) return from === 0 ? text : (kept + text.slice(from)).trim();
    kept += text.slice(from, start);
    from = end + close.length;
  }
}
