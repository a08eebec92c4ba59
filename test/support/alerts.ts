import type { AlertResult } from '../../alerts/raise';

/** What a pass at `time` opened and resolved. A clock that jumps leaves a time in which no trigger polled: that is told by itself. */
export async function alertsAt(
  passes: { alert(): Promise<AlertResult> },
  clock: { set(time: string): void },
  time: string,
): Promise<string[]> {
  clock.set(time);
  const isTold = ({ condition }: { condition: string }) => condition !== 'no_trigger';
  const first = await passes.alert();
  // What a time without polls holds back is told by the next one.
  const results = first.opened.every(isTold) ? [first] : [first, await passes.alert()];
  return [
    ...results.flatMap(({ opened }) => opened.filter(isTold).map((one) => `${one.condition} of ${one.scheduleId}`)),
    ...results.flatMap(({ resolved }) => resolved.filter(isTold).map(({ condition }) => `${condition} is over`)),
  ];
}
