import type { Mark } from '../../api/types';

/** Consecutive answers of a schedule that have the same description. */
export interface Story {
  first: Mark;
  last: Mark;
  count: number;
}

/** The answers of a strip that did not simply complete, grouped if consecutive ones are equal, newest first. */
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
