import { useAnswer } from "../../../page/api/use-answer.ts";
import { formatCount } from "../../../page/components/words.ts";
import type { PicturesResponse } from "../operation.ts";

/** The turn that is drawn. */
export interface DrawnTurn {
  session: string;
  turn: number;
}

interface PicturesProps extends DrawnTurn {
  /** How many there were; null: that is not known. */
  count: number | null;
  isMeant: (picture: PicturesResponse["pictures"][number]) => boolean;
}

/** Pictures of a turn, as long as the agent's transcript has them. */
export function Pictures({ session, turn, count, isMeant }: PicturesProps) {
  const { data } = useAnswer("pictures", { session, turn });
  const shown = data?.pictures.filter(isMeant) ?? [];
  if (data !== null && shown.length === 0)
    return (
      <p class="faint">{formatCount(count ?? 1, "image")}, which the agent's transcript no longer contains</p>
    );
  return (
    <p class="pictures">
      {shown.map(({ url }, i) => (
        <a key={i} href={url} download={`turn-${turn}-${i + 1}`} title="Save it">
          <img src={url} alt={`${i + 1} of ${formatCount(shown.length, "image")}`} />
        </a>
      ))}
    </p>
  );
}
