const copiedMs = 2000;

/** The button of a console block copies what is typed there, without prompts and what is printed. */
export function copyCommands(event: MouseEvent): void {
  const button = event.target instanceof Element ? event.target.closest("button.copy") : null;
  const block = button?.closest("div.language-console");
  if (!button || !block) return;
  event.stopImmediatePropagation();
  const typed = (block.querySelector("code")?.textContent ?? "")
    .split("\n")
    .filter((line) => line.startsWith("$ "))
    .map((line) => line.slice(2));
  void navigator.clipboard.writeText(typed.join("\n")).then(() => {
    button.classList.add("copied");
    setTimeout(() => button.classList.remove("copied"), copiedMs);
  });
}
