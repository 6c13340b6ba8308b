import { useState } from "preact/hooks";
import { Preformatted } from "./code-lines.tsx";
import { counted } from "./words.ts";

const kinds: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "hunk" };

/** Changed lines, marked as in a unified diff; the rest of a long one comes on request. */
export function Diff({ lines, shown = 40 }: { lines: readonly string[]; shown?: number }) {
  const [isWhole, setWhole] = useState(lines.length <= shown * 1.5);
  const visible = isWhole ? lines : lines.slice(0, shown);
  return (
    <div class="diff">
      <Preformatted>
        {visible.map((line, i) => (
          <span key={i} class={`diff-line ${kinds[line[0] ?? ""] ?? ""}`}>
            {line || " "}
          </span>
        ))}
      </Preformatted>
      {!isWhole && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show {counted(lines.length - shown, "more line")}
        </button>
      )}
    </div>
  );
}

/** "+12 −3". */
export function LineCounts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="diff-count">
      {added > 0 && <span class="added">+{added.toLocaleString("en")}</span>}
      {removed > 0 && <span class="removed">−{removed.toLocaleString("en")}</span>}
    </span>
  );
}
