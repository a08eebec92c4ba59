import type { Mark } from '../../api/types';

/** Answers next to each other of which the same is to be said. */
export interface Story {
  first: Mark;
  last: Mark;
  /** Occurrences. */
  count: number;
}

/** What of a strip is not plainly completed, in runs of the same, the latest first. */
export function storiesOf(marks: Mark[]): Story[] {
  const stories: Story[] = [];
  let open: Story | undefined;
  for (const mark of marks) {
    const isPlain = mark.look === 'completed' && !mark.recovered;
    if (open && !isPlain && sameStory(open.last, mark)) {
      open.last = mark;
      open.count += mark.count;
      continue;
    }
    open = isPlain ? undefined : { first: mark, last: mark, count: mark.count };
    if (open) stories.push(open);
  }
  return stories.reverse();
}

function sameStory(one: Mark, other: Mark): boolean {
  return (
    one.look === other.look &&
    one.reason === other.reason &&
    one.outcome === other.outcome &&
    one.error === other.error &&
    one.recovered === other.recovered &&
    one.kind === other.kind
  );
}
