import { useState } from 'preact/hooks';
import type { Mark } from '../../api/types';
import { answerHref } from '../../parts/strip';
import { LOOKS, markInWords } from '../../parts/words';
import { exactOf } from '../../time/format';
import { storiesOf } from './stories-of';

const SHOWN = 8;

export function Stories({ scheduleId, marks, zone }: { scheduleId: string; marks: Mark[]; zone: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const stories = storiesOf(marks);
  if (marks.length === 0) return null;
  if (stories.length === 0) return <p>All of them completed.</p>;
  const shown = isWhole ? stories : stories.slice(0, SHOWN);
  const completed = marks.filter(({ look }) => look === 'completed').length;
  return (
    <div>
      <p class="strong">{completed.toLocaleString('en')} completed. The others, newest first:</p>
      <ul class="list plain">
        {shown.map(({ first, last, count }) => (
          <li key={first.at} class="break">
            <span aria-hidden="true" class={`mark inline ${first.look}`} />{' '}
            <a href={answerHref(scheduleId, last.at)}>{spanOf(first, last, zone)}</a>
            {': '}
            {first.look === 'gap' || count === 1
              ? markInWords({ ...first, count })
              : `${count} ${LOOKS[first.look]}${after(first)}`}
          </li>
        ))}
      </ul>
      {stories.length > shown.length ? (
        <button type="button" class="button plain" onClick={() => setIsWhole(true)}>
          {stories.length - shown.length} more
        </button>
      ) : null}
    </div>
  );
}

function spanOf(first: Mark, last: Mark, zone: string): string {
  const end = last.to ?? last.at;
  const begin = exactOf(first.at, zone, { withZone: false });
  return end === first.at ? begin : `${begin} to ${exactOf(end, zone, { withZone: false })}`;
}

/** The text of {@link markInWords} from its first colon on. */
function after(mark: Mark): string {
  const words = markInWords(mark);
  const at = words.indexOf(': ');
  return at < 0 ? '' : words.slice(at);
}
