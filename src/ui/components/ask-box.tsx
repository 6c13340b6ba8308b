import { useState } from "preact/hooks";

interface AskBoxProps {
  label: string;
  /** What the address asks for. */
  words: string;
  onWords: (words: string) => void;
}

/** A wide box for a question that is answered while it is typed. */
export function AskBox({ label, words, onWords }: AskBoxProps) {
  const [typed, setTyped] = useState(words);
  return (
    <input
      class="chip ask"
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      onInput={({ currentTarget: { value } }) => {
        setTyped(value);
        onWords(value.trim());
      }}
    />
  );
}
