import { Dialog } from "../components/dialog.tsx";
import { isHelpOpen, keys } from "./keys.ts";

/** The list of keys. */
export function Help() {
  if (!isHelpOpen.value) return null;
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <Dialog title="Keys" onClose={close}>
      <dl class="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>{key.split(" ").map((part) => (part === "or" ? " or " : <kbd key={part}>{part}</kbd>))}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
