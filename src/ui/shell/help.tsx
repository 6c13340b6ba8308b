import { useEffect, useRef } from "preact/hooks";
import { isHelpOpen, keys } from "./keys.ts";

/** The list of keys. */
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isHelpOpen.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="help-title" onClose={close}>
      <header>
        <h2 id="help-title">Keys</h2>
        <button type="button" class="quiet" onClick={close}>
          Close
        </button>
      </header>
      <dl class="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>{key.split(" ").map((part) => (part === "or" ? " or " : <kbd key={part}>{part}</kbd>))}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
