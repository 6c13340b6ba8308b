import { useRef } from "preact/hooks";
import { Icon } from "../../../page/components/icon.tsx";
import { goTo, linkTo, route } from "../../../page/router.ts";
import { isPaletteOpen, searchBoxId } from "./keys.ts";

/** The view that answers what is typed here. */
const search = "/search";

/** The search box: it searches with every key, the words are the address's. Before there are any, Search has it in the middle. */
export function TopBar() {
  const { path, query } = route.value;
  const isSearch = path === search;
  const input = useRef<HTMLInputElement>(null);
  const onInput = () => {
    const words = input.current?.value ?? "";
    const filters = isSearch ? Object.fromEntries(query) : {};
    goTo(linkTo(search, { ...filters, q: words }), { replace: isSearch });
  };
  return (
    <div class={isSearch && !query.get("q") ? "top-bar start" : "top-bar"}>
      <search>
        <form
          class="search-box"
          onSubmit={(event) => {
            event.preventDefault();
          }}
        >
          <Icon name="search" />
          <input
            ref={input}
            id={searchBoxId}
            type="search"
            placeholder="Search code, sessions and commits"
            aria-label="Search code, sessions and commits"
            autocomplete="off"
            spellcheck={false}
            value={isSearch ? (query.get("q") ?? "") : ""}
            onInput={onInput}
          />
          <kbd>/</kbd>
        </form>
      </search>
      <button
        type="button"
        class="quiet go-to"
        onClick={() => {
          isPaletteOpen.value = true;
        }}
      >
        Go to <kbd>Ctrl K</kbd>
      </button>
    </div>
  );
}
