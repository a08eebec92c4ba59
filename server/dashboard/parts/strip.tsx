import type { Mark } from '../api/types';
import { hrefOf } from '../router';
import { exactOf } from '../time/format';
import { LOOKS, markInWords } from './words';

/**
 * The strip: the latest answers of a schedule, the newest on the right. Unless it is `small`, each answer links to its
 * occurrence.
 */
export function Strip({
  scheduleId,
  marks,
  zone,
  small = false,
}: {
  scheduleId: string;
  marks: Mark[];
  zone: string;
  small?: boolean;
}) {
  if (marks.length === 0) return <span class="quiet">nothing yet</span>;
  // In a list, the marks are not links, since the schedule's page has those.
  if (small) {
    return (
      <span class="strip small" role="img" aria-label={inShort(marks)}>
        {marks.map((mark) => (
          <span key={mark.at} class={classOf(mark)} title={titleOf(mark, zone)} />
        ))}
      </span>
    );
  }
  return (
    <ol class="strip" aria-label="Latest answers, oldest first">
      {marks.map((mark) => (
        <li key={mark.at}>
          <a class={classOf(mark)} href={answerHref(scheduleId, mark.at)} title={titleOf(mark, zone)}>
            <span class="visually-hidden">{titleOf(mark, zone)}</span>
          </a>
        </li>
      ))}
    </ol>
  );
}

export function answerHref(scheduleId: string, time: string): string {
  return hrefOf(['schedules', scheduleId, 'at', time]);
}

function classOf({ look, recovered }: Mark): string {
  return `mark ${look}${recovered ? ' recovered' : ''}`;
}

function titleOf(mark: Mark, zone: string): string {
  const until = mark.to !== undefined && mark.to !== mark.at ? ` to ${exactOf(mark.to, zone)}` : '';
  return `${exactOf(mark.at, zone)}${until}: ${markInWords(mark)}`;
}

/** The strip in words, such as `Latest answers: 12 completed, 2 failed; the last one failed`. */
function inShort(marks: Mark[]): string {
  const counts = new Map<string, number>();
  for (const { look, count } of marks) counts.set(LOOKS[look], (counts.get(LOOKS[look]) ?? 0) + count);
  const said = [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
  return `Latest answers: ${said}; the last one ${LOOKS[marks.at(-1)!.look]}`;
}

const LEGEND: [className: string, text: string][] = [
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['running', 'running'],
  ['waiting', 'waiting'],
  ['skipped', 'skipped'],
  ['abandoned', 'given up'],
  ['gap', 'gap: did not fire'],
  ['completed recovered', 'dot: recovered by another trigger'],
];

export function Legend() {
  return (
    <ul class="legend" aria-label="What the marks mean">
      {LEGEND.map(([name, text]) => (
        <li key={name}>
          <span class={`mark ${name}`} aria-hidden="true" />
          {text}
        </li>
      ))}
    </ul>
  );
}
