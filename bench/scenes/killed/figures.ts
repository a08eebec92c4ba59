import { type Figure, figure } from '../../lib/result';
import type { Outage } from './nemesis';
import type { Outcome } from './outcomes';

/** Counts what became of the occurrences. `outages` are the times in which a killed process was away. */
export function figuresOf(series: string, outcomes: Outcome[], outages: Outage[]): Figure[] {
  const count = (matches: (outcome: Outcome) => boolean) => [outcomes.filter(matches).length];
  const latest = (instant: (outcome: Outcome) => number | undefined) => [
    Math.max(...outcomes.map((outcome) => (instant(outcome) ?? outcome.time) - outcome.time)) / 1_000,
  ];
  return [
    figure(series, 'due', 'firings', [outcomes.length]),
    figure(
      series,
      'due meanwhile',
      'firings',
      count(({ time }) => outages.some((outage) => outage.from <= time && time <= outage.to)),
    ),
    figure(
      series,
      'never ran',
      'firings',
      count(({ runs }) => runs === 0),
    ),
    figure(
      series,
      'ran twice',
      'firings',
      count(({ runs }) => runs > 1),
    ),
    figure(
      series,
      'latest start',
      's',
      latest(({ startedAt }) => startedAt),
    ),
    figure(
      series,
      'latest end',
      's',
      latest(({ endedAt }) => endedAt),
    ),
  ];
}
