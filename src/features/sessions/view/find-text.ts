/** The occurrences of a text below an element, in any case, as far as they lie in one piece of text each. */
function findOccurrences(root: Node, text: string): Range[] {
  const wanted = text.toLowerCase();
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const content = (node as Text).data.toLowerCase();
    for (let at = content.indexOf(wanted); at !== -1; at = content.indexOf(wanted, at + wanted.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  return ranges;
}

const highlightName = "found";

/** Marks a text wherever it stands below an element; "" marks nothing. */
export function markFound(root: Node | null, text: string): void {
  // Firefox has it since version 140; without it the reader is led to the place all the same.
  if (!("highlights" in CSS)) return;
  if (root === null || text === "") CSS.highlights.delete(highlightName);
  else CSS.highlights.set(highlightName, new Highlight(...findOccurrences(root, text)));
}

/**
 * Scrolls to the first occurrence of a text below an element, and unfolds what hides it.
 * @returns whether it is there
 */
export function scrollToFound(root: Node, text: string): boolean {
  const [first] = findOccurrences(root, text);
  const holder = first?.startContainer.parentElement;
  if (!holder) return false;
  for (let fold = holder.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) {
    fold.open = true;
  }
  holder.scrollIntoView({ block: "center" });
  return true;
}
